//! One stage of a chain: which packets it is about, what it does to them, and those it holds.

use units::Time;
use units::serde::{Deserialize, Serialize};

use super::matcher::Matcher;
use super::waiting::{HeldBack, HeldPacket, Overtaken, TimedPackets};
use super::{AnyImpairment, Config, Facts, Filter, Impairment, StageCounts, StageVerdict};
use crate::Chance;

/// One stage of a chain, as a plan has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(crate = "units::serde")]
pub struct Stage {
    /// Its name in scenarios.
    pub name: String,
    /// The packets it is about.
    #[serde(flatten)]
    pub filter: Filter,
    /// Its effect on them.
    #[serde(flatten)]
    pub impairment: Config,
}

/// Packets that a stage waits for and that have not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// Packets, of those that it lists by number.
    pub packets: Option<u64>,
    /// Connections, up to the one that it is about.
    pub connections: Option<u64>,
}

/// A stage of a running chain, with the packets that it holds.
#[derive(Clone, Debug)]
pub struct RunningStage<L> {
    /// Time to ask it for the next packet that it holds.
    pub next_at: Time,
    filter: Matcher,
    machine: AnyImpairment,
    random: L,
    pub counts: StageCounts,
    pub timed: TimedPackets,
    pub overtaken: Overtaken,
    pub name: String,
}

impl<L: Chance> RunningStage<L> {
    /// A stage that has seen no packet.
    pub fn new(stage: &Stage, random: L) -> Self {
        RunningStage {
            next_at: Time::NEVER,
            name: stage.name.clone(),
            filter: Matcher::new(&stage.filter),
            machine: AnyImpairment::new(&stage.impairment),
            random,
            counts: StageCounts::default(),
            timed: TimedPackets::default(),
            overtaken: Overtaken::default(),
        }
    }

    /// Returns whether it has to be told of packets whose they are.
    pub fn asks_whose(&self) -> bool {
        self.filter.asks_whose()
    }

    /// Returns what becomes of a packet that comes to the stage; one that its filter spares goes
    /// on, and so does one that is held for no time.
    #[inline(always)]
    pub fn on_packet(&mut self, now: Time, facts: &Facts) -> StageVerdict {
        if !self.filter.matches(now, facts) {
            return StageVerdict::Pass;
        }
        self.counts.matched += 1;
        let number = self.counts.matched;
        match (self.machine).on_packet(now, number, facts, &mut self.random) {
            StageVerdict::Hold(until) if until <= now => StageVerdict::Pass,
            fate => fate,
        }
    }

    /// Returns what it waits for and that has not come.
    pub fn awaited(&self) -> Awaited {
        Awaited {
            packets: self.machine.awaited(),
            connections: self.filter.connections_awaited(),
        }
    }

    /// The next packet whose time has come.
    #[inline]
    pub fn take_due(&mut self, now: Time) -> Option<HeldPacket> {
        let held = if self.timed.next_at() <= now {
            self.timed.take()
        } else {
            self.take_waited_out(now)
        };
        self.next_at = self.timed.next_at().min(self.overtaken.next_at());
        held
    }

    #[cold]
    fn take_waited_out(&mut self, now: Time) -> Option<HeldPacket> {
        let late = self.overtaken.take(now)?;
        self.counts.waited_out += 1;
        Some(self.told(&late))
    }

    /// The next packet that enough others have overtaken.
    pub fn take_overtaken(&mut self) -> Option<HeldPacket> {
        let late = self.overtaken.take_overtaken()?;
        Some(self.told(&late))
    }

    fn told(&mut self, late: &HeldBack) -> HeldPacket {
        self.counts.reordered += u64::from(late.overtaken > 0);
        self.counts.displacement += u64::from(late.overtaken);
        late.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impairment::{KINDS, Match, drop};

    const PLAN: &str = r#"{"kind":"drop","name":"loss","match":["tcp-data","udp"],"from_ns":0,
        "until_ns":null,"probability":0.01,"packets":null}"#;

    #[test]
    fn a_plan_holds_filter_and_parameters_side_by_side() {
        let stage: Stage = serde_json::from_str(PLAN).unwrap();
        assert_eq!(stage.name, "loss");
        assert_eq!(stage.filter.kinds, [Match::TcpData, Match::Udp]);
        let config = drop::Config {
            probability: Some(0.01),
            every: None,
            packets: None,
        };
        assert_eq!(stage.impairment, Config::Drop(config));
        assert_eq!(KINDS[0].name, "drop");
    }

    #[test]
    fn a_parameter_of_another_impairment_is_refused() {
        let plan = PLAN.replace("probability", "likelihood");
        let error = serde_json::from_str::<Stage>(&plan).unwrap_err();
        assert!(error.to_string().contains("likelihood"), "{error}");
    }

    #[test]
    fn the_first_packet_has_the_number_one() {
        let plan = PLAN.replace(r#""packets":null"#, r#""packets":[0]"#);
        let error = serde_json::from_str::<Stage>(&plan).unwrap_err();
        assert!(error.to_string().contains("nonzero"), "{error}");
    }
}
