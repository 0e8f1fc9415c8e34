//! One radio's end of the channel: its carrier sense and what it is synchronised on.

use dot11::{Address, Contention, Draw, Frame};
use units::{Milliwatts, Time};

use crate::lock::{Heard, Lock};
use crate::stations::{Reception, Stations};

/// All that a transmission changes at one radio, side by side in memory.
#[derive(Clone, Debug)]
pub struct Listener {
    pub contention: Contention,
    pub address: Address,
    /// When its MAC wants to be woken.
    pub wake_at: Time,
    /// Transmissions sensed now, the radio's own included.
    pub carriers: u16,
    pub transmitting: bool,
    /// Whether every reception is reported, whoever the frame is for.
    pub monitored: bool,
    /// Sum of all powers present, its own transmission aside.
    pub present: Milliwatts,
    pub lock: Option<Lock>,
}

impl Listener {
    /// A radio that hears nothing.
    pub fn new(address: Address, contention: Contention) -> Self {
        Listener {
            contention,
            address,
            wake_at: Time::NEVER,
            carriers: 0,
            transmitting: false,
            monitored: false,
            present: Milliwatts::ZERO,
            lock: None,
        }
    }

    /// When the station gets access or is to be woken, if the PLCP header of what it receives,
    /// if anything, ends at `header_at`.
    ///
    /// A timeout that finds its station behind a header waits for that frame's end, which
    /// settles the matter (IEEE 802.11-2007 §9.2.8); so it need not ring meanwhile.
    #[inline]
    pub fn acts_at(&self, header_at: Time) -> Time {
        let deferred = header_at <= self.wake_at && self.contention.awaits_response();
        let wake_at = if deferred { Time::NEVER } else { self.wake_at };
        wake_at.min(self.contention.access_at())
    }

    /// When the header of the frame it is synchronised on ends; `NEVER` without one.
    #[inline]
    pub fn header_at(&self) -> Time {
        self.lock
            .as_ref()
            .map_or(Time::NEVER, |lock| lock.header_at)
    }

    /// Its station has sent its last bit.
    #[inline]
    pub fn end_transmission(&mut self, radio: usize, frame: &Frame, stations: &mut impl Stations) {
        self.wake_at = stations.on_transmit_end(radio, frame, &mut self.contention);
    }

    /// Tells carrier sense how a reception went, and the station if it concerns it. Answers
    /// whether the frame was for this radio and was decoded.
    ///
    /// A receiver that could not read the PLCP header has not told its MAC of a frame, so
    /// what follows is DIFS and not EIFS (IEEE 802.11-2007 §9.2.3.4, §15.2.7).
    // In line by order: a frame has a reception at every radio that senses it.
    #[inline(always)]
    pub fn end_reception(
        &mut self,
        now: Time,
        radio: usize,
        frame: &Frame,
        heard: Heard,
        stations: &mut impl Stations,
    ) -> bool {
        let decoded = heard == Heard::Frame;
        let addressed = frame.receiver == self.address || frame.receiver.is_broadcast();
        let contention = &mut self.contention;
        match heard {
            Heard::Frame if addressed => contention.on_received_ok(now),
            Heard::Frame => contention.on_overheard(now, frame),
            Heard::Header => contention.on_garbled(now, frame),
            Heard::Noise => {}
        }
        let for_it = decoded && addressed;
        if for_it || self.monitored || contention.awaits_response() {
            self.hand_on(radio, frame, Reception { decoded, addressed }, stations);
        }
        for_it
    }

    /// Out of line, as it concerns one radio among all that hear a frame.
    #[inline(never)]
    fn hand_on(
        &mut self,
        radio: usize,
        frame: &Frame,
        reception: Reception,
        stations: &mut impl Stations,
    ) {
        self.wake_at = stations.on_reception(radio, frame, reception, &mut self.contention);
    }

    /// One more carrier is sensed.
    #[inline]
    pub fn sense(&mut self, now: Time) {
        self.carriers += 1;
        if self.carriers == 1 {
            self.contention.on_busy(now);
        }
    }

    /// One carrier less is sensed.
    #[inline]
    pub fn sense_no_more(&mut self, now: Time, draw: &mut impl Draw) {
        self.carriers -= 1;
        if self.carriers == 0 {
            self.contention.on_idle(now, draw);
        }
    }
}
