//! Explicit congestion notification (RFC 3168), in the details as Linux has it
//! (`net/ipv4/tcp_input.c`, `tcp_output.c`: `tcp_ecn_…`).

use super::Connection;
use crate::recovery::linux::Sender;
use crate::{Ecn, EcnUse, Flags, Segment, SendCause};

/// Agreement of both ends, and signals owed to the peer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnState {
    /// TCP_ECN_OK.
    pub is_agreed: bool,
    /// Marked data have come, and the peer has not told that it reduced its window
    /// (TCP_ECN_DEMAND_CWR).
    is_echoing: bool,
    /// Data of a capable sender have come (TCP_ECN_SEEN).
    pub has_seen: bool,
    /// The window has been reduced, which the peer has not been told (TCP_ECN_QUEUE_CWR); Linux's
    /// sender keeps that itself.
    owes_reduced: bool,
    /// Bytes sent when the window was reduced last because of marks.
    reduced_at: u64,
}

/// A SYN that asks has both (RFC 3168 §6.1.1), the answer to it ECE alone.
const ASKS: Flags = Flags(Flags::ECE.0 | Flags::CWR.0);

impl Connection {
    /// Returns what the flags of a SYN are to be besides. One that has not been answered is
    /// retransmitted without asking (§6.1.1.1, `tcp_ecn_clear_syn`).
    pub(super) fn ecn_flags_of_syn(&self, is_answer: bool) -> Flags {
        match self.config.ecn {
            EcnUse::On if !is_answer && self.counters.syn_retransmissions == 0 => ASKS,
            _ if is_answer && self.ecn.is_agreed => Flags::ECE,
            _ => Flags::default(),
        }
    }

    /// Agrees by the peer's SYN. A listener does not believe one that is itself marked as capable
    /// (`tcp_ecn_create_request`).
    pub(super) fn agree_on_ecn(&mut self, syn: &Segment) {
        let asks = Flags(syn.flags.0 & ASKS.0);
        self.ecn.is_agreed = match self.config.ecn {
            EcnUse::Off => false,
            _ if self.passive => asks == ASKS && syn.ecn == Ecn::NotCapable,
            EcnUse::Passive => false,
            EcnUse::On if syn.flags.contains(Flags::ACK) => asks == Flags::ECE,
            EcnUse::On => asks == ASKS,
        };
    }

    /// Marks new data as those of a capable sender; the first after a reduction tells of it
    /// (`tcp_ecn_send`).
    #[inline]
    pub(super) fn mark_capable(&mut self, segment: &mut Segment, sender: Option<&mut Sender>) {
        if self.ecn.is_agreed && segment.kind == SendCause::Data {
            let owes = match sender {
                Some(sender) => sender.take_reduced(),
                None => std::mem::take(&mut self.ecn.owes_reduced),
            };
            segment.ecn = Ecn::Capable;
            if owes {
                segment.flags |= Flags::CWR;
            }
        }
    }

    /// Returns what every segment but a SYN says of marked data (§6.1.3).
    #[inline]
    pub(super) fn echo_flags(&self) -> Flags {
        if self.ecn.is_echoing {
            Flags::ACK | Flags::ECE
        } else {
            Flags::ACK
        }
    }

    /// Returns whether an acknowledgement tells that data were marked (`tcp_ecn_rcv_ecn_echo`).
    #[inline]
    pub(super) fn is_congestion_echo(&self, segment: &Segment) -> bool {
        self.ecn.is_agreed && segment.flags.contains(Flags::ECE)
    }

    /// The peer has reduced its window; it may be small, so that data beside the news are
    /// acknowledged at once (`tcp_ecn_accept_cwr`).
    #[inline]
    pub(super) fn accept_reduced(&mut self, segment: &Segment) {
        if self.ecn.is_agreed && segment.flags.contains(Flags::CWR) {
            self.ecn.is_echoing = false;
            if segment.sequence_length() > 0 {
                self.delayed_ack.demand();
            }
        }
    }

    /// Data have come, marked or not (`tcp_data_ecn_check`). What is not marked as capable although
    /// other data were has probably been retransmitted.
    #[inline]
    pub(super) fn look_at_mark(&mut self, segment: &Segment) {
        if !self.ecn.is_agreed {
            return;
        }
        match segment.ecn {
            Ecn::NotCapable => {
                if self.ecn.has_seen {
                    self.delayed_ack.hurry_a_little();
                }
                return;
            }
            Ecn::Congestion => {
                self.counters.marked_segments_received += 1;
                if !self.ecn.is_echoing {
                    self.delayed_ack.hurry_a_little();
                    self.ecn.is_echoing = true;
                }
            }
            Ecn::Capable | Ecn::Capable1 => {}
        }
        self.ecn.has_seen = true;
    }

    /// A stack that is not Linux reduces its window once in a window of data, as at a loss, and
    /// sends nothing again (§6.1.2).
    #[cold]
    pub(super) fn heed_echo(&mut self) {
        if self.send.una <= self.ecn.reduced_at {
            return;
        }
        let in_flight = self.send.flight();
        if (self.recovery).reduce_unless_recovering(in_flight, &mut self.congestion) {
            self.counters.ecn_reductions += 1;
            self.note_reduced();
        }
    }

    /// The window of a stack that is not Linux has been reduced, whatever for (§6.1.2).
    pub(super) fn note_reduced(&mut self) {
        self.ecn.reduced_at = self.send.max;
        self.ecn.owes_reduced = true;
    }
}
