//! Sequence numbers as they stand on the wire.

use core::ops::{Add, AddAssign};

/// A 32-bit sequence number.
///
/// Sequence numbers go round, so "less than" has no meaning for two of them and the type
/// deliberately has no order. Inside the endpoint positions are 64-bit offsets from the
/// initial sequence number, which never wrap and can be compared; [`Seq::unwrap`] and
/// [`Seq::at`] stand at the border between the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seq(pub u32);

impl Seq {
    /// The sequence number of the byte `offset` places after `self` (the initial one).
    #[inline]
    pub const fn at(self, offset: u64) -> Seq {
        Seq(self.0.wrapping_add(offset as u32))
    }

    /// Returns how far `self` lies ahead of `earlier`, going forward round the circle.
    #[inline]
    pub const fn since(self, earlier: Seq) -> u32 {
        self.0.wrapping_sub(earlier.0)
    }

    /// The offset from `initial` that has this sequence number and lies within 2³¹ of
    /// `near`; `None` if that would be before the initial sequence number.
    #[inline]
    pub const fn unwrap(self, initial: Seq, near: u64) -> Option<u64> {
        let ahead = self.since(initial.at(near)) as i32;
        near.checked_add_signed(ahead as i64)
    }
}

impl Add<u32> for Seq {
    type Output = Seq;
    #[inline]
    fn add(self, bytes: u32) -> Seq {
        Seq(self.0.wrapping_add(bytes))
    }
}

impl AddAssign<u32> for Seq {
    #[inline]
    fn add_assign(&mut self, bytes: u32) {
        *self = *self + bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_is_unwrapped_next_to_what_is_expected() {
        let initial = Seq(0xffff_fff0);
        assert_eq!(Seq(0x10).unwrap(initial, 0x18), Some(0x20));
        let second_lap = (1 << 32) + 0x20;
        assert_eq!(initial.at(second_lap), Seq(0x10));
        assert_eq!(Seq(0x10).unwrap(initial, second_lap - 5), Some(second_lap));
        assert_eq!(Seq(0x10).unwrap(initial, second_lap + 5), Some(second_lap));
    }

    #[test]
    fn nothing_lies_before_the_initial_sequence_number() {
        assert_eq!(Seq(99).unwrap(Seq(100), 3), None);
        assert_eq!(Seq(100).unwrap(Seq(100), 3), Some(0));
    }

    #[test]
    fn sums_go_round() {
        assert_eq!(Seq(u32::MAX) + 2, Seq(1));
        assert_eq!(Seq(1).since(Seq(u32::MAX)), 2);
    }
}
