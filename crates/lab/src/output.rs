//! Where what a run writes besides its record goes.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// A file of a run, or what stands for one.
pub trait Sink: Write + Debug + Send {
    /// Ends it for good.
    ///
    /// # Errors
    /// When something of it could not be written.
    fn close(self: Box<Self>) -> io::Result<()>;
}

impl Sink for BufWriter<File> {
    fn close(self: Box<Self>) -> io::Result<()> {
        let file = self.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()
    }
}

/// A sink, or memory that is given back.
#[derive(Debug)]
pub enum Output {
    /// A sink.
    Sink(Box<dyn Sink>),
    /// Memory.
    Memory(Vec<u8>),
}

impl Output {
    /// Ends a sink for good; gives what memory has kept.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Output::Sink(sink) => sink.close().map(|()| Vec::new()),
            Output::Memory(memory) => Ok(memory),
        }
    }
}

impl Write for Output {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Sink(sink) => sink.write(bytes),
            Output::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Sink(sink) => sink.flush(),
            Output::Memory(_) => Ok(()),
        }
    }
}
