//! Two captures of one path.

use std::path::PathBuf;

use pair::{CompareError, PairLimits, compare_paths};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Compares two capture files of one path.
///
/// Gives everything as a JSON document, and with `packets` every packet: for each column its
/// kind of number and its values as little-endian bytes. Other Python threads go on meanwhile.
/// Raises OSError for what cannot be read as a capture, with the number of the file (0 or 1)
/// before the reason, and ValueError if no packet is in both, with the link types of either that
/// are not read as a JSON document behind the reason.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over as values"
)]
pub fn compare<'py>(
    py: Python<'py>,
    first: PathBuf,
    second: PathBuf,
    packets: bool,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let comparison = py
        .detach(|| compare_paths([&first, &second], PairLimits::default(), packets))
        .map_err(|error| refused(&error))?;
    let document = crate::document::json(&comparison)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let columns = PyDict::new(py);
    for (name, kind, values) in comparison.rows.columns() {
        columns.set_item(name, (kind, PyBytes::new(py, &values)))?;
    }
    Ok((document, columns))
}

fn refused(error: &CompareError) -> PyErr {
    match error {
        CompareError::Open(side, error) => PyOSError::new_err((*side, error.to_string())),
        CompareError::NothingInCommon(links) => match serde_json::to_string(links) {
            Ok(links) => PyValueError::new_err((error.to_string(), links)),
            Err(error) => PyValueError::new_err(error.to_string()),
        },
        error => PyValueError::new_err(error.to_string()),
    }
}
