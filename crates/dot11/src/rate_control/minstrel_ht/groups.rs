//! The rates, in groups of one number of streams, one guard interval and one width each.

use core::ops::Range;

use phy::{GuardInterval, Mode, Width};

use super::airtime::Overhead;

/// What the time of a rate is the time of: packets of so many bytes in an aggregate of so many.
const PACKET_BYTES: u64 = 1200;
const AGGREGATE_PACKETS: u64 = 16;

/// Bytes that a frame by itself has beside.
const FCS_BYTES: u64 = 4;

const INTERVALS: [GuardInterval; 4] = [
    GuardInterval::Ns3200,
    GuardInterval::Ns1600,
    GuardInterval::Ns800,
    GuardInterval::Ns400,
];

/// The rates that share streams, guard interval and width, from the slowest to the fastest.
#[derive(Clone, Debug)]
pub(super) struct RateGroup {
    pub(super) streams: u8,
    pub(super) rates: Range<usize>,
}

/// All rates of a radio by number, those of a group side by side, the narrowest channel first.
#[derive(Clone, Debug)]
pub(in crate::rate_control) struct Rates {
    pub(super) modes: Vec<Mode>,
    /// Time that one packet takes: of the data symbols of an aggregate, or as a frame by itself.
    pub(super) nanos: Vec<u32>,
    pub(super) groups: Vec<RateGroup>,
    /// Cost of an access beside.
    pub(super) overhead: Overhead,
}

impl Rates {
    /// Returns what a radio whose highest mode this is may send: no more streams, no wider channel,
    /// no shorter guard interval, no higher MCS.
    pub(super) fn up_to(highest: Mode) -> Rates {
        let mut rates = Rates {
            modes: Vec::new(),
            nanos: Vec::new(),
            groups: Vec::new(),
            overhead: Overhead::AGGREGATE,
        };
        let widths = Width::ALL.into_iter();
        for width in widths.filter(|&width| width <= highest.width()) {
            let intervals = INTERVALS.into_iter();
            for interval in intervals.filter(|&interval| interval >= highest.guard_interval()) {
                for streams in 1..=highest.streams() {
                    rates.add_group(highest, streams, width, interval);
                }
            }
        }
        rates
    }

    fn add_group(&mut self, highest: Mode, streams: u8, width: Width, interval: GuardInterval) {
        let first = self.modes.len();
        let of = |mcs| Mode::new(highest.format(), mcs, streams, width, interval);
        let allowed = (0..=highest.mcs()).map(of).filter(|mode| mode.is_allowed());
        self.modes.extend(allowed);
        self.nanos
            .extend(self.modes[first..].iter().map(packet_nanos));
        let rates = first..self.modes.len();
        if !rates.is_empty() {
            self.groups.push(RateGroup { streams, rates });
        }
    }

    /// The rates of a radio of 802.11b, g or a, the slowest first: those of DSSS and CCK, and those of
    /// OFDM.
    pub(in crate::rate_control) fn legacy(modes: &[Mode]) -> Rates {
        let of = |is_ofdm| {
            let mine = modes.iter().copied();
            mine.filter(move |mode| mode.is_ofdm() == is_ofdm)
        };
        let mut rates = Rates {
            modes: of(false).chain(of(true)).collect(),
            nanos: of(false).chain(of(true)).map(frame_nanos).collect(),
            groups: Vec::new(),
            overhead: Overhead::of_frame(modes[0]),
        };
        let dsss = of(false).count();
        for rates_of_group in [0..dsss, dsss..modes.len()] {
            if !rates_of_group.is_empty() {
                rates.groups.push(RateGroup {
                    streams: 1,
                    rates: rates_of_group,
                });
            }
        }
        rates
    }

    /// The group of a rate.
    pub(super) fn group_of(&self, rate: usize) -> usize {
        self.groups.partition_point(|group| group.rates.end <= rate)
    }

    /// The first rate of a group that takes less than a time.
    pub(super) fn first_below(&self, group: usize, nanos: u32) -> Option<usize> {
        let mut rates = self.groups[group].rates.clone();
        rates.find(|&rate| self.nanos[rate] < nanos)
    }
}

/// The data symbols of the whole aggregate, in full ones, shared by its packets.
fn packet_nanos(mode: &Mode) -> u32 {
    let bits = 8 * PACKET_BYTES * AGGREGATE_PACKETS;
    let symbols = bits.div_ceil(mode.data_bits());
    (symbols * mode.symbol_nanos() / AGGREGATE_PACKETS) as u32
}

/// A SIFS, and a frame with its FCS behind a long preamble or that of OFDM, whose symbols are rounded
/// down (the macros `CCK_DURATION` and `OFDM_DURATION` of `rc80211_minstrel_ht.c`).
fn frame_nanos(mode: Mode) -> u32 {
    let bits = 8 * (PACKET_BYTES + FCS_BYTES);
    let rate = mode.rate().as_bps();
    let micros = match mode.is_ofdm() {
        true => 16 + 20 + 4 * ((16 + 10 * bits + 6) * 1_000_000 / (40 * rate)),
        false => 10 + 192 + bits * 1_000_000 / rate,
    };
    1000 * micros as u32
}

#[cfg(test)]
mod tests {
    use phy::{ERP_MODES, Format, OFDM_MODES};

    use super::*;

    /// One stream in 20 MHz; MCS 9, which the standard does not have there, too, as Linux has its time.
    #[test]
    fn a_packet_takes_its_share_of_the_symbols_of_an_aggregate() {
        let highest = Mode::new(Format::Vht, 8, 1, Width::Mhz20, GuardInterval::Ns800);
        let nanos = [
            1_477_000, 738_500, 492_500, 369_250, 246_250, 184_750, 164_250, 147_750, 123_250,
        ];
        assert_eq!(Rates::up_to(highest).nanos, nanos);
        let nine = Mode::new(Format::Vht, 9, 1, Width::Mhz20, GuardInterval::Ns800);
        assert_eq!(packet_nanos(&nine), 111_000);
    }

    #[test]
    fn groups_go_up_to_what_the_radio_has() {
        let of = |highest: Mode| -> Vec<(u16, u64, u8, usize)> {
            let rates = Rates::up_to(highest);
            let groups = rates.groups.iter().map(|group| {
                let mode = rates.modes[group.rates.start];
                let (width, guard) = (mode.width().mhz(), mode.guard_interval().nanos());
                (width, guard, group.streams, group.rates.len())
            });
            groups.collect()
        };
        let ht = Mode::ht(15, Width::Mhz40, GuardInterval::Ns400);
        let expected = [20, 40].into_iter().flat_map(|width| {
            [(800, 1), (800, 2), (400, 1), (400, 2)]
                .map(|(guard, streams)| (width, guard, streams, 8))
        });
        assert_eq!(of(ht), expected.collect::<Vec<_>>());
        // MCS 9 needs three streams in 20 MHz.
        let vht = Mode::new(Format::Vht, 9, 3, Width::Mhz20, GuardInterval::Ns800);
        let expected = [(20, 800, 1, 9), (20, 800, 2, 9), (20, 800, 3, 10)];
        assert_eq!(of(vht), expected);
        let ht = Mode::ht(3, Width::Mhz20, GuardInterval::Ns800);
        assert_eq!(of(ht), [(20, 800, 1, 4)]);
    }

    #[test]
    fn a_rate_has_its_group() {
        let rates = Rates::up_to(Mode::ht(15, Width::Mhz20, GuardInterval::Ns400));
        for (place, group) in rates.groups.iter().enumerate() {
            assert!(
                group
                    .rates
                    .clone()
                    .all(|rate| rates.group_of(rate) == place)
            );
        }
        assert_eq!(rates.first_below(1, 147_750), Some(12));
        assert_eq!(rates.first_below(0, 147_750), None);
    }

    /// The sums of the kernel's macros, worked out by hand: 1204 bytes at 1 Mbit/s are 9632 us behind 202.
    #[test]
    fn frames_of_802_11b_g_and_a_last_as_in_linux() {
        let micros = |modes| -> Vec<u32> {
            let nanos = Rates::legacy(modes).nanos;
            nanos.into_iter().map(|nanos| nanos / 1000).collect()
        };
        let of_cck = [9834, 5018, 1953, 1077];
        let of_ofdm = [1640, 1104, 836, 568, 436, 300, 236, 212];
        assert_eq!(micros(OFDM_MODES), of_ofdm);
        assert_eq!(micros(ERP_MODES), [of_cck.as_slice(), &of_ofdm].concat());
        let groups = Rates::legacy(ERP_MODES).groups.into_iter();
        let ranges: Vec<_> = groups.map(|group| group.rates).collect();
        assert_eq!(ranges, [0..4, 4..12]);
    }
}
