//! Processors: what a machine does takes time, one thing after the other.
//!
//! A machine with a cost handles each packet that it receives, makes or passes on, each connection
//! that it opens or accepts, and each timing record that it keeps, in the order in which they come.
//! A packet passed on costs once, as on a machine that carries it from interface to interface in
//! one go. What an interface does by itself costs nothing: acknowledgements and beacons of the
//! MAC, and frames for others, which it does not take.

use std::collections::VecDeque;

use units::{Duration, Time};

use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::meters::{Meter, QueueMeter};
use crate::plan::{CostPlan, Plan};

/// Where a packet goes once the processor has done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// From an interface into the machine.
    Receive,
    /// From the machine, which has made it, out of an interface.
    Send,
}

/// A packet that needs the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its handle.
    pub packet: PacketId,
    /// The interface that it has come to, or is to leave through.
    pub interface: InterfaceId,
    /// Where it goes.
    pub kind: TaskKind,
}

/// There is no room for a packet, which is its owner's again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorFull;

/// What a processor makes of a packet that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessorIntake {
    /// It has done with it at once.
    Done,
    /// It will have done with it, the first of those it has, at this time.
    First(Time),
    /// It has others to do with first.
    Behind,
}

#[derive(Clone, Copy, Debug)]
struct WaitingPacket {
    task: Task,
    since: Time,
    done_at: Time,
}

/// The processor of a machine.
#[derive(Clone, Debug)]
pub struct Processor {
    cost: CostPlan,
    /// When all that it has to do will be done.
    free_at: Time,
    /// Packets in the order in which they have come.
    waiting: VecDeque<WaitingPacket>,
    /// Those of them that the machine has made.
    made: u32,
    /// All its work, what is still to be done included.
    work: Duration,
    /// Packets with it, the one in work included.
    pub queue: QueueMeter,
    /// How long packets were with it.
    pub stays: Meter,
    /// Packets that it had no room for.
    pub drops: u64,
}

impl Processor {
    /// One with nothing to do.
    pub fn new(cost: CostPlan) -> Self {
        Processor {
            cost,
            free_at: Time::ZERO,
            waiting: VecDeque::new(),
            made: 0,
            work: Duration::ZERO,
            queue: QueueMeter::default(),
            stays: Meter::default(),
            drops: 0,
        }
    }

    /// Takes a packet. One that there is no room for is its owner's again.
    pub fn take(&mut self, now: Time, task: Task) -> Result<ProcessorIntake, ProcessorFull> {
        if self.waiting.len() >= self.cost.queue_packets as usize {
            self.drops += 1;
            return Err(ProcessorFull);
        }
        let done_at = self.spend(now, self.cost.per_packet_ns);
        let is_first = self.waiting.is_empty();
        if is_first && done_at == now {
            self.stays.add_duration(Duration::ZERO);
            return Ok(ProcessorIntake::Done);
        }
        self.waiting.push_back(WaitingPacket {
            task,
            since: now,
            done_at,
        });
        self.made += u32::from(task.kind == TaskKind::Send);
        self.queue.push(now);
        Ok(if is_first {
            ProcessorIntake::First(done_at)
        } else {
            ProcessorIntake::Behind
        })
    }

    /// The packet that it has done with now, and when the next will be; [`Time::NEVER`] without
    /// any.
    pub fn finish(&mut self, now: Time) -> Option<(Task, Time)> {
        let WaitingPacket { task, since, .. } = self.waiting.pop_front()?;
        self.made -= u32::from(task.kind == TaskKind::Send);
        self.queue.pop(now);
        self.stays.add_duration(now - since);
        let next = self.waiting.front();
        Some((task, next.map_or(Time::NEVER, |waiting| waiting.done_at)))
    }

    /// Returns how long it has worked up to now.
    pub fn busy(&self, now: Time) -> Duration {
        self.work - self.free_at.saturating_since(now)
    }

    /// Packets waiting that the machine has made.
    pub fn made(&self) -> u32 {
        self.made
    }

    /// Packets with it.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Works for some time once all before is done; answers when that will be over.
    fn spend(&mut self, now: Time, time: Duration) -> Time {
        self.free_at = self.free_at.max(now) + time;
        self.work += time;
        self.free_at
    }
}

/// The processors of those machines that have a cost, by node.
#[derive(Clone, Debug)]
pub struct Processors(Vec<Option<Processor>>);

impl Processors {
    /// Those of a plan.
    pub fn new(plan: &Plan) -> Self {
        let costs = plan.nodes.iter().map(|node| node.cost);
        Processors(costs.map(|cost| cost.map(Processor::new)).collect())
    }

    /// That of a node.
    #[inline]
    pub fn get(&self, node: NodeId) -> Option<&Processor> {
        self.0[node.index()].as_ref()
    }

    /// That of a node.
    #[inline]
    pub fn get_mut(&mut self, node: NodeId) -> Option<&mut Processor> {
        self.0[node.index()].as_mut()
    }

    /// All there are, each with its node.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (NodeId, &mut Processor)> {
        (0..)
            .map(NodeId)
            .zip(&mut self.0)
            .filter_map(|(node, own)| Some((node, own.as_mut()?)))
    }

    /// Returns when a node will have done what it has to do; now, or before, where it has nothing.
    pub fn free_at(&self, node: NodeId) -> Time {
        self.get(node).map_or(Time::ZERO, |own| own.free_at)
    }

    /// A node opens or accepts a connection.
    pub fn open_connection(&mut self, node: NodeId, now: Time) {
        if let Some(own) = self.get_mut(node) {
            own.spend(now, own.cost.per_connection_ns);
        }
    }

    /// A node keeps a timing record; answers when it will have done so.
    pub fn keep_record(&mut self, node: NodeId, now: Time) -> Time {
        self.get_mut(node)
            .map_or(now, |own| own.spend(now, own.cost.per_record_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    fn packet(number: u32) -> Task {
        Task {
            packet: PacketId(number),
            interface: InterfaceId(0),
            kind: TaskKind::Receive,
        }
    }

    /// 20 us for a packet, 300 us for a connection, room for two packets.
    fn processor() -> Processor {
        Processor::new(CostPlan {
            per_packet_ns: Duration::from_micros(20),
            per_connection_ns: Duration::from_micros(300),
            per_record_ns: Duration::ZERO,
            queue_packets: 2,
        })
    }

    #[test]
    fn packets_are_done_with_one_after_the_other() {
        let mut own = processor();
        assert_eq!(
            own.take(at(0), packet(1)),
            Ok(ProcessorIntake::First(at(20)))
        );
        assert_eq!(own.take(at(5), packet(2)), Ok(ProcessorIntake::Behind));
        assert_eq!(own.take(at(10), packet(3)), Err(ProcessorFull));
        assert_eq!(own.finish(at(20)), Some((packet(1), at(40))));
        assert_eq!(own.finish(at(40)), Some((packet(2), Time::NEVER)));
        assert_eq!((own.stays.count, own.stays.sum), (2, 20_000 + 35_000));
        assert_eq!(
            (own.drops, own.busy(at(100))),
            (1, Duration::from_micros(40))
        );
    }

    #[test]
    fn what_is_not_worked_at_yet_is_no_work_done() {
        let mut own = processor();
        own.take(at(0), packet(1)).expect("there is room");
        assert_eq!(own.busy(at(15)), Duration::from_micros(15));
    }

    #[test]
    fn a_packet_waits_until_a_connection_is_open() {
        let mut all = Processors(vec![Some(processor()), None]);
        all.open_connection(NodeId(0), at(0));
        let own = all.get_mut(NodeId(0)).expect("it has one");
        assert_eq!(
            own.take(at(100), packet(1)),
            Ok(ProcessorIntake::First(at(320)))
        );
        assert_eq!(
            (all.free_at(NodeId(0)), all.free_at(NodeId(1))),
            (at(320), Time::ZERO)
        );
    }

    #[test]
    fn what_costs_nothing_is_done_at_once() {
        let mut own = processor();
        own.cost.per_packet_ns = Duration::ZERO;
        assert_eq!(own.take(at(7), packet(1)), Ok(ProcessorIntake::Done));
        own.spend(at(7), Duration::from_micros(3));
        assert_eq!(
            own.take(at(7), packet(2)),
            Ok(ProcessorIntake::First(at(10)))
        );
    }
}
