//! Where two captures have the same packets: the first guess at how far their clocks are apart.

use std::collections::BTreeMap;
use std::io::Read;

use super::source::SegmentSource;
use dissect::{ControlBits, TcpSegment};

/// Packets remembered from the beginning of each capture. The later of the two begins within
/// the other, so the other comes by them.
const REMEMBERED: usize = 1 << 16;

/// Packets found in both after which the guess is good enough: their median is within the time
/// that packets are under way.
const ENOUGH: usize = 64;

/// Returns what a packet keeps on its way: all but its addresses, or all but its sequence numbers;
/// and all but its timestamps where a capture's options are cut off.
fn keys(segment: &TcpSegment, are_options_cut: bool) -> [Option<[u64; 2]>; 2] {
    let timestamps = segment.options.timestamps.filter(|_| !are_options_cut);
    let (own, echo) = timestamps.unwrap_or((0, 0));
    let clock = u64::from(own) << 32 | u64::from(echo);
    let extent = u64::from(segment.payload) << 8 | u64::from(segment.flags.0);
    let numbers = u64::from(segment.seq) << 32 | u64::from(segment.ack);
    // What says little may be in both captures and still not be the same packet.
    let is_telling = segment.payload > 0 || segment.flags.has(ControlBits::SYN);
    let ports = u64::from(segment.source.port) << 16 | u64::from(segment.destination.port);
    let ip_id = segment.ip_id.filter(|&ip_id| ip_id != 0);
    [
        is_telling.then_some([numbers, clock ^ extent.rotate_left(40)]),
        ip_id.filter(|_| is_telling).map(|ip_id| {
            [
                clock ^ extent.rotate_left(40),
                ports << 16 | u64::from(ip_id),
            ]
        }),
    ]
}

/// By how much the second capture's clock is ahead of the first's, within the time that packets
/// are under way; none if no packet is in both.
pub(super) fn first_guess<R: Read>(sources: &mut [SegmentSource<R>; 2]) -> Option<i64> {
    let mut guesses = [Guess::default(), Guess::default()];
    loop {
        let mut is_over = true;
        let are_options_cut = sources.iter().any(|source| source.tally().options_cut > 0);
        for (side, source) in sources.iter_mut().enumerate() {
            let Some(sighting) = source.head() else {
                continue;
            };
            is_over = false;
            let segment = &sighting.segment;
            for (guess, key) in guesses.iter_mut().zip(keys(segment, are_options_cut)) {
                if let Some(key) = key {
                    guess.add(side, key, segment.time_ns);
                }
            }
            source.advance();
        }
        if is_over || guesses[0].differences.len() >= ENOUGH {
            break;
        }
    }
    guesses.into_iter().find_map(Guess::median)
}

#[derive(Debug, Default)]
struct Guess {
    /// Captures that have a packet, and its time there.
    known: [BTreeMap<[u64; 2], u64>; 2],
    differences: Vec<i64>,
}

impl Guess {
    fn add(&mut self, side: usize, key: [u64; 2], time_ns: u64) {
        if self.differences.len() >= ENOUGH {
            return;
        }
        if let Some(&other_ns) = self.known[1 - side].get(&key) {
            let [first, second] = if side == 0 {
                [time_ns, other_ns]
            } else {
                [other_ns, time_ns]
            };
            self.differences
                .push((second as i64).saturating_sub(first as i64));
        }
        if self.known[side].len() < REMEMBERED {
            self.known[side].entry(key).or_insert(time_ns);
        }
    }

    fn median(mut self) -> Option<i64> {
        let middle = self.differences.len() / 2;
        self.differences.sort_unstable();
        self.differences.get(middle).copied()
    }
}
