//! Plays recorded exchanges with a kernel's socket to a [`Connection`] and compares, segment by
//! segment and field by field, what the two send and tell. `benches/exchanges.py` makes the
//! recordings of a kernel that sends, `benches/receptions.py` of one that receives, whose windows
//! are compared, too.
//!
//! ```text
//! cargo run --release -p anechoic-tcp --example kernel -- RECORDING…
//! ```
//!
//! Inputs come at their recorded times. A timer may expire up to a jiffy earlier or, as the
//! kernel's timer wheel is coarse, an eighth of its length later; all else must be equal but for
//! the times that depend on how soon a process was scheduled.

mod recorded;
mod replay;

use std::collections::BTreeMap;

use units::Time;

use recorded::{Sent, blocks_of, flags_of, stamp_offset, text_of};
use replay::Replay;

/// Plays one exchange; the line that differs and how.
///
/// Where a timer of ours is due about when something arrives, which of the two the kernel saw first
/// shows only later: if they differ then, the other order is tried.
fn play(lines: &[&str]) -> (Replay, Option<(usize, String)>) {
    /// Number of times an order is tried before the exchange counts as different.
    const TRIES: u32 = 200;
    let mut replay = Replay::new(lines[0]);
    replay.stamps = stamp_offset(lines);
    let mut others: Vec<(Replay, usize)> = Vec::new();
    let mut from = 1;
    let mut furthest: Option<(Replay, (usize, String))> = None;
    for _ in 0..TRIES {
        let Some((i, what)) = play_from(&mut replay, lines, from, &mut others) else {
            return (replay, None);
        };
        if furthest.as_ref().is_none_or(|(_, (best, _))| i > *best) {
            furthest = Some((replay, (i, what)));
        }
        let Some((other, i)) = others.pop() else {
            break;
        };
        (replay, from) = (other, i);
        replay.fire_due();
    }
    let (replay, difference) = furthest.expect("one was tried");
    (replay, Some(difference))
}

/// Plays on from the line `from`; keeps what the other order would begin with in `others`.
fn play_from(
    replay: &mut Replay,
    lines: &[&str],
    from: usize,
    others: &mut Vec<(Replay, usize)>,
) -> Option<(usize, String)> {
    for (i, line) in lines.iter().enumerate().skip(from) {
        let mut words: Vec<&str> = line.split(' ').collect();
        let at = Time::from_nanos(words.remove(0).parse().unwrap_or(0));
        let result = match words[0] {
            "i" => {
                replay.collect();
                replay.nothing_left().and_then(|()| replay.check(&words))
            }
            ">" => {
                let number = |i: usize| words[i].parse::<i64>().unwrap_or(0);
                let kernel = Sent {
                    flags: text_of(flags_of(words[1])),
                    seq: number(2),
                    payload: number(3) as u32,
                    ack: number(4) as u64,
                    window: replay.compared(number(5) as u16),
                    sack: blocks_of(&words),
                };
                replay.kernel_sent(at, &kernel)
            }
            _ => {
                if i > from && replay.receives && replay.is_timer_due(at) {
                    others.push((replay.clone(), i));
                }
                let left = if replay.early.is_empty() {
                    replay.nothing_left()
                } else {
                    Ok(())
                };
                left.and_then(|()| replay.fire_overdue(at))
                    .map(|()| replay.input(at, &words))
            }
        };
        if let Err(what) = result {
            return Some((i, what));
        }
    }
    None
}

fn kind_of(what: &str) -> String {
    what.split(|c: char| c.is_ascii_digit())
        .next()
        .unwrap_or("")
        .to_owned()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program has arguments and reads files, the crate has none"
)]
fn main() {
    /// Number of differences of a kind that are printed with what led to them.
    const SHOWN: u32 = 1;
    let (mut exchanges, mut equal, mut segments, mut checks) = (0, 0, 0, 0);
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("the recording is readable");
        let lines: Vec<&str> = text.lines().collect();
        for exchange in split(&lines) {
            exchanges += 1;
            let (replay, difference) = play(exchange);
            segments += replay.segments;
            checks += replay.checks;
            let Some((line, what)) = difference else {
                equal += 1;
                continue;
            };
            let count = kinds.entry(kind_of(&what)).or_default();
            *count += 1;
            if *count <= SHOWN {
                println!("--- {}\n{}", exchange[0], what);
                let from = line.saturating_sub(14);
                exchange[from..=line]
                    .iter()
                    .for_each(|l| println!("    {l}"));
            }
        }
    }
    println!(
        "{equal} of {exchanges} exchanges equal, \
         {segments} segments and {checks} snapshots compared"
    );
    for (kind, count) in kinds {
        println!("{count:6} {kind}");
    }
}

fn split<'a, 'b>(lines: &'b [&'a str]) -> Vec<&'b [&'a str]> {
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&i| lines[i].starts_with("conn"))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&a, b)| &lines[a..b])
        .collect()
}
