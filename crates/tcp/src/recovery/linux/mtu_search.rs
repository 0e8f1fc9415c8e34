//! The search for the longest segment that the path takes (RFC 4821; `icsk_mtup`).
//!
//! A size here is what an MSS option counts: payload and options, without the headers of IP and
//! TCP. It differs from the kernel's by those headers alone, wherever two are compared.

use units::{Duration, Time};

use crate::ranges::OffsetRange;
use crate::segment::{MIN_MSS, TIMESTAMP_BYTES};

/// Parameters of a search, in a stack that has one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MtuSearchSettings {
    /// True if it is on from the start, or once timeouts tell of a path that swallows what is long.
    pub is_on: bool,
    /// The MSS that it begins with.
    pub base: u32,
    /// The least MSS that timeouts lower it to.
    pub floor: u32,
    /// Time after its beginning when it may begin anew.
    pub interval: Duration,
    /// It ends when what arrives and what does not are less apart than this.
    pub threshold: u32,
    /// Number of retries whose time without an answer tells of a path that swallows what is long.
    pub retries: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct MtuSearch {
    settings: MtuSearchSettings,
    is_on: bool,
    /// Bytes that the options of a segment take.
    options: u32,
    /// MSS that the peer takes, and the path as far as it has said.
    peer: u32,
    path: u32,
    /// Size known to arrive, and size that may.
    low: u32,
    high: u32,
    /// The segment under way that is longer.
    probe: Option<MtuProbe>,
    /// Time when the search began.
    since: Time,
    /// True if the occasion to send has been looked at already.
    pub is_considered: bool,
}

#[derive(Clone, Copy, Debug)]
struct MtuProbe {
    size: u32,
    range: OffsetRange,
}

impl MtuSearch {
    /// A search between the sizes of `settings` and of the peer (`tcp_mtup_init`).
    pub fn new(
        now: Time,
        settings: &MtuSearchSettings,
        peer: u32,
        path: u32,
        timestamps: bool,
    ) -> MtuSearch {
        let options = if timestamps { TIMESTAMP_BYTES } else { 0 };
        MtuSearch {
            settings: *settings,
            is_on: settings.is_on,
            options,
            peer,
            path,
            low: settings.base + options,
            high: peer,
            probe: None,
            since: now,
            is_considered: false,
        }
    }

    /// Returns what a segment carries at first where this end has opened the connection, and has
    /// offered what takes `offered` bytes of every segment: the kernel reckons with it until a
    /// probe arrives (`tcp_connect_init`).
    pub fn first_payload(&self, offered: u32) -> u32 {
        let path = self.payload_of(self.path);
        match self.is_on {
            true => path.min(self.payload_of(self.low - self.options + offered)),
            false => path,
        }
    }

    /// Returns what the way takes, as far as it has said.
    pub fn path(&self) -> u32 {
        self.path
    }

    /// Returns what a segment carries (`tcp_sync_mss`).
    pub fn payload(&mut self) -> u32 {
        self.high = self.high.min(self.path);
        let path = self.payload_of(self.path);
        match self.is_on {
            true => path.min(self.payload_of(self.low)),
            false => path,
        }
    }

    /// Returns what a segment of `size` carries (`tcp_mtu_to_mss`).
    pub fn payload_of(&self, size: u32) -> u32 {
        size.min(self.peer).max(MIN_MSS) - self.options
    }

    /// The way takes segments of `size`. False if it did so before.
    pub fn shorten_path(&mut self, size: u32) -> bool {
        let is_shorter = size < self.path;
        self.path = self.path.min(size);
        is_shorter
    }

    /// The way takes segments of `size` from now on.
    pub fn set_path(&mut self, size: u32) {
        self.path = size;
    }

    /// Returns whether a segment may be tried that is longer than any that has arrived.
    #[inline]
    pub fn may_probe(&self) -> bool {
        self.is_on && self.probe.is_none()
    }

    /// The size to try next.
    pub fn next_size(&self) -> u32 {
        (self.high + self.low) / 2
    }

    pub fn is_over(&self) -> bool {
        self.high.saturating_sub(self.low) < self.settings.threshold
    }

    /// Begins anew with what segments carry at present, if the last search began long ago
    /// (`tcp_mtu_check_reprobe`).
    pub fn repeat(&mut self, now: Time, payload: u32) {
        let interval = self.settings.interval;
        if now - self.since >= interval {
            (self.low, self.high) = (payload + self.options, self.peer);
            self.since = now;
        }
    }

    /// A segment of `size` leaves.
    pub fn note_probe(&mut self, size: u32, range: OffsetRange) {
        self.probe = Some(MtuProbe { size, range });
    }

    /// Forgets the probe: what has been retransmitted tells nothing of its length.
    pub fn forget_probe(&mut self) {
        self.probe = None;
    }

    /// The size of the probe, if it has arrived (`tcp_mtup_probe_success`).
    pub fn take_arrived(&mut self, una: u64) -> Option<u32> {
        let probe = self.probe.take_if(|probe| probe.range.end <= una)?;
        self.low = probe.size;
        Some(probe.size)
    }

    /// Something is lost: whether it is the probe alone that tells so (`tcp_mtup_probe_failed`).
    pub fn take_lost(&mut self, una: u64) -> bool {
        let lost = self.probe.take_if(|probe| probe.range.start == una);
        if let Some(probe) = lost {
            self.high = probe.size - 1;
        }
        lost.is_some()
    }

    /// Returns how many retries without an answer tell of a path that swallows what is long.
    pub fn retries(&self) -> u32 {
        self.settings.retries
    }

    /// The path seems to swallow what is long (`tcp_mtu_probing`): what is known to arrive counts,
    /// and half of it the next time.
    pub fn on_silence(&mut self, now: Time) {
        if !self.is_on {
            (self.is_on, self.since) = (true, now);
            return;
        }
        let least = self.settings.floor.max(MIN_MSS);
        let half = self.payload_of(self.low) / 2;
        let payload = half.min(self.settings.base).max(least);
        self.low = payload + self.options;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search up to a peer's 1460 bytes, without timestamps.
    fn search(is_on: bool) -> MtuSearch {
        let settings = MtuSearchSettings {
            is_on,
            base: 1024,
            floor: 48,
            interval: Duration::from_secs(600),
            threshold: 8,
            retries: 3,
        };
        MtuSearch::new(Time::ZERO, &settings, 1460, 1460, false)
    }

    /// Tries the next size on a path that takes `most`.
    fn probe(search: &mut MtuSearch, most: u32) -> u32 {
        let size = search.next_size();
        search.note_probe(size, OffsetRange::new(1, 1 + u64::from(size)));
        if size <= most {
            search.take_arrived(1 + u64::from(size));
        } else {
            search.take_lost(1);
        }
        size
    }

    #[test]
    fn the_search_halves_what_lies_between_what_arrived_and_what_was_lost() {
        let mut search = search(true);
        let mut sizes = Vec::new();
        while !search.is_over() {
            sizes.push(probe(&mut search, 1300));
        }
        assert_eq!(sizes, [1242, 1351, 1296, 1323, 1309, 1302]);
        assert_eq!(search.payload(), 1296);
    }

    #[test]
    fn silence_turns_the_search_on_and_then_halves_what_is_sent() {
        let mut search = search(false);
        assert_eq!(search.payload(), 1460);
        let sizes = (0..6).map(|_| {
            search.on_silence(Time::ZERO);
            search.payload()
        });
        assert_eq!(sizes.collect::<Vec<_>>(), [1024, 512, 256, 128, 64, 48]);
    }

    #[test]
    fn a_search_that_has_ended_begins_anew_after_its_interval() {
        let mut search = search(true);
        while !search.is_over() {
            probe(&mut search, 1300);
        }
        search.repeat(Time::ZERO + Duration::from_secs(599), 1296);
        assert!(search.is_over());
        search.repeat(Time::ZERO + Duration::from_secs(600), 1296);
        assert_eq!(search.next_size(), 1378);
    }

    #[test]
    fn what_was_retransmitted_tells_nothing() {
        let mut search = search(true);
        search.note_probe(1242, OffsetRange::new(1, 1243));
        search.forget_probe();
        assert_eq!(search.take_arrived(1243), None);
        assert_eq!(search.next_size(), 1242);
    }
}
