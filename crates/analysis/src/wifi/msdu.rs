//! An MSDU under way: its attempts, what is known of the latest, and how it ended.

use super::ledger::{ObservedUse, SnifferLedger};
use super::tcp::MsduSegment;
use dissect::Dot11Frame;
use units::MacAddress;

/// Attempts after which a sender that goes on to the next MSDU has given up, and not merely
/// received an acknowledgment that the sniffer missed: dot11LongRetryLimit, the lower of the
/// standard's two limits (IEEE 802.11-2020, Annex C).
pub const GIVES_UP_AFTER: u16 = 4;

/// Entry of the latest attempt in the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entered {
    pub preamble_ns: u64,
    pub header_ns: u64,
    pub payload_ns: u64,
}

impl Entered {
    fn move_all(self, ledger: &mut SnifferLedger, to_lost: bool) {
        let parts = [
            (self.preamble_ns, ObservedUse::Preamble),
            (self.header_ns, ObservedUse::Header),
            (self.payload_ns, ObservedUse::Payload),
        ];
        for (nanos, on) in parts {
            if to_lost {
                ledger.transfer(nanos, on, ObservedUse::CollisionOrError);
            } else {
                ledger.transfer(nanos, ObservedUse::CollisionOrError, on);
            }
        }
    }
}

/// Knowledge of the latest attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LatestAttempt {
    /// Not known, or not yet, whether it was acknowledged.
    #[default]
    Open,
    /// No response came.
    Lost,
    /// It was acknowledged.
    Acknowledged,
    /// Nobody acknowledges frames to a group.
    Group,
}

/// An MSDU, or a management frame's body, under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MsduUnderWay {
    sequence: u16,
    is_used: bool,
    pub is_data: bool,
    pub fragment: u8,
    has_more: bool,
    latest: LatestAttempt,
    /// Of the fragment under way.
    attempts: u16,
    /// The most of any fragment.
    pub attempts_max: u16,
    pub first_ns: u64,
    pub last_ns: u64,
    pub first_packet: u64,
    pub receiver: MacAddress,
    pub carried: Option<MsduSegment>,
    /// Its place among the bursts.
    pub burst: Option<u32>,
    entered: Entered,
    /// The acknowledgment of the latest attempt, as it stands in the ledger.
    ack_ns: u64,
}

/// End of an MSDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MsduEnd {
    /// Acknowledged to the last fragment.
    Delivered,
    /// The sender went on after so few attempts that it must have been acknowledged.
    AckMissed,
    /// The sender went on without an acknowledgment.
    GivenUp,
    /// Sent to a group.
    Group,
}

/// News of a block acknowledgment about an MSDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MsduAcknowledgment {
    /// It came.
    Arrived,
    /// It came, though it had seemed lost.
    ArrivedAfterAll,
    /// It was lost.
    Lost,
}

impl MsduUnderWay {
    /// One whose first captured attempt is this frame.
    #[inline]
    pub fn begin(frame: &Dot11Frame, carried: Option<&MsduSegment>) -> MsduUnderWay {
        let mut msdu = MsduUnderWay {
            sequence: frame.sequence,
            is_used: true,
            is_data: frame.has_data(),
            first_ns: frame.time_ns,
            first_packet: frame.number,
            receiver: frame.receiver,
            carried: carried.copied(),
            ..MsduUnderWay::default()
        };
        msdu.send(frame);
        msdu
    }

    /// Its number; none of a place that is free.
    #[inline]
    pub fn sequence(&self) -> Option<u16> {
        self.is_used.then_some(self.sequence)
    }

    /// Returns how it would have ended, if that was all.
    #[inline]
    pub fn end(&self) -> MsduEnd {
        match self.latest {
            LatestAttempt::Group => MsduEnd::Group,
            LatestAttempt::Acknowledged => MsduEnd::Delivered,
            LatestAttempt::Lost | LatestAttempt::Open if self.attempts >= GIVES_UP_AFTER => {
                MsduEnd::GivenUp
            }
            LatestAttempt::Lost | LatestAttempt::Open => MsduEnd::AckMissed,
        }
    }

    /// Returns whether fragments of it are left to send that its sender has not given up.
    #[inline]
    pub fn is_unfinished(&self) -> bool {
        self.has_more && self.end() != MsduEnd::GivenUp
    }

    /// Its place is free.
    pub fn free(&mut self) {
        self.is_used = false;
    }

    /// Returns whether the latest attempt was acknowledged and nothing of the MSDU is left to send.
    #[inline]
    pub fn is_delivered(&self) -> bool {
        self.latest == LatestAttempt::Acknowledged && !self.has_more
    }

    /// Notes how the attempt that was sent last stands in the ledger.
    #[inline]
    pub fn note_entered(&mut self, entered: Entered) {
        self.entered = entered;
    }

    /// The latest attempt was acknowledged, by a response that lasted `ack_ns`.
    #[inline]
    pub fn acknowledge(&mut self, ack_ns: u64) {
        self.latest = LatestAttempt::Acknowledged;
        self.ack_ns = ack_ns;
    }

    /// No response came to the latest attempt.
    #[inline]
    pub fn lose(&mut self) {
        if self.latest == LatestAttempt::Open {
            self.latest = LatestAttempt::Lost;
        }
    }

    /// A block acknowledgment speaks of it.
    pub fn hear(
        &mut self,
        is_acknowledged: bool,
        ledger: &mut SnifferLedger,
    ) -> Option<MsduAcknowledgment> {
        match (is_acknowledged, self.latest) {
            (true, LatestAttempt::Open) => {
                self.acknowledge(0);
                Some(MsduAcknowledgment::Arrived)
            }
            (true, LatestAttempt::Lost) => {
                self.entered.move_all(ledger, false);
                self.acknowledge(0);
                Some(MsduAcknowledgment::ArrivedAfterAll)
            }
            (false, LatestAttempt::Open) => {
                // Who answers has heard something behind the preamble.
                self.entered.preamble_ns = 0;
                self.miss(ledger);
                Some(MsduAcknowledgment::Lost)
            }
            _ => None,
        }
    }

    /// Loses what was open; returns whether it was.
    pub fn miss(&mut self, ledger: &mut SnifferLedger) -> bool {
        let was_open = self.latest == LatestAttempt::Open;
        if was_open {
            self.entered.move_all(ledger, true);
            self.lose();
        }
        was_open
    }

    /// Another attempt begins: what was open was lost after all, and the acknowledgment of what
    /// was acknowledged did not reach the sender.
    fn begin_again(&mut self, ledger: &mut SnifferLedger) -> RetryCause {
        match self.latest {
            LatestAttempt::Open => {
                self.entered.move_all(ledger, true);
                self.latest = LatestAttempt::Lost;
                RetryCause::AfterLoss
            }
            LatestAttempt::Acknowledged => {
                ledger.transfer(self.ack_ns, ObservedUse::Ack, ObservedUse::CollisionOrError);
                self.ack_ns = 0;
                RetryCause::AfterAck
            }
            LatestAttempt::Lost | LatestAttempt::Group => RetryCause::AfterLoss,
        }
    }

    /// The same fragment is retransmitted.
    #[inline]
    pub fn retransmit(&mut self, frame: &Dot11Frame, ledger: &mut SnifferLedger) -> RetryCause {
        let again = self.begin_again(ledger);
        self.send(frame);
        again
    }

    /// Another fragment is sent; gives how many between them were not captured.
    pub fn send_next(&mut self, frame: &Dot11Frame) -> u16 {
        let ahead = frame.fragment.saturating_sub(self.fragment);
        self.attempts = 0;
        self.send(frame);
        ahead.saturating_sub(1).into()
    }

    #[inline]
    fn send(&mut self, frame: &Dot11Frame) {
        self.fragment = frame.fragment;
        self.has_more = frame.has_more_fragments();
        self.attempts = self.attempts.saturating_add(1);
        self.attempts_max = self.attempts_max.max(self.attempts);
        self.last_ns = frame.time_ns;
        self.latest = if frame.is_to_group() {
            LatestAttempt::Group
        } else {
            LatestAttempt::Open
        };
    }

    /// The acknowledgment of the last attempt was not captured, but the sender went on: it was
    /// no loss.
    #[inline]
    pub fn forgive(&self, ledger: &mut SnifferLedger) {
        if self.latest == LatestAttempt::Lost {
            self.entered.move_all(ledger, false);
        }
    }
}

/// Why something is retransmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetryCause {
    /// It was lost.
    AfterLoss,
    /// Its acknowledgment was.
    AfterAck,
}
