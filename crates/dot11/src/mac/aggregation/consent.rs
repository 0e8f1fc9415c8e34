//! Answers of a recipient to an originator that asks for an agreement (IEEE 802.11-2020, 10.25.2).

use serde::{Deserialize, Serialize};
use units::{Duration, Time};

/// Way in which two stations come to an agreement on block acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreements {
    /// Without a word: it stands between any two from the start, as closed forms have it.
    Standing,
    /// The originator asks once it has something to send, as mac80211 does.
    Negotiated,
}

/// Time for which an answer is awaited, number of requests one after the other, the pause behind
/// them, and their number in all: `ADDBA_RESP_INTERVAL`, `HT_AGG_BURST_RETRIES`,
/// `HT_AGG_RETRIES_PERIOD` and `HT_AGG_MAX_RETRIES` of mac80211.
const ANSWERED_WITHIN: Duration = Duration::from_secs(1);
const REQUESTS_IN_A_ROW: u8 = 3;
const PAUSE: Duration = Duration::from_secs(15);
const REQUESTS: u8 = 15;

/// An agreement as its originator has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Consent {
    /// MPDUs that the recipient takes at once, if it takes any.
    window: Option<u16>,
    /// Requests since an agreement stood last, and when the last one was made.
    requests: u8,
    requested_at: Time,
    /// True if that may still be answered.
    is_awaited: bool,
    /// Time at which it was of use last.
    pub(super) used_at: Time,
}

impl Consent {
    /// None yet.
    pub(super) const NONE: Consent = Consent {
        window: None,
        requests: 0,
        requested_at: Time::ZERO,
        is_awaited: false,
        used_at: Time::ZERO,
    };

    /// MPDUs that may go at once: without an agreement one.
    pub(super) fn window(&self) -> u16 {
        self.window.unwrap_or(1)
    }

    /// Returns whether there is an agreement.
    pub(super) fn stands(&self) -> bool {
        self.window.is_some()
    }

    /// Returns whether it is time to ask for one.
    pub(super) fn is_to_be_asked_for(&self, now: Time) -> bool {
        let since = now.saturating_since(self.requested_at);
        let is_awaited = self.is_awaited && since < ANSWERED_WITHIN;
        match self.requests {
            _ if self.stands() || is_awaited => false,
            0..=REQUESTS_IN_A_ROW => true,
            _ => self.requests <= REQUESTS && since >= PAUSE,
        }
    }

    /// It is asked for.
    pub(super) fn ask(&mut self, now: Time) {
        self.requests += 1;
        self.requested_at = now;
        self.is_awaited = true;
    }

    /// The recipient takes so many MPDUs at once; none, if it refuses.
    pub(super) fn take_answer(&mut self, now: Time, window: Option<u16>) {
        self.window = window;
        self.is_awaited = false;
        self.used_at = now;
        if self.stands() {
            self.requests = 0;
        }
    }

    /// The request has not come to the recipient, however often it was sent.
    pub(super) fn give_up(&mut self) {
        self.is_awaited = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn a_request_is_awaited_for_a_second() {
        let mut consent = Consent::NONE;
        assert!(consent.is_to_be_asked_for(at(5)));
        consent.ask(at(5));
        assert!(!consent.is_to_be_asked_for(at(1004)));
        assert!(consent.is_to_be_asked_for(at(1005)));
        consent.take_answer(at(1005), Some(32));
        assert!(!consent.is_to_be_asked_for(at(60_000)));
        assert_eq!(consent.window(), 32);
    }

    #[test]
    fn who_refuses_is_asked_four_times_at_once_then_every_15_s_and_16_times_in_all() {
        let mut consent = Consent::NONE;
        let mut asked = Vec::new();
        for second in 0..600 {
            for milli in 0..10 {
                let now = at(1000 * second + milli);
                if consent.is_to_be_asked_for(now) {
                    consent.ask(now);
                    consent.take_answer(now, None);
                    asked.push((second, milli));
                }
            }
        }
        assert_eq!(asked[..5], [(0, 0), (0, 1), (0, 2), (0, 3), (15, 3)]);
        assert_eq!(asked.len(), 16);
        assert_eq!(consent.window(), 1);
    }
}
