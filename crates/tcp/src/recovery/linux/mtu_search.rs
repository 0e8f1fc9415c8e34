//! The search for the longest segment that the path takes (RFC 4821; `icsk_mtup`).
//!
//! A size here is what an MSS option counts: payload and options, without the headers of IP and
//! TCP. It differs from the kernel's by those headers alone, wherever two are compared.

use units::{Duration, Time};

use crate::config::{MIN_MSS, TIMESTAMP_BYTES};
use crate::profiles::{MtuProbing, MtuProbingUse};
use crate::ranges::Range;

#[derive(Clone, Debug)]
pub(crate) struct MtuSearch {
    settings: MtuProbing,
    is_on: bool,
    /// What the options of a segment take.
    options: u32,
    /// What the peer takes, and the way there as far as it has said.
    peer: u32,
    path: u32,
    /// What is known to arrive, and what may.
    low: u32,
    high: u32,
    /// The segment under way that is longer.
    probe: Option<Probe>,
    /// When the search began.
    since: Time,
    /// Whether the occasion to send has been looked at already.
    pub is_considered: bool,
}

#[derive(Clone, Copy, Debug)]
struct Probe {
    size: u32,
    range: Range,
}

impl MtuSearch {
    /// A search between the sizes of `settings` and of the peer (`tcp_mtup_init`), if ever there is
    /// to be one.
    pub fn new(
        now: Time,
        settings: &MtuProbing,
        peer: u32,
        path: u32,
        timestamps: bool,
    ) -> Option<MtuSearch> {
        let options = if timestamps { TIMESTAMP_BYTES } else { 0 };
        (settings.mtu_probing != MtuProbingUse::Off).then_some(MtuSearch {
            settings: *settings,
            is_on: settings.mtu_probing == MtuProbingUse::On,
            options,
            peer,
            path,
            low: settings.mtu_probe_base_bytes + options,
            high: peer,
            probe: None,
            since: now,
            is_considered: false,
        })
    }

    /// What a segment carries at first where this end has opened the connection, and has offered what
    /// takes `offered` bytes of every segment: the kernel reckons with it until a probe arrives
    /// (`tcp_connect_init`).
    pub fn first_payload(&self, offered: u32) -> u32 {
        let path = self.payload_of(self.path);
        match self.is_on {
            true => path.min(self.payload_of(self.low - self.options + offered)),
            false => path,
        }
    }

    /// Whether the way is known to take no segment of `size`.
    pub fn is_beyond_path(&self, size: u32) -> bool {
        size > self.path
    }

    /// What a segment carries (`tcp_sync_mss`).
    pub fn payload(&mut self) -> u32 {
        self.high = self.high.min(self.path);
        let path = self.payload_of(self.path);
        match self.is_on {
            true => path.min(self.payload_of(self.low)),
            false => path,
        }
    }

    /// What a segment of `size` carries (`tcp_mtu_to_mss`).
    pub fn payload_of(&self, size: u32) -> u32 {
        size.min(self.peer).max(MIN_MSS) - self.options
    }

    /// The way takes segments of `size`. False if it did so before.
    pub fn shorten_path(&mut self, size: u32) -> bool {
        let is_shorter = size < self.path;
        self.path = self.path.min(size);
        is_shorter
    }

    /// Whether a segment may be tried that is longer than any that has arrived.
    #[inline]
    pub fn may_probe(&self) -> bool {
        self.is_on && self.probe.is_none()
    }

    /// The size to try next.
    pub fn next_size(&self) -> u32 {
        (self.high + self.low) / 2
    }

    pub fn is_over(&self) -> bool {
        self.high.saturating_sub(self.low) < self.settings.mtu_probe_threshold_bytes
    }

    /// Begins anew with what segments carry at present, if the last search began long ago
    /// (`tcp_mtu_check_reprobe`).
    pub fn repeat(&mut self, now: Time, payload: u32) {
        let interval = Duration::from_millis(u64::from(self.settings.mtu_probe_interval_ms));
        if now - self.since >= interval {
            (self.low, self.high) = (payload + self.options, self.peer);
            self.since = now;
        }
    }

    /// A segment of `size` leaves.
    pub fn note_probe(&mut self, size: u32, range: Range) {
        self.probe = Some(Probe { size, range });
    }

    /// What has been sent again tells nothing of its length.
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

    /// How many retries without an answer tell of a path that swallows what is long.
    pub fn retries(&self) -> u32 {
        self.settings.mtu_probe_retries
    }

    /// The path seems to swallow what is long (`tcp_mtu_probing`): what is known to arrive counts,
    /// and half of it the next time.
    pub fn on_silence(&mut self, now: Time) {
        if !self.is_on {
            (self.is_on, self.since) = (true, now);
            return;
        }
        let least = self.settings.mtu_probe_floor_bytes.max(MIN_MSS);
        let half = self.payload_of(self.low) / 2;
        let payload = half.min(self.settings.mtu_probe_base_bytes).max(least);
        self.low = payload + self.options;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: MtuProbing = MtuProbing {
        mtu_probing: MtuProbingUse::On,
        mtu_probe_base_bytes: 1024,
        mtu_probe_floor_bytes: 48,
        mtu_probe_interval_ms: 600_000,
        mtu_probe_threshold_bytes: 8,
        mtu_probe_retries: 3,
    };

    /// A search up to a peer's 1460 bytes, without timestamps.
    fn search(mtu_probing: MtuProbingUse) -> MtuSearch {
        let settings = MtuProbing {
            mtu_probing,
            ..SETTINGS
        };
        MtuSearch::new(Time::ZERO, &settings, 1460, 1460, false).expect("it is not off")
    }

    /// Tries the next size on a path that takes `most`.
    fn probe(search: &mut MtuSearch, most: u32) -> u32 {
        let size = search.next_size();
        search.note_probe(size, Range::new(1, 1 + u64::from(size)));
        if size <= most {
            search.take_arrived(1 + u64::from(size));
        } else {
            search.take_lost(1);
        }
        size
    }

    #[test]
    fn the_search_halves_what_lies_between_what_arrived_and_what_was_lost() {
        let mut search = search(MtuProbingUse::On);
        let mut sizes = Vec::new();
        while !search.is_over() {
            sizes.push(probe(&mut search, 1300));
        }
        assert_eq!(sizes, [1242, 1351, 1296, 1323, 1309, 1302]);
        assert_eq!(search.payload(), 1296);
    }

    #[test]
    fn there_is_a_search_unless_it_is_off() {
        for &mtu_probing in MtuProbingUse::ALL {
            let settings = MtuProbing {
                mtu_probing,
                ..SETTINGS
            };
            let search = MtuSearch::new(Time::ZERO, &settings, 1460, 1460, false);
            assert_eq!(search.is_some(), mtu_probing != MtuProbingUse::Off);
        }
    }

    #[test]
    fn silence_turns_the_search_on_and_then_halves_what_is_sent() {
        let mut search = search(MtuProbingUse::BlackHoles);
        assert_eq!(search.payload(), 1460);
        let sizes = (0..6).map(|_| {
            search.on_silence(Time::ZERO);
            search.payload()
        });
        assert_eq!(sizes.collect::<Vec<_>>(), [1024, 512, 256, 128, 64, 48]);
    }

    #[test]
    fn a_search_that_has_ended_begins_anew_after_its_interval() {
        let mut search = search(MtuProbingUse::On);
        while !search.is_over() {
            probe(&mut search, 1300);
        }
        search.repeat(Time::ZERO + Duration::from_secs(599), 1296);
        assert!(search.is_over());
        search.repeat(Time::ZERO + Duration::from_secs(600), 1296);
        assert_eq!(search.next_size(), 1378);
    }

    #[test]
    fn what_was_sent_again_tells_nothing() {
        let mut search = search(MtuProbingUse::On);
        search.note_probe(1242, Range::new(1, 1243));
        search.forget_probe();
        assert_eq!(search.take_arrived(1243), None);
        assert_eq!(search.next_size(), 1242);
    }
}
