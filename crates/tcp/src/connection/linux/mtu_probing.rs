//! Segments longer than any that has arrived, which find out what the path takes (RFC 4821;
//! `tcp_mtu_probe`). What is known of the path stands in [`MtuSearch`].

use units::Time;

use super::super::Connection;
use super::pieces::Push;
use crate::ranges::OffsetRange;
use crate::recovery::linux::{MtuSearch, Piece, RouteMtu, Sender};
use crate::segment::TIMESTAMP_BYTES;
use crate::tcp_info::CaState;

/// Below this the window is no place for experiments (`tcp_mtu_probe`).
const WINDOW_MIN: u32 = 11;

/// Room that the congestion window needs beside what is in flight: the probe counts as two.
const ROOM: u32 = 2;

/// The headers of IPv4 and TCP, which count where a window of segments is made one of others.
const HEADERS: u64 = 40;

/// Outcome of the attempt to send a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Probing {
    /// None is to be sent now.
    No,
    /// One begins.
    Begun,
    /// One waits for room, and everything with it.
    Waits,
}

impl Connection {
    /// The connection opens. Who has opened it sends at once no more than what the search begins
    /// with; the other end has its segment size already (`tcp_rcv_synsent_state_process`,
    /// `tcp_init_transfer`).
    pub(in crate::connection) fn begin_mtu_search(&mut self, now: Time) -> Option<Box<MtuSearch>> {
        let settings = self.config.mtu_search.as_ref()?;
        let (peer, path) = (self.peer_mss, self.config.mss);
        let search = MtuSearch::new(now, settings, peer, path, self.timestamps.is_some());
        if !self.passive {
            self.mss = search.first_payload(match self.config.timestamps {
                true => TIMESTAMP_BYTES,
                false => 0,
            });
        }
        Some(Box::new(search))
    }

    /// Looks, once on each occasion, whether the data that are next leave as a probe.
    #[inline]
    pub(super) fn consider_probing(
        &mut self,
        sender: &mut Sender,
        now: Time,
        push: Push,
    ) -> Probing {
        let is_occasion = matches!(push, Push::Ordinary | Push::Forced);
        match &mut sender.mtu_search {
            Some(search) if is_occasion && search.may_probe() && !search.is_considered => {
                search.is_considered = true;
                self.begin_mtu_probe(sender, now)
            }
            _ => Probing::No,
        }
    }

    fn begin_mtu_probe(&mut self, sender: &mut Sender, now: Time) -> Probing {
        let mss = self.segment_max();
        let is_calm = sender.state() == CaState::Open && !self.receive.has_blocks();
        let window = sender.window(&self.congestion);
        let needed_per_segment = (u64::from(sender.counts().reordering) + 1) * mss;
        let Some(search) = sender.mtu_search.as_mut().filter(|_| is_calm) else {
            return Probing::No;
        };
        if window < WINDOW_MIN {
            return Probing::No;
        }
        let size = search.next_size();
        let length = u64::from(search.payload_of(size));
        if search.is_over() {
            search.repeat(now, mss as u32);
            return Probing::No;
        }
        let path = sender.route.map_or(search.path(), RouteMtu::limit);
        if size > path {
            return Probing::No; // the network layer refuses it
        }
        match self.room_for_probe(sender, length + needed_per_segment, window) {
            Probing::Begun => self.begin_long_piece(sender, length),
            other => other,
        }
    }

    /// Returns whether there are `needed` bytes to send, and room for them: a probe that is lost is
    /// to be told by what follows it.
    fn room_for_probe(&self, sender: &Sender, needed: u64, window: u32) -> Probing {
        let next = self.send.nxt;
        let peer_window = self.send.edge.saturating_sub(self.send.una);
        if sender.buffers.unsent(next) < needed || peer_window < needed {
            return Probing::No;
        }
        if next + needed > self.send.edge {
            return Probing::Waits;
        }
        match sender.in_flight() {
            0 if ROOM > window => Probing::No,
            in_flight if in_flight + ROOM > window => Probing::Waits,
            _ => Probing::Begun,
        }
    }

    fn begin_long_piece(&mut self, sender: &mut Sender, length: u64) -> Probing {
        let Some(boundary) = sender.buffers.joined(length) else {
            return Probing::No;
        };
        let range = OffsetRange::new(self.send.nxt, self.send.nxt + length);
        sender.piece = Piece {
            end: range.end,
            fin: false,
            mss: length,
            is_several: false,
            boundary,
            is_first: sender.packets_out() == 0,
            is_probe: false,
        };
        sender.buffers.send_to(range.end);
        sender.count_twice(&mut self.congestion);
        if let Some(search) = &mut sender.mtu_search {
            search.note_probe(search.next_size(), range);
        }
        Probing::Begun
    }

    /// The probe has arrived, if there was one: segments are as long from now on, and the window
    /// holds as many bytes as before (`tcp_mtup_probe_success`).
    pub(super) fn settle_mtu_probe(&mut self, sender: &mut Sender) {
        let una = self.send.una;
        let search = sender.mtu_search.as_mut();
        let Some(size) = search.and_then(|search| search.take_arrived(una)) else {
            return;
        };
        let header = self.header_bytes();
        sender.scale_window(
            u64::from(self.mss) + header,
            u64::from(size) + HEADERS,
            &mut self.congestion,
        );
        self.follow_mtu_search(sender);
    }

    /// Returns what a segment has beside its payload.
    fn header_bytes(&self) -> u64 {
        let options = self.timestamps.map_or(0, |_| TIMESTAMP_BYTES);
        HEADERS + u64::from(options)
    }

    /// The timer has expired: a path that has been silent for long may swallow what is long.
    pub(super) fn suspect_path(&mut self, sender: &mut Sender, now: Time) {
        let Some(retries) = sender.mtu_search.as_deref().map(MtuSearch::retries) else {
            return;
        };
        if self.has_retried_for(retries, now, sender.first_copy_sent_at()) {
            if let Some(search) = &mut sender.mtu_search {
                search.on_silence(now);
            }
            self.follow_mtu_search(sender);
        }
    }

    /// `tcp_sync_mss`: also where the peer shows a wider window than ever (`tcp_ack_update_window`).
    pub(super) fn follow_mtu_search(&mut self, sender: &mut Sender) {
        if let Some(search) = &mut sender.mtu_search {
            let mss = search.payload();
            self.resize_as_linux(mss, sender);
        }
    }
}
