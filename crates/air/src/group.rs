//! Radios that sense the same: one carrier sense for all, and one count of slots for those who are
//! in step.

use dot11::SharedContention;
use units::Time;

use crate::budget::Reach;
use crate::listener::Listener;
use crate::next::Next;
use crate::reception::ReceptionOutcome;
use crate::receptions::Receptions;
use crate::sent::Transmission;
use crate::stations::Stations;

/// Radios that sense the same transmissions, their own included, and the same emitters.
#[derive(Debug)]
pub struct SensingGroup {
    number: u32,
    /// All of them, in order.
    members: Vec<u32>,
    /// Those of them that go their own way, in order.
    apart: Vec<u32>,
    /// What the others share; none where all go their own way.
    shared: Option<SharedContention>,
    /// Transmissions and emitters sensed now.
    carriers: u32,
}

/// A frame that ends.
pub struct EndedFrame<'a> {
    pub now: Time,
    pub from: usize,
    /// The row of the budget that it is of.
    pub row: usize,
    pub done: &'a Transmission,
    /// Whether nothing lay under it and nothing was said to damage it.
    pub is_plain: bool,
    /// Whether everyone who senses it has decoded it.
    pub is_certain: bool,
}

impl EndedFrame<'_> {
    /// Returns what a radio that goes its own way has of it; answers whether it is for it and was
    /// decoded.
    #[inline(always)]
    fn end_at(
        &self,
        radio: usize,
        listener: &mut Listener,
        turns_idle: bool,
        receptions: &mut Receptions,
        stations: &mut impl Stations,
    ) -> bool {
        let frame = &self.done.frame;
        let mut decoded = false;
        if radio == self.from {
            listener.end_transmission(radio, frame, stations);
        } else {
            let heard = heard(self, receptions, radio, listener.told, stations);
            if let Some(heard) = heard {
                decoded = listener.end_reception(self.now, radio, frame, heard, stations);
            }
        }
        if turns_idle {
            let random = stations.random(radio);
            listener.contention.on_idle(self.now, random);
        }
        decoded
    }

    /// Returns when a radio acts next. Nothing else is on the air behind a plain frame.
    #[inline(always)]
    fn acts_at(&self, radio: usize, listener: &Listener, receptions: &Receptions) -> Time {
        listener.acts_at(|| match self.is_plain {
            true => Time::NEVER,
            false => receptions.header_at(radio),
        })
    }
}

impl SensingGroup {
    /// Radios that hear nothing. With `in_step` they begin in step.
    pub fn new(
        number: u32,
        members: Vec<u32>,
        listeners: &mut [Listener],
        in_step: bool,
    ) -> SensingGroup {
        let shared = (members.first().filter(|_| in_step))
            .map(|&first| SharedContention::new(&listeners[first as usize].contention));
        for &radio in &members {
            let listener = &mut listeners[radio as usize];
            listener.group = number;
            listener.in_step =
                (shared.as_ref()).map(|shared| shared.from_the_start(&listener.contention));
        }
        SensingGroup {
            number,
            apart: if in_step { Vec::new() } else { members.clone() },
            members,
            shared,
            carriers: 0,
        }
    }

    /// One of them.
    pub fn first(&self) -> usize {
        self.members[0] as usize
    }

    /// Returns whether all go their own way.
    #[inline]
    pub fn is_apart(&self) -> bool {
        self.shared.is_none()
    }

    /// Has a radio go its own way.
    #[inline]
    pub fn take_apart(&mut self, radio: usize, listeners: &mut [Listener]) {
        let listener = &mut listeners[radio];
        if let (Some(own), Some(shared)) = (listener.in_step.take(), &mut self.shared) {
            let radio = radio as u32;
            listener.contention = shared.leave(radio, own);
            let place = self.apart.partition_point(|&other| other < radio);
            self.apart.insert(place, radio);
        }
    }

    /// Has one of them be a group of its own, if there are more.
    pub fn split(
        &mut self,
        number: u32,
        radio: usize,
        listeners: &mut [Listener],
    ) -> Option<SensingGroup> {
        if self.members.len() == 1 {
            return None;
        }
        self.take_apart(radio, listeners);
        let radio = radio as u32;
        self.members.retain(|&member| member != radio);
        self.apart.retain(|&member| member != radio);
        listeners[radio as usize].group = number;
        Some(SensingGroup {
            number,
            members: vec![radio],
            apart: vec![radio],
            shared: None,
            carriers: self.carriers,
        })
    }

    /// Who acts next, the lowest among equals, and when.
    #[inline]
    pub fn next(&self, listeners: &[Listener], receptions: &Receptions) -> Next {
        let mut next = Next::NOBODY;
        for &radio in &self.apart {
            let radio = radio as usize;
            let acts_at = listeners[radio].acts_at(|| receptions.header_at(radio));
            next = next.or_later(acts_at, radio);
        }
        self.next_of_all(next)
    }

    /// The sooner of those in step and of `apart`.
    #[inline]
    fn next_of_all(&self, apart: Next) -> Next {
        match self.shared.as_ref().and_then(SharedContention::next) {
            Some((at, radio)) => apart.or(at, radio as usize),
            None => apart,
        }
    }

    /// One more carrier is sensed; answers who acts next. `header_at` tells of a radio that awaits
    /// a response when the header of the frame ends that it receives.
    #[inline(always)]
    pub fn sense(
        &mut self,
        now: Time,
        listeners: &mut [Listener],
        header_at: impl Fn(usize) -> Time,
    ) -> Next {
        self.carriers += 1;
        let turns_busy = self.carriers == 1;
        if turns_busy && self.shared.is_some() {
            self.sense_in_step(now, listeners);
        }
        let mut next = Next::NOBODY;
        for &radio in &self.apart {
            let radio = radio as usize;
            let listener = &mut listeners[radio];
            let acts_at = listener.sense(now, turns_busy, || header_at(radio));
            next = next.or_later(acts_at, radio);
        }
        self.next_of_all(next)
    }

    /// The same of all radios there are, that go their own way.
    #[inline(always)]
    pub fn sense_together(
        &mut self,
        now: Time,
        listeners: &mut [Listener],
        header_at: impl Fn(usize) -> Time,
    ) -> Next {
        self.carriers += 1;
        let mut next = Next::NOBODY;
        for (radio, listener) in listeners.iter_mut().enumerate() {
            // Busy under an emitter already, it takes no notice.
            let acts_at = listener.sense(now, true, || header_at(radio));
            next = next.or_later(acts_at, radio);
        }
        next
    }

    fn sense_in_step(&mut self, now: Time, listeners: &mut [Listener]) {
        while let Some(radio) = self
            .shared
            .as_ref()
            .and_then(|shared| shared.committed(now))
        {
            self.take_apart(radio as usize, listeners);
        }
        if let Some(shared) = &mut self.shared {
            shared.on_busy(now);
        }
    }

    /// One carrier less is sensed; answers who acts next.
    pub fn sense_no_more(
        &mut self,
        now: Time,
        listeners: &mut [Listener],
        receptions: &Receptions,
        stations: &mut impl Stations,
    ) -> Next {
        self.carriers -= 1;
        if self.carriers == 0 {
            for &radio in &self.apart {
                let radio = radio as usize;
                listeners[radio]
                    .contention
                    .on_idle(now, stations.random(radio));
            }
            self.join(now, listeners);
        }
        self.next(listeners, receptions)
    }

    /// Those who differ no more fall into step.
    fn join(&mut self, now: Time, listeners: &mut [Listener]) {
        let Some(shared) = &mut self.shared else {
            return;
        };
        shared.on_idle(now);
        self.apart.retain(|&radio| {
            let listener = &mut listeners[radio as usize];
            if listener.monitored || listener.wake_at != Time::NEVER {
                return true;
            }
            listener.in_step = shared.join(now, radio, &listener.contention);
            listener.in_step.is_none()
        });
    }

    /// A frame ends that they sense, or one of them has sent: their receptions end, and one
    /// carrier less is sensed. Answers whether its addressee decoded it, and who acts next.
    #[inline]
    pub fn end(
        &mut self,
        ended: &EndedFrame<'_>,
        receptions: &mut Receptions,
        listeners: &mut [Listener],
        stations: &mut impl Stations,
    ) -> (bool, Next) {
        if self.shared.is_some() {
            self.end_in_step(ended, receptions, listeners, stations);
        }
        self.carriers -= 1;
        let turns_idle = self.carriers == 0;
        let mut decoded = false;
        let mut next = Next::NOBODY;
        for &radio in &self.apart {
            let radio = radio as usize;
            let listener = &mut listeners[radio];
            decoded |= ended.end_at(radio, listener, turns_idle, receptions, stations);
            listener.told = None;
            next = next.or_later(ended.acts_at(radio, listener, receptions), radio);
        }
        if turns_idle && self.shared.is_some() {
            self.join(ended.now, listeners);
            next = self.next(listeners, receptions);
        }
        (decoded, next)
    }

    /// The same of all radios there are, that go their own way.
    #[inline(always)]
    pub fn end_together(
        &mut self,
        ended: &EndedFrame<'_>,
        receptions: &mut Receptions,
        listeners: &mut [Listener],
        stations: &mut impl Stations,
    ) -> (bool, Next) {
        self.carriers -= 1;
        let turns_idle = self.carriers == 0;
        let mut decoded = false;
        let mut next = Next::NOBODY;
        for (radio, listener) in listeners.iter_mut().enumerate() {
            decoded |= ended.end_at(radio, listener, turns_idle, receptions, stations);
            next = next.or_later(ended.acts_at(radio, listener, receptions), radio);
        }
        (decoded, next)
    }

    /// Tells those in step what most of them have made of a frame; the others leave, and whom it
    /// is for.
    #[inline(never)]
    fn end_in_step(
        &mut self,
        ended: &EndedFrame<'_>,
        receptions: &mut Receptions,
        listeners: &mut [Listener],
        stations: &mut impl Stations,
    ) {
        let frame = &ended.done.frame;
        if frame.receiver.is_broadcast() {
            for at in 0..self.members.len() {
                self.take_apart(self.members[at] as usize, listeners);
            }
            return;
        }
        if let Some(to) = receptions.sent.addressee(frame)
            && listeners[to].group == self.number
        {
            self.take_apart(to, listeners);
        }
        let most = self.judge(ended, receptions, listeners, stations);
        let Some(shared) = &mut self.shared else {
            return;
        };
        match most {
            ReceptionOutcome::Frame => shared.on_overheard(ended.now, frame),
            ReceptionOutcome::Header => shared.on_garbled(ended.now, frame),
            ReceptionOutcome::Noise => {}
        }
    }

    /// Finds what most of those in step have made of a frame, and has the others leave.
    fn judge(
        &mut self,
        ended: &EndedFrame<'_>,
        receptions: &mut Receptions,
        listeners: &mut [Listener],
        stations: &mut impl Stations,
    ) -> ReceptionOutcome {
        let mut counts = [0; ReceptionOutcome::COUNT];
        let members = std::mem::take(&mut self.members);
        let doubtful = std::mem::take(&mut receptions.doubtful[ended.row]);
        let candidates = if ended.is_plain { &doubtful } else { &members };
        for &radio in candidates {
            let radio = radio as usize;
            if listeners[radio].group == self.number && listeners[radio].in_step.is_some() {
                let heard = heard(ended, receptions, radio, None, stations);
                let heard = heard.unwrap_or(ReceptionOutcome::Noise);
                listeners[radio].told = Some(heard);
                counts[heard as usize] += 1;
            }
        }
        let most = match counts {
            _ if ended.is_plain => ReceptionOutcome::Frame,
            [noise, header, frame] if frame >= noise && frame >= header => ReceptionOutcome::Frame,
            [noise, header, _] if header >= noise => ReceptionOutcome::Header,
            _ => ReceptionOutcome::Noise,
        };
        for &radio in candidates {
            let radio = radio as usize;
            let listener = &mut listeners[radio];
            if listener.group == self.number && listener.in_step.is_some() {
                if listener.told == Some(most) {
                    listener.told = None;
                } else {
                    self.take_apart(radio, listeners);
                }
            }
        }
        self.members = members;
        receptions.doubtful[ended.row] = doubtful;
        most
    }
}

/// What a radio has made of a frame; nothing if it was not synchronised on it.
// In line by order: it is asked for every radio that senses a frame.
#[inline(always)]
fn heard(
    ended: &EndedFrame<'_>,
    receptions: &mut Receptions,
    radio: usize,
    told: Option<ReceptionOutcome>,
    stations: &mut impl Stations,
) -> Option<ReceptionOutcome> {
    let from = ended.from;
    if ended.is_certain {
        return Some(ReceptionOutcome::Frame);
    }
    if ended.is_plain {
        if told.is_some() {
            return told;
        }
        match receptions.budget.reach(ended.row, radio) {
            Reach::Certain => return Some(ReceptionOutcome::Frame),
            Reach::Doubtful => {}
            Reach::Energy | Reach::Noise | Reach::Nothing => return None,
        }
    } else if told.is_some() {
        return told;
    } else if !receptions.release(radio, from) {
        return None;
    }
    if ended.done.frame.is_aggregate() {
        return Some(heard_mpdus(ended, receptions, radio, stations));
    }
    let random = stations.random(radio);
    Some(receptions.heard(from, ended.done, radio, random))
}

/// Returns what a radio has made of an aggregate.
#[cold]
#[inline(never)]
fn heard_mpdus(
    ended: &EndedFrame<'_>,
    receptions: &mut Receptions,
    radio: usize,
    stations: &mut impl Stations,
) -> ReceptionOutcome {
    receptions.take_mpdus(ended.done, stations.mpdus(ended.from));
    let random = stations.random(radio);
    let (heard, decoded) = receptions.heard_mpdus(ended.from, ended.done, radio, random);
    if heard == ReceptionOutcome::Frame
        && receptions.sent.addressee(&ended.done.frame) == Some(radio)
    {
        stations.on_decoded(radio, decoded);
    }
    heard
}
