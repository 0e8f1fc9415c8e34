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

mod applications;
mod association;
mod channel;
mod damaged;
mod dropping;
mod ethernet;
mod freezing;
mod hosts;
mod internet;
mod measuring;
mod mobile_ip;
mod opening;
mod processing;
mod segment;
mod sockets;
mod translation;

pub use measuring::metric_names;

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use engine::Calendar;
use units::{Duration, Time};

use crate::attempts::Attempt;
use crate::content::Content;
use crate::datagrams::Datagrams;
use crate::discards::AllDiscards;
use crate::flows::{Flow, Wish, draw_starts, port_of};
use crate::network::Network;
use crate::observed::Observed;
use crate::output::Sink;
use crate::packet::Packets;
use crate::plan::Plan;
use crate::port::{FrameFates, PortCounts, Ports, Refused};
use crate::processor::Processors;
use crate::radios::{Due, Radios};
use crate::record::Record;
use crate::segments::{self, Shared};
use crate::series::Series;
use crate::sockets::{Owner, Side, Sockets};
use crate::strays::AllStrays;
use crate::taps::Taps;
use crate::tcp_samples::TcpSamples;
use crate::transfers::Transfer;
use crate::windows::Windows;
use crate::wires::{self, Direction};

use association::Associations;
use freezing::Foresight;
use mobile_ip::MobileIp;

/// What the calendar holds.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A packet at the far end of a link.
    Arrival(u16),
    /// A time that the impairments at the far end of a link asked for.
    Impaired(u16),
    /// A time that a segment asked for.
    Segment(u16),
    /// A look at the timers of a connection's end.
    Timer(u32),
    /// A flow starts.
    Start(u16),
    /// The time has come that an application asked for.
    Wake(Owner),
    /// An end of a flow sends a datagram so that the other can answer.
    Knock(u16),
    /// A flow's time is over.
    Stop(u16),
    /// A node's processor has done with a packet.
    Processed(u16),
    /// The wire has room again for an application that fills it.
    Room(Owner),
    /// A beacon of an access point's radio.
    Beacon(u16),
    /// An emitter turns on or off.
    Emission(u16),
    /// A look at an interface's open questions for link addresses.
    Neighbours(u16),
    /// An agent of Mobile IP says that it is there.
    Advertisement(u16),
    /// A look at what is due at a station that looks for its access point.
    Association(u16),
    /// A look at what is due at a mobile node.
    Mobile(u16),
    /// A station foresees that its access point fades, or finds it back.
    Foresight(u16),
    /// The end of a step of the series.
    Step,
    /// The end of the warm-up.
    Measure,
    /// A time at which a window begins or ends.
    Edge,
    /// A round of samples of TCP_INFO.
    Sample,
}

/// A running world.
#[derive(Debug)]
pub struct World {
    now: Time,
    end: Time,
    calendar: Calendar<Event>,
    plan: Plan,
    packets: Packets,
    network: Network,
    /// Both directions of each wire: link `2 w` from its first end, `2 w + 1` to it.
    links: Vec<Direction>,
    segments: Vec<Shared>,
    radios: Option<Radios>,
    /// Whether anybody asks what a radio does once its MAC has done with a packet: a queue of its
    /// own, a log of its events, a tap of what is dropped, or associations that are made on the air.
    is_followed: bool,
    processors: Processors,
    flows: Vec<Flow>,
    sockets: Sockets,
    /// What the application wants that has had its turn last.
    wishes: Vec<Wish>,
    /// The applications that send whenever an interface has room.
    greedy: Vec<Vec<Owner>>,
    content: Content,
    discards: AllDiscards,
    strays: AllStrays,
    windows: Windows,
    /// Connections that are over.
    transfers: Vec<Transfer>,
    series: Option<Series>,
    tcp_samples: Option<TcpSamples>,
    datagrams: Option<Datagrams>,
    attempts: Option<Vec<Attempt>>,
    /// Stations that freeze their connections in fades.
    foresights: Vec<Foresight>,
    /// Whether frames are noted, tapped or looked at for their level, or the ledger has marks.
    is_air_watched: bool,
    ports: Ports,
    /// The flows that real nodes take part in, if any do.
    observed: Option<Box<Observed>>,
    mobile_ip: Option<Box<MobileIp>>,
    associations: Option<Box<Associations>>,
    /// Whose radio has sent the frame that is handed up.
    heard_from: Option<u16>,
    taps: Taps,
}

impl World {
    /// A world at time zero.
    pub fn new(mut plan: Plan, seed: u64) -> World {
        draw_starts(&mut plan, seed);
        let (flows, sockets) = flows(&plan, seed);
        let network = Network::new(&plan);
        let ports = Ports::new(&network);
        let mobile_ip = MobileIp::new(&plan, &network, seed);
        let associations = Associations::new(&plan, &network);
        let observed = Observed::new(&plan);
        let mut world = World {
            observed,
            now: Time::ZERO,
            end: Time::ZERO + plan.duration_ns,
            calendar: Calendar::new(),
            packets: Packets::default(),
            links: wires::directions(&plan, seed),
            segments: segments::segments(&plan, seed),
            radios: Radios::new(&plan, seed),
            is_followed: plan.radios().iter().any(|at| at.radio.queue.is_some())
                || associations.is_some()
                || ports.any,
            processors: Processors::new(&plan),
            wishes: Vec::new(),
            sockets,
            greedy: vec![Vec::new(); network.interfaces.len()],
            network,
            mobile_ip,
            associations,
            content: Content::default(),
            discards: AllDiscards::new(&plan),
            strays: AllStrays::new(&plan),
            series: plan.series_step_ns.map(|_| Series::new(&plan)),
            tcp_samples: plan.tcp_info_step_ns.map(TcpSamples::new),
            datagrams: (plan.tables.datagrams).then(|| Datagrams::new(plan.flows.len())),
            attempts: plan.tables.attempts.then(Vec::new),
            foresights: freezing::foresights(&plan),
            is_air_watched: plan.tables.attempts,
            windows: Windows::new(&plan),
            transfers: Vec::new(),
            ports,
            heard_from: None,
            taps: Taps::default(),
            flows,
            plan,
        };
        world.watch_levels();
        world.schedule_beginnings();
        world
    }

    /// Writes what passes at the plan's taps to files in `directory`.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn capture_to(&mut self, directory: &Path) -> io::Result<()> {
        std::fs::create_dir_all(directory)?;
        self.capture_into(|name| {
            let file = File::create(directory.join(name))?;
            Ok(Box::new(BufWriter::new(file)))
        })
    }

    /// Writes what passes at the plan's taps to a sink for each, by the name of its file.
    ///
    /// # Errors
    /// When a sink cannot be made.
    pub fn capture_into(
        &mut self,
        sink: impl FnMut(&str) -> io::Result<Box<dyn Sink>>,
    ) -> io::Result<()> {
        let taps = Taps::open(&self.plan, &self.network, sink)?;
        self.tap(taps);
        Ok(())
    }

    /// Hands on what its taps hold back, so that who reads meanwhile sees whole blocks.
    ///
    /// # Errors
    /// When a sink fails.
    pub fn flush_captures(&mut self) -> io::Result<()> {
        self.taps.flush()
    }

    fn tap(&mut self, taps: Taps) {
        self.taps = taps;
        self.is_air_watched |= self.taps.watches_air();
        self.is_followed |= self.taps.any_log() || self.taps.any_drops();
        self.packets.keep_dropped(self.taps.any_drops());
        if let Some(radios) = &mut self.radios {
            for interface in self.taps.antennas() {
                radios.monitor(interface);
            }
        }
    }

    /// The time of the last event.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The end of the plan.
    pub fn ends_at(&self) -> Time {
        self.end
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
        match &mut self.radios {
            Some(radios) => radios.next(),
            None => (Time::NEVER, Due::End),
        }
    }

    /// Runs to the end of the plan and answers what was measured.
    ///
    /// # Errors
    /// When a capture file cannot be written.
    pub fn run(mut self) -> io::Result<Record> {
        self.run_until(self.end);
        self.finish()
    }

    /// Runs to the end of the plan and answers what was measured, and what passed at the plan's
    /// taps: of each its name and the bytes of a pcapng file.
    pub fn run_captured(mut self) -> (Record, Vec<(String, Vec<u8>)>) {
        self.tap(Taps::in_memory(&self.plan, &self.network));
        self.run_until(self.end);
        let captures = std::mem::take(&mut self.taps).into_captures();
        (self.conclude(), captures)
    }

    /// Ends the run now and answers what was measured.
    ///
    /// # Errors
    /// When a capture file cannot be written.
    pub fn finish(mut self) -> io::Result<Record> {
        std::mem::take(&mut self.taps).finish()?;
        Ok(self.conclude())
    }

    /// Hands an Ethernet frame, without its check sequence, into the world at a port: the number of
    /// its interface, of which a node's first has the node's own.
    ///
    /// The frame enters now, that is at the time up to which the world has run.
    ///
    /// # Errors
    /// When the interface is no port's, or the frame is shorter than its header or longer than the
    /// interface's MTU allows behind it and tags of VLANs.
    pub fn inject(&mut self, port: u16, frame: &[u8]) -> Result<(), Refused> {
        let mut packet = (self.ports).admit(self.now, port, frame, &mut self.packets)?;
        if let Some(observed) = &mut self.observed {
            let node = self.network.interface(port).node;
            observed.enters(self.now, node, &mut packet, &mut self.flows);
        }
        let handle = self.packets.insert(packet);
        if let Some(bytes) = packet.load {
            self.packets.release_bytes(bytes);
        }
        self.send_frame(port, handle);
        Ok(())
    }

    /// The next frame that left the world, written into `frame`, which is cleared first: when, and
    /// at which port.
    pub fn poll_egress(&mut self, frame: &mut Vec<u8>) -> Option<(Time, u16)> {
        self.ports.poll(&mut self.packets, frame)
    }

    /// What has passed a port; nothing of what is none.
    pub fn port_counts(&self, port: u16) -> Option<PortCounts> {
        self.ports.counts(port)
    }

    /// What has become of the frames that were let in at ports and did not come out at one.
    pub fn frame_fates(&self) -> FrameFates {
        self.ports.fates(&self.packets)
    }

    /// Real packets in the world: in queues, on wires, on the air, or waiting to be polled. One that
    /// has crossed the air is its sender's MAC's as well until the acknowledgment. It looks at every
    /// packet there is.
    pub fn frames_under_way(&self) -> usize {
        self.packets.real()
    }

    fn schedule_beginnings(&mut self) {
        for (interface, first) in first_beacons(&self.plan) {
            self.calendar
                .schedule(Time::ZERO + first, Event::Beacon(interface));
        }
        let agents = self
            .mobile_ip
            .iter()
            .flat_map(|each| each.first_advertisements());
        for (agent, first) in agents.enumerate() {
            let event = Event::Advertisement(agent as u16);
            self.calendar.schedule(Time::ZERO + first, event);
        }
        let mobiles = self.mobile_ip.iter().flat_map(|each| each.first_wakes());
        for (node, first) in mobiles {
            self.calendar.schedule(first, Event::Mobile(node));
        }
        let seeking = self.associations.iter().flat_map(|all| all.stations());
        for interface in seeking.collect::<Vec<_>>() {
            self.do_as_told(interface);
        }
        let emitters = self.radios.iter().flat_map(Radios::first_emissions);
        for (emitter, first) in emitters.enumerate() {
            if let Some(at) = first {
                self.calendar.schedule(at, Event::Emission(emitter as u16));
            }
        }
        for (index, flow) in self.plan.flows.iter().enumerate() {
            if self.plan.begins_outside(flow) {
                continue;
            }
            self.calendar
                .schedule(Time::ZERO + flow.start_ns, Event::Start(index as u16));
            if let Some(stop) = flow.stop_ns {
                (self.calendar).schedule(Time::ZERO + stop, Event::Stop(index as u16));
            }
        }
        self.calendar
            .schedule(Time::ZERO + self.plan.warmup_ns, Event::Measure);
        self.schedule_samples();
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Arrival(link) => self.arrive(link),
            Event::Impaired(link) => self.take_from_chain(link),
            Event::Segment(segment) => self.wake_segment(segment),
            Event::Timer(socket) => self.look_at_timers(socket),
            Event::Start(flow) => self.start(flow),
            Event::Wake(owner) => self.wake(owner),
            Event::Knock(flow) => self.knock(flow),
            Event::Stop(flow) => self.stop(flow),
            Event::Processed(node) => self.finish_processing(node),
            Event::Room(owner) => self.provide_room(owner),
            Event::Beacon(interface) => self.beacon(interface),
            Event::Emission(emitter) => self.turn_emitter(emitter),
            Event::Neighbours(interface) => self.look_at_neighbours(interface),
            Event::Advertisement(agent) => self.advertise(agent),
            Event::Association(interface) => self.look_at_association(interface),
            Event::Mobile(node) => self.wake_mobile(node),
            Event::Foresight(which) => self.freeze_or_thaw(which),
            Event::Step => self.step(),
            Event::Measure => self.measure(),
            Event::Edge => self.cut_if_due(),
            Event::Sample => self.sample_tcp_info(),
        }
    }
}

/// The first beacon of each radio that sends some. They are spread over an interval, as access
/// points that were not switched on together have them; those of one instant would all collide.
/// Each has its place whoever comes after it: by van der Corput's sequence, half of an interval,
/// then its quarters, and so on.
fn first_beacons(plan: &Plan) -> Vec<(u16, Duration)> {
    let radios = plan.radios();
    let beacons =
        (radios.iter()).filter_map(|at| Some((at.interface, at.radio.beacon_interval_ns?)));
    let spread = (0_u64..).zip(beacons);
    spread
        .map(|(place, (interface, interval))| {
            let part = (u128::from(place.reverse_bits()) * u128::from(interval.as_nanos())) >> 64;
            (interface, interval + Duration::from_nanos(part as u64))
        })
        .collect()
}

/// The flows of a plan, and the ports of their ends bound.
fn flows(plan: &Plan, seed: u64) -> (Vec<Flow>, Sockets) {
    let mut sockets = Sockets::new(plan.nodes.len(), plan.flows.len());
    let mut flows = Vec::with_capacity(plan.flows.len());
    for (index, flow) in plan.flows.iter().enumerate() {
        let index = index as u16;
        let port = port_of(index);
        let flow = Flow::new(flow, index, port, seed, plan.tables.distributions);
        for side in Side::BOTH {
            let owner = Owner { flow: index, side };
            sockets.bind(flow.node(side), port, owner);
        }
        flows.push(flow);
    }
    (flows, sockets)
}

#[cfg(test)]
#[path = "../../tests/world/common.rs"]
mod common;

#[cfg(test)]
mod tests {
    use dot11::{MacConfig, Mode};
    use net::impairment::{Stage, Within, delay, duplicate, reorder};
    use proptest::prelude::*;
    use units::{Db, Duration, Rate};

    use super::common::{
        bss, bulk, cost, drop_tail, every, fade, flow, loses, mac, radio_of, saturate_uplink,
        seeking, udp, usual_queue,
    };
    use super::*;
    use crate::processor::Processor;

    /// Packets in queues, on wires, with processors and with MACs.
    fn under_way(world: &World) -> usize {
        let on_links: usize = world.links.iter().map(Direction::under_way).sum();
        let on_segments: usize = world.segments.iter().map(Shared::under_way).sum();
        let processors =
            (0..world.plan.nodes.len()).filter_map(|node| world.processors.get(node as u16));
        let aside =
            world.associations.as_ref().map_or(0, |all| all.waiting()) + world.ports.waiting();
        let waiting =
            on_links + on_segments + processors.map(Processor::len).sum::<usize>() + aside;
        let Some(radios) = &world.radios else {
            return waiting;
        };
        waiting
            + radios
                .each
                .iter()
                .map(crate::radios::Radio::queue_len)
                .sum::<usize>()
    }

    /// Stages that hold packets, put them back and copy them.
    fn holds() -> Vec<Stage> {
        let late = reorder::Config {
            probability: 0.1,
            displacement: [1, 7].into(),
            within: Within::Connection,
            longest_wait: Duration::from_millis(100),
        };
        let twins = duplicate::Config {
            probability: 0.1,
            copies: [1, 3].into(),
        };
        let delay = Duration::from_millis(20);
        vec![
            every("late", late.into()),
            every("twins", twins.into()),
            every(
                "far",
                delay::Config {
                    delay,
                    changes: None,
                }
                .into(),
            ),
        ]
    }

    /// IEEE 802.11-2007 §9.2.8: a beacon in place of the ACK is a failure of the attempt. Where it
    /// is the last, the packet has left the queue when the beacon ends, and not some time later.
    #[test]
    fn a_station_that_decodes_a_beacon_in_place_of_its_ack_is_done_with_its_packet_at_once() {
        let config = MacConfig {
            short_retry_limit: 1,
            ..mac(Mode::CCK_11, Mode::DSSS_2)
        };
        let mut plan = bss(&config, 1, 2);
        radio_of(&mut plan, 1).beacon_interval_ns = Some(Duration::from_micros(3072));
        plan.air.as_mut().expect("there are radios").loss_db[2][1] = Db(150.0);
        saturate_uplink(&mut plan, 100);
        let mut world = World::new(plan, 1);
        let station = |world: &World| {
            let station = &world.radios.as_ref().expect("there are radios").each[1];
            let drops = station.mac().counters().short_retry_drops;
            let queues = (station.mac().queue_len(), station.queue.length as usize);
            (drops, station.mac().wake_at(), queues)
        };
        let mut not_at_timeouts = 0;
        while world.now() < world.end {
            let (drops, timeout, _) = station(&world);
            let next = world.next_wake();
            world.run_until(next);
            let (drops_then, _, (in_mac, metered)) = station(&world);
            not_at_timeouts += u32::from(drops_then > drops && next != timeout);
            assert_eq!(in_mac, metered);
        }
        assert!(not_at_timeouts > 10);
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
            wire_queue in 1u32..20,
            fragmentation_threshold in 256u16..2346,
            rts_threshold in 0u16..2347,
            loss_db in 48.0f64..105.0,
            hidden: bool,
            fades: bool,
            seeks in proptest::option::of(any::<bool>()),
            per_packet_us in proptest::option::of(0u64..2000),
            disciplines in proptest::option::of([0..net::queue::KINDS.len(), 0..net::queue::KINDS.len()]),
            millis in 200u64..1500,
        ) {
            let config = MacConfig {
                queue_packets,
                fragmentation_threshold,
                rts_threshold,
                ..mac(Mode::CCK_11, Mode::DSSS_2)
            };
            let mut plan = bss(&config, stations, 2);
            plan.wires[0].queue = drop_tail(wire_queue);
            plan.wires[0].impair = [vec![loses(0.03)], holds()];
            if let Some(kinds) = disciplines {
                let [on_the_wire, at_the_radio] =
                    kinds.map(|kind| usual_queue(net::queue::KINDS[kind].name));
                plan.wires[0].queue[1] = on_the_wire;
                radio_of(&mut plan, 1).queue = Some(at_the_radio);
            }
            plan.wires[0].rate_bps = Rate::from_mbps(10.0);
            let air = plan.air.as_mut().expect("there are radios");
            air.preamble_detection_dbm = units::Dbm(-95.0);
            air.loss_db[1][2] = Db(loss_db);
            for (node, queue_packets) in [(0, 1000), (1, 5), (2, 20)] {
                plan.nodes[node].cost = per_packet_us.map(|micros| cost(micros, queue_packets));
            }
            if hidden && stations > 1 {
                (air.loss_db[2][3], air.loss_db[3][2]) = (Db(150.0), Db(150.0));
            }
            if fades {
                fade(&mut plan, [1, 2], air::fading::rayleigh::Config { doppler: 20.0 }.into());
            }
            if let Some(keeps_queue) = seeks {
                radio_of(&mut plan, 1).beacon_interval_ns = Some(Duration::from_millis(20));
                plan.associations = Some(seeking(&[2], &[1], keeps_queue));
            }
            saturate_uplink(&mut plan, 700);
            let last = plan.nodes.len() - 1;
            plan.flows.push(flow("down", 0, 2, bulk(None)));
            plan.flows.push(flow("across", last, 0, bulk(Some(100_000))));
            plan.flows.push(flow("udp", 0, 2, udp(1400, Some(Rate::from_mbps(3.0)))));
            let mut world = World::new(plan, seed);
            world.run_until(Time::ZERO + Duration::from_millis(millis));
            let (alive, under_way) = (world.packets.alive(), under_way(&world));
            let least = under_way.saturating_sub(stations + 1);
            prop_assert!((least..=under_way).contains(&alive), "{alive} of {under_way}");
        }
    }
}
