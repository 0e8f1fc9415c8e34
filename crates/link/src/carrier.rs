//! A carrier of OFDM: bits to a point of the constellation, and back to soft bits.
//!
//! IEEE 802.11-2020, 17.3.5.8 and 21.3.10.9; IEEE 802.11ax-2021, 27.3.12.9.

use phy::Constellation;

use crate::noise::Noise;

/// Amplitudes of one of the two axes of a constellation, with Gray's code on them: neighbours
/// differ in one bit.
#[derive(Debug)]
pub struct Axis {
    bits: usize,
    /// From the lowest, at a mean power of 1 of the carrier.
    amplitudes: Vec<f32>,
    /// By bit: the levels at which it is zero, and at which it is one.
    levels: Vec<[Vec<f32>; 2]>,
    axes: usize,
}

impl Axis {
    /// That of a constellation.
    pub fn of(constellation: Constellation) -> Axis {
        let axes = if constellation.bits() == 1 { 1 } else { 2 };
        let bits = constellation.bits() as usize / axes;
        let count = 1 << bits;
        // The mean square of ±1, ±3, … ±(count − 1).
        let mean_square = f64::from(count * count - 1) / 3.0;
        let unit = 1.0 / libm::sqrt(axes as f64 * mean_square);
        let amplitude = |level: i32| (f64::from(2 * level - count + 1) * unit) as f32;
        let amplitudes: Vec<f32> = (0..count).map(amplitude).collect();
        let with = |bit: usize, value| {
            let has = |&level: &i32| bit_of(gray(level), bit, bits) == value;
            (0..count).filter(has).map(amplitude).collect()
        };
        let levels = (0..bits).map(|bit| [with(bit, 0), with(bit, 1)]);
        Axis {
            bits,
            levels: levels.collect(),
            amplitudes,
            axes,
        }
    }

    /// Sends bits over carriers of a ratio of signal to noise, and gives how much nearer each is to
    /// zero than to one. Bits must fill the carriers.
    ///
    /// The larger of two logarithms stands for that of the sum (max-log), as in hardware. What is
    /// given is not divided by the noise, as no decoder here asks for the scale.
    pub fn send(&self, bits: &[u8], snr_db: f64, noise: &mut Noise, soft: &mut Vec<f32>) {
        debug_assert!(bits.len().is_multiple_of(self.bits * self.axes));
        let deviation = libm::sqrt(0.5 * libm::pow(10.0, -snr_db / 10.0)) as f32;
        soft.clear();
        for label in bits.chunks_exact(self.bits) {
            let level = ungray(
                label
                    .iter()
                    .fold(0, |label, &bit| label << 1 | usize::from(bit)),
            );
            let received = self.amplitudes[level] + deviation * noise.normal();
            let distance = |levels: &[f32]| {
                let squares = levels
                    .iter()
                    .map(|level| (received - level) * (received - level));
                squares.fold(f32::INFINITY, f32::min)
            };
            soft.extend(
                self.levels
                    .iter()
                    .map(|[zero, one]| distance(one) - distance(zero)),
            );
        }
    }
}

/// The label of a level in Gray's code.
fn gray(level: i32) -> i32 {
    level ^ level >> 1
}

/// The level of a label.
fn ungray(label: usize) -> usize {
    let mut level = label;
    let mut shift = label >> 1;
    while shift > 0 {
        level ^= shift;
        shift >>= 1;
    }
    level
}

/// A bit of a label; the first one stands foremost.
fn bit_of(label: i32, bit: usize, bits: usize) -> i32 {
    label >> (bits - 1 - bit) & 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Constellation; 6] = [
        Constellation::Bpsk,
        Constellation::Qpsk,
        Constellation::Qam16,
        Constellation::Qam64,
        Constellation::Qam256,
        Constellation::Qam1024,
    ];

    #[test]
    fn levels_of_64_qam_are_labelled_as_in_the_standard() {
        let axis = Axis::of(Constellation::Qam64);
        let labels = [0b000, 0b001, 0b011, 0b010, 0b110, 0b111, 0b101, 0b100];
        for (level, label) in labels.into_iter().enumerate() {
            assert_eq!(ungray(label), level);
            assert_eq!(gray(level as i32), label as i32);
        }
        let unit = 1.0 / 42_f32.sqrt();
        assert!((axis.amplitudes[0] + 7.0 * unit).abs() < 1e-6);
        assert!((axis.amplitudes[4] - unit).abs() < 1e-6);
    }

    #[test]
    fn without_noise_bits_come_back_and_carriers_have_a_mean_power_of_one() {
        for constellation in ALL {
            let axis = Axis::of(constellation);
            let power = axis.amplitudes.iter().map(|a| a * a).sum::<f32>();
            let mean = axis.axes as f32 * power / axis.amplitudes.len() as f32;
            assert!((mean - 1.0).abs() < 1e-5, "{constellation:?}: {mean}");
            let mut noise = Noise::new(1, "carrier");
            let mut bits = vec![0; 120 * constellation.bits() as usize];
            noise.draw_bits(&mut bits);
            let mut soft = Vec::new();
            axis.send(&bits, 90.0, &mut noise, &mut soft);
            let hard: Vec<u8> = soft.iter().map(|&soft| u8::from(soft < 0.0)).collect();
            assert_eq!(hard, bits, "{constellation:?}");
        }
    }

    /// The symbol error rate of a square constellation is known in closed form, and next to none of
    /// the errors is of more than one bit.
    #[test]
    fn bits_decided_wrongly_are_as_many_as_the_closed_form_says() {
        for (constellation, snr_db) in ALL.into_iter().zip([4.0, 7.0, 14.0, 20.0, 26.0, 32.0]) {
            let axis = Axis::of(constellation);
            let levels = axis.amplitudes.len() as f64;
            let half_step = f64::from(axis.amplitudes[1] - axis.amplitudes[0]) / 2.0;
            let snr = 10_f64.powf(snr_db / 10.0);
            let crossing = 0.5 * libm::erfc(half_step * snr.sqrt());
            let expected = 2.0 * (1.0 - 1.0 / levels) * crossing / axis.bits as f64;
            let mut noise = Noise::new(2, "closed form");
            let mut bits = vec![0; 1 << 20];
            bits.truncate(
                bits.len() / constellation.bits() as usize * constellation.bits() as usize,
            );
            noise.draw_bits(&mut bits);
            let mut soft = Vec::new();
            axis.send(&bits, snr_db, &mut noise, &mut soft);
            let wrong = bits
                .iter()
                .zip(&soft)
                .filter(|(bit, soft)| u8::from(**soft < 0.0) != **bit);
            let found = wrong.count() as f64 / bits.len() as f64;
            let error = 5.0 * (expected / bits.len() as f64).sqrt() + 0.01 * expected;
            assert!(
                (found - expected).abs() < error,
                "{constellation:?}: {found} for {expected}"
            );
        }
    }
}
