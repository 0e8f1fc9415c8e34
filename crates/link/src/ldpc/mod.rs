//! The low-density parity-check codes (LDPC): encoder, and a decoder as receivers have it.
//!
//! IEEE 802.11-2020, 19.3.11.7 and Annex F. The decoder passes messages by rows of blocks (layers),
//! each of which sees at once what those before it have found, by the normalized min-sum rule (J. Chen,
//! A. Dholakia, E. Eleftheriou, M. Fossorier, X.-Y. Hu, "Reduced-complexity decoding of LDPC codes",
//! IEEE Transactions on Communications 53(8), 2005; D. Hocevar, "A reduced complexity decoder
//! architecture via layered decoding of LDPC codes", SIPS 2004).

mod matrices;

use phy::CodeRate;

/// Bits of a codeword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockLength {
    /// 648.
    Bits648,
    /// 1296.
    Bits1296,
    /// 1944: that of everything but short frames.
    Bits1944,
}

/// Columns of blocks in every matrix.
const COLUMNS: usize = 24;

/// Most blocks in a row of any matrix.
const WIDEST: usize = 22;

/// Factor by which a message is made smaller, for min-sum says it too surely (Chen et al.: 1.25 to 1.5 is
/// best to divide by; the least of these, as fits high rates).
const NORMALIZATION: f32 = 0.8;

/// Most passes over all rows. [inferred: what decoders of chips have time for, 10 to 15]
const MOST_PASSES: usize = 12;

/// A code: rows of blocks, each a column and how far its ones are turned.
#[derive(Debug)]
pub struct Code {
    /// Bits along a block.
    size: usize,
    rows: Vec<Vec<Block>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    column: usize,
    turn: usize,
}

impl BlockLength {
    const fn bits(self) -> usize {
        match self {
            BlockLength::Bits648 => 648,
            BlockLength::Bits1296 => 1296,
            BlockLength::Bits1944 => 1944,
        }
    }
}

impl Code {
    /// That of a block length and a rate.
    pub fn new(length: BlockLength, rate: CodeRate) -> Code {
        let block = |(column, turn): (usize, &str)| {
            let turn = turn.parse().ok()?;
            Some(Block { column, turn })
        };
        let row = |line: &str| {
            line.split_whitespace()
                .enumerate()
                .filter_map(block)
                .collect()
        };
        let lines = matrices::printed(length, rate).trim().lines();
        Code {
            size: length.bits() / COLUMNS,
            rows: lines.map(row).collect(),
        }
    }

    /// Bits of a codeword.
    pub fn coded_bits(&self) -> usize {
        COLUMNS * self.size
    }

    /// Data bits of a codeword, which come first in it.
    pub fn data_bits(&self) -> usize {
        (COLUMNS - self.rows.len()) * self.size
    }

    /// The columns of parity begin here.
    fn first_parity(&self) -> usize {
        COLUMNS - self.rows.len()
    }

    /// Fills in the parity bits of a codeword behind its data bits.
    ///
    /// But for its first column the part of parity is a double diagonal. The first column has three
    /// blocks, of which two are equal; so the sum of all rows gives its bits, and each row then gives
    /// those of the next column.
    pub fn encode(&self, codeword: &mut [u8]) {
        let first = self.first_parity();
        let data_sums: Vec<Vec<u8>> = (self.rows.iter())
            .map(|row| self.sum(row.iter().filter(|block| block.column < first), codeword))
            .collect();
        let corner = &mut codeword[first * self.size..][..self.size];
        for (bit, corner) in corner.iter_mut().enumerate() {
            *corner = data_sums.iter().fold(0, |sum, row| sum ^ row[bit]);
        }
        for (number, (row, data)) in self.rows.iter().zip(&data_sums).enumerate() {
            let next = first + 1 + number;
            if next < COLUMNS {
                let known = |block: &&Block| (first..next).contains(&block.column);
                let parity = self.sum(row.iter().filter(known), codeword);
                for bit in 0..self.size {
                    codeword[next * self.size + bit] = data[bit] ^ parity[bit];
                }
            }
        }
    }

    /// Sums what the blocks of a row have of a word, modulo two.
    fn sum<'a>(&self, row: impl Iterator<Item = &'a Block>, word: &[u8]) -> Vec<u8> {
        let mut sum = vec![0; self.size];
        for block in row {
            for (bit, sum) in sum.iter_mut().enumerate() {
                *sum ^= word[self.place(*block, bit)];
            }
        }
        sum
    }

    /// Returns where the one of a block's line stands.
    fn place(&self, block: Block, line: usize) -> usize {
        block.column * self.size + (line + block.turn) % self.size
    }

    /// Returns whether all parity checks hold.
    pub fn is_codeword(&self, word: &[u8]) -> bool {
        let mut rows = self.rows.iter();
        rows.all(|row| self.sum(row.iter(), word).iter().all(|&bit| bit == 0))
    }
}

/// A decoder of a code.
#[derive(Debug)]
pub struct Decoder<'a> {
    code: &'a Code,
    /// By row, block in it and line: what the check has told the bit last.
    told: Vec<[Vec<f32>; WIDEST]>,
    /// By block of the row at hand and line: what is known of the bit without the check.
    known: [Vec<f32>; WIDEST],
}

impl Decoder<'_> {
    /// One of a code.
    pub fn of(code: &Code) -> Decoder<'_> {
        let lines = || core::array::from_fn(|_| vec![0.0; code.size]);
        Decoder {
            code,
            told: code.rows.iter().map(|_| lines()).collect(),
            known: lines(),
        }
    }

    /// Decodes a codeword of soft bits, each of which is the larger the surer it is zero, and leaves
    /// in them what is found. Ends once all checks hold.
    pub fn decode(&mut self, soft: &mut [f32]) {
        for told in self.told.iter_mut().flatten() {
            told.fill(0.0);
        }
        for _ in 0..MOST_PASSES {
            for row in 0..self.code.rows.len() {
                self.pass(row, soft);
            }
            let hard: Vec<u8> = soft.iter().map(|&soft| u8::from(soft < 0.0)).collect();
            if self.code.is_codeword(&hard) {
                break;
            }
        }
    }

    /// Passes messages between the checks of a row of blocks and the bits in it.
    fn pass(&mut self, row: usize, soft: &mut [f32]) {
        let (code, told) = (self.code, &mut self.told[row]);
        let size = code.size;
        let mut least = [f32::INFINITY; 81];
        let mut next = [f32::INFINITY; 81];
        let mut sign = [1.0_f32; 81];
        for ((block, told), known) in code.rows[row].iter().zip(&*told).zip(&mut self.known) {
            let column = &soft[block.column * size..][..size];
            let (behind, ahead) = column.split_at(block.turn);
            for (known, soft) in known.iter_mut().zip(ahead.iter().chain(behind)) {
                *known = *soft;
            }
            for (line, (known, told)) in known.iter_mut().zip(told).enumerate() {
                *known -= told;
                let sure = known.abs();
                next[line] = next[line].min(sure.max(least[line]));
                least[line] = least[line].min(sure);
                sign[line] *= 1.0_f32.copysign(*known);
            }
        }
        for ((block, told), known) in code.rows[row].iter().zip(told).zip(&self.known) {
            for (line, (told, known)) in told.iter_mut().zip(known).enumerate() {
                let is_least = known.abs() == least[line];
                let others = if is_least { next[line] } else { least[line] };
                *told = NORMALIZATION * others * sign[line] * 1.0_f32.copysign(*known);
            }
            let column = &mut soft[block.column * size..][..size];
            let (behind, ahead) = column.split_at_mut(block.turn);
            let bits = ahead.iter_mut().chain(behind);
            for (soft, (known, told)) in bits.zip(known.iter().zip(&*told)) {
                *soft = known + told;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::noise::Noise;

    const LENGTHS: [BlockLength; 3] = [
        BlockLength::Bits648,
        BlockLength::Bits1296,
        BlockLength::Bits1944,
    ];
    const RATES: [CodeRate; 4] = [
        CodeRate::Half,
        CodeRate::TwoThirds,
        CodeRate::ThreeQuarters,
        CodeRate::FiveSixths,
    ];

    fn all() -> impl Iterator<Item = (BlockLength, CodeRate, Code)> {
        let each = |length| RATES.into_iter().map(move |rate| (length, rate));
        let names = LENGTHS.into_iter().flat_map(each);
        names.map(|(length, rate)| (length, rate, Code::new(length, rate)))
    }

    fn drawn(code: &Code, noise: &mut Noise) -> Vec<u8> {
        let mut codeword = vec![0; code.coded_bits()];
        noise.draw_bits(&mut codeword[..code.data_bits()]);
        code.encode(&mut codeword);
        codeword
    }

    #[test]
    fn codes_have_the_rates_and_lengths_that_they_are_called_by() {
        for (length, rate, code) in all() {
            let [data, coded] = rate.fraction().map(|bits| bits as usize);
            assert_eq!(code.coded_bits(), length.bits());
            assert_eq!(code.data_bits() * coded, code.coded_bits() * data);
            assert!(
                code.rows
                    .iter()
                    .flatten()
                    .all(|block| block.turn < code.size)
            );
        }
    }

    #[test]
    fn what_is_encoded_passes_all_checks_and_with_a_bit_inverted_none_of_its_own() {
        let mut noise = Noise::new(1, "codewords");
        for (length, rate, code) in all() {
            let mut codeword = drawn(&code, &mut noise);
            assert!(code.is_codeword(&codeword), "{length:?} {rate:?}");
            for bit in 0..codeword.len() {
                codeword[bit] ^= 1;
                assert!(!code.is_codeword(&codeword), "{length:?} {rate:?} {bit}");
                codeword[bit] ^= 1;
            }
        }
    }

    /// Two bits that share two checks confirm each other. The standard's matrices have five such pairs
    /// of columns in all; a number that is printed wrongly would make more.
    #[test]
    fn next_to_no_bits_share_two_checks() {
        let shared = |code: &Code| -> usize {
            let pairs = code.rows.iter().enumerate();
            pairs
                .flat_map(|(at, one)| code.rows[at + 1..].iter().map(move |other| (one, other)))
                .map(|(one, other)| one.len() - distinct_turns(one, other, code.size))
                .sum()
        };
        let counts: Vec<usize> = all().map(|(.., code)| shared(&code)).collect();
        assert_eq!(counts, [0, 0, 2, 0, 0, 2, 0, 0, 0, 1, 0, 0]);
    }

    /// Counts blocks of a row that either have none beside them in another row, or are turned against
    /// it as no other block is.
    fn distinct_turns(one: &[Block], other: &[Block], size: usize) -> usize {
        let turned = |block: &Block| {
            let beside = other.iter().find(|other| other.column == block.column)?;
            Some((block.turn + size - beside.turn) % size)
        };
        let turns = one.iter().filter_map(turned);
        let distinct: BTreeSet<usize> = turns.clone().collect();
        one.len() - turns.count() + distinct.len()
    }

    #[test]
    fn a_word_with_a_few_bits_wrong_is_mended() {
        let mut noise = Noise::new(2, "wrong bits");
        for (length, rate, code) in all() {
            let codeword = drawn(&code, &mut noise);
            let mut decoder = Decoder::of(&code);
            for begins in (0..code.coded_bits()).step_by(97) {
                let soft = codeword.iter().enumerate().map(|(at, &bit)| {
                    let is_wrong = at == begins || at == (begins + 500) % code.coded_bits();
                    if (bit == 0) != is_wrong { 1.0 } else { -1.0 }
                });
                let mut soft: Vec<f32> = soft.collect();
                decoder.decode(&mut soft);
                let hard: Vec<u8> = soft.iter().map(|&soft| u8::from(soft < 0.0)).collect();
                assert_eq!(hard, codeword, "{length:?} {rate:?} at {begins}");
            }
        }
    }
}
