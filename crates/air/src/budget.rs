//! The power of every radio at every other, and who hears and senses whom.

use units::{Db, Dbm, Milliwatts, Time};

use crate::errors::is_certain;
use crate::varying::{Process, Varying};

/// Received powers between all pairs of radios, and the noise beneath them.
///
/// Where a link varies, its power is that of the last frame's first bit: [`LinkBudget::renew`].
#[derive(Debug)]
pub struct LinkBudget {
    radios: usize,
    /// By who sends, then by who receives.
    power: Vec<Milliwatts>,
    varying: Option<Box<Varying>>,
    carrier_sense: Milliwatts,
    noise: Milliwatts,
    floor: Milliwatts,
    thresholds: Option<Thresholds>,
}

/// Powers that decide whether a frame is decoded, in place of an error model: what ns-2's
/// `Phy/WirelessPhy` and `Mac/802_11` have (`RXThresh_`, `CPThresh_`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// What a frame needs to be decoded, in whatever mode it is.
    pub receive: Milliwatts,
    /// How many times the power a frame needs of each that lies over it.
    pub capture: f64,
}

/// What arrives so far below the noise is not heard at all: a thousandth of it, which even weighed
/// as the despreader of a Barker code does ([`dot11::Modulation::interference_weight`]) raises
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
    /// A radio senses, and can synchronise on, what reaches it with at least `carrier_sense`.
    ///
    /// # Panics
    /// When `loss` is not a square of `transmit.len()` rows.
    pub fn new(transmit: &[Dbm], loss: &[Vec<Db>], carrier_sense: Dbm, noise: Dbm) -> Self {
        let radios = transmit.len();
        assert!(loss.len() == radios && loss.iter().all(|row| row.len() == radios));
        let row = |(&power, loss): (&Dbm, &Vec<Db>)| {
            let received = loss.iter().map(|&loss| (power - loss).to_milliwatts());
            received.collect::<Vec<_>>()
        };
        LinkBudget {
            radios,
            power: transmit.iter().zip(loss).flat_map(row).collect(),
            varying: None,
            carrier_sense: carrier_sense.to_milliwatts(),
            noise: noise.to_milliwatts(),
            floor: (noise - FLOOR).to_milliwatts(),
            thresholds: None,
        }
    }

    /// Has powers alone decide what is decoded.
    pub fn decide_by(&mut self, thresholds: Thresholds) {
        self.thresholds = Some(thresholds);
    }

    /// What decides in place of the error model, if anything does.
    #[inline]
    pub(crate) fn thresholds(&self) -> Option<Thresholds> {
        self.thresholds
    }

    /// Lets the power between two radios vary by a process, both ways alike and besides what
    /// varies it already.
    pub fn vary(&mut self, between: [usize; 2], process: Box<dyn Process>) {
        let powers = |from: usize, to: usize| self.power[from * self.radios + to];
        let varying = (self.varying).get_or_insert_with(|| Box::new(Varying::none(self.radios)));
        varying.add(between, process, powers);
    }

    /// Whether anything varies.
    #[inline]
    pub(crate) fn varies(&self) -> bool {
        self.varying.is_some()
    }

    /// Whether what a radio receives varies, of anybody.
    pub(crate) fn varies_at(&self, radio: usize) -> bool {
        let varying = self.varying.as_ref();
        varying.is_some_and(|varying| !varying.ways_from(radio).is_empty())
    }

    /// Whether the power between two radios varies.
    pub(crate) fn varies_between(&self, one: usize, other: usize) -> bool {
        let varying = self.varying.as_ref();
        varying.is_some_and(|varying| varying.joins(one, other))
    }

    /// Gives each radio the power with which a frame that `from` begins now reaches it; answers
    /// whether others than before sense it.
    pub(crate) fn renew(&mut self, now: Time, from: usize) -> bool {
        let Some(varying) = &mut self.varying else {
            return false;
        };
        let row = &mut self.power[from * self.radios..][..self.radios];
        let carrier_sense = self.carrier_sense;
        let mut is_another = false;
        varying.powers(now, from, |to, power| {
            is_another |= (row[to] >= carrier_sense) != (power >= carrier_sense);
            row[to] = power;
        });
        is_another
    }

    /// What one radio would receive of another now. Time must not go back from one call to the
    /// next.
    pub fn power_now(&mut self, now: Time, from: usize, to: usize) -> Milliwatts {
        let fixed = self.power(from, to);
        let varying = self.varying.as_mut();
        let varied = varying.and_then(|varying| varying.power(now, from, to));
        varied.unwrap_or(fixed)
    }

    /// How many radios there are.
    pub fn radios(&self) -> usize {
        self.radios
    }

    /// What each radio receives of `from`.
    #[inline]
    pub fn row(&self, from: usize) -> &[Milliwatts] {
        &self.power[from * self.radios..][..self.radios]
    }

    /// What one radio receives of another.
    #[inline]
    pub fn power(&self, from: usize, to: usize) -> Milliwatts {
        self.power[from * self.radios + to]
    }

    /// Whether one radio's carrier sense notices another.
    #[inline]
    pub fn is_sensed(&self, from: usize, to: usize) -> bool {
        self.power(from, to) >= self.carrier_sense
    }

    /// Whether anything of one radio reaches another.
    #[inline]
    pub fn is_heard(&self, from: usize, to: usize) -> bool {
        self.power(from, to) >= self.floor
    }

    /// Whether one radio may fail to decode another that nothing interferes with.
    pub(crate) fn is_doubtful(&self, from: usize, to: usize) -> bool {
        let power = self.power(from, to);
        match self.thresholds {
            Some(thresholds) => power < thresholds.receive,
            None => !is_certain(power, self.noise),
        }
    }

    /// The receivers' noise.
    #[inline]
    pub fn noise(&self) -> Milliwatts {
        self.noise
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
