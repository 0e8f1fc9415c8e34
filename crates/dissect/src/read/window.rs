//! A stream seen through a buffer that slides along it.

use std::io::{self, Read};

/// Bytes asked of the source at once. Large enough that system calls vanish
/// beside the analysis, small enough to stay in a second-level cache.
const CHUNK: usize = 256 * 1024;

/// The bytes of a stream from its present position on, as many as were asked for.
#[derive(Debug)]
pub struct Window<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    is_exhausted: bool,
    /// Bytes passed so far: where the window starts in the stream.
    position: u64,
}

impl<R: Read> Window<R> {
    /// A window at the start of `source`.
    pub fn new(source: R) -> Self {
        Window {
            source,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            is_exhausted: false,
            position: 0,
        }
    }

    /// Where the window starts in the stream.
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Where the bytes come from.
    pub const fn source(&self) -> &R {
        &self.source
    }

    /// The bytes at hand.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Tries to have at least `wanted` bytes at hand; false when the stream ends before.
    pub fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        if self.end - self.start >= wanted {
            return Ok(true);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted.next_multiple_of(CHUNK), 0);
        }
        while self.end < wanted && !self.is_exhausted {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.is_exhausted = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.is_exhausted = true;
                    return Err(error);
                }
            }
        }
        Ok(self.end >= wanted)
    }

    /// Reads the stream to its end and keeps none of it; an error where the source fails on the way.
    pub fn drain(&mut self) -> io::Result<()> {
        while self.fill(1)? {
            self.pass(self.end - self.start);
        }
        Ok(())
    }

    /// Moves past `count` bytes that are at hand.
    #[inline]
    pub fn pass(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
        self.position += count as u64;
    }

    /// Moves past `count` bytes without keeping them; false when the stream ends before.
    pub fn skip(&mut self, count: u64) -> io::Result<bool> {
        let mut left = count;
        loop {
            let at_hand = (self.end - self.start).min(left.try_into().unwrap_or(usize::MAX));
            self.pass(at_hand);
            left -= at_hand as u64;
            if left == 0 {
                return Ok(true);
            }
            if !self.fill(1)? {
                return Ok(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that gives one byte at a time, as a slow pipe may.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(out.len()).min(1);
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn it_slides_over_a_source_that_drips() {
        let mut window = Window::new(Drip(&[1, 2, 3, 4, 5]));
        assert!(window.fill(2).unwrap());
        assert_eq!(window.bytes(), [1, 2]);
        window.pass(1);
        assert!(window.skip(2).unwrap());
        assert!(window.fill(2).unwrap());
        assert_eq!((window.bytes(), window.position()), (&[4, 5][..], 3));
        assert!(!window.fill(3).unwrap(), "the stream has no third byte");
        assert_eq!(window.bytes(), [4, 5], "what is there stays");
    }

    #[test]
    fn passing_over_more_than_the_buffer_keeps_no_more_than_the_buffer() {
        let mut window = Window::new(io::repeat(7).take(5 * CHUNK as u64));
        assert!(window.skip(4 * CHUNK as u64).unwrap());
        assert_eq!(window.buffer.len(), CHUNK);
        assert!(!window.skip(2 * CHUNK as u64).unwrap());
    }
}
