//! What radiates and is no station: when, and with which spectrum, one file for each kind.
//!
//! A new one is a file with a declared `Config` and a type that is a [`Radiation`], made by
//! `new(&Config, random)`, its `mod` line, and a line in the list below. How much of it arrives where
//! is said of each; it is a function of time alone, and costs nothing until somebody asks.

pub mod bluetooth;
pub mod bursts;
pub mod constant_noise;
pub mod microwave_oven;
pub mod signal_generator;

use std::fmt::Debug;
use std::sync::Arc;

use phy::Spectrum;
use units::Time;

use crate::stations::ReceptionRandom;

/// What a radio listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListeningBand {
    /// The centre of its channel.
    pub centre_mhz: u16,
    /// How much of the spectrum it takes in about that.
    pub bandwidth_hz: u32,
}

impl ListeningBand {
    /// Where it begins and ends, in megahertz.
    pub fn edges_mhz(self) -> [f64; 2] {
        let half = f64::from(self.bandwidth_hz) / 2e6;
        let centre = f64::from(self.centre_mhz);
        [centre - half, centre + half]
    }
}

/// When something radiates, and where in the band.
pub trait Radiation: Debug + Send + Sync {
    /// The first burst that ends after a time: from when until when it radiates.
    fn burst_after(&self, at: Time) -> Option<[Time; 2]>;

    /// The mask of its spectrum; without, it is as strong in all channels.
    fn spectrum(&self) -> Option<Spectrum> {
        None
    }

    /// The centre of its spectrum; without, that of whoever receives it.
    fn frequency_mhz(&self) -> Option<u16> {
        None
    }

    /// Returns what of it lies in a band, if it is narrow and moves about: that radiates only while
    /// it is there. Without, what its mask leaves of it there radiates whenever it does.
    fn in_band(&self, _band: ListeningBand) -> Option<Arc<dyn Radiation>> {
        None
    }

    /// The part of the time in which it radiates in the long run, where that is a matter of chance.
    fn mean_duty_cycle(&self) -> Option<f64> {
        None
    }

    /// Returns what its spectrum is called; without, it is as strong in all channels.
    fn spectrum_name(&self) -> Option<&'static str> {
        self.spectrum().map(Spectrum::name)
    }

    /// Returns whether it sends frames whose preamble stations of DSSS detect.
    fn has_preamble(&self) -> bool {
        false
    }
}

units::kinds! {
    /// What radiates, and its parameters, as a plan has them.
    pub enum Config with each;

    /// Bursts at stated times.
    Bursts in bursts;
    /// Noise all the time.
    ConstantNoise in constant_noise;
    /// A vector signal generator.
    SignalGenerator in signal_generator;
    /// A piconet of Bluetooth.
    Bluetooth in bluetooth;
    /// A microwave oven.
    MicrowaveOven in microwave_oven;
}

impl Config {
    /// Returns when it radiates, by random numbers of its own.
    pub fn radiation(&self, random: &mut impl ReceptionRandom) -> Arc<dyn Radiation> {
        each!(
            Kind,
            match self {
                Config(config) => Arc::new(Kind::new(config, random)),
            }
        )
    }
}
