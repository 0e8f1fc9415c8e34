//! TCP at the hosts: segments come, applications act on what has happened, segments go.

use tcp::{Failure, Segment, State};
use traffic::SocketEvents;
use units::Time;

use super::{World, WorldEvent};
use crate::hosts::{AppEvent, ConnectionPath};
use crate::ids::{NodeId, PacketId, PortNumber, Side, SocketId};
use crate::packets::{Body, SegmentPorts};
use crate::rows::TransferRow;

impl World {
    /// A segment has reached the node that it is for.
    #[inline(always)]
    pub(super) fn take_segment(&mut self, node: NodeId, ports: SegmentPorts, handle: PacketId) {
        let packet = self.packets.get(handle);
        let Body::Tcp(_, segment) = &packet.body else {
            return;
        };
        let way = ConnectionPath {
            node,
            peer: packet.source,
            local_port: PortNumber(ports.destination),
            remote_port: PortNumber(ports.source),
        };
        let Some(number) = self.hosts.sockets.find(way) else {
            return self.open_or_refuse(way, *segment);
        };
        self.hosts.take_segment(self.now, number, segment);
        self.pump(number);
    }

    /// A segment for no connection opens one, or is refused.
    #[inline(never)]
    fn open_or_refuse(&mut self, way: ConnectionPath, segment: Segment) {
        let around = (&self.plan, &self.network);
        match self.hosts.accept(self.now, way, &segment, around) {
            Some(number) => {
                if let Some(end) = self.hosts.sockets.get_mut(number) {
                    end.connection.on_segment(self.now, &segment);
                }
                self.pump(number);
            }
            None => self.refuse(way, &segment),
        }
    }

    fn refuse(&mut self, way: ConnectionPath, segment: &Segment) {
        if let Some(reset) = tcp::refusal(segment) {
            self.send_segment(way, 0, reset);
        }
    }

    /// Lets a connection's application act, sends what the connection has to send, and sees to
    /// its timers.
    pub(super) fn pump(&mut self, number: SocketId) {
        let Some(end) = self.hosts.sockets.get(number) else {
            return;
        };
        if !end.established || end.connection.answers_before_reading() {
            // The handshake's last segment leaves before the application hears that it is over,
            // and BSD's acknowledgement before it reads.
            self.transmit(number);
        }
        self.tell(number);
        self.transmit(number);
        self.set_timer(number);
    }

    /// Tells the application what has happened on a connection.
    #[inline(always)]
    fn tell(&mut self, number: SocketId) {
        let Some(end) = self.hosts.sockets.get_mut(number) else {
            return;
        };
        let owner = end.owner;
        let (mut any, mut news, mut failure) = (false, SocketEvents::default(), None);
        let mut is_finished = false;
        while let Some(event) = end.connection.poll_event() {
            match event {
                tcp::Event::Established => news.established = true,
                tcp::Event::PeerClosed => news.peer_closed = true,
                tcp::Event::Failed(reason) => failure = Some(reason),
                tcp::Event::Finished => is_finished = true,
                tcp::Event::Readable | tcp::Event::Writable | tcp::Event::Closed => {}
            }
            any = true;
        }
        let established = end.established;
        if is_finished {
            self.hosts.sockets.remember(number);
        }
        if news.established || news.peer_closed || failure.is_some() {
            self.tell_news(number, news, failure);
        } else if any && established {
            self.notify(owner, AppEvent::Stream(number, news));
        }
    }

    /// Tells the application that a connection was opened, that nothing comes any more, or, by
    /// silence, that it has failed.
    #[cold]
    fn tell_news(&mut self, number: SocketId, news: SocketEvents, failure: Option<Failure>) {
        let Some(end) = self.hosts.sockets.get_mut(number) else {
            return;
        };
        let has_all = news.peer_closed && failure.is_none() && end.has_mostly_received();
        let (owner, history) = (end.owner, &mut end.history);
        let flow = &mut self.hosts.flows[owner.flow.index()];
        if news.peer_closed && failure.is_none() {
            history.completed = Some(self.now);
        }
        if has_all {
            flow.complete_transfer(self.now - history.begun);
        }
        let meter = &mut flow.account.meter;
        if news.established {
            end.established = true;
            history.established = Some(self.now);
            if history.is_opener {
                meter.setup.add_duration(self.now - history.opened);
            }
        }
        let is_over = news.peer_closed || failure.is_some();
        history.is_over |= is_over;
        if let Some(failure) = failure {
            history.failure = Some(failure);
            meter.failure.get_or_insert(failure);
        } else if end.established {
            self.notify(owner, AppEvent::Stream(number, news));
        }
        if is_over && owner.side == Side::Initiator {
            self.look_whether_over(owner);
        }
    }

    /// Tells connections what of theirs has left the queue below them, and sends what waited for it.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_senders(&mut self) {
        let mut awaited = Vec::new();
        while let Some(left) = self.packets.take_left() {
            let end = self.hosts.sockets.get_mut(left.sender);
            let end = end.filter(|end| end.way.local_port == left.port);
            if end.is_some_and(|end| end.connection.note_left(&left.segment)) {
                awaited.push(left.sender);
            }
        }
        for number in awaited {
            self.pump(number);
        }
    }

    /// Sends what a connection has to send.
    fn transmit(&mut self, number: SocketId) {
        while let Some(end) = self.hosts.sockets.get_mut(number)
            && let Some(segment) = end.connection.poll_segment(self.now)
        {
            let (way, dscp) = (end.way, end.dscp);
            let is_counted = end.connection.counts_below();
            if segment.kind.is_again() {
                let flow = &mut self.hosts.flows[end.owner.flow.index()];
                flow.note_loss(self.now);
            }
            self.packets.charge_to(is_counted.then_some(number));
            self.send_segment(way, dscp, segment);
        }
        self.packets.charge_to(None);
    }

    #[inline(always)]
    fn send_segment(&mut self, way: ConnectionPath, dscp: u8, segment: Segment) {
        let ports = SegmentPorts {
            source: way.local_port.0,
            destination: way.remote_port.0,
        };
        let ip_bytes = net::IPV4_HEADER + segment.total_bytes();
        let body = Body::Tcp(ports, segment);
        self.originate(way.node, way.peer, dscp, ip_bytes, body);
    }

    /// Keeps one look at the timers in the calendar, no later than the earliest of them, unless
    /// the connection is over.
    ///
    /// A retransmission timer is put off with every acknowledgement; the calendar
    /// is only touched when a timer comes nearer than the look already planned.
    #[inline]
    fn set_timer(&mut self, number: SocketId) {
        let Some(end) = self.hosts.sockets.get_mut(number) else {
            return;
        };
        if end.connection.state() == State::Closed {
            return self.end(number);
        }
        let wake_at = end.connection.wake_at();
        if wake_at < end.alarm_at {
            end.alarm_at = wake_at;
            self.calendar.schedule(wake_at, WorldEvent::Timer(number));
        }
    }

    pub(super) fn look_at_timers(&mut self, number: SocketId) {
        let Some(end) = self.hosts.sockets.get_mut(number) else {
            return;
        };
        if end.alarm_at != self.now {
            return;
        }
        end.alarm_at = Time::NEVER;
        if end.connection.wake_at() <= self.now {
            let (timeouts, rto) = (end.connection.counters().timeouts, end.connection.rto());
            end.connection.on_timer(self.now);
            if end.established && end.connection.counters().timeouts > timeouts {
                let meter = &mut self.hosts.flows[end.owner.flow.index()].account.meter;
                end.stall(self.now, self.now - rto, meter);
            }
            self.pump(number);
        } else {
            self.set_timer(number);
        }
    }

    /// Forgets a connection that is over, and tells its application.
    fn end(&mut self, number: SocketId) {
        let Some(end) = self.hosts.sockets.get_mut(number) else {
            return;
        };
        let owner = end.owner;
        let in_vain = end.history.is_opener && !end.established;
        let meter = &mut self.hosts.flows[owner.flow.index()].account.meter;
        end.stop_watches(self.now, meter);
        self.observers
            .transfers
            .push(TransferRow::of(end, Some(self.now)));
        if let Some(samples) = &mut self.observers.tcp_samples {
            samples.add(self.now, end);
        }
        self.hosts.sockets.forget(number);
        self.notify(owner, AppEvent::End(number));
        if in_vain && let Some(expected) = self.hosts.sockets.take_expected(owner.other_end()) {
            self.hosts.sockets.forget(expected);
            self.notify(owner.other_end(), AppEvent::End(expected));
        }
    }
}
