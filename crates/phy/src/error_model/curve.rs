//! Curves, by which an error model is asked.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::certain_sinr;
use crate::modulation::{CodeRate, Coding, Constellation, Modulation};

/// A model of how often OFDM errs. DSSS and CCK have one only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum ErrorModel {
    /// The union bound for hard decisions, of NIST; it knows the convolutional code only.
    #[default]
    Nist,
    /// Curves of our own simulation of links with soft decisions, one for each code.
    LinkSimulation,
}

impl ErrorModel {
    /// Every one.
    pub const ALL: [ErrorModel; 2] = [ErrorModel::Nist, ErrorModel::LinkSimulation];
}

/// A curve of errors over the ratio of signal to noise: of a modulation and its code, by a model.
// A number, as sections of frames have it and tables are found by it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Curve(u8);

/// Origin of a curve.
#[derive(Debug)]
pub(super) enum CurveOrigin {
    Dsss(Modulation),
    Nist(Constellation, CodeRate),
    Simulated(Coding, Constellation, CodeRate),
}

/// Curves of DSSS and CCK, which come first, then those of OFDM in each of these.
const SINGLE_CARRIER: [Modulation; 4] = [
    Modulation::Dbpsk,
    Modulation::Dqpsk,
    Modulation::Cck4,
    Modulation::Cck8,
];
const OFDM: [Option<Coding>; 3] = [None, Some(Coding::Bcc), Some(Coding::Ldpc)];

/// Code rates and constellations of each.
const CODE_RATES: [CodeRate; 4] = [
    CodeRate::Half,
    CodeRate::TwoThirds,
    CodeRate::ThreeQuarters,
    CodeRate::FiveSixths,
];
const CONSTELLATIONS: [Constellation; 6] = [
    Constellation::Bpsk,
    Constellation::Qpsk,
    Constellation::Qam16,
    Constellation::Qam64,
    Constellation::Qam256,
    Constellation::Qam1024,
];
const OF_OFDM: usize = CONSTELLATIONS.len() * CODE_RATES.len();

impl Curve {
    /// Number of numbers: the length of a table with a place for each curve.
    pub const NUMBERS: usize = SINGLE_CARRIER.len() + OFDM.len() * OF_OFDM;

    /// That of a modulation and its code.
    #[inline]
    pub const fn of(modulation: Modulation, coding: Coding, model: ErrorModel) -> Curve {
        let Modulation::Ofdm(constellation, code) = modulation else {
            return Curve::of_dsss(modulation);
        };
        let kind = match model {
            ErrorModel::Nist => 0,
            ErrorModel::LinkSimulation => 1 + coding as usize,
        };
        let within = constellation as usize * CODE_RATES.len() + code as usize;
        Curve((SINGLE_CARRIER.len() + kind * OF_OFDM + within) as u8)
    }

    /// That of a modulation beside OFDM, whatever the model.
    pub(crate) const fn of_dsss(modulation: Modulation) -> Curve {
        match modulation {
            Modulation::Dbpsk => Curve(0),
            Modulation::Dqpsk => Curve(1),
            Modulation::Cck4 => Curve(2),
            Modulation::Cck8 => Curve(3),
            Modulation::Ofdm(..) => panic!("OFDM has a curve of a model"),
        }
    }

    /// A number of its own.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The modulation.
    #[inline]
    pub const fn modulation(self) -> Modulation {
        match self.source() {
            CurveOrigin::Dsss(modulation) => modulation,
            CurveOrigin::Nist(constellation, code)
            | CurveOrigin::Simulated(_, constellation, code) => {
                Modulation::Ofdm(constellation, code)
            }
        }
    }

    /// [`Modulation::interference_weight`] of its modulation.
    #[inline]
    pub const fn interference_weight(self) -> f64 {
        match self.number() < SINGLE_CARRIER.len() {
            true => SINGLE_CARRIER[self.number()].interference_weight(),
            false => 1.0,
        }
    }

    /// The ratio from which on nothing worth counting is lost: [`super::certain_sinr`] of its modulation.
    #[inline]
    pub fn certain_sinr(self) -> f64 {
        CERTAIN_SINRS[self.number() % CERTAIN_SINRS.len()]
    }

    pub(super) const fn source(self) -> CurveOrigin {
        let Some(number) = self.number().checked_sub(SINGLE_CARRIER.len()) else {
            return CurveOrigin::Dsss(SINGLE_CARRIER[self.number()]);
        };
        let constellation = CONSTELLATIONS[number % OF_OFDM / CODE_RATES.len()];
        let code = CODE_RATES[number % CODE_RATES.len()];
        match OFDM[number / OF_OFDM] {
            None => CurveOrigin::Nist(constellation, code),
            Some(coding) => CurveOrigin::Simulated(coding, constellation, code),
        }
    }
}

/// By curve, as every frame asks for it.
static CERTAIN_SINRS: [f64; Curve::NUMBERS] = {
    let mut ratios = [0.0; Curve::NUMBERS];
    let mut number = 0;
    while number < ratios.len() {
        ratios[number] = certain_sinr(Curve(number as u8).modulation());
        number += 1;
    }
    ratios
};

impl fmt::Debug for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::mode::Mode;

    #[test]
    fn a_curve_remembers_what_it_is_of() {
        let legacy = Mode::all_legacy().map(Mode::modulation);
        for modulation in legacy.chain(Format::He.modulations().iter().copied()) {
            for coding in [Coding::Bcc, Coding::Ldpc] {
                for model in ErrorModel::ALL {
                    let curve = Curve::of(modulation, coding, model);
                    assert_eq!(curve.modulation(), modulation);
                    let weight = modulation.interference_weight();
                    assert_eq!(curve.interference_weight(), weight);
                    assert!(curve.number() < Curve::NUMBERS);
                }
            }
        }
        let of = |coding| {
            Curve::of(
                Mode::OFDM_54.modulation(),
                coding,
                ErrorModel::LinkSimulation,
            )
        };
        assert_ne!(of(Coding::Bcc), of(Coding::Ldpc));
    }
}
