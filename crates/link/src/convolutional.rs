//! The binary convolutional code (BCC): encoder, puncturing, and Viterbi's decoder of soft bits.
//!
//! IEEE 802.11-2020, 17.3.5.6 and 19.3.11.6: constraint length 7, generators 133 and 171 (octal).

use phy::CodeRate;

const MEMORY: usize = 6;
const STATES: usize = 1 << MEMORY;

/// Bits behind the data that bring the encoder back to state zero.
pub const TAIL: usize = MEMORY;

/// The generators over the last seven bits, of which the latest stands lowest: 133 and 171 read
/// from their other end.
const GENERATORS: [usize; 2] = [0b110_1101, 0b100_1111];

/// Returns what is sent of the two outputs, by the data bits of a period.
const fn punctured(rate: CodeRate) -> &'static [[bool; 2]] {
    const BOTH: [bool; 2] = [true, true];
    const FIRST: [bool; 2] = [true, false];
    const SECOND: [bool; 2] = [false, true];
    match rate {
        CodeRate::Half => &[BOTH],
        CodeRate::TwoThirds => &[BOTH, FIRST],
        CodeRate::ThreeQuarters => &[BOTH, FIRST, SECOND],
        CodeRate::FiveSixths => &[BOTH, FIRST, SECOND, FIRST, SECOND],
    }
}

const fn parity(of: usize) -> u8 {
    (of.count_ones() & 1) as u8
}

/// Encodes data bits, which should end with a tail.
pub fn encode(data: &[u8], rate: CodeRate, coded: &mut Vec<u8>) {
    coded.clear();
    let mut register = 0;
    for (&bit, sent) in data.iter().zip(punctured(rate).iter().cycle()) {
        register = (register << 1 | usize::from(bit)) & (2 * STATES - 1);
        for (generator, is_sent) in GENERATORS.into_iter().zip(sent) {
            if *is_sent {
                coded.push(parity(register & generator));
            }
        }
    }
}

/// By the last bit of a state and the rest of it: something of all states.
type ByState<T> = [[T; STATES / 2]; 2];

/// The better one of two ways into each state.
type Choices = ByState<bool>;

/// Viterbi's decoder.
#[derive(Debug)]
pub struct Viterbi {
    /// By output and state of the lower half: +1 where it is zero on the way of a zero, −1 where it
    /// is one. The ways of the upper half and of ones have the same outputs, inverted, as both
    /// generators have the first bit and the last.
    signs: [[f32; STATES / 2]; 2],
    /// By time: whether the better way into a state came from the upper half.
    from_upper: Vec<Choices>,
}

impl Default for Viterbi {
    fn default() -> Viterbi {
        let sign = |generator: usize| {
            core::array::from_fn(|state| match parity(state << 1 & generator) {
                0 => 1.0,
                _ => -1.0,
            })
        };
        Viterbi {
            signs: GENERATORS.map(sign),
            from_upper: Vec::new(),
        }
    }
}

impl Viterbi {
    /// Decodes as many data bits as there is room for, the tail included. A soft bit is the larger
    /// the surer it is zero; what has been punctured stands as undecided.
    pub fn decode(&mut self, soft: &[f32], rate: CodeRate, data: &mut [u8]) {
        self.from_upper.resize(data.len(), [[false; STATES / 2]; 2]);
        let mut scores = [f32::MIN / 2.0; STATES];
        scores[0] = 0.0;
        let mut soft = soft.iter();
        let pattern = punctured(rate).iter().cycle();
        for (from_upper, sent) in self.from_upper.iter_mut().zip(pattern) {
            let mut next = |is_sent: bool| match is_sent {
                true => soft.next().copied().unwrap_or(0.0),
                false => 0.0,
            };
            let outputs = sent.map(&mut next);
            scores = step(&self.signs, &scores, outputs, from_upper);
        }
        self.trace_back(data);
    }

    /// Goes back from state zero.
    fn trace_back(&self, data: &mut [u8]) {
        let mut state = 0;
        for (bit, from_upper) in data.iter_mut().zip(&self.from_upper).rev() {
            *bit = (state & 1) as u8;
            let is_from_upper = from_upper[state & 1][state >> 1];
            state = state >> 1 | usize::from(is_from_upper) << (MEMORY - 1);
        }
    }
}

/// The best score of each state after one more bit.
#[inline]
fn step(
    signs: &[[f32; STATES / 2]; 2],
    scores: &[f32; STATES],
    [first, second]: [f32; 2],
    from_upper: &mut Choices,
) -> [f32; STATES] {
    let mut best: ByState<f32> = [[0.0; STATES / 2]; 2];
    let (lower, upper) = scores.split_at(STATES / 2);
    for state in 0..STATES / 2 {
        let gain = signs[0][state] * first + signs[1][state] * second;
        let zero = [lower[state] + gain, upper[state] - gain];
        let one = [lower[state] - gain, upper[state] + gain];
        from_upper[0][state] = zero[1] > zero[0];
        from_upper[1][state] = one[1] > one[0];
        best[0][state] = if zero[1] > zero[0] { zero[1] } else { zero[0] };
        best[1][state] = if one[1] > one[0] { one[1] } else { one[0] };
    }
    let mut after = [0.0; STATES];
    for (pair, (zero, one)) in after.chunks_exact_mut(2).zip(best[0].iter().zip(&best[1])) {
        [pair[0], pair[1]] = [*zero, *one];
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    const RATES: [CodeRate; 4] = [
        CodeRate::Half,
        CodeRate::TwoThirds,
        CodeRate::ThreeQuarters,
        CodeRate::FiveSixths,
    ];

    fn encoded(data: &[u8], rate: CodeRate) -> Vec<u8> {
        let mut coded = Vec::new();
        encode(data, rate, &mut coded);
        coded
    }

    /// A single one comes out as the two generators, bit by bit.
    #[test]
    fn the_answer_to_a_single_one_is_the_generators() {
        let coded = encoded(&[1, 0, 0, 0, 0, 0, 0], CodeRate::Half);
        let digits = |output: usize| {
            let bits = coded.iter().skip(output).step_by(2);
            bits.fold(0, |number, &bit| number << 1 | u32::from(bit))
        };
        assert_eq!([digits(0), digits(1)], [0o133, 0o171]);
    }

    #[test]
    fn as_many_bits_are_sent_as_the_rate_says() {
        for rate in RATES {
            let [data, coded] = rate.fraction();
            let count = encoded(&[0; 60], rate).len();
            assert_eq!(count as u32 * data, 60 * coded, "{rate:?}");
        }
    }

    /// Fewer errors than half of the free distance are always mended.
    #[test]
    fn errors_of_less_than_half_the_free_distance_are_mended() {
        for (rate, errors) in RATES.into_iter().zip([4, 2, 2, 1]) {
            let mut noise = Noise::new(3, "errors");
            let mut data = vec![0; 300];
            noise.draw_bits(&mut data);
            data[300 - TAIL..].fill(0);
            let coded = encoded(&data, rate);
            for begins in 0..coded.len() - 4 {
                let soft = coded.iter().enumerate().map(|(at, &bit)| {
                    let is_wrong = (begins..begins + errors).contains(&at);
                    if (bit == 0) != is_wrong { 1.0 } else { -1.0 }
                });
                let mut decoded = vec![0; 300];
                let mut viterbi = Viterbi::default();
                viterbi.decode(&soft.collect::<Vec<f32>>(), rate, &mut decoded);
                assert_eq!(decoded, data, "{rate:?} at {begins}");
            }
        }
    }
}
