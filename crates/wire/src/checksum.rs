//! The Internet checksum: computed (RFC 1071) and brought along with a change (RFC 1624).

/// A sum of 16-bit words in ones' complement, of which a header carries the complement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnesComplementSum(u64);

impl OnesComplementSum {
    /// Adds bytes, of which the first is the upper half of a word; an odd one at the end is
    /// followed by a zero (RFC 1071 §1).
    #[must_use]
    pub fn with(self, bytes: &[u8]) -> OnesComplementSum {
        let mut words = bytes.chunks_exact(4);
        let mut sum = self.0;
        // 2³² summands of 32 bits would be needed to overflow.
        for word in &mut words {
            sum += u64::from(u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
        }
        let mut last = [0; 4];
        let rest = words.remainder();
        last[..rest.len()].copy_from_slice(rest);
        OnesComplementSum(sum + u64::from(u32::from_be_bytes(last)))
    }

    /// Adds a word.
    #[must_use]
    pub fn with_word(self, word: u16) -> OnesComplementSum {
        OnesComplementSum(self.0 + u64::from(word))
    }

    /// The sum in 16 bits, its carries added to it.
    pub fn folded(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        sum as u16
    }

    /// Returns what a header carries: the complement.
    pub fn checksum(self) -> u16 {
        !self.folded()
    }
}

/// The checksum of what had `checksum` when `old` was where `new` is now (RFC 1624, equation 3).
/// Both begin at the upper half of a word and are equally long.
pub fn updated(checksum: u16, old: &[u8], new: &[u8]) -> u16 {
    let complements = old
        .chunks(2)
        .fold(OnesComplementSum::default(), |sum, word| {
            let word = [word[0], word.get(1).copied().unwrap_or(0)];
            sum.with_word(!u16::from_be_bytes(word))
        });
    complements.with_word(!checksum).with(new).checksum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The example of RFC 1071 §3.
    #[test]
    fn the_sum_is_that_of_the_rfc() {
        let bytes = [0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7];
        assert_eq!(OnesComplementSum::default().with(&bytes).folded(), 0xDDF2);
    }

    /// The example of RFC 1624 §4: equation 2 of RFC 1141 gives the other zero.
    #[test]
    fn a_change_never_ends_at_the_wrong_zero() {
        assert_eq!(updated(0xDD2F, &[0x55, 0x55], &[0x32, 0x85]), 0x0000);
    }

    proptest! {
        #[test]
        fn it_is_the_sum_word_by_word(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let mut sum = 0_u32;
            for word in bytes.chunks(2) {
                let low = word.get(1).copied().unwrap_or(0);
                sum += u32::from(u16::from_be_bytes([word[0], low]));
                sum = (sum & 0xFFFF) + (sum >> 16);
            }
            prop_assert_eq!(u32::from(OnesComplementSum::default().with(&bytes).folded()), sum);
        }

        /// A header is never all zeros, as RFC 1624 §3 takes for granted.
        #[test]
        fn what_is_brought_along_is_what_is_computed_anew(
            mut bytes in prop::collection::vec(any::<u8>(), 12..60),
            at in 1usize..5,
            new: [u8; 2],
        ) {
            bytes[0] = 0x45;
            let before = OnesComplementSum::default().with(&bytes).checksum();
            let old = [bytes[2 * at], bytes[2 * at + 1]];
            bytes[2 * at..2 * at + 2].copy_from_slice(&new);
            let anew = OnesComplementSum::default().with(&bytes).checksum();
            prop_assert_eq!(updated(before, &old, &new), anew);
        }
    }
}
