//! `anechoic._core`: the Python face of `lab`, `analysis`, `pair`, `script` and `kernel`.

mod document;
#[cfg(target_os = "linux")]
mod emulation;
#[cfg(target_os = "linux")]
mod measurement;
mod pair;
mod parquet;
mod scripts;
mod source;
mod timing;
mod watch;

use std::collections::BTreeMap;
use std::path::PathBuf;

use lab::TableValues;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use script::ScriptOutcome;

use source::CaptureSource;

/// Record of one replication.
#[pyclass(frozen, module = "anechoic._core", name = "Record")]
struct PyRecord(lab::Record);

/// Type, values and, of texts, the dictionary of a column.
type PyColumn<'py> = (&'static str, Bound<'py, PyBytes>, Option<Vec<String>>);

#[pymethods]
impl PyRecord {
    /// Named numbers, units in the names.
    fn metrics(&self) -> BTreeMap<&str, f64> {
        self.0.metrics.iter().collect()
    }

    /// Every table that has rows, by name, and its columns: of each the type, the values in
    /// little-endian bytes and, of texts, the dictionary. Types are `f64`, `i64` and `text`, whose
    /// values are places in the dictionary as unsigned 32-bit integers.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for table in self.0.tables() {
            let columns = PyDict::new(py);
            for (name, values) in table.columns {
                columns.set_item(name, column(py, values))?;
            }
            tables.set_item(table.name, columns)?;
        }
        Ok(tables)
    }
}

fn column(py: Python<'_>, values: TableValues) -> PyColumn<'_> {
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
    match values {
        TableValues::Real(values) => {
            let values: Vec<_> = values.into_iter().map(f64::to_le_bytes).collect();
            ("f64", bytes(values.as_flattened()), None)
        }
        TableValues::Whole(values) => {
            let values: Vec<_> = values.into_iter().map(i64::to_le_bytes).collect();
            ("i64", bytes(values.as_flattened()), None)
        }
        TableValues::Text { codes, dictionary } => {
            let codes: Vec<_> = codes.into_iter().map(u32::to_le_bytes).collect();
            ("text", bytes(codes.as_flattened()), Some(dictionary))
        }
    }
}

/// Runs a plan with a seed; taps write their files to `capture_dir`, if given.
///
/// Other Python threads go on meanwhile. Raises ValueError for a plan that
/// cannot be run and OSError for a capture file that cannot be written.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over as values"
)]
#[pyo3(signature = (plan_json, seed, capture_dir=None))]
fn run(
    py: Python<'_>,
    plan_json: &str,
    seed: u64,
    capture_dir: Option<PathBuf>,
) -> PyResult<PyRecord> {
    let plan =
        lab::Plan::parse(plan_json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let record = py.detach(|| lab::run(&plan, seed, capture_dir.as_deref()));
    record
        .map(PyRecord)
        .map_err(|error| PyOSError::new_err(error.to_string()))
}

/// Every metric and every table that records can have, as a JSON object: names, labels, units and
/// meanings.
#[pyfunction]
fn catalogue() -> PyResult<String> {
    serde_json::to_string(&lab::catalogue())
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The names of all metrics that runs of a plan can give.
///
/// Raises ValueError for a plan that cannot be run.
#[pyfunction]
fn metric_names(plan_json: &str) -> PyResult<Vec<String>> {
    lab::Plan::parse(plan_json)
        .map(|plan| lab::metric_names(&plan))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The noise at every receiver of a plan in dBm; None without radios.
///
/// Raises ValueError for a plan that cannot be run.
#[pyfunction]
fn noise_dbm(plan_json: &str) -> PyResult<Option<f64>> {
    lab::Plan::parse(plan_json)
        .map(|plan| lab::noise_of(&plan).map(|noise| noise.0))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns what an emitter of a plan radiates in a run of so many nanoseconds, and what radios of
/// the plan take in of it, as a JSON object.
///
/// Raises ValueError for what is no emitter or no list of radios.
#[pyfunction]
fn emission(emitter_json: &str, radios_json: &str, run_ns: u64) -> PyResult<String> {
    lab::emission(emitter_json, radios_json, run_ns)
        .and_then(|found| serde_json::to_string(&found))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The loss in dB that a model of propagation, as a plan has it, gives between two places, in metres,
/// at a frequency in Hz.
///
/// Raises ValueError for what is no model.
#[pyfunction]
fn path_loss_db(
    model_json: &str,
    one: (f64, f64),
    other: (f64, f64),
    frequency_hz: f64,
) -> PyResult<f64> {
    lab::path_loss(model_json, [one, other], frequency_hz)
        .map(|loss| loss.0)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Runs a plan with a seed and keeps what passes at its taps: the record, and of each tap its name
/// and the bytes of a capture file.
///
/// Other Python threads go on meanwhile. Raises ValueError for a plan that cannot be run.
#[pyfunction]
fn run_captured(
    py: Python<'_>,
    plan_json: &str,
    seed: u64,
) -> PyResult<(PyRecord, BTreeMap<String, Py<PyBytes>>)> {
    let plan =
        lab::Plan::parse(plan_json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (record, captures) = py.detach(|| lab::run_captured(&plan, seed));
    let captures = captures.into_iter();
    let captures = captures.map(|(tap, bytes)| (tap, PyBytes::new(py, &bytes).unbind()));
    Ok((PyRecord(record), captures.collect()))
}

/// Every kind of application, queue and impairment with what a scenario may say of it, as a
/// JSON object of lists.
#[pyfunction]
fn kinds() -> PyResult<String> {
    serde_json::to_string(&lab::kinds()).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Names of the stack profiles.
#[pyfunction]
fn stack_profile_names() -> Vec<&'static str> {
    lab::stacks::profile_names().to_vec()
}

/// All fields of a stack profile, as a JSON object.
#[pyfunction]
fn stack_profile(name: &str) -> PyResult<String> {
    let profile = lab::stacks::profile(name)
        .ok_or_else(|| PyValueError::new_err(format!("no stack profile is called {name}")))?;
    serde_json::to_string(&profile).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The source of each value of a stack profile: its field's name and where it comes from.
#[pyfunction]
fn describe_stack(name: &str) -> Vec<(&'static str, &'static str)> {
    (lab::stacks::describe(name).iter())
        .map(|doc| (doc.field, doc.source))
        .collect()
}

/// Every field that some stack has: its name, unit, meaning and the names it chooses among.
#[pyfunction]
fn stack_fields() -> Vec<(&'static str, &'static str, &'static str, Vec<&'static str>)> {
    (lab::stacks::profile_fields().iter())
        .map(|field| {
            (
                field.name,
                field.unit(),
                field.meaning,
                field.choices.to_vec(),
            )
        })
        .collect()
}

/// Runs the scripts at a path, a file or a folder: against the simulated endpoint or, if
/// `kernel`, against this machine's, several at a time and in real time.
///
/// Gives for each its name, "passed", "failed", "not supported" or "not a script", and what there
/// is to say about it, side by side where it failed. Other Python threads go on meanwhile. Raises
/// OSError for what cannot be read, and where the kernel does not let itself be used; what a
/// signal's handler raises ends the scripts, and all that they have changed is put back before.
#[pyfunction]
#[pyo3(signature = (path, kernel=false))]
fn run_scripts(
    py: Python<'_>,
    path: PathBuf,
    kernel: bool,
) -> PyResult<Vec<(String, &'static str, String)>> {
    let reports = scripts::run(py, path, kernel)?;
    let told = reports.iter().map(|report| {
        let status = match report.outcome {
            ScriptOutcome::Passed => "passed",
            ScriptOutcome::Failed { .. } => "failed",
            ScriptOutcome::NotSupported { .. } => "not supported",
            ScriptOutcome::NotAScript { .. } => "not a script",
        };
        (report.name.clone(), status, report.to_string())
    });
    Ok(told.collect())
}

/// Analyses the TCP connections of a capture: of a file by its path, "-" for the standard input, or
/// of the bytes of one.
///
/// Gives everything as a JSON document, and the log of Tstat's `log_tcp_complete`. Other
/// Python threads go on meanwhile. Raises OSError for what cannot be read as a capture.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over as values"
)]
fn analyse(py: Python<'_>, source: CaptureSource) -> PyResult<(String, String)> {
    let limits = analysis::TrackerLimits::default();
    let analysis = source.read(
        py,
        |bytes| analysis::analyse_bytes(bytes, limits),
        |path| analysis::analyse_path(path, limits),
    )?;
    let lines = analysis
        .connections
        .iter()
        .filter_map(analysis::tstat::line);
    let log = std::iter::once(analysis::tstat::header()).chain(lines);
    let log = log.fold(String::new(), |log, line| log + &line + "\n");
    let document =
        document::json(&analysis).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((document, log))
}

/// The version of this build.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The Rust core.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyRecord>()?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(metric_names, module)?)?;
    module.add_function(wrap_pyfunction!(noise_dbm, module)?)?;
    module.add_function(wrap_pyfunction!(emission, module)?)?;
    module.add_function(wrap_pyfunction!(run_captured, module)?)?;
    module.add_function(wrap_pyfunction!(kinds, module)?)?;
    module.add_function(wrap_pyfunction!(path_loss_db, module)?)?;
    module.add_function(wrap_pyfunction!(stack_profile_names, module)?)?;
    module.add_function(wrap_pyfunction!(stack_profile, module)?)?;
    module.add_function(wrap_pyfunction!(describe_stack, module)?)?;
    module.add_function(wrap_pyfunction!(stack_fields, module)?)?;
    module.add_function(wrap_pyfunction!(run_scripts, module)?)?;
    module.add_function(wrap_pyfunction!(analyse, module)?)?;
    module.add_class::<parquet::ParquetWriter>()?;
    module.add_function(wrap_pyfunction!(parquet::read_parquet, module)?)?;
    module.add_class::<watch::PyWatched>()?;
    module.add_function(wrap_pyfunction!(watch::watch, module)?)?;
    module.add_function(wrap_pyfunction!(watch::watch_codes, module)?)?;
    module.add_function(wrap_pyfunction!(watch::frames, module)?)?;
    module.add_function(wrap_pyfunction!(pair::compare, module)?)?;
    for each in [
        wrap_pyfunction!(timing::phy_spaces, module)?,
        wrap_pyfunction!(timing::mac_spaces, module)?,
        wrap_pyfunction!(timing::mac_exchange, module)?,
        wrap_pyfunction!(timing::frame_ns, module)?,
        wrap_pyfunction!(timing::frame_success, module)?,
        wrap_pyfunction!(timing::plcp_ns, module)?,
        wrap_pyfunction!(timing::frame_bytes, module)?,
        wrap_pyfunction!(timing::wire_bytes, module)?,
        wrap_pyfunction!(timing::beacons, module)?,
    ] {
        module.add_function(each)?;
    }
    #[cfg(target_os = "linux")]
    for each in [
        wrap_pyfunction!(emulation::emulate, module)?,
        wrap_pyfunction!(emulation::replay, module)?,
        wrap_pyfunction!(measurement::console_key, module)?,
        wrap_pyfunction!(measurement::endpoint_command, module)?,
        wrap_pyfunction!(measurement::endpoint_offers, module)?,
        wrap_pyfunction!(measurement::endpoints, module)?,
        wrap_pyfunction!(measurement::measure, module)?,
        wrap_pyfunction!(measurement::radio_tables, module)?,
    ] {
        module.add_function(each)?;
    }
    module.add_function(wrap_pyfunction!(version, module)?)?;
    Ok(())
}
