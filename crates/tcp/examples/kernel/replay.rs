//! The simulated endpoint in the kernel's place.

use std::collections::VecDeque;

use tcp::{CongestionAlgorithm, Connection, ConnectionOptions, Flags, SackBlock, SendCause};
use tcp::{Segment, Seq, SocketOption, Timestamps};
use units::{Duration, Time};

use crate::recorded::{Sent, flags_of, text_of};

pub const ISN: u32 = 0x0100_0000;
/// The recording kernel's: CONFIG_HZ is 250.
const JIFFY: Duration = Duration::from_millis(4);

/// One exchange under way.
#[derive(Clone)]
pub struct Replay {
    now: Time,
    connection: Connection,
    ours: VecDeque<(Sent, SendCause)>,
    /// Segments that ours has sent before an input that the kernel's segment was recorded after.
    pub early: VecDeque<(Sent, SendCause)>,
    /// True if the kernel handed segments down joined.
    joins: bool,
    /// The kernel's timestamp clock less ours.
    pub stamps: u32,
    /// Time when the timer that runs expires, and when it was set.
    wake: Time,
    set_at: Time,
    /// MSS that the peer's SYN offers.
    mss: u16,
    sack: bool,
    /// True if the kernel receives, so that its windows are compared, too.
    pub receives: bool,
    pub segments: u64,
    pub checks: u64,
}

impl Replay {
    pub fn new(head: &str) -> Replay {
        let field = |name: &str| {
            let key = format!("{name}=");
            let word = head.split(' ').find(|w| w.starts_with(&key));
            word.map_or("", |w| &w[key.len()..]).to_owned()
        };
        let mut profile = tcp::profile("linux-6").expect("it is in the list");
        profile.congestion_control = match field("cc").as_str() {
            "reno" => CongestionAlgorithm::Reno,
            _ => CongestionAlgorithm::Cubic,
        };
        let linux = profile.family.linux().expect("it is one");
        (linux.kernel.jiffy_ms, linux.timer_tick_ms) = (4, 4);
        linux.offload_segments = field("segments")
            .parse()
            .expect("it stands in every recording");
        let joins = linux.offload_segments > 1;
        let options = ConnectionOptions {
            no_delay: field("nodelay") == "1",
            ..ConnectionOptions::default()
        };
        Replay {
            now: Time::ZERO,
            connection: Connection::listen(&profile, &options, ISN),
            ours: VecDeque::new(),
            early: VecDeque::new(),
            joins,
            stamps: 0,
            wake: Time::NEVER,
            set_at: Time::ZERO,
            mss: field("mss").parse().unwrap_or(536),
            sack: field("sack") == "1",
            receives: field("receives") == "1",
            segments: 0,
            checks: 0,
        }
    }

    pub fn compared(&self, window: u16) -> u16 {
        if self.receives { window } else { 0 }
    }

    pub fn collect(&mut self) {
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
            let sent = Sent {
                flags: text_of(segment.flags),
                seq: i64::from(seq),
                payload: segment.payload,
                ack: u64::from(segment.ack.0),
                window: self.compared(segment.window),
                sack: blocks.map(|b| (b.start.0, b.end.0)).collect(),
            };
            self.ours.push_back((sent, segment.kind));
        }
        polled.is_some()
    }

    fn fire(&mut self, at: Time) {
        self.now = self.now.max(at).max(self.connection.wake_at());
        self.connection.on_timer(self.now);
        self.collect();
    }

    /// Returns whether a timer may have expired by `at`, or not yet.
    pub fn is_timer_due(&self, at: Time) -> bool {
        self.ours.is_empty() && self.connection.wake_at() <= at + JIFFY
    }

    /// The timer that runs expires now; what it sends was recorded after the input to come.
    pub fn fire_due(&mut self) {
        self.fire(self.now);
        self.early.append(&mut self.ours);
    }

    /// Before an input at `at`: a timer that is overdue beyond all tolerance expires.
    pub fn fire_overdue(&mut self, at: Time) -> Result<(), String> {
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
            if let Some((ours, _)) = self.ours.front() {
                return Err(format!(
                    "timer {length:?}: ours sends {ours:?}, the kernel nothing"
                ));
            }
        }
    }

    pub fn kernel_sent(&mut self, at: Time, kernel: &Sent) -> Result<(), String> {
        if self.ours.is_empty() && self.early.is_empty() {
            self.now = self.now.max(at);
            self.poll();
        }
        while self.ours.is_empty() && self.early.is_empty() {
            let wake = self.connection.wake_at();
            if wake > at + JIFFY + Duration::from_millis(1) {
                return Err(format!("nothing of ours for {kernel:?}"));
            }
            self.fire(at);
        }
        let early = self.early.pop_front();
        let next = early.or_else(|| self.ours.pop_front());
        let (mut ours, kind) = next.expect("there is one");
        self.segments += 1;
        // What the kernel retransmits joined, as it was sent first, ends with PSH.
        let is_again = matches!(
            kind,
            SendCause::FastRetransmission | SendCause::TimeoutRetransmission
        );
        if self.joins && is_again {
            ours.flags.clone_from(&kernel.flags);
        }
        if ours == *kernel {
            Ok(())
        } else {
            Err(format!("segment: ours {ours:?}, kernel {kernel:?}"))
        }
    }

    pub fn nothing_left(&self) -> Result<(), String> {
        match self.early.front().or(self.ours.front()) {
            Some((ours, _)) => Err(format!("ours sends {ours:?}, the kernel nothing")),
            None => Ok(()),
        }
    }

    pub fn input(&mut self, at: Time, words: &[&str]) {
        self.now = self.now.max(at);
        let number = |i: usize| words[i].parse::<u64>().unwrap_or(0);
        match words[0] {
            "w" => {
                // The kernel sends while it copies, each segment at its own time.
                self.connection.write(self.now, number(1));
                return;
            }
            "r" => {
                self.connection.read(self.now, number(2));
            }
            "m" => {
                self.connection.write_more(self.now, number(1));
                return;
            }
            "k" => {
                let option = SocketOption::Cork(number(1) == 1);
                self.connection.set_option(self.now, option);
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

    pub fn check(&mut self, words: &[&str]) -> Result<(), String> {
        let info = self.connection.tcp_info();
        let number = |text: &str| text.parse::<u64>().unwrap_or(0);
        self.checks += 1;
        let mut wrong = Vec::new();
        let mut equal = |name: &str, ours: u64, kernel: u64, slack: u64| {
            if ours.abs_diff(kernel) > slack {
                wrong.push(format!("{name}: ours {ours} kernel {kernel}"));
            }
        };
        if !self.receives {
            equal("ca_state", info.tcpi_ca_state as u64, number(words[2]), 0);
            equal("backoff", u64::from(info.tcpi_backoff), number(words[3]), 0);
        }
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
                "ato" => (info.tcpi_ato, 4000),
                "rcv_mss" => (info.tcpi_rcv_mss, 0),
                "rcv_ssthresh" => (info.tcpi_rcv_ssthresh, 0),
                "rcv_space" => (info.tcpi_rcv_space, 0),
                "rcv_rtt" => (info.tcpi_rcv_rtt, 1000 + kernel as u32 / 20),
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
