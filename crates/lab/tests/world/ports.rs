//! A world driven from outside: frames handed in at one port come out at another.

use crate::common::{bss, mac};
use dot11::Mode;
use lab::{
    EmulationLimits, EmulationPlan, InterfaceId, NodeRole, Plan, PortRefusal, RealPlan, Setting,
    World,
};
use units::{Duration, MacAddress, Time};

const SERVER: InterfaceId = InterfaceId(0);
const STATION: InterfaceId = InterfaceId(2);

/// The next frame that left a world, its bytes in a buffer of their own.
pub fn egress(world: &mut World) -> Option<(Time, InterfaceId, Vec<u8>)> {
    let mut frame = Vec::new();
    let (at, port) = world.poll_egress(&mut frame)?;
    Some((at, port, frame))
}

/// Server and station are machines outside the world; wire, access point and air are in it.
fn plan() -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 1000);
    for port in [SERVER, STATION] {
        plan.nodes[port.index()].role = NodeRole::Port;
    }
    plan
}

/// An Ethernet frame with a UDP packet of `payload` bytes from one node to another.
fn frame(from: InterfaceId, to: InterfaceId, payload: usize) -> Vec<u8> {
    use capture::packet::{EtherType, Ipv4Fields, Payload, TransportFields, UdpFields, ethernet};
    let address = |port: InterfaceId| std::net::Ipv4Addr::new(10, 0, 0, port.0 as u8);
    let [source, destination] = [from, to].map(|node| MacAddress::of_node(u32::from(node.0)));
    let mut bytes = ethernet(source, destination, EtherType::IPV4).to_vec();
    let datagram = Ipv4Fields {
        source: address(from),
        destination: address(to),
        identification: 1,
        ttl: 64,
        tos: 0,
        transport: TransportFields::Udp(UdpFields {
            source_port: 1000,
            destination_port: 2000,
        }),
        payload: Payload::Pattern {
            first: 7,
            len: payload,
        },
    };
    datagram.write(usize::MAX, &mut bytes).expect("it fits");
    bytes
}

#[test]
fn a_frame_crosses_wire_and_air_in_the_time_the_standard_asks() {
    let mut world = World::new(plan(), 1);
    let sent = Time::ZERO + Duration::from_secs(2);
    world.run_until(sent);
    let packet = frame(SERVER, STATION, 1000);
    world.inject(SERVER, &packet).expect("a good frame");
    let mut arrivals = Vec::new();
    while arrivals.is_empty() {
        let wake = world.next_wake();
        world.run_until(wake);
        arrivals.extend(std::iter::from_fn(|| egress(&mut world)));
    }
    let [(at, port, bytes)] = &arrivals[..] else {
        panic!("one frame, not {}", arrivals.len())
    };
    // Wire: (1028 + 38) bytes at 100 Mbit/s and 1 ms. Air: idle for long, so at once; a PPDU of
    // 192 µs and 1028 + 8 + 28 bytes at 11 Mbit/s, 773.8 rounded up to 774 µs.
    let expected = Duration::from_nanos(85_280 + 1_000_000 + 192_000 + 774_000);
    assert_eq!((*at - sent, *port), (expected, STATION));
    assert_eq!(
        bytes[14..],
        packet[14..],
        "the IP packet is passed on untouched"
    );
}

#[test]
fn answers_go_back_the_same_way() {
    let mut world = World::new(plan(), 1);
    world
        .inject(STATION, &frame(STATION, SERVER, 10))
        .expect("a good frame");
    world.run_until(Time::ZERO + Duration::from_millis(10));
    let (_, port, bytes) = egress(&mut world).expect("it has arrived");
    assert_eq!((port, bytes.len()), (SERVER, 14 + 38));
}

#[test]
fn what_is_no_frame_is_refused() {
    let mut world = World::new(plan(), 1);
    let good = frame(SERVER, STATION, 10);
    assert_eq!(
        world.inject(InterfaceId(1), &good),
        Err(PortRefusal::NoPort)
    );
    assert_eq!(world.inject(SERVER, &[0; 13]), Err(PortRefusal::TooShort));
    let too_long = PortRefusal::TooLong { most: 1514 };
    assert_eq!(world.inject(SERVER, &[0; 1515]), Err(too_long));
    assert!(egress(&mut world).is_none());
}

/// Ethernet does not ask what its frames carry.
#[test]
fn a_frame_of_any_kind_is_carried() {
    let mut world = World::new(plan(), 1);
    let mut unknown = frame(SERVER, STATION, 50);
    unknown[12..14].copy_from_slice(&[0x88, 0xB5]); // local experimental, IEEE 802
    world.inject(SERVER, &unknown).expect("a good frame");
    world.run_until(Time::ZERO + Duration::from_millis(10));
    let (_, port, bytes) = egress(&mut world).expect("it has arrived");
    assert_eq!((port, bytes), (STATION, unknown));
}

/// A machine outside asks a simulated host for its link address, as RFC 826 says.
#[test]
fn a_question_for_an_address_is_answered() {
    let mut plan = plan();
    plan.nodes[STATION.index()].role = NodeRole::Sta;
    let mut world = World::new(plan, 1);
    let (asker, host) = ([2, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 2]);
    let request = arp(1, [asker, [0xFF; 6]], [(asker, 0), ([0; 6], 2)]);
    world.inject(SERVER, &request).expect("a good frame");
    world.run_until(Time::ZERO + Duration::from_millis(20));
    let (_, port, bytes) = egress(&mut world).expect("an answer");
    assert_eq!(port, SERVER);
    assert_eq!(bytes, arp(2, [host, asker], [(host, 2), (asker, 0)]));
}

/// An ARP frame: operation, source and destination, and who says what of whom.
fn arp(operation: u8, [source, destination]: [[u8; 6]; 2], ends: [([u8; 6], u8); 2]) -> Vec<u8> {
    let mut bytes = [destination, source].concat();
    bytes.extend([0x08, 0x06, 0, 1, 0x08, 0x00, 6, 4, 0, operation]);
    for (mac, last) in ends {
        bytes.extend(mac);
        bytes.extend([10, 0, 0, last]);
    }
    bytes
}

/// The access point, whose own machine is outside the world as well.
const ACCESS_POINT: InterfaceId = InterfaceId(1);

fn plan_with_access_point() -> Plan {
    let mut plan = plan();
    let real = |port: InterfaceId| RealPlan {
        node: port.index(),
        congestion_control: None,
        forwards: false,
        interface: None,
    };
    plan.emulation = Some(EmulationPlan {
        real: [SERVER, ACCESS_POINT, STATION].map(real).to_vec(),
        programs: Vec::new(),
        limits: EmulationLimits {
            lateness_p99_ns: Duration::from_micros(100),
            stall_ns: Duration::from_millis(50),
            changed_share: 0.005,
            starved_share: 0.05,
        },
    });
    plan
}

#[test]
fn the_machine_within_an_access_point_is_reached_by_wire_and_radio_and_reaches_both() {
    let mut world = World::new(plan_with_access_point(), 1);
    for (from, to) in [
        (SERVER, ACCESS_POINT),
        (STATION, ACCESS_POINT),
        (ACCESS_POINT, SERVER),
        (ACCESS_POINT, STATION),
    ] {
        let sent = frame(from, to, 100);
        world.inject(from, &sent).expect("a good frame");
        world.run_until(world.now() + Duration::from_millis(10));
        let (_, port, bytes) = egress(&mut world).expect("it has arrived");
        assert_eq!((port, bytes), (to, sent));
        assert!(egress(&mut world).is_none(), "once, and nowhere else");
    }
}

#[test]
fn a_question_of_the_link_reaches_the_machine_within_an_access_point_and_all_others() {
    let mut world = World::new(plan_with_access_point(), 1);
    let asker = [2, 0, 0, 0, 0, 0];
    let request = arp(1, [asker, [0xFF; 6]], [(asker, 0), ([0; 6], 1)]);
    world.inject(SERVER, &request).expect("a good frame");
    world.run_until(Time::ZERO + Duration::from_millis(20));
    let mut ports: Vec<_> = std::iter::from_fn(|| egress(&mut world))
        .map(|(_, port, _)| port)
        .collect();
    ports.sort_unstable();
    assert_eq!(ports, [ACCESS_POINT, STATION]);
}

#[test]
fn a_setting_of_a_radio_holds_from_the_next_frame_on() {
    let mut world = World::new(plan(), 1);
    let lasts = |world: &mut World| {
        let began = world.now();
        let packet = frame(SERVER, STATION, 1000);
        world.inject(SERVER, &packet).expect("a good frame");
        world.run_until(began + Duration::from_millis(100));
        egress(world).expect("it has arrived").0 - began
    };
    let whole = lasts(&mut world);
    let threshold = Setting::FragmentationThreshold;
    assert!(world.set(ACCESS_POINT, threshold, 256));
    assert_eq!(world.setting(ACCESS_POINT, threshold), Some(256));
    let cut = lasts(&mut world);
    // Four fragments more, each with a preamble of 192 µs, an ACK at 2 Mbit/s and two SIFS around that.
    let each = Duration::from_micros(192 + 192 + 56 + 20);
    assert!(cut > whole + each * 4, "{cut:?} after {whole:?}");
    assert!(!world.set(ACCESS_POINT, threshold, 255), "out of range");
    assert!(!world.set(SERVER, threshold, 256), "it has no radio");
    assert_eq!(world.setting(SERVER, threshold), None);
}
