//! Linux cuts the stream into pieces of several segments for the interface to split, and keeps
//! back what would make but a small one while acknowledgements are about to make room for more
//! (`tcp_tso_should_defer`). One segment here leaves as one; what shows is when it does.

use units::{Duration, Time};

use super::super::Connection;
use crate::recovery::linux::Sender;
use crate::tcp_info::CaState;

/// The least that a piece may hold, in segments (ip-sysctl, tcp_min_tso_segs).
const PIECE_MIN: u64 = 2;

/// The most, in bytes (`sk_gso_max_size`): 64 KiB less MAX_TCP_HEADER, 320, and one.
const PIECE_MAX: u64 = 65_536 - 321;

/// The least round-trip time, in units of 2^9 µs, halves what it adds to a piece (ip-sysctl,
/// tcp_tso_rtt_log).
const ROUND_TRIP_LOG: u32 = 9;

/// What fills this share of the window does not wait (ip-sysctl, tcp_tso_win_divisor).
const WINDOW_DIVISOR: u64 = 3;

/// Nothing waits when the last segment left longer ago than this.
const RECENT: Duration = Duration::from_millis(1);

/// Pacing spreads a piece over 2^-10 s, roughly a millisecond (`sk_pacing_shift`).
const PACING_SHIFT: u32 = 10;

/// The peer's window is halved for pieces where it is larger (`tcp_bound_to_half_wnd`).
const WINDOW_HALVED_ABOVE: u64 = 536; // TCP_MSS_DEFAULT

impl Connection {
    /// Whether the data at SND.NXT wait for the next acknowledgement, although both windows take
    /// some; if so, whether it is the congestion window that they wait for.
    #[inline]
    pub(super) fn deferral(&self, sender: &mut Sender, now: Time) -> Option<bool> {
        if self.send.nxt < sender.piece.end {
            return None;
        }
        self.begin_piece(sender, now)
    }

    #[inline(never)]
    fn begin_piece(&self, sender: &mut Sender, now: Time) -> Option<bool> {
        let mss = u64::from(self.mss);
        let most = self.piece_max(sender) * mss;
        let window = self.congestion.window();
        let room = window.saturating_sub(u64::from(sender.in_flight()) * mss);
        let peer_room = self.send.edge.saturating_sub(self.send.nxt);
        let queued = self.send.end - self.send.nxt;
        let wanted = room.min(most);
        let length = queued.min(self.to_boundary(sender).max(wanted));
        let limit = room.min(peer_room);
        sender.piece.end = self.send.nxt + length.min(wanted).min(peer_room);
        if length <= mss || limit >= most || (limit >= length && length < queued) {
            return None;
        }
        let share = window.min(self.send.edge.saturating_sub(self.send.una)) / WINDOW_DIVISOR;
        if limit >= share || !self.expects_acknowledgment(sender, now) {
            return None;
        }
        let is_limited = room < peer_room && room <= length;
        let is_peer_limited = room >= peer_room && peer_room <= length;
        if self.send.closing && length == queued && !is_limited && !is_peer_limited {
            return None;
        }
        sender.piece.end = self.send.nxt;
        Some(is_limited)
    }

    /// Whether an acknowledgement is about to come: something left just now, and half a round
    /// trip has passed since what is awaited did.
    fn expects_acknowledgment(&self, sender: &Sender, now: Time) -> bool {
        let half = self.rtt.smoothed().unwrap_or(Duration::ZERO) / 2;
        sender.state() < CaState::Recovery
            && now - self.last_sent <= RECENT
            && sender.head_sent_at().is_some_and(|at| now - at > half)
    }

    /// How many segments make a piece at most (`tcp_tso_autosize`).
    fn piece_max(&self, sender: &Sender) -> u64 {
        let paced = self.pace(sender) >> PACING_SHIFT;
        let least = self.rtt.least().map_or(u64::MAX, Duration::as_micros);
        let near = u32::try_from(least >> ROUND_TRIP_LOG).unwrap_or(u32::MAX);
        let bonus = PIECE_MAX.checked_shr(near).unwrap_or(0);
        let bytes = (paced + bonus).min(PIECE_MAX);
        (bytes / u64::from(self.mss)).max(PIECE_MIN)
    }

    /// From SND.NXT to where the kernel began another buffer as the application wrote
    /// (`tcp_xmit_size_goal`).
    fn to_boundary(&self, sender: &Sender) -> u64 {
        let mss = u64::from(self.mss);
        let window = self.send.max_window();
        let half = if window > WINDOW_HALVED_ABOVE {
            window / 2
        } else {
            window
        };
        let goal = (half.min(PIECE_MAX) / mss).max(1) * mss;
        goal - (self.send.nxt - sender.piece.queue_start) % goal
    }
}
