//! Whole files, good and bad.

use std::io::Write;

use super::pcapng::{BLOCK_FRAME, SECTION_HEADER};
use super::section::LONGEST_BLOCK;
use super::*;

/// A classic pcap file of packets (seconds, bytes).
fn pcap_file(is_big_endian: bool, packets: &[(u32, &[u8])]) -> Vec<u8> {
    let word = |value: u32| {
        if is_big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let mut file = Vec::new();
    for value in [0xA1B2_C3D4, 0x0002_0004, 0, 0, 65_535, 1] {
        file.extend(word(value));
    }
    for (seconds, bytes) in packets {
        for value in [*seconds, 1, bytes.len() as u32, bytes.len() as u32 + 10] {
            file.extend(word(value));
        }
        file.extend_from_slice(bytes);
    }
    file
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let length = (body.len() as u32 + BLOCK_FRAME).to_be_bytes();
    [&kind.to_be_bytes()[..], &length, &body, &length].concat()
}

fn words(values: &[u32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_be_bytes())
        .collect()
}

fn section() -> Vec<u8> {
    block(
        SECTION_HEADER,
        &words(&[0x1A2B_3C4D, 0x0001_0000, u32::MAX, u32::MAX]),
    )
}

fn enhanced(interface: u32, packet: &[u8]) -> Vec<u8> {
    let length = packet.len() as u32;
    block(
        6,
        &[
            words(&[interface, 0, 2_000_000, length, length]),
            packet.to_vec(),
        ]
        .concat(),
    )
}

/// Times and bytes of all packets, and the warnings.
fn read(file: &[u8]) -> (Vec<(u64, Vec<u8>)>, Vec<Warning>) {
    let mut reader = PacketReader::new(file).unwrap();
    let mut packets = Vec::new();
    while let Some(packet) = reader.next() {
        packets.push((packet.time_ns, packet.data.to_vec()));
    }
    (packets, reader.warnings().to_vec())
}

#[test]
fn pcap_reads_the_same_in_both_byte_orders() {
    let packets: &[(u32, &[u8])] = &[(1, b"first"), (2, b""), (3, b"third")];
    let expected = [
        (1_000_001_000, b"first".to_vec()),
        (2_000_001_000, Vec::new()),
        (3_000_001_000, b"third".to_vec()),
    ];
    for order in [true, false] {
        let (found, warnings) = read(&pcap_file(order, packets));
        assert_eq!(found, expected);
        assert_eq!(warnings, []);
    }
}

#[test]
fn pcapng_passes_over_blocks_it_has_no_use_for() {
    let ethernet = block(1, &words(&[0x0001_0000, 96]));
    let names = block(4, b"names");
    let secrets = block(10, &vec![0; LONGEST_BLOCK as usize]);
    let obsolete = block(
        2,
        &[words(&[7, 0, 1_000_000, 3, 3]), b"old".to_vec()].concat(),
    );
    // An obsolete packet block counts interface (0) and drops (7) in 16 bits each.
    let simple = block(3, &[words(&[200]), vec![9; 96]].concat());
    let file = [
        section(),
        ethernet,
        names,
        enhanced(0, b"new"),
        secrets,
        obsolete,
        simple,
    ]
    .concat();
    let (packets, warnings) = read(&file);
    let expected = [
        (2_000_000_000, b"new".to_vec()),
        (1_000_000_000, b"old".to_vec()),
        (0, vec![9; 96]),
    ];
    assert_eq!(packets, expected);
    assert_eq!(warnings, []);
}

#[test]
fn a_new_section_forgets_the_interfaces_of_the_last() {
    let ethernet = block(1, &words(&[0x0001_0000, 0]));
    let file = [
        section(),
        ethernet,
        enhanced(0, b"seen"),
        section(),
        enhanced(0, b"unseen"),
    ]
    .concat();
    let (packets, warnings) = read(&file);
    assert_eq!(packets, [(2_000_000_000, b"seen".to_vec())]);
    assert!(
        matches!(warnings[..], [Warning::Skipped { .. }]),
        "{warnings:?}"
    );
}

#[test]
fn a_file_cut_anywhere_gives_the_records_before_the_cut() {
    let ethernet = block(1, &words(&[0x0001_0000, 0]));
    let pcapng = [
        section(),
        ethernet,
        enhanced(0, b"one"),
        enhanced(0, b"two"),
    ]
    .concat();
    for whole in [pcap_file(false, &[(1, b"one"), (2, b"two")]), pcapng] {
        let mut seen = 0;
        for length in pcap::FILE_HEADER..whole.len() {
            let (packets, warnings) = read(&whole[..length]);
            assert!(packets.len() >= seen && packets.len() < 2, "{length}");
            assert!(warnings.len() <= 1);
            seen = packets.len();
        }
        assert_eq!(seen, 1);
        assert_eq!(read(&whole).0.len(), 2);
    }
}

#[test]
fn a_record_that_cannot_be_one_ends_the_reading() {
    let mut file = pcap_file(false, &[(1, b"good"), (2, b"bad")]);
    let second = 24 + 16 + 4;
    file[second + 8..second + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let (packets, warnings) = read(&file);
    assert_eq!(packets.len(), 1);
    assert!(
        matches!(warnings[..], [Warning::Corrupt { at: 44, .. }]),
        "{warnings:?}"
    );
}

#[test]
fn what_is_no_capture_is_refused_with_the_reason() {
    let refused = |bytes: &[u8]| PacketReader::new(bytes).unwrap_err().to_string();
    assert_eq!(refused(b""), "the file is empty");
    assert_eq!(refused(b"short"), "neither a pcap nor a pcapng file");
    for is_big_endian in [true, false] {
        let cut = &pcap_file(is_big_endian, &[])[..10];
        assert_eq!(refused(cut), "the file ends within its header");
    }
    let section = SECTION_HEADER.to_be_bytes();
    assert_eq!(refused(&section), "the file ends within its header");
    assert_eq!(refused(&[b'x'; 100]), "neither a pcap nor a pcapng file");
    let packed = [b"\xFD7zXZ\0", &[0; 100][..]].concat();
    assert_eq!(refused(&packed), "packed with xz: unpack it first");
}

#[test]
fn damage_in_a_packed_file_leaves_what_came_before() {
    let packets: Vec<(u32, Vec<u8>)> = (0..2000_u32)
        .map(|n| {
            (
                n,
                (0..200_u32)
                    .map(|i| (i.wrapping_mul(n * 7919 + 1) >> 3) as u8)
                    .collect(),
            )
        })
        .collect();
    let borrowed: Vec<(u32, &[u8])> = packets.iter().map(|(n, b)| (*n, &b[..])).collect();
    let packed = zstd::encode_all(&pcap_file(false, &borrowed)[..], 1).unwrap();
    let (found, warnings) = read(&packed[..packed.len() * 9 / 10]);
    assert!(found.len() > 100 && found.len() < 2000, "{}", found.len());
    assert!(
        matches!(warnings[..], [Warning::Source { .. }]),
        "{warnings:?}"
    );
}

#[test]
fn a_record_made_wrong_by_damaged_compression_is_told_with_its_cause() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    gzip.write_all(&pcap_file(false, &[(0, b"one"), (1, b"two")]))
        .unwrap();
    let mut packed = gzip.finish().unwrap();
    let seconds_of_second = [1, 0, 0, 0, 1, 0, 0, 0];
    let record = packed
        .windows(8)
        .rposition(|bytes| bytes == seconds_of_second)
        .unwrap();
    packed[record + 11] = 0xFF;
    let (found, warnings) = read(&packed);
    assert_eq!(found.len(), 1);
    assert!(
        matches!(
            warnings[..],
            [Warning::Corrupt { .. }, Warning::Damaged { .. }]
        ),
        "{warnings:?}"
    );
}
