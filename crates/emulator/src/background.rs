//! Files that another thread writes, so that no disk holds the loop up.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use lab::Sink;

/// Bytes that go to the writing thread at a time, unless they are handed on before.
const CHUNK: usize = 1 << 20;

/// Chunks that may wait to be written before the loop has to.
const CHUNKS: usize = 64;

/// A file that another thread writes.
#[derive(Debug)]
pub struct Background {
    chunk: Vec<u8>,
    full: Option<SyncSender<Vec<u8>>>,
    written: Receiver<Vec<u8>>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl Background {
    /// Begins one; `write` takes each chunk in the new thread, and `end` is called behind the last.
    ///
    /// # Errors
    /// When there can be no more threads.
    pub fn start<F: Send + 'static>(
        name: &str,
        mut file: F,
        mut write: impl FnMut(&mut F, &[u8]) -> io::Result<()> + Send + 'static,
        end: impl FnOnce(F) -> io::Result<()> + Send + 'static,
    ) -> io::Result<Background> {
        let (full, to_write) = sync_channel::<Vec<u8>>(CHUNKS);
        let (back, written) = sync_channel(CHUNKS);
        let writer = thread::Builder::new().name(name.into()).spawn(move || {
            for mut chunk in to_write {
                write(&mut file, &chunk)?;
                chunk.clear();
                // The loop has enough of them where nobody takes it back.
                let _ = back.try_send(chunk);
            }
            end(file)
        })?;
        Ok(Background {
            chunk: Vec::with_capacity(CHUNK),
            full: Some(full),
            written,
            writer: Some(writer),
        })
    }

    fn pass_on(&mut self) {
        let empty = self.written.try_recv();
        let empty = empty.unwrap_or_else(|_| Vec::with_capacity(CHUNK));
        let full = std::mem::replace(&mut self.chunk, empty);
        if let Some(writer) = &self.full {
            // One that has failed says so when it is asked to close.
            let _ = writer.send(full);
        }
    }
}

impl Write for Background {
    /// Takes all of it; a piece stays in one chunk.
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.chunk.len() + bytes.len() > CHUNK {
            self.pass_on();
        }
        self.chunk.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.chunk.is_empty() {
            self.pass_on();
        }
        Ok(())
    }
}

impl Sink for Background {
    fn close(mut self: Box<Self>) -> io::Result<()> {
        self.pass_on();
        self.full = None;
        let writer = self.writer.take().expect("it is closed once");
        let ended = writer.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("the writing thread ended")))
    }
}
