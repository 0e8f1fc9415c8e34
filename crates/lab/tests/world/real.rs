//! Packets of real machines among simulated ones: each treats them as it treats its own.

use capture::packet::{
    EtherType, IcmpEcho, Ipv4Fields, Payload, TcpFields, TcpFlags, TransportFields, UdpFields,
    ethernet,
};
use dot11::{AggregationConfig, Agreements, Band, MacConfig, Mode, Standard};
use lab::{FrameTally, InterfaceId, NodeRole, Plan, World};
use net::impairment::{Filter, Match, Stage, duplicate};
use phy::{GuardInterval, Width};
use proptest::prelude::*;
use units::{Db, Duration, MacAddress, Rate, Time};
use wire::{Headers, NetworkHeader};

use crate::association::between_two;
use crate::common::{bss, bulk, drop_tail, end, every, flow, loses, mac, node, udp, usual_queue};
use crate::network::{LEFT, RIGHT, ROUTER, routed};
use crate::ping;
use crate::ports::egress;

/// An address that no interface of a world has.
const LAPTOP: MacAddress = MacAddress([0x3C, 0x22, 0xFB, 1, 2, 3]);
const PHONE: MacAddress = MacAddress([0x3C, 0x22, 0xFB, 4, 5, 6]);

fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn mac_of(node: usize) -> MacAddress {
    MacAddress::of_node(node as u32)
}

/// Everything that has left a world by then.
fn all_out(world: &mut World, until: Time) -> Vec<(InterfaceId, Vec<u8>)> {
    world.run_until(until);
    std::iter::from_fn(|| egress(world).map(|(_, port, frame)| (port, frame))).collect()
}

/// A frame with an IPv4 packet.
fn frame(
    [source, destination]: [MacAddress; 2],
    addresses: [[u8; 4]; 2],
    tos: u8,
    transport: TransportFields<'_>,
    payload: usize,
) -> Vec<u8> {
    let mut bytes = ethernet(source, destination, EtherType::IPV4).to_vec();
    let datagram = Ipv4Fields {
        source: addresses[0].into(),
        destination: addresses[1].into(),
        identification: 7,
        ttl: 64,
        tos,
        transport,
        payload: Payload::Pattern {
            first: 3,
            len: payload,
        },
    };
    datagram.write(usize::MAX, &mut bytes).expect("it fits");
    bytes
}

fn udp_from(source_port: u16) -> TransportFields<'static> {
    TransportFields::Udp(UdpFields {
        source_port,
        destination_port: 2000,
    })
}

fn tcp_data() -> TransportFields<'static> {
    TransportFields::Tcp(TcpFields {
        source_port: 1000,
        destination_port: 80,
        flags: TcpFlags {
            ack: true,
            ..TcpFlags::default()
        },
        ..TcpFields::default()
    })
}

/// The headers of a frame, all of whose sums hold.
fn sound(frame: &[u8]) -> Headers {
    let headers = Headers::read(
        EtherType(u16::from_be_bytes([frame[12], frame[13]])),
        &frame[14..],
    );
    assert!(
        !matches!(headers.network, NetworkHeader::Other(_)),
        "{frame:02x?}"
    );
    assert!(headers.is_sound(&frame[14..]), "{frame:02x?}");
    headers
}

fn ipv4(frame: &[u8]) -> wire::ipv4::Ipv4 {
    match sound(frame).network {
        NetworkHeader::Ipv4(ip) => ip,
        other => panic!("{other:?}"),
    }
}

/// Two ports that a wire of 1 Mbit/s joins: the server of a cell without stations, and its access
/// point in the place of a host.
fn wired() -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 0, 100);
    plan.air = None;
    plan.nodes[1] = node("far", NodeRole::Port, 1, vec![None]);
    plan.nodes[0].role = NodeRole::Port;
    plan.wires[0].ends[1] = end(1, 0);
    plan.wires[0].rate_bps = Rate::from_mbps(1.0);
    plan
}

const BETWEEN: [[u8; 4]; 2] = [[10, 0, 0, 0], [10, 0, 0, 1]];

fn over_wire(tos: u8, transport: TransportFields<'_>, payload: usize) -> Vec<u8> {
    frame([mac_of(0), mac_of(1)], BETWEEN, tos, transport, payload)
}

#[test]
fn each_of_two_flows_between_two_hosts_has_a_queue_of_its_own() {
    let mut plan = wired();
    plan.wires[0].queue[0] = usual_queue("fq-codel");
    let mut world = World::new(plan, 1);
    for _ in 0..10 {
        world
            .inject(InterfaceId(0), &over_wire(0, udp_from(1000), 1000))
            .expect("a frame");
    }
    world
        .inject(InterfaceId(0), &over_wire(0, udp_from(1001), 1000))
        .expect("a frame");
    let out = all_out(&mut world, at(1000));
    let port = |(_, frame): &(InterfaceId, Vec<u8>)| u16::from_be_bytes([frame[34], frame[35]]);
    let place = out.iter().position(|each| port(each) == 1001);
    // It waits for a turn of the other flow at most: 1514 bytes behind the one being sent.
    assert!(place.is_some_and(|place| place <= 3), "{place:?}");
    assert_eq!(out.len(), 11);
}

/// CoDel marks whoever knows what that means: TCP and UDP, over IPv4 and IPv6, behind a tag too.
#[test]
fn a_queue_marks_real_packets_that_are_capable_of_ecn() {
    let mut plan = wired();
    plan.wires[0].queue[0] = usual_queue("fq-codel");
    let mut world = World::new(plan, 1);
    const ECT0: u8 = 0b10;
    let v4 = over_wire(ECT0, tcp_data(), 1000);
    let quic = over_wire(ECT0, udp_from(443), 1000);
    let mut tagged = v4.clone();
    tagged.splice(12..12, [0x81, 0, 0, 7]);
    let v6 = v6_udp(ECT0, 1000);
    let all = [v4, quic, tagged, v6];
    for _ in 0..50 {
        for each in &all {
            world.inject(InterfaceId(0), each).expect("a frame");
        }
    }
    let mut marked = [0; 4];
    for (_, frame) in all_out(&mut world, at(10_000)) {
        let which = all.iter().position(|sent| {
            sent[12..14] == frame[12..14] && (sent[12..14] != [8, 0] || sent[23] == frame[23])
        });
        let service = sound(&frame).service().expect("it is IP");
        marked[which.expect("one of them")] += usize::from(service & 0b11 == 0b11);
    }
    assert!(marked.iter().all(|&count| count > 0), "{marked:?}");
    assert_eq!(
        world.frame_tally(),
        FrameTally::default(),
        "none is dropped"
    );
}

/// A frame with a UDP datagram over IPv6.
fn v6_udp(service: u8, payload: u16) -> Vec<u8> {
    let mut bytes = ethernet(mac_of(0), mac_of(1), EtherType::IPV6).to_vec();
    let [high, low] = (payload + 8).to_be_bytes();
    bytes.extend([0x60 | service >> 4, service << 4, 0, 0, high, low, 17, 64]);
    bytes.extend([0xFD; 32]);
    let behind = bytes.len();
    bytes.extend([0x10, 0, 0x20, 0, high, low, 0, 0]);
    bytes.resize(behind + 8 + usize::from(payload), 1);
    let NetworkHeader::Ipv6(ip) = Headers::read(EtherType::IPV6, &bytes[14..]).network else {
        panic!("it is IPv6")
    };
    let sum = ip.pseudo_header().with(&bytes[behind..]).checksum();
    bytes[behind + 6..behind + 8].copy_from_slice(&sum.to_be_bytes());
    bytes
}

#[test]
fn impairments_know_what_real_packets_are() {
    let lost_of = |kind: Match| {
        let mut plan = wired();
        let filter = Filter {
            kinds: vec![kind],
            ..Filter::default()
        };
        plan.wires[0].impair[0] = vec![Stage {
            filter,
            ..loses(1.0)
        }];
        let mut world = World::new(plan, 1);
        let echo = TransportFields::IcmpEcho(IcmpEcho {
            reply: false,
            identifier: 1,
            sequence: 1,
        });
        for transport in [tcp_data(), udp_from(1000), echo] {
            world
                .inject(InterfaceId(0), &over_wire(0, transport, 100))
                .expect("a frame");
        }
        world
            .inject(InterfaceId(0), &v6_udp(0, 100))
            .expect("a frame");
        let out = all_out(&mut world, at(100));
        assert_eq!(
            world.frame_tally().dropped,
            [("lost: impairment of the wire", 4 - out.len() as u64)]
        );
        out.len()
    };
    assert_eq!(lost_of(Match::TcpData), 3);
    assert_eq!(lost_of(Match::Udp), 2);
    assert_eq!(lost_of(Match::Icmp), 3);
}

/// Ports left and right of a router, which know each other's addresses.
fn routed_ports(nat: bool) -> Plan {
    let mut plan = routed(NodeRole::Port);
    plan.nodes[RIGHT].role = NodeRole::Port;
    plan.caches_filled = true;
    plan.nodes[ROUTER].nat = nat.then_some(1);
    plan.flows = vec![flow("known", LEFT, RIGHT, ping(Duration::from_secs(1)))];
    plan.flows[0].start_ns = Duration::from_secs(9);
    plan
}

const LEFT_IP: [u8; 4] = [10, 0, 0, LEFT as u8];
const RIGHT_IP: [u8; 4] = [10, 0, 1, RIGHT as u8];
const OUTSIDE_IP: [u8; 4] = [10, 0, 1, ROUTER as u8];
/// The link address of the router's second interface, which is numbered behind all nodes.
const OUTSIDE: MacAddress = MacAddress::of_node(3);

fn to_right(transport: TransportFields<'_>, payload: usize) -> Vec<u8> {
    frame(
        [mac_of(LEFT), mac_of(ROUTER)],
        [LEFT_IP, RIGHT_IP],
        0xB8,
        transport,
        payload,
    )
}

#[test]
fn a_router_cuts_what_may_be_cut_and_tells_of_what_may_not() {
    let mut plan = routed_ports(false);
    plan.nodes[ROUTER].interfaces[1].mtu = 1000;
    let mut world = World::new(plan, 1);
    let whole = to_right(udp_from(1000), 1400);
    world
        .inject(InterfaceId::at(LEFT), &whole)
        .expect("a frame");
    let [(port, error)] = &all_out(&mut world, at(20))[..] else {
        panic!("an error")
    };
    sound(error);
    assert_eq!(
        (*port, &error[34..36]),
        (InterfaceId::at(LEFT), &[3, 4][..])
    );
    assert_eq!(error[40..42], 1000_u16.to_be_bytes());
    assert_eq!(error[42..70], whole[14..42]);

    let mut may_be_cut = whole.clone();
    may_be_cut[20] = 0;
    may_be_cut[24..26].fill(0);
    let sum = wire::checksum::OnesComplementSum::default()
        .with(&may_be_cut[14..34])
        .checksum();
    may_be_cut[24..26].copy_from_slice(&sum.to_be_bytes());
    world
        .inject(InterfaceId::at(LEFT), &may_be_cut)
        .expect("a frame");
    let fragments = all_out(&mut world, at(40));
    let mut joined = Vec::new();
    for (port, fragment) in &fragments {
        let ip = ipv4(fragment);
        assert_eq!(
            (*port, ip.ttl, ip.service),
            (InterfaceId::at(RIGHT), 63, 0xB8)
        );
        assert!(ip.total_len <= 1000);
        assert_eq!(usize::from(ip.fragment_offset), joined.len());
        joined.extend_from_slice(&fragment[34..]);
    }
    assert_eq!((fragments.len(), world.frame_tally().cut), (2, 1));
    assert_eq!(joined, whole[34..]);
}

#[test]
fn a_router_translates_real_packets_and_what_is_said_of_them() {
    let mut world = World::new(routed_ports(true), 1);
    let mut exchange = |transport, payload| {
        let sent = to_right(transport, payload);
        world.inject(InterfaceId::at(LEFT), &sent).expect("a frame");
        let until = world.now() + Duration::from_millis(20);
        let [(port, passed)] = &all_out(&mut world, until)[..] else {
            panic!("it goes on")
        };
        let ip = ipv4(passed);
        assert_eq!(
            (*port, ip.source.octets(), ip.ttl),
            (InterfaceId::at(RIGHT), OUTSIDE_IP, 63)
        );
        let payload = sent.len() - payload..;
        assert_eq!(passed[payload.clone()], sent[payload], "as it was");
        passed.clone()
    };
    exchange(tcp_data(), 500);
    let passed = exchange(udp_from(1000), 333);
    let answer = frame(
        [mac_of(RIGHT), OUTSIDE],
        [RIGHT_IP, OUTSIDE_IP],
        0,
        TransportFields::Udp(UdpFields {
            source_port: 2000,
            destination_port: u16::from_be_bytes([passed[34], passed[35]]),
        }),
        10,
    );
    // Port unreachable, about what has come through the translator.
    let mut said = ethernet(mac_of(RIGHT), OUTSIDE, EtherType::IPV4).to_vec();
    Ipv4Fields {
        source: RIGHT_IP.into(),
        destination: OUTSIDE_IP.into(),
        identification: 1,
        ttl: 64,
        tos: 0,
        transport: TransportFields::Icmp([3, 3, 0, 0, 0, 0, 0, 0]),
        payload: Payload::Bytes(&passed[14..42]),
    }
    .write(usize::MAX, &mut said)
    .expect("it fits");
    for back in [answer, said] {
        world
            .inject(InterfaceId::at(RIGHT), &back)
            .expect("a frame");
    }
    let until = world.now() + Duration::from_millis(20);
    let out = all_out(&mut world, until);
    let [(_, answer), (_, error)] = &out[..] else {
        panic!("both come in, not {}", out.len())
    };
    assert_eq!(ipv4(answer).destination.octets(), LEFT_IP);
    assert_eq!(answer[36..38], 1000_u16.to_be_bytes());
    assert_eq!(ipv4(error).destination.octets(), LEFT_IP);
    let quoted = wire::icmp::Quoted::read(&error[42..]).expect("it quotes a packet");
    assert_eq!(
        (quoted.ip.source.octets(), quoted.sender()),
        (LEFT_IP, Some(1000))
    );
}

/// A real host's ping is answered by a simulated station with the data that it sent.
#[test]
fn a_simulated_host_answers_a_real_ping() {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 100);
    plan.nodes[0].role = NodeRole::Port;
    let mut world = World::new(plan, 1);
    let echo = |reply| {
        TransportFields::IcmpEcho(IcmpEcho {
            reply,
            identifier: 0xBEEF,
            sequence: 3,
        })
    };
    let ends = [[10, 0, 0, 0], [10, 0, 0, 2]];
    let request = frame([mac_of(0), mac_of(2)], ends, 0, echo(false), 56);
    let unasked = frame([mac_of(0), mac_of(2)], ends, 0, echo(true), 56);
    let mut wrong = request.clone();
    *wrong.last_mut().expect("it has bytes") ^= 1;
    for each in [&unasked, &wrong, &request] {
        world.inject(InterfaceId(0), each).expect("a frame");
    }
    // Hosts do not know the port's address: it is asked for.
    let asked = all_out(&mut world, at(20));
    let [(InterfaceId(0), question)] = &asked[..] else {
        panic!("{asked:?}")
    };
    let mut arp = wire::arp::Arp::read(&question[14..]).expect("a question");
    (arp.target_mac, arp.sender_mac) = (arp.sender_mac, mac_of(0));
    (arp.target_ip, arp.sender_ip) = (arp.sender_ip, arp.target_ip);
    arp.operation = wire::arp::Operation::Reply;
    let mut answer = ethernet(mac_of(0), mac_of(2), EtherType::ARP).to_vec();
    answer.extend(arp.bytes());
    world.inject(InterfaceId(0), &answer).expect("a frame");
    let [(InterfaceId(0), reply)] = &all_out(&mut world, at(40))[..] else {
        panic!("one reply")
    };
    let ip = ipv4(reply);
    assert_eq!(
        [ip.source.octets(), ip.destination.octets()],
        [ends[1], ends[0]]
    );
    assert_eq!((reply[34], &reply[38..]), (0, &request[38..]));
}

/// Two worlds that are each other's outside: what is simulated in one is real in the other.
fn joined(app: &traffic::Config) -> [World; 2] {
    let plan = |real: usize| {
        let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 100);
        plan.warmup_ns = Duration::ZERO;
        plan.nodes[real].role = NodeRole::Port;
        plan.flows = vec![flow("flow", 0, 2, app.clone())];
        if real == 0 {
            plan.flows[0].start_ns = Duration::from_secs(99);
        }
        World::new(plan, 1)
    };
    let (mut near, mut far) = (plan(2), plan(0));
    let mut bytes = Vec::new();
    for step in 1..40_000 {
        let now = Time::ZERO + Duration::from_micros(100 * step);
        near.run_until(now);
        far.run_until(now);
        while let Some((_, port)) = near.poll_egress(&mut bytes) {
            assert_eq!(port, InterfaceId(2));
            far.inject(InterfaceId(0), &bytes).expect("a frame");
        }
        while let Some((_, port)) = far.poll_egress(&mut bytes) {
            assert_eq!(port, InterfaceId(0));
            near.inject(InterfaceId(2), &bytes).expect("a frame");
        }
    }
    [near, far]
}

#[test]
fn a_simulated_connection_ends_at_a_real_host_and_one_from_there_at_a_simulated() {
    let [near, far] = joined(&bulk(Some(300_000)));
    let [near, far] = [near, far].map(|world| world.finish().expect("no files").transfers);
    assert_eq!((near.len(), far.len()), (1, 1));
    assert_eq!(
        (near[0].bytes_sent, far[0].bytes_received),
        (300_000, 300_000)
    );
    assert!(near[0].established_s.is_some() && far[0].completed_s.is_some());
}

#[test]
fn pings_and_datagrams_reach_real_hosts_and_come_from_them() {
    let [near, _] = joined(&ping(Duration::from_millis(100)));
    let metrics = near.finish().expect("no files").metrics;
    // Each tenth of a second from 0.1 to 3.9 s; the one at 0 is before anything is measured.
    let [requests, replies] =
        ["requests", "replies"].map(|name| metrics[&format!("flow.flow.{name}")]);
    assert_eq!((requests, replies), (39.0, 40.0));
    let [near, far] = joined(&udp(1000, Some(Rate::from_mbps(0.8))));
    let sent = near.finish().expect("no files").metrics;
    let received = far.finish().expect("no files").metrics;
    // A thousand bytes each 10 ms from 0.01 to 3.99 s; the one at 0 is before anything is measured.
    assert_eq!(sent["flow.flow.datagrams_sent"], 399.0);
    assert_eq!(received["flow.flow.datagrams_received"], 400.0);
}

/// The server and the first two stations of a cell are ports.
fn ports_in_a_cell(stations: usize) -> Plan {
    ports_of(bss(&mac(Mode::CCK_11, Mode::DSSS_2), stations, 100))
}

fn ports_of(mut plan: Plan) -> Plan {
    for node in (0..plan.nodes.len()).filter(|&node| node != 1) {
        plan.nodes[node].role = NodeRole::Port;
    }
    plan
}

#[test]
fn an_access_point_learns_who_is_behind_which_station() {
    let mut world = World::new(ports_in_a_cell(2), 1);
    let mut send = |port: u16, ends, expected: &[u16]| {
        let sent = frame(ends, BETWEEN, 0, udp_from(1), 100);
        world.inject(InterfaceId(port), &sent).expect("a frame");
        let until = world.now() + Duration::from_millis(20);
        let out = all_out(&mut world, until);
        let mut ports: Vec<u16> = out.iter().map(|(port, _)| port.0).collect();
        ports.sort_unstable();
        assert_eq!(ports, expected, "{ends:?}");
        assert!(out.iter().all(|(_, frame)| *frame == sent), "untouched");
    };
    send(0, [mac_of(0), LAPTOP], &[]);
    // What is for all is repeated to all, also to the station that its sender is behind; what that
    // sent itself it knows.
    send(2, [LAPTOP, MacAddress::BROADCAST], &[0, 2, 3]);
    send(2, [mac_of(2), MacAddress::BROADCAST], &[0, 3]);
    send(0, [mac_of(0), LAPTOP], &[2]);
    send(3, [PHONE, LAPTOP], &[2]);
    send(2, [LAPTOP, PHONE], &[3]);
    // The laptop is carried to the other station.
    send(3, [LAPTOP, mac_of(0)], &[0]);
    send(0, [mac_of(0), LAPTOP], &[3]);
    // Nobody speaks by radio in the name of the server.
    send(3, [mac_of(0), PHONE], &[]);
    send(2, [LAPTOP, mac_of(0)], &[0]);
}

/// A station that roams takes along who is behind it: the bridges between hear of both.
#[test]
fn who_is_behind_a_station_roams_with_it() {
    let mut plan = between_two(true);
    plan.flows.clear();
    for port in [0, 2] {
        plan.nodes[port].role = NodeRole::Port;
    }
    let mut world = World::new(plan, 1);
    let ends = [LAPTOP, mac_of(0)];
    let up = frame(ends, BETWEEN, 0, udp_from(1), 100);
    let down = frame([ends[1], ends[0]], BETWEEN, 0, udp_from(1), 100);
    world.inject(InterfaceId(2), &up).expect("a frame");
    assert_eq!(all_out(&mut world, at(10)), [(InterfaceId(0), up)]);
    world.inject(InterfaceId(0), &down).expect("a frame");
    assert_eq!(
        all_out(&mut world, at(20)),
        [(InterfaceId(2), down.clone())]
    );
    all_out(&mut world, at(2500));
    world.inject(InterfaceId(0), &down).expect("a frame");
    assert_eq!(all_out(&mut world, at(2600)), [(InterfaceId(2), down)]);
    let roams = world.finish().expect("no files").roams;
    assert_eq!((roams.len(), roams[0].to.0), (1, 3));
}

/// An 802.11n MAC at 5 GHz and MCS 7 of 20 MHz, which aggregates, control frames at 6 Mbit/s.
pub fn ht() -> MacConfig {
    MacConfig {
        standard: Standard::Dot11n,
        band: Some(Band::Ghz5),
        aggregation: Some(AggregationConfig {
            ampdu_bytes: 65_535,
            amsdu_bytes: 0,
            window: 64,
            spacing_ns: Duration::ZERO,
            lasts_ns: phy::LONGEST_PPDU,
            patience_ns: Duration::from_millis(100),
            agreements: Agreements::Standing,
            takes: 64,
            idle_ns: Duration::ZERO,
        }),
        short_slot: true,
        rate: Mode::ht(7, Width::Mhz20, GuardInterval::Ns800),
        cw_min: 15,
        ..mac(Mode::OFDM_54, Mode::OFDM_6)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every frame let in has come out, was dropped for a cause, or is under way; no frame is longer
    /// than the MTU allows, and every sum in it holds.
    #[test]
    fn every_frame_is_accounted_for(
        seed: u64,
        aggregates: bool,
        stations in 1usize..4,
        queue in 1u32..20,
        loss_db in 48.0f64..105.0,
        loss in 0.0f64..0.3,
        twins in 0.0f64..0.3,
        discipline in 0..net::queue::KINDS.len(),
        frames in prop::collection::vec((0usize..4, 0usize..4, 0usize..1600, 0u64..20_000), 1..150),
    ) {
        let mac = if aggregates { ht() } else { mac(Mode::CCK_11, Mode::DSSS_2) };
        let mut plan = ports_of(bss(&mac, stations, 100));
        plan.wires[0].queue = drop_tail(queue);
        plan.wires[0].queue[1] = usual_queue(net::queue::KINDS[discipline].name);
        plan.wires[0].rate_bps = Rate::from_mbps(2.0);
        let copies = duplicate::Config { probability: twins, copies: [1, 2].into() };
        plan.wires[0].impair[0] = vec![loses(loss), every("twins", copies.into())];
        plan.air.as_mut().expect("there are radios").loss_db[1][2] = Db(loss_db);
        let mut world = World::new(plan, seed);
        let ports: Vec<InterfaceId> = [0].into_iter().chain(2..2 + stations as u16).map(InterfaceId).collect();
        let (mut sent, mut refused, mut out) = ([0; 2], 0, [0; 2]);
        let mut buffer = Vec::new();
        let mut poll = |world: &mut World| {
            while let Some((_, port)) = world.poll_egress(&mut buffer) {
                assert!(ports.contains(&port) && buffer.len() <= 1514);
                sound(&buffer);
                out[0] += 1;
                out[1] += buffer.len() as u64;
            }
            out
        };
        for (from, to, payload, pause_us) in frames {
            let [from, to] = [from, to].map(|end| ports[end % ports.len()]);
            if from == to {
                continue;
            }
            let ends = [from, to].map(|node| mac_of(node.0.into()));
            let frame = frame(ends, BETWEEN, 0, udp_from(from.0), payload);
            match world.inject(from, &frame) {
                Ok(()) => {
                    sent[0] += 1;
                    sent[1] += frame.len() as u64;
                }
                Err(_) => {
                    prop_assert!(frame.len() > 1514);
                    refused += 1;
                }
            }
            let until = world.now() + Duration::from_micros(pause_us);
            world.run_until(until);
            let out = poll(&mut world);
            let copies = world.frame_tally().copied;
            let ended = out[0] + world.frame_tally().dropped_in_all();
            let under_way = world.frames_under_way() as u64;
            prop_assert_eq!(sent[0] + copies, under_way + ended);
        }
        let until = world.now() + Duration::from_secs(20);
        world.run_until(until);
        let out = poll(&mut world);
        let counts = ports.iter().map(|&port| world.port_counts(port).expect("a port"));
        let sums = counts.fold([0; 6], |sum, each| {
            let own = [each.frames_in, each.bytes_in, each.refused_long, each.frames_out, each.bytes_out, each.refused_short];
            std::array::from_fn(|at| sum[at] + own[at])
        });
        prop_assert_eq!(sums, [sent[0], sent[1], refused, out[0], out[1], 0]);
        prop_assert_eq!(world.frames_under_way(), 0);
        prop_assert_eq!(sent[0] + world.frame_tally().copied, out[0] + world.frame_tally().dropped_in_all());
    }
}
