//! Segments found in tunnels, and behind link layers that are seen now and then.

use super::tests::{SNAP_IPV4, dissect, finds_it, ipv4, ipv6, packet};
use super::{Complaint, Dissected, Dissector, Layer};
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
    finds_it(101, &[&gre(&[0x20, 1, 0x64, 0, 0, 142, 7, 0], &framed)]);
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

/// A frame of 802.11 from a station to its access point, behind which a packet follows.
fn wireless(ip: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x08, 1, 44, 0];
    frame.extend([
        2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 3, 0x10, 0,
    ]);
    [&frame, SNAP_IPV4, ip].concat()
}

#[test]
fn frames_of_802_11_in_tunnels_lead_to_the_segment() {
    let ip = ipv4();
    let frame_of_air = wireless(&ip);
    let mut swapped = frame_of_air.clone();
    swapped.swap(0, 1);
    let tzsp = [1, 0, 0, 0x12, 0x0A, 1, 0xC8, 0x0C, 1, 22, 0x12, 1, 6, 1];
    finds_it(101, &[&udp(37008, &[&tzsp, &frame_of_air[..]].concat())]);
    let capwap = [0, 0x10, 0x43, 0, 0, 0, 0, 0];
    for inner in [&frame_of_air, &swapped] {
        finds_it(101, &[&udp(5247, &[&capwap, &inner[..]].concat())]);
    }
    let of_ethernet = [0, 0x10, 0x42, 0, 0, 0, 0, 0];
    let framed = frame([8, 0], &ip);
    finds_it(101, &[&udp(5247, &[&of_ethernet, &framed[..]].concat())]);
    finds_it(
        101,
        &[&outer(
            47,
            &[&[0, 0, 0x82, 0x10], &frame_of_air[..]].concat(),
        )],
    );
}

/// Sniffers that answer send from the port that others send to.
#[test]
fn a_sniffer_is_known_by_either_port() {
    let tzsp = [1, 0, 0, 0x12, 0x0A, 1, 0xC8, 1];
    let inner = [&tzsp[..], &wireless(&ipv4())].concat();
    let mut sent = udp(40_000, &inner);
    sent[20..22].copy_from_slice(&37_008_u16.to_be_bytes());
    finds_it(101, &[&sent]);
}

/// A sniffer's frames are those of the air, which a tunnel's are not.
#[test]
fn only_what_a_sniffer_heard_is_a_frame_of_the_air() {
    let heard = |payload: &[u8], port| {
        let mut found = Dissected::default();
        Dissector::default().take(&packet(101, &udp(port, payload)), &mut found);
        found.frames
    };
    let inner = wireless(&ipv4());
    let tzsp = [1, 0, 0, 0x12, 0x0A, 1, 0xC8, 0x12, 1, 6, 1];
    let frames = heard(&[&tzsp, &inner[..]].concat(), 37008);
    let radio = &frames[0].radio;
    assert_eq!((frames.len(), radio.frequency_mhz), (1, 2_437));
    assert_eq!(radio.signal_dbm, Some(-56));
    let capwap = [0, 0x10, 0x43, 0, 0, 0, 0, 0];
    assert!(heard(&[&capwap, &inner[..]].concat(), 5247).is_empty());
}

#[test]
fn what_is_encrypted_or_no_frame_in_a_tunnel_is_told() {
    let told = |port, payload: &[u8]| dissect(&[packet(101, &udp(port, payload))]).1;
    assert_eq!(told(5247, &[1, 0, 0, 0, 23, 254, 253, 0, 0]).encrypted, 1);
    let later_fragment = [0, 0x10, 0x43, 0x80, 0, 1, 0, 8];
    assert_eq!(told(5247, &later_fragment).other_ip, 1);
    assert_eq!(told(37008, &[1, 4, 0, 1, 1]).other_ip, 1);
}

#[test]
fn vxlan_may_carry_packets_and_chains_too() {
    let ip = ipv4();
    let framed = frame([8, 0], &ip);
    let gpe =
        |next: u8, inner: &[u8]| udp(4790, &[&[0x0C, 0, 0, next, 0, 0, 5, 0], inner].concat());
    finds_it(101, &[&gpe(1, &ip)]);
    finds_it(101, &[&gpe(3, &framed)]);
    let chain = [0, 2, 1, 3, 0, 0, 1, 255];
    finds_it(101, &[&gpe(4, &[&chain, &framed[..]].concat())]);
    finds_it(
        101,
        &[&udp(
            4790,
            &[&[8, 0, 0, 0, 0, 0, 5, 0], &framed[..]].concat(),
        )],
    );
}

#[test]
fn what_is_met_and_not_opened_is_named() {
    let arp = frame([8, 6], &[0; 28]);
    let mut dissector = Dissector::default();
    let mut found = Dissected::default();
    let dns = udp(53, &[0; 12]);
    let packets = [packet(1, &arp), packet(101, &dns), packet(1, &arp)];
    packets
        .iter()
        .for_each(|packet| dissector.take(packet, &mut found));
    let told: Vec<_> = dissector
        .unopened()
        .iter()
        .map(|each| (each.layer, each.name, each.packets))
        .collect();
    let expected = [
        (Layer::Ethertype, Some("ARP"), 2),
        (Layer::Udp, Some("DNS"), 1),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_message_of_icmp_names_the_segment_that_it_is_about() {
    let ip = ipv4();
    let message = |kind: u8, code: u8, mtu: u8| {
        let header = [kind, code, 0, 0, 0, 0, 5, mtu];
        outer(1, &[&header, &ip[..28]].concat())
    };
    let told = |bytes: &[u8]| {
        let mut found = Dissected::default();
        Dissector::default().take(&packet(101, bytes), &mut found);
        found.reports
    };
    let original = dissect(&[packet(101, &ip)]).0[0];
    let report = told(&message(3, 4, 0x78))[0];
    assert_eq!(report.complaint, Complaint::TooBig { mtu: 1400 });
    assert_eq!(
        (report.source, report.destination),
        (original.source, original.destination)
    );
    assert_eq!(report.seq, original.seq);
    assert_eq!(
        told(&message(3, 3, 0))[0].complaint,
        Complaint::PortUnreachable
    );
    assert!(told(&message(8, 0, 0)).is_empty(), "an echo quotes nothing");
    assert!(told(&outer(1, &[3, 4, 0, 0, 0, 0, 5, 0x78, 0x45])).is_empty());
}

#[test]
fn marks_of_congestion_are_those_of_the_ip_header_and_a_flag() {
    let mut ip = ipv4();
    ip[1] = 0x03;
    ip[32] |= 1;
    let marks = dissect(&[packet(101, &ip)]).0[0].marks;
    assert!(marks.has_met_congestion() && marks.is_accurate());
    let mut ip = ipv6();
    ip[1] |= 0x20;
    let marks = dissect(&[packet(101, &ip)]).0[0].marks;
    assert!(marks.is_capable() && !marks.has_met_congestion() && !marks.is_accurate());
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
    finds_it(1, &[&frame([0x89, 0x26], &[0, 1, 0, 2, 8, 0]), &ip]);
    finds_it(1, &[&frame([0x89, 0x3F], &[0, 1, 0, 2, 0, 0, 8, 0]), &ip]);
    finds_it(1, &[&frame([0x89, 0x2F], &[0, 60, 0, 1, 8, 0]), &ip]);
    finds_it(1, &[&frame([0x89, 0x09], &[1, 1, 0, 1, 0, 5, 8, 0]), &ip]);
    finds_it(1, &[&frame([0xF1, 0xC1], &[0, 0, 0, 9, 8, 0]), &ip]);
    finds_it(
        1,
        &[
            &frame([0x89, 0x26], &[0, 1, 0, 2, 0x81, 0, 0, 5, 8, 0]),
            &ip,
        ],
    );
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
