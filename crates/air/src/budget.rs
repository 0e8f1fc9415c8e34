//! The power of every radio at every other.

use units::{Db, Dbm, Milliwatts};

/// Received powers between all pairs of radios, and the noise beneath them.
#[derive(Clone, Debug)]
pub struct LinkBudget {
    /// By who sends, then by who receives.
    power: Vec<Vec<Milliwatts>>,
    carrier_sense: Milliwatts,
    noise: Milliwatts,
}

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
            received.collect()
        };
        LinkBudget {
            power: transmit.iter().zip(loss).map(row).collect(),
            carrier_sense: carrier_sense.to_milliwatts(),
            noise: noise.to_milliwatts(),
        }
    }

    /// How many radios there are.
    pub fn radios(&self) -> usize {
        self.power.len()
    }

    /// What each radio receives of `from`.
    #[inline]
    pub fn row(&self, from: usize) -> &[Milliwatts] {
        &self.power[from]
    }

    /// Whether carrier sense notices a signal.
    #[inline]
    pub fn is_sensed(&self, signal: Milliwatts) -> bool {
        signal >= self.carrier_sense
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
