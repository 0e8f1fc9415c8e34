//! A bulk transfer over a perfect wire: the smallest program that drives two endpoints, and
//! the one to count instructions with:
//!
//! ```text
//! valgrind --tool=callgrind target/release/examples/bulk 100000
//! ```

use std::collections::VecDeque;

use tcp::{Connection, ConnectionOptions, Event, Segment, profile};
use units::{Duration, Time};

const MSS: u64 = 1460;
/// One way; with a window of twelve segments the pipe is never idle for long.
const DELAY: Duration = Duration::from_millis(1);

struct Wire {
    now: Time,
    ends: [Connection; 2],
    flying: VecDeque<(Time, usize, Segment)>,
}

impl Wire {
    fn transmit(&mut self, from: usize) {
        while let Some(segment) = self.ends[from].poll_segment(self.now) {
            self.flying.push_back((self.now + DELAY, 1 - from, segment));
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

#[expect(
    clippy::disallowed_methods,
    reason = "a program has arguments, the crate has none"
)]
fn main() {
    let segments = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(10_000);
    let profile = profile("windows-xp").expect("it is in the list");
    let options = ConnectionOptions::default();
    let client = Connection::connect(Time::ZERO, &profile, &options, 1);
    let server = Connection::listen(&profile, &options, 2);
    let mut wire = Wire {
        now: Time::ZERO,
        ends: [client, server],
        flying: VecDeque::new(),
    };
    let mut left = segments * MSS;
    wire.transmit(0);
    while wire.ends[0].counters().bytes_acknowledged < segments * MSS {
        let written = wire.ends[0].write(wire.now, left);
        if written > 0 {
            left -= written;
            wire.transmit(0);
        }
        wire.step();
    }
    println!("{} in {}", wire.ends[1].counters().bytes_received, wire.now);
    println!("{:?}", wire.ends[0].info());
}
