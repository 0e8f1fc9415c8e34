//! Machines whose processor takes time: packets wait for it on their way in and out.

use units::Time;

use super::{World, WorldEvent};
use crate::hosts::{ProcessorFull, ProcessorIntake, Task, TaskKind};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::meters::DropReason;
use crate::packets::Body;

impl World {
    /// A frame has come to an interface of a machine whose processor takes time.
    #[cold]
    pub(super) fn process_received(&mut self, interface: InterfaceId, handle: PacketId) {
        let bridges = self.network.interface(interface).role.bridges();
        if bridges || self.is_for_machine(interface, handle) {
            self.process(Task {
                packet: handle,
                interface,
                kind: TaskKind::Receive,
            });
        } else {
            self.packets.release(handle);
        }
    }

    /// A packet is about to leave a machine whose processor takes time. One that it only passes on
    /// has been processed when it came.
    #[cold]
    pub(super) fn process_sent(&mut self, interface: InterfaceId, handle: PacketId) {
        let node = self.network.interface(interface).node;
        let packet = self.packets.get(handle);
        let is_own =
            matches!(packet.body, Body::Arp(_)) || self.network.is_at_home(node, packet.source);
        if is_own {
            self.process(Task {
                packet: handle,
                interface,
                kind: TaskKind::Send,
            });
        } else {
            self.depart(interface, handle);
        }
    }

    fn process(&mut self, task: Task) {
        let node = self.network.interface(task.interface).node;
        let Some(processor) = self.hosts.processors.get_mut(node) else {
            return;
        };
        match processor.take(self.now, task) {
            Ok(ProcessorIntake::Done) => self.go_on(task),
            Ok(ProcessorIntake::First(done_at)) => {
                self.calendar.schedule(done_at, WorldEvent::Processed(node));
            }
            Ok(ProcessorIntake::Behind) => {}
            Err(ProcessorFull) => self.drop_packet(node, task.packet, DropReason::Processor),
        }
    }

    /// A node's processor has done with a packet.
    pub(super) fn finish_processing(&mut self, node: NodeId) {
        let processor = self.hosts.processors.get_mut(node);
        let Some((task, next_at)) = processor.and_then(|own| own.finish(self.now)) else {
            return;
        };
        if next_at != Time::NEVER {
            self.calendar.schedule(next_at, WorldEvent::Processed(node));
        }
        self.go_on(task);
        for place in 0..self.network.machines[node.index()].interfaces.len() {
            let interface = self.network.machines[node.index()].interfaces[place];
            if self.hosts.saturates(interface) {
                self.fill(interface);
            }
        }
    }

    fn go_on(&mut self, task: Task) {
        match task.kind {
            TaskKind::Receive => self.hand_on(task.interface, task.packet),
            TaskKind::Send => self.depart(task.interface, task.packet),
        }
    }
}
