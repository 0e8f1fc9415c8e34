//! What receivers are synchronised on, and what they have made of a frame at its end.
//!
//! What lies under a frame is worked out at its end, at those receivers that are synchronised on
//! it: until then, a frame or a burst that nobody senses costs nothing.

use dot11::{Address, Frame, Section};
use units::{Db, Duration, Milliwatts, Time};

use crate::budget::{LinkBudget, PowerRule, Reach};
use crate::capture::{Capture, Until};
use crate::emitter::Emitter;
use crate::errors::{certain_from, sinr};
use crate::reception::{Chances, Heard, Received, Stretch};
use crate::sent::{Past, Sent, Transmission};
use crate::stations::Chance;

/// All receivers.
#[derive(Debug)]
pub struct Receptions {
    pub budget: LinkBudget,
    pub sent: Sent,
    pub emitters: Vec<Emitter>,
    /// By radio, who sends the frame it is synchronised on. A receiver that does not turn to another
    /// stays with its frame to the end, even if it could not read the header: what begins
    /// meanwhile is interference to it.
    locks: Vec<Option<u32>>,
    /// By who sends: who senses it, in order, who of them can synchronise on it, and who of them
    /// may err in silence.
    pub sensed_by: Vec<Vec<u32>>,
    received_by: Vec<Vec<u32>>,
    pub doubtful: Vec<Vec<u32>>,
    /// Whether nobody errs in silence, nothing radiates and nothing varies.
    pub is_certain: bool,
    /// How long it takes to detect a preamble.
    detection: Duration,
    pub capture: Capture,
    ending: Ending,
}

/// A frame that ends, what lies under it, and how the receiver has that which was asked last:
/// where all are as far from each other, the next one has the same.
#[derive(Debug)]
struct Ending {
    sections: Vec<Section>,
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
            under: Vec::new(),
            edges: Vec::new(),
            signal: Milliwatts::ZERO,
            powers: Vec::new(),
            stretches: Vec::new(),
            chances: Chances::CERTAIN,
        }
    }

    /// Begins anew, with a frame of which nothing is known.
    fn forget(&mut self) {
        self.sections.clear();
        self.under.clear();
        self.edges.clear();
        self.powers.clear();
        self.signal = Milliwatts(f64::NAN);
    }

    /// Takes a frame to its parts, once it matters.
    fn take_apart(&mut self, frame: &Frame) {
        if self.sections.is_empty() {
            self.sections.extend(frame.sections());
        }
    }

    fn lies_under(&mut self, of: Source, begin: Time, end: Time) {
        self.lie_under(of, std::iter::once([begin, end]), [begin, end]);
    }

    /// The same of bursts that lie over a span.
    fn lie_under(&mut self, of: Source, bursts: impl Iterator<Item = [Time; 2]>, span: [Time; 2]) {
        let number = self.under.len();
        let before = self.edges.len();
        for [begin, end] in bursts {
            let within = [(begin.max(span[0]), true), (end.min(span[1]), false)];
            for (at, begins) in within {
                self.note(Edge { at, begins, number });
            }
        }
        if self.edges.len() > before {
            self.under.push(of);
            self.powers.push(Milliwatts::ZERO);
        }
    }

    /// Keeps the edges in order, which they mostly come in.
    fn note(&mut self, edge: Edge) {
        let later = self
            .edges
            .iter()
            .rev()
            .take_while(|other| other.at > edge.at);
        let place = self.edges.len() - later.count();
        self.edges.insert(place, edge);
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
                Source::OtherChannel(_) | Source::Emitter(_) => &mut emitted,
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
        self.sections.iter().all(|section| {
            let ratio = sinr(section.mode, self.signal, Milliwatts(under), noise);
            ratio >= certain_from(section.mode)
        })
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
    /// A radio whose code is no receiver's, off the centre of its channel as it is: noise.
    OtherChannel(usize),
    Emitter(usize),
}

impl Receptions {
    /// Receivers of these addresses that hear nothing.
    pub fn new(
        budget: LinkBudget,
        emitters: Vec<Emitter>,
        addresses: &[Address],
        detection: Duration,
    ) -> Receptions {
        let radios = budget.radios();
        let mut receptions = Receptions {
            sent: Sent::new(&budget, addresses),
            locks: vec![None; radios],
            sensed_by: vec![Vec::new(); radios],
            received_by: vec![Vec::new(); radios],
            doubtful: vec![Vec::new(); radios],
            is_certain: false,
            budget,
            emitters,
            detection,
            capture: Capture::new(Until::Detection, Db(0.0)),
            ending: Ending::nothing(),
        };
        (0..radios).for_each(|from| receptions.list_who_senses(from));
        let is_doubtful = receptions.doubtful.iter().any(|those| !those.is_empty());
        let is_fixed = receptions.emitters.is_empty() && !receptions.budget.varies();
        receptions.is_certain = is_fixed && !is_doubtful;
        receptions
    }

    /// When the PLCP header of the frame that a radio receives ends; `NEVER` without one.
    pub fn header_at(&self, radio: usize) -> Time {
        let lock = match self.sent.domain(radio).alone {
            Some(from) => {
                let is_received = self.budget.is_received(from as usize, radio);
                (from as usize != radio && is_received).then_some(from)
            }
            None => self.locks[radio],
        };
        lock.map_or(Time::NEVER, |from| {
            self.sent.from(from as usize).header_at()
        })
    }

    /// Finds how a frame that begins now reaches each radio, and keeps in `split` those that sense
    /// its sender and did not, or the other way round.
    ///
    /// A frame has this power to its end: the fastest fading of a room lasts longer than that.
    pub fn renew(&mut self, now: Time, from: usize, split: &mut Vec<u32>) {
        let mut is_another = false;
        self.budget.renew(now, from, |radio, before, reach| {
            is_another = true;
            if (before >= Reach::Energy) != (reach >= Reach::Energy) {
                split.push(radio as u32);
            }
        });
        if is_another {
            self.list_who_senses(from);
        }
    }

    fn list_who_senses(&mut self, from: usize) {
        let lists = [
            &mut self.sensed_by[from],
            &mut self.received_by[from],
            &mut self.doubtful[from],
        ];
        let [sensed_by, received_by, doubtful] = lists.map(|list| {
            list.clear();
            list
        });
        for to in (0..self.budget.radios()).filter(|&to| to != from) {
            let reach = self.budget.reach(from, to);
            if reach >= Reach::Energy {
                sensed_by.push(to as u32);
                if reach >= Reach::Doubtful {
                    received_by.push(to as u32);
                }
                if reach != Reach::Certain {
                    doubtful.push(to as u32);
                }
            }
        }
    }

    /// A frame alone on the air is so no longer: from here on each receiver has its own lock.
    pub fn leave_alone(&mut self, radio: usize) {
        if let Some(first) = self.sent.leave_alone(radio) {
            self.lock_all_on(first);
        }
    }

    fn lock_all_on(&mut self, from: usize) {
        for &to in &self.received_by[from] {
            self.locks[to as usize] = Some(from as u32);
        }
    }

    #[inline(never)]
    pub fn begin_among_others(&mut self, now: Time, from: usize) {
        self.sent.overlap(from, &self.budget);
        self.locks[from] = None;
        for &to in &self.received_by[from] {
            let radio = to as usize;
            let turns = match self.locks[radio] {
                None => !self.sent.is_sending(radio),
                Some(on) => self.turns(now, radio, on as usize, from),
            };
            if turns {
                self.locks[radio] = Some(from as u32);
            }
        }
    }

    /// Whether a receiver turns from the frame of one radio to another's that begins now.
    ///
    /// One that decides by thresholds stays with what it has, always.
    fn turns(&self, now: Time, radio: usize, on: usize, to: usize) -> bool {
        if self.budget.rule().is_some() {
            return false;
        }
        let sent = self.sent.from(on);
        let powers = [on, to].map(|from| self.budget.power(from, radio));
        let header = sent.frame.plcp_time();
        (self.capture).turns(powers, now - sent.start, self.detection, header)
    }

    /// Whether nobody errs in silence who senses a radio.
    #[inline]
    pub fn is_certain_of(&self, from: usize) -> bool {
        self.is_certain || self.doubtful[from].is_empty()
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
        self.ending.forget();
        if is_alone && self.emitters.is_empty() && !done.damaged {
            return true;
        }
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
        let domain = self.sent.domain(from);
        // Whoever receives the frame is on its sender's channel.
        let source = |other| match self.budget.is_one_channel(from, other) {
            true => Source::Radio(other),
            false => Source::OtherChannel(other),
        };
        for &other in domain.on_air.iter().filter(|&&other| other != from) {
            let begin = self.sent.from(other).start.max(start);
            ending.lies_under(source(other), begin, now);
        }
        for past in domain.past.iter().filter(|past| past.end > start) {
            ending.lies_under(source(past.from), past.start.max(start), past.end);
        }
        for (emitter, of) in self.emitters.iter().enumerate() {
            ending.lie_under(
                Source::Emitter(emitter),
                of.between(start, now),
                [start, now],
            );
        }
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
        if let Some(rule) = self.budget.rule() {
            return self.heard_by(rule, from, done, radio);
        }
        self.ending.take_apart(&done.frame);
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
    fn heard_by(&self, rule: PowerRule, from: usize, done: &Transmission, radio: usize) -> Heard {
        let signal = self.budget.power(from, radio);
        let is_over = |of: &Source| match *of {
            Source::Radio(other) if !self.budget.is_sensed(other, radio) => true,
            of => {
                let power = power_of(of, radio, &self.budget, &self.emitters);
                signal.0 >= rule.capture * power.0
            }
        };
        let is_heard = signal >= rule.receive && self.ending.under.iter().all(is_over);
        match is_heard && !done.damaged {
            true => Heard::Frame,
            false => Heard::Header,
        }
    }

    /// Works out a radio's chances, unless they are those of the one before.
    fn weigh(&mut self, now: Time, from: usize, start: Time, radio: usize) {
        let signal = self.budget.power(from, radio);
        let mut is_same = signal == self.ending.signal;
        let Ending { under, powers, .. } = &mut self.ending;
        for (&of, known) in under.iter().zip(powers) {
            let power = power_of(of, radio, &self.budget, &self.emitters);
            is_same &= power == *known;
            *known = power;
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
}

/// What a radio has of something; nothing of what it does not hear.
#[inline]
fn power_of(of: Source, radio: usize, budget: &LinkBudget, emitters: &[Emitter]) -> Milliwatts {
    match of {
        Source::Radio(from) | Source::OtherChannel(from) if budget.is_heard(from, radio) => {
            budget.power(from, radio)
        }
        Source::Radio(_) | Source::OtherChannel(_) => Milliwatts::ZERO,
        Source::Emitter(emitter) => emitters[emitter].at(radio).power,
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
