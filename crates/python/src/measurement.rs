//! Measurements on real machines: the console's part, and this machine's endpoint.

use std::collections::BTreeMap;

use ::endpoint::message::{Measured, MeasuredRadio, RowTable};
use ::endpoint::{LinkedStation, RadioEvent, Survey, command, console};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use units::table::Row as _;

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

/// Gives the tables of what machines' radios are like, as a JSON object: of each the columns, in
/// their order, with name, unit, meaning and type.
///
/// Raises ValueError where that cannot be written.
#[pyfunction]
pub fn radio_tables() -> PyResult<String> {
    let tables = BTreeMap::from([
        (LinkedStation::TABLE, LinkedStation::columns()),
        (Survey::TABLE, Survey::columns()),
        (RadioEvent::TABLE, RadioEvent::columns()),
    ]);
    serde_json::to_string(&tables).map_err(|error| PyValueError::new_err(error.to_string()))
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
    Ok(known.peers.into_iter().filter_map(of).collect())
}

/// Gives the key that endpoints know this machine's console by.
///
/// Raises ValueError if it cannot be read or made.
#[pyfunction]
pub fn console_key() -> PyResult<String> {
    let identity = command::identity(&command::default_state()).map_err(PyValueError::new_err)?;
    Ok(identity.key.to_string())
}

/// The samples and the stamps of one end of a flow.
type Logs<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// What was told of the stations, of the channel and of events of one endpoint's radio.
type RadioLogs<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// Has endpoints run a test, a JSON object, and gives what they measured as another, of each end its
/// samples and stamps as bytes, and of each endpoint what its radio was like.
///
/// Raises ValueError, with one line, when an endpoint is not there, refuses, or goes.
#[pyfunction]
pub fn measure<'py>(
    py: Python<'py>,
    test_json: &str,
) -> PyResult<(String, Vec<Logs<'py>>, Vec<RadioLogs<'py>>)> {
    let refused = |why: String| PyValueError::new_err(why);
    let test = serde_json::from_str(test_json).map_err(|error| refused(error.to_string()))?;
    let identity = command::identity(&command::default_state()).map_err(refused)?;
    let outcome = py
        .detach(|| console::run(&identity, &test))
        .map_err(refused)?;
    let told = serde_json::to_string(&outcome).map_err(|error| refused(error.to_string()))?;
    let bytes = |table: &RowTable| PyBytes::new(py, &table.bytes);
    let logs = |end: &Measured| (bytes(&end.samples), bytes(&end.stamps));
    let seen = |radio: &MeasuredRadio| {
        (
            bytes(&radio.stations),
            bytes(&radio.surveys),
            bytes(&radio.events),
        )
    };
    Ok((
        told,
        outcome.ends.iter().map(logs).collect(),
        outcome.radios.iter().map(seen).collect(),
    ))
}
