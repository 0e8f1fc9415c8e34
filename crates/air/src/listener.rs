//! One radio's end of the channel, as far as it is its own.

use dot11::{Address, Contention, Frame, InStep};
use units::Time;

use crate::reception::ReceptionOutcome;
use crate::receptions::is_for;
use crate::stations::{Reception, Stations};

/// A radio and its carrier sense.
#[derive(Clone, Debug)]
pub struct Listener {
    /// Its own while it is not in step with others.
    pub contention: Contention,
    pub address: Address,
    /// When its MAC wants to be woken.
    pub wake_at: Time,
    /// Those who sense the same as it.
    pub group: u32,
    /// What it has of its own where it is in step with those who hear the same.
    pub in_step: Option<InStep>,
    /// Whether every reception is reported, whoever the frame is for.
    pub monitored: bool,
    /// What it has made of the frame that ends, where that is known already.
    pub told: Option<ReceptionOutcome>,
}

impl Listener {
    /// A radio that hears nothing.
    pub fn new(address: Address, contention: Contention) -> Self {
        Listener {
            contention,
            address,
            wake_at: Time::NEVER,
            group: 0,
            in_step: None,
            monitored: false,
            told: None,
        }
    }

    /// Returns when the station gets access or is to be woken, if the PLCP header of what it
    /// receives, if anything, ends at `header_at`.
    ///
    /// A timeout that finds its station behind a header waits for that frame's end, which
    /// settles the matter (IEEE 802.11-2007 §9.2.8); so it need not ring meanwhile. Few stations
    /// await a response, and only for them does it matter what they receive.
    #[inline]
    pub fn acts_at(&self, header_at: impl FnOnce() -> Time) -> Time {
        let deferred = self.contention.awaits_response() && header_at() <= self.wake_at;
        let wake_at = if deferred { Time::NEVER } else { self.wake_at };
        wake_at.min(self.contention.access_at())
    }

    /// One more carrier is sensed; answers when the station acts.
    #[inline(always)]
    pub fn sense(&mut self, now: Time, turns_busy: bool, header_at: impl FnOnce() -> Time) -> Time {
        if turns_busy {
            self.contention.on_busy(now);
        }
        self.acts_at(header_at)
    }

    /// Its station has sent its last bit.
    #[inline(always)]
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
        heard: ReceptionOutcome,
        stations: &mut impl Stations,
    ) -> bool {
        let decoded = heard == ReceptionOutcome::Frame;
        let addressed = is_for(frame, self.address);
        let contention = &mut self.contention;
        match heard {
            ReceptionOutcome::Frame if addressed => contention.on_received_ok(now),
            ReceptionOutcome::Frame => contention.on_overheard(now, frame),
            ReceptionOutcome::Header => contention.on_garbled(now, frame),
            ReceptionOutcome::Noise => {}
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
}
