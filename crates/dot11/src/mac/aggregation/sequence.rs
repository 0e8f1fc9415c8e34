//! Sequence numbers, which count modulo 4096 (IEEE 802.11-2020, 9.2.4.4.2).

const NUMBERS: u16 = 4096;

/// The number so many behind another.
#[inline]
pub(super) fn behind(sequence: u16, count: u16) -> u16 {
    (sequence + count) % NUMBERS
}

/// Returns how far one number is behind another.
#[inline]
pub(super) fn distance(from: u16, to: u16) -> u16 {
    (to + NUMBERS - from) % NUMBERS
}

/// Returns whether a number comes before another: less than half of all are between them.
#[inline]
pub(super) fn is_before(one: u16, other: u16) -> bool {
    distance(one, other) != 0 && distance(one, other) < NUMBERS / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_round() {
        assert_eq!(behind(4090, 10), 4);
        assert_eq!(distance(4090, 4), 10);
        assert!(is_before(4090, 4) && !is_before(4, 4090) && !is_before(4, 4));
    }
}
