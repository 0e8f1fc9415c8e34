//! Exchanges on the air: how often a frame was sent, and when it was acknowledged.
//!
//! Clauses are those of IEEE 802.11-2020.

use std::collections::VecDeque;

use super::source::Sighting;
use dissect::{Dot11Frame, kind};
use units::MacAddress;

/// Longest exchange: the lifetime of an MSDU (dot11MaxTransmitMSDULifetime and
/// dot11EDCATableMSDULifetime are 512 and 500 TUs unless set otherwise, annex C).
const LIFETIME_NS: u64 = 512 * 1_024_000;

/// Segments held back at once; the oldest gives way.
const MOST: usize = 4096;

/// The traffic identifier of a frame without QoS, which has none (9.2.4.5.2: 0 to 15).
const NO_TID: u8 = 16;

/// Fate of a packet's frame on the air, and of its fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AirPassage {
    /// Frames captured, fragments and retries included.
    pub frames: u16,
    /// Number of them that had the retry bit.
    pub retries: u16,
    /// Time when the last of them was captured.
    pub last_ns: u64,
    /// Time when the acknowledgment of the last fragment was captured, the last time; none if none
    /// was.
    pub acknowledged_ns: Option<u64>,
}

/// Holds segments back until their exchange is over, and gives them in the order in which they
/// were first sent.
///
/// An acknowledgment that a sniffer has may not have reached the sender. So an exchange is over
/// when the sender begins the next of its kind.
#[derive(Debug, Default)]
pub(super) struct Exchanges {
    waiting: VecDeque<WaitingFrame>,
    /// The frame before, if an acknowledgment may follow it at once.
    last: Option<(FrameNumbering, u16)>,
}

/// Who numbers frames: a transmitter, for each traffic identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FrameNumbering {
    transmitter: MacAddress,
    tid: u8,
}

#[derive(Debug)]
struct WaitingFrame {
    stream: FrameNumbering,
    sequence: u16,
    sighting: Sighting,
    is_over: bool,
}

impl Exchanges {
    /// Takes a frame, its body, and the segments that were found in it.
    pub fn take(&mut self, frame: &Dot11Frame, body: &[u8], found: impl Iterator<Item = Sighting>) {
        let before = self.last.take();
        if !frame.is_legible() {
            return;
        }
        match (frame.kind(), frame.transmitter) {
            (kind::ACK, _) => self.acknowledge(before, frame),
            (kind::BLOCK_ACK, _) => self.acknowledge_block(frame, body),
            (_, Some(transmitter)) if frame.has_data() => {
                let tid = frame.tid().unwrap_or(NO_TID);
                self.send(FrameNumbering { transmitter, tid }, frame, found);
            }
            _ => {}
        }
    }

    fn send(
        &mut self,
        stream: FrameNumbering,
        frame: &Dot11Frame,
        found: impl Iterator<Item = Sighting>,
    ) {
        let takes_turns = frame.wants_ack() && frame.radio.ampdu.is_none();
        let mut is_known = false;
        for waiting in self
            .waiting
            .iter_mut()
            .filter(|waiting| waiting.stream == stream)
        {
            if waiting.sequence != frame.sequence {
                waiting.is_over |= takes_turns;
                continue;
            }
            if let Some(exchange) = &mut waiting.sighting.exchange {
                exchange.frames = exchange.frames.saturating_add(1);
                exchange.retries = exchange.retries.saturating_add(frame.is_retry().into());
                exchange.last_ns = frame.time_ns;
                is_known = true;
            }
        }
        if !is_known {
            self.waiting.extend(found.map(|sighting| WaitingFrame {
                stream,
                sequence: frame.sequence,
                sighting: Sighting {
                    exchange: Some(AirPassage {
                        frames: 1,
                        retries: frame.is_retry().into(),
                        last_ns: frame.time_ns,
                        acknowledged_ns: None,
                    }),
                    ..sighting
                },
                is_over: false,
            }));
        }
        if takes_turns && !frame.has_more_fragments() {
            self.last = Some((stream, frame.sequence));
        }
    }

    /// An acknowledgment names its receiver only, and follows what it acknowledges (9.3.1.4).
    fn acknowledge(&mut self, before: Option<(FrameNumbering, u16)>, frame: &Dot11Frame) {
        let Some((stream, sequence)) =
            before.filter(|(stream, _)| stream.transmitter == frame.receiver)
        else {
            return;
        };
        self.note(frame.time_ns, |waiting| {
            waiting.stream == stream && waiting.sequence == sequence
        });
    }

    /// A compressed block acknowledgment (9.3.1.8.2): the traffic identifier in the upper four
    /// bits of its control field, the first sequence number in the upper twelve of the next, and
    /// a bit for each number from there on.
    fn acknowledge_block(&mut self, frame: &Dot11Frame, body: &[u8]) {
        let Some(&[_, control, first_low, first_high, ref bitmap @ ..]) = body.first_chunk::<12>()
        else {
            return;
        };
        let stream = FrameNumbering {
            transmitter: frame.receiver,
            tid: control >> 4,
        };
        let first = u16::from_le_bytes([first_low, first_high]) >> 4;
        let bits = u64::from_le_bytes(*bitmap);
        self.note(frame.time_ns, |waiting| {
            let behind = waiting.sequence.wrapping_sub(first) % 4096;
            waiting.stream == stream && behind < 64 && bits >> behind & 1 == 1
        });
    }

    fn note(&mut self, time_ns: u64, is_meant: impl Fn(&WaitingFrame) -> bool) {
        for waiting in self.waiting.iter_mut().filter(|waiting| is_meant(waiting)) {
            if let Some(exchange) = &mut waiting.sighting.exchange {
                exchange.acknowledged_ns = Some(time_ns);
            }
        }
    }

    /// The next segment whose exchange is over at `now_ns`.
    pub fn pop(&mut self, now_ns: u64) -> Option<Sighting> {
        let front = self.waiting.front()?;
        let age_ns = now_ns.saturating_sub(front.sighting.segment.time_ns);
        let is_over = front.is_over || age_ns > LIFETIME_NS || self.waiting.len() > MOST;
        if !is_over {
            return None;
        }
        self.waiting.pop_front().map(|waiting| waiting.sighting)
    }
}
