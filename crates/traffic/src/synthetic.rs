//! Synthetic video: frame sizes with the published statistics of two traces of the TU Berlin's
//! archive (F. H. P. Fitzek and M. Reisslein, "MPEG-4 and H.263 Video Traces for Network
//! Performance Evaluation", IEEE Network 15(6), 2001), for who has not got the traces themselves.
//!
//! The archive's pages of statistics print mean, extremes and coefficient of variation of the
//! frames, the latter of groups of pictures, too, and Hurst parameters; they draw the
//! autocorrelation, but print no number of it. What stands for it here is that of the fractional
//! Gaussian noise with the Hurst parameter H that they print for twelve frames together,
//! r(k) = (|k+1|^2H - 2|k|^2H + |k-1|^2H) / 2 (Mandelbrot and Van Ness 1968), which the sum of three
//! first-order autoregressive processes has, with its time constants of 1, 10 and 100 steps, within
//! 0.015 up to a lag of 50: the weights solve that for least squares at the lags 1, 2, 3, 5, 8, 12,
//! 20, 30 and 50, after what the exponential of a lognormal law does to a correlation.

use units::Duration;

use crate::law::normal;

/// Variation of the size of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// Time from frame to frame.
    interval: Duration,
    /// Bytes of the smallest and the largest frame.
    limits: [f64; 2],
    /// Bytes that every frame has.
    floor: f64,
    /// Mean of the bytes above them.
    mean: f64,
    /// Of each frame of a group of pictures its mean, over that of all.
    pattern: &'static [f64],
    /// Variance of the logarithm of what a group of pictures has in common.
    activity: f64,
    /// Variance of the logarithm of what each frame has of its own.
    noise: f64,
    /// Of that in common, the shares that vary within 1, 10 and 100 groups of pictures.
    shares: [f64; 3],
}

/// The film: MPEG-4, "Star Wars IV" at high quality, 25 frames a second. Printed are the largest
/// frame, 9370 bytes, and 6.81 as its ratio to the mean, which hence is 1376 bytes; the smallest, 26;
/// coefficients of variation of 0.66 for frames and 0.38 for groups of 12; H = 0.838.
///
/// Inferred: I, P and B frames are as 3 to 2 to 1, in the order I BB P BB P BB P BB. From that and the
/// two coefficients follow the variances, with m the mean square of the pattern:
/// 1 + 0.66^2 = (1 + a)(1 + e) m and 1 + 0.38^2 = (1 + a)(1 + e m / 12) give a = 0.1390 and
/// e = 0.0468, of whose logarithms ln(1 + a) and ln(1 + e) are the variances.
pub const FILM: Statistics = Statistics {
    interval: Duration::from_millis(40),
    limits: [26.0, 9370.0],
    floor: 0.0,
    mean: 1376.0,
    pattern: &[I, B, B, P, B, B, P, B, B, P, B, B],
    activity: 0.1302,
    noise: 0.0457,
    shares: [0.5718, 0.1761, 0.2521],
};

/// 3, 2 and 1 over the mean of the twelve, 17 / 12.
const I: f64 = 36.0 / 17.0;
const P: f64 = 24.0 / 17.0;
const B: f64 = 12.0 / 17.0;

/// The call: H.263, "Lecture Room Cam" with an unspecified target bit rate. Printed are 45,459
/// frames in 3600 s, in the mean of 617.59 bytes, from 240 to 5760, with a coefficient of variation
/// of 0.60; H = 0.811.
///
/// Inferred: frames follow each other at two of the 40 ms, 79 ms being their mean. Above the
/// smallest size they are lognormal, with the mean 377.59 and the standard deviation 0.60 * 617.59:
/// ln(1 + 0.9814^2) is the variance of the logarithm.
pub const CALL: Statistics = Statistics {
    interval: Duration::from_millis(80),
    limits: [240.0, 5760.0],
    floor: 240.0,
    mean: 377.59,
    pattern: &[1.0],
    activity: 0.6745,
    noise: 0.0,
    shares: [0.5636, 0.2031, 0.2333],
};

/// A stream of synthetic frames.
#[derive(Clone, Debug)]
pub struct Synthetic {
    statistics: Statistics,
    /// The autoregressive processes, of variance 1.
    levels: [f64; 3],
    /// The activity of the group of pictures.
    activity: f64,
    /// The frame of it that is next.
    place: usize,
}

impl Synthetic {
    /// Correlations of the processes from one step to the next: exp(-1), exp(-1/10), exp(-1/100).
    const MEMORY: [f64; 3] = [0.367_879_441, 0.904_837_418, 0.990_049_834];

    /// A stream that has not begun.
    pub fn new(statistics: Statistics) -> Synthetic {
        Synthetic {
            statistics,
            levels: [0.0; 3],
            activity: 1.0,
            place: 0,
        }
    }

    /// Draws where it begins.
    pub fn begin(&mut self, mut draw: impl FnMut() -> f64) {
        self.levels = self.levels.map(|_| normal(&mut draw));
        self.place = 0;
    }

    /// The bytes of the next frame, and the time from it to the one behind it.
    pub fn next(&mut self, mut draw: impl FnMut() -> f64) -> (u32, Duration) {
        let of = self.statistics;
        if self.place == 0 {
            self.advance(&mut draw);
        }
        let noise = match of.noise {
            0.0 => 1.0,
            variance => lognormal(variance, normal(&mut draw)),
        };
        let bytes = of.floor + of.mean * of.pattern[self.place] * self.activity * noise;
        self.place = (self.place + 1) % of.pattern.len();
        let [least, most] = of.limits;
        (libm::round(bytes.clamp(least, most)) as u32, of.interval)
    }

    /// The next group of pictures.
    fn advance(&mut self, mut draw: impl FnMut() -> f64) {
        let mut together = 0.0;
        for ((level, memory), share) in
            (self.levels.iter_mut().zip(Self::MEMORY)).zip(self.statistics.shares)
        {
            *level = memory * *level + libm::sqrt(1.0 - memory * memory) * normal(&mut draw);
            together += libm::sqrt(share) * *level;
        }
        self.activity = lognormal(self.statistics.activity, together);
    }
}

/// A lognormal variable of mean 1 whose logarithm has this variance, for a normal one.
fn lognormal(variance: f64, normal: f64) -> f64 {
    libm::exp(libm::sqrt(variance) * normal - variance / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::random;

    /// Ten hours of frames.
    fn sizes(of: Statistics) -> Vec<f64> {
        let mut draw = random(1);
        let mut stream = Synthetic::new(of);
        stream.begin(&mut draw);
        let frames = 36_000_000_000_000 / of.interval.as_nanos();
        (0..frames)
            .map(|_| f64::from(stream.next(&mut draw).0))
            .collect()
    }

    fn mean(of: &[f64]) -> f64 {
        of.iter().sum::<f64>() / of.len() as f64
    }

    fn covariance(of: &[f64], lag: usize) -> f64 {
        let mean = mean(of);
        let products = of
            .iter()
            .zip(&of[lag..])
            .map(|(a, b)| (a - mean) * (b - mean));
        products.sum::<f64>() / of.len() as f64
    }

    fn variation(of: &[f64]) -> f64 {
        covariance(of, 0).sqrt() / mean(of)
    }

    fn is_near(value: f64, published: f64) {
        let off = value / published - 1.0;
        assert!(off.abs() < 0.05, "{value}, published {published}");
    }

    /// Within 0.05 of fractional Gaussian noise at three lags.
    fn is_as_noise(of: &[f64], hurst: f64) {
        for lag in [1, 5, 20] {
            let power = |at: f64| libm::pow(at, 2.0 * hurst);
            let at = lag as f64;
            let expected = (power(at + 1.0) - 2.0 * power(at) + power(at - 1.0)) / 2.0;
            let found = covariance(of, lag) / covariance(of, 0);
            assert!(
                (found - expected).abs() < 0.05,
                "{found}, not {expected} at {lag}"
            );
        }
    }

    fn largest(of: &[f64]) -> f64 {
        of.iter().copied().fold(0.0, f64::max)
    }

    #[test]
    fn the_film_has_the_statistics_of_star_wars_at_high_quality() {
        let sizes = sizes(FILM);
        is_near(mean(&sizes), 1376.0);
        is_near(largest(&sizes) / mean(&sizes), 6.81);
        is_near(variation(&sizes), 0.66);
        // The mean bit rate is printed as 2.8e5 bit/s.
        is_near(mean(&sizes) * 8.0 * 25.0, 2.8e5);
        let groups: Vec<f64> = sizes
            .chunks_exact(12)
            .map(|group| group.iter().sum())
            .collect();
        is_near(variation(&groups), 0.38);
        is_as_noise(&groups, 0.838);
    }

    #[test]
    fn the_call_has_the_statistics_of_the_lecture_room() {
        let sizes = sizes(CALL);
        is_near(mean(&sizes), 617.59);
        is_near(largest(&sizes), 5760.0);
        is_near(variation(&sizes), 0.60);
        // The mean bit rate is printed as 6.2e4 bit/s.
        is_near(mean(&sizes) * 8.0 / 0.08, 6.2e4);
        is_as_noise(&sizes, 0.811);
    }
}
