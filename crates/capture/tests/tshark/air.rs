//! Frames on the air: radiotap in front of 802.11, LLC and SNAP.

use std::path::PathBuf;

use capture::packet::{EtherType, Ipv4Fields, Payload, TcpOptions, llc_snap};
use capture::pcapng::{CaptureInterface, CapturedFrame, InterfaceId, LinkType, Writer};
use capture::radiotap::Header;
use phy::{Mode, Preamble, TxVector};
use units::{Dbm, MacAddress, Time};

use crate::conversation::{ACK, Host, UDP};
use crate::{assert_no_complaints, save, tshark};

/// The frame check sequence of IEEE 802.11-2020, 9.2.4.8, bit by bit.
fn with_fcs(mut frame: Vec<u8>) -> Vec<u8> {
    let mut crc = u32::MAX;
    for byte in &frame {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 * (crc & 1));
        }
    }
    frame.extend((!crc).to_le_bytes());
    frame
}

// Bits of the second byte of frame control, IEEE 802.11-2020, 9.2.4.1.
const FROM_DS: u8 = 0x02;
const MORE_FRAGMENTS: u8 = 0x04;
const RETRY: u8 = 0x08;

/// A data frame from an access point (node 0) to the client, sequence number 5.
fn mpdu(flags: u8, fragment: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x08, flags, 0x3A, 0x01];
    for address in [
        MacAddress::of_node(1),
        MacAddress::of_node(0),
        MacAddress::of_node(2),
    ] {
        frame.extend(address.0);
    }
    frame.extend((5 << 4 | u16::from(fragment)).to_le_bytes());
    frame.extend(body);
    with_fcs(frame)
}

fn received(tsft_us: u64, mode: Mode, preamble: Preamble) -> Header {
    Header {
        tsft_us,
        vector: TxVector::of(mode, preamble),
        frequency_mhz: 2462,
        fcs_at_end: true,
        bad_fcs: false,
        signal: Some(Dbm(-33.0)),
        noise: Some(Dbm(-95.2)),
        ampdu: None,
    }
}

fn on_the_air(file: &mut Writer<Vec<u8>>, air: InterfaceId, header: &Header, mpdu: &[u8]) {
    let mut bytes = Vec::new();
    header.write(&mut bytes);
    bytes.extend(mpdu);
    let time = Time::from_nanos(header.tsft_us * 1_000);
    file.frame(&CapturedFrame::whole(air, time, &bytes))
        .unwrap();
}

/// A segment in one MPDU, sent twice, and a datagram in two fragments.
fn air_capture() -> PathBuf {
    let mut server = Host::server();
    let msdu = |datagram: &Ipv4Fields<'_>| {
        let mut bytes = llc_snap(EtherType::IPV4).to_vec();
        datagram.write(usize::MAX, &mut bytes).unwrap();
        bytes
    };
    let segment = server.segment(
        (11_001, 9_001),
        ACK,
        TcpOptions::default(),
        Payload::Zeros(1_460),
    );
    let segment = msdu(&segment);
    let datagram = msdu(&server.send(
        UDP,
        Payload::Pattern {
            first: 0,
            len: 1_000,
        },
    ));
    let (head, tail) = datagram.split_at(600);

    let mut file = Writer::new(Vec::new(), None).unwrap();
    let air = CaptureInterface::new(LinkType::Ieee80211Radiotap, "air");
    let air = file.add_interface(&air).unwrap();
    on_the_air(
        &mut file,
        air,
        &received(1_000, Mode::CCK_11, Preamble::Long),
        &mpdu(FROM_DS, 0, &segment),
    );
    on_the_air(
        &mut file,
        air,
        &received(3_000, Mode::CCK_5_5, Preamble::Short),
        &mpdu(FROM_DS | RETRY, 0, &segment),
    );
    let first = mpdu(FROM_DS | MORE_FRAGMENTS, 0, head);
    let header = received(5_000, Mode::DSSS_2, Preamble::Long);
    on_the_air(&mut file, air, &header, &first);
    on_the_air(
        &mut file,
        air,
        &received(9_000, Mode::DSSS_2, Preamble::Long),
        &mpdu(FROM_DS, 1, tail),
    );
    save("air.pcapng", file)
}

#[test]
fn frames_from_the_air_decode_to_what_was_written() {
    let file = air_capture();
    assert_no_complaints(&file);

    let radio = [
        "radiotap.mactime",
        "radiotap.datarate",
        "radiotap.flags.preamble",
        "radiotap.channel.freq",
        "radiotap.channel.flags.cck",
        "radiotap.channel.flags.2ghz",
        "radiotap.dbm_antsignal",
        "radiotap.dbm_antnoise",
    ];
    let rows = tshark(&file, "frame.number <= 2", &radio);
    assert_eq!(rows[0], ["1000", "11", "0", "2462", "1", "1", "-33", "-95"]);
    assert_eq!(
        rows[1],
        ["3000", "5.5", "1", "2462", "1", "1", "-33", "-95"]
    );

    let mac = [
        "wlan.fcs.status",
        "wlan.fc.retry",
        "wlan.fc.frag",
        "wlan.frag",
        "wlan.seq",
        "wlan.ta",
    ];
    let access_point = "02:00:00:00:00:00";
    assert_eq!(
        tshark(&file, "wlan", &mac),
        [
            ["1", "0", "0", "0", "5", access_point],
            ["1", "1", "0", "0", "5", access_point],
            ["1", "0", "1", "0", "5", access_point],
            ["1", "0", "0", "1", "5", access_point],
        ]
    );
}

#[test]
fn packets_on_the_air_are_found_behind_llc_and_snap() {
    let file = air_capture();
    let rows = tshark(&file, "tcp", &["ip.src", "tcp.len", "tcp.checksum.status"]);
    assert_eq!(rows[0], ["10.0.0.2", "1460", "1"]);
    let datagram = tshark(
        &file,
        "udp",
        &["frame.number", "udp.length", "udp.checksum.status"],
    );
    assert_eq!(datagram, [["4", "1008", "1"]], "both fragments together");
}
