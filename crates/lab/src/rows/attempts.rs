//! Attempts of MACs as a table: each data frame and each RTS.

use air::Transmission;
use dot11::FrameKind;
use units::Time;
use units::table::Node;

use crate::meters::FrameReception;
use crate::radios::Radios;

units::words! {
    /// What an attempt sends.
    pub enum AttemptKind {
        /// An MSDU or a fragment of one.
        Data = "data",
        /// A request to send.
        Rts = "rts",
    }
}

units::words! {
    /// What became of a frame at its receiver.
    pub enum AttemptOutcome {
        /// Decoded for the first time.
        Received = "received",
        /// Decoded, and received before.
        Duplicate = "duplicate",
        /// Not decoded: it collided with another frame.
        Collided = "collided",
        /// Not decoded, and not for another frame.
        Corrupted = "corrupted",
    }
}

units::row! {
    /// Data frames and RTS to one receiver, in the order of their ends.
    pub struct Attempt = "attempts" {
        /// first bit of the preamble, from the start of the run
        start_s: Time, "s";
        /// last bit
        end_s: Time, "s";
        /// the node that sent it
        node: Node, "";
        /// the node it was for
        to: Node, "";
        /// `data` or `rts`
        kind: AttemptKind, "";
        /// rate of its payload
        rate_mbps: f64, "Mbit/s";
        /// length of the MPDU
        size: u16, "bytes";
        /// 1 with the retry bit, else 0
        retry: bool, "";
        /// sequence number of the MSDU, modulo 4096; 0 for an RTS
        sequence: u16, "";
        /// fragment number, from 0 on
        fragment: u8, "";
        /// `received`, `duplicate`, `collided` or `corrupted`
        outcome: AttemptOutcome, "";
    }
}

impl Attempt {
    /// Notes the attempt that has just ended, if the frame was one; of each MPDU under block
    /// acknowledgment.
    pub fn note(
        now: Time,
        done: &Transmission,
        fate: FrameReception,
        radios: &Radios,
        attempts: &mut Vec<Attempt>,
    ) {
        let Some(whole) = Attempt::of(now, done, fate, radios) else {
            return;
        };
        if whole.kind != AttemptKind::Data || !done.frame.is_under_block_ack() {
            return attempts.push(whole);
        }
        let decoded = radios.decoded(fate);
        let from = radios.number_of(done.frame.transmitter);
        let each = radios.mpdus(from).iter().enumerate();
        attempts.extend(each.map(|(place, mpdu)| Attempt {
            size: mpdu.bytes,
            retry: mpdu.attempts > 1,
            sequence: mpdu.sequence,
            outcome: match fate != FrameReception::Lost && !decoded.has(place) {
                true => undecoded(done),
                false => whole.outcome,
            },
            ..whole
        }));
    }

    /// The attempt that has just ended, if the frame was one.
    fn of(
        now: Time,
        done: &Transmission,
        fate: FrameReception,
        radios: &Radios,
    ) -> Option<Attempt> {
        let frame = &done.frame;
        let kind = match frame.kind {
            FrameKind::Data => AttemptKind::Data,
            FrameKind::Rts => AttemptKind::Rts,
            _ => return None,
        };
        if frame.receiver.is_broadcast() {
            return None;
        }
        Some(Attempt {
            start_s: done.start,
            end_s: now,
            node: radios.node_of(frame.transmitter).into(),
            to: radios.node_of(frame.receiver).into(),
            kind,
            rate_mbps: frame.mode().rate().as_bps() as f64 / 1e6,
            size: frame.bytes,
            retry: frame.retry,
            sequence: frame.sequence,
            fragment: frame.fragment,
            outcome: match fate {
                FrameReception::Fresh => AttemptOutcome::Received,
                FrameReception::Duplicate => AttemptOutcome::Duplicate,
                FrameReception::Lost => undecoded(done),
            },
        })
    }
}

/// Why a frame, or an MPDU of it, was not decoded.
fn undecoded(done: &Transmission) -> AttemptOutcome {
    match done.has_collided() {
        true => AttemptOutcome::Collided,
        false => AttemptOutcome::Corrupted,
    }
}
