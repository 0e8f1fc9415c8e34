//! One endpoint against a peer that a test plays by hand, segment by segment.
//!
//! The peer speaks in segments of [`MSS`] bytes and counts from nought: "segment 3" is the
//! fourth. The endpoint's initial sequence number is 1000, the peer's 5000.

use units::{Duration, Time};

use crate::{
    ClassicSender, Connection, ConnectionOptions, Flags, Options, Profile, SackBlock, SendCause,
};
use crate::{RecoveryAlgorithm, Segment, Seq, State, profile};

pub(super) const MSS: u64 = 1000;
pub(super) const OWN: Seq = Seq(1000);
pub(super) const PEER: Seq = Seq(5000);
/// The peer's window field shifts by this much.
const PEER_SHIFT: u8 = 7;

pub(super) struct Script {
    pub connection: Connection,
    pub now: Time,
    /// What the peer acknowledges and advertises with the data it sends.
    acked: u64,
    pub window: u16,
}

/// The RFC profile with segments of 1000 bytes, changed by `change`.
pub(super) fn rfc(change: impl FnOnce(&mut Profile)) -> Profile {
    let mut profile = profile("rfc").unwrap();
    profile.mss_bytes = MSS as u32;
    change(&mut profile);
    profile
}

/// Returns what is set of the RFCs' sender.
pub(super) fn sender(profile: &mut Profile) -> &mut ClassicSender {
    profile
        .family
        .classic_sender()
        .expect("no stack but today's Linux lacks it")
}

impl Script {
    /// A connection that has gone through the handshake in no time at all.
    pub fn established(profile: &Profile) -> Script {
        Script::established_with(profile, &ConnectionOptions::default())
    }

    pub fn established_with(profile: &Profile, options: &ConnectionOptions) -> Script {
        let connection = Connection::connect(Time::ZERO, profile, options, OWN.0);
        let mut script = Script {
            connection,
            now: Time::ZERO,
            acked: 0,
            window: 8000,
        };
        let syn = script.connection.poll_segment(script.now).unwrap();
        assert_eq!(syn.flags, Flags::SYN);
        script.receive(Segment {
            seq: PEER,
            ack: OWN + 1,
            flags: Flags::SYN | Flags::ACK,
            window: 65_535,
            options: Options {
                mss: Some(MSS as u16),
                sack_permitted: true,
                window_scale: Some(PEER_SHIFT),
                timestamps: syn.options.timestamps,
                ..Options::default()
            },
            ..Segment::default()
        });
        assert_eq!(script.kinds(), [SendCause::Ack]);
        assert_eq!(script.connection.state(), State::Established);
        script.ack(0); // the first window that is scaled
        script
    }

    /// Moves the clock to so many milliseconds after the start, letting timers expire.
    pub fn at(&mut self, ms: u64) -> &mut Script {
        let end = Time::ZERO + Duration::from_millis(ms);
        assert!(end >= self.now);
        self.now = end;
        if self.connection.wake_at() <= end {
            self.connection.on_timer(end);
        }
        self
    }

    pub fn receive(&mut self, segment: Segment) -> &mut Script {
        self.connection.on_segment(self.now, &segment);
        self
    }

    /// The application writes so many full segments.
    pub fn write(&mut self, segments: u64) -> &mut Script {
        let bytes = segments * MSS;
        assert_eq!(self.connection.write(self.now, bytes), bytes);
        self
    }

    /// The peer acknowledges everything before segment `n`.
    pub fn ack(&mut self, n: u64) -> &mut Script {
        self.ack_sack(n, &[])
    }

    /// The same with SACK blocks, each from one segment to before another.
    pub fn ack_sack(&mut self, n: u64, blocks: &[(u64, u64)]) -> &mut Script {
        self.acked = n;
        let mut segment = self.peer_segment();
        for &(start, end) in blocks {
            let at = |n| OWN.at(1 + n * MSS);
            segment.options.sack.push(SackBlock {
                start: at(start),
                end: at(end),
            });
        }
        self.receive(segment)
    }

    /// The peer sends its segment `n`.
    pub fn data(&mut self, n: u64) -> &mut Script {
        let mut segment = self.peer_segment();
        segment.seq = PEER.at(1 + n * MSS);
        segment.payload = MSS as u32;
        self.receive(segment)
    }

    /// The peer's FIN after `n` segments.
    pub fn fin(&mut self, n: u64) -> &mut Script {
        let mut segment = self.peer_segment();
        segment.seq = PEER.at(1 + n * MSS);
        segment.flags |= Flags::FIN;
        self.receive(segment)
    }

    fn peer_segment(&self) -> Segment {
        Segment {
            seq: PEER + 1,
            ack: OWN.at(1 + self.acked * MSS),
            flags: Flags::ACK,
            window: self.window,
            ..Segment::default()
        }
    }

    /// Everything the endpoint wants to send.
    pub fn sent(&mut self) -> Vec<Segment> {
        core::iter::from_fn(|| self.connection.poll_segment(self.now)).collect()
    }

    pub fn kinds(&mut self) -> Vec<SendCause> {
        self.sent().iter().map(|s| s.kind).collect()
    }

    /// The data it wants to send: why, and which segment.
    pub fn data_sent(&mut self) -> Vec<(SendCause, u64)> {
        let number = |s: &Segment| u64::from(s.seq.since(OWN + 1)) / MSS;
        self.sent()
            .iter()
            .filter(|s| s.payload > 0)
            .map(|s| (s.kind, number(s)))
            .collect()
    }

    /// cwnd in segments, rounded down.
    pub fn cwnd(&self) -> u64 {
        self.connection.info().cwnd_bytes / MSS
    }

    pub fn ssthresh(&self) -> u64 {
        self.connection.info().ssthresh_bytes / MSS
    }
}

/// Data in order, from one segment to before another.
pub(super) fn new_data(from: u64, to: u64) -> Vec<(SendCause, u64)> {
    (from..to).map(|n| (SendCause::Data, n)).collect()
}

/// Ten segments are in flight at time 0, a window of ten, and thirty more wait behind them.
pub(super) fn ten_in_flight(
    recovery: RecoveryAlgorithm,
    change: impl FnOnce(&mut Profile),
) -> Script {
    let profile = rfc(|p| {
        sender(p).recovery = recovery;
        p.sack = recovery == RecoveryAlgorithm::Sack;
        p.initial_window = crate::InitialWindow::Segments(10);
        sender(p).limited_transmit = false;
        change(p);
    });
    let mut script = Script::established(&profile);
    script.write(40);
    assert_eq!(script.data_sent(), new_data(0, 10));
    script
}
