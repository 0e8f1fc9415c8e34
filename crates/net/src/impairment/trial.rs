//! For tests: a chain, packets sent through it, and what comes out when.

use units::{Duration, Time};

use super::{
    CarriedProtocol, Chain, ChainOutcome, Config, Damage, Facts, Filter, Leaving, Match, Stage,
    StageCounts,
};
use crate::chance::tests::MmixRandom;

/// The size of each packet.
pub(super) const IP_BYTES: u32 = 1_500;

/// A stage for every packet.
pub(super) fn every(name: &str, impairment: Config) -> Stage {
    only(name, &[], impairment)
}

/// A stage for packets of these kinds.
pub(super) fn only(name: &str, kinds: &[Match], impairment: Config) -> Stage {
    let filter = Filter {
        kinds: kinds.to_vec(),
        ..Filter::default()
    };
    Stage {
        name: name.to_owned(),
        filter,
        impairment,
    }
}

/// A chain with its owner. A packet's handle is its number; so is a copy's.
pub(super) struct ChainTrial {
    chain: Chain<MmixRandom>,
    left: Vec<(u32, Time)>,
    damaged: Vec<(u32, Damage)>,
    lost: Vec<u32>,
    sent: u32,
}

impl ChainTrial {
    pub(super) fn of(stages: &[Stage]) -> ChainTrial {
        let mut seed = 0;
        ChainTrial {
            chain: Chain::new(stages, |_| {
                seed += 1;
                MmixRandom(seed)
            }),
            left: Vec::new(),
            damaged: Vec::new(),
            lost: Vec::new(),
            sent: 0,
        }
    }

    /// Sends datagrams of one connection, so far apart, the first at time zero.
    pub(super) fn send_every(&mut self, gap: Duration, packets: u32) {
        self.send_in_turns(1, gap, packets);
    }

    /// Sends datagrams of several connections in turns.
    pub(super) fn send_in_turns(&mut self, connections: u32, gap: Duration, packets: u32) {
        for number in 0..packets {
            let facts = Facts {
                flow: number % connections,
                traffic: None,
                ip_bytes: IP_BYTES,
                protocol: CarriedProtocol::Udp,
            };
            self.send(Time::ZERO + gap * u64::from(number), &facts);
        }
    }

    /// Sends a packet.
    pub(super) fn send(&mut self, now: Time, facts: &Facts) {
        self.wake_until(now);
        match self
            .chain
            .on_packet(now, self.sent, *facts, |original| original)
        {
            ChainOutcome::Through => self.left.push((self.sent, now)),
            ChainOutcome::Damaged(damage) => self.left_damaged(now, self.sent, damage),
            ChainOutcome::Lost => self.lost.push(self.sent),
            ChainOutcome::Taken => {}
        }
        self.poll(now);
        self.sent += 1;
    }

    /// Waits until nothing is held, and gives what came through, and when.
    pub(super) fn end(&mut self) -> Vec<(u32, Time)> {
        self.wake_until(Time::from_nanos(u64::MAX - 1));
        assert_eq!(self.chain.held(), 0);
        std::mem::take(&mut self.left)
    }

    /// The numbers of the packets that were lost.
    pub(super) fn lost(&self) -> &[u32] {
        &self.lost
    }

    /// Packets that came through damaged, by number, and how.
    pub(super) fn damaged(&self) -> &[(u32, Damage)] {
        &self.damaged
    }

    /// Packets and copies that are through or lost.
    pub(super) fn told(&self) -> u64 {
        (self.left.len() + self.lost.len()) as u64
    }

    /// Those that are held.
    pub(super) fn held(&self) -> u64 {
        self.chain.held() as u64
    }

    pub(super) fn counts(&self, name: &str) -> StageCounts {
        let mut all = self.chain.counts();
        all.find(|(own, _)| *own == name).expect("such a stage").1
    }

    fn left_damaged(&mut self, now: Time, number: u32, damage: Damage) {
        self.left.push((number, now));
        self.damaged.push((number, damage));
    }

    fn wake_until(&mut self, until: Time) {
        while self.chain.next_wake() <= until {
            self.poll(self.chain.next_wake());
        }
    }

    fn poll(&mut self, now: Time) {
        while let Some(leaving) = self.chain.poll(now, |original| original) {
            match leaving {
                Leaving::Through(number) => self.left.push((number, now)),
                Leaving::Damaged(number, damage) => self.left_damaged(now, number, damage),
                Leaving::Lost(number) => self.lost.push(number),
            }
        }
    }
}

/// The numbers of packets in the order they left.
pub(super) fn numbers(left: &[(u32, Time)]) -> Vec<u32> {
    left.iter().map(|&(number, _)| number).collect()
}

/// The delays of so many packets, in milliseconds, none of which keeps another waiting.
pub(super) fn delays(config: Config, packets: u32) -> Vec<f64> {
    let gap = Duration::from_micros(100);
    let mut trial = ChainTrial::of(&[every("delay", config)]);
    trial.send_every(gap, packets);
    let delay = |(number, at): (u32, Time)| {
        let sent = Time::ZERO + gap * u64::from(number);
        (at - sent).as_nanos() as f64 / 1e6
    };
    trial.end().into_iter().map(delay).collect()
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The values below which these shares of all lie.
pub(super) fn quantiles<const N: usize>(values: &[f64], shares: [f64; N]) -> [f64; N] {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    shares.map(|share| sorted[(share * sorted.len() as f64) as usize])
}
