//! What the owner allows at most, for the sum of all that an endpoint does.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The owner's ceilings.
#[derive(Debug)]
pub struct Ceilings {
    /// How long a test may last.
    pub longest: Duration,
    bytes_per_slot: u64,
    sent: Mutex<CeilingSlot>,
}

#[derive(Debug)]
struct CeilingSlot {
    began: Instant,
    bytes: u64,
}

impl Ceilings {
    /// What is sent is counted in slots of this length.
    const SLOT: Duration = Duration::from_millis(10);

    /// So many bits in a second, for so long.
    pub fn new(bits_per_second: u64, longest: Duration) -> Ceilings {
        let began = Instant::now();
        Ceilings {
            longest,
            bytes_per_slot: bits_per_second / 8 / 100,
            sent: Mutex::new(CeilingSlot { began, bytes: 0 }),
        }
    }

    /// Takes up to `bytes` of what may be sent at `now`; answers how many they are.
    pub fn take(&self, now: Instant, bytes: u64) -> u64 {
        let mut slot = self
            .sent
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if now.saturating_duration_since(slot.began) >= Self::SLOT {
            *slot = CeilingSlot {
                began: now,
                bytes: 0,
            };
        }
        let taken = bytes.min(self.bytes_per_slot.saturating_sub(slot.bytes));
        slot.bytes += taken;
        taken
    }

    /// Gives back what was not sent after all.
    pub fn give_back(&self, bytes: u64) {
        let mut slot = self
            .sent
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        slot.bytes = slot.bytes.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_above_the_owners_is_not_sent() {
        let ceilings = Ceilings::new(8_000_000, Duration::from_secs(600));
        let now = Instant::now();
        assert_eq!(ceilings.take(now, 6_000), 6_000);
        assert_eq!(ceilings.take(now, 6_000), 4_000, "10 kB in 10 ms");
        ceilings.give_back(1_000);
        assert_eq!(ceilings.take(now, 6_000), 1_000);
        assert_eq!(ceilings.take(now + Ceilings::SLOT, 6_000), 6_000);
    }
}
