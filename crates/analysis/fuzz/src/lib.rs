//! Code that the fuzz targets share.

use analysis::watch::{WatchLimits, Traced, watch};
use analysis::{TrackerLimits, analyse};
use dissect::read::PacketReader;

/// Few connections and rows, so that the paths for too many are taken.
const LIMITS: TrackerLimits = TrackerLimits { connections: 64 };
const ROOM: WatchLimits = WatchLimits {
    segments: 256,
    losses: 16,
    transfers: 16,
};

/// Analyses a capture file, and watches every segment of it; the two must agree.
pub fn examine(file: &[u8]) {
    let Ok(mut reader) = PacketReader::new(file) else {
        return;
    };
    let analysis = analyse(&mut reader, LIMITS);
    assert!(analysis.connections.len() as u64 <= analysis.tally.tcp);
    let told: u64 = analysis
        .connections
        .iter()
        .map(|connection| connection.client.counters.packets + connection.server.counters.packets)
        .sum();
    assert!(told + analysis.unlisted <= analysis.tally.tcp);

    let mut reader = PacketReader::new(file).expect("it could be opened before");
    let watched = watch(&mut reader, LIMITS, Traced::All, ROOM);
    let traced: usize = watched.traces.iter().map(|trace| trace.len()).sum();
    assert!(traced <= ROOM.segments);
}

/// A good capture file whose packets are those bytes, so that headers and analysis are reached
/// at once. They begin with the link type; each packet has its length in front.
pub fn as_packets(bytes: &[u8]) -> Option<Vec<u8>> {
    let (&[low, high], mut rest) = bytes.split_first_chunk::<2>()?;
    let mut file = Vec::new();
    let link = u32::from(u16::from_le_bytes([low, high & 1]));
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, 65_535, link] {
        file.extend(word.to_le_bytes());
    }
    while let Some((&length, behind)) = rest.split_first() {
        let kept = usize::from(length).min(behind.len());
        let (packet, behind) = behind.split_at(kept);
        for word in [0, u32::from(length) * 1000, kept as u32, u32::from(length)] {
            file.extend(word.to_le_bytes());
        }
        file.extend_from_slice(packet);
        rest = behind;
    }
    Some(file)
}
