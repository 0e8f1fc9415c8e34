//! Why a segment was seen again, or behind its successors.
//!
//! The classes are those of Mellia, Meo, Muscariello and Rossi ("Passive analysis
//! of TCP anomalies", Computer Networks 52, 2008), which Tstat prints, and two
//! that came later: tail loss probes (RFC 8985 §7) and retransmissions by time
//! or before the third duplicate acknowledgment (RFC 8985 §6, RFC 5827).

mod evidence;
mod rules;

use serde::Serialize;

pub(super) use evidence::{DUPLICATE_THRESHOLD, Evidence, HOST_DELAY_NS, InferredPhase};
pub(super) use rules::RULES;

/// Why a segment was seen again, or behind its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Retransmitted because the retransmission timer expired, or in the recovery from that.
    Timeout,
    /// Retransmitted because duplicate acknowledgments or SACK blocks spoke for its loss.
    Fast,
    /// Retransmitted in response to acknowledgments, but before the third duplicate (by the time
    /// since a later segment was delivered, by early retransmit, or by a sender whose threshold
    /// is two, as that of old Windows, or remembers what came before a recovery was undone); or
    /// once more in the same recovery; or because a SYN's answer did not take the data in it.
    Rack,
    /// The last segment retransmitted to provoke an acknowledgment, before the timeout.
    TailProbe,
    /// Not retransmitted: overtaken in the network before the point of capture.
    Reordering,
    /// Not retransmitted: doubled in the network, or by the capture.
    NetworkDuplicate,
    /// A probe into a closed window, also with data that the receiver had no room for before.
    WindowProbe,
    /// As `Timeout`, but the receiver had it.
    NeedlessTimeout,
    /// As `Fast` or `Rack`, but the receiver had it.
    NeedlessFast,
    /// As `TailProbe`, but the receiver had it: it was late to say so.
    NeedlessProbe,
    /// Nothing that was captured explains it.
    Unknown,
    /// As `Unknown`, but the receiver had it.
    Needless,
    /// Retransmitted in smaller packets, because a router said by ICMP that it was too large (RFC
    /// 1191, RFC 8201).
    PathMtu,
}

impl Cause {
    /// All of them, in the order of [`Cause::index`].
    pub const ALL: [Cause; 13] = [
        Cause::Timeout,
        Cause::Fast,
        Cause::Rack,
        Cause::TailProbe,
        Cause::Reordering,
        Cause::NetworkDuplicate,
        Cause::WindowProbe,
        Cause::NeedlessTimeout,
        Cause::NeedlessFast,
        Cause::NeedlessProbe,
        Cause::Unknown,
        Cause::Needless,
        Cause::PathMtu,
    ];

    /// Its place in [`Cause::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The same, knowing that the receiver had the segment.
    pub(super) const fn needless(self) -> Cause {
        match self {
            Cause::Timeout => Cause::NeedlessTimeout,
            Cause::Fast | Cause::Rack => Cause::NeedlessFast,
            Cause::TailProbe => Cause::NeedlessProbe,
            Cause::Unknown => Cause::Needless,
            other => other,
        }
    }

    /// Returns whether a timer that expired sent the segment again.
    pub(super) const fn is_of_a_timer(self) -> bool {
        matches!(
            self,
            Cause::Timeout | Cause::NeedlessTimeout | Cause::TailProbe | Cause::NeedlessProbe
        )
    }

    /// Returns whether the sender sent the segment once, and the network made it late, or two of
    /// it.
    pub(super) const fn is_of_the_network(self) -> bool {
        matches!(self, Cause::Reordering | Cause::NetworkDuplicate)
    }

    /// Returns whether the sender sent the segment again for a loss, or what it took for one.
    pub(super) const fn is_retransmission(self) -> bool {
        !self.is_of_the_network() && !matches!(self, Cause::WindowProbe)
    }
}

#[cfg(test)]
mod tests;
