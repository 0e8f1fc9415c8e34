//! Transmissions of a direction that one capture has and the other has not shown yet.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::lane::Expected;
use super::ranges::Ranges;
use super::transmission::{Customs, Kinship, PathTransmission};

/// Candidates compared at most. More than two retransmissions of the same bytes under way are
/// rare; a file made for it could have any number.
const MOST_CANDIDATES: usize = 64;

/// One capture's view of a direction.
#[derive(Debug, Default)]
pub(super) struct CaptureSide {
    /// In the order of the capture: from the first whose fate is open on.
    waiting: VecDeque<PathTransmission>,
    /// Number of the first of them.
    first: u64,
    /// Parts that the other capture has not shown: start and transmission, to end.
    parts: BTreeMap<(u64, u64), u64>,
    /// The same of segments without sequence numbers.
    bare: BTreeSet<(u64, u64)>,
    /// Every sequence number seen.
    pub seen: Ranges,
    /// The last IP identification, and whether a packet unlike all before repeated it.
    ip_id: u16,
    repeats_ids: bool,
    /// The most sequence numbers in a segment.
    longest: u64,
    /// Of the transmissions that the other capture has, the last that was sent: its number, and
    /// its time on the first capture's clock.
    newest: Option<(u64, i64)>,
}

/// The transmission that fits best.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub number: u64,
    pub kinship: Kinship,
    /// The part of it that fits: all of an empty range for a bare segment.
    pub part: (u64, u64),
    /// Another agrees as well.
    pub is_ambiguous: bool,
}

impl CaptureSide {
    /// Returns how many transmissions are kept.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn get(&self, number: u64) -> Option<&PathTransmission> {
        self.waiting.get(number.checked_sub(self.first)? as usize)
    }

    pub fn front(&self) -> Option<&PathTransmission> {
        self.waiting.front()
    }

    /// Returns when the last transmission was sent of those that the other capture has.
    pub fn newest_ns(&self) -> Option<i64> {
        self.newest.map(|(_, at_ns)| at_ns)
    }

    /// Of the last `most` transmissions those of which the other capture has shown nothing yet,
    /// oldest first.
    pub fn untouched(&self, most: usize) -> impl Iterator<Item = &PathTransmission> {
        let whole =
            |sent: &&PathTransmission| u64::from(sent.open) >= (sent.end - sent.start).max(1);
        let from = self.waiting.len().saturating_sub(most);
        self.waiting.range(from..).filter(whole)
    }

    /// Notes a packet; true if it is a second copy. Without an IP identification that the sender
    /// counts on, two equal packets may well have been sent.
    pub fn note(&mut self, sent: &PathTransmission) -> bool {
        if sent.ip_id == 0 {
            return false;
        }
        if !sent.is_equal {
            self.repeats_ids = self.ip_id == sent.ip_id;
        }
        self.ip_id = sent.ip_id;
        sent.is_equal && !self.repeats_ids
    }

    /// Takes everything away that waits, as if the other capture had shown nothing.
    pub fn take(&mut self) -> VecDeque<PathTransmission> {
        self.parts.clear();
        self.bare.clear();
        let mut kept = std::mem::take(&mut self.waiting);
        self.first += kept.len() as u64;
        for sent in &mut kept {
            sent.open = ((sent.end - sent.start) as u32).max(1);
        }
        kept
    }

    /// Keeps a transmission, of which `open` parts are still to be shown by the other capture.
    pub fn keep(&mut self, sent: PathTransmission, open: &[(u64, u64)]) {
        let number = self.first + self.waiting.len() as u64;
        self.longest = self.longest.max(sent.end - sent.start);
        if sent.is_bare() {
            if sent.open > 0 {
                self.bare.insert((sent.bare_key(), number));
            }
        } else {
            self.parts
                .extend(open.iter().map(|&(start, end)| ((start, number), end)));
        }
        if sent.open == 0 {
            self.note_newest(number, sent.aligned_ns);
        }
        self.waiting.push_back(sent);
    }

    fn note_newest(&mut self, number: u64, at_ns: i64) {
        if self.newest.is_none_or(|(newest, _)| newest < number) {
            self.newest = Some((number, at_ns));
        }
    }

    /// Returns what fits best to the other capture's transmission from its sequence number `at` on;
    /// if several do, what was captured at about the `expected` time.
    pub fn find(
        &self,
        sent: &PathTransmission,
        at: u64,
        expected: Expected,
        customs: &Customs,
        piece: u32,
    ) -> Option<Fit> {
        let mut choice = CandidateChoice {
            newest: self.newest.map(|(number, _)| number),
            expected,
            best: None,
        };
        let mut consider = |number: u64, end: u64| {
            let kin = self.get(number).and_then(|own| {
                let kinship = Kinship::of(own, sent, customs, piece)?;
                Some((own, kinship))
            });
            if let Some((own, kinship)) = kin {
                choice.consider(number, own, kinship, (at, end));
            }
        };
        if sent.is_bare() {
            let key = sent.bare_key();
            let equal = self.bare.range((key, 0)..=(key, u64::MAX));
            for &(_, number) in equal.take(MOST_CANDIDATES) {
                consider(number, at);
            }
        } else {
            let from = at.saturating_sub(self.longest);
            let nearest = self.parts.range((from, 0)..=(at, u64::MAX)).rev();
            for (&(_, number), &end) in nearest.take(MOST_CANDIDATES) {
                if end > at {
                    consider(number, end.min(sent.end));
                }
            }
        }
        choice.best.map(|best| best.fit)
    }

    /// The receiver has these bytes twice: marks the second copies that carried them.
    pub fn report_twice(&mut self, start: u64, end: u64) {
        let from = start.saturating_sub(self.longest);
        let parts = self.parts.range((from, 0)..(end, 0)).rev();
        for (&(_, number), &own_end) in parts.take(MOST_CANDIDATES) {
            let at = number.checked_sub(self.first).map(|at| at as usize);
            if let Some(sent) = at.and_then(|at| self.waiting.get_mut(at)) {
                sent.is_reported |= sent.is_equal && own_end > start;
            }
        }
    }

    /// Where the next part begins behind `at` and before `end`.
    pub fn next_start(&self, at: u64, end: u64) -> Option<u64> {
        let (&(start, _), _) = self.parts.range((at + 1, 0)..).next()?;
        (start < end).then_some(start)
    }

    /// The other capture has shown a part; true if the transmission was sent before another
    /// that was shown earlier.
    pub fn strike(&mut self, number: u64, (start, end): (u64, u64)) -> bool {
        let Some(sent) = number
            .checked_sub(self.first)
            .and_then(|at| self.waiting.get_mut(at as usize))
        else {
            return false;
        };
        let at_ns = sent.aligned_ns;
        if sent.is_bare() {
            self.bare.remove(&(sent.bare_key(), number));
            sent.open = 0;
        } else {
            sent.open = sent.open.saturating_sub((end - start) as u32);
            let own = self.parts.range(..=(start, number)).rev();
            let own = own
                .take(MOST_CANDIDATES)
                .find(|&(&(_, of), _)| of == number);
            if let Some((&(own_start, _), &own_end)) = own {
                self.parts.remove(&(own_start, number));
                if own_start < start {
                    self.parts.insert((own_start, number), start);
                }
                if end < own_end {
                    self.parts.insert((end, number), own_end);
                }
            }
        }
        let is_late = self.newest.is_some_and(|(newest, _)| number < newest);
        self.note_newest(number, at_ns);
        is_late
    }

    /// Takes the oldest transmission away, with the parts that the other capture never showed.
    pub fn pop(&mut self, parts: &mut Vec<(u64, u64)>) -> Option<PathTransmission> {
        parts.clear();
        let sent = self.waiting.pop_front()?;
        let number = self.first;
        self.first += 1;
        if sent.open == 0 {
            return Some(sent);
        }
        if sent.is_bare() {
            self.bare.remove(&(sent.bare_key(), number));
            parts.push((sent.start, sent.end));
            return Some(sent);
        }
        let own = self.parts.range((sent.start, 0)..(sent.end, 0));
        parts.extend(
            own.filter(|&(&(_, of), _)| of == number)
                .map(|(&(start, _), &end)| (start, end)),
        );
        for &(start, _) in &*parts {
            self.parts.remove(&(start, number));
        }
        Some(sent)
    }

    /// Returns whether the same bytes were retransmitted and the other capture has not shown that
    /// either.
    pub fn has_open(&self, start: u64, end: u64) -> bool {
        let from = start.saturating_sub(self.longest);
        let mut overlapping = self.parts.range((from, 0)..(end, 0)).take(MOST_CANDIDATES);
        overlapping.any(|(_, &own_end)| own_end > start)
    }
}

/// Chooses among candidates: the most alike; of those one behind the last that arrived, as a path
/// mostly keeps packets in order; of those the one whose delay is most like the last, or an
/// earlier one whose delay is as likely.
struct CandidateChoice {
    newest: Option<u64>,
    expected: Expected,
    best: Option<Candidate>,
}

#[derive(Clone, Copy)]
struct Candidate {
    fit: Fit,
    is_overtaken: bool,
    /// Distance from the expected time.
    off_ns: u64,
}

impl CandidateChoice {
    fn consider(
        &mut self,
        number: u64,
        own: &PathTransmission,
        kinship: Kinship,
        part: (u64, u64),
    ) {
        let candidate = Candidate {
            fit: Fit {
                number,
                kinship,
                part,
                is_ambiguous: false,
            },
            is_overtaken: self.newest.is_some_and(|newest| number <= newest),
            off_ns: own.aligned_ns.abs_diff(self.expected.at_ns),
        };
        let Some(mut best) = self.best else {
            self.best = Some(candidate);
            return;
        };
        let is_as_alike = kinship == best.fit.kinship;
        best.fit.is_ambiguous |= is_as_alike && !kinship.is_certain();
        let is_ambiguous = is_as_alike && best.fit.is_ambiguous;
        if kinship > best.fit.kinship || (is_as_alike && self.prefers(&candidate, &best)) {
            best = candidate;
            best.fit.is_ambiguous = is_ambiguous;
        }
        self.best = Some(best);
    }

    /// Returns whether one candidate is likelier than another that is as much alike.
    fn prefers(&self, one: &Candidate, other: &Candidate) -> bool {
        if one.is_overtaken != other.is_overtaken {
            return other.is_overtaken;
        }
        let [earlier, later] = if one.fit.number < other.fit.number {
            [one, other]
        } else {
            [other, one]
        };
        let is_earlier = earlier.off_ns <= later.off_ns.saturating_add(self.expected.within_ns);
        is_earlier == (one.fit.number < other.fit.number)
    }
}
