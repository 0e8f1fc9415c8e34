//! A frame that ends: what lay under it, and what a receiver has made of it.

use std::ops::Range;

use dot11::{Decoded, Frame};
use phy::{ErrorModel, Section};
use units::{Duration, Milliwatts, Time};

use crate::budget::PowerBounds;
use crate::errors::{certain_from, doubtful_below, ln_success_per_bit, sinr};
use crate::reception::{
    Chances, ReceivedFrame, ReceptionOutcome, Stretch, by_a_draw, is_hopeless, may_be_hopeless,
    share, survives,
};
use crate::stations::{ReceptionRandom, Rewindable};
use crate::undisturbed::{Shapes, Undisturbed};

/// A frame that ends, what lies under it, and how the receiver has that which was asked last:
/// where all are as far from each other, the next one has the same.
#[derive(Debug)]
pub struct Ending {
    noise: Milliwatts,
    model: ErrorModel,
    span: [Time; 2],
    sections: Vec<Section>,
    /// The MPDUs of an aggregate.
    mpdus: Vec<Section>,
    /// None unless it has been taken apart within bounds.
    undisturbed: Option<Undisturbed>,
    under: Vec<FrameInterference>,
    edges: Vec<Edge>,
    is_sorted: bool,
    signal: PowerBounds,
    stretches: Vec<Stretch>,
    /// Whether these powers are known, and not only what they lie between.
    is_exact: bool,
    /// Its chances with them, if they have been worked out.
    chances: Option<Chances>,
}

/// Powers that are added up in another order differ by less.
const SAFE: f64 = 1.0 + 1e-6;

/// What lies under a frame.
#[derive(Clone, Copy, Debug)]
struct FrameInterference {
    source: RadiationSource,
    /// How many bits of each section it lies under.
    bits: [f64; 3],
    power: PowerBounds,
}

/// Something that lies under a frame begins or ends. Many are sorted: they are small.
#[derive(Clone, Copy, Debug)]
struct Edge {
    at: Time,
    /// How many were noted before it: each that begins is followed by its end.
    number: u32,
    under: u32,
}

impl Edge {
    fn begins(&self) -> bool {
        self.number.is_multiple_of(2)
    }
}

/// Who radiates.
#[derive(Clone, Copy, Debug)]
pub enum RadiationSource {
    Radio(usize),
    /// A radio whose code is no receiver's, off the centre of its channel as it is: noise.
    OtherChannel(usize),
    Emitter(usize),
}

impl Ending {
    pub fn nothing(noise: Milliwatts, model: ErrorModel) -> Ending {
        Ending {
            noise,
            model,
            span: [Time::ZERO; 2],
            sections: Vec::new(),
            mpdus: Vec::new(),
            undisturbed: None,
            under: Vec::new(),
            edges: Vec::new(),
            is_sorted: false,
            signal: [Milliwatts::ZERO; 2],
            stretches: Vec::new(),
            is_exact: false,
            chances: None,
        }
    }

    /// Begins anew, with a frame of which nothing else is known.
    pub fn begin(&mut self, start: Time, end: Time) {
        self.span = [start, end];
        self.sections.clear();
        self.mpdus.clear();
        self.undisturbed = None;
        self.under.clear();
        self.edges.clear();
        self.is_sorted = false;
        self.chances = None;
    }

    pub fn lies_under(&mut self, source: RadiationSource, begin: Time, end: Time) {
        self.lie_under(source, std::iter::once([begin, end]));
    }

    /// The same of bursts, of which each lies under it in part at least.
    pub fn lie_under(&mut self, source: RadiationSource, bursts: impl Iterator<Item = [Time; 2]>) {
        let under = self.under.len() as u32;
        let before = self.edges.len();
        let [start, end] = self.span;
        for [first, last] in bursts {
            for at in [first.max(start), last.min(end)] {
                let number = self.edges.len() as u32;
                self.edges.push(Edge { at, number, under });
            }
        }
        if self.edges.len() > before {
            self.under.push(FrameInterference {
                source,
                bits: [0.0; 3],
                power: [Milliwatts::ZERO; 2],
            });
        }
    }

    /// Returns whether nothing lies under it.
    #[inline]
    pub fn is_undisturbed(&self) -> bool {
        self.under.is_empty()
    }

    /// Returns what lies under it.
    pub fn sources(&self) -> impl Iterator<Item = RadiationSource> {
        self.under.iter().map(|under| under.source)
    }

    /// Takes the frame to its parts, once it matters.
    #[inline]
    pub fn take_apart(&mut self, frame: &Frame) {
        if self.sections.is_empty() {
            self.sections.extend(frame.sections(self.model));
            if self.is_crowded() {
                self.count_bits();
            }
        }
    }

    /// Takes an aggregate to its MPDUs of these lengths, once that matters. Each has its share of the
    /// time of the PSDU, by its bytes.
    pub fn take_mpdus(&mut self, frame: &Frame, lengths: impl Iterator<Item = u16>) {
        if !self.mpdus.is_empty() {
            return;
        }
        let [.., psdu] = frame.sections(self.model);
        let lasts = (psdu.until - psdu.from).as_nanos();
        let at = |bytes: u64| {
            let nanos = lasts * bytes / u64::from(frame.psdu_bytes());
            psdu.from + Duration::from_nanos(nanos)
        };
        let mut begins = 0;
        for length in lengths {
            let ends = begins + 4 + u64::from(length);
            self.mpdus.push(Section {
                from: at(begins),
                until: at(ends),
                bits: 8.0 * f64::from(length),
                ..psdu
            });
            begins = ends.next_multiple_of(4);
        }
    }

    /// Returns which MPDUs of an aggregate the receiver looked at last has decoded, whose powers
    /// are known; with `enough`, once it has so many. Nothing of it without its header.
    pub fn heard_mpdus(
        &mut self,
        enough: usize,
        random: &mut impl ReceptionRandom,
    ) -> Option<Decoded> {
        let chances = self.chances.unwrap_or_else(|| self.work_out());
        self.chances = Some(chances);
        if chances.is_certain() {
            return Some(Decoded::ALL);
        }
        if !chances.header_survives(random) {
            return None;
        }
        let received = self.received();
        let mut decoded = Decoded::NONE;
        let mut count = 0;
        for (place, mpdu) in self.mpdus.iter().enumerate() {
            if count < enough && survives(received.ln_success_of(mpdu), random) {
                decoded.add(place);
                count += 1;
            }
        }
        Some(decoded)
    }

    /// Returns whether so much lies under it that it pays to look for what can be told without
    /// working out its chances.
    #[inline]
    pub fn is_crowded(&self) -> bool {
        const CROWD: usize = 8;
        self.under.len() >= CROWD
    }

    /// The same with what is known of such frames, for who has not got its power.
    #[inline]
    pub fn take_apart_within_bounds(&mut self, frame: &Frame, shapes: &mut Shapes) {
        if self.sections.is_empty() {
            self.sections.extend(frame.sections(self.model));
            self.undisturbed = Some(*shapes.of(frame));
            self.count_bits();
        }
    }

    /// Counts the bits that each source lies under, while its edges are in pairs.
    fn count_bits(&mut self) {
        let start = self.span[0];
        for edges in self.edges.chunks_exact(2) {
            let under = &mut self.under[edges[0].under as usize];
            for (section, bits) in self.sections.iter().zip(&mut under.bits) {
                let [from, until] = [section.from, section.until].map(|at| start + at);
                let overlap = edges[1]
                    .at
                    .min(until)
                    .saturating_since(edges[0].at.max(from));
                if overlap > Duration::ZERO {
                    *bits += section.bits * share(overlap, until - from);
                }
            }
        }
    }

    /// Returns what is known of the frame as such, if nothing lies under it.
    #[inline]
    pub fn undisturbed(&self) -> Option<&Undisturbed> {
        self.undisturbed.as_ref().filter(|_| self.is_undisturbed())
    }

    /// Notes what a receiver has of the frame and of each that lies under it.
    #[inline]
    pub fn look(
        &mut self,
        signal: PowerBounds,
        mut power_of: impl FnMut(RadiationSource) -> PowerBounds,
    ) {
        let mut is_same = signal == self.signal;
        self.is_exact = is_exact(signal);
        self.signal = signal;
        for under in &mut self.under {
            let power = power_of(under.source);
            is_same &= power == under.power;
            self.is_exact &= is_exact(power);
            under.power = power;
        }
        if !(is_same && self.is_exact) {
            self.chances = None;
        }
    }

    /// The same where powers are known.
    // In line by order: a frame that others lie under has a look at every radio that hears it.
    #[inline(always)]
    pub fn look_exactly(
        &mut self,
        signal: Milliwatts,
        mut power_of: impl FnMut(RadiationSource) -> Milliwatts,
    ) {
        let mut is_same = self.is_exact && signal == self.signal[0];
        self.is_exact = true;
        self.signal = [signal; 2];
        for under in &mut self.under {
            let power = power_of(under.source);
            is_same &= power == under.power[0];
            under.power = [power; 2];
        }
        if !is_same {
            self.chances = None;
        }
    }

    /// Returns what the receiver looked at last makes of a frame under others, if that can be told
    /// without knowing more of its powers and without working out its chances. It takes the draws
    /// that the frame takes.
    pub fn heard_under_others(
        &self,
        random: &mut Rewindable<'_, impl ReceptionRandom>,
    ) -> Option<ReceptionOutcome> {
        if self.is_undisturbed() || self.chances.is_some() {
            return None;
        }
        let mpdu = self.sections.len() - 1;
        let sums = self.sums();
        if !self.arrives(0..mpdu, &sums, random)? {
            return Some(ReceptionOutcome::Noise);
        }
        let arrives = self.arrives(mpdu..mpdu + 1, &sums, random)?;
        Some(if arrives {
            ReceptionOutcome::Frame
        } else {
            ReceptionOutcome::Header
        })
    }

    /// Returns whether a part of it arrives: its least chance is that under all others at once all
    /// the time, and its greatest that under those alone that surely lie over it together.
    fn arrives(
        &self,
        part: Range<usize>,
        sums: &[f64; 3],
        random: &mut Rewindable<'_, impl ReceptionRandom>,
    ) -> Option<bool> {
        let sections = || part.clone().filter(|&at| self.sections[at].bits > 0.0);
        let ln_success = |at: usize, (ratio, bits): (f64, f64)| {
            bits * ln_success_per_bit(self.sections[at].curve, ratio)
        };
        let (mut least, mut is_certain) = (0.0, true);
        for at in sections() {
            let Section { curve, bits, .. } = self.sections[at];
            let ratio = sinr(curve, self.signal[0], Milliwatts(sums[at]), self.noise);
            // Next to certainty the table of the error model may say it too early.
            is_certain &= ratio >= SAFE * certain_from(curve);
            least += ln_success(at, (ratio, bits));
        }
        if is_certain {
            return Some(true);
        }
        let mut greatest = [(0.0, 0.0); 3];
        let mut takes_a_draw = false;
        for at in sections() {
            greatest[at] = self.greatest_ratio(at);
            takes_a_draw |= greatest[at].0 < doubtful_below(self.sections[at].curve) / SAFE;
        }
        let most = || -> f64 { sections().map(|at| ln_success(at, greatest[at])).sum() };
        match () {
            () if !takes_a_draw => None,
            () if may_be_hopeless(least) => is_hopeless(most()).then_some(false),
            () => by_a_draw(least, most, random),
        }
    }

    /// Returns whether no bit of a section is lost even if all that lies under the frame did so all
    /// the time.
    fn is_beyond_doubt(&self, section: usize) -> bool {
        let under = (self.under.iter()).fold(0.0, |sum, under| sum + under.power[1].0);
        let curve = self.sections[section].curve;
        let ratio = sinr(curve, self.signal[0], Milliwatts(under), self.noise);
        ratio >= certain_from(curve)
    }

    /// The power of everything that lies under each section, as if it did so all the time.
    fn sums(&self) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for FrameInterference { bits, power, .. } in &self.under {
            for (sum, bits) in sums.iter_mut().zip(bits) {
                *sum += if *bits > 0.0 { power[1].0 } else { 0.0 };
            }
        }
        sums
    }

    /// Signal over the strongest of the frames that lie under a section, with those that do so all
    /// the time, and how many bits the former lies under.
    fn greatest_ratio(&self, section: usize) -> (f64, f64) {
        let whole = self.sections[section].bits;
        let mut strongest = (Milliwatts::ZERO, 0.0);
        let mut throughout = Milliwatts::ZERO;
        for under in &self.under {
            let (power, bits) = (under.power[0], under.bits[section]);
            let is_frame = matches!(under.source, RadiationSource::Radio(_));
            if is_frame && bits == whole {
                throughout = throughout + power;
            } else if is_frame && bits > 0.0 && power > strongest.0 {
                strongest = (power, bits);
            }
        }
        let (power, bits) = match strongest {
            (power, bits) if power > throughout => (power + throughout, bits),
            _ => (throughout, whole),
        };
        let curve = self.sections[section].curve;
        (sinr(curve, self.signal[1], power, self.noise), bits)
    }

    /// Returns whether the powers looked at last are known, and not only what they lie between.
    #[inline]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Returns what the receiver looked at last, whose powers are known, has heard.
    pub fn heard(&mut self, random: &mut impl ReceptionRandom) -> ReceptionOutcome {
        let mut chances = self.chances.unwrap_or_else(|| self.work_out());
        let received = self.received();
        let heard = chances.heard(|| received.ln_success(false), random);
        self.chances = Some(chances);
        heard
    }

    fn work_out(&mut self) -> Chances {
        if (0..self.sections.len()).all(|section| self.is_beyond_doubt(section)) {
            return Chances::CERTAIN;
        }
        self.list_stretches();
        Chances::new(&self.received())
    }

    fn received(&self) -> ReceivedFrame<'_> {
        ReceivedFrame {
            sections: &self.sections,
            start: self.span[0],
            signal: self.signal[0],
            stretches: &self.stretches,
        }
    }

    /// Of equal ones the first that was told is first.
    fn sort_edges(&mut self) {
        if !self.is_sorted {
            (self.edges).sort_unstable_by_key(|edge| (edge.at, edge.number));
            self.is_sorted = true;
        }
    }

    /// The stretches of a frame between which the interference changes.
    fn list_stretches(&mut self) {
        self.sort_edges();
        self.stretches.clear();
        let [mut since, end] = self.span;
        let mut frames = PowerSum::NONE;
        let mut emitted = PowerSum::NONE;
        for edge in &self.edges {
            let FrameInterference { source, power, .. } = self.under[edge.under as usize];
            if power[0] == Milliwatts::ZERO {
                continue;
            }
            if edge.at > since {
                let noise = self.noise + emitted.power;
                self.stretches
                    .push(Stretch::new(edge.at, frames.power, noise));
                since = edge.at;
            }
            let sum = match source {
                RadiationSource::Radio(_) => &mut frames,
                RadiationSource::OtherChannel(_) | RadiationSource::Emitter(_) => &mut emitted,
            };
            sum.change(edge.begins(), power[0]);
        }
        if end > since {
            let noise = self.noise + emitted.power;
            self.stretches.push(Stretch::new(end, frames.power, noise));
        }
    }
}

#[inline]
fn is_exact([least, most]: PowerBounds) -> bool {
    least == most
}

/// Powers that come and go.
struct PowerSum {
    count: u32,
    power: Milliwatts,
}

impl PowerSum {
    const NONE: PowerSum = PowerSum {
        count: 0,
        power: Milliwatts::ZERO,
    };

    /// Powers are taken off only where some stay, so that silence is exactly none.
    fn change(&mut self, comes: bool, power: Milliwatts) {
        if comes {
            self.count += 1;
            self.power = self.power + power;
        } else {
            self.count -= 1;
            self.power = match self.count {
                0 => Milliwatts::ZERO,
                _ => self.power - power,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use phy::Mode;
    use proptest::prelude::*;
    use units::Db;

    use super::*;
    use crate::undisturbed::tests::{Few, sized};

    const NOISE: Milliwatts = Milliwatts(1.0);

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Others lie under a frame from one part of its airtime to another, each with a power that
        /// is known to so many decibels.
        #[test]
        fn what_is_told_under_others_without_knowing_powers_is_so_with_the_same_draws(
            mode in prop::sample::select(Mode::all_legacy().collect::<Vec<_>>()),
            decibels in -5.0..35.0_f64,
            deviation in prop_oneof![Just(0.0), 0.0..1.0_f64],
            under in prop::collection::vec((-20.0..25.0_f64, -0.5..1.0_f64, 0.1..1.5_f64), 1..8),
            units in prop::collection::vec(prop_oneof![0.0..1.0_f64, 0.99..1.0_f64], 2),
            part in 0.0..1.0_f64,
        ) {
            let frame = sized(mode, 1000);
            let airtime = frame.airtime().as_nanos() as f64;
            let time = |part: f64| Time::from_nanos(((1.0 + part) * airtime) as u64);
            let mut ending = Ending::nothing(NOISE, ErrorModel::Nist);
            ending.begin(time(0.0), time(0.0) + frame.airtime());
            for (at, &(_, from, lasts)) in under.iter().enumerate() {
                let until = (from + lasts).max(0.01);
                ending.lies_under(RadiationSource::Radio(at), time(from), time(until));
            }
            ending.take_apart_within_bounds(&frame, &mut Shapes::none(NOISE, ErrorModel::Nist));
            let power = |decibels: f64| Milliwatts(Db(decibels).ratio());
            let within = |decibels: f64| [power(decibels), power(decibels + deviation)];
            let known = |decibels: f64| [power(decibels + part * deviation); 2];
            let of = |source| match source {
                RadiationSource::Radio(at) => under[at].0,
                RadiationSource::OtherChannel(_) | RadiationSource::Emitter(_) => f64::NEG_INFINITY,
            };
            ending.look(within(decibels), |source| within(of(source)));
            let few = Few { units, taken: 0 };
            let mut told = few.clone();
            let heard = ending.heard_under_others(&mut Rewindable::new(&mut told));
            ending.look(known(decibels), |source| known(of(source)));
            let mut worked_out = few;
            let exact = ending.heard(&mut worked_out);
            if let Some(heard) = heard {
                prop_assert_eq!((heard, told.taken), (exact, worked_out.taken));
            }
        }
    }
}
