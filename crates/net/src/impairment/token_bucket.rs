//! A token bucket: a rate on average, and bursts beyond it.

use std::collections::VecDeque;

use units::{Duration, Time};

use super::{Facts, Impairment, StageVerdict};
use crate::Chance;

units::declare! {
    /// Packets pass while there are tokens for their bytes, which come at a rate (Linux tbf).
    pub struct Config = "token-bucket" {
        /// rate at which tokens come, each for a byte of an Ethernet frame without check sequence
        rate: units::Rate = Field::rate(),
        /// bytes of tokens that are kept; a longer frame never passes
        burst: u64 = Field::size().positive(),
        /// longest wait for tokens once the bucket is empty; the queue has room for what comes in this time, and for a burst
        latency: Duration = Field::duration().or(Default::Text("70 ms")).from("tc-tbf(8), its example"),
    }
}

/// Bytes of an Ethernet header, which Linux counts (`qdisc_pkt_len`).
const ETHERNET_HEADER: u64 = 14;

/// A stage with a bucket.
///
/// When a packet leaves is known when it comes, since nothing that comes later goes before it.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    rate: u64,
    /// The most that may wait, in bytes of frames (tc-tbf: rate × latency + burst).
    limit: u64,
    burst: u64,
    /// Tokens that the bucket holds, in the time that its tokens take to come (`tokens`, `buffer`).
    tokens: Duration,
    depth: Duration,
    /// Time when it held that: when the last packet left (`t_c`).
    since: Time,
    /// Time when each packet that waits leaves, and its bytes.
    waiting: VecDeque<(Time, u64)>,
    bytes: u64,
}

impl TokenBucket {
    /// A full bucket.
    pub fn new(config: &Config) -> Self {
        let rate = config.rate.as_bps();
        let depth = time_of(config.burst, rate);
        let while_waiting = rate as f64 / 8.0 * config.latency.as_secs_f64();
        TokenBucket {
            rate,
            limit: while_waiting as u64 + config.burst,
            burst: config.burst,
            tokens: depth,
            depth,
            since: Time::ZERO,
            waiting: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Forgets the packets that no longer wait.
    fn advance(&mut self, now: Time) {
        while let Some(&(leaves_at, bytes)) = self.waiting.front()
            && leaves_at <= now
        {
            self.waiting.pop_front();
            self.bytes -= bytes;
        }
    }

    /// Takes the tokens for a packet that may leave from `from` on; answers when it does.
    fn pay(&mut self, from: Time, bytes: u64) -> Time {
        let price = time_of(bytes, self.rate);
        let held = self.depth.min(self.tokens + (from - self.since));
        let missing = price.saturating_sub(held);
        self.tokens = (held + missing) - price;
        self.since = from + missing;
        self.since
    }
}

/// Returns how long the tokens of so many bytes take to come.
fn time_of(bytes: u64, rate: u64) -> Duration {
    let nanos = u128::from(bytes) * 8_000_000_000 / u128::from(rate);
    Duration::from_nanos(nanos as u64)
}

impl Impairment for TokenBucket {
    fn on_packet(&mut self, now: Time, _: u64, facts: &Facts, _: &mut impl Chance) -> StageVerdict {
        self.advance(now);
        let bytes = u64::from(facts.ip_bytes) + ETHERNET_HEADER;
        if bytes > self.burst || self.bytes + bytes > self.limit {
            return StageVerdict::Drop;
        }
        let leaves_at = self.pay(now.max(self.since), bytes);
        if leaves_at == now {
            return StageVerdict::Pass;
        }
        self.waiting.push_back((leaves_at, bytes));
        self.bytes += bytes;
        StageVerdict::Hold(leaves_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::trial::{ChainTrial, IP_BYTES, every, numbers};

    const FRAME: u64 = IP_BYTES as u64 + ETHERNET_HEADER;

    /// Tokens for a frame each millisecond, three of which are kept, and room for two that wait
    /// for tokens beside a burst.
    fn one_per_ms() -> Config {
        Config {
            rate: units::Rate::from_bps(FRAME * 8 * 1_000),
            burst: 3 * FRAME,
            latency: Duration::from_millis(2),
        }
    }

    fn micros(left: &[(u32, Time)]) -> Vec<u64> {
        left.iter().map(|(_, at)| at.as_nanos() / 1_000).collect()
    }

    #[test]
    fn a_burst_passes_at_once_and_the_rest_at_the_rate() {
        let mut trial = ChainTrial::of(&[every("shaped", one_per_ms().into())]);
        trial.send_every(Duration::ZERO, 20);
        let left = trial.end();
        assert_eq!(micros(&left), [0, 0, 0, 1_000, 2_000, 3_000, 4_000, 5_000]);
        assert_eq!(numbers(&left), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(
            trial.counts("shaped").dropped,
            12,
            "five wait: two and a burst"
        );
    }

    #[test]
    fn tokens_are_kept_up_to_a_burst() {
        let mut trial = ChainTrial::of(&[every("shaped", one_per_ms().into())]);
        trial.send_every(Duration::ZERO, 8);
        // Of the 95 ms after the last has left tokens for three frames are kept.
        for _ in 0..4 {
            let facts = Facts {
                flow: 0,
                traffic: None,
                ip_bytes: IP_BYTES,
                protocol: crate::impairment::CarriedProtocol::Udp,
            };
            trial.send(Time::ZERO + Duration::from_millis(100), &facts);
        }
        let left = micros(&trial.end());
        assert_eq!(left[8..], [100_000, 100_000, 100_000, 101_000]);
    }

    #[test]
    fn what_is_longer_than_a_burst_never_passes() {
        let config = Config {
            burst: FRAME - 1,
            ..one_per_ms()
        };
        let mut trial = ChainTrial::of(&[every("shaped", config.into())]);
        trial.send_every(Duration::from_secs(1), 3);
        assert_eq!(trial.end(), []);
    }
}
