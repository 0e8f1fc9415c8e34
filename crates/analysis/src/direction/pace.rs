//! Gaps with nothing outstanding that may be a sender's own pace.

use super::DirectionState;
use crate::rtt::LEAST_RTO_NS;
use dissect::ETHERNET_MSS;

/// Payload that the timestamps take from a segment (RFC 7323 §3.2, appendix A).
const TIMESTAMPS: u16 = 12;

/// A longer gap is no pace's. Linux waits between two packets for as long as the one before takes
/// at the pacing rate (`tcp_update_skb_after_send`; `fq_dequeue`), and packs as much into one as
/// takes a millisecond, but two segments at least (`tcp_tso_autosize`), or one where BBR paces below
/// 1.2 Mbit/s (`bbr_min_tso_segs`): one of 1,448 bytes takes so long at 58 kbit/s. On paths of a few
/// milliseconds it packs more, up to 64 KiB (`tcp_tso_rtt_log`), which take so long at 2.6 Mbit/s.
/// Slower senders are rarer than applications that pause for so long. (Inferred.)
const LONGEST_NS: u64 = LEAST_RTO_NS;

/// So many times longer than its rate has it a gap may be. BBR's cycle goes from 1.25 times the
/// rate to 0.75 times (`bbr_pacing_gain`), and behind a card that cuts them the two segments of a
/// packet are captured apart, which makes it twice as long. (Inferred.)
const SPREAD: u128 = 4;

/// Since when a sender has had something on its way all the time, or sent first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SendingPace {
    since_ns: u64,
    /// Bytes that it had sent by then.
    bytes: u64,
}

impl SendingPace {
    pub fn on_silence(&mut self, now: u64, bytes: u64) {
        *self = SendingPace {
            since_ns: now,
            bytes,
        };
    }
}

impl DirectionState {
    /// Returns whether a sender with nothing on its way may have had more to send, and have waited
    /// until its own pace let it. Beside the receiver nothing is on its way in any gap.
    pub(super) fn may_keep_pace(&self, now: u64, gap: u64) -> bool {
        gap < LONGEST_NS && self.ends_full() && self.fits_pace(now, gap) && !self.is_far()
    }

    /// Returns whether what was sent last was whole full segments. The last that an application
    /// writes is a partial one, unless that is a multiple of them by chance, or it asks TCP to send
    /// none but full ones (TCP_CORK of Linux). PSH does not tell: Linux sets it on every packet
    /// that its card is to cut (`tcp_transmit_skb`).
    fn ends_full(&self) -> bool {
        let full = self.full_payload();
        full > 0 && self.newest_payload.is_multiple_of(full)
    }

    /// The payload of a full segment on the wire: what the receiver takes less the timestamps
    /// (RFC 6691 §2). Without its word that is Ethernet's. The largest that was seen is none, as
    /// that may be all that the application wrote.
    fn full_payload(&self) -> u16 {
        let timestamps = if self.has_clock { TIMESTAMPS } else { 0 };
        let most = self.mss_announced.unwrap_or(ETHERNET_MSS);
        most.saturating_sub(timestamps)
    }

    /// Returns whether the gap is about as long as what was sent last takes at the rate since the
    /// silence before. One behind a burst is longer: an application's that writes in bursts, or
    /// that of a host busy with something else.
    fn fits_pace(&self, now: u64, gap: u64) -> bool {
        let last = self
            .trouble
            .as_ref()
            .map_or(SendingPace::default(), |trouble| trouble.pace);
        let since_ns = now.saturating_sub(last.since_ns.max(self.first_data_ns));
        let bytes = u128::from(self.bytes - last.bytes);
        let most_ns = SPREAD * u128::from(self.newest_payload) * u128::from(since_ns);
        u128::from(gap) * bytes <= most_ns
    }
}
