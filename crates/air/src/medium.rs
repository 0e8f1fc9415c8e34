//! The medium: transmissions from their first bit to their last, at every radio that hears them.

#[cfg(test)]
mod alone_tests;
mod emitting;
mod grouping;

use dot11::{Address, Contention, Frame};
use units::{Milliwatts, Time};

use crate::budget::LinkBudget;
use crate::capture::Capture;
use crate::emitter::Emitter;
use crate::group::{EndedFrame, SensingGroup};
use crate::listener::Listener;
use crate::next::{Firsts, Next};
use crate::receptions::Receptions;
use crate::sent::Transmission;
use crate::stations::Stations;

/// The air with all its radios.
#[derive(Debug)]
pub struct Medium {
    listeners: Vec<Listener>,
    receptions: Receptions,
    groups: Vec<SensingGroup>,
    /// Whether any of them shares what it waits for.
    shares: bool,
    /// Whether all radios sense the same for ever, and can receive it, each going its own way.
    is_simple: bool,
    /// Radios that sense a sender and did not, or the other way round.
    to_split: Vec<u32>,
    /// By row of the budget: the groups that sense its frames, the sender's own among them.
    sensing: Vec<Vec<u32>>,
    /// Of each group, who acts next; of all, if it is known.
    firsts: Firsts,
    next: Option<Next>,
    /// The group whose first is not known.
    stale: Option<u32>,
}

impl Medium {
    /// A silent channel with the radios of `stations`: each one's address and its carrier
    /// sense.
    ///
    /// # Panics
    /// When the budget is for another number of radios.
    pub fn new(
        budget: LinkBudget,
        emitters: Vec<Emitter>,
        stations: impl Iterator<Item = (Address, Contention)>,
    ) -> Self {
        Medium::grouped(budget, emitters, stations, grouping::SHARED_FROM)
    }

    /// The same with receivers that leave a frame for another one as `capture` says, and not only
    /// before they have detected it.
    #[must_use]
    pub fn capturing(mut self, capture: Capture) -> Self {
        self.receptions.capture = capture;
        self
    }

    /// Lets the station of a radio change its carrier sense and backoff, as when it gets
    /// something to send; it answers what it likes.
    #[inline]
    pub fn change<T>(&mut self, radio: usize, change: impl FnOnce(&mut Contention) -> T) -> T {
        self.take_apart(radio);
        let answer = change(&mut self.listeners[radio].contention);
        self.look_for_next_after_change_of(radio);
        answer
    }

    #[inline]
    fn take_apart(&mut self, radio: usize) {
        if self.shares && self.listeners[radio].in_step.is_some() {
            let group = &mut self.groups[self.listeners[radio].group as usize];
            group.take_apart(radio, &mut self.listeners);
        }
    }

    /// Returns whether all radios sense the same, as in most worlds. Who acts next is then known as
    /// soon as the medium changes.
    #[inline]
    fn is_one_group(&self) -> bool {
        self.groups.len() == 1
    }

    /// Who acts next once a radio has changed, which can mostly be told without asking all others.
    #[inline]
    fn look_for_next_after_change_of(&mut self, radio: usize) {
        let Some(next) = self.next.filter(|_| self.is_one_group()) else {
            return self.group_changes(radio);
        };
        let at = self.listeners[radio].acts_at(|| self.receptions.header_at(radio));
        if at < next.at || (at == next.at && radio <= next.radio) {
            self.next = Some(Next { at, radio });
        } else if radio == next.radio {
            self.next = None;
        }
    }

    /// The first of a radio's group is not known from here on.
    fn group_changes(&mut self, radio: usize) {
        self.next = None;
        let group = self.listeners[radio].group;
        if self.stale != Some(group) {
            self.freshen();
            self.stale = Some(group);
        }
    }

    fn freshen(&mut self) {
        if let Some(group) = self.stale.take() {
            let group = group as usize;
            let next = self.groups[group].next(&self.listeners, &self.receptions);
            self.firsts.set(group, next);
        }
    }

    /// Returns whether a radio whose station awaits a response is in the middle of a reception, the
    /// PLCP header behind it.
    #[inline]
    pub fn receives_a_response(&self, now: Time, radio: usize) -> bool {
        let awaits = self.listeners[radio].contention.awaits_response();
        awaits && self.receptions.header_at(radio) <= now
    }

    /// Lets the station of a radio act; it answers when it wants to be woken, and what it likes.
    #[inline]
    pub fn act<T>(&mut self, radio: usize, act: impl FnOnce(&mut Contention) -> (Time, T)) -> T {
        self.take_apart(radio);
        let listener = &mut self.listeners[radio];
        let (wake_at, answer) = act(&mut listener.contention);
        listener.wake_at = wake_at;
        if self.is_one_group() {
            self.next = None;
        } else {
            self.group_changes(radio);
        }
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

    fn find_next(&mut self) -> Next {
        let next = match &self.groups[..] {
            [group] => group.next(&self.listeners, &self.receptions),
            _ => {
                self.freshen();
                self.firsts.first()
            }
        };
        self.next = Some(next);
        next
    }

    /// The powers between the radios.
    pub fn budget(&self) -> &LinkBudget {
        &self.receptions.budget
    }

    /// Returns what one radio received of the last frame of another.
    pub fn power(&mut self, from: usize, to: usize) -> Milliwatts {
        self.receptions.budget.power(from, to)
    }

    /// Returns what one radio would receive of another now. Time must not go back.
    pub fn power_now(&mut self, now: Time, from: usize, to: usize) -> Milliwatts {
        self.receptions.budget.power_now(now, from, to)
    }

    /// Has a radio that is tunable be on another channel, as [`LinkBudget::tune`] says. What it
    /// receives when it goes it receives to the end.
    pub fn tune(&mut self, radio: usize, channel: u16, change: impl Fn(usize, usize) -> f64) {
        self.receptions.budget.tune(radio, channel, change);
    }

    /// Reports every reception of `radio`, whoever the frame is for.
    pub fn monitor(&mut self, radio: usize) {
        self.take_apart(radio);
        self.listeners[radio].monitored = true;
    }

    /// The frames on the air: of each the radio that sends it, and its first bit.
    pub fn on_air(&self) -> impl Iterator<Item = (usize, Frame, Time)> {
        let all = self.receptions.sent.all();
        all.map(|(from, sent)| (from, sent.frame, sent.start))
    }

    /// Puts the first bit of `frame` on the air.
    pub fn begin(&mut self, now: Time, from: usize, frame: &Frame) {
        let is_alone = self.receptions.sent.admit(now, from, frame);
        if is_alone && self.is_simple {
            self.begin_at_all(now, from, frame);
        } else {
            self.begin_with_care(now, from, frame, is_alone);
        }
    }

    /// Lets all radios sense a frame that is alone on the air. All can receive it, and there is one
    /// header to receive.
    #[inline(always)]
    fn begin_at_all(&mut self, now: Time, from: usize, frame: &Frame) {
        let header_at = now + frame.plcp_time();
        let receives = |radio| {
            if radio == from {
                Time::NEVER
            } else {
                header_at
            }
        };
        let group = &mut self.groups[0];
        let next = group.sense_together(now, &mut self.listeners, receives);
        self.next = Some(next);
    }

    #[inline(never)]
    fn begin_with_care(&mut self, now: Time, from: usize, frame: &Frame, is_alone: bool) {
        self.renew(now, from);
        if !is_alone {
            self.receptions.leave_alone(from);
            self.receptions.begin_among_others(now, from);
        } else if let [group] = &self.groups[..]
            && group.is_apart()
            && self
                .receptions
                .is_received_by_all(self.receptions.row(from))
        {
            return self.begin_at_all(now, from, frame);
        }
        self.sense(now, from);
    }

    /// Finds how a frame that begins now reaches each radio. Who senses it from now on, or no
    /// more, is no longer among those who have sensed the same.
    fn renew(&mut self, now: Time, from: usize) {
        self.receptions.renew(now, from, &mut self.to_split);
        if self.to_split.is_empty() {
            return;
        }
        while let Some(radio) = self.to_split.pop() {
            self.split(radio as usize);
        }
        let rows = self.receptions.budget.rows_of(from);
        rows.for_each(|row| self.find_sensing(row));
        self.next = None;
    }

    /// Has the frame that a radio has just begun arrive damaged everywhere. It is sensed as any
    /// other; whoever reads its PLCP header finds its check sequence wrong at its end.
    pub fn damage(&mut self, from: usize) {
        self.receptions.sent.damage(from);
    }

    fn sense(&mut self, now: Time, from: usize) {
        self.take_apart(from);
        let receptions = &self.receptions;
        for &group in &self.sensing[receptions.row(from)] {
            let group = group as usize;
            let header_at = |radio| receptions.header_at(radio);
            let next = self.groups[group].sense(now, &mut self.listeners, header_at);
            self.firsts.set(group, next);
        }
        self.all_is_known();
    }

    /// The groups that sense the sender know who acts next, its own among them.
    fn all_is_known(&mut self) {
        self.stale = None;
        self.next = self.is_one_group().then(|| self.firsts.first());
    }

    /// Takes the frame of a radio off the air, to be ended at once.
    ///
    /// # Panics
    /// When the radio has nothing on the air.
    #[inline]
    pub fn withdraw(&mut self, from: usize) -> Transmission {
        self.receptions.sent.withdraw(from)
    }

    /// Ends a frame that has been withdrawn, and notes how it fared. Its receptions end and the
    /// stations they concern hear of it; then carrier sense lets go, and radios that now hear
    /// nothing start their countdowns.
    pub fn end(
        &mut self,
        now: Time,
        from: usize,
        done: &mut Transmission,
        stations: &mut impl Stations,
    ) {
        let is_plain = self.receptions.end(now, from, done);
        let is_missed = !is_plain && self.receptions.is_missed(from, done);
        let row = self.receptions.budget.row(from, done.frame.mode());
        let ended = EndedFrame {
            now,
            from,
            row,
            done,
            is_plain,
            is_certain: is_plain && self.receptions.is_certain_of(row),
        };
        let decoded = match &mut self.groups[..] {
            [group] if group.is_apart() => {
                let (listeners, receptions) = (&mut self.listeners, &mut self.receptions);
                let (decoded, next) = group.end_together(&ended, receptions, listeners, stations);
                self.next = Some(next);
                decoded
            }
            _ => self.end_at_all(&ended, stations),
        };
        done.decoded = decoded || (done.frame.receiver.is_broadcast() && !done.damaged);
        done.collision = done.overlaps.collision(done.decoded, is_missed);
    }

    #[inline(never)]
    fn end_at_all(&mut self, ended: &EndedFrame<'_>, stations: &mut impl Stations) -> bool {
        let mut decoded_by_addressee = false;
        for &group in &self.sensing[ended.row] {
            let group = group as usize;
            let (listeners, receptions) = (&mut self.listeners, &mut self.receptions);
            let (decoded, next) = self.groups[group].end(ended, receptions, listeners, stations);
            decoded_by_addressee |= decoded;
            self.firsts.set(group, next);
        }
        self.all_is_known();
        decoded_by_addressee
    }
}
