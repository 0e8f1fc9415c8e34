//! Asking for agreements, answering and ending them: action frames of block acknowledgment
//! (IEEE 802.11-2020, 9.6.4, 10.25.2, 10.25.5).

use units::{Duration, Time};

use super::Aggregation;
use super::consent::{Agreements, Consent};
use crate::category::Category;
use crate::contention::{Contention, Draw};
use crate::frame::{Address, DATA_HEADER_BYTES, FCS_BYTES, Frame, FrameKind};
use crate::mac::Mac;

/// Content of an action frame about an agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negotiation {
    /// ADDBA request: so many MPDUs are to be under way at once, from this sequence number on.
    Request {
        /// How many.
        window: u16,
        /// The number.
        start: u16,
    },
    /// ADDBA response: so many may be; none is a refusal.
    Response {
        /// How many.
        window: Option<u16>,
    },
    /// DELBA: the originator needs the agreement no longer.
    End,
}

/// The category of such action frames, and what each of them is (IEEE 802.11-2020, Tables 9-51 and
/// 9-369).
const BLOCK_ACK: u8 = 3;
const ADDBA_REQUEST: u8 = 0;
const ADDBA_RESPONSE: u8 = 1;
const DELBA: u8 = 2;

/// MPDUs may be A-MSDUs, and block acknowledgment is immediate (9.4.1.14); the originator ends it
/// (9.4.1.15) because it was of no use for too long (Table 9-49).
const TAKES_A_MSDUS: u16 = 1;
const IMMEDIATE: u16 = 1 << 1;
const BY_ORIGINATOR: u16 = 1 << 11;
const TIMEOUT: u16 = 39;

/// Status codes of answers (IEEE 802.11-2020, Table 9-50).
const SUCCESS: u16 = 0;
const DECLINED: u16 = 37;

/// The number by which an answer names its request; one request is under way at a time.
const DIALOG_TOKEN: u8 = 1;

impl Negotiation {
    /// The body of the action frame, for packets of a category.
    pub fn body(self, category: Category) -> Vec<u8> {
        let tid = u16::from(category.traffic_identifier());
        let parameters = |window: u16| TAKES_A_MSDUS | IMMEDIATE | tid << 2 | window << 6;
        // No timeout is asked for: who sent first ends it.
        let (action, fields) = match self {
            Negotiation::Request { window, start } => {
                (ADDBA_REQUEST, vec![parameters(window), 0, start << 4])
            }
            Negotiation::Response { window } => {
                let status = if window.is_some() { SUCCESS } else { DECLINED };
                let window = window.unwrap_or(0);
                (ADDBA_RESPONSE, vec![status, parameters(window), 0])
            }
            Negotiation::End => (DELBA, vec![BY_ORIGINATOR | tid << 12, TIMEOUT]),
        };
        let mut body = vec![BLOCK_ACK, action];
        body.extend((action != DELBA).then_some(DIALOG_TOKEN));
        body.extend(fields.into_iter().flat_map(u16::to_le_bytes));
        body
    }

    /// The length of that.
    const fn bytes(self) -> u16 {
        match self {
            Negotiation::Request { .. } | Negotiation::Response { .. } => 9,
            Negotiation::End => 6,
        }
    }
}

/// Something to be said to a station, and how often that was tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notice {
    to: Address,
    what: Negotiation,
    sequence: u16,
    attempts: u8,
}

impl Aggregation {
    /// Has something said to a station, unless that is under way already.
    fn say(&mut self, to: Address, what: Negotiation) {
        let is_same = |notice: &Notice| notice.to == to && notice.what == what;
        if !self.notices.iter().any(is_same) {
            self.notices.push_back(Notice {
                to,
                what,
                sequence: 0,
                attempts: 0,
            });
        }
    }

    /// A station has left: what was agreed with it is no more.
    pub(super) fn part_with(&mut self, receiver: Address) {
        self.notices.retain(|notice| notice.to != receiver);
        self.session(receiver).consent = Consent::NONE;
    }

    /// MPDUs that a receiver has agreed to.
    fn agreed_with(&self, receiver: Address) -> u16 {
        let session = self.sessions.get(usize::from(receiver.0));
        session
            .and_then(Option::as_deref)
            .map_or(1, |session| session.consent.window())
    }

    /// An agreement is of use now, and may not be for as long as it then lasts.
    fn watch_for_idleness(&mut self, now: Time) {
        let lasts = self.agreement.aggregation.idle_ns;
        if lasts > Duration::ZERO {
            self.due_at = self.due_at.min(now + lasts);
        }
    }

    /// Ends agreements that have been of no use for as long as they last.
    fn end_idle(&mut self, now: Time) {
        let lasts = self.agreement.aggregation.idle_ns;
        if lasts == Duration::ZERO {
            return;
        }
        let mut ended = Vec::new();
        for (session, address) in self.sessions.iter_mut().zip(0..) {
            let Some(session) = session.as_deref_mut().filter(|own| own.consent.stands()) else {
                continue;
            };
            let is_in_use = session.is_in_flight() || !session.waiting.is_empty();
            let used_at = if is_in_use {
                now
            } else {
                session.consent.used_at
            };
            match used_at + lasts {
                ends_at if ends_at > now => self.due_at = self.due_at.min(ends_at),
                _ => {
                    session.consent = Consent::NONE;
                    ended.push(Address(address));
                }
            }
        }
        for receiver in ended {
            self.say(receiver, Negotiation::End);
        }
    }
}

impl Mac {
    /// Returns what the station's action frame on the air says of an agreement.
    pub fn negotiates(&self) -> Option<Negotiation> {
        let own = self.aggregation.as_deref()?;
        own.notices.front().map(|notice| notice.what)
    }

    /// MPDUs that may be under way to a receiver at once.
    pub(in crate::mac) fn window_to(&self, receiver: Address) -> u16 {
        let Some(config) = self.agreement_with(receiver).map(|own| own.aggregation) else {
            return 1;
        };
        match config.agreements {
            Agreements::Standing => config.window,
            Agreements::Negotiated => {
                let own = self.aggregation.as_deref();
                let agreed = own.map_or(1, |own| own.agreed_with(receiver));
                agreed.min(config.window)
            }
        }
    }

    /// Asks a receiver for an agreement, if one is wanted and it is time for that. mac80211 wants
    /// none for voice, and starts one with the first packet of other categories
    /// (`ieee80211_aggr_check`). Until the answer comes, MPDUs go one at a time. [simplified:
    /// mac80211 holds them back for that time, some hundred microseconds]
    pub(super) fn asks(&mut self, now: Time, receiver: Address) -> bool {
        let Some(config) = self.agreement_with(receiver).map(|own| own.aggregation) else {
            return false;
        };
        let is_of_voice = (self.config.edca).is_some_and(|own| own.category == Category::Voice);
        let is_wanted = config.agreements == Agreements::Negotiated
            && config.window > 1
            && config.ampdu_bytes > 0
            && !is_of_voice;
        let Some(own) = self.aggregation.as_deref_mut().filter(|_| is_wanted) else {
            return false;
        };
        let session = own.session(receiver);
        if !session.consent.is_to_be_asked_for(now) {
            return false;
        }
        session.consent.ask(now);
        let start = session.start();
        let window = config.window;
        own.say(receiver, Negotiation::Request { window, start });
        true
    }

    /// Opens the exchange of what is to be said of an agreement, at the rate of beacons like all
    /// management frames.
    pub(super) fn open_negotiation(&mut self) -> bool {
        let own = self.aggregation.as_deref();
        let Some(notice) = own.and_then(|own| own.notices.front()).copied() else {
            return false;
        };
        let retry = notice.attempts > 0;
        let notice = Notice {
            sequence: if retry {
                notice.sequence
            } else {
                self.sequence()
            },
            attempts: notice.attempts.saturating_add(1),
            ..notice
        };
        if let Some(own) = self.aggregation.as_deref_mut() {
            own.notices[0] = notice;
            own.serves = Some(notice.to);
        }
        let vector = self.broadcast;
        let body_bytes = notice.what.bytes();
        self.counters.action_frames += 1;
        self.frame = Frame {
            sequence: notice.sequence,
            bytes: DATA_HEADER_BYTES + body_bytes + FCS_BYTES,
            body_bytes,
            duration: self.exchanges[vector.mode].last_duration,
            retry,
            ..Frame::control(FrameKind::Action, self.address, notice.to, vector)
        };
        true
    }

    /// What was said of an agreement has come to its receiver, or not; tried often enough in vain,
    /// it is said no more.
    pub(super) fn settle_negotiation(&mut self, receiver: Address, has_come: bool) {
        let limit = self.limits_of(receiver).short;
        let Some(own) = self.aggregation.as_deref_mut() else {
            return;
        };
        let is_over = |notice: &Notice| has_come || notice.attempts >= limit;
        if !own.notices.front().is_some_and(is_over) {
            return;
        }
        let over = own.notices.pop_front();
        let was_request =
            over.is_some_and(|notice| matches!(notice.what, Negotiation::Request { .. }));
        if was_request && !has_come {
            own.session(receiver).consent.give_up();
        }
    }

    /// What a station says of an agreement has come.
    pub(super) fn hear_negotiation(
        &mut self,
        now: Time,
        frame: &Frame,
        sender: &Mac,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        let from = frame.transmitter;
        let Some(what) = sender.negotiates() else {
            return;
        };
        match what {
            Negotiation::Request { window, start } => {
                let window = self.granted(window);
                if let Some(window) = window {
                    self.change_order(frame, sender, |reorder, deliveries| {
                        reorder.begin(window, start, deliveries);
                    });
                }
                if let Some(own) = self.aggregation.as_deref_mut() {
                    own.say(from, Negotiation::Response { window });
                }
                self.contend(now, contention, draw);
            }
            Negotiation::Response { window } => {
                if let Some(own) = self.aggregation.as_deref_mut() {
                    own.session(from).consent.take_answer(now, window);
                    own.watch_for_idleness(now);
                }
            }
            Negotiation::End => self.change_order(frame, sender, |reorder, deliveries| {
                reorder.end(deliveries);
            }),
        }
    }

    /// MPDUs that it takes at once of an originator that asks for so many.
    fn granted(&self, asked: u16) -> Option<u16> {
        let own = self.aggregation.as_deref()?;
        let most = own.agreement.aggregation.takes;
        (most > 0).then(|| asked.min(most))
    }

    /// Ends agreements that were of no use for too long.
    pub(super) fn end_idle(
        &mut self,
        now: Time,
        contention: &mut Contention,
        draw: &mut (impl Draw + ?Sized),
    ) {
        let Some(own) = self.aggregation.as_deref_mut() else {
            return;
        };
        own.end_idle(now);
        if !own.notices.is_empty() {
            self.contend(now, contention, draw);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_octet_by_octet() {
        let request = Negotiation::Request {
            window: 64,
            start: 0x123,
        };
        let of = |what: Negotiation| {
            let body = what.body(Category::Video);
            assert_eq!(body.len(), usize::from(what.bytes()));
            body
        };
        // TID 4, immediate, 64 buffers.
        assert_eq!(of(request), [3, 0, 1, 0x13, 0x10, 0, 0, 0x30, 0x12]);
        let response = Negotiation::Response { window: Some(256) };
        assert_eq!(of(response), [3, 1, 1, 0, 0, 0x13, 0x40, 0, 0]);
        let refusal = Negotiation::Response { window: None };
        assert_eq!(of(refusal), [3, 1, 1, 37, 0, 0x13, 0, 0, 0]);
        assert_eq!(of(Negotiation::End), [3, 2, 0x00, 0x48, 39, 0]);
    }
}
