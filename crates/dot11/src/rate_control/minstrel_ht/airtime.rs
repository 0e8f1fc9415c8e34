//! What a rate yields and how often it is tried: both follow from what an attempt costs in time.

use super::statistics::{BITS, percent};

/// The micros of an access beside the data, and those with RTS and CTS: an empty frame and an
/// acknowledgment at 6 Mbit/s, and two more such (`rc80211_minstrel_ht.c`).
const OVERHEAD: u64 = 48 + 60;
const OVERHEAD_ANNOUNCED: u64 = OVERHEAD + 2 * 60;

/// What all tries of one rate may take in micros, and their number.
const SEGMENT: u64 = 6_000;
const MOST_TRIES: u8 = 7;

/// The contention of OFDM, whose halves come between tries.
const SLOT: u64 = 9;
const CW_MIN: u64 = 15;
const CW_MAX: u64 = 1023;

/// Returns what a rate yields in tens of packets a second, one in an access of `aggregate`. Below
/// 10 % it is nothing, and above 90 % no more than there, so that a slower rate is not kept for its
/// last losses.
pub(super) fn throughput(nanos: u32, aggregate: u32, probability: u32) -> u32 {
    if probability < percent(10) {
        return 0;
    }
    let probability = u64::from(probability.min(percent(90)));
    let each = 1000 * OVERHEAD / u64::from(aggregate) + u64::from(nanos);
    ((100 * (probability * 1_000_000 / each)) >> BITS) as u32
}

/// Returns how often a rate is tried before the next one of a chain, an RTS going before or not.
pub(super) fn tries(nanos: u32, aggregate: u32, probability: u32, announced: bool) -> u8 {
    if probability < percent(20) {
        return 2;
    }
    let overhead = if announced {
        OVERHEAD_ANNOUNCED
    } else {
        OVERHEAD
    };
    let data = u64::from(nanos) * u64::from(aggregate) / 1000;
    let mut window = CW_MIN;
    let mut contention = || {
        let waits = SLOT * window / 2;
        window = (2 * window + 1).min(CW_MAX);
        waits
    };
    let mut time = 2 * (overhead + data) + contention() + contention();
    for count in 2..MOST_TRIES {
        time += overhead + data + contention();
        if time >= SEGMENT {
            return count;
        }
    }
    MOST_TRIES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_control::minstrel_ht::statistics::CERTAIN;

    const MCS_0: u32 = 1_477_000;
    const MCS_3: u32 = 369_250;
    const MCS_7: u32 = 147_750;

    #[test]
    fn longer_aggregates_spread_the_overhead() {
        let of = |nanos, probability| -> [u32; 4] {
            [1, 2, 4, 16].map(|aggregate| throughput(nanos, aggregate, probability))
        };
        assert_eq!(of(MCS_7, CERTAIN), [351, 446, 514, 582]);
        assert_eq!(of(MCS_7, CERTAIN / 2), [195, 247, 286, 323]);
        assert_eq!(of(MCS_0, CERTAIN), [56, 58, 59, 60]);
        assert_eq!(of(MCS_7, percent(9)), [0; 4]);
        assert_eq!(of(MCS_7, percent(90)), of(MCS_7, CERTAIN));
    }

    #[test]
    fn a_rate_is_tried_as_often_as_six_milliseconds_hold() {
        let vectors = [
            (MCS_0, 1, [3, 3]),
            (MCS_3, 1, [5, 5]),
            (MCS_3, 4, [3, 3]),
            (MCS_3, 16, [2, 2]),
            (MCS_7, 1, [5, 5]),
            (MCS_7, 4, [5, 4]),
            (MCS_7, 16, [2, 2]),
        ];
        for (nanos, aggregate, expected) in vectors {
            let counts = [false, true].map(|announced| tries(nanos, aggregate, CERTAIN, announced));
            assert_eq!(counts, expected, "{nanos} ns, {aggregate} in an aggregate");
        }
        assert_eq!(tries(MCS_7, 1, percent(19), false), 2);
    }
}
