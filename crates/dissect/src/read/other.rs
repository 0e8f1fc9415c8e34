//! Files that hold a capture in another form, told by their first bytes, and what to do with them.

use super::OpenError;

/// First bytes, and what is to be said.
const KNOWN: [(&[u8], &str); 9] = [
    // The .xz File Format 1.2, 2.1.1.1.
    (b"\xFD7zXZ\0", "packed with xz: unpack it first"),
    (b"BZh", "packed with bzip2: unpack it first"),
    // LZ4 Frame Format, magic number, little-endian.
    (b"\x04\x22\x4D\x18", "packed with lz4: unpack it first"),
    // PKWARE's APPNOTE.TXT, 4.3.7.
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    // 7zFormat.txt of the 7-Zip SDK.
    (b"7z\xBC\xAF", "a 7-Zip archive: unpack it first"),
    // RFC 1761 §2.
    (
        b"snoop\0\0\0",
        "a snoop file: editcap makes a pcap file of it",
    ),
    // Microsoft's Network Monitor, version 1 and 2.
    (
        b"RTSS",
        "a Network Monitor file: editcap makes a pcap file of it",
    ),
    (
        b"GMBU",
        "a Network Monitor file: editcap makes a pcap file of it",
    ),
    (
        b"TRSNIFF data",
        "a Sniffer file: editcap makes a pcap file of it",
    ),
];

/// Why a file that begins so cannot be read.
pub(super) fn refuse(opening: &[u8]) -> OpenError {
    match KNOWN.iter().find(|(magic, _)| opening.starts_with(magic)) {
        Some((_, what)) => OpenError::Other(what),
        None => OpenError::NotACapture,
    }
}
