//! Lines of a recording.

use tcp::{Flags, Seq};

use crate::replay::ISN;

/// A segment, as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub flags: String,
    pub seq: i64,
    pub payload: u32,
    pub ack: u64,
    /// Nought where windows are not compared.
    pub window: u16,
    pub sack: Vec<(u32, u32)>,
}

pub fn flags_of(text: &str) -> Flags {
    let mut flags = Flags::default();
    for c in text.chars() {
        flags |= match c {
            'S' => Flags::SYN,
            'F' => Flags::FIN,
            'R' => Flags::RST,
            'P' => Flags::PSH,
            _ => Flags::ACK,
        };
    }
    flags
}

pub fn text_of(flags: Flags) -> String {
    let named = [
        (Flags::FIN, 'F'),
        (Flags::SYN, 'S'),
        (Flags::RST, 'R'),
        (Flags::ACK, '.'),
        (Flags::PSH, 'P'),
    ];
    named
        .iter()
        .filter(|(f, _)| flags.contains(*f))
        .map(|(_, c)| *c)
        .collect()
}

pub fn blocks_of(words: &[&str]) -> Vec<(u32, u32)> {
    let starts = (0..words.len()).filter(|&i| words[i] == "sack");
    let number = |i: usize| words[i].parse().unwrap_or(0);
    starts.map(|i| (number(i + 1), number(i + 2))).collect()
}

/// The kernel's timestamp clock less ours. A segment was stamped a little before it was recorded,
/// so the largest difference is the right one.
pub fn stamp_offset(lines: &[&str]) -> u32 {
    let offsets = lines.iter().filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let stamp: u32 = words.get(8).filter(|_| words[1] == ">")?.parse().ok()?;
        let ms = words[0].parse::<u64>().ok()? / 1_000_000;
        Some(stamp.wrapping_sub(Seq(ISN).0.wrapping_add(ms as u32)))
    });
    offsets
        .reduce(|a, b| if (b.wrapping_sub(a) as i32) > 0 { b } else { a })
        .unwrap_or(0)
}
