//! Emitters turn on and off: noise to receptions, and energy to carrier sense.

use units::Time;

use super::Medium;
use crate::emitter::Emitter;
use crate::stations::Stations;

impl Medium {
    /// An emitter turns on: noise to every reception, and busy where its energy is detected.
    pub fn radiate(&mut self, now: Time, emitter: &Emitter) {
        self.leave_alone();
        self.emissions.add(emitter);
        self.settle_emissions(now);
        for (listener, received) in self.listeners.iter_mut().zip(emitter.received()) {
            if received.sensed {
                listener.sense(now);
            }
        }
        self.next = None;
    }

    /// An emitter that was on turns off.
    pub fn cease(&mut self, now: Time, emitter: &Emitter, stations: &mut impl Stations) {
        self.emissions.remove(emitter);
        self.settle_emissions(now);
        let radios = self.listeners.iter_mut().zip(emitter.received());
        for (radio, (listener, received)) in radios.enumerate() {
            if received.sensed {
                listener.sense_no_more(now, stations.luck(radio));
            }
        }
        self.next = None;
    }

    /// From now on, receptions are under other emissions than so far.
    fn settle_emissions(&mut self, now: Time) {
        for (radio, listener) in self.listeners.iter_mut().enumerate() {
            if let Some(lock) = &mut listener.lock {
                self.sent.settle(now, lock, &mut self.memo);
                lock.emitted = self.emissions.at(radio);
            }
        }
    }
}
