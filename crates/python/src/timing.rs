//! The MAC's times, for closed forms.

use std::collections::BTreeMap;

use lab::timing::{self, Spaces};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

fn read<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn named<T: DeserializeOwned>(name: &str) -> PyResult<T> {
    let found = serde_json::from_value(name.into());
    found.map_err(|error| PyValueError::new_err(error.to_string()))
}

fn written(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The slot, the interframe spaces and the contention windows that a standard's PHY fixes, as a
/// JSON object.
#[pyfunction]
pub fn phy_spaces(standard: &str) -> PyResult<String> {
    written(&Spaces::of_phy(named(standard)?))
}

/// Those of a radio, given as a plan's MAC.
#[pyfunction]
pub fn mac_spaces(mac_json: &str) -> PyResult<String> {
    written(&Spaces::of_radio(&read(mac_json)?))
}

/// The frames of the exchange that brings an MSDU to one station, each a SIFS behind the one
/// before, as a JSON list.
#[pyfunction]
pub fn mac_exchange(mac_json: &str, msdu_bytes: u16) -> PyResult<String> {
    written(&timing::exchange(&read(mac_json)?, msdu_bytes))
}

/// Returns how many nanoseconds a frame of a mode and a length occupies the air.
#[pyfunction]
pub fn frame_ns(mode: &str, preamble: &str, mpdu_bytes: u16) -> PyResult<u64> {
    Ok(timing::airtime(named(mode)?, named(preamble)?, mpdu_bytes).as_nanos())
}

/// The probability that a frame of a mode and a length arrives whole at a signal to noise ratio by a
/// model, in a code or that which its format has without asking.
#[pyfunction]
pub fn frame_success(
    mode: &str,
    preamble: &str,
    mpdu_bytes: u16,
    snr_db: f64,
    error_model: &str,
    coding: Option<&str>,
) -> PyResult<f64> {
    let sent = (named(mode)?, named(preamble)?);
    let coding = coding.map(named).transpose()?;
    let model = named(error_model)?;
    Ok(timing::success(sent, coding, mpdu_bytes, snr_db, model))
}

/// Returns how many nanoseconds the preamble and PLCP header of a frame of a mode last.
#[pyfunction]
pub fn plcp_ns(mode: &str, preamble: &str) -> PyResult<u64> {
    Ok(timing::plcp(named(mode)?, named(preamble)?).as_nanos())
}

/// Returns how many bytes an IP packet takes on a wire, preamble and gap included.
#[pyfunction]
pub fn wire_bytes(ip_bytes: u32) -> u32 {
    timing::wire_bytes(ip_bytes)
}

/// Bytes of frames of one length, and of what is put around an IP packet.
#[pyfunction]
pub fn frame_bytes() -> BTreeMap<&'static str, u16> {
    timing::BYTES.into_iter().collect()
}

/// Of every radio of a plan that sends beacons: its name, and how many nanoseconds are between
/// them and how long one is.
#[pyfunction]
pub fn beacons(plan_json: &str) -> PyResult<Vec<(String, u64, u64)>> {
    let plan =
        lab::Plan::parse(plan_json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let all = timing::beacons(&plan).into_iter();
    Ok(all
        .map(|(name, interval, airtime)| (name.into(), interval.as_nanos(), airtime.as_nanos()))
        .collect())
}
