//! Measurements on real machines: the console's part, and this machine's endpoint.

use ::endpoint::{command, console};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Runs a command of the endpoint: no words serve consoles, for ever. Gives the exit status.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over as values"
)]
pub fn endpoint_command(py: Python<'_>, words: Vec<String>) -> u8 {
    py.detach(|| command::run(&words))
}

/// Gives the applications that endpoints offer, and how many flows at the same time.
#[pyfunction]
pub fn endpoint_offers() -> (Vec<&'static str>, u8) {
    (
        ::endpoint::APPLICATIONS.to_vec(),
        ::endpoint::message::FLOWS,
    )
}

/// Gives name, address and key of every endpoint that this machine was paired with.
///
/// Raises ValueError if their list cannot be read.
#[pyfunction]
pub fn endpoints() -> PyResult<Vec<(String, String, String)>> {
    let known = command::known(&command::default_state()).map_err(PyValueError::new_err)?;
    let of = |peer: ::endpoint::identity::Peer| {
        let address = peer.address?.to_string();
        Some((peer.name, address, peer.key.to_string()))
    };
    Ok(known.into_iter().filter_map(of).collect())
}

/// Has endpoints run a test, a JSON object, and gives what they measured as another.
///
/// Raises ValueError, with one line, when an endpoint is not there, refuses, or goes.
#[pyfunction]
pub fn measure(py: Python<'_>, test_json: &str) -> PyResult<String> {
    let refused = |why: String| PyValueError::new_err(why);
    let test = serde_json::from_str(test_json).map_err(|error| refused(error.to_string()))?;
    let identity = command::identity(&command::default_state()).map_err(refused)?;
    let outcome = py
        .detach(|| console::run(&identity, &test))
        .map_err(refused)?;
    serde_json::to_string(&outcome).map_err(|error| refused(error.to_string()))
}
