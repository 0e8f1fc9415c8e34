//! Wrong frame check sequences: the emulator garbles the FCS and nothing else.

use units::Time;

use super::{Damage, Facts, Impairment, StageVerdict};
use crate::Chance;

units::declare! {
    /// Frames get a wrong check sequence, and the next device drops them.
    pub struct Config = "bad-fcs" {
        /// chance of each frame, whatever happened to others
        probability: f64 = Field::probability(),
    }
}

/// A stage that garbles check sequences.
#[derive(Clone, Debug)]
pub struct BadFcs {
    probability: f64,
}

impl BadFcs {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        BadFcs {
            probability: config.probability,
        }
    }
}

impl Impairment for BadFcs {
    const DAMAGES: bool = true;

    #[inline]
    fn on_packet(
        &mut self,
        _now: Time,
        _number: u64,
        _facts: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        if random.unit() < self.probability {
            StageVerdict::Damage(Damage::FCS)
        } else {
            StageVerdict::Pass
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::tests::MmixRandom;
    use crate::impairment::CarriedProtocol;

    #[test]
    fn of_a_million_frames_one_in_a_hundred_gets_a_wrong_check_sequence() {
        let mut stage = BadFcs::new(&Config { probability: 0.01 });
        let frame = Facts {
            flow: 0,
            traffic: None,
            ip_bytes: 1500,
            protocol: CarriedProtocol::Udp,
        };
        let random = &mut MmixRandom(5);
        let mut fate = |number| stage.on_packet(Time::ZERO, number, &frame, random);
        let is_wrong = |number: &u64| fate(*number) == StageVerdict::Damage(Damage::FCS);
        let wrong = (1..=1_000_000).filter(is_wrong).count();
        assert!(
            (9_700..=10_300).contains(&wrong),
            "10,000 ± 3 sigma, got {wrong}"
        );
    }
}
