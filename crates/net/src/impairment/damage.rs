//! Damage: what is wrong with a frame that goes on, and what its checksums tell of it.

use std::ops::BitOrAssign;

/// Damage of a frame, by who notices. Nothing is wrong where nobody does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage(u8);

impl Damage {
    /// Nothing that anybody notices.
    pub const NONE: Damage = Damage(0);
    /// A wrong frame check sequence: the next device drops the frame (IEEE 802.3-2018 clause
    /// 4.2.4.1.2).
    pub const FCS: Damage = Damage(1);
    /// A wrong destination address, which is nobody's: of the 2⁴⁸ there are, hardly one that
    /// differs in few bits is in use at the same place. The next device has no use for the frame.
    pub const ADDRESS: Damage = Damage(2);
    /// A wrong Ethernet type, or an ARP packet that makes no sense: whoever takes frames off the
    /// link finds no packet that it knows.
    pub const TYPE: Damage = Damage(4);
    /// The checksum of the IP header does not hold: the next machine that speaks IP discards the
    /// packet (RFC 1122 §3.2.1.2, RFC 1812 §5.2.2).
    pub const IP_HEADER: Damage = Damage(8);
    /// The checksum of TCP, UDP or ICMP does not hold: the machine that the packet is for discards
    /// it (RFC 1122 §4.2.2.7, §4.1.3.4).
    pub const SEGMENT: Damage = Damage(16);

    /// Returns whether nobody notices.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns whether any of this is wrong.
    #[inline]
    pub const fn any_of(self, other: Damage) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOrAssign for Damage {
    #[inline]
    fn bitor_assign(&mut self, other: Damage) {
        self.0 |= other.0;
    }
}

/// By how much flipped bits change the sum of 16-bit words that the checksums of IP, TCP, UDP and
/// ICMP hold the complement of (RFC 1071).
#[derive(Clone, Copy, Debug, Default)]
pub struct SumChange(i64);

impl SumChange {
    /// The bit at a place, counted from the first of the summed bytes, turns to one or to zero.
    pub fn flip(&mut self, place: u64, to_one: bool) {
        let weight = 1 << (15 - place % 16);
        self.0 += if to_one { weight } else { -weight };
    }

    /// Returns whether the sum is another one: ones' complement sums are equal modulo 2¹⁶ − 1.
    pub fn shows(self) -> bool {
        self.0 % 0xFFFF != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(flips: &[(u64, bool)]) -> bool {
        let mut change = SumChange::default();
        flips
            .iter()
            .for_each(|&(place, to_one)| change.flip(place, to_one));
        change.shows()
    }

    #[test]
    fn a_single_flipped_bit_always_shows() {
        assert!((0..16).all(|place| shows(&[(place, true)]) && shows(&[(place, false)])));
    }

    #[test]
    fn two_flips_cancel_in_one_place_of_two_words_if_they_go_opposite_ways() {
        assert!(!shows(&[(3, true), (35, false)]));
        assert!(shows(&[(3, true), (35, true)]));
        assert!(shows(&[(3, true), (36, false)]));
    }

    #[test]
    fn a_carry_out_of_the_first_place_comes_back_into_the_last() {
        assert!(!shows(&[(0, true), (16, true), (15, false)]), "2 × 2¹⁵ − 1");
    }
}
