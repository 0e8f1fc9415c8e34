//! The world: a plan brought to life.
//!
//! One thread, one calendar. An event is handled to its end before the next:
//! what a machine hands out is given to the next machine at once, so nothing is
//! ever left over between two events.
//!
//! A world can be stepped from outside: [`World::next_wake`] says when it wants
//! to run, [`World::run_until`] runs it, [`World::inject`] and
//! [`World::poll_egress`] pass frames in and out at its ports. The simulator does
//! all of it at once; a wall clock does it as time goes by.

use dot11::{Address, FrameKind};
use engine::{Calendar, Purpose, Stream};
use net::{Datagram, Link, wire_bytes};
use tcp::Segment;
use units::Time;

use crate::beacon::BeaconContent;
use crate::content::Content;
use crate::flows::{App, Flow, Side};
use crate::packet::{Body, Packet, Packets};
use crate::plan::{Plan, Role};
use crate::port::Ports;
use crate::radios::{Aired, Due, Radios};
use crate::record::{Record, Snapshot};
use crate::routing::{Egress, Routes};
use crate::series::Series;
use crate::taps::Taps;

/// What the calendar holds.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A packet at the far end of a link.
    Arrival(u16),
    /// A look at the timers of a connection's end.
    Timer { flow: u16, side: Side },
    /// A flow starts, or its next datagram or request is due.
    Traffic(u16),
    /// An access point's beacon.
    Beacon(u16),
    /// The end of a step of the series.
    Step,
    /// The end of the warm-up.
    Measure,
}

/// A running world.
#[derive(Debug)]
pub struct World {
    pub(crate) now: Time,
    end: Time,
    calendar: Calendar<Event>,
    pub(crate) plan: Plan,
    seed: u64,
    pub(crate) packets: Packets,
    routes: Routes,
    /// Both directions of each wire: link `2 w` from its first end, `2 w + 1` to it.
    pub(crate) links: Vec<Link>,
    pub(crate) link_drops: Vec<u64>,
    pub(crate) radios: Option<Radios>,
    pub(crate) flows: Vec<Flow>,
    /// Flows of each node that send whenever its interface has room.
    greedy: Vec<Vec<u16>>,
    identifications: Vec<u16>,
    pub(crate) content: Content,
    pub(crate) series: Option<Series>,
    pub(crate) start: Option<Box<Snapshot>>,
    ports: Ports,
    taps: Taps,
}

impl World {
    /// A world at time zero.
    pub fn new(plan: Plan, seed: u64) -> World {
        let flows: Vec<Flow> = plan.flows.iter().map(Flow::new).collect();
        let links: Vec<Link> = (plan.wires.iter())
            .flat_map(|wire| {
                let link = || Link::new(wire.rate_bps, wire.delay_ns, wire.queue_packets);
                [link(), link()]
            })
            .collect();
        let mut world = World {
            now: Time::ZERO,
            end: Time::ZERO + plan.duration_ns,
            calendar: Calendar::new(),
            seed,
            packets: Packets::default(),
            routes: Routes::new(&plan),
            link_drops: vec![0; links.len()],
            links,
            radios: Radios::new(&plan, seed),
            greedy: vec![Vec::new(); plan.nodes.len()],
            identifications: vec![0; plan.nodes.len()],
            content: Content::default(),
            series: plan.series_step_ns.map(|_| Series::new(&plan)),
            start: None,
            ports: Ports::new(&plan),
            taps: Taps::default(),
            flows,
            plan,
        };
        world.schedule_beginnings();
        world
    }

    /// Writes what passes at the plan's taps to files in `directory`.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn capture_to(&mut self, directory: &std::path::Path) -> std::io::Result<()> {
        self.taps = Taps::open(&self.plan, directory)?;
        if let Some(radios) = &mut self.radios {
            for node in self.taps.antennas() {
                radios.monitor(node);
            }
        }
        Ok(())
    }

    /// The time of the last event.
    pub fn now(&self) -> Time {
        self.now
    }

    /// When the world wants to run next; [`Time::NEVER`] when nothing will ever happen by itself.
    #[inline]
    pub fn next_wake(&mut self) -> Time {
        self.calendar.next_at().min(self.next_on_air().0)
    }

    /// Handles everything up to and including `until`.
    pub fn run_until(&mut self, until: Time) {
        loop {
            let (due_at, due) = self.next_on_air();
            let event_at = self.calendar.next_at();
            if due_at.min(event_at) > until {
                break;
            }
            if event_at <= due_at {
                let (now, event) = self.calendar.pop().expect("it has a time");
                self.now = now;
                self.handle(event);
            } else {
                self.now = due_at;
                self.act(due);
            }
        }
        self.now = self.now.max(until);
    }

    #[inline]
    fn next_on_air(&mut self) -> (Time, Due) {
        self.radios
            .as_mut()
            .map_or((Time::NEVER, Due::Radio(0)), Radios::next)
    }

    /// Runs to the end of the plan and answers what was measured.
    ///
    /// # Errors
    /// When a capture file cannot be written.
    pub fn run(mut self) -> std::io::Result<Record> {
        self.run_until(self.end);
        self.finish()
    }

    /// Ends the run now and answers what was measured.
    ///
    /// # Errors
    /// When a capture file cannot be written.
    pub fn finish(mut self) -> std::io::Result<Record> {
        std::mem::take(&mut self.taps).finish()?;
        Ok(Record::of(self))
    }

    /// Hands a frame, Ethernet header and IPv4 packet, into the world at a port.
    ///
    /// The frame enters now, that is at the time up to which the world has run.
    ///
    /// # Errors
    /// When it is not such a frame, or no node has its destination's address.
    pub fn inject(&mut self, port: u16, frame: &[u8]) -> Result<(), crate::port::Refused> {
        let mut packet = self.ports.admit(port, frame)?;
        packet.identification = self.identify(port);
        let handle = self.packets.insert(packet);
        self.forward(port, handle);
        Ok(())
    }

    /// The next frame that left the world: when, at which port, and its bytes.
    pub fn poll_egress(&mut self) -> Option<(Time, u16, Vec<u8>)> {
        self.ports.poll()
    }

    fn schedule_beginnings(&mut self) {
        for (index, node) in self.plan.nodes.iter().enumerate() {
            let interval = node
                .radio
                .as_ref()
                .and_then(|radio| radio.beacon_interval_ns);
            if node.role == Role::Ap
                && let Some(interval) = interval
            {
                self.calendar
                    .schedule(Time::ZERO + interval, Event::Beacon(index as u16));
            }
        }
        for (index, flow) in self.plan.flows.iter().enumerate() {
            self.calendar
                .schedule(Time::ZERO + flow.start_ns, Event::Traffic(index as u16));
        }
        self.calendar
            .schedule(Time::ZERO + self.plan.warmup_ns, Event::Measure);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Arrival(link) => self.arrive(link),
            Event::Timer { flow, side } => self.look_at_timers(flow, side),
            Event::Traffic(flow) => self.drive(flow),
            Event::Beacon(node) => self.beacon(node),
            Event::Step => self.step(),
            Event::Measure => self.measure(),
        }
    }

    // ── the air ──────────────────────────────────────────────────────────────

    fn act(&mut self, due: Due) {
        match due {
            Due::End => self.end_frame(),
            Due::Radio(radio) => {
                if let Some(radios) = &mut self.radios {
                    radios.ring(self.now, radio);
                }
            }
        }
        self.let_go();
    }

    fn end_frame(&mut self) {
        let now = self.now;
        let Some(radios) = &mut self.radios else {
            return;
        };
        let aired = radios.end(now);
        let mut headers = 0;
        if aired.frame.kind == FrameKind::Data {
            let packet = self.packets.get(aired.frame.msdu);
            self.content.add(packet, now - aired.start);
            headers = packet.headers_in_msdu();
        }
        radios
            .ledger
            .on_end(now, &aired.frame, aired.start, aired.fate, headers);
        radios.settle_after(now, &aired);
        if self.taps.any_antenna() {
            self.tap_air(&aired);
        }
        self.hand_up();
    }

    /// Passes on what the radios have received.
    #[inline]
    fn hand_up(&mut self) {
        while let Some(delivered) = self
            .radios
            .as_mut()
            .and_then(|radios| radios.delivered.pop())
        {
            // Its sender's MAC holds it until the acknowledgement.
            self.packets.hold(delivered.packet);
            self.forward(delivered.node, delivered.packet);
        }
    }

    /// Frees what the MACs have done with, and fills the room it leaves.
    #[inline]
    fn let_go(&mut self) {
        while let Some(finished) = self
            .radios
            .as_mut()
            .and_then(|radios| radios.finished.pop())
        {
            self.packets.release(finished.packet);
            if !self.greedy[usize::from(finished.node)].is_empty() {
                self.fill_radio(finished.node);
            }
        }
    }

    fn beacon(&mut self, node: u16) {
        let plan = &self.plan.nodes[usize::from(node)];
        let (Some(radio), Some(air), Some(radios)) =
            (&plan.radio, &self.plan.air, &mut self.radios)
        else {
            return;
        };
        radios.beacon(
            self.now,
            node,
            BeaconContent::new(radio, air).at(self.now).bytes(),
        );
        if let Some(interval) = radio.beacon_interval_ns {
            self.calendar
                .schedule(self.now + interval, Event::Beacon(node));
        }
    }

    fn tap_air(&mut self, aired: &Aired) {
        let Some(radios) = &self.radios else { return };
        for node in self.taps.antennas() {
            let own = aired.frame.transmitter == Address(node);
            if own || radios.heard.contains(&node) {
                let signal = radios.signal(aired.frame.transmitter, node);
                let signal = if own { None } else { Some(signal) };
                self.taps
                    .on_air(&self.plan, &self.packets, &self.ports, node, aired, signal);
            }
        }
    }

    // ── wires and forwarding ─────────────────────────────────────────────────

    fn arrive(&mut self, link: u16) {
        let arrival = self.links[usize::from(link)].arrive();
        if arrival.next_at != Time::NEVER {
            self.calendar
                .schedule(arrival.next_at, Event::Arrival(link));
        }
        let wire = &self.plan.wires[usize::from(link / 2)];
        let at = wire.ends[usize::from(1 - link % 2)] as u16;
        if self.taps.any_wire() && link % 2 == 1 {
            self.tap_wire(link, arrival.packet);
        }
        self.forward(at, arrival.packet);
    }

    /// Gives a packet its next step from `node`. The caller's hold on it passes on.
    fn forward(&mut self, node: u16, handle: u32) {
        let packet = self.packets.get(handle);
        match self.routes.next(node, packet.to) {
            Egress::Local => {
                self.receive(node, handle);
                self.packets.release(handle);
            }
            Egress::Link(link) => self.send_over(link, handle),
            Egress::Radio(to) => {
                let ip_bytes = packet.ip_bytes;
                let Some(radios) = &mut self.radios else {
                    return;
                };
                if !radios.enqueue(self.now, node, to, handle, ip_bytes) {
                    self.packets.release(handle);
                }
            }
            Egress::Nowhere => self.packets.release(handle),
        }
    }

    fn send_over(&mut self, link: u16, handle: u32) {
        let bytes = wire_bytes(u32::from(self.packets.get(handle).ip_bytes));
        match self.links[usize::from(link)].send(self.now, handle, bytes) {
            Ok(arrival) => {
                if arrival != Time::NEVER {
                    self.calendar.schedule(arrival, Event::Arrival(link));
                }
                if self.taps.any_wire() && link % 2 == 0 {
                    self.tap_wire(link, handle);
                }
            }
            Err(net::Full) => {
                self.link_drops[usize::from(link)] += 1;
                self.packets.release(handle);
            }
        }
    }

    fn tap_wire(&mut self, link: u16, handle: u32) {
        let wire = usize::from(link / 2);
        let packet = self.packets.get(handle);
        (self.taps).on_wire(&self.plan, &self.ports, wire, packet, self.now);
    }

    // ── hosts ────────────────────────────────────────────────────────────────

    fn receive(&mut self, node: u16, handle: u32) {
        let packet = self.packets.get(handle);
        if self.ports.is_port(node) {
            return self.ports.emit(&self.plan, self.now, node, packet);
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
    fn pump(&mut self, index: u16, side: Side) {
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

    fn look_at_timers(&mut self, index: u16, side: Side) {
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
    fn originate(&mut self, flow: u16, from: u16, to: u16, body: Body) {
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

    fn identify(&mut self, node: u16) -> u16 {
        let identification = &mut self.identifications[usize::from(node)];
        *identification = identification.wrapping_add(1);
        *identification
    }

    // ── traffic ──────────────────────────────────────────────────────────────

    /// Starts a flow, or sends its next datagram or request.
    fn drive(&mut self, index: u16) {
        let now = self.now;
        let flow = &mut self.flows[usize::from(index)];
        let (from, to) = (flow.from, flow.to);
        match &mut flow.app {
            App::Stream(stream) => {
                let mut luck = Stream::new(self.seed, u64::from(index), Purpose::Flow);
                let isn = [luck.up_to(u32::MAX), luck.up_to(u32::MAX)];
                stream.open(now, &self.plan, &self.plan.flows[usize::from(index)], isn);
                self.pump(index, Side::Initiator);
            }
            App::Ping(ping) => {
                let (sequence, payload) = ping.request(now);
                self.calendar
                    .schedule(ping.next_at(), Event::Traffic(index));
                let echo = net::Echo {
                    reply: false,
                    sequence,
                    payload,
                };
                self.originate(index, from, to, Body::Echo(echo));
            }
            App::Datagrams(source) if source.is_saturating() => self.saturate(index),
            App::Datagrams(source) => {
                let datagram = Datagram {
                    payload: source.payload(),
                };
                source.on_sent();
                self.calendar
                    .schedule(source.next_at(), Event::Traffic(index));
                self.originate(index, from, to, Body::Udp(datagram));
            }
        }
    }

    /// Sends datagrams as long as the interface has room, and sees to it that more follow.
    fn saturate(&mut self, index: u16) {
        let flow = &self.flows[usize::from(index)];
        let (from, to) = (flow.from, flow.to);
        match self.routes.next(from, to) {
            Egress::Radio(_) => {
                self.greedy[usize::from(from)].push(index);
                self.fill_radio(from);
            }
            Egress::Link(link) => {
                self.send_datagram(index);
                let free_at = self.links[usize::from(link)].free_at();
                self.calendar.schedule(free_at, Event::Traffic(index));
            }
            Egress::Local | Egress::Nowhere => {}
        }
    }

    /// Keeps one datagram in service and one behind it: a station that is never out of
    /// frames. The flows of a node take turns.
    fn fill_radio(&mut self, node: u16) {
        const ENOUGH: u32 = 2;
        let room = self.plan.nodes[usize::from(node)].radio.as_ref();
        let enough = room.map_or(0, |radio| radio.mac.queue_packets.min(ENOUGH));
        while self
            .radios
            .as_ref()
            .is_some_and(|radios| radios.backlog(node) < enough)
        {
            let flows = &mut self.greedy[usize::from(node)];
            flows.rotate_left(1);
            let index = flows[flows.len() - 1];
            self.send_datagram(index);
        }
    }

    fn send_datagram(&mut self, index: u16) {
        let flow = &self.flows[usize::from(index)];
        let App::Datagrams(source) = &flow.app else {
            return;
        };
        let datagram = Datagram {
            payload: source.payload(),
        };
        self.originate(index, flow.from, flow.to, Body::Udp(datagram));
    }

    // ── measuring ────────────────────────────────────────────────────────────

    fn measure(&mut self) {
        let now = self.now;
        for flow in &mut self.flows {
            flow.meter.restart();
        }
        if let Some(radios) = &mut self.radios {
            radios.ledger.restart(now);
            for radio in &mut radios.each {
                radio.queue.restart(now);
            }
        }
        self.content = Content::default();
        self.start = Some(Box::new(Snapshot::of(self)));
        if let Some(step) = self.plan.series_step_ns {
            self.calendar.schedule(now + step, Event::Step);
        }
    }

    fn step(&mut self) {
        let Some(mut series) = self.series.take() else {
            return;
        };
        series.step(self);
        self.series = Some(series);
        if let Some(step) = self.plan.series_step_ns {
            self.calendar.schedule(self.now + step, Event::Step);
        }
    }
}

#[cfg(test)]
#[path = "../tests/world/common.rs"]
mod common;

#[cfg(test)]
mod tests {
    use dot11::{MacConfig, Mode};
    use proptest::prelude::*;
    use units::{Db, Duration, Rate};

    use super::common::{bss, flow, mac, saturate_uplink};
    use super::*;
    use crate::AppPlan;

    /// Packets in queues, on wires and with MACs.
    fn under_way(world: &World) -> usize {
        let on_links: usize = world.links.iter().map(Link::under_way).sum();
        let Some(radios) = &world.radios else {
            return on_links;
        };
        on_links + radios.macs().map(dot11::Mac::queue_len).sum::<usize>()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Every packet offered is delivered, dropped, or still under way: none is lost
        /// track of, and none is freed twice. A packet that a radio has passed on is with
        /// its sender's MAC as well until the acknowledgement: one for each radio at most.
        #[test]
        fn no_packet_gets_lost_in_the_world(
            seed: u64,
            stations in 1usize..5,
            queue_packets in 1u32..30,
            wire_queue in 0usize..20,
            fragmentation_threshold in 256u16..2346,
            rts_threshold in 0u16..2347,
            loss_db in 48.0f64..105.0,
            hidden: bool,
            millis in 200u64..1500,
        ) {
            let config = MacConfig {
                queue_packets,
                fragmentation_threshold,
                rts_threshold,
                ..mac(Mode::Cck11, Mode::Dsss2)
            };
            let mut plan = bss(&config, stations, 2);
            plan.wires[0].queue_packets = wire_queue;
            plan.wires[0].rate_bps = Rate::from_mbps(10.0);
            let air = plan.air.as_mut().expect("there are radios");
            air.carrier_sense_dbm = units::Dbm(-95.0);
            air.loss_db[1][2] = Db(loss_db);
            if hidden && stations > 1 {
                (air.loss_db[2][3], air.loss_db[3][2]) = (Db(150.0), Db(150.0));
            }
            saturate_uplink(&mut plan, 700);
            let last = plan.nodes.len() - 1;
            plan.flows.push(flow("down", 0, 2, AppPlan::Bulk { bytes: None }));
            plan.flows.push(flow("across", last, 0, AppPlan::Bulk { bytes: Some(100_000) }));
            let rate_bps = Some(Rate::from_mbps(3.0));
            plan.flows.push(flow("udp", 0, 2, AppPlan::Udp { payload_bytes: 1400, rate_bps }));
            let mut world = World::new(plan, seed);
            world.run_until(Time::ZERO + Duration::from_millis(millis));
            let (alive, under_way) = (world.packets.alive(), under_way(&world));
            prop_assert!((under_way - stations - 1..=under_way).contains(&alive), "{alive} of {under_way}");
        }
    }
}
