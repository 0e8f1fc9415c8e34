//! Emulations: a world on the wall clock, and one run again from its log.

use std::path::PathBuf;

use ::emulator::{EmulationFailure, EmulationRequest};
use os::message::MessageChannel;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use units::Time;

use crate::PyRecord;

/// Runs an emulation that a JSON object asks for to its end; the descriptor leads to its console.
///
/// Gives the record, and how it went as a JSON object. To be called by a process that has one
/// thread and was started for this alone. Raises ValueError for what cannot be done here, with the
/// remedy, and OSError where the system fails.
#[pyfunction]
pub fn emulate(py: Python<'_>, request_json: &str, console: i32) -> PyResult<(PyRecord, String)> {
    let refused = |what: String| PyValueError::new_err(what);
    let request: EmulationRequest =
        serde_json::from_str(request_json).map_err(|error| refused(error.to_string()))?;
    let done = py.detach(|| ::emulator::emulate(&request, MessageChannel::inherited(console)));
    let (record, outcome) = done.map_err(|failure| match failure {
        EmulationFailure::Refused(what) => refused(what),
        EmulationFailure::Failed(error) => PyOSError::new_err(error.to_string()),
    })?;
    let outcome = serde_json::to_string(&outcome).map_err(|error| refused(error.to_string()))?;
    Ok((PyRecord(record), outcome))
}

/// Runs a plan again with what came in at its ports, as a log has it, until `end_ns`; taps write to
/// `capture_dir`, if given.
///
/// Gives the record, and the hash of all that left the world. Other Python threads go on meanwhile.
/// Raises ValueError for a plan that cannot be run, and OSError for files.
#[pyfunction]
#[pyo3(signature = (plan_json, seed, log, end_ns, capture_dir=None))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over as values"
)]
pub fn replay(
    py: Python<'_>,
    plan_json: &str,
    seed: u64,
    log: PathBuf,
    end_ns: u64,
    capture_dir: Option<PathBuf>,
) -> PyResult<(PyRecord, String)> {
    let plan =
        lab::Plan::parse(plan_json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let end = Time::from_nanos(end_ns);
    let replayed = py.detach(|| ::emulator::replay(plan, seed, &log, end, capture_dir.as_deref()));
    let replayed = replayed.map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok((PyRecord(replayed.record), replayed.egress))
}
