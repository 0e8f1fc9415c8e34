//! Power of a transmission in the channels beside its own.

use units::Db;

use crate::modulation::Modulation;

/// The form of a transmission's spectrum: what the standard allows it, which no transmitter
/// exceeds and cheap ones reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spectrum {
    /// DSSS and CCK: IEEE 802.11-2007 §18.4.7.3.
    Dsss,
    /// OFDM in 20 MHz: IEEE 802.11-2007 §17.3.9.2.
    Ofdm,
}

impl Modulation {
    /// The spectrum of what is sent so.
    pub const fn spectrum(self) -> Spectrum {
        match self {
            Modulation::Dbpsk | Modulation::Dqpsk | Modulation::Cck4 | Modulation::Cck8 => {
                Spectrum::Dsss
            }
            Modulation::Ofdm(..) => Spectrum::Ofdm,
        }
    }
}

impl Spectrum {
    /// The mask in dB below its top, so many megahertz from the centre.
    fn below_top(self, offset_mhz: f64) -> f64 {
        match self {
            Spectrum::Dsss if offset_mhz < 11.0 => 0.0,
            Spectrum::Dsss if offset_mhz < DSSS_ENDS_AT => 30.0,
            Spectrum::Dsss => 50.0,
            Spectrum::Ofdm => OFDM.windows(2).fold(OFDM[OFDM.len() - 1].1, |level, pair| {
                let [(from, above), (to, below)] = [pair[0], pair[1]];
                if (from..to).contains(&offset_mhz) {
                    above + (below - above) * (offset_mhz - from) / (to - from)
                } else {
                    level
                }
            }),
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Spectrum::Dsss => "DSSS",
            Spectrum::Ofdm => "OFDM",
        }
    }

    /// Returns whether anything of it but the level that it has everywhere lies in a band about a
    /// centre so many megahertz away.
    fn reaches(self, offset_mhz: u16, bandwidth_hz: u32) -> bool {
        let ends_at = match self {
            Spectrum::Dsss => DSSS_ENDS_AT,
            Spectrum::Ofdm => OFDM[OFDM.len() - 1].0,
        };
        f64::from(offset_mhz) < ends_at + f64::from(bandwidth_hz) / 2e6
    }

    /// Returns what a receiver loses of it that listens to `bandwidth_hz` about a centre so many
    /// megahertz away: the part of the mask in its band, against that in a band about the mask's
    /// own centre.
    ///
    /// None where only the level lies in the band that the mask has everywhere, over all bands there
    /// are: that is a bound, and nothing that a transmitter leaves. [inferred: ns-3's
    /// `WifiSpectrumValueHelper` ends its masks with their guard bands]
    pub fn loss(self, offset_mhz: u16, bandwidth_hz: u32) -> Option<Db> {
        if !self.reaches(offset_mhz, bandwidth_hz) {
            return None;
        }
        let within = |offset: f64| {
            let width = f64::from(bandwidth_hz) / 1e6;
            let steps = (width / STEP_MHZ) as u32;
            let level = |step: u32| {
                let at = offset - width / 2.0 + (f64::from(step) + 0.5) * STEP_MHZ;
                libm::pow(10.0, -self.below_top(at.abs()) / 10.0)
            };
            (0..steps).map(level).sum::<f64>()
        };
        let kept = within(f64::from(offset_mhz)) / within(0.0);
        Some(Db(-10.0 * libm::log10(kept)))
    }
}

/// Megahertz from the centre beyond which the mask of DSSS is level.
const DSSS_ENDS_AT: f64 = 22.0;

/// Megahertz from the centre and decibels below the top, straight in between and level beyond.
const OFDM: [(f64, f64); 5] = [
    (0.0, 0.0),
    (9.0, 0.0),
    (11.0, 20.0),
    (20.0, 28.0),
    (30.0, 40.0),
];

/// The step of the integration: the masks' corners lie on whole ones.
const STEP_MHZ: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;

    const BANDWIDTH: u32 = 22_000_000;

    #[test]
    fn in_its_own_channel_nothing_is_lost() {
        assert_eq!(Spectrum::Dsss.loss(0, BANDWIDTH), Some(Db(0.0)));
        assert_eq!(Spectrum::Ofdm.loss(0, 20_000_000), Some(Db(0.0)));
    }

    /// Of 22 MHz, 17 overlap with the next channel, and 2 with the fourth; from the fifth on a
    /// thousandth or less is left, and nothing beyond both skirts.
    #[test]
    fn dsss_loses_what_does_not_overlap() {
        let loss = |mhz| Spectrum::Dsss.loss(mhz, BANDWIDTH).expect("it reaches").0;
        let kept = |mhz| libm::pow(10.0, -loss(mhz) / 10.0);
        assert!((kept(5) - 17.005 / 22.0).abs() < 1e-6, "{}", kept(5));
        assert!((kept(20) - (2.0 + 0.011 + 9.0e-5) / 22.0).abs() < 1e-6);
        assert!((kept(25) - (0.008 + 14.0e-5) / 22.0).abs() < 1e-6);
        assert_eq!(Spectrum::Dsss.loss(60, BANDWIDTH), None);
    }

    /// The masks are level from 22 and from 30 MHz on; the band reaches 11 MHz towards them.
    #[test]
    fn it_reaches_as_far_as_its_skirts() {
        let reached = |spectrum: Spectrum, mhz| spectrum.loss(mhz, BANDWIDTH).is_some();
        assert_eq!(
            [32, 33].map(|mhz| reached(Spectrum::Dsss, mhz)),
            [true, false]
        );
        assert_eq!(
            [40, 41].map(|mhz| reached(Spectrum::Ofdm, mhz)),
            [true, false]
        );
    }

    #[test]
    fn a_farther_channel_never_hears_more() {
        for spectrum in [Spectrum::Dsss, Spectrum::Ofdm] {
            let losses: Vec<f64> = (0..=65)
                .map(|mhz| {
                    spectrum
                        .loss(mhz, BANDWIDTH)
                        .map_or(f64::INFINITY, |loss| loss.0)
                })
                .collect();
            assert!(losses.is_sorted(), "{losses:?}");
        }
    }
}
