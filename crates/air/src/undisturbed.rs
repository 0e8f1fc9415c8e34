//! What is made of a frame that nothing lies under, by what is known of its power.

use dot11::Frame;
use phy::{Curve, ErrorModel, Section, TxVector};
use units::Milliwatts;

use crate::budget::PowerBounds;
use crate::errors::{certain_from, doubtful_below, ln_success_per_bit, sinr, turn};
use crate::reception::{ReceptionOutcome, by_a_draw, is_hopeless};
use crate::stations::{ReceptionRandom, Rewindable};

/// A frame that nothing lies under, in a noise that stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Undisturbed {
    header: FramePart,
    mpdu: FramePart,
    noise: Milliwatts,
}

/// A part of a frame that arrives as a whole or not.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FramePart {
    curves: [Curve; 2],
    bits: [f64; 2],
    /// The power from which on it surely arrives.
    certain_from: Milliwatts,
    /// The power below which it may be lost.
    doubtful_below: Milliwatts,
    /// The power from which on it arrives with a probability of [`LIKELY`] at least.
    likely_from: Milliwatts,
    /// The power below which it never arrives.
    hopeless_below: Milliwatts,
}

/// Draws below this need no look at how likely exactly a part is. It decides how often one looks,
/// and nothing else.
const LIKELY: f64 = 0.99;

impl FramePart {
    fn of([one, other]: [&Section; 2], noise: Milliwatts) -> FramePart {
        /// Floats that should be equal are not always.
        const SAFE: f64 = 1.0 + 1e-9;
        // Each of two sections may lose half of what may be lost.
        let is_unlikely = |ln_success| ln_success < 0.49 * (LIKELY - 1.0);
        let highest = |ratio: &dyn Fn(&Section) -> f64| {
            let has_bits = |section: &&Section| section.bits > 0.0;
            let ratios = [one, other].into_iter().filter(has_bits).map(ratio);
            ratios.fold(0.0, f64::max)
        };
        let certain = highest(&|section| certain_from(section.curve));
        let doubtful = highest(&|section| doubtful_below(section.curve));
        let hopeless = highest(&|section| turn(section.curve, section.bits, is_hopeless)[0]);
        let likely = highest(&|section| turn(section.curve, section.bits, is_unlikely)[1]);
        FramePart {
            curves: [one.curve, other.curve],
            bits: [one.bits, other.bits],
            certain_from: Milliwatts(SAFE * certain * noise.0),
            doubtful_below: Milliwatts(doubtful * noise.0 / SAFE),
            likely_from: Milliwatts(SAFE * likely * noise.0),
            hopeless_below: Milliwatts(hopeless * noise.0 / SAFE),
        }
    }

    /// Returns whether it arrives at a power between two, if that can be told.
    #[inline]
    fn arrives(
        &self,
        [least, most]: PowerBounds,
        noise: Milliwatts,
        random: &mut Rewindable<'_, impl ReceptionRandom>,
    ) -> Option<bool> {
        match () {
            () if least >= self.certain_from => Some(true),
            () if most < self.hopeless_below => Some(false),
            // One that is exact has better ways, and next to certainty there may be no draw.
            () if least == most || most >= self.doubtful_below => None,
            () if least >= self.likely_from => {
                let is_within = random.unit() < LIKELY;
                is_within.then_some(true).or_else(|| {
                    random.put_back();
                    self.arrives_by_a_draw([least, most], noise, random)
                })
            }
            () => self.arrives_by_a_draw([least, most], noise, random),
        }
    }

    fn arrives_by_a_draw(
        &self,
        [least, most]: PowerBounds,
        noise: Milliwatts,
        random: &mut Rewindable<'_, impl ReceptionRandom>,
    ) -> Option<bool> {
        let ln_success = |power| self.ln_success(power, noise);
        by_a_draw(ln_success(least), || ln_success(most), random)
    }

    fn ln_success(&self, signal: Milliwatts, noise: Milliwatts) -> f64 {
        let sections = self
            .curves
            .iter()
            .zip(self.bits)
            .filter(|&(_, bits)| bits > 0.0);
        let each = sections.map(|(&curve, bits)| {
            let ratio = sinr(curve, signal, Milliwatts::ZERO, noise);
            bits * ln_success_per_bit(curve, ratio)
        });
        each.sum()
    }
}

impl Undisturbed {
    /// A frame of these sections, the last one its MPDU.
    fn of(sections: &[Section; 3], noise: Milliwatts) -> Undisturbed {
        let [preamble, header, mpdu] = sections;
        let nothing = Section { bits: 0.0, ..*mpdu };
        Undisturbed {
            header: FramePart::of([preamble, header], noise),
            mpdu: FramePart::of([mpdu, &nothing], noise),
            noise,
        }
    }

    /// Returns what is made of it at a power between two, if that takes no draw.
    #[inline]
    pub fn surely(&self, [least, most]: PowerBounds) -> Option<ReceptionOutcome> {
        match () {
            () if most < self.header.hopeless_below => Some(ReceptionOutcome::Noise),
            () if least < self.header.certain_from => None,
            () if most < self.mpdu.hopeless_below => Some(ReceptionOutcome::Header),
            () => (least >= self.mpdu.certain_from).then_some(ReceptionOutcome::Frame),
        }
    }

    /// Returns what is made of it at a power between two, if that can be told without knowing the
    /// power. It takes the draws that it would take at any of them.
    #[inline]
    pub fn heard(
        &self,
        power: PowerBounds,
        random: &mut Rewindable<'_, impl ReceptionRandom>,
    ) -> Option<ReceptionOutcome> {
        if !self.header.arrives(power, self.noise, random)? {
            return Some(ReceptionOutcome::Noise);
        }
        let arrives = self.mpdu.arrives(power, self.noise, random)?;
        Some(if arrives {
            ReceptionOutcome::Frame
        } else {
            ReceptionOutcome::Header
        })
    }
}

/// What frames have in common about which the same is known.
type FrameShape = (TxVector, u16);

/// Shapes of frames that have been asked for; of those that share a place, the last one.
#[derive(Debug)]
pub struct Shapes {
    noise: Milliwatts,
    model: ErrorModel,
    places: Vec<Option<(FrameShape, Undisturbed)>>,
}

impl Shapes {
    /// As many as the sizes and modes of a cell's frames, and more.
    const PLACES: usize = 256;

    /// How far apart sizes are that differ by a byte: odd, so that all places are used, and more
    /// than any format has rates.
    const SPREAD: usize = 21;

    /// None, in this noise and by this model.
    pub fn none(noise: Milliwatts, model: ErrorModel) -> Shapes {
        Shapes {
            noise,
            model,
            places: vec![None; Shapes::PLACES],
        }
    }

    /// Returns what is known of a frame.
    pub fn of(&mut self, frame: &Frame) -> &Undisturbed {
        let shape = (frame.vector, frame.bytes);
        let [mcs, bytes] = [usize::from(frame.mode().mcs()), usize::from(frame.bytes)];
        let at = (Shapes::SPREAD * bytes + mcs) % Shapes::PLACES;
        let place = &mut self.places[at];
        if place.is_none_or(|(known, _)| known != shape) {
            *place = None;
        }
        let known = place.get_or_insert_with(|| {
            let sections = frame.sections(self.model);
            (shape, Undisturbed::of(&sections, self.noise))
        });
        &known.1
    }
}

#[cfg(test)]
pub mod tests {
    use phy::Mode;
    use proptest::prelude::*;
    use units::{Db, Time};

    use super::*;
    use crate::reception::{Chances, ReceivedFrame, Stretch};
    use crate::tests::ears::frame;

    const NOISE: Milliwatts = Milliwatts(1.0);

    /// Draws one after the other, the first again and again.
    #[derive(Clone, Default)]
    pub struct Few {
        pub units: Vec<f64>,
        pub taken: usize,
    }

    impl ReceptionRandom for Few {
        fn unit(&mut self) -> f64 {
            self.taken += 1;
            self.units[(self.taken - 1) % self.units.len()]
        }
    }

    pub fn sized(mode: Mode, bytes: u16) -> Frame {
        let frame = frame(0, mode);
        Frame { bytes, ..frame }
    }

    /// Returns what is made of a frame whose power is known, and how many draws that takes.
    fn worked_out(frame: &Frame, signal: Milliwatts, mut random: Few) -> (ReceptionOutcome, usize) {
        let end = Time::ZERO + frame.airtime();
        let received = ReceivedFrame {
            sections: &frame.sections(ErrorModel::Nist),
            start: Time::ZERO,
            signal,
            stretches: &[Stretch::new(end, Milliwatts::ZERO, NOISE)],
        };
        let heard = Chances::new(&received).heard(|| received.ln_success(false), &mut random);
        (heard, random.taken)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn what_is_told_without_knowing_the_power_is_so_at_any_with_the_same_draws(
            mode in prop::sample::select(Mode::all_legacy().collect::<Vec<_>>()),
            bytes in 14..2346_u16,
            decibels in -30.0..35.0_f64,
            deviation in 0.0..1.5_f64,
            units in prop::collection::vec(prop_oneof![0.0..1.0_f64, 0.0..1e-6_f64, 0.99..1.0_f64], 2),
        ) {
            let frame = sized(mode, bytes);
            let powers = [decibels, decibels + deviation / 2.0, decibels + deviation];
            let powers = powers.map(|decibels| Milliwatts(Db(decibels).ratio()));
            let few = Few { units, taken: 0 };
            let mut random = few.clone();
            let mut shapes = Shapes::none(NOISE, ErrorModel::Nist);
            let mut draws = Rewindable::new(&mut random);
            let bounds = [powers[0], powers[2]];
            let surely = shapes.of(&frame).surely(bounds);
            if let Some(heard) = shapes.of(&frame).heard(bounds, &mut draws) {
                prop_assert_eq!(surely.is_some(), random.taken == 0);
                prop_assert!(surely.is_none_or(|surely| surely == heard));
                for power in powers {
                    let worked_out = worked_out(&frame, power, few.clone());
                    prop_assert_eq!(worked_out, (heard, random.taken));
                }
            }
        }
    }

    /// 802.11g at 54 Mbit/s with 30, 20 and 23 dB, and 23 dB give or take a bit.
    #[test]
    fn a_power_far_from_doubt_needs_no_draw_and_one_in_doubt_few() {
        let mut shapes = Shapes::none(NOISE, ErrorModel::Nist);
        let mut heard = |power: [f64; 2], unit| {
            let mut random = Few {
                units: vec![unit],
                taken: 0,
            };
            let frame = sized(Mode::ERP_54, 1536);
            let mut draws = Rewindable::new(&mut random);
            let heard = shapes.of(&frame).heard(power.map(Milliwatts), &mut draws);
            (heard, random.taken)
        };
        assert_eq!(heard([1000.0; 2], 0.5), (Some(ReceptionOutcome::Frame), 0));
        assert_eq!(heard([100.0; 2], 0.5), (Some(ReceptionOutcome::Header), 0));
        assert_eq!(heard([200.0; 2], 0.5), (None, 0));
        assert_eq!(
            heard([200.0, 220.0], 1e-9),
            (Some(ReceptionOutcome::Frame), 1)
        );
        assert_eq!(
            heard([200.0, 220.0], 0.999_999),
            (Some(ReceptionOutcome::Header), 1)
        );
    }

    #[test]
    fn frames_that_share_a_place_are_told_apart() {
        let mut shapes = Shapes::none(NOISE, ErrorModel::Nist);
        let frames = [1000, 2024, 1000].map(|bytes| sized(Mode::CCK_11, bytes));
        let alone = frames.map(|frame| *Shapes::none(NOISE, ErrorModel::Nist).of(&frame));
        assert!(alone[0] != alone[1]);
        assert_eq!(frames.map(|frame| *shapes.of(&frame)), alone);
        assert_eq!(shapes.places.iter().flatten().count(), 1);
    }

    #[test]
    fn a_draw_can_be_taken_again() {
        let mut random = Few {
            units: vec![0.1, 0.2, 0.3],
            taken: 0,
        };
        let mut draws = Rewindable::new(&mut random);
        let first = draws.unit();
        draws.rewind();
        assert_eq!([first, draws.unit(), draws.unit()], [0.1, 0.1, 0.2]);
        assert_eq!(random.taken, 2);
    }
}
