//! Examples of whole packets, byte by byte.

use super::super::{SackOptionBlock, TcpFlags, TcpOptions, TimestampsOption};
use super::*;

const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

fn datagram<'a>(transport: TransportFields<'a>, payload: Payload<'a>) -> Ipv4Fields<'a> {
    Ipv4Fields {
        source: CLIENT,
        destination: SERVER,
        identification: 7,
        ttl: 64,
        tos: 0,
        transport,
        payload,
    }
}

fn bytes_of(datagram: &Ipv4Fields<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let length = datagram.write(usize::MAX, &mut out).unwrap();
    assert_eq!(length, out.len());
    out
}

/// The Internet checksum the way RFC 1071 (1) words it: one's complement
/// addition, 16 bits at a time. Over data that holds its own checksum it is 0.
fn internet_checksum(parts: &[&[u8]]) -> u16 {
    let bytes = parts.concat();
    let mut sum = 0u32;
    for pair in bytes.chunks(2) {
        sum += u32::from(u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)]));
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

fn assert_checksums_hold(packet: &[u8]) {
    let (ip, behind) = packet.split_at(20);
    assert_eq!(internet_checksum(&[ip]), 0, "IPv4 header");
    let length = (behind.len() as u16).to_be_bytes();
    let pseudo: &[u8] = match ip[9] {
        1 => &[],
        protocol => &[&ip[12..20], &[0, protocol], &length].concat(),
    };
    assert_eq!(internet_checksum(&[pseudo, behind]), 0, "transport");
}

fn segment<'a>(options: TcpOptions<'a>) -> TcpFields<'a> {
    TcpFields {
        source_port: 40_000,
        destination_port: 80,
        sequence: 1_000,
        acknowledgment: 2_000,
        flags: TcpFlags {
            ack: true,
            ..TcpFlags::default()
        },
        window: 65_535,
        options,
    }
}

fn ping() -> TransportFields<'static> {
    TransportFields::IcmpEcho(IcmpEcho {
        reply: false,
        identifier: 0x1234,
        sequence: 1,
    })
}

#[test]
fn an_acknowledgment_is_forty_bytes() {
    let packet = bytes_of(&datagram(
        TransportFields::Tcp(segment(TcpOptions::default())),
        Payload::Zeros(0),
    ));
    let expected = [
        [0x45, 0, 0, 40], // version, header length; total length
        [0, 7, 0x40, 0],  // identification; don't fragment
        [64, 6, 0x26, 0xC7],
        [10, 0, 0, 1],
        [10, 0, 0, 2],
        [0x9C, 0x40, 0, 80],
        [0, 0, 0x03, 0xE8],
        [0, 0, 0x07, 0xD0],
        [0x50, 0x10, 0xFF, 0xFF],
        [0xF3, 0x89, 0, 0], // checksum; no urgent data
    ];
    assert_eq!(packet, expected.concat());
    assert_checksums_hold(&packet);
}

#[test]
fn a_udp_datagram_counts_its_header_in_its_length() {
    let udp = TransportFields::Udp(UdpFields {
        source_port: 5_000,
        destination_port: 9,
    });
    let packet = bytes_of(&datagram(udp, Payload::Bytes(b"hello")));
    assert_eq!(packet[20..26], [0x13, 0x88, 0, 9, 0, 13]);
    assert_eq!(&packet[28..], b"hello");
    assert_checksums_hold(&packet);
}

#[test]
fn a_udp_checksum_of_zero_is_sent_as_all_ones() {
    let udp = TransportFields::Udp(UdpFields {
        source_port: 5_000,
        destination_port: 9,
    });
    let with_word = |word: [u8; 2]| bytes_of(&datagram(udp, Payload::Bytes(&word)));
    let zero = with_word([0, 0]);
    // Adding the checksum itself to the data brings the sum to all ones.
    let packet = with_word([zero[26], zero[27]]);
    assert_eq!(packet[26..28], [0xFF, 0xFF]);
}

#[test]
fn a_ping_is_answered_with_type_zero() {
    let asked = bytes_of(&datagram(ping(), Payload::Pattern { first: 0, len: 56 }));
    assert_eq!(asked[20..22], [8, 0]);
    assert_eq!(asked[24..30], [0x12, 0x34, 0, 1, 0, 1]);
    assert_checksums_hold(&asked);

    let echo = IcmpEcho {
        reply: true,
        identifier: 0x1234,
        sequence: 1,
    };
    let answer = bytes_of(&datagram(
        TransportFields::IcmpEcho(echo),
        Payload::Zeros(56),
    ));
    assert_eq!(answer[20], 0);
    assert_checksums_hold(&answer);
}

#[test]
fn checksums_hold_for_every_option_and_payload() {
    let blocks = [
        SackOptionBlock { left: 9, right: 10 },
        SackOptionBlock {
            left: 20,
            right: 30,
        },
    ];
    let options = TcpOptions {
        timestamps: Some(TimestampsOption {
            value: u32::MAX,
            echo: 5,
        }),
        sack: &blocks,
        ..TcpOptions::default()
    };
    let odd: Vec<u8> = (0..=254).rev().collect();
    for payload in [
        Payload::Zeros(1_460),
        Payload::Pattern {
            first: 0xFF_FFFF_FFFF,
            len: 1_000,
        },
        Payload::Pattern {
            first: 255,
            len: 513,
        },
        Payload::Bytes(&odd),
    ] {
        assert_checksums_hold(&bytes_of(&datagram(
            TransportFields::Tcp(segment(options)),
            payload,
        )));
    }
}

#[test]
fn snapping_keeps_the_checksums_and_length_of_the_whole() {
    let tcp = TransportFields::Tcp(segment(TcpOptions::default()));
    let whole = datagram(
        tcp,
        Payload::Pattern {
            first: 3,
            len: 1_460,
        },
    );
    let full = bytes_of(&whole);
    for snap in [0, 7, 40, 41, 96, 1_500, 9_000] {
        let mut out = vec![0xEE];
        assert_eq!(whole.write(snap, &mut out), Ok(1_500));
        assert_eq!(out[1..], full[..snap.min(1_500)], "snap {snap}");
    }
}

#[test]
fn the_longest_packet_has_65_535_bytes() {
    let fits = datagram(ping(), Payload::Zeros(65_507));
    assert_eq!(bytes_of(&fits).len(), 65_535);
    for payload in [65_508, 65_535, 100_000] {
        let mut out = Vec::new();
        let refused = datagram(ping(), Payload::Zeros(payload)).write(96, &mut out);
        assert_eq!(
            refused,
            Err(WriteError::PacketTooLong {
                bytes: payload + 28
            })
        );
        assert!(out.is_empty());
    }
}

#[test]
fn identifications_count_up_and_wrap() {
    let mut host = IdentificationCounter::default();
    assert_eq!((host.next(), host.next()), (1, 2));
    let last = (0..65_536).map(|_| host.next()).last();
    assert_eq!(last, Some(2));
}
