//! From the air to TCP: segments whose frames were tried many times, and what TCP did then.

use serde::Serialize;

use super::msdu::{GIVES_UP_AFTER, MsduUnderWay};
use crate::{Cause, Summary};
use dissect::{ConnectionEnd, Dot11Frame, TcpSegment};
use units::MacAddress;

/// Bursts listed; more are counted.
const MOST_BURSTS: usize = 10_000;

/// Bursts whose segments are awaited again at a time; the oldest is awaited no more.
const AWAITED: usize = 64;

/// The numbers of a segment in an MSDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MsduSegment {
    source: ConnectionEnd,
    destination: ConnectionEnd,
    seq: u32,
    ack: u32,
    payload: u32,
}

impl MsduSegment {
    pub fn of(segment: &TcpSegment) -> MsduSegment {
        MsduSegment {
            source: segment.source,
            destination: segment.destination,
            seq: segment.seq,
            ack: segment.ack,
            payload: segment.payload,
        }
    }
}

/// A TCP segment that needed many attempts on the air, or never came through.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Burst {
    /// Time when it was tried first, in nanoseconds since 1970.
    pub first_ns: u64,
    /// Time when it was tried last.
    pub last_ns: u64,
    /// Number of the packet that was the first attempt, from 1.
    pub packet: u64,
    /// Number of times it was tried; of fragments, the one that was tried most.
    pub attempts: u16,
    /// True if it was acknowledged on the air in the end.
    pub is_delivered: bool,
    /// Who tried.
    pub transmitter: MacAddress,
    /// For whom.
    pub receiver: MacAddress,
    /// Place of the connection in the analysis, from 0; none if it is not listed there.
    pub connection: Option<usize>,
    /// True if the connection's client sent the segment.
    pub is_from_client: bool,
    /// Its sequence number, as it stands in the header.
    pub seq: u32,
    /// The same, counted from the first byte of the stream as 1, where the SYN was captured.
    pub relative_seq: Option<u32>,
    /// Its acknowledgment number, as it stands in the header.
    pub ack: u32,
    /// Its payload bytes.
    pub payload: u32,
    /// TCP's reaction to it.
    pub again: Option<TcpRetransmission>,
    #[serde(skip)]
    ends: (ConnectionEnd, ConnectionEnd),
}

/// A segment that TCP retransmitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TcpRetransmission {
    /// Number of the packet, from 1.
    pub packet: u64,
    /// Time since the last attempt of the one before.
    pub after_ms: f64,
    /// Why, as the analysis of the connection has it.
    pub cause: Option<Cause>,
}

/// The bursts of a capture.
#[derive(Debug, Default)]
pub(super) struct TcpBursts {
    pub listed: Vec<Burst>,
    pub unlisted: u64,
    /// Places of the awaited ones in the list, and their sequence numbers for a quick look.
    awaited: Vec<u32>,
    seqs: Vec<u32>,
    next: usize,
    /// Packets that sent a segment again, whose causes are not known yet, with the burst's place.
    pub wanted: Vec<(u64, u32)>,
    /// Causes that came before anybody knew whether they would be wanted.
    pub early: Vec<(u64, Cause)>,
}

impl TcpBursts {
    /// An MSDU is tried once more.
    #[inline]
    pub fn on_attempt(&mut self, transmitter: MacAddress, msdu: &mut MsduUnderWay) {
        if msdu.attempts_max >= GIVES_UP_AFTER {
            self.note(transmitter, msdu);
        }
    }

    /// An MSDU, or a fragment of it, was acknowledged.
    pub fn on_delivered(&mut self, msdu: &MsduUnderWay) {
        if let Some(place) = msdu.burst {
            self.listed[place as usize].is_delivered = msdu.is_delivered();
        }
    }

    #[cold]
    fn note(&mut self, transmitter: MacAddress, msdu: &mut MsduUnderWay) {
        let Some(carried) = &msdu.carried else { return };
        if let Some(place) = msdu.burst {
            let burst = &mut self.listed[place as usize];
            burst.last_ns = msdu.last_ns;
            burst.attempts = msdu.attempts_max;
            burst.is_delivered = false;
            return;
        }
        if self.listed.len() >= MOST_BURSTS {
            // Counted once, at its fourth attempt.
            self.unlisted += u64::from(msdu.attempts_max == GIVES_UP_AFTER);
            return;
        }
        let place = self.listed.len() as u32;
        msdu.burst = Some(place);
        self.listed.push(Burst {
            first_ns: msdu.first_ns,
            last_ns: msdu.last_ns,
            packet: msdu.first_packet,
            attempts: msdu.attempts_max,
            is_delivered: false,
            transmitter,
            receiver: msdu.receiver,
            connection: None,
            is_from_client: false,
            seq: carried.seq,
            relative_seq: None,
            ack: carried.ack,
            payload: carried.payload,
            again: None,
            ends: (carried.source, carried.destination),
        });
        if carried.payload > 0 {
            self.await_again(place, carried.seq);
        }
    }

    fn await_again(&mut self, place: u32, seq: u32) {
        if self.awaited.len() < AWAITED {
            self.awaited.push(place);
            self.seqs.push(seq);
            return;
        }
        self.awaited[self.next] = place;
        self.seqs[self.next] = seq;
        self.next = (self.next + 1) % AWAITED;
    }

    /// A segment is sent by `transmitter`, for the first time on the air.
    #[inline]
    pub fn on_segment(
        &mut self,
        carried: &MsduSegment,
        frame: &Dot11Frame,
        transmitter: MacAddress,
    ) {
        if carried.payload > 0 && self.seqs.contains(&carried.seq) {
            self.resolve(carried, frame, transmitter);
        }
    }

    #[cold]
    fn resolve(&mut self, carried: &MsduSegment, frame: &Dot11Frame, transmitter: MacAddress) {
        let ends = (carried.source, carried.destination);
        for &place in &self.awaited {
            let burst = &mut self.listed[place as usize];
            let is_it = burst.seq == carried.seq
                && burst.ends == ends
                && burst.transmitter == transmitter
                && burst.again.is_none()
                && frame.number > burst.packet;
            if !is_it {
                continue;
            }
            let early = self
                .early
                .iter()
                .find(|(packet, _)| *packet == frame.number);
            let after_ns = frame.time_ns.saturating_sub(burst.last_ns);
            burst.again = Some(TcpRetransmission {
                packet: frame.number,
                after_ms: after_ns as f64 / 1e6,
                cause: early.map(|&(_, cause)| cause),
            });
            if early.is_none() {
                self.wanted.push((frame.number, place));
            }
        }
    }

    /// The analysis of the connection has judged why the segment of a burst was retransmitted.
    pub fn on_cause(&mut self, place: u32, cause: Cause) {
        if let Some(again) = &mut self.listed[place as usize].again {
            again.cause = Some(cause);
        }
    }

    /// Finds the connections of the bursts, and their relative sequence numbers.
    pub fn settle(&mut self, connections: &[Summary]) {
        let mut order: Vec<usize> = (0..connections.len()).collect();
        order.sort_unstable_by_key(|&place| (ends_of(&connections[place]), place));
        for burst in &mut self.listed {
            let (source, destination) = burst.ends;
            for (ends, is_from_client) in [
                ((source, destination), true),
                ((destination, source), false),
            ] {
                let behind = order.partition_point(|&place| {
                    let connection = &connections[place];
                    (ends_of(connection), connection.first_ns) <= (ends, burst.first_ns)
                });
                let Some(&place) = order[..behind].last() else {
                    continue;
                };
                if ends_of(&connections[place]) != ends {
                    continue;
                }
                let sent = if is_from_client {
                    &connections[place].client
                } else {
                    &connections[place].server
                };
                burst.connection = Some(place);
                burst.is_from_client = is_from_client;
                burst.relative_seq = sent.isn.map(|isn| burst.seq.wrapping_sub(isn));
            }
        }
    }
}

fn ends_of(connection: &Summary) -> (ConnectionEnd, ConnectionEnd) {
    let [client, server] = [&connection.client, &connection.server].map(|end| ConnectionEnd {
        address: end.address.into(),
        port: end.port,
    });
    (client, server)
}
