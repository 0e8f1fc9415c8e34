//! In which mode a frame is answered, and what depends on that.

use core::ops::{Index, IndexMut};

use crate::format::Format;
use crate::mode::{Mode, ROWS};

/// The mode of a control frame in answer to a frame: the highest basic rate of the same format not
/// above it; without one, the highest such rate that every station has (IEEE 802.11-2007 §9.6).
///
/// `to` is of a format before 802.11n, or the [`reference`](Mode::reference) of one that is not.
pub fn response(to: Mode, basic_rates: &[Mode]) -> Mode {
    let fits = |answer: &Mode| answer.format() == to.format() && *answer <= to;
    let basic = basic_rates.iter().copied().filter(fits).max();
    let mandatory = || {
        let all = Mode::all_of(to.format());
        all.filter(|answer| fits(answer) && is_mandatory(*answer))
            .max()
    };
    basic.or_else(mandatory).unwrap_or(to)
}

/// Returns whether every device of the standard has a rate of a format before 802.11n (IEEE
/// 802.11-2007 §17.3.8.1, §18.4.3, §19.1.1): all of DSSS and CCK; of OFDM 6, 12 and 24 Mbit/s.
fn is_mandatory(mode: Mode) -> bool {
    !mode.is_ofdm() || matches!(mode.half_mbps(), 12 | 24 | 48)
}

/// The rate of OFDM before 802.11n that stands for each MCS where frames are answered: 6, 12, 18,
/// 24, 36, 48 and from MCS 6 on 54 Mbit/s, as rows of their table (IEEE 802.11-2020, Table 10-10).
const REFERENCES: [u8; 12] = [0, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7, 7];

impl Mode {
    /// Returns what is answered as this mode is, in the OFDM of the same band: itself before
    /// 802.11n, the non-HT reference rate of an MCS (IEEE 802.11-2020, 10.6.11).
    pub const fn reference(self, ofdm: Format) -> Mode {
        match self.format().is_legacy() {
            true => self,
            false => Mode::legacy(ofdm, REFERENCES[self.mcs() as usize]),
        }
    }
}

/// Rates of DSSS and CCK, and of OFDM before 802.11n.
const DSSS_RATES: usize = Format::Dsss.modulations().len();
const OFDM_RATES: usize = Format::Ofdm.modulations().len();

const RATES: usize = DSSS_RATES + OFDM_RATES;

/// A power of two above them, for which a place needs no check.
const PLACES: usize = RATES.next_power_of_two();

/// A value for each of the twelve rates of the formats before 802.11n: whatever depends on how a
/// frame is answered. That of any mode is the one of its [`reference`](Mode::reference).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerRate<T>([T; PLACES]);

impl<T> PerRate<T> {
    /// The value of each rate, of which those of OFDM are of one band.
    pub fn of(ofdm: Format, value: impl FnMut(Mode) -> T) -> PerRate<T> {
        let rate = |number| match number < DSSS_RATES {
            true => Mode::legacy(Format::Dsss, number as u8),
            false => Mode::legacy(ofdm, (number - DSSS_RATES) as u8),
        };
        // What stands behind the rates is never asked for.
        let modes: [Mode; PLACES] = core::array::from_fn(|place| rate(place.min(RATES - 1)));
        PerRate(modes.map(value))
    }

    /// The values of all rates, the slowest of DSSS first and then the slowest of OFDM.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0[..RATES].iter()
    }
}

/// The place of a mode's value.
#[inline]
const fn place(mode: Mode) -> usize {
    PLACE_OF[mode.row() % ROWS] as usize % PLACES
}

/// The places by format and MCS.
static PLACE_OF: [u8; ROWS] = {
    let mut places = [0; ROWS];
    let mut at = 0;
    while at < Format::ALL.len() {
        let format = Format::ALL[at];
        let mut mcs = 0;
        while mcs < format.modulations().len() {
            let row = match format {
                Format::Dsss => mcs,
                Format::ErpOfdm | Format::Ofdm => DSSS_RATES + mcs,
                _ => DSSS_RATES + REFERENCES[mcs] as usize,
            };
            places[Mode::legacy(format, mcs as u8).row()] = row as u8;
            mcs += 1;
        }
        at += 1;
    }
    places
};

impl<T> Index<Mode> for PerRate<T> {
    type Output = T;

    #[inline]
    fn index(&self, mode: Mode) -> &T {
        &self.0[place(mode)]
    }
}

impl<T> IndexMut<Mode> for PerRate<T> {
    #[inline]
    fn index_mut(&mut self, mode: Mode) -> &mut T {
        &mut self.0[place(mode)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{GuardInterval, Width};

    #[test]
    fn no_device_lacks_6_12_and_24_mbit_s_of_ofdm() {
        let mandatory = Mode::all_of(Format::Ofdm).filter(|&mode| is_mandatory(mode));
        let rates: Vec<f64> = mandatory.map(|mode| mode.rate().as_mbps()).collect();
        assert_eq!(rates, [6.0, 12.0, 24.0]);
    }

    /// With 6, 12 and 24 Mbit/s as basic rates (IEEE 802.11-2020, 10.6.6.5.2).
    #[test]
    fn an_mcs_is_answered_as_its_reference_rate() {
        let basic = [Mode::OFDM_6, Mode::OFDM_12, Mode::OFDM_24];
        let answers = (0..8).map(|mcs| {
            let mode = Mode::ht(mcs, Width::Mhz20, GuardInterval::Ns800);
            response(mode.reference(Format::Ofdm), &basic)
                .rate()
                .as_mbps()
        });
        let expected = [6.0, 12.0, 12.0, 24.0, 24.0, 24.0, 24.0, 24.0];
        assert_eq!(answers.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_value_is_that_of_the_reference_rate() {
        let rates = PerRate::of(Format::ErpOfdm, |mode| mode.rate().as_mbps());
        for mode in Mode::all_legacy() {
            assert_eq!(rates[mode], mode.rate().as_mbps());
        }
        let mcs = [0, 5, 7].map(|mcs| Mode::ht(mcs, Width::Mhz40, GuardInterval::Ns400));
        assert_eq!(mcs.map(|mode| rates[mode]), [6.0, 48.0, 54.0]);
    }
}
