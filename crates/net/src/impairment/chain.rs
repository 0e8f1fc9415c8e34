//! Chains: stages that a packet passes one after the other.

use std::collections::VecDeque;

use units::Time;

use super::stage::{Awaited, RunningStage, Stage};
use super::waiting::HeldPacket;
use super::{Damage, Facts, StageCounts, StageVerdict};
use crate::Chance;

/// The impairments of one direction of a link, in order.
///
/// The owner hands in each packet by [`Chain::on_packet`]. What the chain takes, and what it
/// holds back or copies, leaves by [`Chain::poll`], for which the owner asks right afterwards and
/// whenever [`Chain::next_wake`] is due.
#[derive(Clone, Debug)]
pub struct Chain<L> {
    stages: Vec<RunningStage<L>>,
    asks_whose: bool,
    /// Time when a stage wants to let the next packet go on, and which one: of several the last,
    /// since its packet came first.
    next: Wake,
    /// Packets that leave besides the one that was asked about.
    leaving: VecDeque<Leaving>,
}

/// Fate of a packet that came to a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainOutcome {
    /// It is through.
    Through,
    /// It is through, damaged.
    Damaged(Damage),
    /// It is lost.
    Lost,
    /// The chain has taken it: it is told by [`Chain::poll`], now or later.
    Taken,
}

/// A packet that leaves a chain; the owner's again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// A packet is through.
    Through(u32),
    /// A packet is through, damaged.
    Damaged(u32, Damage),
    /// A packet is lost.
    Lost(u32),
}

/// Time when a stage is to be asked for a packet. That may have been overtaken by then.
#[derive(Clone, Copy, Debug)]
struct Wake {
    at: Time,
    stage: usize,
}

impl<L: Chance> Chain<L> {
    /// A chain that no packet has passed, with a random stream of its own for each stage, so that
    /// one more stage changes no other's random numbers.
    pub fn new(stages: &[Stage], mut random: impl FnMut(&Stage) -> L) -> Self {
        let running = |stage: &Stage| RunningStage::new(stage, random(stage));
        let stages: Vec<_> = stages.iter().map(running).collect();
        Chain {
            asks_whose: stages.iter().any(RunningStage::asks_whose),
            stages,
            next: Wake::NONE,
            leaving: VecDeque::new(),
        }
    }

    /// Returns whether any filter asks for [`Facts::traffic`]; where none does, it may be left out.
    #[inline]
    pub fn asks_whose(&self) -> bool {
        self.asks_whose
    }

    /// A packet comes to the chain. Of one that is to be duplicated, `copy` makes a copy and
    /// answers its handle.
    #[inline]
    pub fn on_packet(
        &mut self,
        now: Time,
        handle: u32,
        facts: Facts,
        mut copy: impl FnMut(u32) -> u32,
    ) -> ChainOutcome {
        let packet = HeldPacket::new(handle, facts);
        if self.next.at <= now {
            self.follow(now, packet, &mut copy);
            return ChainOutcome::Taken;
        }
        match self.travel(now, 0, packet, &mut copy) {
            Some(Leaving::Through(_)) => ChainOutcome::Through,
            Some(Leaving::Damaged(_, damage)) => ChainOutcome::Damaged(damage),
            Some(Leaving::Lost(_)) => ChainOutcome::Lost,
            None => ChainOutcome::Taken,
        }
    }

    /// Returns whether packets wait for [`Chain::poll`] already.
    #[inline]
    pub fn has_left(&self) -> bool {
        !self.leaving.is_empty()
    }

    /// The next packet that leaves the chain now.
    #[inline]
    pub fn poll(&mut self, now: Time, mut copy: impl FnMut(u32) -> u32) -> Option<Leaving> {
        if let Some(leaving) = self.leaving.pop_front() {
            return Some(leaving);
        }
        while self.next.at <= now {
            let stage = self.next.stage;
            let Some(held) = self.take_due(now) else {
                continue;
            };
            let leaving = self.travel(now, stage + 1, held, &mut copy);
            if let Some(leaving) = leaving.or_else(|| self.leaving.pop_front()) {
                return Some(leaving);
            }
        }
        None
    }

    /// Returns when to call [`Chain::poll`] next, though it may turn out that nothing leaves then;
    /// [`Time::NEVER`] when nothing waits for a time.
    #[inline]
    pub fn next_wake(&self) -> Time {
        self.next.at
    }

    /// Packets that stages hold.
    pub fn held(&self) -> usize {
        let stages = self.stages.iter();
        stages
            .map(|stage| stage.timed.len() + stage.overtaken.len())
            .sum()
    }

    /// Returns what each stage has done, by its name, in order.
    pub fn counts(&self) -> impl Iterator<Item = (&str, StageCounts)> {
        let counts = |stage: &'_ RunningStage<L>| stage.counts;
        let names = self.stages.iter().map(|stage| stage.name.as_str());
        names.zip(self.stages.iter().map(counts))
    }

    /// Returns what each stage waits for and that has not come, in order.
    pub fn awaited(&self) -> impl Iterator<Item = Awaited> {
        self.stages.iter().map(RunningStage::awaited)
    }

    /// A packet comes when others are due, which came before it.
    #[cold]
    fn follow(&mut self, now: Time, packet: HeldPacket, copy: &mut impl FnMut(u32) -> u32) {
        while self.next.at <= now {
            let stage = self.next.stage;
            if let Some(due) = self.take_due(now) {
                self.travel_behind(now, stage + 1, due, copy);
            }
        }
        self.travel_behind(now, 0, packet, copy);
    }

    /// Lets a packet go as far as it comes, from the stage `first` on, and tells what becomes of
    /// it now. Where others leave with it, it stands before them in what leaves.
    #[inline(always)]
    fn travel(
        &mut self,
        now: Time,
        first: usize,
        packet: HeldPacket,
        copy: &mut impl FnMut(u32) -> u32,
    ) -> Option<Leaving> {
        for (further, stage) in self.stages[first..].iter_mut().enumerate() {
            let at = first + further;
            match stage.on_packet(now, &packet.facts) {
                StageVerdict::Pass if !stage.overtaken.pass(&packet.facts) => {}
                StageVerdict::Hold(until) => {
                    stage.counts.count_delayed(until - now);
                    stage.timed.hold(until, packet);
                    self.ask(at, until);
                    return None;
                }
                fate => return self.apply(now, at, fate, packet, copy),
            }
        }
        Some(packet.leaving())
    }

    /// Lets a packet go behind all that leave already.
    #[inline(never)]
    fn travel_behind(
        &mut self,
        now: Time,
        first: usize,
        packet: HeldPacket,
        copy: &mut impl FnMut(u32) -> u32,
    ) {
        let leaving = self.travel(now, first, packet, copy);
        self.leaving.extend(leaving);
    }

    /// Lets a packet go further to which a stage does what it does to few, apart from what happens
    /// to all.
    #[inline(never)]
    fn apply(
        &mut self,
        now: Time,
        at: usize,
        fate: StageVerdict,
        mut packet: HeldPacket,
        copy: &mut impl FnMut(u32) -> u32,
    ) -> Option<Leaving> {
        let stage = &mut self.stages[at];
        match fate {
            StageVerdict::Drop => {
                stage.counts.dropped += 1;
                return Some(Leaving::Lost(packet.handle));
            }
            StageVerdict::Damage(more) => {
                stage.counts.count_damaged(more);
                packet.damage |= more;
                return self.travel(now, at + 1, packet, copy);
            }
            StageVerdict::HoldBack(until) => {
                stage.overtaken.hold(until, packet);
                self.ask(at, until.at_latest);
                return None;
            }
            StageVerdict::Copy(copies) => {
                stage.counts.count_copied(copies);
                self.travel_behind(now, at + 1, packet, copy);
                for _ in 0..copies {
                    let handle = copy(packet.handle);
                    self.travel_behind(now, at + 1, HeldPacket { handle, ..packet }, copy);
                }
            }
            StageVerdict::Pass | StageVerdict::Hold(_) => {
                self.travel_behind(now, at + 1, packet, copy);
            }
        }
        while let Some(late) = self.stages[at].take_overtaken() {
            self.travel_behind(now, at + 1, late, copy);
        }
        None
    }

    /// Has a stage asked for a packet at a time at the latest.
    #[inline]
    fn ask(&mut self, stage: usize, at: Time) {
        self.stages[stage].next_at = self.stages[stage].next_at.min(at);
        if (at, self.next.stage) < (self.next.at, stage) {
            self.next = Wake { at, stage };
        }
    }

    /// Asks the stage whose turn it is for the packet that is due.
    #[inline]
    fn take_due(&mut self, now: Time) -> Option<HeldPacket> {
        let due = self.stages[self.next.stage].take_due(now);
        self.next = Wake::NONE;
        for (stage, running) in self.stages.iter().enumerate() {
            if running.next_at <= self.next.at {
                self.next = Wake {
                    at: running.next_at,
                    stage,
                };
            }
        }
        due
    }
}

impl Wake {
    const NONE: Wake = Wake {
        at: Time::NEVER,
        stage: 0,
    };
}
