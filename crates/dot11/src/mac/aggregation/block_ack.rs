//! What a BlockAck says (IEEE 802.11-2020, 9.3.1.8).

use super::sequence::distance;

/// Which MPDUs have come, from a starting sequence number on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockAck {
    /// The starting sequence number.
    pub start: u16,
    bitmap: [u64; WORDS],
}

/// BA and BAR Control: the compressed variant, acknowledged at once, of best effort.
const COMPRESSED: u16 = 2 << 1;

/// The length of a body with a bitmap of 64 bits, and how the fragment number says that it has 256.
const SHORT_BODY: u16 = 12;
const LONG_BITMAP: u16 = 2 << 1;

const WORDS: usize = BlockAck::LONGEST as usize / 64;

impl BlockAck {
    /// The most MPDUs that one speaks of.
    pub const LONGEST: u16 = 256;

    /// What stands around the body of a BlockAck: frame control, duration, two addresses, FCS.
    pub(super) const AROUND_BODY_BYTES: u16 = 2 + 2 + 6 + 6 + 4;

    /// The length of a BlockAckReq's body.
    pub(super) const REQUEST_BODY_BYTES: u16 = 4;

    /// One that says of so many numbers from `start` on what `has_come` says of each.
    pub(super) fn new(start: u16, count: u16, has_come: impl Fn(u16) -> bool) -> BlockAck {
        let mut bitmap = [0; WORDS];
        for at in (0..count.min(BlockAck::LONGEST)).filter(|&at| has_come(at)) {
            bitmap[usize::from(at / 64)] |= 1 << (at % 64);
        }
        BlockAck { start, bitmap }
    }

    /// Returns whether the MPDU of a number has come.
    #[inline]
    pub fn has(&self, sequence: u16) -> bool {
        let at = distance(self.start, sequence);
        at < BlockAck::LONGEST && self.bitmap[usize::from(at / 64)] >> (at % 64) & 1 == 1
    }

    /// The body of a BlockAck so long: BA Control of the compressed variant, Block Ack Starting
    /// Sequence Control, bitmap (IEEE 802.11-2020, 9.3.1.8.2).
    pub fn body(&self, bytes: u16) -> Vec<u8> {
        let long_bitmap = if bytes > SHORT_BODY { LONG_BITMAP } else { 0 };
        let control = [COMPRESSED, (self.start << 4) | long_bitmap].map(u16::to_le_bytes);
        let bitmap = self.bitmap.into_iter().flat_map(u64::to_le_bytes);
        let body = control.into_iter().flatten().chain(bitmap);
        body.take(usize::from(bytes)).collect()
    }

    /// The body of a BlockAckReq: BAR Control, Block Ack Starting Sequence Control
    /// (IEEE 802.11-2020, 9.3.1.7.2).
    pub fn request_body(start: u16) -> Vec<u8> {
        let control = [COMPRESSED, start << 4].map(u16::to_le_bytes);
        control.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_stands_for_a_number_behind_the_start() {
        let of = BlockAck::new(4095, 64, |at| at % 2 == 1);
        assert!(of.has(0) && !of.has(1) && of.has(2) && !of.has(4095));
        assert!(!of.has(4095 - 1), "it says nothing of numbers before it");
    }

    #[test]
    fn a_body_is_as_the_standard_has_it() {
        let of = BlockAck::new(5, 64, |at| at == 0 || at == 9);
        assert_eq!(
            of.body(12),
            [0x04, 0x00, 0x50, 0x00, 0x01, 0x02, 0, 0, 0, 0, 0, 0]
        );
        assert_eq!(of.body(36)[..5], [0x04, 0x00, 0x54, 0x00, 0x01]);
        assert_eq!(BlockAck::request_body(4095), [0x04, 0x00, 0xf0, 0xff]);
    }
}
