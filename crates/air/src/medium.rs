//! The medium: transmissions from their first bit to their last, at every radio.

#[cfg(test)]
mod alone_tests;
mod emitting;

use dot11::{Address, Contention, Frame};
use units::{Milliwatts, Time};

use crate::budget::LinkBudget;
use crate::emitter::Emissions;
use crate::errors::{ErrorMemo, is_certain};
use crate::listener::Listener;
use crate::lock::{Heard, Lock};
use crate::sent::Sent;
use crate::stations::Stations;

/// What became of a transmission.
#[derive(Clone, Copy, Debug)]
pub struct Concluded {
    /// The frame.
    pub frame: Frame,
    /// Its first bit.
    pub start: Time,
    /// Whether another transmission overlapped it.
    pub overlapped: bool,
    /// Whether its addressee decoded it; true for a broadcast that nothing was said to damage.
    pub decoded: bool,
}

/// The shared channel with all its radios.
#[derive(Debug)]
pub struct Medium {
    budget: LinkBudget,
    listeners: Vec<Listener>,
    sent: Sent,
    /// The radio whose frame nothing has overlapped so far. What each radio has of such a frame
    /// is in the budget, so the listeners are as in silence.
    alone: Option<usize>,
    emissions: Emissions,
    memo: ErrorMemo,
    /// The first of all radios to act, if it is known.
    next: Option<Next>,
}

/// The radio that acts next, the lowest among equals, and when.
#[derive(Clone, Copy, Debug)]
struct Next {
    at: Time,
    radio: usize,
}

impl Next {
    const NOBODY: Next = Next {
        at: Time::NEVER,
        radio: 0,
    };

    #[inline]
    fn or(self, at: Time, radio: usize) -> Next {
        if at < self.at {
            Next { at, radio }
        } else {
            self
        }
    }
}

impl Medium {
    /// A silent channel with the radios of `stations`: each one's address and its carrier
    /// sense.
    ///
    /// # Panics
    /// When the budget is for another number of radios.
    pub fn new(budget: LinkBudget, stations: impl Iterator<Item = (Address, Contention)>) -> Self {
        let listeners: Vec<_> = stations
            .map(|(address, contention)| Listener::new(address, contention))
            .collect();
        let radios = listeners.len();
        assert_eq!(budget.radios(), radios);
        Medium {
            sent: Sent::new(radios, budget.noise()),
            alone: None,
            emissions: Emissions::none(radios),
            memo: ErrorMemo::new(),
            budget,
            listeners,
            next: None,
        }
    }

    /// Lets the station of a radio change its carrier sense and backoff, as when it gets
    /// something to send; it answers what it likes.
    #[inline]
    pub fn change<T>(&mut self, radio: usize, change: impl FnOnce(&mut Contention) -> T) -> T {
        let answer = change(&mut self.listeners[radio].contention);
        self.next = self.next_after_change_of(radio);
        answer
    }

    /// Who acts next once a radio has changed, if that can be told without asking all others.
    #[inline]
    fn next_after_change_of(&self, radio: usize) -> Option<Next> {
        let next = self.next?;
        let at = self.acts_at(radio);
        if (at, radio) <= (next.at, next.radio) {
            return Some(Next { at, radio });
        }
        (radio != next.radio).then_some(next)
    }

    /// Whether a radio whose station awaits a response is in the middle of a reception, the PLCP
    /// header behind it.
    #[inline]
    pub fn receives_a_response(&self, now: Time, radio: usize) -> bool {
        self.listeners[radio].contention.awaits_response() && self.header_at(radio) <= now
    }

    /// Lets the station of a radio act; it answers what it does and when it wants to be woken.
    #[inline]
    pub fn act<T>(&mut self, radio: usize, act: impl FnOnce(&mut Contention) -> (T, Time)) -> T {
        let listener = &mut self.listeners[radio];
        let (answer, wake_at) = act(&mut listener.contention);
        listener.wake_at = wake_at;
        self.next = None;
        answer
    }

    /// The next radio to get access or to be woken if the medium stays as it is, and when;
    /// the lowest among equals.
    #[inline]
    pub fn next_act(&mut self) -> (Time, usize) {
        let next = match self.next {
            Some(next) => next,
            None => self.find_next(),
        };
        (next.at, next.radio)
    }

    /// Every edge of the medium moves the countdown of every station that waits and finds the
    /// first of them on the way, so an order kept among them would cost more than this scan.
    fn find_next(&mut self) -> Next {
        let mut next = Next::NOBODY;
        for radio in 0..self.listeners.len() {
            next = next.or(self.acts_at(radio), radio);
        }
        self.next = Some(next);
        next
    }

    #[inline]
    fn acts_at(&self, radio: usize) -> Time {
        let listener = &self.listeners[radio];
        // Few stations await a response, and only for them does it matter what they receive.
        let header_at = if listener.contention.awaits_response() {
            self.header_at(radio)
        } else {
            Time::NEVER
        };
        listener.acts_at(header_at)
    }

    /// When the PLCP header of the frame that a radio receives ends; `NEVER` without one.
    fn header_at(&self, radio: usize) -> Time {
        match self.alone {
            Some(from) if radio != from && self.budget.is_sensed(self.budget.row(from)[radio]) => {
                self.sent.from(from).header_at()
            }
            Some(_) => Time::NEVER,
            None => self.listeners[radio].header_at(),
        }
    }

    /// The powers between the radios.
    pub fn budget(&self) -> &LinkBudget {
        &self.budget
    }

    /// Reports every reception of `radio`, whoever the frame is for.
    pub fn monitor(&mut self, radio: usize) {
        self.listeners[radio].monitored = true;
    }

    /// A frame on the air and its first bit, if there is any.
    pub fn on_air(&self) -> Option<(Frame, Time)> {
        self.sent.any().map(|sent| (sent.frame, sent.start))
    }

    /// Puts the first bit of `frame` on the air.
    pub fn begin(&mut self, now: Time, from: usize, frame: Frame) {
        self.sent.admit(now, from, frame);
        self.next = Some(if self.sent.on_air() == 1 && self.emissions.are_none() {
            self.alone = Some(from);
            self.begin_alone(now, from)
        } else {
            self.leave_alone();
            self.begin_among_others(now, from)
        });
    }

    /// The same of a frame that arrives damaged everywhere. It is sensed as any other; whoever
    /// reads its PLCP header finds its check sequence wrong at its end.
    pub fn begin_damaged(&mut self, now: Time, from: usize, frame: Frame) {
        self.sent.admit(now, from, frame);
        self.sent.damage(from);
        self.leave_alone();
        self.next = Some(self.begin_among_others(now, from));
    }

    /// A frame alone on the air is so no longer.
    fn leave_alone(&mut self) {
        if let Some(first) = self.alone.take() {
            self.tell_apart(first);
        }
    }

    fn begin_alone(&mut self, now: Time, from: usize) -> Next {
        let header_at = self.sent.from(from).header_at();
        let mut next = Next::NOBODY;
        let radios = self.listeners.iter_mut().zip(self.budget.row(from));
        for (radio, (listener, &signal)) in radios.enumerate() {
            let own = radio == from;
            let receiving = !own && self.budget.is_sensed(signal);
            if own || receiving {
                listener.contention.on_busy(now);
            }
            let header_at = if receiving { header_at } else { Time::NEVER };
            next = next.or(listener.acts_at(header_at), radio);
        }
        next
    }

    /// Something else comes: from here on each listener has its own view of both.
    #[inline(never)]
    fn tell_apart(&mut self, first: usize) {
        let sent = self.sent.from(first);
        let radios = self.listeners.iter_mut().zip(self.budget.row(first));
        for (radio, (listener, &signal)) in radios.enumerate() {
            if radio == first {
                listener.transmitting = true;
                listener.carriers = 1;
                continue;
            }
            listener.present = signal;
            if self.budget.is_sensed(signal) {
                listener.carriers = 1;
                let lock = Lock::new(first, &sent.frame, sent.start, signal, Milliwatts::ZERO);
                listener.lock = Some(lock);
            }
        }
    }

    /// The general case. Out of line like all of it, so that the passes over the radios for a
    /// frame alone keep their registers.
    #[inline(never)]
    fn begin_among_others(&mut self, now: Time, from: usize) -> Next {
        let frame = self.sent.from(from).frame;
        let mut next = Next::NOBODY;
        let radios = self.listeners.iter_mut().zip(self.budget.row(from));
        for (radio, (listener, &signal)) in radios.enumerate() {
            let own = radio == from;
            let sensed = own || self.budget.is_sensed(signal);
            if own {
                listener.transmitting = true;
                listener.lock = None;
            } else {
                let (present, emitted) = (listener.present, self.emissions.at(radio));
                let lock_on = || Lock::new(from, &frame, now, signal, present).under(emitted);
                match &mut listener.lock {
                    None if sensed && !listener.transmitting => listener.lock = Some(lock_on()),
                    None => {}
                    Some(lock)
                        if sensed
                            && lock.yields_to(now, signal, listener.contention.cca_time()) =>
                    {
                        *lock = lock_on();
                    }
                    Some(lock) => {
                        self.sent.settle(now, lock, &mut self.memo);
                        lock.interference = lock.interference + signal;
                    }
                }
                listener.present = listener.present + signal;
            }
            if sensed {
                listener.sense(now);
            }
            next = next.or(listener.acts_at(listener.header_at()), radio);
        }
        next
    }

    /// Takes the frame of a radio off the air. Its receptions end and the stations they concern
    /// hear of it; then carrier sense lets go, and radios that now hear nothing start their
    /// countdowns.
    ///
    /// # Panics
    /// When the radio has nothing on the air.
    pub fn end(&mut self, now: Time, from: usize, stations: &mut impl Stations) -> Concluded {
        let (decoded, next) = match self.alone.take() {
            Some(_) => self.end_alone(now, from, stations),
            None => self.end_among_others(now, from, stations),
        };
        self.next = Some(next);
        let done = self.sent.withdraw(from);
        Concluded {
            frame: done.frame,
            start: done.start,
            overlapped: done.overlapped,
            decoded: decoded || (done.frame.receiver.is_broadcast() && !done.damaged),
        }
    }

    /// Answers whether the addressee decoded the frame, and who acts next.
    fn end_alone(&mut self, now: Time, from: usize, stations: &mut impl Stations) -> (bool, Next) {
        let done = self.sent.from(from);
        let noise = self.budget.noise();
        let mut decoded_by_addressee = false;
        let mut next = Next::NOBODY;
        let radios = self.listeners.iter_mut().zip(self.budget.row(from));
        for (radio, (listener, &signal)) in radios.enumerate() {
            let own = radio == from;
            let received = !own && self.budget.is_sensed(signal);
            if own {
                listener.end_transmission(radio, &done.frame, stations);
            } else if received {
                let heard = if is_certain(signal, noise) {
                    Heard::Frame
                } else {
                    let none = Milliwatts::ZERO;
                    let mut lock = Lock::new(from, &done.frame, done.start, signal, none);
                    self.sent
                        .heard(now, &mut lock, &mut self.memo, stations.luck(radio))
                };
                decoded_by_addressee |=
                    listener.end_reception(now, radio, &done.frame, heard, stations);
            }
            if own || received {
                listener.contention.on_idle(now, stations.luck(radio));
            }
            next = next.or(listener.acts_at(Time::NEVER), radio);
        }
        (decoded_by_addressee, next)
    }

    #[inline(never)]
    fn end_among_others(
        &mut self,
        now: Time,
        from: usize,
        stations: &mut impl Stations,
    ) -> (bool, Next) {
        let done = self.sent.from(from);
        let others = self.sent.on_air() - 1;
        let mut decoded_by_addressee = false;
        let mut next = Next::NOBODY;
        let radios = self.listeners.iter_mut().zip(self.budget.row(from));
        for (radio, (listener, &power)) in radios.enumerate() {
            let own = radio == from;
            if own {
                listener.transmitting = false;
                listener.end_transmission(radio, &done.frame, stations);
            } else {
                match &mut listener.lock {
                    Some(lock) if lock.on == from => {
                        let luck = stations.luck(radio);
                        let heard = self.sent.heard(now, lock, &mut self.memo, luck);
                        listener.lock = None;
                        decoded_by_addressee |=
                            listener.end_reception(now, radio, &done.frame, heard, stations);
                    }
                    Some(lock) => {
                        self.sent.settle(now, lock, &mut self.memo);
                        lock.interference = if others == 1 {
                            Milliwatts::ZERO
                        } else {
                            lock.interference - power
                        };
                    }
                    None => {}
                }
                // Powers are taken off only where some stay, so that silence is exactly none.
                listener.present = if others == 0 {
                    Milliwatts::ZERO
                } else {
                    listener.present - power
                };
            }
            if own || self.budget.is_sensed(power) {
                listener.sense_no_more(now, stations.luck(radio));
            }
            next = next.or(listener.acts_at(listener.header_at()), radio);
        }
        (decoded_by_addressee, next)
    }
}
