//! Bit errors of a frame whose interference changes under way.

use dot11::Mode;
use dot11::error_model::{CERTAIN_SINR, ln_success_per_bit};
use units::Milliwatts;

/// Remembers the error model's answers, which are costly and recur.
///
/// As long as powers stand still, only as many ratios of signal to interference
/// occur as there are combinations of simultaneous transmitters.
#[derive(Debug)]
pub struct ErrorMemo {
    slots: Vec<Option<(u64, Mode, f64)>>,
}

impl ErrorMemo {
    const SLOTS: usize = 1024;

    pub fn new() -> Self {
        ErrorMemo {
            slots: vec![None; Self::SLOTS],
        }
    }

    /// Natural logarithm of the probability that a bit sent with `mode` survives.
    #[inline]
    pub fn ln_success_per_bit(&mut self, mode: Mode, sinr: f64) -> f64 {
        let bits = sinr.to_bits();
        let hash = (bits ^ mode as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54;
        let slot = &mut self.slots[hash as usize];
        match *slot {
            Some((known, for_mode, answer)) if known == bits && for_mode == mode => answer,
            _ => {
                let answer = ln_success_per_bit(mode, sinr);
                *slot = Some((bits, mode, answer));
                answer
            }
        }
    }
}

/// Signal over noise and interference, as the demodulator of `mode` sees it.
///
/// Noise is white and is held to the model's definition in the PHY's bandwidth. Interference from
/// another frame may weigh more: [`dot11::Modulation::interference_weight`].
#[inline]
pub fn sinr(mode: Mode, signal: Milliwatts, interference: Milliwatts, noise: Milliwatts) -> f64 {
    let weight = mode.modulation().interference_weight();
    signal.0 / (noise.0 + weight * interference.0)
}

/// Whether a signal is so far above the noise that no mode errs, as long as nothing interferes.
#[inline]
pub fn is_certain(signal: Milliwatts, noise: Milliwatts) -> bool {
    signal.0 >= CERTAIN_SINR * noise.0
}
