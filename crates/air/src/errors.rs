//! The error model, asked through a table.
//!
//! A model costs some microseconds where it integrates, and on a channel with many senders every
//! frame asks for other ratios of signal to interference. So each curve has a table of intervals of
//! that ratio, 32 to a factor of two, with a cubic polynomial in each: through the model's values
//! at the four Chebyshev nodes, held against the model between them. Where it deviates, as where
//! a model has a kink, the interval asks the model itself. An interval is computed when it is
//! first asked for; it is a constant, so whoever computes it computes the same.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use phy::Curve;
use phy::error_model::{self, CERTAIN_SINR};
use units::Milliwatts;

/// The natural logarithm of the probability that a bit arrives intact.
///
/// For a frame of the longest, 2346 bytes, the table is within 1e-4 of the model in the logarithm
/// or in the probability.
#[inline(always)]
pub fn ln_success_per_bit(curve: Curve, sinr: f64) -> f64 {
    if sinr >= curve.certain_sinr() {
        return 0.0;
    }
    match TablePlace::of(sinr) {
        Some(place) => TABLE[curve.number()][place.interval].ask(curve, sinr, place),
        None => error_model::ln_success_per_bit(curve, sinr),
    }
}

/// The ratio from which on the logarithm is exactly zero: no bit is lost.
#[inline]
pub fn certain_from(curve: Curve) -> f64 {
    edge_of_doubt(curve)[1]
}

/// The ratio below which the logarithm is less than zero: bits may be lost.
#[inline]
pub fn doubtful_below(curve: Curve) -> f64 {
    edge_of_doubt(curve)[0]
}

/// Returns where the interval begins, and where it ends, in which a curve begins to be certain.
#[inline]
fn edge_of_doubt(curve: Curve) -> [f64; 2] {
    static KNOWN: [OnceLock<[f64; 2]>; Curve::NUMBERS] =
        [const { OnceLock::new() }; Curve::NUMBERS];
    *KNOWN[curve.number()].get_or_init(|| {
        let errs = |ratio| error_model::ln_success_per_bit(curve, ratio) < 0.0;
        let after = intervals_that(errs);
        [after - 1, after].map(|at| edge(at).min(curve.certain_sinr()))
    })
}

/// A ratio below which the probability that so many bits in a row arrive intact is low, by what
/// `is_low` says of its logarithm, and one from which on it is not.
pub fn turn(curve: Curve, bits: f64, is_low: impl Fn(f64) -> bool) -> [f64; 2] {
    let are_low = |ratio| is_low(bits * ln_success_per_bit(curve, ratio));
    let after = intervals_that(are_low);
    [after.checked_sub(1).map_or(0.0, edge), edge(after)]
}

/// Returns how many intervals begin at ratios that are low enough for something.
fn intervals_that(are_low: impl Fn(f64) -> bool) -> usize {
    let (mut low, mut high) = (0, INTERVALS);
    while low < high {
        let middle = usize::midpoint(low, high);
        match are_low(edge(middle)) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// Signal over noise and interference, as the demodulator sees it.
///
/// Noise is white and is held to the model's definition in the PHY's bandwidth. Interference from
/// another frame may weigh more: [`phy::Curve::interference_weight`].
#[inline]
pub fn sinr(curve: Curve, signal: Milliwatts, interference: Milliwatts, noise: Milliwatts) -> f64 {
    let weight = curve.interference_weight();
    signal.0 / (noise.0 + weight * interference.0)
}

/// Returns whether a signal is so far above the noise that no mode errs, as long as nothing
/// interferes.
#[inline]
pub fn is_certain(signal: Milliwatts, noise: Milliwatts) -> bool {
    signal >= certain_from_power(noise)
}

/// The signal from which on no mode errs, as long as nothing interferes.
#[inline]
pub fn certain_from_power(noise: Milliwatts) -> Milliwatts {
    Milliwatts(CERTAIN_SINR * noise.0)
}

static TABLE: [[NewtonInterval; INTERVALS]; Curve::NUMBERS] =
    [const { [const { NewtonInterval::unknown() }; INTERVALS] }; Curve::NUMBERS];

/// The ratios of the table: from 2⁻¹⁸, below which the first mode loses every other bit to within
/// 1e-4, to 2¹⁵, above every [`Curve::certain_sinr`].
const FIRST_OCTAVE: i64 = -18;
const OCTAVES: usize = 33;
const BITS_PER_OCTAVE: u32 = 5;
const INTERVALS: usize = OCTAVES << BITS_PER_OCTAVE;

/// Where the four nodes lie in an interval of length one: (1 − cos((2 k + 1) π / 8)) / 2.
const NODES: [f64; 4] = [
    0.038_060_233_744_356_62,
    0.308_658_283_817_455_1,
    0.691_341_716_182_544_9,
    0.961_939_766_255_643_4,
];

/// Where a polynomial through the nodes deviates most.
const BETWEEN: [f64; 3] = [0.17, 0.5, 0.83];

/// How far it may: a tenth of 1e-4 over the longest frame's bits, or, relative to the logarithm,
/// over the least one that a draw can meet.
const MOST_DEVIATION: (f64, f64) = (5e-10, 2e-6);

/// An interval of the table, and how far in it a ratio lies.
#[derive(Clone, Copy)]
struct TablePlace {
    interval: usize,
    within: f64,
}

impl TablePlace {
    /// The number's own exponent and the first bits of its mantissa number the intervals.
    #[inline]
    fn of(sinr: f64) -> Option<TablePlace> {
        const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
        const REST: u32 = MANTISSA - BITS_PER_OCTAVE;
        const ONE: u64 = 1.0_f64.to_bits();
        const FIRST: i64 = ((ONE >> MANTISSA) as i64 + FIRST_OCTAVE) << BITS_PER_OCTAVE;
        let bits = sinr.to_bits();
        let interval = usize::try_from((bits >> REST) as i64 - FIRST).ok()?;
        let rest = (bits & ((1 << REST) - 1)) << BITS_PER_OCTAVE;
        (interval < INTERVALS).then(|| TablePlace {
            interval,
            within: f64::from_bits(ONE | rest) - 1.0,
        })
    }

    /// The ratio at another place of its interval.
    fn moved(self, to: f64) -> f64 {
        let [from, until] = [self.interval, self.interval + 1].map(edge);
        from + to * (until - from)
    }
}

/// Where an interval begins.
fn edge(interval: usize) -> f64 {
    let (octave, step) = (
        interval >> BITS_PER_OCTAVE,
        interval & ((1 << BITS_PER_OCTAVE) - 1),
    );
    let within = 1.0 + step as f64 / f64::from(1 << BITS_PER_OCTAVE);
    libm::ldexp(within, FIRST_OCTAVE as i32 + octave as i32)
}

/// The coefficients of a polynomial in Newton's form, as bits of floats inverted, so that zero
/// stands for unknown. The first is no number where the model itself has to be asked.
struct NewtonInterval([AtomicU64; 4]);

impl NewtonInterval {
    const fn unknown() -> NewtonInterval {
        NewtonInterval([const { AtomicU64::new(0) }; 4])
    }

    #[inline]
    fn ask(&self, curve: Curve, sinr: f64, place: TablePlace) -> f64 {
        // The first coefficient is written last.
        let first = self.0[0].load(Ordering::Acquire);
        if first == 0 {
            return self.learn(curve, sinr, place);
        }
        let later = |index: usize| f64::from_bits(!self.0[index].load(Ordering::Relaxed));
        let newton = [f64::from_bits(!first), later(1), later(2), later(3)];
        value(curve, sinr, newton, place)
    }

    #[cold]
    #[inline(never)]
    fn learn(&self, curve: Curve, sinr: f64, place: TablePlace) -> f64 {
        let model = |at: f64| error_model::ln_success_per_bit(curve, place.moved(at));
        let mut newton = through(NODES.map(model));
        let deviates = BETWEEN.iter().any(|&at| {
            let exact = model(at);
            let (least, relative) = MOST_DEVIATION;
            (polynomial(newton, at) - exact).abs() > least - relative * exact
        });
        if deviates {
            newton[0] = f64::NAN;
        }
        for (kept, coefficient) in self.0.iter().zip(newton).rev() {
            kept.store(!coefficient.to_bits(), Ordering::Release);
        }
        value(curve, sinr, newton, place)
    }
}

#[inline]
fn value(curve: Curve, sinr: f64, newton: [f64; 4], place: TablePlace) -> f64 {
    if newton[0].is_nan() {
        return error_model::ln_success_per_bit(curve, sinr);
    }
    polynomial(newton, place.within).min(0.0)
}

/// Newton's divided differences of values at the nodes.
fn through(mut values: [f64; 4]) -> [f64; 4] {
    for order in 1..values.len() {
        for node in (order..values.len()).rev() {
            let difference = values[node] - values[node - 1];
            values[node] = difference / (NODES[node] - NODES[node - order]);
        }
    }
    values
}

#[inline]
fn polynomial([a, b, c, d]: [f64; 4], at: f64) -> f64 {
    a + (at - NODES[0]) * (b + (at - NODES[1]) * (c + (at - NODES[2]) * d))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use phy::{Coding, ErrorModel, Format, Mode};

    use super::*;

    /// Those of DSSS, and of OFDM in either model.
    fn curves() -> impl Iterator<Item = Curve> {
        let modulations = Mode::all_legacy().map(Mode::modulation);
        let in_bcc = modulations.flat_map(|modulation| {
            ErrorModel::ALL.map(|model| Curve::of(modulation, Coding::Bcc, model))
        });
        let in_ldpc = Format::He.modulations()[..8]
            .iter()
            .map(|&modulation| Curve::of(modulation, Coding::Ldpc, ErrorModel::LinkSimulation));
        in_bcc.chain(in_ldpc)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn the_table_is_within_a_ten_thousandth_of_the_model(
            curve in prop::sample::select(curves().collect::<Vec<_>>()),
            decibels in -60.0..31.0_f64,
            bits in 1.0..19_000.0_f64,
        ) {
            let sinr = libm::pow(10.0, decibels / 10.0);
            let asked = bits * ln_success_per_bit(curve, sinr);
            let exact = bits * error_model::ln_success_per_bit(curve, sinr);
            prop_assert!(asked <= 0.0);
            let deviation = (asked - exact).abs();
            let apart = (asked.exp() - exact.exp()).abs();
            prop_assert!(deviation < 1e-4 || apart < 1e-4, "{asked} {exact}");
        }
    }

    proptest! {
        #[test]
        fn a_probability_is_low_below_its_turn_and_not_above(
            curve in prop::sample::select(curves().collect::<Vec<_>>()),
            bits in 24.0..19_000.0_f64,
            low in prop::sample::select(vec![-36.8, -1.0, -1e-3]),
            part in 0.0..1.0_f64,
        ) {
            let [below, from] = turn(curve, bits, |ln_success| ln_success < low);
            let ln_success = |ratio| bits * ln_success_per_bit(curve, ratio);
            let deviation = 1e-5 * (1.0 - low);
            prop_assert!(below == 0.0 || ln_success(part * below) < low + deviation);
            prop_assert!(ln_success(from / part) > low - deviation);
            prop_assert!(from < 1.05 * below || below == 0.0);
        }
    }

    #[test]
    fn where_the_model_is_certain_the_table_is() {
        for curve in curves() {
            assert_eq!(ln_success_per_bit(curve, CERTAIN_SINR), 0.0);
            let from = certain_from(curve);
            assert_eq!(
                ln_success_per_bit(curve, from),
                0.0,
                "{curve:?} from {from}"
            );
            assert!(
                ln_success_per_bit(curve, 0.9 * from) < 0.0,
                "{curve:?} below {from}"
            );
            assert_eq!(ln_success_per_bit(curve, 0.9 * CERTAIN_SINR), 0.0);
            assert_eq!(ln_success_per_bit(curve, f64::INFINITY), 0.0);
        }
    }

    #[test]
    fn below_the_edge_of_doubt_no_ratio_is_certain() {
        for curve in curves() {
            let below = doubtful_below(curve);
            assert!(below < certain_from(curve) && 1.04 * below > certain_from(curve));
            // A few in each of the table's intervals, and those next to the edge.
            let ratios = (0..20_000).map(|step| below * libm::exp(-1e-3 * f64::from(step) - 1e-9));
            for ratio in ratios {
                assert!(
                    ln_success_per_bit(curve, ratio) < 0.0,
                    "{curve:?} at {ratio}"
                );
            }
        }
    }
}
