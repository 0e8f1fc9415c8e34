//! Playout of a call: how long what has arrived waits until it is heard.

use std::collections::VecDeque;

use units::Duration;

/// From a packet's sending to its hearing.
#[derive(Clone, Debug)]
pub enum Playout {
    /// Stays as the first packet to arrive has set it.
    Fixed {
        /// For how long the first packet waits.
        buffer: Duration,
        /// Unknown until a packet has arrived.
        behind: Option<Duration>,
    },
    /// Follows the ages of the packets that arrived last.
    Adaptive(Ages),
}

impl Playout {
    /// A fixed buffer of so long, or one that adapts.
    pub fn new(buffer: Option<Duration>) -> Self {
        match buffer {
            Some(buffer) => Playout::Fixed {
                buffer,
                behind: None,
            },
            None => Playout::Adaptive(Ages::default()),
        }
    }

    /// Takes a packet of an age; answers at which age it is heard, if it did not come too late.
    pub fn take(&mut self, age: Duration) -> Option<Duration> {
        let behind = match self {
            Playout::Fixed { buffer, behind } => *behind.get_or_insert(age + *buffer),
            Playout::Adaptive(ages) => {
                let behind = ages.bound().unwrap_or(age);
                ages.add(age);
                behind
            }
        };
        (age <= behind).then_some(behind)
    }
}

/// The ages of the last packets, of which the buffer lets pass a quantile: S. B. Moon, J. Kurose,
/// D. Towsley: Packet audio playout delay adjustment: performance bounds and algorithms (1998). They
/// set it at the beginning of a talkspurt; a voice without pauses is stretched or shortened at any
/// packet, as Y. J. Liang, N. Färber, B. Girod do (2003).
#[derive(Clone, Debug, Default)]
pub struct Ages {
    in_order: VecDeque<Duration>,
    sorted: Vec<Duration>,
}

impl Ages {
    /// Inferred: 20 s of the usual packets, a tenth of the 10,000 that Moon et al. keep, so that a
    /// call of a minute gets over a burst.
    const KEPT: usize = 1000;

    /// One packet of so many comes too late. Inferred: 0.1 % of loss costs 0.4 of the E-model's
    /// rating, 1 % 3.6.
    const LATE_ONE_OF: usize = 1000;

    /// The age that all but few do not exceed.
    fn bound(&self) -> Option<Duration> {
        let late = self.sorted.len() / Self::LATE_ONE_OF;
        (self.sorted.len())
            .checked_sub(1 + late)
            .map(|at| self.sorted[at])
    }

    fn add(&mut self, age: Duration) {
        if self.in_order.len() == Self::KEPT
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.sorted
                .remove(self.sorted.partition_point(|&other| other < oldest));
        }
        self.in_order.push_back(age);
        self.sorted
            .insert(self.sorted.partition_point(|&other| other < age), age);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_fixed_buffer_stays_as_the_first_packet_set_it() {
        let mut playout = Playout::new(Some(millis(60)));
        let heard = [5, 65, 66].map(|age| playout.take(millis(age)));
        assert_eq!(heard, [Some(millis(65)), Some(millis(65)), None]);
    }

    #[test]
    fn an_adaptive_buffer_adds_nothing_to_a_delay_that_has_become_constant() {
        let mut playout = Playout::new(None);
        (0..1500).for_each(|_| assert_eq!(playout.take(millis(5)), Some(millis(5))));
        let heard = (0..50).filter_map(|_| playout.take(millis(205)));
        let heard: Vec<_> = heard.collect();
        assert_eq!(heard, [millis(205); 48], "the first two come too late");
    }

    #[test]
    fn an_adaptive_buffer_comes_down_once_the_late_packets_are_forgotten() {
        let mut playout = Playout::new(None);
        (0..10).for_each(|_| _ = playout.take(millis(300)));
        (0..998).for_each(|_| _ = playout.take(millis(10)));
        assert_eq!(
            playout.take(millis(10)),
            Some(millis(300)),
            "two are still there"
        );
        assert_eq!(playout.take(millis(10)), Some(millis(10)), "one is let go");
    }
}
