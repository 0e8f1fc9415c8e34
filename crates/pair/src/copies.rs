//! Packets of a capture, remembered to recognise what equals them.
//!
//! A network that doubles packets lets the second copy wait behind whatever came between, so it may
//! stand far behind the first: the memory is of packets, not of time.

use dissect::{TcpSegment, digest};

/// Packets that are remembered, each at a place given by its numbers; a power of two. What passes
/// in 10 ms at 10 Gbit/s in full frames is 8,000, most of which then find their place still taken
/// by what they equal. (Inferred.)
const REMEMBERED: usize = 1 << 15;

/// The digests of packets, 0 of none.
#[derive(Debug)]
pub(super) struct Copies {
    digests: Box<[u64]>,
}

impl Default for Copies {
    fn default() -> Self {
        Copies {
            digests: vec![0; REMEMBERED].into_boxed_slice(),
        }
    }
}

impl Copies {
    /// Returns whether a packet equals an earlier one in all its numbers. If not, it is remembered.
    #[inline]
    pub fn has(&mut self, segment: &TcpSegment) -> bool {
        let digest = digest(segment);
        let known = &mut self.digests[(digest >> 32) as usize % REMEMBERED];
        std::mem::replace(known, digest) == digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_known_behind_hundreds_of_packets() {
        let mut copies = Copies::default();
        let sent = |seq| TcpSegment {
            seq,
            ..TcpSegment::default()
        };
        assert!((0..500).all(|seq| !copies.has(&sent(seq))));
        let known = (0..500).filter(|&seq| copies.has(&sent(seq))).count();
        assert!(known > 480, "{known} of 500");
    }
}
