//! Where a capture is: in a file, or in memory.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// A capture as Python gives it: the bytes of a file, or the path of one.
#[derive(FromPyObject)]
pub(crate) enum CaptureSource {
    Bytes(PyBackedBytes),
    Path(PathBuf),
}

impl CaptureSource {
    /// Reads it one way or the other, without the interpreter lock.
    pub(crate) fn read<T: Send, E: ToString + Send>(
        &self,
        py: Python<'_>,
        of_bytes: impl FnOnce(&[u8]) -> Result<T, E> + Send,
        of_path: impl FnOnce(&Path) -> Result<T, E> + Send,
    ) -> PyResult<T> {
        let read = py.detach(|| match self {
            CaptureSource::Bytes(bytes) => of_bytes(bytes),
            CaptureSource::Path(path) => of_path(path),
        });
        read.map_err(|error| PyOSError::new_err(error.to_string()))
    }
}
