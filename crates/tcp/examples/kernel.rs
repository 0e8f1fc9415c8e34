//! Plays recorded exchanges with a kernel's socket to a [`Connection`] and compares, segment by
//! segment and field by field, what the two send and tell. `benches/exchanges.py` makes the
//! recordings.
//!
//! ```text
//! cargo run --release -p anechoic-tcp --example kernel -- RECORDING…
//! ```
//!
//! Inputs come at their recorded times. A timer may expire up to a jiffy earlier or, as the
//! kernel's timer wheel is coarse, an eighth of its length later; all else must be equal but for
//! the times that depend on how soon a process was scheduled.

use std::collections::{BTreeMap, VecDeque};

use tcp::{CongestionAlgorithm, Connection, ConnectionOptions, Flags, Profile, SackBlock, Segment};
use tcp::{Seq, Timestamps};
use units::{Duration, Time};

const ISN: u32 = 0x0100_0000;
/// The recording kernel's: CONFIG_HZ is 250.
const JIFFY: Duration = Duration::from_millis(4);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sent {
    flags: String,
    seq: i64,
    payload: u32,
    ack: u64,
    sack: Vec<(u32, u32)>,
}

struct Replay {
    now: Time,
    connection: Connection,
    ours: VecDeque<Sent>,
    /// The kernel's timestamp clock less ours.
    stamps: u32,
    /// When the timer that runs expires, and when it was set.
    wake: Time,
    set_at: Time,
    /// What the peer's SYN offers.
    mss: u16,
    sack: bool,
    segments: u64,
    checks: u64,
}

fn flags_of(text: &str) -> Flags {
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

/// PSH is compared no more than the kernel's choice of how much it writes at once is.
fn text_of(flags: Flags) -> String {
    let named = [
        (Flags::FIN, 'F'),
        (Flags::SYN, 'S'),
        (Flags::RST, 'R'),
        (Flags::ACK, '.'),
    ];
    named
        .iter()
        .filter(|(f, _)| flags.contains(*f))
        .map(|(_, c)| *c)
        .collect()
}

impl Replay {
    fn new(head: &str) -> Replay {
        let field = |name: &str| {
            let key = format!("{name}=");
            let word = head.split(' ').find(|w| w.starts_with(&key));
            word.map_or("", |w| &w[key.len()..]).to_owned()
        };
        let profile = Profile {
            congestion_control: match field("cc").as_str() {
                "reno" => CongestionAlgorithm::Reno,
                _ => CongestionAlgorithm::Cubic,
            },
            rto_granularity_ms: 4,
            timer_tick_ms: 4,
            ..tcp::profile("linux-6").expect("it is in the list")
        };
        let options = ConnectionOptions {
            no_delay: field("nodelay") == "1",
            ..ConnectionOptions::default()
        };
        Replay {
            now: Time::ZERO,
            connection: Connection::listen(&profile, &options, ISN),
            ours: VecDeque::new(),
            stamps: 0,
            wake: Time::NEVER,
            set_at: Time::ZERO,
            mss: field("mss").parse().unwrap_or(536),
            sack: field("sack") == "1",
            segments: 0,
            checks: 0,
        }
    }

    fn collect(&mut self) {
        while self.poll() {}
        while self.connection.poll_event().is_some() {}
        if self.wake != self.connection.wake_at() {
            self.wake = self.connection.wake_at();
            self.set_at = self.now;
        }
    }

    fn poll(&mut self) -> bool {
        let polled = self.connection.poll_segment(self.now);
        if let Some(segment) = polled {
            let seq = segment.seq.0.wrapping_sub(ISN) as i32;
            let blocks = segment.options.sack.as_slice().iter();
            self.ours.push_back(Sent {
                flags: text_of(segment.flags),
                seq: i64::from(seq),
                payload: segment.payload,
                ack: u64::from(segment.ack.0),
                sack: blocks.map(|b| (b.start.0, b.end.0)).collect(),
            });
        }
        polled.is_some()
    }

    fn fire(&mut self, at: Time) {
        self.now = self.now.max(at).max(self.connection.wake_at());
        self.connection.on_timer(self.now);
        self.collect();
    }

    /// Before an input at `at`: a timer that is overdue beyond all tolerance expires.
    fn fire_overdue(&mut self, at: Time) -> Result<(), String> {
        loop {
            let wake = self.connection.wake_at();
            if wake > at {
                return Ok(());
            }
            let length = wake.saturating_since(self.set_at);
            let tolerance = JIFFY * 3 + length / 8;
            if at.saturating_since(wake) <= tolerance {
                return Ok(());
            }
            self.fire(wake);
            if let Some(ours) = self.ours.front() {
                return Err(format!(
                    "timer {length:?}: ours sends {ours:?}, the kernel nothing"
                ));
            }
        }
    }

    fn kernel_sent(&mut self, at: Time, kernel: &Sent) -> Result<(), String> {
        if self.ours.is_empty() {
            self.now = self.now.max(at);
            self.poll();
        }
        while self.ours.is_empty() {
            let wake = self.connection.wake_at();
            if wake > at + JIFFY + Duration::from_millis(1) {
                return Err(format!("nothing of ours for {kernel:?}"));
            }
            self.fire(at);
        }
        let ours = self.ours.pop_front().expect("there is one");
        self.segments += 1;
        if ours == *kernel {
            Ok(())
        } else {
            Err(format!("segment: ours {ours:?}, kernel {kernel:?}"))
        }
    }

    fn nothing_left(&self) -> Result<(), String> {
        match self.ours.front() {
            Some(ours) => Err(format!("ours sends {ours:?}, the kernel nothing")),
            None => Ok(()),
        }
    }

    fn input(&mut self, at: Time, words: &[&str]) {
        self.now = self.now.max(at);
        let number = |i: usize| words[i].parse::<u64>().unwrap_or(0);
        match words[0] {
            "w" => {
                // The kernel sends while it copies, each segment at its own time.
                self.connection.write(self.now, number(1));
                return;
            }
            "c" => self.connection.close(self.now),
            _ => {
                let segment = self.segment(words);
                self.connection.on_segment(self.now, &segment);
            }
        }
        self.collect();
    }

    fn segment(&self, words: &[&str]) -> Segment {
        let number = |i: usize| words[i].parse::<u64>().unwrap_or(0);
        let mut segment = Segment {
            flags: flags_of(words[1]),
            seq: Seq(number(2) as u32),
            payload: number(3) as u32,
            ack: Seq(ISN.wrapping_add(number(4) as u32)),
            window: number(5) as u16,
            ..Segment::default()
        };
        if segment.flags.contains(Flags::SYN) {
            segment.ack = Seq(0);
            segment.options.mss = Some(self.mss);
            segment.options.window_scale = Some(7);
            segment.options.sack_permitted = self.sack;
        }
        let mut i = 6;
        while i < words.len() {
            let (a, b) = (number(i + 1) as u32, number(i + 2) as u32);
            match words[i] {
                "sack" => segment.options.sack.push(SackBlock {
                    start: Seq(ISN.wrapping_add(a)),
                    end: Seq(ISN.wrapping_add(b)),
                }),
                _ => {
                    let echo = if b == 0 {
                        0
                    } else {
                        b.wrapping_sub(self.stamps)
                    };
                    segment.options.timestamps = Some(Timestamps { value: a, echo });
                }
            }
            i += 3;
        }
        segment
    }

    fn check(&mut self, words: &[&str]) -> Result<(), String> {
        let info = self.connection.tcp_info();
        let number = |text: &str| text.parse::<u64>().unwrap_or(0);
        self.checks += 1;
        let mut wrong = Vec::new();
        let mut equal = |name: &str, ours: u64, kernel: u64, slack: u64| {
            if ours.abs_diff(kernel) > slack {
                wrong.push(format!("{name}: ours {ours} kernel {kernel}"));
            }
        };
        equal("ca_state", info.tcpi_ca_state as u64, number(words[2]), 0);
        equal("backoff", u64::from(info.tcpi_backoff), number(words[3]), 0);
        for word in &words[4..] {
            let Some((name, value)) = word.split_once('=') else {
                continue;
            };
            let kernel = number(value);
            let (ours, slack) = match name {
                "rto" => (info.tcpi_rto, 4000 << info.tcpi_backoff),
                "unacked" => (info.tcpi_unacked, 0),
                "sacked" => (info.tcpi_sacked, 0),
                "lost" => (info.tcpi_lost, 0),
                "retrans" => (info.tcpi_retrans, 0),
                "rtt" => (info.tcpi_rtt, 1500 + kernel as u32 / 50),
                "rttvar" => (info.tcpi_rttvar, 1500 + kernel as u32 / 20),
                "min_rtt" => (info.tcpi_min_rtt, 1500),
                "snd_ssthresh" => (info.tcpi_snd_ssthresh, 0),
                "snd_cwnd" => (info.tcpi_snd_cwnd, 0),
                "reordering" => (info.tcpi_reordering, 0),
                "total_retrans" => (info.tcpi_total_retrans, 0),
                "delivered" => (info.tcpi_delivered, 0),
                "dsack_dups" => (info.tcpi_dsack_dups, 0),
                "reord_seen" => (info.tcpi_reord_seen, 0),
                _ => continue,
            };
            equal(name, u64::from(ours), kernel, u64::from(slack));
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(wrong.join("; "))
        }
    }
}

fn blocks_of(words: &[&str]) -> Vec<(u32, u32)> {
    let starts = (0..words.len()).filter(|&i| words[i] == "sack");
    let number = |i: usize| words[i].parse().unwrap_or(0);
    starts.map(|i| (number(i + 1), number(i + 2))).collect()
}

/// The kernel's timestamp clock less ours. A segment was stamped a little before it was recorded,
/// so the largest difference is the right one.
fn stamp_offset(lines: &[&str]) -> u32 {
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

/// Plays one exchange; the line that differs and how.
fn play(lines: &[&str]) -> (Replay, Option<(usize, String)>) {
    let mut replay = Replay::new(lines[0]);
    replay.stamps = stamp_offset(lines);
    for (i, line) in lines.iter().enumerate().skip(1) {
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
                    sack: blocks_of(&words),
                };
                replay.kernel_sent(at, &kernel)
            }
            _ => replay
                .nothing_left()
                .and_then(|()| replay.fire_overdue(at))
                .map(|()| replay.input(at, &words)),
        };
        if let Err(what) = result {
            return (replay, Some((i, what)));
        }
    }
    (replay, None)
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
    /// How many differences of a kind are printed with what led to them.
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
