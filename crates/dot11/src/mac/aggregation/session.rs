//! The originator's side of an agreement: what waits, what is under way, and the window
//! (IEEE 802.11-2020, 10.25.6.7).

use std::collections::VecDeque;

use phy::{Format, LONGEST_PPDU, TxVector};
use units::{Duration, Time};

use super::AggregationConfig;
use super::block_ack::BlockAck;
use super::consent::Consent;
use super::mpdu::{DataMpdu, with_another};
use super::sequence::{behind, distance};
use crate::frame::Address;
use crate::mac::MacConfig;
use crate::mac::msdu::{DropCause, Msdu};

/// What an originator has for one recipient.
#[derive(Clone, Debug)]
pub(super) struct BlockAckSession {
    /// The number that the next new MPDU has.
    next: u16,
    /// MPDUs that have a number and are not done with, in its order.
    in_flight: Vec<DataMpdu>,
    /// How many of them, from the first on, are or were on the air last.
    on_air: usize,
    /// MSDUs without a number.
    pub(super) waiting: VecDeque<Msdu>,
    /// Turns in the line that are used up: MSDUs that an aggregate has taken before theirs.
    pub(super) turns_taken: u32,
    /// Whether the recipient is to be told that no number before the window's start will come.
    pub(super) owes_request: bool,
    /// How often it was told so in vain.
    pub(super) requests_failed: u8,
    /// Exchanges of data in a row of which nothing came and nothing was given up.
    pub(super) failures: u8,
    /// The longest A-MPDU at the rate of the last one; nothing before the first.
    pub(super) longest: u32,
    /// Consent of the recipient, where that is asked.
    pub(super) consent: Consent,
}

/// What an aggregate must keep to.
#[derive(Clone, Copy, Debug)]
pub(super) struct AggregateBounds {
    pub(super) vector: TxVector,
    /// How long its PPDU may last.
    pub(super) lasts: Duration,
    /// What an MPDU adds to its body.
    pub(super) overhead: u16,
}

/// What a station puts together that always has MSDUs of one length.
#[derive(Clone, Copy, Debug)]
pub(in crate::mac) struct FullAggregate {
    pub(in crate::mac) psdu_bytes: u32,
    pub(in crate::mac) mpdu_bytes: u16,
    pub(in crate::mac) msdus: u32,
    pub(in crate::mac) is_aggregate: bool,
}

impl MacConfig {
    /// Returns what goes in one PPDU to a receiver for which MSDUs of one length never run out.
    pub(in crate::mac) fn full_aggregate(
        &self,
        vector: TxVector,
        msdu_bytes: u16,
    ) -> FullAggregate {
        let config = self.aggregation.unwrap_or(AggregationConfig::NONE);
        let [each, last] = self.overhead();
        let bounds = AggregateBounds {
            vector,
            lasts: config.lasts_ns,
            overhead: each + last,
        };
        let most =
            usize::from(config.window) * (1 + usize::from(config.amsdu_bytes / msdu_bytes.max(1)));
        let mut session = BlockAckSession::new();
        let msdu = Msdu::data(0, Address::UNSAID, msdu_bytes);
        session.waiting.extend(core::iter::repeat_n(msdu, most));
        let psdu_bytes = session.assemble_any(Time::ZERO, &config, &bounds);
        let mpdus = session.on_air();
        let mpdu_bytes = mpdus.first().map_or(0, |mpdu| mpdu.bytes);
        let has_delimiter = mpdus.len() > 1 || vector.mode.format() > Format::HtGreenfield;
        FullAggregate {
            psdu_bytes: if has_delimiter {
                psdu_bytes
            } else {
                u32::from(mpdu_bytes)
            },
            mpdu_bytes,
            msdus: mpdus.iter().map(|mpdu| mpdu.msdus().count() as u32).sum(),
            is_aggregate: mpdus.len() > 1,
        }
    }
}

impl BlockAckSession {
    pub(super) fn new() -> BlockAckSession {
        BlockAckSession {
            next: 0,
            in_flight: Vec::new(),
            on_air: 0,
            waiting: VecDeque::new(),
            turns_taken: 0,
            owes_request: false,
            requests_failed: 0,
            failures: 0,
            longest: 0,
            consent: Consent::NONE,
        }
    }

    /// The first number that is not done with.
    pub(super) fn start(&self) -> u16 {
        self.in_flight
            .first()
            .map_or(self.next, |mpdu| mpdu.sequence)
    }

    /// Returns whether something has a number and is not done with.
    pub(super) fn is_in_flight(&self) -> bool {
        !self.in_flight.is_empty()
    }

    /// Returns what is or was on the air last.
    pub(super) fn on_air(&self) -> &[DataMpdu] {
        &self.in_flight[..self.on_air]
    }

    /// The same as [`BlockAckSession::assemble`], but a single MPDU goes, however long it lasts.
    pub(super) fn assemble_any(
        &mut self,
        now: Time,
        config: &AggregationConfig,
        of: &AggregateBounds,
    ) -> u32 {
        match self.assemble(now, config, of) {
            0 => {
                let lasts = LONGEST_PPDU;
                let alone = AggregationConfig {
                    window: 1,
                    ..*config
                };
                self.assemble(now, &alone, &AggregateBounds { lasts, ..*of })
            }
            bytes => bytes,
        }
    }

    /// Puts together what goes on the air: first what was there before. Answers the length of the
    /// A-MPDU, which is nothing where not even one MPDU fits.
    pub(super) fn assemble(
        &mut self,
        now: Time,
        config: &AggregationConfig,
        of: &AggregateBounds,
    ) -> u32 {
        let fits = match of.vector.mode.is_legacy() {
            // There are no aggregates, and one MPDU goes in any case.
            true => u32::MAX,
            false => of.vector.longest_psdu(of.lasts),
        };
        let longest = fits.min(config.ampdu_bytes);
        self.longest = longest;
        let apart = config.bytes_apart(of.vector.mode);
        let mut length = [0, 0];
        self.on_air = 0;
        while self.on_air < usize::from(config.window) {
            if self.on_air == self.in_flight.len() && !self.number_one(config, of.overhead) {
                break;
            }
            let mpdu = &mut self.in_flight[self.on_air];
            let longer = with_another(length, mpdu.bytes, apart);
            // A single MPDU goes even where no aggregate may.
            let most = if self.on_air == 0 { fits } else { longest };
            if longer[0] > most {
                self.take_number_back();
                break;
            }
            length = longer;
            self.on_air += 1;
            if mpdu.attempts == 0 {
                mpdu.begun_at = now;
            }
        }
        length[0]
    }

    /// Gives the next MSDUs a number, if the window has one.
    fn number_one(&mut self, config: &AggregationConfig, overhead: u16) -> bool {
        if distance(self.start(), self.next) >= config.window {
            return false;
        }
        let before = self.waiting.len();
        let Some(mpdu) = DataMpdu::of(&mut self.waiting, self.next, config.amsdu_bytes, overhead)
        else {
            return false;
        };
        self.turns_taken += (before - self.waiting.len()) as u32;
        self.next = behind(self.next, 1);
        self.in_flight.push(mpdu);
        true
    }

    /// What has a number and no place in the aggregate waits again without one, unless it has been on
    /// the air before.
    fn take_number_back(&mut self) {
        if let Some(last) = self.in_flight.pop_if(|last| last.attempts == 0) {
            self.next = last.sequence;
            for &msdu in last.msdus().collect::<Vec<_>>().into_iter().rev() {
                self.waiting.push_front(msdu);
                self.turns_taken -= 1;
            }
        }
    }

    /// Counts what is on the air. Answers how many MPDUs were there before.
    pub(super) fn count_attempt(&mut self) -> u64 {
        let mut again = 0;
        for mpdu in &mut self.in_flight[..self.on_air] {
            again += u64::from(mpdu.attempts > 0);
            mpdu.attempts = mpdu.attempts.saturating_add(1);
        }
        again
    }

    /// The recipient has said what has come of what was on the air, or nothing at all. What has come
    /// leaves, and what `ends` says is tried no more; each goes to `done`.
    pub(super) fn settle(
        &mut self,
        said: Option<&BlockAck>,
        ends: impl Fn(&DataMpdu) -> Option<DropCause>,
        mut done: impl FnMut(&DataMpdu, Option<DropCause>),
    ) {
        let on_air = core::mem::take(&mut self.on_air);
        let mut owes_request = false;
        let leaves = |mpdu: &mut DataMpdu| {
            if said.is_some_and(|said| said.has(mpdu.sequence)) {
                done(mpdu, None);
                return true;
            }
            let cause = ends(mpdu);
            if cause.is_some() {
                owes_request = true;
                done(mpdu, cause);
            }
            cause.is_some()
        };
        if self.in_flight.extract_if(..on_air, leaves).count() > 0 {
            self.failures = 0;
        }
        self.owes_request |= owes_request;
    }
}

#[cfg(test)]
mod tests {
    use phy::{GuardInterval, Mode, Preamble, Width};

    use super::*;
    use crate::mac::Agreements;

    fn config() -> AggregationConfig {
        AggregationConfig {
            ampdu_bytes: 65_535,
            amsdu_bytes: 0,
            window: 64,
            spacing_ns: Duration::ZERO,
            lasts_ns: LONGEST_PPDU,
            patience_ns: Duration::from_millis(100),
            agreements: Agreements::Standing,
            takes: 64,
            idle_ns: Duration::ZERO,
        }
    }

    fn bounds(mode: Mode) -> AggregateBounds {
        AggregateBounds {
            vector: TxVector::of(mode, Preamble::Long),
            lasts: LONGEST_PPDU,
            overhead: 30,
        }
    }

    fn session(waiting: u32) -> BlockAckSession {
        let mut session = BlockAckSession::new();
        let msdus = (0..waiting).map(|id| Msdu::data(id, Address(1), 1508));
        session.waiting.extend(msdus);
        session
    }

    const fn ht(mcs: u8, width: Width, interval: GuardInterval) -> Mode {
        Mode::ht(mcs, width, interval)
    }

    /// MPDUs of 1538 bytes, of which so many go into one A-MPDU: by the longest PPDU, by the longest
    /// A-MPDU, or by the window.
    #[test]
    fn an_aggregate_is_as_long_as_the_first_limit_that_it_meets() {
        use GuardInterval::{Ns400, Ns800};
        use Width::{Mhz20, Mhz40, Mhz80};
        let vht =
            |mcs, streams, width, interval| Mode::new(Format::Vht, mcs, streams, width, interval);
        let he = |mcs, streams, width| Mode::new(Format::He, mcs, streams, width, Ns800);
        let of_802_11ac = |window| AggregationConfig {
            ampdu_bytes: 1_048_575,
            window,
            ..config()
        };
        let counts = [
            (ht(0, Mhz20, Ns800), config(), 2),
            (ht(7, Mhz20, Ns800), config(), 28),
            (ht(15, Mhz20, Ns400), config(), 42),
            (ht(15, Mhz40, Ns400), config(), 42),
            (vht(8, 1, Mhz20, Ns800), of_802_11ac(64), 34),
            (vht(9, 2, Mhz80, Ns400), of_802_11ac(64), 64),
            (he(7, 1, Mhz20), of_802_11ac(64), 37),
            (he(11, 2, Mhz80), of_802_11ac(64), 64),
            (he(11, 2, Mhz80), of_802_11ac(256), 256),
        ];
        for (mode, config, count) in counts {
            let mut session = session(300);
            session.assemble(Time::ZERO, &config, &bounds(mode));
            assert_eq!(session.on_air().len(), count, "{}", mode.name());
        }
    }

    #[test]
    fn the_longest_a_mpdu_bounds_it_and_a_single_mpdu_always_goes() {
        let mode = ht(7, Width::Mhz20, GuardInterval::Ns800);
        for (ampdu_bytes, count) in [(32_767, 21), (16_383, 10), (8_191, 5), (0, 1)] {
            let config = AggregationConfig {
                ampdu_bytes,
                ..config()
            };
            let mut session = session(300);
            session.assemble(Time::ZERO, &config, &bounds(mode));
            assert_eq!(session.on_air().len(), count);
        }
    }

    /// ath9k lets no aggregate last longer than 4 ms: two packets of MCS 0 at 7.2 Mbit/s.
    #[test]
    fn an_aggregate_lasts_no_longer_than_it_may() {
        let mode = ht(0, Width::Mhz20, GuardInterval::Ns400);
        let of = AggregateBounds {
            lasts: Duration::from_millis(4),
            ..bounds(mode)
        };
        let mut of_two = session(300);
        of_two.assemble(Time::ZERO, &config(), &of);
        assert_eq!(of_two.on_air().len(), 2);
        let short = AggregateBounds {
            lasts: Duration::from_millis(1),
            ..of
        };
        let mut of_one = session(300);
        assert_eq!(of_one.assemble_any(Time::ZERO, &config(), &short), 1542);
    }

    /// 27 subframes of 1544 bytes and one of 1542 are 5360 µs of MCS 7.
    #[test]
    fn an_aggregate_lasts_what_its_bytes_do() {
        let of = bounds(ht(7, Width::Mhz20, GuardInterval::Ns800));
        let bytes = session(300).assemble(Time::ZERO, &config(), &of);
        assert_eq!(bytes, 43_230);
        assert_eq!(of.vector.duration(bytes).as_micros(), 5360);
    }

    #[test]
    fn what_does_not_fit_keeps_no_number() {
        let of = bounds(ht(7, Width::Mhz20, GuardInterval::Ns800));
        let mut session = session(300);
        session.assemble(Time::ZERO, &config(), &of);
        assert_eq!((session.on_air().len(), session.waiting.len()), (28, 272));
        assert_eq!((session.next, session.turns_taken), (28, 28));
        session.settle(Some(&BlockAck::new(0, 64, |_| true)), |_| None, |_, _| ());
        assert!(!session.is_in_flight());
    }

    /// Whatever waits, no number goes 64 or more behind one that is not done with.
    #[test]
    fn a_lost_mpdu_holds_the_window() {
        let of = bounds(Mode::new(
            Format::Vht,
            9,
            2,
            Width::Mhz80,
            GuardInterval::Ns400,
        ));
        let config = AggregationConfig {
            ampdu_bytes: 1_048_575,
            ..config()
        };
        let mut session = session(1000);
        session.assemble(Time::ZERO, &config, &of);
        // All but the eleventh have come.
        let said = BlockAck::new(0, 64, |at| at != 10);
        session.settle(Some(&said), |_| None, |_, _| ());
        session.assemble(Time::ZERO, &config, &of);
        let numbers: Vec<u16> = session.on_air().iter().map(|mpdu| mpdu.sequence).collect();
        assert_eq!(numbers[0], 10);
        assert_eq!(numbers[1..], (64..74).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_tried_no_more_leaves_and_is_told_the_recipient() {
        let of = bounds(ht(7, Width::Mhz20, GuardInterval::Ns800));
        let mut session = session(3);
        session.assemble(Time::ZERO, &config(), &of);
        session.count_attempt();
        let mut done = Vec::new();
        session.settle(
            None,
            |mpdu| (mpdu.sequence == 1).then_some(DropCause::ShortRetryLimit),
            |mpdu, cause| done.push((mpdu.sequence, cause)),
        );
        assert_eq!(done, [(1, Some(DropCause::ShortRetryLimit))]);
        assert!(session.owes_request && session.is_in_flight());
        assert_eq!(session.start(), 0);
    }
}
