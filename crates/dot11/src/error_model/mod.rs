//! Error models: the probability that a stretch of a frame arrives intact.
//!
//! A frame is judged in *chunks*, stretches during which mode and interference do not change. A
//! chunk's success probability is the per-bit one to the power of its length, so the per-bit
//! logarithm ([`ln_success_per_bit`]) is what is worth remembering: it depends on mode and SINR
//! only and serves every length. All transcendental functions are `libm`'s, so that records agree
//! between machines.

mod dsss;
mod ofdm;

use crate::mode::{Mode, Modulation};

/// Below this probability of losing a symbol the loss counts as none: the longest frame is then
/// lost once in 10¹¹ times, far below anything a run can show, and the caller can skip the draw.
const NEGLIGIBLE: f64 = 1e-15;

/// From this signal to interference and noise ratio on, 30 dB, no mode loses anything worth
/// counting: [`ln_success_per_bit`] is exactly zero.
pub const CERTAIN_SINR: f64 = 1e3;

/// The natural logarithm of the probability that one bit arrives intact at the linear signal to
/// interference and noise ratio `sinr`, taken over 22 MHz of DSSS and CCK and 20 MHz of OFDM.
/// Exactly zero where the loss is negligible.
pub fn ln_success_per_bit(mode: Mode, sinr: f64) -> f64 {
    let (bits, symbol_error_rate) = match mode.modulation() {
        Modulation::Dbpsk => (1.0, dsss::dbpsk_bit_error_rate(sinr)),
        Modulation::Dqpsk => (1.0, dsss::dqpsk_bit_error_rate(sinr)),
        Modulation::Cck4 => (4.0, dsss::cck_5_5_symbol_error_rate(sinr)),
        Modulation::Cck8 => (8.0, dsss::cck_11_symbol_error_rate(sinr)),
        Modulation::Ofdm(constellation, code) => {
            (1.0, ofdm::bit_error_rate(constellation, code, sinr))
        }
    };
    if symbol_error_rate < NEGLIGIBLE {
        0.0
    } else {
        libm::log1p(-symbol_error_rate) / bits
    }
}

/// The probability that `bits` bits in a row arrive intact. Exactly one where the loss is
/// negligible.
pub fn chunk_success(mode: Mode, sinr: f64, bits: f64) -> f64 {
    libm::exp(bits * ln_success_per_bit(mode, sinr))
}

/// The bit error rate; for CCK the one that would lose symbols as often, were bits independent.
pub fn bit_error_rate(mode: Mode, sinr: f64) -> f64 {
    -libm::expm1(ln_success_per_bit(mode, sinr))
}
