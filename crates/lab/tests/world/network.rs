//! Machines that have to find each other: link addresses, bridges, routers, errors.

use std::net::Ipv4Addr;

use crate::common::{bss, bulk, drop_tail, end, flow, mac, node, radio, usual_queue};
use crate::ping;
use crate::ports::egress;
use capture::packet::{EtherType, Ipv4Fields, Payload, TransportFields, UdpFields, ethernet};
use dot11::Mode;
use lab::{
    InterfaceId, NodeRole, Plan, Record, RoutePlan, SegmentPlan, TapPlan, TapPoint, WirePlan, World,
};
use units::{Duration, MacAddress, Rate, Time};

fn run(plan: &Plan) -> Record {
    lab::run(plan, 1, None).expect("no files are written")
}

/// Pings from the server to a station of the access point, one a second.
fn pings() -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 3, 10);
    plan.warmup_ns = Duration::ZERO;
    let interval = Duration::from_secs(1);
    plan.flows.push(flow("ping", 0, 2, ping(interval)));
    plan
}

#[test]
fn who_knows_nobody_asks_first_and_gets_through() {
    let mut plan = pings();
    let known = run(&plan).metrics;
    plan.caches_filled = false;
    let asked = run(&plan).metrics;
    assert_eq!(asked["flow.ping.replies"], known["flow.ping.replies"]);
    // A request for all over the wire, which the access point sends to all at the lowest basic
    // rate, and an answer, before the packet itself: 2 * 1 ms and 192 + (24 + 8 + 28 + 4) * 8 / 2
    // us of air at the least.
    let (first, later) = (
        asked["flow.ping.rtt_ms_max"],
        known["flow.ping.rtt_ms_mean"],
    );
    assert!(first > later + 2.0 + 0.448, "{first} ms and {later} ms");
    assert!(first < later + 6.0, "{first} ms and {later} ms");
}

/// Two stations of one access point: what one sends the other goes over the air twice.
#[test]
fn stations_reach_each_other_through_their_access_point() {
    let mut plan = pings();
    plan.caches_filled = false;
    plan.flows = vec![flow("ping", 2, 3, ping(Duration::from_secs(1)))];
    let metrics = run(&plan).metrics;
    assert_eq!(metrics["flow.ping.replies"], metrics["flow.ping.requests"]);
    assert_eq!(metrics["wire.uplink.drops_from.ap"], 0.0);
}

/// A host, or a port.
pub const LEFT: usize = 0;
pub const ROUTER: usize = 1;
/// A host.
pub const RIGHT: usize = 2;

fn gateway(of: usize, network: u8) -> RoutePlan {
    let address = Ipv4Addr::new(10, 0, network, of as u8);
    RoutePlan {
        to: address,
        prefix_length: 0,
        gateway: address,
        interface: 0,
    }
}

/// Two networks, 10.0.0.0/24 and 10.0.1.0/24, and a router between them. The left host may be a
/// port.
pub fn routed(left: NodeRole) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 0, 10);
    plan.warmup_ns = Duration::ZERO;
    plan.caches_filled = false;
    plan.air = None;
    let mut router = node("router", NodeRole::Router, ROUTER, vec![None, None]);
    router.interfaces[1].address = Ipv4Addr::new(10, 0, 1, ROUTER as u8);
    let mut right = node("right", NodeRole::Host, RIGHT, vec![None]);
    right.interfaces[0].address = Ipv4Addr::new(10, 0, 1, RIGHT as u8);
    plan.nodes = vec![node("left", left, LEFT, vec![None]), router, right];
    for node in &mut plan.nodes {
        for interface in &mut node.interfaces {
            interface.prefix_length = 24;
        }
    }
    plan.nodes[LEFT].routes = vec![gateway(ROUTER, 0)];
    plan.nodes[RIGHT].routes = vec![gateway(ROUTER, 1)];
    let wire = |name: &str, ends| WirePlan {
        name: name.into(),
        ends,
        rate_bps: Rate::from_mbps(100.0),
        delay_ns: Duration::from_millis(1),
        queue: drop_tail(100),
        impair: [Vec::new(), Vec::new()],
    };
    plan.wires = vec![
        wire("near", [end(LEFT, 0), end(ROUTER, 0)]),
        wire("far", [end(ROUTER, 1), end(RIGHT, 0)]),
    ];
    plan
}

#[test]
fn a_router_joins_two_networks() {
    let mut plan = routed(NodeRole::Host);
    plan.flows = vec![flow("ping", LEFT, RIGHT, ping(Duration::from_secs(1)))];
    let metrics = run(&plan).metrics;
    assert_eq!(metrics["flow.ping.replies"], 10.0);
    // The first asks twice on the way there; the way back is known by then.
    let (first, mean) = (
        metrics["flow.ping.rtt_ms_max"],
        metrics["flow.ping.rtt_ms_mean"],
    );
    assert!((8.0..8.2).contains(&first), "{first} ms");
    assert!((4.4..4.5).contains(&mean), "{mean} ms");
}

/// A UDP datagram of a machine outside the world, in a frame for the router.
fn datagram(to: Ipv4Addr, ttl: u8) -> Vec<u8> {
    let [from, router] = [LEFT, ROUTER].map(|node| MacAddress::of_node(node as u32));
    let mut bytes = ethernet(from, router, EtherType::IPV4).to_vec();
    let datagram = Ipv4Fields {
        source: Ipv4Addr::new(10, 0, 0, LEFT as u8),
        destination: to,
        identification: 1,
        ttl,
        tos: 0,
        transport: TransportFields::Udp(UdpFields {
            source_port: 1000,
            destination_port: 2000,
        }),
        payload: Payload::Zeros(100),
    };
    datagram.write(usize::MAX, &mut bytes).expect("it fits");
    bytes
}

/// The ICMP error that comes back for a datagram, which the sender has to be asked for first.
fn error_for(sent: &[u8]) -> (Time, Vec<u8>) {
    let mut world = World::new(routed(NodeRole::Port), 1);
    world
        .inject(InterfaceId::at(LEFT), sent)
        .expect("a good frame");
    for millis in 1..10_000 {
        world.run_until(Time::ZERO + Duration::from_millis(millis));
        while let Some((at, _, frame)) = egress(&mut world) {
            if frame[12..14] == [0x08, 0x00] {
                return (at, frame);
            }
            let reply = reply_to(&frame);
            world
                .inject(InterfaceId::at(LEFT), &reply)
                .expect("a good frame");
        }
    }
    panic!("no error came back");
}

/// The left machine's answer to an ARP request.
fn reply_to(request: &[u8]) -> Vec<u8> {
    let left = MacAddress::of_node(LEFT as u32).0;
    let asker = &request[6..12];
    let operation_reply = [0, 1, 0x08, 0x00, 6, 4, 0, 2];
    let said = [
        &operation_reply,
        &left[..],
        &request[38..42],
        &request[22..32],
    ]
    .concat();
    [asker, &left, &[0x08, 0x06], &said].concat()
}

#[test]
fn a_router_tells_what_became_of_a_packet() {
    let nowhere = datagram(Ipv4Addr::new(192, 0, 2, 1), 64);
    let (_, error) = error_for(&nowhere);
    assert_eq!(error[34..36], [3, 0], "network unreachable");
    // It quotes the header and the first eight bytes of what could not be delivered.
    assert_eq!(error[42..70], nowhere[14..42]);

    let (_, error) = error_for(&datagram(Ipv4Addr::new(10, 0, 1, 2), 1));
    assert_eq!(error[34..36], [11, 0], "time to live exceeded in transit");

    let (at, error) = error_for(&datagram(Ipv4Addr::new(10, 0, 1, 77), 64));
    assert_eq!(error[34..36], [3, 1], "host unreachable");
    let seconds = at.as_secs_f64();
    assert!(
        (3.0..3.1).contains(&seconds),
        "three questions, a second each: {seconds}"
    );
}

#[test]
fn a_router_takes_one_hop_from_a_packet_of_the_outsides() {
    let mut plan = routed(NodeRole::Port);
    plan.nodes[RIGHT].role = NodeRole::Port;
    plan.caches_filled = true;
    plan.flows = vec![flow("known", LEFT, RIGHT, ping(Duration::from_secs(1)))];
    let mut world = World::new(plan, 1);
    let sent = datagram(Ipv4Addr::new(10, 0, 1, 2), 64);
    world
        .inject(InterfaceId::at(LEFT), &sent)
        .expect("a good frame");
    world.run_until(Time::ZERO + Duration::from_millis(10));
    let frames = std::iter::from_fn(|| egress(&mut world));
    let passed = frames
        .map(|(_, _, frame)| frame)
        .find(|frame| frame[23] == 17);
    let passed = passed.expect("it has arrived");
    assert_eq!((passed[22], passed[34..].len()), (63, sent[34..].len()));
    assert!(
        wire::ipv4::Ipv4::read(&passed[14..]).is_ok(),
        "the header's sum is right"
    );
}

const SECOND_AP: usize = 3;
const FAR_STATION: usize = 4;
const REPEATER: usize = 5;

/// A station's network behind another access point, 10.0.1.0/24, which a router joins by radio
/// with the first one's.
fn two_cells() -> Plan {
    let mac = mac(Mode::CCK_11, Mode::DSSS_2);
    let mut plan = bss(&mac, 1, 10);
    plan.warmup_ns = Duration::ZERO;
    let joins = |ap| Some(radio(&mac, Some(end(ap, 0))));
    let second = node(
        "second",
        NodeRole::Ap,
        SECOND_AP,
        vec![Some(radio(&mac, None))],
    );
    let mut far = node("far", NodeRole::Sta, FAR_STATION, vec![joins(SECOND_AP)]);
    let mut repeater = node(
        "repeater",
        NodeRole::Router,
        REPEATER,
        vec![joins(1), joins(SECOND_AP)],
    );
    for (number, interface) in repeater.interfaces.iter_mut().enumerate() {
        interface.address = Ipv4Addr::new(10, 0, number as u8, REPEATER as u8);
        let radio = interface.radio.as_mut().expect("it has two");
        radio.name = format!("repeater-{number}");
    }
    far.interfaces[0].address = Ipv4Addr::new(10, 0, 1, FAR_STATION as u8);
    far.routes = vec![gateway(REPEATER, 1)];
    plan.nodes.extend([second, far, repeater]);
    plan.nodes[0].routes = vec![gateway(REPEATER, 0)];
    for interface in plan.nodes.iter_mut().flat_map(|node| &mut node.interfaces) {
        interface.prefix_length = 24;
    }
    let air = plan.air.as_mut().expect("there is one");
    air.loss_db = vec![vec![units::Db(48.0); plan.nodes.len()]; plan.nodes.len()];
    plan
}

#[test]
fn two_radios_of_one_name_are_refused() {
    let mut plan = two_cells();
    for interface in &mut plan.nodes[REPEATER].interfaces {
        interface.radio.as_mut().expect("it has two").name = "repeater".into();
    }
    let json = serde_json::to_string(&plan).expect("a plan is JSON");
    let refused = Plan::parse(&json).err().map(|error| error.to_string());
    let said = refused.expect("their metrics would hide each other");
    assert!(
        said.ends_with("nodes: repeater is the name of two radios"),
        "{said}"
    );
}

#[test]
fn a_router_joins_two_cells_with_a_radio_in_each() {
    let mut plan = two_cells();
    plan.flows = vec![flow("ping", 0, FAR_STATION, ping(Duration::from_secs(1)))];
    let metrics = run(&plan).metrics;
    assert_eq!(metrics["flow.ping.replies"], 10.0);
    for radio in ["repeater-0", "repeater-1"] {
        let of = |count| metrics[&format!("node.{radio}.{count}")];
        let sent = of("attempts") - of("retries");
        assert_eq!(sent, 10.0, "requests on one side, replies on the other");
    }
}

/// Who is behind a router that translates goes by its address outside, and is reached by what he
/// has begun: a transfer, datagrams, pings, and what a router says of a smaller path.
#[test]
fn a_router_stands_for_those_behind_it() {
    let mut plan = routed(NodeRole::Host);
    plan.nodes[ROUTER].nat = Some(1);
    plan.nodes[RIGHT].routes.clear();
    plan.nodes[ROUTER].interfaces[1].mtu = 576;
    plan.flows = vec![
        flow("file", LEFT, RIGHT, bulk(Some(53_600))),
        flow("ping", LEFT, RIGHT, ping(Duration::from_secs(1))),
    ];
    plan.taps = vec![TapPlan {
        name: "far".into(),
        at: TapPoint::Wire(1),
        snap_bytes: 100,
    }];
    let (record, captures) = lab::run_captured(&plan, 1);
    assert_eq!(record.metrics["flow.ping.replies"], 10.0);
    assert_eq!(record.metrics["flow.file.timeouts"], 0.0);
    assert!(
        record.metrics["flow.file.segments_sent"] >= 100.0,
        "in pieces of 536 bytes"
    );
    let far = &captures[0].1;
    let inside = [10, 0, 0, LEFT as u8];
    let is_seen = far.windows(4).any(|bytes| bytes == inside);
    assert!(!is_seen, "nobody outside learns who is inside");
}

/// Two hosts and a switch on a hub; behind the switch another host.
fn hub() -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 0, 10);
    plan.warmup_ns = Duration::ZERO;
    plan.caches_filled = false;
    plan.air = None;
    plan.nodes = vec![
        node("left", NodeRole::Host, LEFT, vec![None]),
        node("switch", NodeRole::Switch, 1, vec![None, None]),
        node("right", NodeRole::Host, RIGHT, vec![None]),
        node("behind", NodeRole::Host, 3, vec![None]),
    ];
    plan.segments = vec![SegmentPlan {
        name: "hub".into(),
        members: vec![end(LEFT, 0), end(1, 0), end(RIGHT, 0)],
        rate_bps: Rate::from_mbps(10.0),
        delay_ns: Duration::from_micros(1),
        queue: usual_queue("drop-tail"),
    }];
    plan.wires[0].ends = [end(1, 1), end(3, 0)];
    plan
}

/// A request of 84 bytes takes 88 + 1 us over the hub (110 bytes with preamble), its reply waits
/// for the gap of 9.6 us and takes as long; the wire behind the switch adds 2 ms.
#[test]
fn machines_on_a_hub_reach_each_other_and_what_is_behind_a_switch() {
    let mut plan = hub();
    plan.caches_filled = true;
    let every = Duration::from_secs(1);
    plan.flows = vec![
        flow("near", LEFT, RIGHT, ping(every)),
        flow("far", LEFT, 3, ping(every)),
    ];
    plan.flows[1].start_ns = Duration::from_millis(500);
    let metrics = run(&plan).metrics;
    assert_eq!(metrics["flow.near.replies"], 10.0);
    assert_eq!(metrics["flow.far.replies"], 10.0);
    let both_ways = 2.0 * ((84.0 + 18.0 + 8.0) * 0.8e-3 + 1e-3) + 9.6e-3;
    let near = metrics["flow.near.rtt_ms_mean"];
    assert!((near - both_ways).abs() < 1e-6, "{near} ms for {both_ways}");
    assert!((2.19..2.2).contains(&metrics["flow.far.rtt_ms_mean"]));
    plan.caches_filled = false;
    let metrics = run(&plan).metrics;
    assert_eq!(
        metrics["flow.far.replies"], 10.0,
        "who knows nobody asks first"
    );
}

/// Data one way and their acknowledgements the other way share a hub. Two segments and their
/// acknowledgement take 2 * 1230.4 + 76.8 us, which would be 9.20 Mbit/s, if they did not collide.
#[test]
fn tcp_over_a_hub_collides_with_its_acknowledgements() {
    let mut plan = hub();
    plan.caches_filled = true;
    plan.warmup_ns = Duration::from_secs(1);
    plan.flows = vec![flow("file", LEFT, RIGHT, bulk(None))];
    let metrics = run(&plan).metrics;
    assert!(metrics["segment.hub.collisions_from.left"] > 100.0);
    let goodput = metrics["flow.file.goodput_mbps"];
    assert!((7.0..9.2).contains(&goodput), "{goodput} Mbit/s");
}

/// Data and acknowledgements both ways: together no more than the 9.20 Mbit/s of one way, less what
/// collisions take of it, and neither way captures the cable for long.
#[test]
fn tcp_both_ways_shares_a_hub() {
    let mut plan = hub();
    plan.caches_filled = true;
    plan.warmup_ns = Duration::from_secs(1);
    plan.flows = vec![
        flow("there", LEFT, RIGHT, bulk(None)),
        flow("back", RIGHT, LEFT, bulk(None)),
    ];
    let metrics = run(&plan).metrics;
    let [there, back] = ["there", "back"].map(|way| metrics[&format!("flow.{way}.goodput_mbps")]);
    assert!(
        (6.0..9.2).contains(&(there + back)),
        "{there} and {back} Mbit/s"
    );
    assert!(
        (0.8..1.25).contains(&(there / back)),
        "{there} and {back} Mbit/s"
    );
}

/// There is no spanning tree.
#[test]
fn a_switch_that_is_twice_on_a_hub_is_refused() {
    let mut plan = hub();
    plan.wires.clear();
    plan.segments[0].members.push(end(1, 1));
    let json = serde_json::to_string(&plan).expect("a plan is JSON");
    let refused = Plan::parse(&json).err().map(|error| error.to_string());
    let said = refused.expect("frames would go round");
    assert!(said.ends_with("hub closes a loop of bridges"), "{said}");
}

/// A server whose interface carries 1000 bytes shows a window of segments that fit, and sends no
/// longer ones.
#[test]
fn what_an_interface_carries_limits_both_ends_of_a_connection() {
    let mut plan = routed(NodeRole::Host);
    plan.nodes[LEFT].interfaces[0].mtu = 1000;
    for (from, to) in [(LEFT, RIGHT), (RIGHT, LEFT)] {
        plan.flows = vec![flow("file", from, to, bulk(Some(96_000)))];
        let metrics = run(&plan).metrics;
        assert_eq!(metrics["flow.file.segments_sent"], 100.0, "of 960 bytes");
        assert_eq!(metrics["flow.file.retransmissions"], 0.0);
    }
}

/// RFC 1191: between two hosts that could send longer packets stands a link that carries 576
/// bytes. The router tells the sender, which retransmits what was too long, in segments that fit.
#[test]
fn a_sender_learns_what_its_path_carries() {
    for stack in ["windows-xp", "freebsd-4.9", "linux-2.4", "linux-6"] {
        let mut plan = routed(NodeRole::Host);
        plan.nodes[ROUTER].interfaces[1].mtu = 576;
        plan.nodes[LEFT].stack = tcp::profile(stack);
        plan.flows = vec![flow("file", LEFT, RIGHT, bulk(Some(53_600)))];
        let metrics = run(&plan).metrics;
        assert_eq!(metrics["flow.file.timeouts"], 0.0, "{stack}");
        let sent = metrics["flow.file.segments_sent"];
        let again = metrics["flow.file.retransmissions"];
        assert!(again >= 1.0, "{stack}");
        assert!(sent - again <= 102.0, "{stack}: {sent}, {again} again");
    }
}
