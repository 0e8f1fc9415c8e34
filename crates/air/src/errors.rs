//! Bit errors of a frame whose interference changes under way.

use dot11::error_model::{CERTAIN_SINR, ln_success_per_bit};
use dot11::{Frame, Mode, Preamble};
use units::{Duration, Milliwatts};

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

/// A stretch of a PPDU sent with one modulation.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    pub mode: Mode,
    /// Since the PPDU's first bit.
    pub until: Duration,
    pub bits: f64,
}

/// The PPDU of `frame` by modulation (IEEE 802.11-2007, 18.2.2): preamble, PLCP header, MPDU.
///
/// A long preamble and its header are 144 + 48 bits at 1 Mbit/s; a short preamble
/// is 72 bits at 1 Mbit/s and its header 48 bits at 2 Mbit/s.
pub fn sections(frame: &Frame) -> [Section; 3] {
    let plcp = frame.plcp_time();
    let (preamble, header) = match frame.preamble {
        _ if frame.mode == Mode::Dsss1 => (144, Mode::Dsss1),
        Preamble::Long => (144, Mode::Dsss1),
        Preamble::Short => (72, Mode::Dsss2),
    };
    let bits = f64::from(frame.bytes) * 8.0;
    [
        Section {
            mode: Mode::Dsss1,
            until: Duration::from_micros(preamble),
            bits: preamble as f64,
        },
        Section {
            mode: header,
            until: plcp,
            bits: 48.0,
        },
        Section {
            mode: frame.mode,
            until: frame.airtime(),
            bits,
        },
    ]
}

/// Signal over noise and interference, as the demodulator of `mode` sees it.
///
/// Noise is white and is held to the model's definition in 22 MHz. Interference
/// from another DSSS frame is not: a Barker-spread signal of the same code is
/// despread like the signal itself and gains nothing against it, so it weighs by
/// the processing gain of 11 (11 chips a symbol; IEEE 802.11-2007, 15.4.6.3).
/// CCK codewords of two frames are unrelated and weigh as noise. [inferred from
/// the despreader's definition; no measurement is cited by the papers]
#[inline]
pub fn sinr(mode: Mode, signal: Milliwatts, interference: Milliwatts, noise: Milliwatts) -> f64 {
    const BARKER_GAIN: f64 = 11.0;
    let weight = match mode {
        Mode::Dsss1 | Mode::Dsss2 => BARKER_GAIN,
        Mode::Cck5_5 | Mode::Cck11 => 1.0,
    };
    signal.0 / (noise.0 + weight * interference.0)
}

/// Whether a signal is so far above the noise that no mode errs, as long as nothing interferes.
#[inline]
pub fn is_certain(signal: Milliwatts, noise: Milliwatts) -> bool {
    signal.0 >= CERTAIN_SINR * noise.0
}
