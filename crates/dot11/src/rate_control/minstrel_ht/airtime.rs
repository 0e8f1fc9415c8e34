//! What a rate yields and how often it is tried: both follow from what an attempt costs in time.

use phy::Mode;

use super::statistics::{BITS, percent};

/// The micros of an access beside the data, as `minstrel_ht_update_caps` of `rc80211_minstrel_ht.c` has
/// them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overhead {
    /// Of an access as such.
    pub(super) usual: u64,
    /// With an RTS and its CTS.
    pub(super) announced: u64,
}

impl Overhead {
    /// That of an aggregate: an empty frame and an acknowledgment at 6 Mbit/s; RTS and CTS are two more
    /// of the latter.
    pub(super) const AGGREGATE: Overhead = Overhead::of(48, 60);

    /// That of a frame by itself, whose own preamble counts as its own: an acknowledgment, at 1 Mbit/s
    /// with a short preamble where there are frames of DSSS, else at 6 Mbit/s.
    pub(super) const fn of_frame(slowest: Mode) -> Overhead {
        match slowest.is_ofdm() {
            true => Overhead::of(0, 60),
            false => Overhead::of(0, 10 + 96 + 112),
        }
    }

    const fn of(frame: u64, acknowledgment: u64) -> Overhead {
        let usual = frame + acknowledgment;
        Overhead {
            usual,
            announced: usual + 2 * acknowledgment,
        }
    }
}

/// What all tries of one rate may take in micros, and their number.
const SEGMENT: u64 = 6_000;
const MOST_TRIES: u8 = 7;

/// The contention of OFDM, whose halves come between tries.
const SLOT: u64 = 9;
const CW_MIN: u64 = 15;
const CW_MAX: u64 = 1023;

impl Overhead {
    /// Returns what a rate yields in tens of packets a second, one in an access of `aggregate`. Below
    /// 10 % it is nothing, and above 90 % no more than there, so that a slower rate is not kept for its
    /// last losses.
    pub(super) fn throughput(self, nanos: u32, aggregate: u32, probability: u32) -> u32 {
        if probability < percent(10) {
            return 0;
        }
        let probability = u64::from(probability.min(percent(90)));
        let each = 1000 * self.usual / u64::from(aggregate) + u64::from(nanos);
        ((100 * (probability * 1_000_000 / each)) >> BITS) as u32
    }

    /// Returns how often a rate is tried before the next one of a chain, an RTS going before or not.
    pub(super) fn tries(self, nanos: u32, aggregate: u32, probability: u32, announced: bool) -> u8 {
        if probability < percent(20) {
            return 2;
        }
        let overhead = if announced {
            self.announced
        } else {
            self.usual
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
            [1, 2, 4, 16]
                .map(|aggregate| Overhead::AGGREGATE.throughput(nanos, aggregate, probability))
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
            let tries = |announced| Overhead::AGGREGATE.tries(nanos, aggregate, CERTAIN, announced);
            let counts = [false, true].map(tries);
            assert_eq!(counts, expected, "{nanos} ns, {aggregate} in an aggregate");
        }
        let seldom = Overhead::AGGREGATE.tries(MCS_7, 1, percent(19), false);
        assert_eq!(seldom, 2);
    }

    /// Frames by themselves, of 802.11b and g beside 1 Mbit/s and of 802.11a: the sums of the kernel's
    /// macros, worked out by hand.
    #[test]
    fn a_frame_of_802_11b_g_and_a_bears_its_acknowledgment() {
        let [of_b, of_a] = [Mode::DSSS_1, Mode::OFDM_6].map(Overhead::of_frame);
        assert_eq!([of_b.usual, of_b.announced], [218, 654]);
        assert_eq!([of_a.usual, of_a.announced], [60, 180]);
        const AT_1_MBPS: u32 = 9_834_000;
        const AT_11_MBPS: u32 = 1_077_000;
        const AT_54_MBPS: u32 = 212_000;
        assert_eq!(of_b.throughput(AT_1_MBPS, 1, CERTAIN), 8);
        assert_eq!(of_b.throughput(AT_11_MBPS, 1, CERTAIN), 69);
        assert_eq!(of_b.throughput(AT_54_MBPS, 1, CERTAIN), 209);
        assert_eq!(of_a.throughput(AT_54_MBPS, 1, CERTAIN), 330);
        let counts = |overhead: Overhead, nanos| {
            [false, true].map(|announced| overhead.tries(nanos, 1, CERTAIN, announced))
        };
        assert_eq!(counts(of_b, AT_1_MBPS), [2, 2]);
        assert_eq!(counts(of_b, AT_11_MBPS), [3, 3]);
        assert_eq!(counts(of_a, AT_54_MBPS), [5, 5]);
    }
}
