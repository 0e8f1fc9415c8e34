//! What a delivered segment costs with each variant: a bulk transfer over a perfect wire, or one
//! on which every so manieth data segment is lost. `make bench` counts the instructions of
//!
//! ```text
//! variants VARIANT SEGMENTS LOSE_EVERY
//! ```
//!
//! with callgrind, where LOSE_EVERY 0 is the perfect wire; the difference of two lengths leaves
//! the start out.

use std::collections::VecDeque;

use tcp::{CongestionAlgorithm, Connection, ConnectionOptions, Event, Profile};
use tcp::{RecoveryAlgorithm, Segment, profile};
use units::{Duration, Time};

/// One way.
const DELAY: Duration = Duration::from_millis(1);

struct Wire {
    now: Time,
    ends: [Connection; 2],
    flying: VecDeque<(Time, usize, Segment)>,
    lose_every: u64,
    sent: u64,
}

impl Wire {
    fn new(profile: &Profile, lose_every: u64) -> Wire {
        let options = ConnectionOptions::default();
        let client = Connection::connect(Time::ZERO, profile, &options, 1);
        let server = Connection::listen(profile, &options, 2);
        Wire {
            now: Time::ZERO,
            ends: [client, server],
            flying: VecDeque::new(),
            lose_every,
            sent: 0,
        }
    }

    fn transmit(&mut self, from: usize) {
        while let Some(segment) = self.ends[from].poll_segment(self.now) {
            self.sent += u64::from(segment.payload > 0);
            let is_lost = segment.payload > 0
                && self.lose_every > 0
                && self.sent.is_multiple_of(self.lose_every);
            if !is_lost {
                self.flying.push_back((self.now + DELAY, 1 - from, segment));
            }
        }
    }

    fn step(&mut self) {
        let wake = self.ends[0].wake_at().min(self.ends[1].wake_at());
        match self.flying.front() {
            Some(&(at, to, segment)) if at <= wake => {
                self.flying.pop_front();
                self.now = at;
                self.ends[to].on_segment(at, &segment);
                while let Some(event) = self.ends[to].poll_event() {
                    if event == Event::Readable {
                        self.ends[to].read(at, u64::MAX);
                    }
                }
                self.transmit(to);
            }
            _ => {
                self.now = wake;
                for end in 0..2 {
                    self.ends[end].on_timer(wake);
                    self.transmit(end);
                }
            }
        }
    }
}

/// The variants as the papers name them, with the rest of `rfc`; or a stack profile.
fn variant(name: &str) -> Option<Profile> {
    let (congestion_control, recovery) = match name {
        "tahoe" => (CongestionAlgorithm::Reno, RecoveryAlgorithm::Tahoe),
        "reno" => (CongestionAlgorithm::Reno, RecoveryAlgorithm::Reno),
        "newreno" => (CongestionAlgorithm::Reno, RecoveryAlgorithm::NewReno),
        "sack" => (CongestionAlgorithm::Reno, RecoveryAlgorithm::Sack),
        "cubic" => (CongestionAlgorithm::Cubic, RecoveryAlgorithm::Sack),
        "vegas" => (CongestionAlgorithm::Vegas, RecoveryAlgorithm::Sack),
        "westwood" => (CongestionAlgorithm::Westwood, RecoveryAlgorithm::Sack),
        stack => return profile(stack),
    };
    let mut profile = profile("rfc")?;
    profile.congestion_control = congestion_control;
    profile.sack = recovery == RecoveryAlgorithm::Sack;
    profile.family.classic_sender()?.recovery = recovery;
    Some(profile)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program has arguments, the crate has none"
)]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |n: usize, default: &str| arguments.get(n).map_or(default, |a| a).to_owned();
    let profile = variant(&argument(0, "newreno"));
    let segments: Option<u64> = argument(1, "10000").parse().ok();
    let lose_every: Option<u64> = argument(2, "0").parse().ok();
    let (Some(profile), Some(segments), Some(lose_every)) = (profile, segments, lose_every) else {
        println!("variants VARIANT|PROFILE SEGMENTS LOSE_EVERY");
        return;
    };
    let bytes = segments * u64::from(profile.mss_bytes);
    let mut wire = Wire::new(&profile, lose_every);
    let mut left = bytes;
    wire.transmit(0);
    while wire.ends[0].counters().bytes_acknowledged < bytes {
        let written = wire.ends[0].write(wire.now, left);
        if written > 0 {
            left -= written;
            wire.transmit(0);
        }
        wire.step();
    }
    println!("{} in {}", wire.ends[1].counters().bytes_received, wire.now);
}
