//! Noise at stated times.

use units::{Spans, Time};

use super::Radiation;
use crate::stations::ReceptionRandom;

units::declare! {
    /// Something that radiates at stated times.
    pub struct Config = "bursts" {
        /// when it radiates: the beginning and the end of each burst, as times of the run
        times: Spans = Field::duration().spans(),
    }
}

/// Bursts, one behind the other.
#[derive(Clone, Debug)]
pub struct Bursts(pub(crate) Vec<[Time; 2]>);

impl Bursts {
    /// Those of a list.
    pub fn new(config: &Config, _random: &mut impl ReceptionRandom) -> Bursts {
        Bursts(config.times.iter().collect())
    }
}

impl Radiation for Bursts {
    fn burst_after(&self, at: Time) -> Option<[Time; 2]> {
        let next = self.0.partition_point(|&[_, end]| end <= at);
        self.0.get(next).copied()
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;
    use crate::fading::trial::TrialRandom;

    #[test]
    fn a_burst_is_the_next_until_it_has_ended() {
        let millis = |at: [u64; 2]| at.map(Duration::from_millis);
        let times = Spans(vec![millis([1, 3]), millis([5, 6])]);
        let bursts = Bursts::new(&Config { times }, &mut TrialRandom(1));
        let after = |at| {
            let burst = bursts.burst_after(Time::ZERO + Duration::from_millis(at));
            burst.map(|[begin, _]| begin.as_nanos() / 1_000_000)
        };
        assert_eq!(
            [0, 2, 3, 5, 6].map(after),
            [Some(1), Some(1), Some(5), Some(5), None]
        );
    }
}
