//! Hosts: what arrives at its destination, and the TCP endpoints there.

use tcp::Segment;
use units::Time;

use super::{Event, World};
use crate::flows::{App, Side};
use crate::packet::{Body, Packet};

impl World {
    pub(super) fn receive(&mut self, node: u16, handle: u32) {
        let packet = self.packets.get(handle);
        if self.ports.is_port(node) {
            return self
                .ports
                .emit(&self.plan, &self.foreign, self.now, node, packet);
        }
        let index = packet.flow;
        match &packet.body {
            Body::Tcp { segment, forward } => {
                let side = Side::receiving(*forward);
                self.flows[usize::from(index)].receive(self.now, side, segment);
                self.pump(index, side);
            }
            Body::Udp(datagram) => {
                self.flows[usize::from(index)].meter.bytes += u64::from(datagram.payload);
            }
            Body::Echo(echo) if echo.reply => {
                let flow = &mut self.flows[usize::from(index)];
                if let App::Ping(ping) = &mut flow.app
                    && let Some(rtt) = ping.on_reply(self.now, echo.sequence)
                {
                    flow.meter.rtt.add(rtt);
                    flow.meter.bytes += u64::from(echo.payload);
                }
            }
            Body::Echo(echo) => {
                let (to, answer) = (packet.from, echo.answer());
                self.originate(index, node, to, Body::Echo(answer));
            }
            // A simulated host speaks no protocol of the outside's.
            Body::Foreign(_) => {}
        }
    }

    /// Lets an end's application act, sends what its connection has to send, and sees to its timers.
    pub(super) fn pump(&mut self, index: u16, side: Side) {
        let now = self.now;
        let App::Stream(stream) = &mut self.flows[usize::from(index)].app else {
            return;
        };
        // The handshake's last segment leaves before the application hears that it is over.
        if !stream.is_established(side) {
            self.transmit(index, side);
        }
        let flow = &mut self.flows[usize::from(index)];
        let App::Stream(stream) = &mut flow.app else {
            return;
        };
        let progress = stream.progress(now, side);
        flow.meter.bytes += progress.delivered;
        if let Some(record) = progress.record {
            flow.meter.records.push(record);
        }
        if flow.meter.failure.is_none() {
            flow.meter.failure = progress.failure;
        }
        self.transmit(index, side);
        self.set_timer(index, side);
    }

    /// Sends what an end's connection has to send.
    #[inline]
    fn transmit(&mut self, index: u16, side: Side) {
        let flow = &self.flows[usize::from(index)];
        let (here, there) = match side {
            Side::Initiator => (flow.from, flow.to),
            Side::Responder => (flow.to, flow.from),
        };
        while let Some(segment) = self.next_segment(index, side) {
            let forward = side == Side::Initiator;
            self.originate(index, here, there, Body::Tcp { segment, forward });
        }
    }

    #[inline]
    fn next_segment(&mut self, index: u16, side: Side) -> Option<Segment> {
        let App::Stream(stream) = &mut self.flows[usize::from(index)].app else {
            return None;
        };
        stream.end(side)?.connection.poll_segment(self.now)
    }

    /// Keeps one look at the timers in the calendar, no later than the earliest of them.
    ///
    /// A retransmission timer is put off with every acknowledgement; the calendar
    /// is only touched when a timer comes nearer than the look already planned.
    #[inline]
    fn set_timer(&mut self, index: u16, side: Side) {
        let App::Stream(stream) = &mut self.flows[usize::from(index)].app else {
            return;
        };
        let Some(end) = stream.end(side) else { return };
        let wake_at = end.connection.wake_at();
        if wake_at < end.alarm_at {
            end.alarm_at = wake_at;
            self.calendar
                .schedule(wake_at, Event::Timer { flow: index, side });
        }
    }

    pub(super) fn look_at_timers(&mut self, index: u16, side: Side) {
        let App::Stream(stream) = &mut self.flows[usize::from(index)].app else {
            return;
        };
        let Some(end) = stream.end(side) else { return };
        if end.alarm_at != self.now {
            return;
        }
        end.alarm_at = Time::NEVER;
        if end.connection.wake_at() <= self.now {
            end.connection.on_timer(self.now);
            self.pump(index, side);
        } else {
            self.set_timer(index, side);
        }
    }

    /// Sends a packet of a flow from one node to another.
    pub(super) fn originate(&mut self, flow: u16, from: u16, to: u16, body: Body) {
        let ip_bytes = match body {
            Body::Tcp { segment, .. } => net::IPV4_HEADER + segment.total_bytes(),
            Body::Udp(datagram) => datagram.ip_bytes(),
            Body::Echo(echo) => echo.ip_bytes(),
            Body::Foreign(_) => return,
        };
        let identification = self.identify(from);
        let packet = Packet {
            flow,
            from,
            to,
            identification,
            ip_bytes: ip_bytes as u16,
            body,
        };
        let handle = self.packets.insert(packet);
        self.forward(from, handle);
    }

    pub(super) fn identify(&mut self, node: u16) -> u16 {
        let identification = &mut self.identifications[usize::from(node)];
        *identification = identification.wrapping_add(1);
        *identification
    }
}
