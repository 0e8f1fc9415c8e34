//! What receivers are synchronised on, and what they have made of a frame at its end.
//!
//! What lies under a frame is worked out at its end, at those receivers that are synchronised on
//! it: until then, a frame or a burst that nobody senses costs nothing.

use dot11::{Address, Frame, Section};
use units::{Duration, Milliwatts, Time};

use crate::budget::{LinkBudget, Thresholds};
use crate::emitter::Emitter;
use crate::errors::is_certain;
use crate::reception::{Chances, Heard, Received, Stretch, heaviest_interference};
use crate::sent::{Past, Sent, Transmission};
use crate::stations::Chance;

/// All receivers.
#[derive(Debug)]
pub struct Receptions {
    pub budget: LinkBudget,
    pub sent: Sent,
    pub emitters: Vec<Emitter>,
    /// By radio, who sends the frame it is synchronised on. A receiver stays with its frame to the
    /// end, even if it could not read the header: what begins meanwhile is interference to it.
    locks: Vec<Option<u32>>,
    /// By who sends: who senses it, in order, and who of them may err in silence, those aside
    /// whose links vary.
    pub sensed_by: Vec<Vec<u32>>,
    pub doubtful: Vec<Vec<u32>>,
    /// Whether nobody errs in silence, nothing radiates and nothing varies.
    pub is_certain: bool,
    /// How long a receiver may still turn to a stronger frame.
    window: Duration,
    ending: Ending,
}

/// A frame that ends, what lies under it, and how the receiver has that which was asked last:
/// where all are as far from each other, the next one has the same.
#[derive(Debug)]
struct Ending {
    sections: Vec<Section>,
    heaviest_interference: f64,
    under: Vec<Source>,
    edges: Vec<Edge>,
    signal: Milliwatts,
    /// Of what lies under it.
    powers: Vec<Milliwatts>,
    stretches: Vec<Stretch>,
    chances: Chances,
}

impl Ending {
    fn nothing() -> Ending {
        Ending {
            sections: Vec::new(),
            heaviest_interference: 0.0,
            under: Vec::new(),
            edges: Vec::new(),
            signal: Milliwatts::ZERO,
            powers: Vec::new(),
            stretches: Vec::new(),
            chances: Chances::CERTAIN,
        }
    }

    /// Begins anew, with a frame of which nothing is known.
    fn begin(&mut self, frame: &Frame) {
        self.sections.clear();
        self.sections.extend(frame.sections());
        self.heaviest_interference = heaviest_interference(frame);
        self.under.clear();
        self.edges.clear();
        self.powers.clear();
        self.signal = Milliwatts(f64::NAN);
    }

    fn lies_under(&mut self, of: Source, begin: Time, end: Time) {
        let number = self.under.len();
        self.under.push(of);
        self.powers.push(Milliwatts::ZERO);
        for (at, begins) in [(begin, true), (end, false)] {
            self.edges.push(Edge { at, begins, number });
        }
    }

    /// The stretches of a frame between which the interference changes.
    fn list_stretches(&mut self, start: Time, now: Time, noise: Milliwatts) {
        self.stretches.clear();
        let mut since = start;
        let mut frames = Sum::NONE;
        let mut emitted = Sum::NONE;
        for edge in &self.edges {
            let power = self.powers[edge.number];
            if power == Milliwatts::ZERO {
                continue;
            }
            if edge.at > since {
                let stretch = Stretch::new(edge.at, frames.power, noise + emitted.power);
                self.stretches.push(stretch);
                since = edge.at;
            }
            let sum = match self.under[edge.number] {
                Source::Radio(_) => &mut frames,
                Source::Emitter(_) => &mut emitted,
            };
            sum.change(edge.begins, power);
        }
        if now > since {
            let stretch = Stretch::new(now, frames.power, noise + emitted.power);
            self.stretches.push(stretch);
        }
    }

    /// Whether no bit is lost even if all that lies under the frame did so all the time.
    fn is_beyond_doubt(&self, noise: Milliwatts) -> bool {
        let under = self.powers.iter().fold(0.0, |sum, power| sum + power.0);
        let weighed = Milliwatts(self.heaviest_interference * under);
        is_certain(self.signal, noise + weighed)
    }
}

/// Something that lies under a frame begins or ends.
#[derive(Clone, Copy, Debug)]
struct Edge {
    at: Time,
    begins: bool,
    number: usize,
}

/// Who radiates.
#[derive(Clone, Copy, Debug)]
enum Source {
    Radio(usize),
    Emitter(usize),
}

impl Receptions {
    /// Receivers of these addresses that hear nothing.
    pub fn new(
        budget: LinkBudget,
        emitters: Vec<Emitter>,
        addresses: &[Address],
        window: Duration,
    ) -> Receptions {
        let radios = budget.radios();
        let those = |from: usize, is: &dyn Fn(usize, usize) -> bool| {
            let others = (0..radios).filter(|&to| to != from && is(from, to));
            others.map(|to| to as u32).collect::<Vec<_>>()
        };
        let is_sensed = |from, to| budget.is_sensed(from, to);
        let is_doubtful = |from, to| is_sensed(from, to) && budget.is_doubtful(from, to);
        let doubtful: Vec<_> = (0..radios).map(|from| those(from, &is_doubtful)).collect();
        Receptions {
            sent: Sent::new(&budget, addresses),
            locks: vec![None; radios],
            sensed_by: (0..radios).map(|from| those(from, &is_sensed)).collect(),
            is_certain: emitters.is_empty()
                && !budget.varies()
                && doubtful.iter().all(Vec::is_empty),
            doubtful,
            budget,
            emitters,
            window,
            ending: Ending::nothing(),
        }
    }

    /// When the PLCP header of the frame that a radio receives ends; `NEVER` without one.
    pub fn header_at(&self, radio: usize) -> Time {
        let lock = match self.sent.domain(radio).alone {
            Some(from) => {
                let is_sensed = self.budget.is_sensed(from as usize, radio);
                (from as usize != radio && is_sensed).then_some(from)
            }
            None => self.locks[radio],
        };
        lock.map_or(Time::NEVER, |from| {
            self.sent.from(from as usize).header_at()
        })
    }

    /// Finds how a frame that begins now reaches each radio; answers whether others than before
    /// sense it.
    ///
    /// It keeps that power to its end: the fastest fading of a room lasts longer than a frame.
    pub fn renew(&mut self, now: Time, from: usize) -> bool {
        let is_another = self.budget.renew(now, from);
        if is_another {
            let Receptions {
                budget, sensed_by, ..
            } = self;
            let others = (0..budget.radios()).filter(|&to| to != from);
            let those = others.filter(|&to| budget.is_sensed(from, to));
            sensed_by[from].clear();
            sensed_by[from].extend(those.map(|to| to as u32));
        }
        is_another
    }

    /// A frame alone on the air is so no longer: from here on each receiver has its own lock.
    pub fn leave_alone(&mut self, radio: usize) {
        if let Some(first) = self.sent.leave_alone(radio) {
            self.lock_all_on(first);
        }
    }

    fn lock_all_on(&mut self, from: usize) {
        for &to in &self.sensed_by[from] {
            self.locks[to as usize] = Some(from as u32);
        }
    }

    #[inline(never)]
    pub fn begin_among_others(&mut self, now: Time, from: usize) {
        self.sent.overlap(from, &self.budget);
        self.locks[from] = None;
        for &to in &self.sensed_by[from] {
            let radio = to as usize;
            let turns = match self.locks[radio] {
                None => !self.sent.is_sending(radio),
                Some(on) => self.yields(now, radio, on as usize, from),
            };
            if turns {
                self.locks[radio] = Some(from as u32);
            }
        }
    }

    /// Whether a receiver turns from the frame of one radio to another's that begins now.
    ///
    /// One that has just begun to synchronise, within the time of a clear channel
    /// assessment, takes the stronger of the two: the correlator locks on the higher
    /// peak. Later on it stays with what it has, as does one that decides by thresholds always.
    fn yields(&self, now: Time, radio: usize, on: usize, to: usize) -> bool {
        self.budget.thresholds().is_none()
            && now - self.sent.from(on).start <= self.window
            && self.budget.power(to, radio) > self.budget.power(on, radio)
    }

    /// Looks at what lay under a frame that is off the air now; answers whether nothing did, and
    /// nothing was said to damage it.
    #[inline]
    pub fn end(&mut self, now: Time, from: usize, done: &Transmission) -> bool {
        let is_alone = self.sent.was_alone(from);
        let is_plain = is_alone && self.is_certain && !done.damaged;
        is_plain || self.end_with_care(now, from, done, is_alone)
    }

    #[inline(never)]
    fn end_with_care(
        &mut self,
        now: Time,
        from: usize,
        done: &Transmission,
        is_alone: bool,
    ) -> bool {
        self.list_what_was_under(now, from, done);
        if !is_alone {
            let start = done.start;
            let end = now;
            self.sent.pass(Past { from, start, end });
            return false;
        }
        let is_plain = self.ending.under.is_empty() && !done.damaged;
        if !is_plain {
            self.lock_all_on(from);
        }
        is_plain
    }

    fn list_what_was_under(&mut self, now: Time, from: usize, done: &Transmission) {
        let ending = &mut self.ending;
        let start = done.start;
        ending.begin(&done.frame);
        let domain = self.sent.domain(from);
        for &other in domain.on_air.iter().filter(|&&other| other != from) {
            let begin = self.sent.from(other).start.max(start);
            ending.lies_under(Source::Radio(other), begin, now);
        }
        for past in domain.past.iter().filter(|past| past.end > start) {
            ending.lies_under(Source::Radio(past.from), past.start.max(start), past.end);
        }
        for (emitter, of) in self.emitters.iter().enumerate() {
            for &[begin, end] in of.between(start, now) {
                ending.lies_under(Source::Emitter(emitter), begin.max(start), end.min(now));
            }
        }
        ending.edges.sort_by_key(|edge| edge.at);
    }

    /// Lets a receiver go that is synchronised on the frame of a radio, which has ended; answers
    /// whether it was.
    #[inline]
    pub fn let_go(&mut self, radio: usize, from: usize) -> bool {
        let lock = &mut self.locks[radio];
        let was = *lock == Some(from as u32);
        if was {
            *lock = None;
        }
        was
    }

    /// What a radio that is synchronised on a frame has heard of it, once somebody has looked at
    /// what lies under it.
    #[inline(never)]
    pub fn heard(
        &mut self,
        now: Time,
        from: usize,
        done: &Transmission,
        radio: usize,
        luck: &mut impl Chance,
    ) -> Heard {
        if let Some(thresholds) = self.budget.thresholds() {
            return self.heard_by(thresholds, from, done, radio);
        }
        self.weigh(now, from, done.start, radio);
        let ending = &mut self.ending;
        let received = Received {
            sections: &ending.sections,
            start: done.start,
            signal: ending.signal,
            stretches: &ending.stretches,
        };
        let heard = (ending.chances).heard(|| received.ln_success(false), luck);
        // A damaged frame takes the draws of a sound one, so that it shifts nobody's luck.
        match heard {
            Heard::Frame if done.damaged => Heard::Header,
            heard => heard,
        }
    }

    /// The same where powers alone decide. What nobody senses disturbs nothing, and what is not
    /// decoded was a frame all the same.
    fn heard_by(
        &self,
        thresholds: Thresholds,
        from: usize,
        done: &Transmission,
        radio: usize,
    ) -> Heard {
        let signal = self.budget.power(from, radio);
        let is_over = |of: &Source| match *of {
            Source::Radio(other) if !self.budget.is_sensed(other, radio) => true,
            of => signal.0 >= thresholds.capture * self.power(of, radio).0,
        };
        let is_heard = signal >= thresholds.receive && self.ending.under.iter().all(is_over);
        match is_heard && !done.damaged {
            true => Heard::Frame,
            false => Heard::Header,
        }
    }

    /// Works out a radio's chances, unless they are those of the one before.
    fn weigh(&mut self, now: Time, from: usize, start: Time, radio: usize) {
        let signal = self.budget.power(from, radio);
        let mut is_same = signal == self.ending.signal;
        for number in 0..self.ending.under.len() {
            let power = self.power(self.ending.under[number], radio);
            is_same &= power == self.ending.powers[number];
            self.ending.powers[number] = power;
        }
        if is_same {
            return;
        }
        let ending = &mut self.ending;
        let noise = self.budget.noise();
        ending.signal = signal;
        if ending.is_beyond_doubt(noise) {
            ending.chances = Chances::CERTAIN;
            return;
        }
        ending.list_stretches(start, now, noise);
        ending.chances = Chances::new(&Received {
            sections: &ending.sections,
            start,
            signal,
            stretches: &ending.stretches,
        });
    }

    /// What a radio has of something; nothing of what it does not hear.
    fn power(&self, of: Source, radio: usize) -> Milliwatts {
        match of {
            Source::Radio(from) if !self.budget.is_heard(from, radio) => Milliwatts::ZERO,
            Source::Radio(from) => self.budget.power(from, radio),
            Source::Emitter(emitter) => self.emitters[emitter].at(radio).power,
        }
    }
}

/// Powers that come and go.
struct Sum {
    count: u32,
    power: Milliwatts,
}

impl Sum {
    const NONE: Sum = Sum {
        count: 0,
        power: Milliwatts::ZERO,
    };

    /// Powers are taken off only where some stay, so that silence is exactly none.
    fn change(&mut self, comes: bool, power: Milliwatts) {
        if comes {
            self.count += 1;
            self.power = self.power + power;
        } else {
            self.count -= 1;
            self.power = match self.count {
                0 => Milliwatts::ZERO,
                _ => self.power - power,
            };
        }
    }
}

/// Whether a frame may be for a radio by its address.
#[inline]
pub fn is_for(frame: &Frame, address: Address) -> bool {
    frame.receiver == address || frame.receiver.is_broadcast()
}
