//! The power of every radio at every other, and who hears and senses whom.

use phy::error_model::{CERTAIN_SINR, certain_sinr};
use phy::{ErrorModel, Mode, Modulation};
use units::{Db, Dbm, Milliwatts, Time};

use crate::errors::{certain_from_power, is_certain};
use crate::varying::{Process, Varying};

/// Received powers between all pairs of radios, and the noise beneath them.
///
/// Where a link varies, its power is that of the last frame's first bit.
#[derive(Debug)]
pub struct LinkBudget {
    radios: usize,
    /// By who receives, then by who sends, as a receiver adds up what it has of many; where a link
    /// varies, by its fixed loss.
    power: Vec<Milliwatts>,
    varying: Option<Box<Varying>>,
    /// By row, then by who receives.
    reach: Vec<Reach>,
    ears: Ears,
    thresholds: Thresholds,
    rule: Option<PowerRule>,
    error_model: ErrorModel,
    noise: Milliwatts,
}

/// From which powers on a radio has more of another.
#[derive(Clone, Copy, Debug)]
struct Thresholds {
    preamble_detection: Milliwatts,
    /// Of anything.
    energy_detection: Milliwatts,
    floor: Milliwatts,
    /// From which power on a frame alone does not err; that of the error model without.
    certain: Option<Milliwatts>,
}

/// What each radio can read, if it has enough of it.
#[derive(Debug)]
struct Ears {
    radios: usize,
    /// By radio; empty where all are on one.
    channels: Vec<u16>,
    /// By radio, whether it reads no frames of OFDM; empty where all read all that is sent.
    deaf_to_ofdm: Vec<bool>,
}

/// Powers that decide whether a frame is decoded, instead of an error model: what ns-2's
/// `Phy/WirelessPhy` and `Mac/802_11` have (`RXThresh_`, `CPThresh_`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerRule {
    /// What a frame needs to be decoded, in whatever mode it is.
    pub receive: Milliwatts,
    /// How many times the power a frame needs of each that lies over it.
    pub capture: f64,
}

/// A power that is at least and at most so much.
pub type PowerBounds = [Milliwatts; 2];

/// What one radio has of another that nothing interferes with; each is more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reach {
    /// Nothing.
    Nothing,
    /// What only adds to the noise.
    Noise,
    /// Energy that holds the channel busy.
    Energy,
    /// Frames, which may err in silence.
    Doubtful,
    /// Frames, which do not.
    Certain,
}

/// What arrives so far below the noise is not heard at all: a thousandth of it, which even weighed
/// as the despreader of a Barker code does ([`phy::Curve::interference_weight`]) raises
/// the noise by 0.05 dB. [inferred: below what a receiver's power is ever known to]
const FLOOR: Db = Db(30.0);

/// Thermal noise at 290 K in a receiver's bandwidth, raised by its noise figure.
///
/// kTB with Boltzmann's constant as fixed by the SI in 2019; −100.55 dBm in 22 MHz for a noise
/// figure of 0 dB.
pub fn noise_floor(noise_figure: Db, bandwidth_hz: u32) -> Dbm {
    const BOLTZMANN: f64 = 1.380_649e-23;
    const TEMPERATURE_K: f64 = 290.0;
    let thermal = Milliwatts(BOLTZMANN * TEMPERATURE_K * f64::from(bandwidth_hz) * 1e3);
    thermal.to_dbm() + noise_figure
}

impl LinkBudget {
    /// Powers from each radio's `transmit` power and `loss[from][to]`.
    ///
    /// A radio detects the preamble of what reaches it on its channel with at least
    /// `preamble_detection`: it senses the frame, and synchronises on it.
    ///
    /// # Panics
    /// When `loss` is not a square of `transmit.len()` rows.
    pub fn new(transmit: &[Dbm], loss: &[Vec<Db>], preamble_detection: Dbm, noise: Dbm) -> Self {
        let radios = transmit.len();
        assert!(loss.len() == radios && loss.iter().all(|row| row.len() == radios));
        let at = |to: usize| {
            let senders = transmit.iter().zip(loss);
            senders.map(move |(&power, loss)| (power - loss[to]).to_milliwatts())
        };
        let mut budget = LinkBudget {
            radios,
            power: (0..radios).flat_map(at).collect(),
            varying: None,
            reach: Vec::new(),
            ears: Ears {
                radios,
                channels: Vec::new(),
                deaf_to_ofdm: Vec::new(),
            },
            thresholds: Thresholds {
                preamble_detection: preamble_detection.to_milliwatts(),
                energy_detection: Milliwatts(f64::INFINITY),
                floor: (noise - FLOOR).to_milliwatts(),
                certain: None,
            },
            rule: None,
            error_model: ErrorModel::Nist,
            noise: noise.to_milliwatts(),
        };
        budget.find_reach();
        budget
    }

    /// The same with the radios on `channels`. What is sent on another channel is at most energy
    /// to a radio; what is lost of it between channels is among the losses.
    ///
    /// # Panics
    /// When there are other radios than channels.
    #[must_use]
    pub fn on_channels(mut self, channels: Vec<u16>) -> Self {
        assert_eq!(channels.len(), self.radios);
        if channels.windows(2).any(|pair| pair[0] != pair[1]) {
            self.ears.channels = channels;
            self.find_reach();
        }
        self
    }

    /// The same with a channel that is busy, too, where there is the energy of `energy_detection`,
    /// whatever it is. Without, radios sense what they can synchronise on.
    #[must_use]
    pub fn detecting_energy(mut self, energy_detection: Dbm) -> Self {
        self.thresholds.energy_detection = energy_detection.to_milliwatts();
        self.find_reach();
        self
    }

    /// The same with radios that read frames of OFDM or not: to one of DSSS alone they are at most
    /// energy, preamble and all.
    ///
    /// # Panics
    /// When there are other radios than answers.
    #[must_use]
    pub fn reading_ofdm(mut self, reads: &[bool]) -> Self {
        assert_eq!(reads.len(), self.radios);
        // Where nobody reads it nobody sends it.
        if reads.contains(&true) && reads.contains(&false) {
            self.ears.deaf_to_ofdm = reads.iter().map(|reads| !reads).collect();
            self.find_reach();
        }
        self
    }

    /// The same with frames of modulations that err at higher ratios than those up to 64-QAM.
    #[must_use]
    pub fn carrying(mut self, modulations: impl Iterator<Item = Modulation>) -> Self {
        let ratios = modulations.map(certain_sinr);
        let highest = ratios.fold(CERTAIN_SINR, f64::max);
        if highest > CERTAIN_SINR {
            self.thresholds.certain = Some(Milliwatts(highest * self.noise.0));
            self.find_reach();
        }
        self
    }

    /// The same with frames that err by another model than NIST's.
    #[must_use]
    pub fn erring_by(mut self, model: ErrorModel) -> Self {
        self.error_model = model;
        self
    }

    fn find_reach(&mut self) {
        let pairs = (0..self.rows()).flat_map(|row| (0..self.radios).map(move |to| (row, to)));
        let reach = |(row, to)| {
            let power = self.fixed(self.ears.sender(row), to);
            (self.thresholds).reach(power, self.noise, self.ears.may_read(row, to))
        };
        self.reach = pairs.map(reach).collect();
    }

    /// Returns how many rows there are: one for each radio's frames, and where some radios read no
    /// frames of OFDM another one for each radio's frames of those, behind them.
    pub fn rows(&self) -> usize {
        self.radios + self.ears.deaf_to_ofdm.len()
    }

    /// The row of a radio's frames of a mode.
    #[inline]
    pub fn row(&self, from: usize, mode: Mode) -> usize {
        match mode.is_ofdm() {
            true => from + self.ears.deaf_to_ofdm.len(),
            false => from,
        }
    }

    /// The rows of a radio's frames: one, or those of DSSS and of OFDM.
    pub fn rows_of(&self, from: usize) -> impl Iterator<Item = usize> + use<> {
        self.ears.rows_of(from)
    }

    /// Whose frames a row is of.
    pub(crate) fn sender(&self, row: usize) -> usize {
        self.ears.sender(row)
    }

    /// Has powers alone decide what is decoded.
    pub fn decide_by(&mut self, rule: PowerRule) {
        self.rule = Some(rule);
        self.thresholds.certain = Some(rule.receive);
        self.find_reach();
    }

    /// Returns the model by which frames err.
    #[inline]
    pub(crate) fn error_model(&self) -> ErrorModel {
        self.error_model
    }

    /// Returns what decides instead of the error model, if anything does.
    #[inline]
    pub(crate) fn rule(&self) -> Option<PowerRule> {
        self.rule
    }

    /// Lets the power between two radios vary by a process, both ways alike and besides what
    /// varies it already.
    pub fn vary(&mut self, between: [usize; 2], process: Box<dyn Process>) {
        let powers = |from, to| self.power[to * self.radios + from];
        let varying = (self.varying).get_or_insert_with(|| Box::new(Varying::none(self.radios)));
        varying.add(between, process, powers);
    }

    /// Lets a radio go to other channels than that of `channels` where it is.
    pub fn make_tunable(&mut self, radio: usize, channels: &[u16]) {
        if self.ears.channels.is_empty() {
            self.ears.channels = channels.to_vec();
        }
        let powers = |from, to| self.power[to * self.radios + from];
        let varying = (self.varying).get_or_insert_with(|| Box::new(Varying::none(self.radios)));
        for other in (0..self.radios).filter(|&other| other != radio) {
            varying.join([radio, other], powers);
        }
    }

    /// Has a radio that is tunable be on another channel, from the next frame of each on: what
    /// each receives of another changes by the ratio that `change` gives for the two.
    pub fn tune(&mut self, radio: usize, channel: u16, change: impl Fn(usize, usize) -> f64) {
        self.ears.channels[radio] = channel;
        if let Some(varying) = &mut self.varying {
            varying.change(radio, change);
        }
    }

    /// Returns whether anything varies.
    #[inline]
    pub fn varies(&self) -> bool {
        self.varying.is_some()
    }

    /// Returns whether the power between two radios varies.
    pub fn varies_between(&self, one: usize, other: usize) -> bool {
        let varying = self.varying.as_ref();
        varying.is_some_and(|varying| varying.joins(one, other))
    }

    /// Finds how what `from` begins to send now reaches each radio; tells what those who have more or
    /// less of frames of its rows than before had and have.
    pub(crate) fn renew(
        &mut self,
        now: Time,
        from: usize,
        mut tell: impl FnMut(usize, Reach, Reach),
    ) {
        let Some(varying) = &mut self.varying else {
            return;
        };
        let margin = |power| self.thresholds.margin(power, self.noise);
        varying.begin(now, from, margin, |to, power| {
            for row in self.ears.rows_of(from) {
                let may_be_read = self.ears.may_read(row, to);
                let reach = (self.thresholds).reach(power, self.noise, may_be_read);
                let reaches = &mut self.reach[row * self.radios + to];
                let before = std::mem::replace(reaches, reach);
                if before != reach {
                    tell(to, before, reach);
                }
            }
        });
    }

    /// Returns what one radio would receive of another now. Time must not go back from one call to
    /// the next.
    pub fn power_now(&mut self, now: Time, from: usize, to: usize) -> Milliwatts {
        let varying = self.varying.as_mut();
        let varied = varying.and_then(|varying| varying.power_at(now, from, to));
        varied.unwrap_or_else(|| self.fixed(from, to))
    }

    /// Returns how many radios there are.
    pub fn radios(&self) -> usize {
        self.radios
    }

    /// Returns what one radio receives of another.
    #[inline]
    pub fn power(&mut self, from: usize, to: usize) -> Milliwatts {
        match self.varying {
            None => self.fixed(from, to),
            Some(_) => self.varied(from, to),
        }
    }

    #[inline(never)]
    fn varied(&mut self, from: usize, to: usize) -> Milliwatts {
        let varying = self.varying.as_mut();
        let varied = varying.and_then(|varying| varying.power(from, to));
        varied.unwrap_or_else(|| self.fixed(from, to))
    }

    /// Returns what one radio receives of another; nothing of what it does not hear.
    #[inline]
    pub(crate) fn heard_power(&mut self, from: usize, to: usize) -> Milliwatts {
        if self.varying.is_none() {
            // What lies over the floor needs no look at the other table.
            let power = self.fixed(from, to);
            if power >= self.thresholds.floor {
                return power;
            }
        }
        match self.is_heard(from, to) {
            true => self.power(from, to),
            false => Milliwatts::ZERO,
        }
    }

    /// Returns what one radio receives of another at least and at most, as far as that is known
    /// without a look at the link.
    #[inline]
    pub(crate) fn bounds(&self, from: usize, to: usize) -> PowerBounds {
        let varying = self.varying.as_ref();
        let varied = varying.and_then(|varying| varying.bounds(from, to));
        varied.unwrap_or_else(|| [self.fixed(from, to); 2])
    }

    /// The same; nothing of what it does not hear.
    #[inline]
    pub(crate) fn heard_bounds(&self, from: usize, to: usize) -> PowerBounds {
        let bounds = self.bounds(from, to);
        match bounds[0] >= self.thresholds.floor || self.is_heard(from, to) {
            true => bounds,
            false => [Milliwatts::ZERO; 2],
        }
    }

    /// Returns what arrives by the fixed loss.
    #[inline]
    fn fixed(&self, from: usize, to: usize) -> Milliwatts {
        self.power[to * self.radios + from]
    }

    /// Returns whether two radios are on one channel.
    #[inline]
    pub fn is_one_channel(&self, one: usize, other: usize) -> bool {
        self.ears.share_a_channel(one, other)
    }

    /// Returns what one radio has of the frames of a row.
    #[inline]
    pub fn reach(&self, row: usize, to: usize) -> Reach {
        self.reach[row * self.radios + to]
    }

    /// Returns whether one radio can synchronise on the frames of a row.
    #[inline]
    pub fn is_received(&self, row: usize, to: usize) -> bool {
        self.reach(row, to) >= Reach::Doubtful
    }

    /// Returns whether one radio's carrier sense notices the frames of a row.
    #[inline]
    pub fn is_sensed(&self, row: usize, to: usize) -> bool {
        self.reach(row, to) >= Reach::Energy
    }

    /// Returns whether anything of one radio reaches another.
    #[inline]
    pub fn is_heard(&self, from: usize, to: usize) -> bool {
        self.reach(from, to) >= Reach::Noise
    }

    /// The receivers' noise.
    #[inline]
    pub fn noise(&self) -> Milliwatts {
        self.noise
    }
}

impl Ears {
    fn rows_of(&self, from: usize) -> impl Iterator<Item = usize> + use<> {
        let of_ofdm = from + self.deaf_to_ofdm.len();
        std::iter::once(from).chain((of_ofdm != from).then_some(of_ofdm))
    }

    fn sender(&self, row: usize) -> usize {
        match row < self.radios {
            true => row,
            false => row - self.radios,
        }
    }

    /// Returns whether a radio can read the frames of a row.
    fn may_read(&self, row: usize, to: usize) -> bool {
        let is_deaf = row >= self.radios && self.deaf_to_ofdm[to];
        !is_deaf && self.share_a_channel(self.sender(row), to)
    }

    #[inline]
    fn share_a_channel(&self, one: usize, other: usize) -> bool {
        self.channels.is_empty() || self.channels[one] == self.channels[other]
    }
}

impl Thresholds {
    /// Returns what a radio has of a power.
    #[inline]
    fn reach(&self, power: Milliwatts, noise: Milliwatts, may_be_read: bool) -> Reach {
        match power {
            _ if may_be_read && power >= self.preamble_detection => {
                let is_certain = match self.certain {
                    Some(certain) => power >= certain,
                    None => is_certain(power, noise),
                };
                match is_certain {
                    true => Reach::Certain,
                    false => Reach::Doubtful,
                }
            }
            _ if power >= self.energy_detection => Reach::Energy,
            _ if power >= self.floor => Reach::Noise,
            _ => Reach::Nothing,
        }
    }

    /// Returns how far a power may deviate so that a radio surely has the same of it.
    fn margin(&self, power: Milliwatts, noise: Milliwatts) -> Db {
        let certain = self.certain.unwrap_or(certain_from_power(noise));
        let all = [
            self.preamble_detection,
            self.energy_detection,
            self.floor,
            certain,
        ];
        let ratios = all.map(|threshold| (power.0 / threshold.0).max(threshold.0 / power.0));
        let least = ratios.into_iter().fold(f64::INFINITY, f64::min);
        Db(10.0 * libm::log10(least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// −100.5523 and −93.5523 dBm are published with a Boltzmann constant of 1.3803e-23 J/K,
    /// 0.0011 dB below the one the SI has fixed since.
    #[test]
    fn thermal_noise_in_22_mhz() {
        assert!((noise_floor(Db(0.0), 22_000_000).0 - -100.5523).abs() < 2e-3);
        assert!((noise_floor(Db(7.0), 22_000_000).0 - -93.5523).abs() < 2e-3);
    }
}
