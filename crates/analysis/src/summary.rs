//! Summary of a connection.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::announced::{Announced, EcnFeedback, SynOptions, agreed_ecn};
use super::cause::Cause;
use super::checksums::WrongChecksums;
use super::connection::CapturedConnection;
use super::counters::DirectionCounters;
use super::direction::DirectionState;
use super::limit::HeldUp;
use super::rtt::CapturedRoundTrips;
use super::silence::{Silences, Whose};
use super::stall::{Pauses, Stall};
use dissect::{ConnectionEnd, JUMBO_MSS};

/// Stage that a connection reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionStage {
    /// Only SYNs: nobody answered.
    Unanswered,
    /// The answer to the SYN was a reset.
    Refused,
    /// It was under way when the capture ended, or when it had to make room.
    Open,
    /// Both ends sent a FIN.
    Closed,
    /// An end reset it.
    Reset,
}

/// A connection from its first captured packet to its last.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Number of its first packet in the file, from 1.
    pub first_packet: u64,
    /// Time when that was captured, in nanoseconds since 1970.
    pub first_ns: u64,
    /// Time when its last packet was captured.
    pub last_ns: u64,
    /// Stage that it reached.
    pub outcome: ConnectionStage,
    /// The three segments of the handshake were captured.
    pub has_handshake: bool,
    /// The capture begins in the middle of it: no SYN was captured.
    pub starts_midway: bool,
    /// Segments that were captured with an earlier time than one before them.
    pub back_in_time: u64,
    /// From the SYN to the acknowledgment of its answer: a round trip of the whole path,
    /// wherever it is captured. None if one of them is missing or came twice.
    pub handshake_ms: Option<f64>,
    /// From the first SYN to that acknowledgment, however often the SYNs came. None if one of them is
    /// missing.
    pub connect_ms: Option<f64>,
    /// Feedback about marked packets that the ends agreed on.
    pub ecn: EcnFeedback,
    /// The pauses in which neither end sent data, by whose they were.
    pub silences: Silences,
    /// Direction of the end that opened the connection.
    pub client: DirectionSummary,
    /// Direction of the other end.
    pub server: DirectionSummary,
}

/// Data of one end, and the other end's reports on them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DirectionSummary {
    /// The end's address.
    pub address: std::net::IpAddr,
    /// Its port.
    pub port: u16,
    /// Counts and extremes.
    #[serde(flatten)]
    pub counters: DirectionCounters,
    /// Time when the last payload was captured, but for probes of a closed window; 0 if none was.
    pub last_data_ns: u64,
    /// Time that the receiver's window has been closed at the end of the capture, as far as the
    /// probes of this end tell. It is none of the stalls, as it lasts; 0 if it was open.
    pub closed_at_end_ns: u64,
    /// The largest packet that all links take, as far as routers said (ICMP).
    pub path_mtu: Option<u32>,
    /// From each segment to its acknowledgment, at the point of capture.
    pub rtt: Option<CapturedRoundTrips>,
    /// Smoothed round-trip time of a sender at the point of capture
    /// (RFC 6298).
    pub smoothed_rtt_ms: Option<f64>,
    /// From the point of capture to this end and back, smoothed, as the timestamps tell that it
    /// echoes: what lies before the capture, where it does not stand beside this end.
    pub sender_rtt_ms: Option<f64>,
    /// From the SYN, or the first packet, to the last segment with payload, or to the last probe of a
    /// window that stayed closed.
    pub transfer_ms: Option<f64>,
    /// Payload, each byte once, over that time.
    pub throughput_mbps: Option<f64>,
    /// More of the path lies between it and the point of capture than behind that.
    pub is_far: bool,
    /// Time that each limit held it up, between its first segment with payload and its last. None
    /// where nobody was heard to acknowledge, or no time passed.
    pub limits: Option<HeldUp>,
    /// Bytes that were acknowledged but never seen: the capture missed them.
    pub bytes_missed: u64,
    /// Segments larger than the receiver allows on the wire: the card has yet to cut them, or
    /// has put them together. None if what it allows was not captured.
    pub is_offloaded: Option<bool>,
    /// Why checksums are wrong, if some are.
    pub wrong_checksums: Option<WrongChecksums>,
    /// Its initial sequence number, if its SYN was captured.
    pub isn: Option<u32>,
    /// Knowledge of its SYN's options; none that was not captured is told below.
    pub syn_options: SynOptions,
    /// The largest segment that this end says it takes.
    pub mss_option: Option<u16>,
    /// The shift of its windows, if it offered one.
    pub window_scale: Option<u8>,
    /// True if it offered SACK.
    pub sack_permitted: Option<bool>,
    /// True if it offered timestamps.
    pub timestamps: Option<bool>,
    /// Its SYN came again with another initial sequence number.
    pub syn_changed: bool,
}

impl Summary {
    pub(super) fn of(connection: &CapturedConnection) -> Summary {
        let progress = connection.progress;
        let handshake_ns = connection.halves[0].handshake_ns;
        let start_ns = connection.start_ns();
        let direction = |from: usize| {
            let peer = &connection.announced[1 - from];
            let (end, half) = (connection.ends()[from], &connection.halves[from]);
            let own = &connection.announced[from];
            let is_answer_closed = progress.fin[1 - from];
            let counts_marks = progress.counts_marks;
            DirectionSummary::of(
                end,
                half,
                [own, peer],
                start_ns,
                is_answer_closed,
                counts_marks,
            )
        };
        Summary {
            first_packet: connection.number,
            first_ns: connection.first_ns,
            last_ns: connection.last_ns,
            outcome: outcome(connection),
            has_handshake: progress.established,
            starts_midway: connection.announced.iter().all(|end| end.isn.is_none()),
            back_in_time: connection.back_in_time,
            handshake_ms: (handshake_ns > 0).then(|| handshake_ns as f64 / 1e6),
            connect_ms: connect_ns(connection).map(|ns| ns as f64 / 1e6),
            ecn: agreed_ecn(&connection.announced),
            silences: silences(connection),
            client: direction(0),
            server: direction(1),
        }
    }
}

/// Returns how long it took to connect, from the first SYN on.
fn connect_ns(connection: &CapturedConnection) -> Option<u64> {
    let client = &connection.announced[0];
    let is_known = client.isn.is_some() && connection.progress.established;
    is_known.then(|| (connection.established_ns).saturating_sub(client.first_syn_ns))
}

/// The silences, with that of a window which stayed closed to the end.
fn silences(connection: &CapturedConnection) -> Silences {
    let mut silences = connection.silences;
    for (from, half) in connection.halves.iter().enumerate() {
        if half.lasting_ns() > half.patience_ns() {
            silences.add(Whose::Receiver, from, half.lasting_ns());
        }
    }
    silences
}

fn outcome(connection: &CapturedConnection) -> ConnectionStage {
    let progress = connection.progress;
    let [client, server] = connection.halves.each_ref().map(DirectionState::counters);
    if progress.reset && client.syns > 0 && !progress.syn_ack && server.resets > 0 {
        ConnectionStage::Refused
    } else if progress.reset {
        ConnectionStage::Reset
    } else if progress.is_closed() {
        ConnectionStage::Closed
    } else if server.packets == 0 && client.syns == client.packets {
        ConnectionStage::Unanswered
    } else {
        ConnectionStage::Open
    }
}

impl DirectionSummary {
    fn of(
        end: ConnectionEnd,
        half: &DirectionState,
        [own, peer]: [&Announced; 2],
        start_ns: u64,
        is_answer_closed: bool,
        counts_marks: bool,
    ) -> DirectionSummary {
        let mut counters = half.counters();
        if counts_marks {
            counters.ecn_reductions = 0;
        }
        let transfer_ns =
            (counters.packets_data > 0).then(|| half.active_until_ns().saturating_sub(start_ns));
        let known_ms = |ns: u64| (ns > 0).then(|| ns as f64 / 1e6);
        DirectionSummary {
            address: end.address.into(),
            port: end.port,
            counters,
            last_data_ns: half.last_data_ns,
            closed_at_end_ns: half.lasting_ns(),
            path_mtu: half.path_mtu(),
            rtt: half.rtt.summary(),
            smoothed_rtt_ms: known_ms(half.estimator.smoothed_ns),
            sender_rtt_ms: known_ms(half.sender_rtt_ns()),
            transfer_ms: transfer_ns.map(|ns| ns as f64 / 1e6),
            throughput_mbps: transfer_ns
                .filter(|&ns| ns > 0)
                .map(|ns| counters.bytes_unique as f64 * 8e3 / ns as f64),
            is_far: half.is_far(),
            limits: half.held_up(),
            bytes_missed: half.bytes_missed(is_answer_closed),
            is_offloaded: is_offloaded(counters.mss_max, peer),
            wrong_checksums: None,
            isn: own.isn,
            syn_options: own.options(),
            mss_option: own.mss,
            window_scale: own.window_scale,
            sack_permitted: own.offers_sack(),
            timestamps: own.offers_timestamps(),
            syn_changed: own.changed_isn,
        }
    }
}

/// Returns whether the largest segment is larger than its receiver takes from the wire. Without its
/// word only what no jumbo frame carries tells.
fn is_offloaded(largest: u32, receiver: &Announced) -> Option<bool> {
    match (receiver.mss, receiver.options()) {
        (Some(most), _) => Some(largest > most.into()),
        (None, SynOptions::Captured) => Some(false),
        (None, _) => (largest > JUMBO_MSS.into()).then_some(true),
    }
}

/// Counters by cause, under the causes' names.
pub(super) fn causes<S: Serializer>(
    counts: &[u64; Cause::ALL.len()],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(counts.len()))?;
    for (cause, count) in Cause::ALL.iter().zip(counts) {
        map.serialize_entry(cause, count)?;
    }
    map.end()
}

/// Pauses by what the sender waited for, under those names.
pub(super) fn stalls<S: Serializer>(
    pauses: &[Pauses; Stall::ALL.len()],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pauses.len()))?;
    for (stall, pauses) in Stall::ALL.iter().zip(pauses) {
        map.serialize_entry(stall, pauses)?;
    }
    map.end()
}
