//! Frames on an Ethernet.

use std::path::PathBuf;

use capture::packet::{EtherType, Ipv4Fields, ethernet};
use capture::pcapng::{CaptureInterface, CapturedFrame, LinkType, Writer};
use units::{MacAddress, Time};

use crate::conversation::{CLIENT, conversation};
use crate::{COMPLAINTS, assert_no_complaints, save, tshark};

fn on_ethernet(datagram: &Ipv4Fields<'_>) -> Vec<u8> {
    let (client, server) = (MacAddress::of_node(1), MacAddress::of_node(2));
    let header = match datagram.source {
        CLIENT => ethernet(client, server, EtherType::IPV4),
        _ => ethernet(server, client, EtherType::IPV4),
    };
    let mut bytes = header.to_vec();
    datagram.write(usize::MAX, &mut bytes).unwrap();
    bytes
}

/// The conversation with a frame every 1,000,000,001 ns on one wire.
fn wire_capture(name: &str, snap_len: u32, frames: &[Vec<u8>]) -> PathBuf {
    let mut file = Writer::new(Vec::new(), Some("a conversation")).unwrap();
    file.add_interface(&CaptureInterface::new(LinkType::Ethernet, "unused"))
        .unwrap();
    let wire = CaptureInterface::new(LinkType::Ethernet, "server wire").with_snap_len(snap_len);
    let wire = file.add_interface(&wire).unwrap();
    for (bytes, nanos) in frames.iter().zip((0..).step_by(1_000_000_001)) {
        file.frame(&CapturedFrame::whole(wire, Time::from_nanos(nanos), bytes))
            .unwrap();
    }
    save(name, file)
}

#[test]
fn ethernet_frames_decode_to_what_was_written() {
    let file = wire_capture("ethernet.pcapng", 0, &conversation(on_ethernet));
    assert_no_complaints(&file);

    let common = [
        "frame.interface_name",
        "frame.time_epoch",
        "frame.len",
        "ip.id",
        "ip.ttl",
        "eth.src",
    ];
    let rows = tshark(&file, "frame", &common);
    let lengths: Vec<&str> = rows.iter().map(|row| &*row[2]).collect();
    assert_eq!(
        lengths,
        [
            "74", "74", "66", "1514", "1514", "78", "1514", "1043", "98", "98"
        ]
    );
    let nodes = ["02:00:00:00:00:01", "02:00:00:00:00:02"];
    assert_eq!(
        rows[0],
        ["server wire", "0.000000000", "74", "0x0001", "64", nodes[0]]
    );
    assert_eq!(
        rows[6],
        [
            "server wire",
            "6.000000006",
            "1514",
            "0x0004",
            "64",
            nodes[1]
        ]
    );

    let checksums = [
        "ip.checksum.status",
        "tcp.checksum.status",
        "udp.checksum.status",
        "icmp.checksum.status",
    ];
    let good = |filter| {
        tshark(&file, filter, &checksums)
            .into_iter()
            .map(|row| row.concat())
    };
    assert_eq!(good("tcp").collect::<Vec<_>>(), ["11"; 7]);
    assert_eq!(good("udp").collect::<Vec<_>>(), ["11"]);
    assert_eq!(good("icmp").collect::<Vec<_>>(), ["11"; 2]);
}

#[test]
fn tcp_options_and_flags_decode_to_what_was_written() {
    let file = wire_capture("options.pcapng", 0, &conversation(on_ethernet));
    let options = [
        "tcp.flags",
        "tcp.seq",
        "tcp.ack",
        "tcp.options.mss_val",
        "tcp.options.wscale.shift",
        "tcp.options.timestamp.tsval",
        "tcp.options.timestamp.tsecr",
        "tcp.options.sack_le",
        "tcp.options.sack_re",
    ];
    let rows = tshark(&file, "tcp", &options);
    assert_eq!(
        rows[0],
        ["0x0002", "9000", "0", "1460", "7", "100", "0", "", ""]
    );
    assert_eq!(
        rows[1],
        ["0x0012", "11000", "9001", "1460", "7", "500", "100", "", ""]
    );
    assert_eq!(
        rows[5],
        [
            "0x0010", "9001", "12449", "", "", "102", "502", "13897", "15345"
        ]
    );
    let permitted = tshark(&file, "tcp.options.sack_perm", &["frame.number"]);
    assert_eq!(permitted, [["1"], ["2"]]);
}

#[test]
fn a_ping_and_its_answer_are_matched() {
    let file = wire_capture("ping.pcapng", 0, &conversation(on_ethernet));
    let rows = tshark(
        &file,
        "icmp",
        &["icmp.type", "icmp.ident", "icmp.seq", "icmp.resp_to"],
    );
    assert_eq!(rows, [["8", "77", "3", ""], ["0", "77", "3", "9"]]);
}

#[test]
fn snapped_frames_keep_their_length_and_are_not_malformed() {
    let file = wire_capture("snapped.pcapng", 96, &conversation(on_ethernet));
    assert_no_complaints(&file);
    let rows = tshark(
        &file,
        "frame.number == 4",
        &["frame.len", "frame.cap_len", "tcp.len"],
    );
    assert_eq!(rows, [["1514", "96", "1448"]]);
}

#[test]
fn a_single_wrong_bit_is_complained_about() {
    for at in [14 + 8, 14 + 20 + 4] {
        let mut frames = conversation(on_ethernet);
        frames[0][at] ^= 1;
        let file = wire_capture("damaged.pcapng", 0, &frames);
        let found = tshark(&file, COMPLAINTS, &["frame.number"]);
        assert_eq!(found, [["1"]], "bit in byte {at}");
    }
}
