//! How far values lie apart: their standard deviation, and the confidence interval of their mean.

/// Student's t, two-sided 95 %, for 1 to 10 degrees of freedom (ISO 2602, table 1).
const QUANTILES: [f64; 10] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
];

/// The standard deviation of a sample; none of fewer than two values.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let count = values.len();
    if count < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1) as f64).sqrt())
}

/// The half-width of the 95 % interval of the mean; none of fewer than two values.
pub fn half_width(values: &[f64]) -> Option<f64> {
    let (deviation, count) = (deviation(values)?, values.len());
    Some(quantile(count - 1) * deviation / (count as f64).sqrt())
}

/// Beyond the table the expansion around the normal quantile, exact to 1e-4 there
/// (Abramowitz and Stegun, 26.7.5).
fn quantile(degrees: usize) -> f64 {
    const NORMAL: f64 = 1.959_964;
    if let Some(&tabulated) = QUANTILES.get(degrees - 1) {
        return tabulated;
    }
    let (z, n) = (NORMAL, degrees as f64);
    z + (z.powi(3) + z) / (4.0 * n)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
        + (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / (384.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, expected) in [
            (1, 12.706),
            (10, 2.228),
            (11, 2.201),
            (30, 2.042),
            (120, 1.980),
        ] {
            assert!((quantile(degrees) - expected).abs() < 6e-4, "{degrees}");
        }
    }

    #[test]
    fn an_interval_needs_two_values() {
        assert_eq!((half_width(&[]), half_width(&[3.0])), (None, None));
        let half = half_width(&[1.0, 3.0]).expect("there are two");
        assert!((half - 12.706).abs() < 1e-9, "the deviation is √2, over √2");
    }
}
