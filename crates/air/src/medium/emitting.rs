//! Emitters turn on and off: energy to carrier sense. What they do to receptions is worked out at
//! the ends of frames.

use units::Time;

use super::Medium;
use crate::emitter::Emitter;
use crate::stations::Stations;

impl Medium {
    /// All emitters.
    pub fn emitters(&self) -> &[Emitter] {
        &self.receptions.emitters
    }

    /// An emitter turns on: busy where its energy is detected.
    pub fn radiate(&mut self, now: Time, emitter: usize) {
        self.freshen();
        for group in self.detecting(emitter) {
            let receptions = &self.receptions;
            let header_at = |radio| receptions.header_at(radio);
            let next = self.groups[group].sense(now, &mut self.listeners, header_at);
            self.firsts.set(group, next);
        }
        self.next = None;
    }

    /// An emitter that was on turns off.
    pub fn cease(&mut self, now: Time, emitter: usize, stations: &mut impl Stations) {
        self.freshen();
        for group in self.detecting(emitter) {
            let (listeners, receptions) = (&mut self.listeners, &self.receptions);
            let next = self.groups[group].sense_no_more(now, listeners, receptions, stations);
            self.firsts.set(group, next);
        }
        self.next = None;
    }

    /// Those who sense the same sense the same emitters.
    fn detecting(&self, emitter: usize) -> Vec<usize> {
        let emitter = &self.receptions.emitters[emitter];
        let detects = |&group: &usize| emitter.at(self.groups[group].first()).sensed;
        (0..self.groups.len()).filter(detects).collect()
    }
}
