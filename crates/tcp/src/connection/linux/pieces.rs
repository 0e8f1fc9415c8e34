//! Linux cuts the stream into pieces of several segments for the interface to split, and keeps
//! back what would make but a small one while an acknowledgement is about to make room for more
//! (`tcp_write_xmit`).

use units::{Duration, Time};

use super::super::Connection;
use super::departures::WaitingSegments;
use super::mtu_probing::Probing;
use crate::recovery::linux::{Copying, Piece, Sender, SkBuff};
use crate::segment::TIMESTAMP_BYTES;
use crate::send::Boundary;
use crate::tcp_info::CaState;
use crate::timers::Timer;

/// The most, in bytes (`sk_gso_max_size`): 64 KiB less MAX_TCP_HEADER, 320, and one.
const PIECE_MAX: u64 = 65_536 - 321;

/// The least round-trip time, in units of 2^9 µs, halves what it adds to a piece (ip-sysctl,
/// tcp_tso_rtt_log).
const ROUND_TRIP_LOG: u32 = 9;

/// Share of the window that does not wait once it is filled (ip-sysctl, tcp_tso_win_divisor).
const WINDOW_DIVISOR: u64 = 3;

/// Nothing waits when the last segment left longer ago than this, or when the next
/// acknowledgement is further away.
const SOON: Duration = Duration::from_millis(1);

/// Half the peer's window counts where it is larger, else all of it (`tcp_bound_to_half_wnd`).
const WINDOW_HALVED_ABOVE: u64 = 536; // TCP_MSS_DEFAULT

/// The smallest segment, headers included, that a small window makes (`tcp_bound_to_half_wnd`).
const SEGMENT_MIN: u64 = 68;
const TCP_HEADER: u64 = 20;

/// On what occasion new data may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Push {
    /// An acknowledgement, or the end of a write.
    Ordinary,
    /// Short segments need not wait.
    Forced,
    /// In the middle of a write: nothing waits for more.
    One,
    /// A tail loss probe: the congestion window takes a segment in any case.
    Probe,
}

/// Nothing can be sent; whether it is the congestion window that keeps it back.
pub(super) struct SendBlocked {
    pub by_congestion: bool,
}

const HELD: SendBlocked = SendBlocked {
    by_congestion: false,
};

impl Connection {
    /// Begins the next piece, if there is one to be sent.
    pub(super) fn begin_next_piece(
        &mut self,
        sender: &mut Sender,
        now: Time,
        push: Push,
    ) -> Result<(), SendBlocked> {
        loop {
            let copying = self.copy(sender, now);
            let occasion = match copying {
                Copying::Done => push,
                Copying::First => Push::One,
                Copying::All | Copying::Stopped => Push::Forced,
            };
            let begun = match self.consider_probing(sender, now, occasion) {
                Probing::No => self.begin_piece(sender, now, occasion),
                Probing::Begun => Ok(()),
                Probing::Waits => Err(HELD),
            };
            if begun.is_ok() {
                return begun;
            }
            sender.end_occasion();
            if copying == Copying::Done {
                return begun;
            }
            sender.buffers.go_on_copying();
        }
    }

    /// Takes what the application has written into buffers, up to the next occasion to send.
    #[inline]
    fn copy(&mut self, sender: &mut Sender, now: Time) -> Copying {
        let end = self.send.end;
        if sender.buffers.has_copied(end) {
            return sender.buffers.copying();
        }
        if sender.buffers.first().is_none() {
            self.restart_if_idle(now); // tcp_skb_entail
        }
        let (goal, far) = (self.buffer_max(), self.send.max_window() / 2);
        sender.buffers.limit = self.limit(sender);
        let copying = sender.buffers.copy(end, goal, far, self.send.boundary());
        if let Some(end) = sender.buffers.refused_at() {
            self.send.cut(end);
        }
        copying
    }

    /// One turn of `tcp_write_xmit`.
    fn begin_piece(
        &mut self,
        sender: &mut Sender,
        now: Time,
        push: Push,
    ) -> Result<(), SendBlocked> {
        if let Some(until) = sender.paced_until(now) {
            self.timers.arm(Timer::Departure, until);
            return Err(HELD);
        }
        let quota = self.quota(sender, push);
        if quota == 0 {
            return Err(SendBlocked {
                by_congestion: true,
            });
        }
        let mss = self.payload_beside_sack();
        let most = self.piece_max(sender, mss);
        let quota = quota.min(most);
        sender.buffers.grow_first(quota * mss);
        let is_last = sender.buffers.is_last();
        let first = match sender.buffers.first() {
            Some(first) => *first,
            None if self.send.closing => SkBuff::empty(self.send.nxt),
            None => return Err(HELD),
        };
        let fin = self.send.closing && is_last && first.end == self.send.end;
        let room = self.send.edge.saturating_sub(first.start);
        if first.len().min(mss) + u64::from(fin && first.len() <= mss) > room {
            return Err(HELD);
        }
        let segments = first.len().div_ceil(mss);
        let keeps_short = || push == Push::Ordinary && self.keeps_short(sender);
        let mut length = first.len();
        if segments > 1 {
            if !matches!(push, Push::One | Push::Probe) {
                self.check_deferral(sender, now, &first, most, fin)?;
            }
            length = Self::split_point(&first, room, quota * mss, mss, is_last, keeps_short);
        } else if length < mss && !fin && is_last && keeps_short() {
            return Err(HELD);
        }
        if self.waits_for_queue(sender, now, WaitingSegments::New(length)) {
            return Err(HELD);
        }
        let is_whole = length == first.len();
        sender.piece = Piece {
            end: first.start + length + u64::from(fin && is_whole),
            fin: fin && is_whole,
            mss,
            is_several: length > mss,
            boundary: if is_whole {
                first.boundary
            } else {
                Boundary::Open
            },
            is_first: sender.packets_out() == 0,
            is_probe: push == Push::Probe,
        };
        sender.buffers.send_to(first.start + length);
        Ok(())
    }

    /// Returns how many segments the congestion window takes at once (`tcp_cwnd_test`): half of it,
    /// so that there are two pieces in flight.
    fn quota(&self, sender: &Sender, push: Push) -> u64 {
        let window = sender.window(&self.congestion);
        let room = window.saturating_sub(sender.in_flight());
        match room.min((window / 2).max(1)) {
            0 if push == Push::Probe => 1,
            quota => u64::from(quota),
        }
    }

    /// Returns whether a short segment waits (`tcp_nagle_check`).
    fn keeps_short(&self, sender: &Sender) -> bool {
        let is_idle = sender.packets_out() == 0;
        self.send.is_held() || !is_idle && !self.send.may_send_short(self.config.nagle)
    }

    /// Returns how much of a buffer of several segments leaves (`tcp_mss_split_point`).
    fn split_point(
        buffer: &SkBuff,
        room: u64,
        quota: u64,
        mss: u64,
        is_last: bool,
        keeps_short: impl Fn() -> bool,
    ) -> u64 {
        if quota <= room && !is_last {
            return quota.min(buffer.len());
        }
        let needed = buffer.len().min(room);
        if quota <= needed {
            return quota;
        }
        match needed % mss {
            short if short > 0 && keeps_short() => needed - short,
            _ => needed,
        }
    }

    /// `tcp_tso_should_defer`.
    fn check_deferral(
        &self,
        sender: &Sender,
        now: Time,
        first: &SkBuff,
        most: u64,
        fin: bool,
    ) -> Result<(), SendBlocked> {
        let mss = self.segment_max();
        let window = u64::from(sender.window(&self.congestion)) * mss;
        let room = window.saturating_sub(u64::from(sender.in_flight()) * mss);
        let peer_room = self.send.edge.saturating_sub(first.start);
        let limit = room.min(peer_room);
        if limit >= most * mss || !sender.buffers.is_last() && limit >= first.len() {
            return Ok(());
        }
        let share = window.min(self.send.edge.saturating_sub(self.send.una)) / WINDOW_DIVISOR;
        if limit >= share || !self.expects_acknowledgment(sender, now) {
            return Ok(());
        }
        let is_limited = limit <= first.len();
        if fin && !is_limited {
            return Ok(());
        }
        Err(SendBlocked {
            by_congestion: is_limited && room < peer_room,
        })
    }

    /// Returns whether an acknowledgement is about to come: something left just now, and what was
    /// sent first should be acknowledged in a millisecond or half a round trip.
    fn expects_acknowledgment(&self, sender: &Sender, now: Time) -> bool {
        let trip = self.rtt.smoothed().unwrap_or(Duration::ZERO);
        sender.state() < CaState::Recovery
            && now.saturating_since(self.last_left) <= SOON
            && sender
                .head_sent_at()
                .is_some_and(|at| at + trip <= now + SOON.min(trip / 2))
    }

    /// Returns how many segments make a piece at most (`tcp_tso_segs`).
    fn piece_max(&mut self, sender: &Sender, mss: u64) -> u64 {
        if self.config.offload_segments == 1 {
            return 1;
        }
        let paced = sender.pace >> self.config.pacing.shift;
        let least = self.rtt.least().map_or(u64::MAX, Duration::as_micros);
        let near = u32::try_from(least >> ROUND_TRIP_LOG).unwrap_or(u32::MAX);
        let bonus = PIECE_MAX.checked_shr(near).unwrap_or(0);
        let bytes = paced.saturating_add(bonus).min(PIECE_MAX);
        (bytes / mss)
            .max(self.congestion.piece_min())
            .min(self.config.offload_segments)
    }

    /// Returns how much a buffer takes (`tcp_xmit_size_goal`).
    fn buffer_max(&self) -> u64 {
        let mss = self.segment_max();
        let segments = self.in_half_window(PIECE_MAX) / mss;
        segments.clamp(1, self.config.offload_segments) * mss
    }

    /// Returns what a segment takes by the MSS and the peer's window (`tcp_sync_mss`).
    pub(in crate::connection) fn segment_max(&self) -> u64 {
        self.in_half_window(u64::from(self.mss))
    }

    /// Of `bytes` no more than half the largest window of the peer, lest it opens by less than
    /// what is to be sent (`tcp_bound_to_half_wnd`). Linux knows no path of fewer bytes than the
    /// least that this leaves.
    fn in_half_window(&self, bytes: u64) -> u64 {
        let window = self.send.max_window();
        let cutoff = if window > WINDOW_HALVED_ABOVE {
            window / 2
        } else {
            window
        };
        if cutoff == 0 || bytes <= cutoff {
            return bytes;
        }
        let options = self.timestamps.map_or(0, |_| u64::from(TIMESTAMP_BYTES));
        cutoff.max(SEGMENT_MIN - TCP_HEADER - options).min(bytes)
    }
}
