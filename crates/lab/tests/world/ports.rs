//! A world driven from outside: frames handed in at one port come out at another.

use crate::common::{bss, mac};
use dot11::Mode;
use lab::{Plan, Refused, Role, World};
use units::{Duration, MacAddress, Time};

const SERVER: u16 = 0;
const STATION: u16 = 2;

/// Server and station are machines outside the world; wire, access point and air are in it.
fn plan() -> Plan {
    let mut plan = bss(&mac(Mode::Cck11, Mode::Dsss2), 1, 1000);
    for port in [SERVER, STATION] {
        plan.nodes[usize::from(port)].role = Role::Port;
    }
    plan
}

/// An Ethernet frame with a UDP packet of `payload` bytes from one node to another.
fn frame(from: u16, to: u16, payload: usize) -> Vec<u8> {
    use capture::packet::{Datagram, EtherType, Payload, Transport, Udp, ethernet};
    let address = |node: u16| std::net::Ipv4Addr::new(10, 0, 0, node as u8);
    let [source, destination] = [from, to].map(|node| MacAddress::of_node(u32::from(node)));
    let mut bytes = ethernet(source, destination, EtherType::IPV4).to_vec();
    let datagram = Datagram {
        source: address(from),
        destination: address(to),
        identification: 1,
        ttl: 64,
        transport: Transport::Udp(Udp {
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
        arrivals.extend(std::iter::from_fn(|| world.poll_egress()));
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
    let (_, port, bytes) = world.poll_egress().expect("it has arrived");
    assert_eq!((port, bytes.len()), (SERVER, 14 + 38));
}

#[test]
fn what_is_no_frame_is_refused() {
    let mut world = World::new(plan(), 1);
    assert_eq!(
        world.inject(1, &frame(SERVER, STATION, 10)),
        Err(Refused::NoPort)
    );
    assert_eq!(world.inject(SERVER, &[0; 10]), Err(Refused::NotIpv4));
    assert_eq!(world.inject(SERVER, &[0; 60]), Err(Refused::NotIpv4));
    let stranger = std::net::Ipv4Addr::new(10, 0, 0, 99);
    assert_eq!(
        world.inject(SERVER, &frame(SERVER, 99, 10)),
        Err(Refused::NoSuchAddress(stranger))
    );
    let mut damaged = frame(SERVER, STATION, 10);
    damaged[14 + 8] ^= 1;
    assert!(matches!(
        world.inject(SERVER, &damaged),
        Err(Refused::Unreadable(_))
    ));
    assert!(world.poll_egress().is_none());
}
