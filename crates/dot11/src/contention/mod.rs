//! When a station may transmit: carrier sense, interframe space and backoff.
//!
//! The distributed coordination function of IEEE 802.11-2007 §9.2, for one station, as the owner
//! keeps it in a dense array: every edge of the medium is told to every station that hears it, so
//! a station that wants nothing must cost next to nothing, and a countdown costs one wake-up and
//! not one per slot. While the medium is idle the machine knows when its countdown ends
//! (`expires`); on a busy edge it settles the slots that have elapsed.

mod access;
mod shared;

use phy::{Characteristics, Mode, Preamble, TxVector, estimated_ack, rx_start_delay};
use units::{Duration, Time};

use crate::frame::{CTS_BYTES, Frame, FrameKind};

pub use access::Access;
pub use shared::{InStep, SharedContention};

/// A source of backoff draws. Randomness is an argument, so that streams can be seeded per station.
pub trait Draw {
    /// A number from 0 to `max`, both included, all equally likely.
    fn up_to(&mut self, max: u16) -> u16;
}

/// The medium is physically busy, or the station itself transmits.
const BUSY: u8 = 1;
/// Something waits for access.
const WANTED: u8 = 1 << 1;
/// A backoff has been drawn and has not been consumed; it may be zero slots.
const BACKOFF: u8 = 1 << 2;
/// The last busy period ended in a frame that could not be read: EIFS instead of DIFS.
const EXTENDED: u8 = 1 << 3;
/// The countdown ended before carrier sense could notice the medium: the transmission comes.
const COMMITTED: u8 = 1 << 4;
/// The MAC waits for a CTS or ACK.
const AWAITS_RESPONSE: u8 = 1 << 5;
/// The NAV comes from an RTS that has not been answered yet.
const NAV_UNANSWERED: u8 = 1 << 6;
/// The station's last exchange has succeeded, the medium's busy period ended with it, and none
/// has begun since.
const SUCCEEDED: u8 = 1 << 7;

/// Carrier sense, interframe space and backoff of one station.
///
/// Edges come from the owner, strictly alternating; the station's own transmissions count as busy.
/// A frame's result is told before the idle edge at its end.
#[derive(Clone, Copy, Debug)]
pub struct Contention {
    access_at: Time,
    /// While idle, with a backoff or a request: when the countdown ends.
    expires: Time,
    /// When the medium turned idle; while it is busy behind a success, when that came.
    idle_since: Time,
    nav: Time,
    /// The NAV that an overheard RTS asks for, in force once the medium turns busy in answer.
    nav_if_answered: Time,
    slot_nanos: u32,
    ifs_nanos: u32,
    eifs_nanos: u32,
    sifs_nanos: u16,
    cca_nanos: u16,
    slots: u16,
    cw: u16,
    nav_deferrals: u16,
    flags: u8,
    /// Whether the PHY has OFDM: else frames of it are mere energy, and EIFS is always the same.
    has_ofdm: bool,
}

impl Contention {
    /// A station whose medium has been idle since time zero.
    pub fn new(phy: &Characteristics, cw_min: u16) -> Contention {
        Contention::with_space(phy, phy.difs, cw_min)
    }

    /// The same with an interframe space of its own instead of DIFS.
    pub(crate) fn with_space(phy: &Characteristics, space: Duration, cw_min: u16) -> Contention {
        let nanos = |span: Duration| span.as_nanos() as u32;
        let slowest = TxVector::of(Mode::DSSS_1, Preamble::Long);
        Contention {
            access_at: Time::NEVER,
            expires: Time::ZERO,
            idle_since: Time::ZERO,
            nav: Time::ZERO,
            nav_if_answered: Time::ZERO,
            slot_nanos: nanos(phy.slot),
            ifs_nanos: nanos(space),
            eifs_nanos: nanos(phy.eifs_behind(slowest) - phy.difs + space),
            sifs_nanos: nanos(phy.sifs) as u16,
            cca_nanos: nanos(phy.cca_time) as u16,
            slots: 0,
            cw: cw_min,
            nav_deferrals: 0,
            flags: 0,
            has_ofdm: phy.has_ofdm(),
        }
    }

    /// Returns when the station transmits if the medium stays as it is; `NEVER` while it is busy or
    /// nothing is wanted.
    #[inline]
    pub fn access_at(&self) -> Time {
        self.access_at
    }

    /// Returns whether a NAV forbids the station to answer an RTS (IEEE 802.11-2007 §9.2.5.7).
    #[inline]
    pub fn nav_busy(&self, now: Time) -> bool {
        now < self.nav
    }

    /// Returns whether the MAC waits for a CTS or ACK and wants to know of every other reception's
    /// end.
    #[inline]
    pub fn awaits_response(&self) -> bool {
        self.flags & AWAITS_RESPONSE != 0
    }

    /// Returns how long the medium must have been busy before this station's carrier sense says so.
    #[inline]
    pub fn cca_time(&self) -> Duration {
        nanos(u32::from(self.cca_nanos))
    }

    /// The slots of the backoff as of the last edge or draw; `None` without a backoff.
    pub fn backoff_slots(&self) -> Option<u16> {
        (self.flags & BACKOFF != 0).then_some(self.slots)
    }

    /// The medium has turned busy.
    ///
    /// A countdown that ends within the CCA time runs to its end all the same: carrier sense
    /// needs that long to report (IEEE 802.11-2007 §9.2.10). Two such stations collide.
    #[inline(always)]
    pub fn on_busy(&mut self, now: Time) {
        // One test of one byte for a station that wants nothing.
        if self.flags & (BUSY | WANTED | BACKOFF | NAV_UNANSWERED) == 0 {
            self.turn_busy();
        } else if self.flags & BUSY == 0 {
            self.interrupt(now);
        }
    }

    /// The medium has turned idle.
    #[inline]
    pub fn on_idle(&mut self, now: Time, draw: &mut (impl Draw + ?Sized)) {
        if self.flags & BUSY == 0 {
            return;
        }
        self.flags &= !BUSY;
        // Without a countdown the interframe space is worked out when somebody asks for it.
        if self.flags & (WANTED | BACKOFF) == 0 {
            self.idle_since = now;
        } else {
            self.resume(now, draw);
        }
    }

    /// A correct frame for another station has ended: its Duration sets the NAV
    /// (IEEE 802.11-2007 §9.2.5.4), and EIFS is over.
    ///
    /// The medium is busy, since a frame is ending on it.
    #[inline]
    pub fn on_overheard(&mut self, now: Time, frame: &Frame) {
        if !self.reads(frame) {
            return;
        }
        self.flags &= !EXTENDED;
        if frame.duration == 0 {
            return;
        }
        let until = now + Duration::from_micros(u64::from(frame.duration));
        if until <= self.nav {
            return;
        }
        if frame.kind == FrameKind::Rts {
            self.reserve_for_rts(now, frame, until);
        } else {
            self.nav = until;
            self.flags &= !NAV_UNANSWERED;
        }
    }

    #[inline]
    fn reads(&self, frame: &Frame) -> bool {
        self.has_ofdm || !frame.mode().is_ofdm()
    }

    /// A correct frame for this station has ended: EIFS is over.
    #[inline]
    pub fn on_received_ok(&mut self, _now: Time) {
        self.flags &= !EXTENDED;
    }

    /// The reception of `frame` has failed behind its header: the next interframe space is EIFS
    /// unless a correct frame comes first (IEEE 802.11-2007 §9.2.3.5).
    #[inline]
    pub fn on_garbled(&mut self, _now: Time, frame: &Frame) {
        if self.reads(frame) {
            self.flags |= EXTENDED;
            if self.has_ofdm {
                self.leave_room_for_the_ack_of(frame);
            }
        }
    }

    // Out of line, so that the end of a reception stays short where it is inlined.
    #[inline(never)]
    fn leave_room_for_the_ack_of(&mut self, frame: &Frame) {
        let ack = estimated_ack(frame.vector).as_nanos() as u32;
        self.eifs_nanos = u32::from(self.sifs_nanos) + ack + self.ifs_nanos;
    }

    /// Something wants the medium.
    ///
    /// IEEE 802.11-2007 §9.2.5.1: at once if the medium has been idle for the interframe space,
    /// at that space's end if it is idle but not yet for so long, else after a backoff. A backoff
    /// that is still pending counts on.
    #[inline]
    pub fn request_access(&mut self, now: Time, draw: &mut (impl Draw + ?Sized)) {
        if self.flags & WANTED != 0 {
            return;
        }
        self.flags |= WANTED;
        let pending = self.flags & BACKOFF != 0;
        if self.flags & BUSY != 0 {
            if !pending {
                self.draw_backoff(draw);
            }
            return;
        }
        if !pending {
            if now < self.nav {
                self.draw_backoff(draw);
            }
            self.count_down(Time::ZERO);
        }
        self.access_at = self.expires.max(now);
        if now >= self.nav {
            // Run out before anything was wanted, it has held nobody.
            self.nav = Time::ZERO;
        }
    }

    /// The exchange that the station had the medium for has succeeded, with the frame that ends
    /// now. Told before the backoff that ends it.
    #[inline]
    pub(crate) fn on_success(&mut self, now: Time) {
        self.flags |= SUCCEEDED;
        self.idle_since = now;
    }

    /// Draws a new backoff from 0 to `cw` slots: before a retry, or after the end of an exchange
    /// (IEEE 802.11-2007 §9.2.5.2), then with or without anything left to send. On an idle medium
    /// the first slot begins now if the interframe space is already over.
    #[inline]
    pub fn start_backoff(&mut self, now: Time, cw: u16, draw: &mut (impl Draw + ?Sized)) {
        self.cw = cw;
        self.draw_backoff(draw);
        if self.flags & BUSY == 0 {
            self.count_down(now);
        }
    }

    /// The owner grants the access that was due at [`Contention::access_at`]; how it came about.
    #[inline]
    pub fn take_access(&mut self, now: Time) -> Access {
        debug_assert!(self.access_at <= now, "access is not due yet");
        let sensed_idle_at = self.sensed_idle_at();
        let behind_success = self.flags & SUCCEEDED != 0 && now == sensed_idle_at;
        if self.nav > sensed_idle_at {
            self.count_nav_deferral();
        }
        let access = Access {
            contended: !behind_success,
            nav_deferrals: std::mem::take(&mut self.nav_deferrals),
        };
        self.flags &= !(WANTED | BACKOFF | COMMITTED | SUCCEEDED);
        self.slots = 0;
        self.access_at = Time::NEVER;
        access
    }

    /// Nothing wants the medium any more. A backoff that is under way counts on.
    #[inline]
    pub fn cancel(&mut self) {
        if self.flags & COMMITTED != 0 {
            self.flags &= !(BACKOFF | SUCCEEDED);
            self.slots = 0;
        }
        self.flags &= !(WANTED | COMMITTED);
        self.access_at = Time::NEVER;
    }

    /// Notes whether the MAC waits for a CTS or ACK.
    #[inline]
    pub(crate) fn set_awaits_response(&mut self, awaits: bool) {
        self.flags = self.flags & !AWAITS_RESPONSE | if awaits { AWAITS_RESPONSE } else { 0 };
    }

    fn draw_backoff(&mut self, draw: &mut (impl Draw + ?Sized)) {
        self.slots = draw.up_to(self.cw);
        self.flags |= BACKOFF;
    }

    /// Returns when the interframe space after the last busy period is over. EIFS counts from the
    /// end of the physical activity, whatever the NAV says (IEEE 802.11-2007 §9.2.3.5).
    #[inline]
    fn ready_at(&self) -> Time {
        let ready_at = self.idle_since.max(self.nav) + nanos(self.ifs_nanos);
        if self.flags & EXTENDED == 0 {
            return ready_at;
        }
        ready_at.max(self.idle_since + nanos(self.eifs_nanos))
    }

    /// The countdown of an idle medium, its first slot not before `from`.
    #[inline]
    fn count_down(&mut self, from: Time) {
        self.expires = self.ready_at().max(from) + nanos(self.slot_nanos) * u64::from(self.slots);
        if self.flags & WANTED != 0 {
            self.access_at = self.expires;
        }
    }

    #[inline(always)]
    fn resume(&mut self, now: Time, draw: &mut (impl Draw + ?Sized)) {
        if self.flags & (COMMITTED | SUCCEEDED) != 0 {
            if self.flags & COMMITTED != 0 {
                return;
            }
            if self.idle_since != now {
                // Others, who did not hear what went on behind the success, have counted.
                self.flags &= !SUCCEEDED;
            }
        }
        self.idle_since = now;
        if self.flags & BACKOFF == 0 {
            self.draw_backoff(draw);
        }
        self.count_down(Time::ZERO);
    }

    /// EIFS belongs to the busy period that ended in the unreadable frame; and what follows a
    /// success follows it at once.
    #[inline]
    fn turn_busy(&mut self) {
        self.flags = self.flags & !(EXTENDED | SUCCEEDED) | BUSY;
    }

    // In line by order: every edge comes here for every station that waits, and a call with its
    // saved registers costs as much as the work.
    #[inline(always)]
    fn interrupt(&mut self, now: Time) {
        let succeeded = self.flags & SUCCEEDED;
        self.turn_busy();
        if self.flags & NAV_UNANSWERED != 0 {
            self.flags &= !NAV_UNANSWERED;
            if now < self.nav {
                self.nav = self.nav_if_answered;
            }
        }
        if self.flags & (WANTED | BACKOFF) != 0 {
            self.freeze(now, succeeded);
        }
    }

    #[inline(always)]
    fn freeze(&mut self, now: Time, succeeded: u8) {
        if self.access_at - now < self.cca_time() {
            self.flags |= COMMITTED | succeeded;
            return;
        }
        self.access_at = Time::NEVER;
        let sensed_idle_at = self.sensed_idle_at();
        if now < sensed_idle_at {
            // As in the SIFS inside an exchange of others: nothing has been counted.
            return;
        }
        if self.nav > sensed_idle_at {
            self.count_nav_deferral();
        }
        if self.expires <= now {
            self.flags &= !BACKOFF;
            self.slots = 0;
        } else if self.flags & BACKOFF != 0 {
            self.settle_elapsed_slots(now);
        }
    }

    /// Returns when the medium has been idle for DIFS, for all that carrier sense can tell.
    #[inline]
    fn sensed_idle_at(&self) -> Time {
        self.idle_since + nanos(self.ifs_nanos)
    }

    /// At the end of an idle period that was longer than DIFS, as was the NAV within it.
    #[cold]
    #[inline(never)]
    fn count_nav_deferral(&mut self) {
        if self.flags & WANTED != 0 {
            self.nav_deferrals = self.nav_deferrals.saturating_add(1);
        }
    }

    /// A slot counts when it was idle to its end (IEEE 802.11-2007 §9.2.5.2).
    fn settle_elapsed_slots(&mut self, now: Time) {
        let first_slot = self.expires - nanos(self.slot_nanos) * u64::from(self.slots);
        let elapsed = now.saturating_since(first_slot).as_nanos() as u32 / self.slot_nanos;
        self.slots -= elapsed as u16;
    }

    // Out of line, as other frames are many more: `on_overheard` runs for every station.
    #[inline(never)]
    fn reserve_for_rts(&mut self, now: Time, rts: &Frame, until: Time) {
        self.nav = self.nav.max(now + self.patience_with_rts(rts)).min(until);
        self.nav_if_answered = until;
        self.flags |= NAV_UNANSWERED;
    }

    /// Returns how long the NAV of an RTS stands without the medium turning busy (IEEE 802.11-2007
    /// §9.2.5.4): 2 SIFS + CTS + PHY-RX-START-Delay + 2 slots. We take busy for the start of a
    /// reception, so that a CTS too weak to be read keeps the NAV too.
    fn patience_with_rts(&self, rts: &Frame) -> Duration {
        let cts = rts.vector.duration(u32::from(CTS_BYTES));
        let start_delay = rx_start_delay(rts.vector);
        nanos(u32::from(self.sifs_nanos)) * 2 + cts + start_delay + nanos(self.slot_nanos) * 2
    }
}

#[inline]
fn nanos(nanos: u32) -> Duration {
    Duration::from_nanos(u64::from(nanos))
}

#[cfg(test)]
mod tests;
