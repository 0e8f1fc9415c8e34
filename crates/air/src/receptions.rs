//! What receivers are synchronised on, and what they have made of a frame at its end.
//!
//! A receiver synchronises on a preamble that it finds; [`Capture`] says beneath what it does, and
//! for what it leaves another frame. What lies under a frame is worked out at its end, at those receivers that are synchronised on
//! it: until then, a frame or a burst that nobody senses costs nothing.

use dot11::{Address, Decoded, Frame};
use units::{Db, Duration, Milliwatts, Time};

use crate::budget::{LinkBudget, PowerRule, Reach};
use crate::capture::{Capture, Needed, Until};
use crate::emitter::Emitter;
use crate::ending::{Ending, RadiationSource};
use crate::reception::ReceptionOutcome;
use crate::sent::{Past, Transmission, TransmissionsOnAir};
use crate::stations::{ReceptionRandom, Rewindable};
use crate::undisturbed::Shapes;

/// All receivers.
#[derive(Debug)]
pub struct Receptions {
    pub budget: LinkBudget,
    pub sent: TransmissionsOnAir,
    pub emitters: Vec<Emitter>,
    /// By radio, who sends the frame it is synchronised on. A receiver that does not turn to another
    /// stays with its frame to the end, even if it could not read the header: what begins
    /// meanwhile is interference to it.
    locks: Vec<Option<u32>>,
    /// By row of the budget: who senses its frames, in order, who of them can synchronise on them,
    /// and who of them may err in silence.
    pub sensed_by: Vec<Vec<u32>>,
    received_by: Vec<Vec<u32>>,
    pub doubtful: Vec<Vec<u32>>,
    /// Whether nobody errs in silence, nothing radiates and nothing varies.
    pub is_certain: bool,
    /// How long it takes to detect a preamble.
    detection: Duration,
    pub capture: Capture,
    /// Who has been on the air for longer than that, on the channel of the frame that begins.
    older: Vec<u32>,
    shapes: Shapes,
    ending: Ending,
}

impl Receptions {
    /// Receivers of these addresses that hear nothing.
    pub fn new(
        budget: LinkBudget,
        emitters: Vec<Emitter>,
        addresses: &[Address],
        detection: Duration,
    ) -> Receptions {
        let (radios, rows) = (budget.radios(), budget.rows());
        let mut receptions = Receptions {
            sent: TransmissionsOnAir::new(&budget, addresses),
            shapes: Shapes::none(budget.noise(), budget.error_model()),
            ending: Ending::nothing(budget.noise(), budget.error_model()),
            locks: vec![None; radios],
            sensed_by: vec![Vec::new(); rows],
            received_by: vec![Vec::new(); rows],
            doubtful: vec![Vec::new(); rows],
            is_certain: false,
            budget,
            emitters,
            detection,
            capture: Capture::new(Until::Detection, Db(0.0), Db(0.0)),
            older: Vec::new(),
        };
        (0..rows).for_each(|row| receptions.list_who_senses(row));
        let is_doubtful = receptions.doubtful.iter().any(|those| !those.is_empty());
        let is_fixed = receptions.emitters.is_empty() && !receptions.budget.varies();
        receptions.is_certain = is_fixed && !is_doubtful;
        receptions
    }

    /// Returns when the PLCP header of the frame that a radio receives ends; `NEVER` without one.
    pub fn header_at(&self, radio: usize) -> Time {
        let lock = match self.sent.domain(radio).alone {
            Some(from) => {
                let is_received = self.budget.is_received(self.row(from as usize), radio);
                (from as usize != radio && is_received).then_some(from)
            }
            None => self.locks[radio],
        };
        lock.map_or(Time::NEVER, |from| {
            self.sent.from(from as usize).header_at()
        })
    }

    /// Returns whether all but the sender can synchronise on the frames of a row.
    pub fn is_received_by_all(&self, row: usize) -> bool {
        self.received_by[row].len() + 1 == self.budget.radios()
    }

    /// The row of the frame that a radio has on the air.
    #[inline]
    pub fn row(&self, from: usize) -> usize {
        self.budget.row(from, self.sent.from(from).frame.mode())
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
            let rows = self.budget.rows_of(from);
            rows.for_each(|row| self.list_who_senses(row));
        }
    }

    fn list_who_senses(&mut self, row: usize) {
        let from = self.budget.sender(row);
        let lists = [
            &mut self.sensed_by[row],
            &mut self.received_by[row],
            &mut self.doubtful[row],
        ];
        let [sensed_by, received_by, doubtful] = lists.map(|list| {
            list.clear();
            list
        });
        for to in (0..self.budget.radios()).filter(|&to| to != from) {
            let reach = self.budget.reach(row, to);
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
            self.lock_all_on(first, self.row(first));
        }
    }

    fn lock_all_on(&mut self, from: usize, row: usize) {
        for &to in &self.received_by[row] {
            self.locks[to as usize] = Some(from as u32);
        }
    }

    #[inline(never)]
    pub fn begin_among_others(&mut self, now: Time, from: usize) {
        self.sent.overlap(from, &mut self.budget);
        self.locks[from] = None;
        self.list_older(now, from);
        let row = self.row(from);
        let received_by = std::mem::take(&mut self.received_by[row]);
        // Most receivers are on the same frame.
        let mut asked = (None, None);
        for &to in &received_by {
            let radio = to as usize;
            let lock = self.locks[radio];
            let turns = match lock {
                None => !self.sent.is_sending(radio),
                Some(on) => {
                    if asked.0 != lock {
                        asked = (lock, self.needed(now, on as usize));
                    }
                    asked
                        .1
                        .is_some_and(|needed| self.turns(needed, radio, on as usize, from))
                }
            };
            if turns && self.stands_out(from, radio) {
                self.locks[radio] = Some(from as u32);
            }
        }
        self.received_by[row] = received_by;
    }

    fn list_older(&mut self, now: Time, from: usize) {
        let (sent, budget) = (&self.sent, &self.budget);
        let is_older = |&&other: &&usize| {
            now - sent.from(other).start > self.detection && budget.is_one_channel(from, other)
        };
        let older = sent.domain(from).on_air.iter().filter(is_older);
        self.older.clear();
        self.older.extend(older.map(|&other| other as u32));
    }

    /// Returns whether a frame that begins now is detected by a receiver beneath all that is older.
    ///
    /// One that decides by thresholds detects it whatever there is.
    #[inline]
    fn stands_out(&mut self, from: usize, radio: usize) -> bool {
        if self.older.is_empty() || self.budget.rule().is_some() {
            return true;
        }
        let (budget, older) = (&mut self.budget, &self.older);
        if budget.varies() {
            let [least, most] = budget.bounds(from, radio);
            let over = older.iter().fold([0.0; 2], |[fewest, all], &other| {
                let [less, more] = budget.heard_bounds(other as usize, radio);
                [fewest + less.0, all + more.0]
            });
            let is_at_least = self.capture.is_detected(least, Milliwatts(over[1]));
            if is_at_least == self.capture.is_detected(most, Milliwatts(over[0])) {
                return is_at_least;
            }
        }
        let over = older.iter().fold(0.0, |sum, &other| {
            sum + budget.heard_power(other as usize, radio).0
        });
        let power = budget.power(from, radio);
        self.capture.is_detected(power, Milliwatts(over))
    }

    /// Returns what a frame that begins now needs to turn a receiver from that of a radio.
    ///
    /// One that decides by thresholds stays with what it has, always.
    fn needed(&self, now: Time, on: usize) -> Option<Needed> {
        if self.budget.rule().is_some() {
            return None;
        }
        let sent = self.sent.from(on);
        let (since, header) = (now - sent.start, sent.frame.plcp_time());
        self.capture.needed(since, self.detection, header)
    }

    /// Returns whether a receiver turns from the frame of one radio to another's that begins now.
    #[inline]
    fn turns(&mut self, needed: Needed, radio: usize, on: usize, to: usize) -> bool {
        if self.budget.varies() {
            let [[has_least, has_most], [comes_least, comes_most]] =
                [on, to].map(|from| self.budget.bounds(from, radio));
            if needed.is_met(has_least, comes_most) == needed.is_met(has_most, comes_least) {
                return needed.is_met(has_least, comes_most);
            }
        }
        let [has, comes] = [on, to].map(|from| self.budget.power(from, radio));
        needed.is_met(has, comes)
    }

    /// Returns whether nobody errs in silence who senses the frames of a row.
    #[inline]
    pub fn is_certain_of(&self, row: usize) -> bool {
        self.is_certain || self.doubtful[row].is_empty()
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
        self.ending.begin(done.start, now);
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
        let is_plain = self.ending.is_undisturbed() && !done.damaged;
        if !is_plain {
            self.lock_all_on(from, self.budget.row(from, done.frame.mode()));
        }
        is_plain
    }

    fn list_what_was_under(&mut self, now: Time, from: usize, done: &Transmission) {
        let ending = &mut self.ending;
        let start = done.start;
        let domain = self.sent.domain(from);
        // Whoever receives the frame is on its sender's channel.
        let source = |other| match self.budget.is_one_channel(from, other) {
            true => RadiationSource::Radio(other),
            false => RadiationSource::OtherChannel(other),
        };
        for &other in domain.on_air.iter().filter(|&&other| other != from) {
            ending.lies_under(source(other), self.sent.from(other).start, now);
        }
        for past in domain.past.iter().filter(|past| past.end > start) {
            ending.lies_under(source(past.from), past.start, past.end);
        }
        for (emitter, of) in self.emitters.iter().enumerate() {
            ending.lie_under(RadiationSource::Emitter(emitter), of.between(start, now));
        }
    }

    /// Returns whether the addressee of a frame that ends could have received it, and is not
    /// synchronised on it.
    pub fn is_missed(&self, from: usize, done: &Transmission) -> bool {
        let row = self.budget.row(from, done.frame.mode());
        (self.sent.addressee(&done.frame)).is_some_and(|to| {
            self.budget.is_received(row, to) && self.locks[to] != Some(from as u32)
        })
    }

    /// Lets a receiver go that is synchronised on the frame of a radio, which has ended; answers
    /// whether it was.
    #[inline]
    pub fn release(&mut self, radio: usize, from: usize) -> bool {
        let lock = &mut self.locks[radio];
        let was = *lock == Some(from as u32);
        if was {
            *lock = None;
        }
        was
    }

    /// Returns what a radio that is synchronised on a frame has heard of it, once somebody has
    /// looked at what lies under it.
    #[inline(never)]
    pub fn heard(
        &mut self,
        from: usize,
        done: &Transmission,
        radio: usize,
        random: &mut impl ReceptionRandom,
    ) -> ReceptionOutcome {
        if let Some(rule) = self.budget.rule() {
            return self.heard_by(rule, from, done, radio);
        }
        let heard = if self.budget.varies() {
            self.heard_within_bounds(from, &done.frame, radio, random)
        } else {
            self.ending.take_apart(&done.frame);
            self.look_at_powers(from, radio);
            match self.ending.is_crowded() {
                true => self.heard_in_a_crowd(random),
                false => self.ending.heard(random),
            }
        };
        // A damaged frame takes the draws of a sound one, so that it shifts nobody else's.
        match heard {
            ReceptionOutcome::Frame if done.damaged => ReceptionOutcome::Header,
            heard => heard,
        }
    }

    /// Takes an aggregate that has ended to its MPDUs.
    pub fn take_mpdus(&mut self, done: &Transmission, lengths: impl Iterator<Item = u16>) {
        self.ending.take_mpdus(&done.frame, lengths);
    }

    /// Returns what a radio that is synchronised on an aggregate has heard of it, each MPDU for
    /// itself. Whom it is not for it tells the same in all of them, so one is enough.
    #[inline(never)]
    pub fn heard_mpdus(
        &mut self,
        from: usize,
        done: &Transmission,
        radio: usize,
        random: &mut impl ReceptionRandom,
    ) -> (ReceptionOutcome, Decoded) {
        let decoded = match self.budget.rule() {
            Some(rule) => match self.heard_by(rule, from, done, radio) {
                ReceptionOutcome::Frame => Some(Decoded::ALL),
                _ => Some(Decoded::NONE),
            },
            None => {
                let is_for_it = self.sent.addressee(&done.frame) == Some(radio);
                let enough = if is_for_it { usize::MAX } else { 1 };
                self.ending.take_apart(&done.frame);
                self.look_at_powers(from, radio);
                self.ending.heard_mpdus(enough, random)
            }
        };
        match decoded {
            None => (ReceptionOutcome::Noise, Decoded::NONE),
            Some(decoded) if decoded.any() && !done.damaged => (ReceptionOutcome::Frame, decoded),
            Some(_) => (ReceptionOutcome::Header, Decoded::NONE),
        }
    }

    #[inline(never)]
    fn heard_in_a_crowd(&mut self, random: &mut impl ReceptionRandom) -> ReceptionOutcome {
        let mut random = Rewindable::new(random);
        if let Some(heard) = self.ending.heard_under_others(&mut random) {
            return heard;
        }
        random.rewind();
        self.ending.heard(&mut random)
    }

    #[inline(always)]
    fn look_at_powers(&mut self, from: usize, radio: usize) {
        let (budget, emitters) = (&mut self.budget, &self.emitters);
        let power = budget.power(from, radio);
        (self.ending).look_exactly(power, |of| power_of(of, radio, budget, emitters));
    }

    /// The same where powers vary, which are asked for last of all.
    #[inline(never)]
    fn heard_within_bounds(
        &mut self,
        from: usize,
        frame: &Frame,
        radio: usize,
        random: &mut impl ReceptionRandom,
    ) -> ReceptionOutcome {
        let (budget, ending, emitters) = (&self.budget, &mut self.ending, &self.emitters);
        ending.take_apart_within_bounds(frame, &mut self.shapes);
        let power = budget.bounds(from, radio);
        let undisturbed = ending.undisturbed();
        if let Some(heard) = undisturbed.and_then(|of| of.surely(power)) {
            return heard;
        }
        let mut random = Rewindable::new(random);
        if let Some(heard) = undisturbed.and_then(|of| of.heard(power, &mut random)) {
            return heard;
        }
        random.rewind();
        ending.look(power, |of| match of {
            RadiationSource::Radio(from) | RadiationSource::OtherChannel(from) => {
                budget.heard_bounds(from, radio)
            }
            RadiationSource::Emitter(emitter) => [emitters[emitter].at(radio).power; 2],
        });
        if let Some(heard) = ending.heard_under_others(&mut random) {
            return heard;
        }
        random.rewind();
        if !ending.is_exact() {
            self.look_at_powers(from, radio);
        }
        self.ending.heard(&mut random)
    }

    /// The same where powers alone decide. What nobody senses disturbs nothing, and what is not
    /// decoded was a frame all the same.
    fn heard_by(
        &mut self,
        rule: PowerRule,
        from: usize,
        done: &Transmission,
        radio: usize,
    ) -> ReceptionOutcome {
        let (budget, emitters) = (&mut self.budget, &self.emitters);
        let signal = budget.power(from, radio);
        let is_over = |of| match of {
            RadiationSource::Radio(other) if !budget.is_sensed(other, radio) => true,
            of => {
                let power = power_of(of, radio, budget, emitters);
                signal.0 >= rule.capture * power.0
            }
        };
        let is_heard = signal >= rule.receive && self.ending.sources().all(is_over);
        match is_heard && !done.damaged {
            true => ReceptionOutcome::Frame,
            false => ReceptionOutcome::Header,
        }
    }
}

/// Returns what a radio has of something; nothing of what it does not hear.
#[inline]
fn power_of(
    of: RadiationSource,
    radio: usize,
    budget: &mut LinkBudget,
    emitters: &[Emitter],
) -> Milliwatts {
    match of {
        RadiationSource::Radio(from) | RadiationSource::OtherChannel(from) => {
            budget.heard_power(from, radio)
        }
        RadiationSource::Emitter(emitter) => emitters[emitter].at(radio).power,
    }
}

/// Returns whether a frame may be for a radio by its address.
#[inline]
pub fn is_for(frame: &Frame, address: Address) -> bool {
    frame.receiver == address || frame.receiver.is_broadcast()
}
