//! One radio's end of the channel: its carrier sense, what it is synchronised on, and how
//! that goes.

use dot11::{Address, Contention, Draw, Frame};
use units::{Duration, Milliwatts, Time};

use crate::errors::{ErrorMemo, is_certain, sections, sinr};
use crate::medium::{Reception, Stations};

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

/// A reception under way.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    /// The radio that sends the frame.
    pub on: usize,
    /// First bit of the frame.
    pub start: Time,
    pub signal: Milliwatts,
    pub interference: Milliwatts,
    /// Up to here, the bits are accounted for in `ln_success`.
    settled: Time,
    ln_success: f64,
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

    /// When the station gets access or is to be woken.
    ///
    /// A timeout that finds its station in the middle of a reception waits for that
    /// reception's end, which settles the matter; so it need not ring meanwhile.
    #[inline]
    pub fn acts_at(&self, receiving: bool) -> Time {
        let deferred = receiving && self.contention.awaits_response();
        let wake_at = if deferred { Time::NEVER } else { self.wake_at };
        wake_at.min(self.contention.access_at())
    }

    /// Its station has sent its last bit.
    #[inline]
    pub fn end_transmission(&mut self, radio: usize, frame: &Frame, stations: &mut impl Stations) {
        self.wake_at = stations.on_transmit_end(radio, frame, &mut self.contention);
    }

    /// Tells carrier sense how a reception went, and the station if it concerns it. Answers
    /// whether the frame was for this radio and was decoded.
    #[inline]
    pub fn end_reception(
        &mut self,
        now: Time,
        radio: usize,
        frame: &Frame,
        decoded: bool,
        stations: &mut impl Stations,
    ) -> bool {
        let addressed = frame.receiver == self.address || frame.receiver.is_broadcast();
        let contention = &mut self.contention;
        match (decoded, addressed) {
            (true, true) => contention.on_received_ok(now),
            (true, false) => contention.on_overheard(now, frame),
            (false, _) => contention.on_garbled(now),
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

impl Lock {
    #[inline]
    pub fn new(on: usize, now: Time, signal: Milliwatts, interference: Milliwatts) -> Self {
        Lock {
            on,
            start: now,
            signal,
            interference,
            settled: now,
            ln_success: 0.0,
        }
    }

    /// Whether the receiver turns to a signal that begins now.
    ///
    /// One that has just begun to synchronise, within the time of a clear channel
    /// assessment, takes the stronger of the two: the correlator locks on the higher
    /// peak. Later on it stays with what it has.
    #[inline]
    pub fn yields_to(&self, now: Time, signal: Milliwatts, window: Duration) -> bool {
        now - self.start <= window && signal.0 > self.signal.0
    }

    /// Accounts for the bits received up to `now` under the interference so far.
    #[inline]
    pub fn settle(&mut self, now: Time, frame: &Frame, noise: Milliwatts, memo: &mut ErrorMemo) {
        let since = std::mem::replace(&mut self.settled, now);
        if since != now && !self.is_certain(noise) && !self.is_hopeless() {
            self.account(since, now, frame, noise, memo);
        }
    }

    /// Sections are visited from the payload backwards: what is lost there is lost.
    fn account(
        &mut self,
        since: Time,
        now: Time,
        frame: &Frame,
        noise: Milliwatts,
        memo: &mut ErrorMemo,
    ) {
        let sections = sections(frame);
        for (index, section) in sections.iter().enumerate().rev() {
            let begin = if index == 0 {
                Duration::ZERO
            } else {
                sections[index - 1].until
            };
            let overlap = now
                .min(self.start + section.until)
                .saturating_since(since.max(self.start + begin));
            if overlap == Duration::ZERO {
                continue;
            }
            let ratio = sinr(section.mode, self.signal, self.interference, noise);
            let share = overlap.as_nanos() as f64 / (section.until - begin).as_nanos() as f64;
            self.ln_success += section.bits * share * memo.ln_success_per_bit(section.mode, ratio);
            if self.is_hopeless() {
                return;
            }
        }
    }

    #[inline]
    fn is_certain(&self, noise: Milliwatts) -> bool {
        self.interference == Milliwatts::ZERO && is_certain(self.signal, noise)
    }

    /// Success is less likely than the smallest draw.
    #[inline]
    fn is_hopeless(&self) -> bool {
        const LN_SMALLEST_DRAW: f64 = -37.0; // draws are multiples of 2⁻⁵³
        self.ln_success < LN_SMALLEST_DRAW
    }

    /// The probability that every bit settled so far survived.
    #[inline]
    pub fn success(&self) -> f64 {
        if self.ln_success == 0.0 {
            1.0
        } else if self.is_hopeless() {
            0.0
        } else {
            libm::exp(self.ln_success)
        }
    }
}
