//! Captures that were cut short, damaged or made up.

use analysis::{Analysis, TrackerLimits, analyse};
use capture::packet::{
    EtherType, Ipv4Fields, Payload, SackOptionBlock, TcpFields, TcpFlags, TcpOptions,
    TimestampsOption, TransportFields, ethernet,
};
use capture::pcapng::{CaptureInterface, CapturedFrame, LinkType, Writer};
use dissect::read::PacketReader;
use proptest::prelude::*;
use units::{MacAddress, Time};

fn told(file: &[u8]) -> Option<Analysis> {
    let mut reader = PacketReader::new(file).ok()?;
    Some(analyse(&mut reader, TrackerLimits::default()))
}

fn segment(number: u16, tcp: TcpFields<'_>, payload: u16) -> Vec<u8> {
    let is_back = tcp.source_port == 80;
    let hosts = [[10, 0, 0, 1], [10, 0, 0, 2]].map(std::net::Ipv4Addr::from);
    let datagram = Ipv4Fields {
        source: hosts[usize::from(is_back)],
        destination: hosts[usize::from(!is_back)],
        identification: number,
        ttl: 64,
        tos: 0,
        transport: TransportFields::Tcp(tcp),
        payload: Payload::Zeros(payload.into()),
    };
    let mut bytes = ethernet(
        MacAddress::of_node(1),
        MacAddress::of_node(2),
        EtherType::IPV4,
    )
    .to_vec();
    datagram.write(usize::MAX, &mut bytes).unwrap();
    bytes
}

/// A small download with every option, a loss and its repair.
fn capture() -> Vec<u8> {
    let mut file = Writer::new(Vec::new(), None).unwrap();
    let wire = file
        .add_interface(&CaptureInterface::new(LinkType::Ethernet, "wire"))
        .unwrap();
    let ack = TcpFlags {
        ack: true,
        ..TcpFlags::default()
    };
    let syn = TcpFlags {
        syn: true,
        ..TcpFlags::default()
    };
    let opening = TcpOptions {
        mss: Some(1460),
        window_scale: Some(7),
        sack_permitted: true,
        timestamps: Some(TimestampsOption { value: 1, echo: 0 }),
        sack: &[],
    };
    let block = [SackOptionBlock {
        left: 201,
        right: 401,
    }];
    let report = TcpOptions {
        sack: &block,
        ..TcpOptions::default()
    };
    let none = TcpOptions::default();
    let steps = [
        (true, 0, 0, syn, opening, 0),
        (false, 0, 1, TcpFlags { ack: true, ..syn }, opening, 0),
        (true, 1, 1, ack, none, 100),
        (true, 101, 1, ack, none, 100),
        (true, 201, 1, ack, none, 200),
        (false, 1, 101, ack, none, 0),
        (false, 1, 101, ack, report, 0),
        (true, 101, 1, ack, none, 100),
        (false, 1, 401, ack, none, 0),
        (true, 401, 1, TcpFlags { fin: true, ..ack }, none, 0),
        (false, 1, 402, TcpFlags { fin: true, ..ack }, none, 0),
    ];
    for (number, (forth, sequence, acknowledgment, flags, options, payload)) in (0_u16..).zip(steps)
    {
        let [source_port, destination_port] = if forth { [4000, 80] } else { [80, 4000] };
        let window = 1000;
        let tcp = TcpFields {
            source_port,
            destination_port,
            sequence,
            acknowledgment,
            flags,
            window,
            options,
        };
        let time = Time::from_nanos(u64::from(number) * 20_000_000);
        file.frame(&CapturedFrame::whole(
            wire,
            time,
            &segment(number, tcp, payload),
        ))
        .unwrap();
    }
    file.finish().unwrap()
}

#[test]
fn a_capture_cut_at_any_byte_tells_what_was_readable() {
    let whole = capture();
    let full = told(&whole).unwrap();
    assert_eq!(
        (full.tally.tcp, full.connections.len(), &full.warnings[..]),
        (11, 1, &[][..])
    );
    assert_eq!(full.connections[0].client.counters.packets_retransmitted, 1);
    let mut seen = 0;
    for length in 0..whole.len() {
        let Some(part) = told(&whole[..length]) else {
            continue;
        };
        assert!((seen..full.tally.tcp).contains(&part.tally.tcp), "{length}");
        seen = part.tally.tcp;
        let packets = part
            .connections
            .iter()
            .map(|c| c.client.counters.packets + c.server.counters.packets);
        assert_eq!(packets.sum::<u64>(), part.tally.tcp);
    }
    assert_eq!(seen, 10);
}

/// The same download in 802.11 data frames with radiotap, each with its acknowledgment.
fn wifi_capture() -> Vec<u8> {
    let mut file: Vec<u8> = Vec::new();
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, 65_535, 127] {
        file.extend(word.to_le_bytes());
    }
    let whole = capture();
    let mut reader = PacketReader::new(&whole[..]).unwrap();
    let mut number = 0_u16;
    while let Some(packet) = reader.next() {
        let radiotap = [0, 0, 9, 0, 4, 0, 0, 0, 22];
        let addresses = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2], [2, 0, 0, 0, 0, 3]].concat();
        let sequence = (number << 4).to_le_bytes();
        let snap = [0xAA, 0xAA, 3, 0, 0, 0, 8, 0];
        let header = [&[8, 1, 44, 0], &addresses[..], &sequence, &snap].concat();
        let data = [&radiotap[..], &header, &packet.data[14..]].concat();
        let acknowledgment = [&radiotap[..], &[0xD4, 0, 0, 0, 2, 0, 0, 0, 0, 2]].concat();
        for (late_ns, frame) in [(0, data), (300_000, acknowledgment)] {
            let time_ns = u32::from(number) * 20_000_000 + late_ns;
            let length = frame.len() as u32;
            for word in [0, time_ns, length, length] {
                file.extend(word.to_le_bytes());
            }
            file.extend(frame);
        }
        number += 1;
    }
    file
}

#[test]
fn a_wifi_capture_cut_at_any_byte_tells_what_was_readable() {
    let whole = wifi_capture();
    cut_anywhere(&whole);
    let frames = |file: &[u8]| told(file).and_then(|part| Some(part.wifi?.frames));
    let mut seen = None;
    for length in 24..=whole.len() {
        let now = frames(&whole[..length]);
        assert!(now >= seen, "{length}");
        seen = now;
    }
    assert_eq!(seen, Some(22));
}

/// Each prefix of a packed file tells no less than the one before, and no more than the whole.
fn cut_anywhere(packed: &[u8]) {
    let whole = told(packed).unwrap().tally.tcp;
    let mut seen = 0;
    for length in 0..packed.len() {
        let Some(part) = told(&packed[..length]) else {
            continue;
        };
        assert!((seen..=whole).contains(&part.tally.tcp), "{length}");
        seen = part.tally.tcp;
    }
    assert_eq!(whole, 11);
}

#[test]
fn a_packed_capture_cut_at_any_byte_tells_what_was_readable() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &capture()).unwrap();
    cut_anywhere(&gzip.finish().unwrap());
    cut_anywhere(&zstd::encode_all(&capture()[..], 1).unwrap());
}

proptest! {
    #[test]
    fn any_bytes_behind_a_good_beginning_are_survived(
        bytes in proptest::collection::vec(any::<u8>(), 0..2000),
        pcapng: bool,
    ) {
        let mut file = if pcapng {
            capture()
        } else {
            [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0].into_iter().chain([0; 12]).chain([1, 0, 0, 0]).collect()
        };
        file.extend(bytes);
        prop_assert!(told(&file).is_some());
    }

    #[test]
    fn a_damaged_capture_is_survived(damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let mut file = capture();
        for (at, value) in damage {
            let at = at.index(file.len());
            file[at] = value;
        }
        if let Some(analysis) = told(&file) {
            prop_assert!(analysis.connections.len() as u64 <= analysis.tally.tcp);
        }
    }
}
