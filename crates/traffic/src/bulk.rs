//! Bulk transfer: one stream, as fast as it goes.

use crate::Stream;

/// The sending end of a bulk transfer.
#[derive(Clone, Debug)]
pub struct BulkSource {
    /// Bytes still to be written; `None` for a source that never ends.
    left: Option<u64>,
    closed: bool,
}

impl BulkSource {
    /// A source of `bytes` bytes, or an endless one.
    pub fn new(bytes: Option<u64>) -> Self {
        BulkSource {
            left: bytes,
            closed: false,
        }
    }

    /// Writes what the stream takes; closes it after the last byte.
    #[inline]
    pub fn on_progress(&mut self, stream: &mut impl Stream) {
        match &mut self.left {
            None => {
                stream.write(u64::MAX);
            }
            Some(left) => {
                *left -= stream.write(*left);
                if *left == 0 && !self.closed {
                    self.closed = true;
                    stream.close();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_stream::Buffers;

    #[test]
    fn a_finite_source_fills_the_buffer_and_closes_after_the_last_byte() {
        let mut source = BulkSource::new(Some(1500));
        let mut stream = Buffers {
            room: 1000,
            ..Buffers::default()
        };
        source.on_progress(&mut stream);
        assert_eq!((stream.written, stream.closed), (1000, false));
        stream.room = 1000;
        source.on_progress(&mut stream);
        assert_eq!((stream.written, stream.closed), (1500, true));
    }
}
