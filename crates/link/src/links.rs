//! Links: everything between the bits that are sent and those that are decoded.

use phy::{CodeRate, Constellation};

use crate::carrier::Axis;
use crate::convolutional::{TAIL, Viterbi, encode};
use crate::interleaver::InterleaverLayout;
use crate::ldpc::{BlockLength, Code, Decoder};
use crate::noise::Noise;

/// A link over which something is sent time after time.
pub trait SimulatedLink {
    /// Data bits of what arrives as a whole or not: a frame, or a codeword.
    fn bits(&self) -> usize;

    /// Sends a few at a ratio of signal to noise; how many they were, and how many were lost.
    fn send(&mut self, snr_db: f64, noise: &mut Noise) -> [u64; 2];
}

/// Frames in the convolutional code.
#[derive(Debug)]
pub struct Bcc {
    axis: Axis,
    rate: CodeRate,
    places: Vec<usize>,
    viterbi: Viterbi,
    /// The data with its tail, as sent and as decoded.
    data: [Vec<u8>; 2],
    /// Coded bits in the order of the encoder, and in that of the carriers.
    coded: Vec<u8>,
    carried: Vec<u8>,
    /// Soft bits in the order of the carriers, and in that of the decoder.
    received: Vec<f32>,
    soft: Vec<f32>,
}

impl Bcc {
    /// Frames of so many bits.
    pub fn new(
        constellation: Constellation,
        rate: CodeRate,
        layout: InterleaverLayout,
        bits: usize,
    ) -> Bcc {
        Bcc {
            axis: Axis::of(constellation),
            rate,
            places: layout.places(constellation),
            viterbi: Viterbi::default(),
            data: [vec![0; bits + TAIL], vec![0; bits + TAIL]],
            coded: Vec::new(),
            carried: Vec::new(),
            received: Vec::new(),
            soft: Vec::new(),
        }
    }
}

impl SimulatedLink for Bcc {
    fn bits(&self) -> usize {
        self.data[0].len() - TAIL
    }

    fn send(&mut self, snr_db: f64, noise: &mut Noise) -> [u64; 2] {
        let bits = self.bits();
        let [sent, decoded] = &mut self.data;
        noise.draw_bits(&mut sent[..bits]);
        encode(sent, self.rate, &mut self.coded);

        // What fills the last symbol may be anything.
        let symbol = self.places.len();
        let coded = self.coded.len();
        self.coded.resize(coded.next_multiple_of(symbol), 0);
        noise.draw_bits(&mut self.coded[coded..]);

        self.carried.resize(self.coded.len(), 0);
        let symbols = self
            .coded
            .chunks(symbol)
            .zip(self.carried.chunks_mut(symbol));
        for (coded, carried) in symbols {
            for (bit, &place) in coded.iter().zip(&self.places) {
                carried[place] = *bit;
            }
        }
        self.axis
            .send(&self.carried, snr_db, noise, &mut self.received);
        self.soft.resize(self.received.len(), 0.0);
        let symbols = self
            .received
            .chunks(symbol)
            .zip(self.soft.chunks_mut(symbol));
        for (received, soft) in symbols {
            for (soft, &place) in soft.iter_mut().zip(&self.places) {
                *soft = received[place];
            }
        }
        self.viterbi.decode(&self.soft[..coded], self.rate, decoded);
        [1, u64::from(sent != decoded)]
    }
}

/// Codewords of a low-density parity-check code, one behind the other.
#[derive(Debug)]
pub struct Ldpc {
    axis: Axis,
    code: Code,
    sent: Vec<u8>,
    received: Vec<f32>,
}

/// So many codewords of each block length fill carriers of any constellation.
const TOGETHER: usize = 5;

impl Ldpc {
    /// Codewords of a block length.
    pub fn new(constellation: Constellation, rate: CodeRate, length: BlockLength) -> Ldpc {
        let code = Code::new(length, rate);
        Ldpc {
            axis: Axis::of(constellation),
            sent: vec![0; TOGETHER * code.coded_bits()],
            received: Vec::new(),
            code,
        }
    }
}

impl SimulatedLink for Ldpc {
    fn bits(&self) -> usize {
        self.code.data_bits()
    }

    fn send(&mut self, snr_db: f64, noise: &mut Noise) -> [u64; 2] {
        let [coded, data] = [self.code.coded_bits(), self.code.data_bits()];
        for codeword in self.sent.chunks_mut(coded) {
            noise.draw_bits(&mut codeword[..data]);
            self.code.encode(codeword);
        }
        self.axis
            .send(&self.sent, snr_db, noise, &mut self.received);
        let mut decoder = Decoder::of(&self.code);
        let mut lost = 0;
        for (sent, soft) in self.sent.chunks(coded).zip(self.received.chunks_mut(coded)) {
            decoder.decode(soft);
            let is_right = |(&bit, &soft): (&u8, &f32)| bit == u8::from(soft < 0.0);
            lost += u64::from(!sent[..data].iter().zip(&soft[..data]).all(is_right));
        }
        [TOGETHER as u64, lost]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(link: &mut dyn SimulatedLink, snr_db: f64, least: u64) -> f64 {
        let mut noise = Noise::new(1, "tests");
        let mut counts = [0; 2];
        while counts[0] < least {
            let [sent, lost] = link.send(snr_db, &mut noise);
            counts = [counts[0] + sent, counts[1] + lost];
        }
        counts[1] as f64 / counts[0] as f64
    }

    /// At BPSK and a half, events in which the decoder errs are as many as the union bound on the
    /// distances of the code says, once they are rare (11, 38, 193, 1331, … paths of 10, 12, 14, 16,
    /// …; J. Conan, IEEE Transactions on Communications 32(9), 1984).
    #[test]
    fn frames_are_lost_as_seldom_as_the_union_bound_says() {
        let paths = [11.0, 38.0, 193.0, 1331.0, 7275.0, 40_406.0, 234_969.0];
        let bound = |snr: f64| -> f64 {
            let each = paths.iter().zip((10..).step_by(2));
            each.map(|(count, distance)| {
                0.5 * count * libm::erfc((f64::from(distance) * snr).sqrt())
            })
            .sum()
        };
        let mut link = Bcc::new(
            Constellation::Bpsk,
            CodeRate::Half,
            InterleaverLayout::MHZ_20,
            2_000,
        );
        let found = lost(&mut link, 0.5, 6_000);
        let expected = 2_000.0 * bound(10_f64.powf(0.05));
        assert!(found < expected, "{found} over {expected}");
        assert!(found > 0.6 * expected, "{found} of {expected}");
    }

    /// QPSK is BPSK on either axis, with half the power on each.
    #[test]
    fn qpsk_loses_as_much_as_bpsk_with_3_db_less() {
        let frames = |constellation| {
            Bcc::new(
                constellation,
                CodeRate::Half,
                InterleaverLayout::MHZ_20,
                1_000,
            )
        };
        let [one, other] = [(Constellation::Bpsk, -0.6), (Constellation::Qpsk, 2.4103)]
            .map(|(constellation, snr_db)| lost(&mut frames(constellation), snr_db, 2_000));
        assert!((one - other).abs() < 0.06, "{one} {other}");
        assert!((0.2..0.6).contains(&one), "{one}");
    }

    #[test]
    fn a_longer_block_is_lost_more_seldom_and_more_suddenly() {
        let lost_of = |length, snr_db| {
            let mut link = Ldpc::new(Constellation::Bpsk, CodeRate::Half, length);
            lost(&mut link, snr_db, 500)
        };
        let [low, high] = [-2.2, -1.0];
        assert!(lost_of(BlockLength::Bits1944, low) > 0.9);
        assert!(lost_of(BlockLength::Bits1944, high) < 0.2 * lost_of(BlockLength::Bits648, high));
    }
}
