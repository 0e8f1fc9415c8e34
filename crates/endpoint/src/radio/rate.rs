//! The rate of frames, as nl80211 tells it (`enum nl80211_rate_info`).

use super::attributes::Attributes;

const BITRATE: u16 = 1;
const HT_INDEX: u16 = 2;
const SHORT_GUARD: u16 = 4;
const BITRATE_32: u16 = 5;
const VHT_MCS: u16 = 6;
const VHT_STREAMS: u16 = 7;
const HE_MCS: u16 = 13;
const HE_STREAMS: u16 = 14;
const HE_GUARD: u16 = 15;
const EHT_MCS: u16 = 19;
const EHT_STREAMS: u16 = 20;
const EHT_GUARD: u16 = 21;
/// Flags of widths, MHz.
const WIDTHS: [(u16, f64); 7] = [
    (18, 320.0),
    (10, 160.0),
    // 80 + 80 MHz carry what 160 MHz do.
    (9, 160.0),
    (8, 80.0),
    (3, 40.0),
    (11, 10.0),
    (12, 5.0),
];
/// The width where no flag stands.
const PLAIN_WIDTH: f64 = 20.0;
/// Units of a bit rate in one Mbit/s.
const TENTHS: f64 = 10.0;
/// Guard intervals of HT and VHT, ns: without and with the flag.
const GUARDS: [f64; 2] = [800.0, 400.0];
/// Guard intervals of HE and EHT by their numbers, ns.
const LONG_GUARDS: [f64; 3] = [800.0, 1600.0, 3200.0];
/// Indices of HT that count streams, eight for each; the one behind them is of its own kind.
const HT_COUNTED: u64 = 32;

/// A rate; nothing stands where the driver told nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rate {
    pub mbps: Option<f64>,
    /// The MCS of each stream.
    pub mcs: Option<f64>,
    pub streams: Option<f64>,
    pub width_mhz: Option<f64>,
    pub guard_interval_ns: Option<f64>,
}

impl Rate {
    /// Reads what is told of a rate.
    pub fn of(told: Attributes<'_>) -> Rate {
        // Sixteen bits do not hold the rates above 6.5 Gbit/s.
        let wide = told.real(BITRATE_32, TENTHS);
        let mbps = wide.or_else(|| told.real(BITRATE, TENTHS));
        let mcs = modulation(told);
        let flag = WIDTHS.iter().find(|(flag, _)| told.has(*flag));
        let width = flag.map(|(_, width)| *width);
        Rate {
            mbps,
            width_mhz: width.or(mcs.map(|_| PLAIN_WIDTH)),
            ..mcs.unwrap_or_default()
        }
    }
}

/// What is told from 802.11n on.
fn modulation(told: Attributes<'_>) -> Option<Rate> {
    for (mcs, streams, guard) in [
        (EHT_MCS, EHT_STREAMS, EHT_GUARD),
        (HE_MCS, HE_STREAMS, HE_GUARD),
    ] {
        if told.has(mcs) {
            let guard = told.number(guard);
            let guard = guard.and_then(|number| LONG_GUARDS.get(number as usize).copied());
            return Some(Rate {
                mcs: told.real(mcs, 1.0),
                streams: told.real(streams, 1.0),
                guard_interval_ns: guard,
                ..Rate::default()
            });
        }
    }
    let guard_interval_ns = Some(GUARDS[usize::from(told.has(SHORT_GUARD))]);
    if told.has(VHT_MCS) {
        return Some(Rate {
            mcs: told.real(VHT_MCS, 1.0),
            streams: told.real(VHT_STREAMS, 1.0),
            guard_interval_ns,
            ..Rate::default()
        });
    }
    let index = told.number(HT_INDEX)?;
    let (mcs, streams) = match index {
        ..HT_COUNTED => (index % 8, index / 8 + 1),
        _ => (index, 1),
    };
    Some(Rate {
        mcs: Some(mcs as f64),
        streams: Some(streams as f64),
        guard_interval_ns,
        ..Rate::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::attributes::write;
    use super::*;

    fn rate(told: &[(u16, &[u8])]) -> Rate {
        Rate::of(Attributes(&write(&[], told)))
    }

    fn told(mbps: f64, mcs: u8, streams: u8, width_mhz: f64, guard_interval_ns: f64) -> Rate {
        Rate {
            mbps: Some(mbps),
            mcs: Some(mcs.into()),
            streams: Some(streams.into()),
            width_mhz: Some(width_mhz),
            guard_interval_ns: Some(guard_interval_ns),
        }
    }

    #[test]
    fn an_index_of_ht_counts_streams_and_the_mcs_of_each() {
        // Two streams of MCS 5 over 40 MHz with the short guard interval: 240 Mbit/s.
        let found = rate(&[
            (BITRATE, &2400_u16.to_ne_bytes()),
            (BITRATE_32, &2400_u32.to_ne_bytes()),
            (HT_INDEX, &[13]),
            (3, &[]),
            (SHORT_GUARD, &[]),
        ]);
        assert_eq!(found, told(240.0, 5, 2, 40.0, 400.0));
    }

    #[test]
    fn every_generation_has_its_own_attributes() {
        let vht = rate(&[
            (BITRATE_32, &8667_u32.to_ne_bytes()),
            (VHT_MCS, &[9]),
            (VHT_STREAMS, &[2]),
            (8, &[]),
            (SHORT_GUARD, &[]),
        ]);
        assert_eq!(vht, told(866.7, 9, 2, 80.0, 400.0));
        let he = rate(&[
            (BITRATE_32, &12010_u32.to_ne_bytes()),
            (HE_MCS, &[11]),
            (HE_STREAMS, &[2]),
            (HE_GUARD, &[0]),
            (8, &[]),
        ]);
        assert_eq!(he, told(1201.0, 11, 2, 80.0, 800.0));
        let eht = rate(&[
            // Above what sixteen bits hold.
            (BITRATE_32, &115_294_u32.to_ne_bytes()),
            (EHT_MCS, &[13]),
            (EHT_STREAMS, &[4]),
            (EHT_GUARD, &[0]),
            (18, &[]),
        ]);
        assert_eq!(eht, told(11_529.4, 13, 4, 320.0, 800.0));
    }

    #[test]
    fn a_rate_of_before_802_11n_has_no_mcs() {
        let found = rate(&[(BITRATE, &540_u16.to_ne_bytes())]);
        let expected = Rate {
            mbps: Some(54.0),
            ..Rate::default()
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn what_nobody_here_knows_is_passed_over() {
        // An attribute of S1G, one of tomorrow, and a guard interval without a name.
        let found = rate(&[
            (23, &[3]),
            (99, &[1, 2, 3, 4, 5]),
            (HE_MCS, &[7]),
            (HE_GUARD, &[9]),
        ]);
        assert_eq!((found.mcs, found.streams), (Some(7.0), None));
        assert_eq!((found.mbps, found.guard_interval_ns), (None, None));
        assert_eq!(rate(&[]), Rate::default());
    }
}
