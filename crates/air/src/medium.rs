//! The medium: transmissions from their first bit to their last, at every radio.

use dot11::{Address, Contention, Draw, Frame};
use units::{Duration, Milliwatts, Time};

use crate::LinkBudget;
use crate::errors::ErrorMemo;
use crate::listener::{Listener, Lock};

/// Where draws for receptions come from: one per radio, so that none shifts another's luck.
pub trait Chance {
    /// A uniform number in `[0, 1)`.
    fn unit(&mut self) -> f64;
}

/// Names a transmission between [`Medium::begin`] and [`Medium::release`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmissionId(u32);

#[derive(Clone, Debug)]
struct Transmission {
    frame: Frame,
    from: usize,
    start: Time,
    /// Whether another transmission was on the air at the same time, anywhere.
    overlapped: bool,
    /// Whether it is still going on; otherwise the slot is free.
    on_air: bool,
}

/// What became of a transmission.
#[derive(Clone, Copy, Debug)]
pub struct Concluded {
    /// The frame.
    pub frame: Frame,
    /// The radio that sent it.
    pub from: usize,
    /// Its first bit.
    pub start: Time,
    /// Whether another transmission overlapped it.
    pub overlapped: bool,
    /// Whether its addressee decoded it; true for a broadcast.
    pub decoded: bool,
}

/// The end of a reception at a radio that it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reception {
    /// The radio.
    pub at: usize,
    /// Whether the frame was decoded.
    pub decoded: bool,
    /// Whether it is for this radio, or for all.
    pub addressed: bool,
}

/// The shared channel with all its radios.
#[derive(Debug)]
pub struct Medium {
    budget: LinkBudget,
    cca_time: Duration,
    addresses: Vec<Address>,
    contention: Vec<Contention>,
    listeners: Vec<Listener>,
    transmissions: Vec<Transmission>,
    on_air: u32,
    receptions: Vec<Reception>,
    memo: ErrorMemo,
}

impl Medium {
    /// A silent channel with the radios of `stations`: each one's address and its carrier
    /// sense. Two signals that begin within `cca_time` of each other compete for a
    /// receiver's synchronisation.
    ///
    /// # Panics
    /// When the budget is for another number of radios.
    pub fn new(
        budget: LinkBudget,
        stations: impl Iterator<Item = (Address, Contention)>,
        cca_time: Duration,
    ) -> Self {
        let (addresses, contention): (Vec<_>, Vec<_>) = stations.unzip();
        let radios = contention.len();
        assert_eq!(budget.radios(), radios);
        Medium {
            budget,
            cca_time,
            addresses,
            contention,
            listeners: vec![Listener::QUIET; radios],
            transmissions: Vec::new(),
            on_air: 0,
            receptions: Vec::with_capacity(radios),
            memo: ErrorMemo::new(),
        }
    }

    /// The carrier sense and backoff of a radio.
    #[inline]
    pub fn contention(&self, radio: usize) -> &Contention {
        &self.contention[radio]
    }

    /// The carrier sense and backoff of every radio.
    #[inline]
    pub fn contentions(&self) -> &[Contention] {
        &self.contention
    }

    /// The carrier sense and backoff of a radio, to be changed by its station.
    #[inline]
    pub fn contention_mut(&mut self, radio: usize) -> &mut Contention {
        &mut self.contention[radio]
    }

    /// The powers between the radios.
    pub fn budget(&self) -> &LinkBudget {
        &self.budget
    }

    /// Reports every reception of `radio`, whoever the frame is for.
    pub fn monitor(&mut self, radio: usize) {
        self.listeners[radio].monitored = true;
    }

    /// Whether `radio` is in the middle of a reception.
    #[inline]
    pub fn is_receiving(&self, radio: usize) -> bool {
        self.listeners[radio].lock.is_some()
    }

    /// A frame on the air and its first bit, if there is any.
    pub fn on_air(&self) -> Option<(Frame, Time)> {
        let mut live = self.transmissions.iter().filter(|sent| sent.on_air);
        live.next().map(|sent| (sent.frame, sent.start))
    }

    /// Puts the first bit of `frame` on the air.
    pub fn begin(&mut self, now: Time, from: usize, frame: Frame) -> TransmissionId {
        let id = self.admit(now, from, frame);
        let carrier_sense = self.budget.carrier_sense();
        let noise = self.budget.noise();
        let radios = self.listeners.iter_mut().zip(&mut self.contention);
        for (radio, ((listener, contention), &signal)) in
            radios.zip(self.budget.row(from)).enumerate()
        {
            let own = radio == from;
            let sensed = own || signal >= carrier_sense;
            if own {
                listener.transmitting = true;
                listener.lock = None;
            } else {
                if sensed && listener.may_lock(now, signal, self.cca_time) {
                    listener.lock = Some(Lock::new(id, now, signal, listener.present));
                } else if let Some(lock) = &mut listener.lock {
                    let frame = frame_of(&self.transmissions, lock.on);
                    lock.settle(now, frame, noise, &mut self.memo);
                    lock.interference = lock.interference + signal;
                }
                listener.present = listener.present + signal;
            }
            if sensed {
                listener.carriers += 1;
                if listener.carriers == 1 {
                    contention.on_busy(now);
                }
            }
        }
        id
    }

    /// Ends every reception of the frame and tells each radio's carrier sense how it went.
    ///
    /// The radios with more to do (the addressee, all for a broadcast, those that
    /// await a response and those monitored) are left in [`Self::receptions`].
    pub fn conclude<L: Chance>(
        &mut self,
        now: Time,
        id: TransmissionId,
        luck: &mut [L],
    ) -> Concluded {
        self.receptions.clear();
        let done = &self.transmissions[id.0 as usize];
        debug_assert!(
            done.on_air,
            "a transmission is concluded while it is on the air"
        );
        let broadcast = done.frame.receiver.is_broadcast();
        let mut decoded_by_addressee = broadcast;
        for (radio, listener) in self.listeners.iter_mut().enumerate() {
            let Some(lock) = listener.lock.as_mut().filter(|lock| lock.on == id) else {
                continue;
            };
            lock.settle(now, &done.frame, self.budget.noise(), &mut self.memo);
            let success = lock.success();
            listener.lock = None;
            let decoded = success >= 1.0 || (success > 0.0 && luck[radio].unit() < success);
            let addressed = broadcast || done.frame.receiver == self.addresses[radio];
            let contention = &mut self.contention[radio];
            match (decoded, addressed) {
                (true, true) => contention.on_received_ok(now),
                (true, false) => contention.on_overheard(now, &done.frame),
                (false, _) => contention.on_garbled(now),
            }
            decoded_by_addressee |= decoded && addressed;
            if contention.awaits_response() || (decoded && addressed) || listener.monitored {
                self.receptions.push(Reception {
                    at: radio,
                    decoded,
                    addressed,
                });
            }
        }
        Concluded {
            frame: done.frame,
            from: done.from,
            start: done.start,
            overlapped: done.overlapped,
            decoded: decoded_by_addressee,
        }
    }

    /// The receptions the last [`Self::conclude`] ended and that concern their radio.
    #[inline]
    pub fn receptions(&self) -> &[Reception] {
        &self.receptions
    }

    /// Takes the frame off the air; radios that now hear nothing start their countdowns.
    pub fn release<L: Draw>(&mut self, now: Time, id: TransmissionId, luck: &mut [L]) {
        let gone = &mut self.transmissions[id.0 as usize];
        debug_assert!(gone.on_air, "a transmission is released once");
        gone.on_air = false;
        let from = gone.from;
        self.on_air -= 1;
        let silent = self.on_air == 0;
        let carrier_sense = self.budget.carrier_sense();
        let noise = self.budget.noise();
        let radios = self
            .listeners
            .iter_mut()
            .zip(&mut self.contention)
            .zip(luck);
        for (radio, (((listener, contention), luck), &power)) in
            radios.zip(self.budget.row(from)).enumerate()
        {
            if radio == from {
                listener.transmitting = false;
            } else {
                // Powers are taken off only where some stay, so that silence is exactly none.
                listener.present = if silent {
                    Milliwatts::ZERO
                } else {
                    listener.present - power
                };
                if let Some(lock) = &mut listener.lock {
                    let frame = frame_of(&self.transmissions, lock.on);
                    lock.settle(now, frame, noise, &mut self.memo);
                    let alone = self.on_air == 1;
                    lock.interference = if alone {
                        Milliwatts::ZERO
                    } else {
                        lock.interference - power
                    };
                }
                if power < carrier_sense {
                    continue;
                }
            }
            listener.carriers -= 1;
            if listener.carriers == 0 {
                contention.on_idle(now, luck);
            }
        }
    }

    fn admit(&mut self, now: Time, from: usize, frame: Frame) -> TransmissionId {
        let overlapped = self.on_air > 0;
        if overlapped {
            for other in self.transmissions.iter_mut().filter(|other| other.on_air) {
                other.overlapped = true;
            }
        }
        self.on_air += 1;
        let transmission = Transmission {
            frame,
            from,
            start: now,
            overlapped,
            on_air: true,
        };
        match self.transmissions.iter().position(|slot| !slot.on_air) {
            Some(free) => {
                self.transmissions[free] = transmission;
                TransmissionId(free as u32)
            }
            None => {
                self.transmissions.push(transmission);
                TransmissionId(self.transmissions.len() as u32 - 1)
            }
        }
    }
}

#[inline]
fn frame_of(transmissions: &[Transmission], id: TransmissionId) -> &Frame {
    &transmissions[id.0 as usize].frame
}
