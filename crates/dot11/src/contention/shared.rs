//! What stations share that hear the same: one carrier sense and one count of slots for all of
//! them.
//!
//! Stations *in step* differ in what they want and in the slots they have left, and in nothing
//! else: the medium turned idle for all of them at the same time, with the same interframe space
//! and the same NAV. So one of them, the *pace*, goes through every edge of the medium for all,
//! and a station in step costs nothing until it is its turn. One whose view differs leaves, goes
//! its own way, and joins again at the end of a busy period behind which it differs no more.

use units::Time;

use super::{
    AWAITS_RESPONSE, BACKOFF, BUSY, COMMITTED, Contention, Draw, EXTENDED, NAV_UNANSWERED,
    SUCCEEDED, WANTED, nanos,
};
use crate::frame::Frame;

/// The common part of stations in step.
#[derive(Clone, Debug)]
pub struct SharedContention {
    /// A station with a backoff of zero slots that wants nothing: it never acts, and its countdown
    /// ends where the first slot of the others begins.
    pace: Contention,
    /// Slots counted up to the last busy edge, since time zero.
    counted: u64,
    /// Busy edges, and those of them behind the interframe space.
    edges: u32,
    counts: u32,
    /// Idle periods in which the NAV held those who wanted the medium.
    nav_deferrals: u16,
    /// Who wants the medium and when its turn is, the next one last.
    waiting: Vec<WaitingStation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WaitingStation {
    slot: u64,
    station: u32,
}

/// What a station in step has of its own.
#[derive(Clone, Copy, Debug)]
pub struct InStep {
    /// The slot of [`SharedContention::counted`] in which its countdown ends.
    slot: u64,
    /// [`SharedContention`]'s counts as it joined.
    edges: u32,
    counts: u32,
    nav_deferrals: u16,
    own_nav_deferrals: u16,
    cw: u16,
    flags: u8,
}

/// For a draw that never comes.
struct NoDraw;

impl Draw for NoDraw {
    fn up_to(&mut self, _max: u16) -> u16 {
        0
    }
}

impl SharedContention {
    /// The common part of stations like `station`, which has heard and wanted nothing so far.
    pub fn new(station: &Contention) -> SharedContention {
        let mut pace = *station;
        pace.flags = BACKOFF;
        pace.count_down(Time::ZERO);
        SharedContention {
            pace,
            counted: 0,
            edges: 0,
            counts: 0,
            nav_deferrals: 0,
            waiting: Vec::new(),
        }
    }

    /// A station that has wanted nothing so far.
    pub fn from_the_start(&self, station: &Contention) -> InStep {
        InStep {
            slot: 0,
            edges: 0,
            counts: 0,
            nav_deferrals: 0,
            own_nav_deferrals: 0,
            cw: station.cw,
            flags: 0,
        }
    }

    /// Who transmits first if the medium stays as it is, the lowest among equals, and when.
    #[inline]
    pub fn next(&self) -> Option<(Time, u32)> {
        let turn = self.waiting.last()?;
        (self.pace.flags & BUSY == 0).then(|| (self.at(turn.slot), turn.station))
    }

    /// Who transmits although the medium turns busy now: see [`Contention::on_busy`].
    #[inline]
    pub fn committed(&self, now: Time) -> Option<u32> {
        let (at, station) = self.next()?;
        (at - now < self.pace.cca_time()).then_some(station)
    }

    /// The medium has turned busy, and those who transmit all the same have left.
    #[inline]
    pub fn on_busy(&mut self, now: Time) {
        if self.pace.flags & BUSY != 0 {
            return;
        }
        let sensed_idle_at = self.pace.sensed_idle_at();
        if now >= sensed_idle_at {
            if self.pace.nav > sensed_idle_at {
                self.nav_deferrals = self.nav_deferrals.wrapping_add(1);
            }
            if now >= self.pace.expires {
                self.counted += (now - self.pace.expires).as_nanos() / u64::from(self.slot_nanos());
                self.counts = self.counts.wrapping_add(1);
            }
        }
        self.edges = self.edges.wrapping_add(1);
        self.pace.on_busy(now);
        self.pace.flags |= BACKOFF;
    }

    /// The medium has turned idle.
    #[inline]
    pub fn on_idle(&mut self, now: Time) {
        self.pace.on_idle(now, &mut NoDraw);
    }

    /// All in step have decoded a frame for another station.
    #[inline]
    pub fn on_overheard(&mut self, now: Time, frame: &Frame) {
        self.pace.on_overheard(now, frame);
    }

    /// All in step have failed to read a frame behind its header.
    #[inline]
    pub fn on_garbled(&mut self, now: Time, frame: &Frame) {
        self.pace.on_garbled(now, frame);
    }

    /// A station that has just been told that the medium is idle joins, unless it is not in step.
    #[inline]
    pub fn join(&mut self, now: Time, station: u32, contention: &Contention) -> Option<InStep> {
        if !self.is_in_step(now, contention) {
            return None;
        }
        let flags = contention.flags & (WANTED | BACKOFF | SUCCEEDED);
        let slot = self.counted + u64::from(contention.slots);
        if flags & WANTED != 0 {
            let turn = WaitingStation { slot, station };
            let later = self.waiting.partition_point(|other| *other > turn);
            self.waiting.insert(later, turn);
        }
        Some(InStep {
            slot,
            edges: self.edges,
            counts: self.counts,
            nav_deferrals: self.nav_deferrals,
            own_nav_deferrals: contention.nav_deferrals,
            cw: contention.cw,
            flags,
        })
    }

    fn is_in_step(&self, now: Time, contention: &Contention) -> bool {
        const ALONE: u8 = COMMITTED | AWAITS_RESPONSE;
        const SAME: u8 = BUSY | EXTENDED | NAV_UNANSWERED;
        let is_nav_the_same = |one: Time, other: Time| one == other || one.max(other) <= now;
        let pace = &self.pace;
        contention.flags & (ALONE | SAME) == pace.flags & SAME
            && contention.idle_since == now
            && is_nav_the_same(contention.nav, pace.nav)
            && (pace.flags & EXTENDED == 0 || contention.eifs_nanos == pace.eifs_nanos)
            && (pace.flags & NAV_UNANSWERED == 0
                || contention.nav_if_answered == pace.nav_if_answered)
    }

    /// A station leaves; what it goes on with.
    #[inline]
    pub fn leave(&mut self, station: u32, own: InStep) -> Contention {
        if own.flags & WANTED != 0 {
            let slot = own.slot;
            let turn = WaitingStation { slot, station };
            let place = self.waiting.partition_point(|other| *other > turn);
            debug_assert_eq!(self.waiting[place], turn);
            self.waiting.remove(place);
        }
        self.view(own)
    }

    /// The carrier sense of a station in step.
    pub fn view(&self, own: InStep) -> Contention {
        let mut contention = self.pace;
        let mut flags = own.flags;
        if self.edges != own.edges {
            flags &= !SUCCEEDED;
        }
        let is_counted = own.slot <= self.counted && self.counts != own.counts;
        if is_counted && flags & WANTED == 0 {
            flags &= !BACKOFF;
        }
        contention.flags = self.pace.flags & !BACKOFF | flags;
        contention.cw = own.cw;
        contention.nav_deferrals = own.own_nav_deferrals;
        if flags & BACKOFF != 0 {
            contention.slots = own.slot.saturating_sub(self.counted) as u16;
            contention.expires = self.at(own.slot);
        }
        if flags & WANTED != 0 {
            let deferrals = self.nav_deferrals.wrapping_sub(own.nav_deferrals);
            contention.nav_deferrals = own.own_nav_deferrals.saturating_add(deferrals);
            if self.pace.flags & BUSY == 0 {
                contention.access_at = contention.expires;
            }
        }
        contention
    }

    /// Returns when a slot begins if the medium stays idle.
    #[inline]
    fn at(&self, slot: u64) -> Time {
        let slots = slot.saturating_sub(self.counted);
        self.pace.expires + nanos(self.slot_nanos()) * slots
    }

    #[inline]
    fn slot_nanos(&self) -> u32 {
        self.pace.slot_nanos
    }
}

impl Contention {
    /// Returns whether two stations that have heard nothing so far can be in step: whether their
    /// spaces and slots are the same, and what they can read.
    pub fn has_spaces_of(&self, other: &Contention) -> bool {
        let spaces = |of: &Contention| {
            (
                of.slot_nanos,
                of.ifs_nanos,
                of.eifs_nanos,
                of.sifs_nanos,
                of.cca_nanos,
                of.has_ofdm,
            )
        };
        spaces(self) == spaces(other)
    }
}
