//! Curves through counts: a complementary log-log regression.
//!
//! If events that damage a frame come independently of each other along it, `h` of them in a bit, a
//! frame of `n` bits is lost with the probability 1 − exp(−h n). The logarithm of `h` is taken as a
//! polynomial of the ratio of signal to noise in decibels, and its coefficients are those under which
//! the counts are likeliest.

use phy::error_model::{Fitted, TERMS};

use crate::counts::Count;

/// Steps of Fisher's scoring; it converges in about four.
const STEPS: usize = 20;

/// The likeliest curve through counts, and how far they lie from it: the deviance, which has as many
/// degrees of freedom as there are counts less [`TERMS`].
pub fn fit(counts: &[Count]) -> (Fitted, f64) {
    let ratios = counts.iter().map(|count| count.snr_db);
    let first = ratios.clone().fold(f64::INFINITY, f64::min);
    let last = ratios.fold(f64::NEG_INFINITY, f64::max);
    let mut fitted = Fitted {
        from_db: first,
        until_db: last,
        terms: [0.0; TERMS],
    };
    fitted.terms = near(&fitted, counts);
    for _ in 0..STEPS {
        let step = scoring(&fitted, counts);
        for (term, step) in fitted.terms.iter_mut().zip(step) {
            *term += step;
        }
    }
    let deviance = counts.iter().map(|count| deviance(&fitted, count)).sum();
    (fitted, deviance)
}

/// The probability by a curve that one of a count is lost.
pub fn chance(fitted: &Fitted, count: &Count) -> f64 {
    -libm::expm1(-events(fitted, count))
}

/// Returns how many events are expected in one of a count.
fn events(fitted: &Fitted, count: &Count) -> f64 {
    count.bits as f64 * libm::exp(fitted.ln_events_per_bit(count.snr_db))
}

/// Returns how far a count lies from a curve: about a squared standard error in the mean.
fn deviance(fitted: &Fitted, count: &Count) -> f64 {
    let part = |found: f64, expected: f64| match found {
        0.0 => 0.0,
        _ => 2.0 * found * libm::log(found / expected),
    };
    let [sent, lost] = [count.sent, count.lost].map(|count| count as f64);
    let expected = sent * chance(fitted, count);
    part(lost, expected) + part(sent - lost, sent - expected)
}

/// Terms to begin with: the least squares of the logarithms that each count by itself gives.
fn near(fitted: &Fitted, counts: &[Count]) -> [f64; TERMS] {
    let mut squares = [[0.0; TERMS]; TERMS];
    let mut right = [0.0; TERMS];
    for count in counts {
        let lost = count.lost as f64 / count.sent as f64;
        let found = libm::log(-libm::log1p(-lost) / count.bits as f64);
        let powers = fitted.powers(count.snr_db);
        for (row, power) in powers.iter().enumerate() {
            right[row] += power * found;
            for (column, other) in powers.iter().enumerate() {
                squares[row][column] += power * other;
            }
        }
    }
    solve(squares, right)
}

/// A step of Fisher's scoring towards the likeliest terms.
fn scoring(fitted: &Fitted, counts: &[Count]) -> [f64; TERMS] {
    let mut information = [[0.0; TERMS]; TERMS];
    let mut slope = [0.0; TERMS];
    for count in counts {
        let events = events(fitted, count);
        let lost = -libm::expm1(-events);
        // Of the probability by the logarithm of the events.
        let change = events * libm::exp(-events);
        let variance = lost * (1.0 - lost);
        let [sent, found] = [count.sent, count.lost].map(|count| count as f64);
        let powers = fitted.powers(count.snr_db);
        for (row, power) in powers.iter().enumerate() {
            slope[row] += power * change * (found - sent * lost) / variance;
            for (column, other) in powers.iter().enumerate() {
                information[row][column] += power * other * sent * change * change / variance;
            }
        }
    }
    solve(information, slope)
}

/// The solution of a system of linear equations whose matrix is positive definite, by elimination.
fn solve(mut matrix: [[f64; TERMS]; TERMS], mut right: [f64; TERMS]) -> [f64; TERMS] {
    for pivot in 0..TERMS {
        let (above, above_right) = (matrix[pivot], right[pivot]);
        for row in pivot + 1..TERMS {
            let factor = matrix[row][pivot] / above[pivot];
            for (entry, above) in matrix[row].iter_mut().zip(above) {
                *entry -= factor * above;
            }
            right[row] -= factor * above_right;
        }
    }
    for row in (0..TERMS).rev() {
        let known: f64 = (row + 1..TERMS)
            .map(|column| matrix[row][column] * right[column])
            .sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts that lie on a curve exactly, but for their being whole numbers.
    #[test]
    fn a_curve_is_found_again_in_what_it_gives() {
        let curve = Fitted {
            from_db: 10.0,
            until_db: 14.0,
            terms: [-9.0, -5.0, -0.7, 0.2],
        };
        let count = |step: u32| {
            let snr_db = 10.0 + 0.25 * f64::from(step);
            let mut count = Count {
                curve: "bcc 16-qam 3/4".parse().unwrap(),
                snr_db,
                bits: if step < 6 { 256 } else { 11_664 },
                sent: 100_000_000,
                lost: 0,
            };
            count.lost = (1e8 * chance(&curve, &count)).round() as u64;
            count
        };
        let counts: Vec<Count> = (0..17).map(count).collect();
        let (fitted, deviance) = fit(&counts);
        assert_eq!([fitted.from_db, fitted.until_db], [10.0, 14.0]);
        for (found, expected) in fitted.terms.iter().zip(curve.terms) {
            assert!((found - expected).abs() < 1e-3, "{found} for {expected}");
        }
        assert!(deviance < 1.0, "{deviance}");
    }
}
