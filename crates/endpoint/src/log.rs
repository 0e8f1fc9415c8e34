//! Rows of one length, compressed as they come.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows are compressed when they make so many bytes.
const BLOCK: usize = 256 << 10;

/// Memory for the logs of a test.
#[derive(Clone, Debug)]
pub(crate) struct LogMemory(Arc<AtomicUsize>);

impl LogMemory {
    /// So many bytes.
    pub fn new(bytes: usize) -> LogMemory {
        LogMemory(Arc::new(AtomicUsize::new(bytes)))
    }

    fn take(&self, bytes: usize) -> bool {
        let taken = |left: usize| left.checked_sub(bytes);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken)
            .is_ok()
    }
}

/// A log that is written.
#[derive(Debug)]
pub(crate) struct EndpointLog {
    /// Bytes of a row.
    row: usize,
    rows: Vec<u8>,
    /// Blocks: the length of each as four bytes, big-endian, then LZ4 behind the length of the
    /// rows.
    blocks: Vec<u8>,
    room: LogMemory,
    lost: u64,
}

impl EndpointLog {
    /// An empty one.
    pub fn of_rows(row: usize, room: LogMemory) -> EndpointLog {
        EndpointLog {
            row,
            rows: Vec::new(),
            blocks: Vec::new(),
            room,
            lost: 0,
        }
    }

    /// Adds a row of parts; what they leave of it is zero, what is more is cut off.
    pub fn push(&mut self, parts: &[&[u8]]) {
        let end = self.rows.len() + self.row;
        for part in parts {
            self.rows.extend_from_slice(part);
        }
        self.rows.resize(end, 0);
        if self.rows.len() >= BLOCK {
            self.compress();
        }
    }

    /// Gives the blocks, and how many rows there was no room for.
    pub fn end(mut self) -> (Vec<u8>, u64) {
        if !self.rows.is_empty() {
            self.compress();
        }
        (self.blocks, self.lost)
    }

    fn compress(&mut self) {
        let block = lz4_flex::compress_prepend_size(&self.rows);
        if self.room.take(block.len() + 4) {
            let length = block.len() as u32;
            self.blocks.extend_from_slice(&length.to_be_bytes());
            self.blocks.extend_from_slice(&block);
        } else {
            self.lost += (self.rows.len() / self.row) as u64;
        }
        self.rows.clear();
    }
}

/// The rows of a log that came from elsewhere, each of `row` bytes.
///
/// # Errors
/// When it is no such log, or its rows have more bytes than `most`.
pub(crate) fn rows(blocks: &[u8], row: usize, most: usize) -> Result<Vec<u8>, String> {
    let cut_off = || "a log that is cut off".to_owned();
    let mut rows = Vec::new();
    let mut left = blocks;
    while let Some((length, behind)) = left.split_first_chunk() {
        let length = u32::from_be_bytes(*length) as usize;
        let (block, behind) = behind.split_at_checked(length).ok_or_else(cut_off)?;
        let told = |why: lz4_flex::block::DecompressError| why.to_string();
        let (bytes, _) = lz4_flex::block::uncompressed_size(block).map_err(told)?;
        // The row that fills a block may be a little longer than what was left.
        if bytes > 2 * BLOCK || rows.len() + bytes > most {
            return Err(format!("a log of more than {most} bytes"));
        }
        rows.extend(lz4_flex::decompress_size_prepended(block).map_err(told)?);
        left = behind;
    }
    if left.is_empty() && row > 0 && rows.len() % row == 0 {
        Ok(rows)
    } else {
        Err(cut_off())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(room: usize, count: u64) -> (Vec<u8>, u64) {
        let mut log = EndpointLog::of_rows(12, LogMemory::new(room));
        for number in 0..count {
            log.push(&[&number.to_le_bytes(), &[1, 2]]);
        }
        log.end()
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let (blocks, _) = filled(1 << 20, 100_000);
        let read = rows(&blocks, 12, 1_200_000).unwrap();
        assert_eq!(read.len(), 1_200_000);
        assert_eq!(read[24..32], 2_u64.to_le_bytes());
        assert_eq!(read[32..36], [1, 2, 0, 0]);
    }

    #[test]
    fn rows_that_there_is_no_room_for_are_counted() {
        assert_eq!(filled(10, 3), (Vec::new(), 3));
    }

    #[test]
    fn a_malicious_log_takes_no_more_memory_than_is_allowed() {
        let (blocks, _) = filled(1 << 20, 3);
        assert!(rows(&blocks, 12, 35).is_err());
        assert!(rows(&blocks[..blocks.len() - 1], 12, 1000).is_err());
        assert!(rows(&blocks, 0, 1000).is_err());
        assert!(rows(&blocks, 13, 1000).is_err());
        let huge = [&8_u32.to_be_bytes()[..], &[0xff; 8]].concat();
        assert!(rows(&huge, 12, usize::MAX).is_err());
    }
}
