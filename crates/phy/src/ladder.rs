//! The MCS of a format in order, as a rate control steps through them.

use crate::format::{Format, GuardInterval, Width};
use crate::mode::Mode;

const MOST_MCS: usize = Format::He.modulations().len();
const FORMATS: [Format; 3] = [Format::HtMixed, Format::Vht, Format::He];
const STREAMS: usize = 8;
const WIDTHS: usize = Width::ALL.len();
const INTERVALS: usize = GuardInterval::ALL.len();

/// The MCS that the standard allows with one number of streams, one width and one guard interval.
#[derive(Clone, Copy)]
struct McsLadder {
    modes: [Mode; MOST_MCS],
    count: usize,
}

impl McsLadder {
    const fn of(format: Format, streams: u8, width: Width, interval: GuardInterval) -> McsLadder {
        let mut ladder = McsLadder {
            modes: [Mode::DSSS_1; MOST_MCS],
            count: 0,
        };
        let mut mcs = 0;
        while mcs < format.modulations().len() {
            let mode = Mode::new(format, mcs as u8, streams, width, interval);
            if mode.is_allowed() {
                ladder.modes[ladder.count] = mode;
                ladder.count += 1;
            }
            mcs += 1;
        }
        ladder
    }
}

static LADDERS: [McsLadder; FORMATS.len() * STREAMS * WIDTHS * INTERVALS] = {
    let none = McsLadder {
        modes: [Mode::DSSS_1; MOST_MCS],
        count: 0,
    };
    let mut ladders = [none; FORMATS.len() * STREAMS * WIDTHS * INTERVALS];
    let mut at = 0;
    while at < ladders.len() {
        let interval = GuardInterval::ALL[at % INTERVALS];
        let width = Width::ALL[at / INTERVALS % WIDTHS];
        let streams = (at / INTERVALS / WIDTHS % STREAMS) as u8 + 1;
        let format = FORMATS[at / INTERVALS / WIDTHS / STREAMS];
        ladders[at] = McsLadder::of(format, streams, width, interval);
        at += 1;
    }
    ladders
};

impl Mode {
    /// The MCS up to this one, of its format from 802.11n on, streams, width and guard interval, from
    /// the slowest to itself; none if the standard does not allow it.
    pub fn ladder(self) -> &'static [Mode] {
        let Some(format) = FORMATS.iter().position(|&each| each == self.format()) else {
            return &[];
        };
        let streams = usize::from(self.streams()) - 1;
        let width = self.width() as usize;
        let at = ((format * STREAMS + streams) * WIDTHS + width) * INTERVALS
            + self.guard_interval() as usize;
        let McsLadder { modes, count } = &LADDERS[at];
        let place = modes[..*count].iter().position(|&mode| mode == self);
        place.map_or(&[], |place| &modes[..=place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_has_the_allowed_mcs_up_to_the_fastest_asked_for() {
        let mcs = |mode: Mode| -> Vec<u8> { mode.ladder().iter().map(|mode| mode.mcs()).collect() };
        let ht = Mode::ht(11, Width::Mhz40, GuardInterval::Ns400);
        assert_eq!(mcs(ht), [0, 1, 2, 3]);
        assert!(ht.ladder().iter().all(|mode| mode.streams() == 2));
        let three = Mode::new(Format::Vht, 8, 3, Width::Mhz80, GuardInterval::Ns800);
        assert_eq!(mcs(three), [0, 1, 2, 3, 4, 5, 7, 8]);
        let nine = Mode::new(Format::Vht, 9, 1, Width::Mhz20, GuardInterval::Ns800);
        assert!(nine.ladder().is_empty());
        assert!(Mode::ERP_54.ladder().is_empty());
    }
}
