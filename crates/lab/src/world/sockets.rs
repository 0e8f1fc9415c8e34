//! TCP at the hosts: segments come, applications act on what has happened, segments go.

use tcp::{Connection, ConnectionOptions, Failure, Flags, Segment, State};
use traffic::News;
use units::Time;

use super::{Event, World};
use crate::flows::{Account, OF_LINKS, Turn};
use crate::histograms::Timed;
use crate::packet::{Body, Ports};
use crate::sockets::{History, Owner, Side, Way};
use crate::transfers::Transfer;

impl World {
    /// A segment has reached the node that it is for.
    #[inline(always)]
    pub(super) fn take_segment(&mut self, node: u16, ports: Ports, handle: u32) {
        let packet = self.packets.get(handle);
        let Body::Tcp(_, segment) = &packet.body else {
            return;
        };
        let way = Way {
            node,
            peer: packet.source,
            local_port: ports.destination,
            remote_port: ports.source,
        };
        let Some(number) = self.sockets.find(way) else {
            return self.take_stray(way, *segment);
        };
        self.hand_over(number, handle);
        self.pump(number);
    }

    /// A segment for no connection opens one, or is refused.
    #[inline(never)]
    fn take_stray(&mut self, way: Way, segment: Segment) {
        match self.accept(way, &segment) {
            Some(number) => {
                if let Some(end) = self.sockets.get_mut(number) {
                    end.connection.on_segment(self.now, &segment);
                }
                self.pump(number);
            }
            None => self.refuse(way, &segment),
        }
    }

    /// Hands a connection its segment, and notes what that tells.
    #[inline(always)]
    fn hand_over(&mut self, number: u32, handle: u32) {
        let Body::Tcp(_, segment) = &self.packets.get(handle).body else {
            return;
        };
        let Some(end) = self.sockets.get_mut(number) else {
            return;
        };
        let Account {
            meter, histograms, ..
        } = &mut self.flows[usize::from(end.owner.flow)].account;
        let seen_before = end.connection.counters().duplicate_segments_received;
        end.connection.on_segment(self.now, segment);
        if let Some(rtt) = end.connection.take_rtt_sample() {
            meter.rtt.add_duration(rtt);
            if let Some(histograms) = histograms {
                histograms.add(Timed::RoundTrip, rtt);
            }
        }
        if end.owner.side == Side::Initiator {
            (meter.congestion_window).add(end.connection.congestion_window());
            meter.advertised_window.add(end.connection.send_window());
        }
        if segment.payload > 0 {
            if let Some(extent) = end.reordering.on_data(segment) {
                meter.reordering.add(extent);
            }
            if segment.kind.is_again() {
                let seen = end.connection.counters().duplicate_segments_received;
                meter.spurious += seen - seen_before;
            }
        }
        if end.history.stalled_at.is_some() {
            end.look_at_stall(self.now, meter);
        }
    }

    /// Opens the passive end of a connection for a SYN to a port that is bound.
    fn accept(&mut self, way: Way, segment: &Segment) -> Option<u32> {
        let Flags(flags) = segment.flags;
        if flags & (Flags::SYN | Flags::ACK | Flags::RST).0 != Flags::SYN.0 {
            return None;
        }
        let owner = self.sockets.bound(way.node, way.local_port)?;
        if let Some(number) = self.sockets.take_expected(owner) {
            self.admit_expected(number, way, owner);
            return Some(number);
        }
        let plan = &self.plan.flows[usize::from(owner.flow)];
        let stack = self.plan.stacks(plan)[owner.side as usize]?;
        let dscp = plan.dscp;
        let isn = self.flows[usize::from(owner.flow)].draw_isn();
        self.processors.open_connection(way.node, self.now);
        let options = ConnectionOptions {
            mss_limit_bytes: self.network.mss_towards(way.node, way.peer),
            ..OF_LINKS
        };
        let connection = Connection::listen(stack, &options, isn);
        let history = History {
            opened: self.now,
            begun: self.begun(way, owner),
            ..History::default()
        };
        Some(self.sockets.open(connection, way, dscp, owner, history))
    }

    /// The other end of a flow opens a connection that this one has waited for.
    fn admit_expected(&mut self, number: u32, way: Way, owner: Owner) {
        self.processors.open_connection(way.node, self.now);
        let begun = self.begun(way, owner);
        self.sockets.join(number, way);
        if let Some(end) = self.sockets.get_mut(number) {
            (end.history.opened, end.history.begun) = (self.now, begun);
        }
    }

    /// When the other end opened the connection that comes in now; now, if nothing tells that.
    fn begun(&self, way: Way, owner: Owner) -> Time {
        let opener = self.flows[usize::from(owner.flow)].node(owner.side.other());
        let from_there = Way {
            node: opener,
            peer: self.address(way.node),
            local_port: way.remote_port,
            remote_port: way.local_port,
        };
        let number = self.sockets.find(from_there);
        let opener = number.and_then(|number| self.sockets.get(number));
        opener.map_or(self.now, |end| end.history.begun)
    }

    fn refuse(&mut self, way: Way, segment: &Segment) {
        if let Some(reset) = tcp::refusal(segment) {
            self.send_segment(way, 0, reset);
        }
    }

    /// Lets a connection's application act, sends what the connection has to send, and sees to
    /// its timers.
    pub(super) fn pump(&mut self, number: u32) {
        let Some(end) = self.sockets.get(number) else {
            return;
        };
        if !end.established {
            // The handshake's last segment leaves before the application hears that it is over.
            self.transmit(number);
        }
        self.tell(number);
        self.transmit(number);
        self.set_timer(number);
    }

    /// Tells the application what has happened on a connection.
    #[inline(always)]
    fn tell(&mut self, number: u32) {
        let Some(end) = self.sockets.get_mut(number) else {
            return;
        };
        let owner = end.owner;
        let (mut any, mut news, mut failure) = (false, News::default(), None);
        let mut is_finished = false;
        while let Some(event) = end.connection.poll_event() {
            match event {
                tcp::Event::Established => news.established = true,
                tcp::Event::PeerClosed => news.peer_closed = true,
                tcp::Event::Failed(why) => failure = Some(why),
                tcp::Event::Finished => is_finished = true,
                tcp::Event::Readable | tcp::Event::Writable | tcp::Event::Closed => {}
            }
            any = true;
        }
        let established = end.established;
        if is_finished {
            self.sockets.remember(number);
        }
        if news.established || news.peer_closed || failure.is_some() {
            self.tell_news(number, news, failure);
        } else if any && established {
            self.give_turn(owner, Turn::Stream(number, news));
        }
    }

    /// Tells the application that a connection was opened, that nothing comes any more, or, by
    /// silence, that it has failed.
    #[cold]
    fn tell_news(&mut self, number: u32, news: News, failure: Option<Failure>) {
        let Some(end) = self.sockets.get_mut(number) else {
            return;
        };
        let has_all = news.peer_closed && failure.is_none() && end.has_mostly_received();
        let (owner, history) = (end.owner, &mut end.history);
        let flow = &mut self.flows[usize::from(owner.flow)];
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
            self.give_turn(owner, Turn::Stream(number, news));
        }
        if is_over && owner.side == Side::Initiator {
            self.look_whether_over(owner);
        }
    }

    /// Sends what a connection has to send.
    fn transmit(&mut self, number: u32) {
        while let Some(end) = self.sockets.get_mut(number)
            && let Some(segment) = end.connection.poll_segment(self.now)
        {
            let (way, dscp) = (end.way, end.dscp);
            if segment.kind.is_again() {
                let flow = &mut self.flows[usize::from(end.owner.flow)];
                flow.note_loss(self.now);
            }
            self.send_segment(way, dscp, segment);
        }
    }

    #[inline(always)]
    fn send_segment(&mut self, way: Way, dscp: u8, segment: Segment) {
        let ports = Ports {
            source: way.local_port,
            destination: way.remote_port,
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
    fn set_timer(&mut self, number: u32) {
        let Some(end) = self.sockets.get_mut(number) else {
            return;
        };
        if end.connection.state() == State::Closed {
            return self.end(number);
        }
        let wake_at = end.connection.wake_at();
        if wake_at < end.alarm_at {
            end.alarm_at = wake_at;
            self.calendar.schedule(wake_at, Event::Timer(number));
        }
    }

    pub(super) fn look_at_timers(&mut self, number: u32) {
        let Some(end) = self.sockets.get_mut(number) else {
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
                let meter = &mut self.flows[usize::from(end.owner.flow)].account.meter;
                end.stall(self.now, self.now - rto, meter);
            }
            self.pump(number);
        } else {
            self.set_timer(number);
        }
    }

    /// Forgets a connection that is over, and tells its application.
    fn end(&mut self, number: u32) {
        let Some(end) = self.sockets.get_mut(number) else {
            return;
        };
        let owner = end.owner;
        let in_vain = end.history.is_opener && !end.established;
        let meter = &mut self.flows[usize::from(owner.flow)].account.meter;
        end.stop_watches(self.now, meter);
        self.transfers.push(Transfer::of(end, Some(self.now)));
        if let Some(samples) = &mut self.tcp_samples {
            samples.add(self.now, end);
        }
        self.sockets.forget(number);
        self.give_turn(owner, Turn::End(number));
        if in_vain && let Some(expected) = self.sockets.take_expected(owner.flipped()) {
            self.sockets.forget(expected);
            self.give_turn(owner.flipped(), Turn::End(expected));
        }
    }
}
