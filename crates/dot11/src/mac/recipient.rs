//! The station as recipient: ACK, CTS, delivery (IEEE 802.11-2007 §9.2.5.7, §9.2.8, §9.2.9).

use phy::TxVector;
use units::Time;

use super::peers::DataArrival;
use super::{ExchangeStep, Mac, MsduDelivery};
use crate::contention::Contention;
use crate::frame::{Frame, FrameKind};

impl Mac {
    /// Answers a correct frame and hands up what it completes.
    pub(super) fn answer(
        &mut self,
        now: Time,
        frame: &Frame,
        contention: &Contention,
    ) -> Option<MsduDelivery> {
        match frame.kind {
            FrameKind::Rts => {
                if contention.nav_busy(now) {
                    self.counters.cts_withheld += 1;
                } else {
                    self.respond(now, FrameKind::Cts, frame);
                    self.counters.cts_sent += 1;
                }
                None
            }
            // A response nobody waits for any more, or a beacon.
            FrameKind::Ack | FrameKind::Cts | FrameKind::Beacon => None,
            // They come by other ways.
            FrameKind::BlockAck | FrameKind::BlockAckRequest | FrameKind::Action => None,
            _ if frame.receiver.is_broadcast() => {
                self.counters.broadcasts_delivered += 1;
                Some(MsduDelivery::of(frame))
            }
            _ => {
                self.respond(now, FrameKind::Ack, frame);
                self.counters.acks_sent += 1;
                self.take_in(frame)
            }
        }
    }

    fn take_in(&mut self, frame: &Frame) -> Option<MsduDelivery> {
        match self.peers.judge(frame) {
            DataArrival::Complete => {
                self.counters.delivered += 1;
                Some(MsduDelivery::of(frame))
            }
            DataArrival::Partial => None,
            DataArrival::Duplicate => {
                self.counters.duplicates += 1;
                None
            }
            DataArrival::Orphan => {
                self.counters.orphan_fragments += 1;
                None
            }
        }
    }

    /// A response a SIFS from now, at the basic rate for `frame`, with what is left of its NAV:
    /// less a SIFS and the response itself, so nothing for the ACK of a last fragment
    /// (IEEE 802.11-2007 §7.2.1.2, §7.2.1.3).
    // In line, as every data frame is answered.
    #[inline(always)]
    pub(super) fn respond(&mut self, now: Time, kind: FrameKind, frame: &Frame) {
        let mode = self.exchanges[frame.mode()].answer;
        let vector = TxVector::of(mode, frame.vector.preamble);
        self.frame = Frame::control(kind, self.address, frame.transmitter, vector);
        let more_to_come = kind == FrameKind::Cts || frame.more_fragments;
        if more_to_come {
            let spent = (self.phy.sifs + self.frame.airtime())
                .as_nanos()
                .div_ceil(1_000);
            self.frame.duration = frame.duration.saturating_sub(spent as u16);
        }
        self.step = ExchangeStep::Responding;
        self.wake_at = now + self.phy.sifs;
    }
}
