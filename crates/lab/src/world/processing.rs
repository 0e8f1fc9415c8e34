//! Machines whose processor takes time: packets wait for it on their way in and out.

use units::Time;

use super::{Event, World};
use crate::drops::Why;
use crate::packet::Body;
use crate::processor::{Full, Taken, Task, Way};

impl World {
    /// A frame has come to an interface of a machine whose processor takes time.
    #[cold]
    pub(super) fn process_received(&mut self, interface: u16, handle: u32) {
        let bridges = self.network.interface(interface).role.bridges();
        if bridges || self.is_for_machine(interface, handle) {
            self.process(Task {
                packet: handle,
                interface,
                way: Way::In,
            });
        } else {
            self.packets.release(handle);
        }
    }

    /// A packet is about to leave a machine whose processor takes time. One that it only passes on
    /// has been processed when it came.
    #[cold]
    pub(super) fn process_sent(&mut self, interface: u16, handle: u32) {
        let node = self.network.interface(interface).node;
        let packet = self.packets.get(handle);
        let is_own = matches!(packet.body, Body::Arp(_)) || self.is_at_home(node, packet.source);
        if is_own {
            self.process(Task {
                packet: handle,
                interface,
                way: Way::Out,
            });
        } else {
            self.depart(interface, handle);
        }
    }

    fn process(&mut self, task: Task) {
        let node = self.network.interface(task.interface).node;
        let Some(processor) = self.processors.get_mut(node) else {
            return;
        };
        match processor.take(self.now, task) {
            Ok(Taken::Done) => self.go_on(task),
            Ok(Taken::First(done_at)) => {
                self.calendar.schedule(done_at, Event::Processed(node));
            }
            Ok(Taken::Behind) => {}
            Err(Full) => self.drop_packet(node, task.packet, Why::Processor),
        }
    }

    /// A node's processor has done with a packet.
    pub(super) fn finish_processing(&mut self, node: u16) {
        let processor = self.processors.get_mut(node);
        let Some((task, next_at)) = processor.and_then(|own| own.finish(self.now)) else {
            return;
        };
        if next_at != Time::NEVER {
            self.calendar.schedule(next_at, Event::Processed(node));
        }
        self.go_on(task);
        for place in 0..self.network.machines[usize::from(node)].interfaces.len() {
            let interface = self.network.machines[usize::from(node)].interfaces[place];
            if !self.greedy[usize::from(interface)].is_empty() {
                self.fill(interface);
            }
        }
    }

    fn go_on(&mut self, task: Task) {
        match task.way {
            Way::In => self.hand_on(task.interface, task.packet),
            Way::Out => self.depart(task.interface, task.packet),
        }
    }
}
