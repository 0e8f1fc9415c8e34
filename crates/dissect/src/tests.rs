//! Segments found behind every kind of header.

use super::*;
use capture::packet::{
    EtherType, Ipv4Fields, Payload, TcpFields, TcpFlags, TransportFields, ethernet,
};
use units::MacAddress;

/// An IPv4 packet of 100 payload bytes.
pub(super) fn ipv4() -> Vec<u8> {
    let tcp = TcpFields {
        source_port: 1234,
        destination_port: 80,
        sequence: 7,
        flags: TcpFlags {
            ack: true,
            ..TcpFlags::default()
        },
        ..TcpFields::default()
    };
    let datagram = Ipv4Fields {
        source: Ipv4Addr::new(10, 0, 0, 1),
        destination: Ipv4Addr::new(10, 0, 0, 2),
        identification: 42,
        ttl: 64,
        tos: 0,
        transport: TransportFields::Tcp(tcp),
        payload: Payload::Zeros(100),
    };
    let mut bytes = Vec::new();
    datagram.write(usize::MAX, &mut bytes).unwrap();
    bytes
}

/// The same in IPv6, behind a chain of extension headers.
pub(super) fn ipv6() -> Vec<u8> {
    let tcp = &ipv4()[20..];
    let chain = [[60, 0, 1, 4, 0, 0, 0, 0], [6, 0, 1, 4, 0, 0, 0, 0]].concat();
    let length = (chain.len() + tcp.len()) as u16;
    let mut bytes = vec![0x60, 0, 0, 0];
    bytes.extend(length.to_be_bytes());
    bytes.extend([0, 64]);
    bytes.extend([0xFE; 16]);
    bytes.extend([0xFD; 16]);
    [bytes, chain, tcp.to_vec()].concat()
}

pub(super) fn packet(link_type: u32, data: &[u8]) -> CapturedPacket<'_> {
    CapturedPacket {
        time_ns: 1,
        link_type,
        interface: 0,
        data,
        original_len: data.len() as u32,
    }
}

pub(super) fn dissect(packets: &[CapturedPacket<'_>]) -> (Vec<TcpSegment>, Tally) {
    let mut dissector = Dissector::default();
    let mut found = Dissected::default();
    for packet in packets {
        dissector.take(packet, &mut found);
    }
    (found.segments, *dissector.tally())
}

#[track_caller]
pub(super) fn finds_it(link_type: u32, parts: &[&[u8]]) {
    let bytes = parts.concat();
    let (found, tally) = dissect(&[packet(link_type, &bytes)]);
    assert_eq!(found.len(), 1, "{tally:?}");
    assert_eq!(
        (found[0].seq, found[0].payload, found[0].source.port),
        (7, 100, 1234)
    );
}

pub(super) const SNAP_IPV4: &[u8] = &[0xAA, 0xAA, 3, 0, 0, 0, 8, 0];

fn mac_header(subtype: u8, flags: u8, sequence: u16) -> Vec<u8> {
    let mut header = vec![0; 24];
    header[0] = 0x08 | subtype;
    header[1] = flags;
    header[22..].copy_from_slice(&(sequence << 4).to_le_bytes());
    header
}

#[test]
fn every_link_layer_leads_to_the_segment() {
    let ip = ipv4();
    let addresses = &ethernet(
        MacAddress::of_node(1),
        MacAddress::of_node(2),
        EtherType::IPV4,
    )[..12];
    finds_it(1, &[addresses, &[8, 0], &ip]);
    finds_it(
        1,
        &[addresses, &[0x81, 0, 0, 5, 0x88, 0xA8, 0, 6, 8, 0], &ip],
    );
    finds_it(1, &[addresses, &[0, 148], SNAP_IPV4, &ip]);
    finds_it(
        1,
        &[
            addresses,
            &[0x88, 0x64, 0x11, 0, 0, 1, 0, 142, 0, 0x21],
            &ip,
        ],
    );
    finds_it(1, &[addresses, &[8, 0], &ip, &[0; 6]]);
    finds_it(9, &[&[0xFF, 3, 0, 0x21], &ip]);
    finds_it(50, &[&[0, 0x57], &ipv6()]);
    finds_it(101, &[&ip]);
    finds_it(101, &[&ipv6()]);
    finds_it(0, &[&[2, 0, 0, 0], &ip]);
    finds_it(108, &[&[0, 0, 0, 24], &ipv6()]);
    finds_it(113, &[&[0; 14], &[8, 0], &ip]);
    finds_it(276, &[&[8, 0], &[0; 18], &ip]);
}

#[test]
fn every_kind_of_wifi_capture_leads_to_the_segment() {
    let ip = ipv4();
    let frame = [&mac_header(0, 2, 1)[..], SNAP_IPV4, &ip].concat();
    let qos = [&mac_header(0x80, 2, 1)[..], &[0, 0], SNAP_IPV4, &ip].concat();
    let padded = [&mac_header(0x80, 2, 1)[..], &[0, 0, 0, 0], SNAP_IPV4, &ip].concat();
    let four = [
        &mac_header(0x80, 3, 1)[..],
        &[1; 6],
        &[0, 0],
        SNAP_IPV4,
        &ip,
    ]
    .concat();
    finds_it(105, &[&frame, b"fcs!"]);
    finds_it(105, &[&qos]);
    finds_it(105, &[&four]);
    finds_it(127, &[&[0, 0, 8, 0, 0, 0, 0, 0], &frame]);
    finds_it(127, &[&[0, 0, 9, 0, 2, 0, 0, 0, 0x20], &padded]);
    finds_it(192, &[&[0, 0, 8, 0, 105, 0, 0, 0], &frame]);
    finds_it(119, &[&[0x44, 0, 0, 0, 144, 0, 0, 0], &[0; 136], &frame]);
    finds_it(
        163,
        &[&[0x80, 0x21, 0x10, 1, 0, 0, 0, 64], &[0; 56], &frame],
    );
}

#[test]
fn packets_aggregated_in_one_frame_are_all_found() {
    let ip = ipv4();
    let length = (SNAP_IPV4.len() + ip.len()) as u16;
    let subframe = [&[0; 12], &length.to_be_bytes()[..], SNAP_IPV4, &ip].concat();
    let pad = vec![0; subframe.len().next_multiple_of(4) - subframe.len()];
    let mut second = subframe.clone();
    second[14 + SNAP_IPV4.len() + 5] += 1;
    let frame = [
        &mac_header(0x80, 2, 1)[..],
        &[0x80, 0],
        &subframe,
        &pad,
        &second,
    ]
    .concat();
    let (found, tally) = dissect(&[packet(105, &frame)]);
    assert_eq!((found.len(), tally.tcp, tally.packets), (2, 2, 1));
}

#[test]
fn a_frame_that_the_mac_repeats_is_one_segment() {
    let ip = ipv4();
    let frame = |flags: u8, sequence| {
        let mut ip = ip.clone();
        ip[5] = sequence as u8;
        [&mac_header(0, flags, sequence)[..], SNAP_IPV4, &ip].concat()
    };
    let (first, again, next) = (frame(2, 1), frame(2 | 8, 1), frame(2 | 8, 2));
    let (found, tally) = dissect(&[&first, &again, &next].map(|bytes| packet(105, bytes)));
    assert_eq!(
        (found.len(), tally.mac_retries),
        (2, 1),
        "the first of number 2 was missed"
    );
}

/// From one station of a cell to another: to the access point, and from it.
#[test]
fn what_an_access_point_hands_on_within_its_cell_is_one_segment() {
    let ip = ipv4();
    let hop = |way: u8| [&mac_header(0, way, 1)[..], SNAP_IPV4, &ip].concat();
    let (to, from) = (hop(1), hop(2));
    let handed_on = CapturedPacket {
        time_ns: 30_000_000,
        ..packet(105, &from)
    };
    let (found, tally) = dissect(&[packet(105, &to), handed_on]);
    assert_eq!((found.len(), tally.doubled, tally.mac_retries), (1, 1, 0));
}

#[test]
fn a_packet_cut_by_the_snap_length_has_its_whole_payload() {
    let ip = ipv4();
    let cut = CapturedPacket {
        original_len: 140,
        ..packet(101, &ip[..40])
    };
    assert_eq!(dissect(&[cut]).0[0].payload, 100);
    let shorter = CapturedPacket {
        original_len: 140,
        ..packet(101, &ip[..39])
    };
    assert_eq!(dissect(&[shorter]).1.cut, 1);
}

#[test]
fn a_packet_that_is_still_to_be_segmented_is_as_long_as_its_frame() {
    let mut ip = ipv4();
    ip[2..4].copy_from_slice(&[0, 0]);
    let large = CapturedPacket {
        original_len: 90_040,
        ..packet(101, &ip)
    };
    assert_eq!(dissect(&[large]).0[0].payload, 90_000);
}

/// The fragment of an IPv4 packet that holds this part of its payload.
fn fragment(ip: &[u8], range: core::ops::Range<usize>) -> Vec<u8> {
    let more = if 20 + range.end < ip.len() { 0x2000 } else { 0 };
    let place = (range.start / 8) as u16 | more;
    let mut bytes = ip[..20].to_vec();
    bytes[2..4].copy_from_slice(&(20 + range.len() as u16).to_be_bytes());
    bytes[6..8].copy_from_slice(&place.to_be_bytes());
    bytes.extend(&ip[20 + range.start..20 + range.end]);
    bytes
}

#[test]
fn fragments_give_their_segment_when_the_last_has_come() {
    let parts = [48..120, 0..24, 0..24, 24..48].map(|range| fragment(&ipv4(), range));
    let packets = parts.each_ref().map(|bytes| packet(101, bytes));
    let (early, tally) = dissect(&packets[..3]);
    assert_eq!((early.len(), tally.fragments), (0, 3));
    let (found, tally) = dissect(&packets);
    assert_eq!((found.len(), tally.fragments), (1, 0), "none is left");
    assert_eq!((found[0].payload, found[0].number), (100, 4));
}

#[test]
fn a_fragment_captured_twice_is_not_left_without_the_rest() {
    let [first, last] = [0..48, 48..120].map(|range| fragment(&ipv4(), range));
    let mut other = first.clone();
    other[5] += 1;
    let packets = [&first, &first, &last, &last, &other].map(|bytes| packet(101, bytes));
    let (found, tally) = dissect(&packets);
    assert_eq!(found.len(), 1);
    assert_eq!(tally.fragments, 1, "that of the other packet");
}

#[test]
fn a_header_may_lie_in_several_fragments() {
    let ip = ipv4();
    let (whole, _) = dissect(&[packet(101, &ip)]);
    let mut parts: Vec<_> = (0..120)
        .step_by(8)
        .map(|at| fragment(&ip, at..at + 8))
        .collect();
    for _ in 0..2 {
        let packets: Vec<_> = parts.iter().map(|bytes| packet(101, bytes)).collect();
        let (found, tally) = dissect(&packets);
        let segment = TcpSegment {
            number: 15,
            checksum: Checksum::Unknown,
            ..whole[0]
        };
        assert_eq!((found, tally.cut), (vec![segment], 0));
        parts.reverse();
    }
}

/// The checksum of a packet that was sent as it stands.
fn checksum_of(ip: &[u8], original_len: usize) -> Checksum {
    let original_len = original_len as u32;
    let packet = CapturedPacket {
        original_len,
        ..packet(101, ip)
    };
    dissect(&[packet]).0[0].checksum
}

/// Puts the checksum into the TCP segment at the end of an IPv6 packet, adding 16 bits at a time
/// as RFC 1071 §1 words it.
fn put_checksum(ipv6: &mut [u8], segment_len: usize) {
    let segment = ipv6.len() - segment_len;
    ipv6[segment + 16..segment + 18].copy_from_slice(&[0, 0]);
    let pseudo = [&ipv6[8..40], &[0, 0, 0, segment_len as u8, 0, 0, 0, 6]].concat();
    let words = pseudo.chunks(2).chain(ipv6[segment..].chunks(2));
    let sum: u32 = words
        .map(|word| u32::from(word[0]) << 8 | u32::from(word[1]))
        .sum();
    let folded = (sum >> 16) + (sum & 0xFFFF);
    let folded = (folded >> 16) + (folded & 0xFFFF);
    ipv6[segment + 16..segment + 18].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

#[test]
fn a_checksum_is_right_until_a_bit_turns() {
    let mut with_chain = ipv6();
    put_checksum(&mut with_chain, 120);
    for mut ip in [ipv4(), with_chain] {
        assert_eq!(checksum_of(&ip, ip.len()), Checksum::Right);
        *ip.last_mut().unwrap() ^= 4;
        assert_eq!(checksum_of(&ip, ip.len()), Checksum::Wrong);
        let cut = ip.len() - 1;
        assert_eq!(checksum_of(&ip[..cut], ip.len()), Checksum::Unknown);
    }
}

#[test]
fn a_sum_of_the_pseudo_header_alone_waits_for_the_card() {
    let mut ip = ipv4();
    // 10.0.0.1, 10.0.0.2, protocol 6 and a length of 120 (RFC 9293 §3.1).
    let pseudo: u16 = 0x0A00 + 1 + 0x0A00 + 2 + 6 + 120;
    ip[36..38].copy_from_slice(&pseudo.to_be_bytes());
    assert_eq!(checksum_of(&ip, ip.len()), Checksum::Partial);
}

#[test]
fn a_packet_seen_at_two_interfaces_is_one_segment() {
    let ip = ipv4();
    let mut routed = ip.clone();
    routed[8] -= 1;
    let coming = packet(101, &ip);
    let going = CapturedPacket {
        time_ns: 5_000_000,
        interface: 1,
        ..packet(101, &routed)
    };
    let (found, tally) = dissect(&[coming, going]);
    assert_eq!((found.len(), tally.tcp, tally.doubled), (1, 1, 1));
}

#[test]
fn a_mirrored_packet_is_one_segment_and_a_later_copy_is_of_the_network() {
    let ip = ipv4();
    let seen = |time_ns| CapturedPacket {
        time_ns,
        ..packet(101, &ip)
    };
    let (found, tally) = dissect(&[seen(0), seen(12_000), seen(5_000_000)]);
    assert_eq!((found.len(), tally.doubled), (2, 1));
}

#[test]
fn equal_acknowledgments_without_an_identification_are_several() {
    let mut ip = ipv4();
    ip[4..6].copy_from_slice(&[0, 0]);
    let (found, tally) = dissect(&[packet(101, &ip), packet(101, &ip)]);
    assert_eq!((found.len(), tally.doubled), (2, 0));
}

#[test]
fn cooked_captures_say_which_way_a_packet_went() {
    let mut ip = ipv4();
    ip[4..6].copy_from_slice(&[0, 0]);
    let cooked = |way: u8| [&[0, way][..], &[0; 12], &[8, 0], &ip].concat();
    let (coming, going) = (cooked(0), cooked(4));
    let (found, tally) = dissect(&[packet(113, &coming), packet(113, &going)]);
    assert_eq!((found.len(), tally.doubled), (1, 1));
}

#[test]
fn what_is_no_tcp_is_counted_by_its_reason() {
    let ip = ipv4();
    let mut udp = ip.clone();
    udp[9] = 17;
    let mut short = ip.clone();
    short[0] = 0x41;
    let null = mac_header(0x40, 1, 1);
    let mut secret = mac_header(0, 0x41, 3);
    secret.extend([0; 40]);
    let bad = [&[0, 0, 9, 0, 2, 0, 0, 0, 0x40][..], &mac_header(0, 2, 1)].concat();
    let (found, tally) = dissect(&[
        packet(101, &udp),
        packet(101, &short),
        packet(105, &null),
        packet(105, &secret),
        packet(127, &bad),
        packet(9999, &ip),
        packet(101, &ip[..10]),
    ]);
    assert_eq!(found, []);
    let expected = Tally {
        packets: 7,
        other_ip: 1,
        malformed: 1,
        other_network: 1,
        encrypted: 1,
        bad_fcs: 1,
        unknown_link: 1,
        cut: 1,
        ..Tally::default()
    };
    assert_eq!(tally, expected);
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
        link_type in proptest::sample::select(vec![0, 1, 101, 105, 108, 113, 119, 127, 163, 192, 276,
            6, 9, 10, 50, 51, 100, 104, 107, 117, 239, 242, 258]),
        missing in 0_u32..100_000,
    ) {
        let mut dissector = Dissector::default();
        let original_len = bytes.len() as u32 + missing;
        let packet = CapturedPacket { original_len, ..packet(link_type, &bytes) };
        dissector.take(&packet, &mut Dissected::default());
    }

    #[test]
    fn a_damaged_packet_never_panics(at in 0_usize..140, value: u8, length in 0_usize..160, v6: bool) {
        let mut bytes = if v6 { ipv6() } else { ipv4() };
        bytes[at] = value;
        bytes.truncate(length);
        let (found, tally) = dissect(&[packet(101, &bytes)]);
        proptest::prop_assert_eq!(found.len() as u64, tally.tcp);
    }
}

#[test]
fn options_that_the_snap_length_cut_off_are_told_from_none() {
    let whole = ipv4();
    let mut with_clock = [
        &whole[..40],
        &[1, 1, 8, 10, 0, 0, 0, 9, 0, 0, 0, 8],
        &[0; 88],
    ]
    .concat();
    with_clock[32] = 8 << 4;
    let cut_at = |bytes: &[u8], kept: usize| {
        let cut = CapturedPacket {
            original_len: 140,
            ..packet(101, &bytes[..kept])
        };
        let (found, tally) = dissect(&[cut]);
        (
            found[0].options.timestamps,
            found[0].payload,
            tally.options_cut,
        )
    };
    assert_eq!(cut_at(&with_clock, 52), (Some((9, 8)), 88, 0));
    assert_eq!(cut_at(&with_clock, 46), (None, 88, 1));
    assert_eq!(cut_at(&whole, 40), (None, 100, 0), "there are none");
}
