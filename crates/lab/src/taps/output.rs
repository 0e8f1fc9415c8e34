//! Where what a run writes besides its record goes.

use std::fs::File;
use std::io::{self, BufWriter, Write};

/// A file, or memory that stands for one.
#[derive(Debug)]
pub enum Output {
    /// A file.
    File(BufWriter<File>),
    /// Memory.
    Memory(Vec<u8>),
}

impl Output {
    /// Ends a file for good; gives what memory has kept.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Output::File(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.sync_all()?;
                Ok(Vec::new())
            }
            Output::Memory(memory) => Ok(memory),
        }
    }
}

impl Write for Output {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file) => file.write(bytes),
            Output::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::File(file) => file.flush(),
            Output::Memory(_) => Ok(()),
        }
    }
}
