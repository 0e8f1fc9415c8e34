//! The captures' segments, losses, transfers and frames, as columns.

use analysis::watch::{
    AckKind, ColumnValues, Columns, SegmentKind, Traced, WatchLimits, WatchResult, reasons,
    watch_bytes, watch_path,
};
use analysis::wifi::{FRAME_KINDS, frames_of_bytes, frames_of_path};
use analysis::{Cause, Stall, TrackerLimits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::json;

use crate::source::CaptureSource;

/// Results of watching a capture.
#[pyclass(frozen, module = "anechoic._core", name = "Watched")]
pub(crate) struct PyWatched(WatchResult);

/// First packet, the client's address and port, the server's.
type PyEnds = (u64, String, u16, String, u16);

#[pymethods]
impl PyWatched {
    /// The connections that losses, transfers and traces name by their place here.
    fn connections(&self) -> Vec<PyEnds> {
        let ends = |of: &analysis::watch::ConnectionIdentity| {
            let [client, server] = [of.client, of.server].map(|end| end.address.to_string());
            (
                of.first_packet,
                client,
                of.client.port,
                server,
                of.server.port,
            )
        };
        self.0.connections.iter().map(ends).collect()
    }

    /// A value for each loss.
    fn losses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        as_dict(py, self.0.losses.columns())
    }

    /// A value for each transfer.
    fn transfers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        as_dict(py, self.0.transfers.columns())
    }

    /// The traces: which connection, and a value for each of its segments.
    fn traces<'py>(&self, py: Python<'py>) -> PyResult<Vec<(usize, Bound<'py, PyDict>)>> {
        let place = |of| self.0.connections.iter().position(|known| *known == of);
        let traces = self.0.traces.iter();
        let places = traces.filter_map(|trace| Some((place(trace.of)?, trace)));
        places
            .map(|(place, trace)| Ok((place, as_dict(py, trace.columns())?)))
            .collect()
    }

    /// Segments, losses and transfers that are not listed, because there are too many.
    fn unlisted(&self) -> (u64, u64, u64) {
        let watched = &self.0;
        (
            watched.segments_unlisted,
            watched.losses.unlisted,
            watched.transfers.unlisted,
        )
    }
}

fn as_dict(py: Python<'_>, columns: Columns) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for (name, column) in columns {
        let (values, known) = match &column {
            ColumnValues::Whole(values) | ColumnValues::Codes(values) => (values, None),
            ColumnValues::Optional(values, known) => (values, Some(known)),
        };
        let is_codes = matches!(column, ColumnValues::Codes(_));
        let known = known.map(|known| PyBytes::new(py, known));
        all.set_item(name, (is_codes, PyBytes::new(py, values), known))?;
    }
    Ok(all)
}

/// Goes through a capture, a file or the bytes of one, once and tells its losses, its transfers, and the segments of the
/// connections whose first packets have the given numbers; of all connections if none are given.
///
/// Other Python threads go on meanwhile. Raises OSError for what cannot be read as a capture.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over as values"
)]
#[pyo3(signature = (source, first_packets=None))]
pub(crate) fn watch(
    py: Python<'_>,
    source: CaptureSource,
    first_packets: Option<Vec<u64>>,
) -> PyResult<PyWatched> {
    let traced = first_packets.map_or(Traced::All, Traced::Chosen);
    let (limits, room) = (TrackerLimits::default(), WatchLimits::default());
    let again = traced.clone();
    source
        .read(
            py,
            |bytes| watch_bytes(bytes, limits, traced, room),
            |path| watch_path(path, limits, again, room),
        )
        .map(PyWatched)
}

/// Lists the 802.11 frames of a capture, a file or the bytes of one: a value for each frame, and
/// how many are not listed because they are too many.
///
/// Other Python threads go on meanwhile. Raises OSError for what cannot be read as a capture.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over as values"
)]
pub(crate) fn frames(py: Python<'_>, source: CaptureSource) -> PyResult<(Bound<'_, PyDict>, u64)> {
    let frames = source.read(py, frames_of_bytes, frames_of_path)?;
    Ok((as_dict(py, frames.columns())?, frames.unlisted))
}

/// Returns what the codes in the columns of a capture stand for, as a JSON object of lists.
#[pyfunction]
pub(crate) fn watch_codes() -> PyResult<String> {
    let none_or = |names: serde_json::Value| {
        let mut all = vec![json!(null)];
        all.extend(names.as_array().cloned().unwrap_or_default());
        all
    };
    let codes = json!({
        "kind": SegmentKind::ALL,
        "frame": FRAME_KINDS,
        "answer": AckKind::ALL,
        "cause": none_or(json!(Cause::ALL)),
        "because": none_or(json!(reasons())),
        "stall": none_or(json!(Stall::ALL)),
    });
    serde_json::to_string(&codes).map_err(|error| PyValueError::new_err(error.to_string()))
}
