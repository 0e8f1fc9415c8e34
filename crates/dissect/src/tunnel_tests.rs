//! Segments found in tunnels, and behind link layers that are seen now and then.

use super::tests::{SNAP_IPV4, dissect, finds_it, ipv4, ipv6, packet};
use capture::packet::{EtherType, ethernet};
use units::MacAddress;

/// An IPv4 packet of any protocol.
fn outer(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = ipv4()[..20].to_vec();
    bytes[2..4].copy_from_slice(&(20 + payload.len() as u16).to_be_bytes());
    bytes[9] = protocol;
    [&bytes, payload].concat()
}

fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
    let length = (8 + payload.len() as u16).to_be_bytes();
    let port = port.to_be_bytes();
    outer(
        17,
        &[&[0, 9], &port[..], &length, &[0, 0], payload].concat(),
    )
}

fn frame(ethertype: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let addresses = &ethernet(
        MacAddress::of_node(1),
        MacAddress::of_node(2),
        EtherType::IPV4,
    )[..12];
    [addresses, &ethertype, payload].concat()
}

#[test]
fn ip_in_ip_leads_to_the_innermost_packet() {
    let ip = ipv4();
    finds_it(101, &[&outer(4, &ip)]);
    finds_it(101, &[&outer(41, &ipv6())]);
    finds_it(101, &[&outer(4, &outer(4, &outer(41, &ipv6())))]);
    let mut four_in_six = ipv6()[..40].to_vec();
    four_in_six[4..6].copy_from_slice(&(ip.len() as u16).to_be_bytes());
    four_in_six[6] = 4;
    finds_it(101, &[&four_in_six, &ip]);
    let authentication = [
        6, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    finds_it(
        101,
        &[&outer(51, &[&authentication[..], &ip[20..]].concat())],
    );
}

#[test]
fn gre_carries_packets_frames_and_mirrored_frames() {
    let ip = ipv4();
    let gre = |header: &[u8], payload: &[u8]| outer(47, &[header, payload].concat());
    let framed = frame([8, 0], &ip);
    finds_it(101, &[&gre(&[0, 0, 8, 0], &ip)]);
    finds_it(
        101,
        &[&gre(
            &[0xB0, 0, 8, 0, 1, 1, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3],
            &ip,
        )],
    );
    finds_it(101, &[&gre(&[0x20, 0, 0x65, 0x58, 0, 0, 0, 7], &framed)]);
    finds_it(101, &[&gre(&[0, 0, 0x88, 0xBE], &framed)]);
    let second = [0x10, 0, 0x88, 0xBE, 0, 0, 0, 1, 0x10, 0, 0, 0, 0, 0, 0, 0];
    finds_it(101, &[&gre(&second, &framed)]);
    let third = [
        &[0x10, 0, 0x22, 0xEB, 0, 0, 0, 1],
        &[0x20; 11][..],
        &[1],
        &[0; 8],
    ]
    .concat();
    finds_it(101, &[&gre(&third, &framed)]);
    let pptp = [
        0x30, 0x81, 0x88, 0x0B, 0, 142, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0xFF, 3, 0, 0x21,
    ];
    finds_it(101, &[&gre(&pptp, &ip)]);
}

#[test]
fn tunnels_over_udp_are_told_by_their_ports() {
    let ip = ipv4();
    let framed = frame([8, 0], &ip);
    finds_it(
        101,
        &[&udp(
            4789,
            &[&[8, 0, 0, 0, 0, 0, 5, 0], &framed[..]].concat(),
        )],
    );
    let option = [1, 2, 3, 4, 5, 6, 7, 8];
    let geneve = [&[2, 0, 0x65, 0x58, 0, 0, 5, 0], &option[..], &framed].concat();
    finds_it(101, &[&udp(6081, &geneve)]);
    finds_it(
        101,
        &[&udp(6081, &[&[0, 0, 8, 0, 0, 0, 5, 0], &ip[..]].concat())],
    );
    finds_it(
        101,
        &[&udp(
            2152,
            &[&[0x30, 255, 0, 140, 0, 0, 0, 1], &ip[..]].concat(),
        )],
    );
    let extended = [0x34, 255, 0, 148, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0, 9, 0];
    finds_it(101, &[&udp(2152, &[&extended, &ip[..]].concat())]);
    let l2tp = [0x40, 2, 0, 148, 0, 1, 0, 2, 0xFF, 3, 0, 0x21];
    finds_it(101, &[&udp(1701, &[&l2tp, &ip[..]].concat())]);
    finds_it(101, &[&udp(3544, &[&[0; 8], &ipv6()[..]].concat())]);
    finds_it(101, &[&udp(4754, &[&[0, 0, 8, 0], &ip[..]].concat())]);
    finds_it(101, &[&udp(6635, &[&[0, 0, 1, 64], &ip[..]].concat())]);
    let other = udp(53, &ip);
    assert_eq!(dissect(&[packet(101, &other)]).1.other_ip, 1);
}

#[test]
fn labels_and_tags_of_providers_are_passed() {
    let ip = ipv4();
    let inner = frame([8, 0], &ip);
    finds_it(
        1,
        &[&frame([0x88, 0x47], &[0, 1, 0, 255, 0, 2, 1, 255]), &ip],
    );
    finds_it(
        1,
        &[&frame([0x88, 0x47], &[0, 2, 1, 255, 0, 0, 0, 0]), &inner],
    );
    finds_it(1, &[&frame([0x88, 0xE7], &[0, 0, 0, 7]), &inner]);
    finds_it(1, &[&frame([0x89, 0x03], &[0, 7]), &inner]);
}

#[test]
fn link_layers_seen_now_and_then_lead_to_the_segment() {
    let ip = ipv4();
    finds_it(6, &[&[0x10, 0x40], &[0; 12], SNAP_IPV4, &ip]);
    finds_it(
        6,
        &[
            &[0x10, 0x40],
            &[0; 6],
            &[0x80; 6],
            &[6, 0, 1, 2, 3, 4],
            SNAP_IPV4,
            &ip,
        ],
    );
    finds_it(8, &[&[0; 16], &ip]);
    finds_it(9, &[&[0x21], &ip]);
    finds_it(10, &[&[0x50; 13], SNAP_IPV4, &ip]);
    finds_it(100, &[SNAP_IPV4, &ip]);
    finds_it(51, &[&[0x11, 0, 0, 1, 0, 142, 0, 0x21], &ip]);
    finds_it(50, &[&[0x0F, 0, 8, 0], &ip]);
    finds_it(104, &[&[0x8F, 0, 8, 0], &ip]);
    finds_it(107, &[&[0x18, 0x41, 3, 0xCC], &ip]);
    finds_it(107, &[&[0x18, 0x41, 3, 0, 0x80, 0, 0, 0, 8, 0], &ip]);
    finds_it(107, &[&[0x18, 0x41, 8, 0], &ip]);
    finds_it(109, &[&[0; 12], &ip]);
    finds_it(117, &[&[61], &[0; 63], &ip]);
    finds_it(122, &[&[0; 16], SNAP_IPV4, &ip]);
    let prefix = [8, 0, 10, 0, b'i', b'n', b' ', 0];
    let length = (4 + ip.len() as u16).to_le_bytes();
    finds_it(239, &[&[2, 0, 0, 5], &prefix, &length, &[9, 0], &ip]);
    finds_it(242, &[&[0; 40], &[8, 0, 0, 0], &ip]);
    finds_it(
        258,
        &[
            &[16, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 9, 9, 9],
            &frame([8, 0], &ip),
        ],
    );
}

#[test]
fn the_first_fragment_of_a_tunnels_packet_has_all_headers_within() {
    let ip = ipv4();
    let mut whole = outer(4, &ip);
    whole[6..8].copy_from_slice(&[0x20, 0]);
    whole[2..4].copy_from_slice(&[0, 76]);
    let mut rest = whole[..20].to_vec();
    rest[6..8].copy_from_slice(&[0, 7]);
    let (found, tally) = dissect(&[packet(101, &whole[..76]), packet(101, &rest)]);
    assert_eq!((found.len(), found[0].payload), (1, 100));
    assert_eq!((tally.tcp, tally.other_ip), (1, 1));
}

#[test]
fn tunnels_without_end_are_left() {
    let nested = (0..500).fold(ipv4(), |ip, _| outer(4, &ip));
    let (found, tally) = dissect(&[packet(101, &nested)]);
    assert_eq!((found.len(), tally.other_ip), (0, 1));
}

/// A mirror shows what a switch or router moves from one network to another in both, half a
/// millisecond apart.
#[test]
fn a_packet_in_two_networks_was_captured_twice() {
    let ip = ipv4();
    let tagged = |vlan| frame([0x81, 0], &[&[0, vlan, 8, 0], &ip[..]].concat());
    let of_no_vlan = tagged(0);
    let plain = frame([8, 0], &ip);
    let tunnelled = frame([8, 0], &outer(4, &ip));
    let is_found_twice = |first: &[u8], then: &[u8]| {
        let mut then = packet(1, then);
        then.time_ns += 500_000;
        dissect(&[packet(1, first), then]).0.len() == 2
    };
    assert!(!is_found_twice(&plain, &tagged(5)));
    assert!(!is_found_twice(&tagged(5), &tagged(6)));
    assert!(!is_found_twice(&tunnelled, &plain));
    assert!(is_found_twice(&tagged(5), &tagged(5)), "the network's copy");
    assert!(is_found_twice(&plain, &of_no_vlan), "a priority alone");
}
