//! Fields changed, and sums that hold as if computed anew.

use proptest::prelude::*;

use super::*;
use crate::checksum::OnesComplementSum;
use crate::ethernet::EtherType;
use crate::protocol::{ICMP, TCP, UDP};
use crate::{tcp, udp};

/// A packet of a protocol, `payload` behind its header, with right sums; behind `tags` of VLANs.
fn data(number: u8, payload: &[u8], tags: usize) -> (EtherType, Vec<u8>) {
    let (header, sum) = match number {
        TCP => (tcp::HEADER, tcp::CHECKSUM),
        UDP => (udp::HEADER, udp::CHECKSUM),
        _ => (icmp::HEADER, icmp::CHECKSUM),
    };
    let total = (ipv4::HEADER + header + payload.len()) as u16;
    let [high, low] = total.to_be_bytes();
    let mut bytes = vec![
        0x45, 0, high, low, 0, 1, 0, 0, 64, number, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
    ];
    sum_anew(&mut bytes);
    let mut behind = vec![0; header];
    behind[..4].copy_from_slice(if number == ICMP {
        &[8, 0, 0, 0]
    } else {
        &[19, 137, 0, 80]
    });
    if number == TCP {
        behind[12] = 0x50;
    }
    if number == UDP {
        behind[4..6].copy_from_slice(&(total - 20).to_be_bytes());
    }
    behind.extend(payload);
    let pseudo = match number {
        ICMP => OnesComplementSum::default(),
        _ => OnesComplementSum::default()
            .with(&bytes[ipv4::SOURCE..])
            .with_word(number.into())
            .with_word(total - 20),
    };
    let checksum = pseudo.with(&behind).checksum();
    let checksum = if number == UDP && checksum == 0 {
        0xFFFF
    } else {
        checksum
    };
    behind[sum..sum + 2].copy_from_slice(&checksum.to_be_bytes());
    bytes.extend(behind);
    for _ in 0..tags {
        let kind = if bytes[0] == 0x45 { [8, 0] } else { [0x81, 0] };
        bytes.splice(..0, [0, 7, kind[0], kind[1]]);
    }
    let kind = if tags > 0 {
        EtherType::VLAN
    } else {
        EtherType::IPV4
    };
    (kind, bytes)
}

proptest! {
    #[test]
    fn sums_hold_whatever_is_changed(
        number in prop_oneof![Just(TCP), Just(UDP), Just(ICMP)],
        payload in prop::collection::vec(any::<u8>(), 0..40),
        tags in 0usize..3,
        source: u32,
        destination: u32,
        ports: [u16; 2],
        service: u8,
        ttl: u8,
    ) {
        let (kind, mut bytes) = data(number, &payload, tags);
        let before = Headers::read(kind, &bytes);
        prop_assert!(before.is_sound(&bytes));
        let mut patch = Patch::new(before, &mut bytes);
        patch.set_source(source.into());
        patch.set_destination(destination.into());
        patch.set_ports(ports);
        patch.set_echo(0, ports[0]);
        patch.set_service(service);
        patch.set_ttl(ttl);
        patch.set_identification(ports[1]);
        // A header whose sum is wrong is none that is read.
        let after = Headers::read(kind, &bytes);
        let NetworkHeader::Ipv4(ip) = after.network else {
            return Err(TestCaseError::fail("the header's sum holds"));
        };
        prop_assert!(after.is_sound(&bytes));
        prop_assert_eq!((ip.source, ip.destination), (source.into(), destination.into()));
        prop_assert_eq!((ip.service, ip.ttl, ip.identification), (service, ttl, ports[1]));
        let own = match after.transport {
            TransportHeader::Tcp(tcp) => [tcp.source_port, tcp.destination_port],
            TransportHeader::Udp(udp) => {
                prop_assert!(udp.has_checksum);
                [udp.source_port, udp.destination_port]
            }
            TransportHeader::Icmp(icmp) => {
                prop_assert_eq!(icmp.kind, 0);
                [icmp.identifier, ports[1]]
            }
            other => return Err(TestCaseError::fail(format!("{other:?}"))),
        };
        prop_assert_eq!(own, ports);
        prop_assert_eq!(&bytes[bytes.len() - payload.len()..], &payload[..]);
        Patch::new(after, &mut bytes).spoil_transport();
        prop_assert!(!after.is_sound(&bytes));
        Patch::new(after, &mut bytes).spoil_network();
        prop_assert!(matches!(Headers::read(kind, &bytes).network, NetworkHeader::Other(_)));
    }

    /// Of whatever is no packet nothing is read that leads out of it, and nothing is patched there.
    #[test]
    fn no_bytes_make_it_panic(
        mut bytes in prop::collection::vec(any::<u8>(), 0..120),
        beginning in prop::collection::vec(
            prop_oneof![Just(0x45u8), Just(0x4F), Just(0x60), Just(0), Just(6), Just(17), any::<u8>()],
            0..48,
        ),
        sound: bool,
        kind in prop_oneof![Just(0x0800u16), Just(0x86DD), Just(0x8100), Just(0x88A8), any::<u16>()],
    ) {
        for (place, byte) in bytes.iter_mut().zip(beginning) {
            *place = byte;
        }
        if sound && bytes.len() > 40 {
            bytes[0] = 0x45;
            let length = (bytes.len() as u16).to_be_bytes();
            bytes[2..4].copy_from_slice(&length);
            sum_anew(&mut bytes[..20]);
        }
        let length = bytes.len();
        let headers = Headers::read(EtherType(kind), &bytes);
        prop_assert!(headers.end().is_none_or(|end| end <= length));
        prop_assert!(usize::from(headers.payload()) <= length);
        headers.is_sound(&bytes);
        if let TransportHeader::Tcp(tcp) = headers.transport {
            let segment = &bytes[headers.transport_at()..];
            prop_assert!(tcp::options(segment, &tcp).count() <= 20);
        }
        let mut patch = Patch::new(headers, &mut bytes);
        patch.set_source(1.into());
        patch.set_service(7);
        patch.set_ttl(1);
        patch.set_ports([1, 2]);
        patch.set_echo(0, 1);
        patch.set_quoted_sender(2.into(), 7);
        patch.spoil_network();
        patch.spoil_transport();
        let mut buffer = Vec::new();
        ipv4::cut(&bytes, 100, &mut buffer, |_| {});
        prop_assert_eq!(bytes.len(), length);
    }
}

#[test]
fn an_error_quotes_its_packet_as_that_of_who_is_behind_the_translator() {
    let (_, offender) = data(UDP, b"hello", 0);
    let mut quoted = vec![3, 1, 0, 0, 0, 0, 0, 0];
    quoted.extend(&offender[..28]);
    let (kind, mut bytes) = data(ICMP, &quoted[8..], 0);
    let headers = Headers::read(kind, &bytes);
    Patch::new(headers, &mut bytes).set_quoted_sender(Ipv4Addr::new(192, 168, 0, 7), 99);
    assert!(headers.is_sound(&bytes));
    let quoted = Quoted::read(&bytes[28..]).expect("a packet");
    assert_eq!(
        (quoted.ip.source.octets(), quoted.sender()),
        ([192, 168, 0, 7], Some(99))
    );
    assert_eq!(
        OnesComplementSum::default().with(&bytes[28..48]).checksum(),
        0
    );
}

/// The first answer to a program numbered 0 that sends zeros.
#[test]
fn a_message_of_nothing_but_zeros_has_a_sum_of_all_ones() {
    let (kind, mut bytes) = data(ICMP, &[0; 56], 0);
    let headers = Headers::read(kind, &bytes);
    Patch::new(headers, &mut bytes).set_echo(0, 0);
    assert_eq!(bytes[20..24], [0, 0, 0xFF, 0xFF]);
    assert!(headers.is_sound(&bytes));
}

#[test]
fn the_ecn_field_of_ipv6_is_set_behind_a_tag() {
    let mut bytes = vec![0, 7, 0x86, 0xDD, 0x6A, 0x81, 2, 3, 0, 0, 59, 64];
    bytes.resize(44, 1);
    let headers = Headers::read(EtherType::VLAN, &bytes);
    assert_eq!(headers.service(), Some(0xA8));
    Patch::new(headers, &mut bytes).set_service(0xAB);
    assert_eq!(bytes[4..8], [0x6A, 0xB1, 2, 3]);
}

proptest! {
    /// What a kernel hands over whose interface should have written the sum.
    #[test]
    fn a_sum_that_was_left_to_the_interface_is_completed(
        number in prop::sample::select(vec![TCP, UDP]),
        payload in prop::collection::vec(any::<u8>(), 0..99),
        tags in 0_usize..3,
    ) {
        let (kind, whole) = data(number, &payload, tags);
        let headers = Headers::read(kind, &whole);
        let NetworkHeader::Ipv4(ip) = headers.network else { unreachable!() };
        let mut unfinished = whole.clone();
        let at = headers.transport_at() + headers.transport.checksum_at().unwrap();
        unfinished[at..at + 2].copy_from_slice(&ip.pseudo_header().folded().to_be_bytes());
        Patch::new(headers, &mut unfinished).complete_transport();
        prop_assert_eq!(unfinished, whole);
    }
}
