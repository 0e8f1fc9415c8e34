//! The frame check sequence, where the capture keeps it: what a radio let pass without a word.

use flate2::Crc;

use super::super::{PacketPart, RadioReception};

/// Checks the sequences of a capture's frames.
///
/// Some drivers hand wrong frames on without the flag for it; others write zeros, or leave what
/// was in the buffer, where the sequence should be. So a wrong one speaks against its frame only
/// if most before it were right. (Inferred.)
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sequences {
    right: u64,
    wrong: u64,
}

impl Sequences {
    /// Returns whether a frame was received with errors, as far as that can be told. The sequence
    /// is the CRC-32 of header and body (9.2.4.8), least significant byte first.
    #[inline]
    pub fn tell_against(&mut self, frame: PacketPart<'_>, radio: &RadioReception) -> bool {
        // What pads the header was never on the air, and not summed.
        if frame.missing > 0 || !radio.has_fcs || radio.is_padded {
            return false;
        }
        self.check(frame.bytes)
    }

    #[inline(never)]
    fn check(&mut self, frame: &[u8]) -> bool {
        let Some((summed, sequence)) = frame.split_last_chunk() else {
            return false;
        };
        let mut crc = Crc::new();
        crc.update(summed);
        if crc.sum() == u32::from_le_bytes(*sequence) {
            self.right += 1;
            return false;
        }
        self.wrong += 1;
        self.right >= self.wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-32, as catalogues give it, behind the digits that it is of.
    const RIGHT: [u8; 13] = *b"123456789\x26\x39\xF4\xCB";
    const WRONG: [u8; 13] = *b"103456789\x26\x39\xF4\xCB";

    fn told(sequences: &mut Sequences, bytes: &[u8]) -> bool {
        let radio = RadioReception {
            has_fcs: true,
            ..RadioReception::default()
        };
        sequences.tell_against(PacketPart { bytes, missing: 0 }, &radio)
    }

    #[test]
    fn a_wrong_sequence_among_right_ones_tells_against_its_frame() {
        let mut sequences = Sequences::default();
        assert!(!told(&mut sequences, &RIGHT));
        assert!(told(&mut sequences, &WRONG));
        assert!(!told(&mut sequences, &RIGHT));
    }

    /// A simulator's sniffer, say, which has no sequence to write.
    #[test]
    fn where_none_is_right_the_capture_has_no_sequences() {
        let mut sequences = Sequences::default();
        for _ in 0..100 {
            assert!(!told(&mut sequences, &WRONG));
        }
    }

    #[test]
    fn what_is_cut_or_padded_cannot_be_checked() {
        let mut sequences = Sequences::default();
        assert!(!told(&mut sequences, &RIGHT));
        let cut = PacketPart {
            bytes: &WRONG,
            missing: 1,
        };
        let has_fcs = RadioReception {
            has_fcs: true,
            ..RadioReception::default()
        };
        let padded = RadioReception {
            is_padded: true,
            ..has_fcs
        };
        let whole = PacketPart {
            bytes: &WRONG,
            missing: 0,
        };
        assert!(!sequences.tell_against(cut, &has_fcs));
        assert!(!sequences.tell_against(whole, &padded));
        assert!(!sequences.tell_against(whole, &RadioReception::default()));
        assert!(!told(&mut sequences, &[1, 2, 3]), "shorter than a sequence");
    }
}
