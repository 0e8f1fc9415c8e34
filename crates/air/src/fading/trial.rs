//! What the tests of processes ask of them: samples, and what statistics they have.

use units::{Duration, Time};

use crate::stations::ReceptionRandom;
use crate::varying::Process;

/// SplitMix64, far better than a trial needs.
#[derive(Clone, Debug)]
pub struct TrialRandom(pub u64);

impl ReceptionRandom for TrialRandom {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Gains, a step apart.
pub fn sampled(process: &mut impl Process, step: Duration, count: u64) -> Vec<f64> {
    let at = |number: u64| Time::ZERO + step * number;
    (0..count).map(|number| process.gain(at(number))).collect()
}

/// Gains of several links.
pub fn ensemble<P: Process>(
    links: u64,
    make: impl Fn(u64) -> P,
    step: Duration,
    count: u64,
) -> Vec<Vec<f64>> {
    let seeds = (0..links).map(|link| 1000 * (link + 1));
    seeds
        .map(|seed| sampled(&mut make(seed), step, count))
        .collect()
}

pub fn decibels(gain: f64) -> f64 {
    10.0 * gain.log10()
}

/// The lengths in samples of whole runs below a level.
pub fn runs_below(values: &[f64], level: f64) -> impl Iterator<Item = usize> {
    let runs = values.chunk_by(move |a, b| (*a < level) == (*b < level));
    let whole: Vec<_> = runs.collect();
    let inner = whole.len().saturating_sub(1).max(1);
    let below = whole[1..inner].iter().filter(|run| run[0] < level);
    below.map(|run| run.len()).collect::<Vec<_>>().into_iter()
}

/// Returns how often a level is crossed upwards.
pub fn crossings(links: &[Vec<f64>], level: f64) -> f64 {
    let upward = |gains: &Vec<f64>| {
        let pairs = gains.windows(2);
        pairs
            .filter(|pair| pair[0] < level && pair[1] >= level)
            .count()
    };
    links.iter().map(upward).sum::<usize>() as f64
}

pub fn share_below(links: &[Vec<f64>], level: f64) -> f64 {
    let all = links.iter().flatten();
    let below = all.clone().filter(|&&gain| gain < level).count();
    below as f64 / all.count() as f64
}

/// That of all links together, their mean taken off.
pub fn autocorrelation(links: &[Vec<f64>], lag: usize) -> f64 {
    let all = || links.iter().flatten();
    let mean = all().sum::<f64>() / all().count() as f64;
    let product = |lag: usize| {
        let pairs = links
            .iter()
            .flat_map(|gains| gains.iter().zip(&gains[lag..]));
        let products = pairs.map(|(a, b)| (a - mean) * (b - mean));
        let (sum, count) = products.fold((0.0, 0), |(sum, count), each| (sum + each, count + 1));
        sum / f64::from(count)
    };
    product(lag) / product(0)
}

#[track_caller]
pub fn near(found: f64, expected: f64, within: f64) {
    let off = (found / expected - 1.0).abs();
    assert!(off < within, "found {found}, expected {expected}");
}
