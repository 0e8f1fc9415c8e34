//! A machine for tests of applications: it notes what it is asked for.

use units::{Duration, Time};

use crate::{Net, Report, RequestedOption, Socket, SocketEvents, TimingRecord};

/// A connection has come about.
pub const OPEN: SocketEvents = SocketEvents {
    established: true,
    peer_closed: false,
};
/// There is something to read, or room to write.
pub const QUIET: SocketEvents = SocketEvents {
    established: false,
    peer_closed: false,
};
/// The peer has closed.
pub const CLOSED: SocketEvents = SocketEvents {
    established: false,
    peer_closed: true,
};

/// One connection with a send buffer of `room` bytes, which the test empties.
#[derive(Debug, Default)]
pub struct TestHost {
    pub now: Time,
    pub opened: u32,
    pub options: Vec<RequestedOption>,
    pub room: u64,
    pub written: u64,
    pub arrived: u64,
    pub closed: bool,
    pub sent: Vec<u32>,
    pub tags: Vec<u64>,
    pub requests: Vec<(u32, u32)>,
    pub wakes: Vec<Time>,
    pub wants_room: bool,
    /// Numbers drawn next, the last first; 0.5 once there are no more.
    pub draws: Vec<f64>,
    /// Where in their period sources of constant interval begin.
    pub phase: f64,
    /// Value that both ends see of every number.
    pub contents: f64,
    pub reports: Vec<Report>,
    pub records: Vec<TimingRecord>,
    /// Time that it takes to keep a timing record.
    pub per_record: Duration,
}

impl TestHost {
    pub fn with_room(room: u64) -> Self {
        TestHost {
            room,
            ..TestHost::default()
        }
    }

    pub fn at_millis(&mut self, millis: u64) -> &mut Self {
        self.now = Time::ZERO + Duration::from_millis(millis);
        self
    }
}

impl Net for TestHost {
    fn now(&self) -> Time {
        self.now
    }

    fn connect(&mut self) -> Socket {
        self.opened += 1;
        Socket(self.opened - 1)
    }

    fn set(&mut self, _: Socket, option: RequestedOption) {
        self.options.push(option);
    }

    fn write(&mut self, _: Socket, bytes: u64) -> u64 {
        let taken = bytes.min(self.room);
        self.room -= taken;
        self.written += taken;
        taken
    }

    fn read(&mut self, _: Socket) -> u64 {
        std::mem::take(&mut self.arrived)
    }

    fn close(&mut self, _: Socket) {
        self.closed = true;
    }

    fn send(&mut self, payload: u32, tag: u64) {
        self.sent.push(payload);
        self.tags.push(tag);
    }

    fn ping(&mut self, sequence: u32, payload: u32) {
        self.requests.push((sequence, payload));
    }

    fn wake_at(&mut self, at: Time) {
        self.wakes.push(at);
    }

    fn phase(&self, period: Duration) -> Duration {
        Duration::from_nanos((self.phase * period.as_nanos() as f64) as u64)
    }

    fn want_room(&mut self) {
        self.wants_room = true;
    }

    fn report(&mut self, report: Report) {
        self.reports.push(report);
    }

    fn draw(&mut self) -> f64 {
        self.draws.pop().unwrap_or(0.5)
    }

    fn content(&self, _: u64) -> f64 {
        self.contents
    }

    fn record(&mut self, record: TimingRecord) -> Time {
        self.records.push(record);
        self.now + self.per_record
    }
}

/// Random numbers from 0 to below 1: splitmix64 (Steele, Lea and Flood 2014).
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
