//! Ping: echo requests at an interval, and what became of them.

use std::collections::VecDeque;

use units::{Duration, Time};

/// The sender of echo requests.
#[derive(Clone, Debug)]
pub struct Ping {
    payload: u32,
    interval: Duration,
    next_at: Time,
    sequence: u32,
    /// When each request from `oldest` on was sent; `None` once it was answered.
    pending: VecDeque<Option<Time>>,
    oldest: u32,
    replies: u64,
}

/// Requests sent and answered so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingReport {
    /// Requests sent.
    pub sent: u64,
    /// Replies received, each counted once.
    pub replies: u64,
}

impl Ping {
    /// A request is given up this long after it was sent, the default of iputils' `ping -W`.
    const PATIENCE: Duration = Duration::from_secs(10);

    /// Requests of `payload` bytes every `interval` from `start` on.
    pub fn new(payload: u32, interval: Duration, start: Time) -> Self {
        Ping {
            payload,
            interval,
            next_at: start,
            sequence: 0,
            pending: VecDeque::new(),
            oldest: 0,
            replies: 0,
        }
    }

    /// When the next request is due.
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// The request due now: its number and payload.
    pub fn request(&mut self, now: Time) -> (u32, u32) {
        self.forget(now);
        let sequence = self.sequence;
        self.sequence += 1;
        self.pending.push_back(Some(now));
        self.next_at += self.interval;
        (sequence, self.payload)
    }

    /// Takes a reply; answers the round-trip time, or `None` for one given up or seen before.
    pub fn on_reply(&mut self, now: Time, sequence: u32) -> Option<Duration> {
        let index = sequence.checked_sub(self.oldest)? as usize;
        let sent = self.pending.get_mut(index)?.take()?;
        self.replies += 1;
        Some(now - sent)
    }

    /// What became of the requests so far.
    pub fn report(&self) -> PingReport {
        PingReport {
            sent: u64::from(self.sequence),
            replies: self.replies,
        }
    }

    fn forget(&mut self, now: Time) {
        while let Some(&request) = self.pending.front() {
            if request.is_some_and(|sent| now.saturating_since(sent) < Self::PATIENCE) {
                break;
            }
            self.pending.pop_front();
            self.oldest += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn a_reply_gives_the_round_trip_time_once() {
        let mut ping = Ping::new(56, Duration::from_millis(100), at(0));
        assert_eq!(ping.request(at(0)), (0, 56));
        assert_eq!(ping.request(at(100)), (1, 56));
        assert_eq!(ping.on_reply(at(103), 1), Some(Duration::from_millis(3)));
        assert_eq!(ping.on_reply(at(104), 1), None, "a duplicate");
        assert_eq!(
            ping.on_reply(at(150), 0),
            Some(Duration::from_millis(150)),
            "overtaken"
        );
        assert_eq!(
            ping.report(),
            PingReport {
                sent: 2,
                replies: 2
            }
        );
    }

    #[test]
    fn a_request_is_given_up_after_ten_seconds() {
        let mut ping = Ping::new(56, Duration::from_secs(6), at(0));
        for second in [0, 6, 12] {
            ping.request(at(second * 1000));
        }
        assert_eq!(ping.on_reply(at(12_001), 0), None);
        assert!(ping.on_reply(at(12_002), 1).is_some());
    }
}
