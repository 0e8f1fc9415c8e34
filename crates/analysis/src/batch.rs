//! Contents of some packets in a row, on their way from the reader to the analysis.

use std::io::Read;
use std::ops::Range;

use crate::wifi::Sniffer;
use dissect::read::{CapturedPacket, PacketReader};
use dissect::{Dissected, Dissector, Dot11Frame, IcmpReport, TcpSegment};

/// Segments, copies of segments, or frames of a batch: enough that handing it on, with what it costs
/// to put a core to sleep and to wake it, is nothing beside filling it. With a quarter of it
/// 802.11 takes a twentieth longer. (Measured, `benches/captures.py`.)
const MOST: usize = 4096;

/// Frames of a part: these and the segments in them fill a tenth of a second-level cache of half a
/// megabyte. Without parts 802.11 takes some hundredths longer. (Measured, `benches/captures.py`.)
const FRAMES_OF_A_PART: usize = 256;

/// Bytes of bodies, of which one more may come: many times those of as many beacons, and a bound
/// where frames are as long as a file can have them.
const MOST_OF_BODIES: usize = 1 << 20;

/// Contents of some packets in a row.
#[derive(Debug, Default)]
pub(super) struct Batch {
    found: Dissected,
    /// Segments and reports of each frame.
    belongings: Vec<Belongings>,
    /// The bodies of those frames into which a sniffer looks.
    bodies: Vec<u8>,
}

/// Where that is which belongs to a frame. Small, because another core has to fetch it.
#[derive(Debug)]
struct Belongings {
    /// The part of its body that was kept; empty if no sniffer looks into it.
    body: Range<u32>,
    carried: FrameSegment,
    /// Segments up to its end.
    segments: u32,
}

/// The first TCP segment in a frame.
#[derive(Debug)]
enum FrameSegment {
    None,
    Segment(u32),
    Copy(u32),
}

impl Batch {
    /// Replaces what it has by what is in the next packets; gives whether there may be more.
    pub fn fill<R: Read>(
        &mut self,
        reader: &mut PacketReader<R>,
        dissector: &mut Dissector,
    ) -> bool {
        self.found.clear();
        self.belongings.clear();
        self.bodies.clear();
        // At once, as what grows step by step leaves more or less of its steps behind.
        self.found.segments.reserve(MOST);
        while !self.is_full() {
            let Some(packet) = reader.next() else {
                return false;
            };
            let before = (self.found.segments.len(), self.found.copies.len());
            dissector.take(&packet, &mut self.found);
            if self.found.frames.len() > self.belongings.len() {
                self.add_belongings(&packet, before);
            }
        }
        true
    }

    #[inline]
    fn is_full(&self) -> bool {
        let found = &self.found;
        let most = found.segments.len().max(found.copies.len());
        let most = most.max(found.reports.len());
        most.max(found.frames.len()) >= MOST || self.bodies.len() >= MOST_OF_BODIES
    }

    /// Notes what belongs to the last frame, which is in this packet; before it there were so many
    /// segments and copies.
    #[inline]
    fn add_belongings(&mut self, packet: &CapturedPacket<'_>, (segments, copies): (usize, usize)) {
        let start = self.bodies.len();
        let frame = self.found.frames.last();
        if let Some(frame) = frame.filter(|frame| Sniffer::looks_into(frame)) {
            self.bodies.extend_from_slice(frame.body(packet));
        }
        let carried = if segments < self.found.segments.len() {
            FrameSegment::Segment(segments as u32)
        } else if copies < self.found.copies.len() {
            FrameSegment::Copy(copies as u32)
        } else {
            FrameSegment::None
        };
        self.belongings.push(Belongings {
            body: start as u32..self.bodies.len() as u32,
            carried,
            segments: self.found.segments.len() as u32,
        });
    }

    /// Returns what was said by ICMP of segments.
    pub fn reports(&self) -> &[IcmpReport] {
        &self.found.reports
    }

    /// The batch part by part.
    pub fn parts(&self) -> impl Iterator<Item = BatchPart<'_>> {
        let frames = self.belongings.len();
        (0..=frames / FRAMES_OF_A_PART).map(move |part| {
            let start = part * FRAMES_OF_A_PART;
            let end = start + FRAMES_OF_A_PART;
            BatchPart {
                batch: self,
                frames: start..end.min(frames),
                segments: self.segments_before(start)..self.segments_before(end),
            }
        })
    }

    /// Returns how many segments there are up to the end of the frame before a frame; all of them
    /// behind the last.
    fn segments_before(&self, frame: usize) -> usize {
        match frame.checked_sub(1).map(|last| self.belongings.get(last)) {
            None => 0,
            Some(Some(belongings)) => belongings.segments as usize,
            Some(None) => self.found.segments.len(),
        }
    }
}

/// Some frames of a batch, and the segments up to the end of the last: a sniffer looks at the
/// segments in its frames, and they should still be at hand when they are followed.
#[derive(Debug)]
pub(super) struct BatchPart<'a> {
    batch: &'a Batch,
    frames: Range<usize>,
    segments: Range<usize>,
}

impl<'a> BatchPart<'a> {
    /// The TCP segments.
    pub fn segments(&self) -> &'a [TcpSegment] {
        &self.batch.found.segments[self.segments.clone()]
    }

    /// The 802.11 frames, what was kept of the bodies into which a sniffer looks, and the first TCP
    /// segment in each, whether or not it was captured before.
    pub fn frames(
        &self,
    ) -> impl Iterator<Item = (&'a Dot11Frame, &'a [u8], Option<&'a TcpSegment>)> {
        let batch = self.batch;
        let frames = &batch.found.frames[self.frames.clone()];
        let belongings = &batch.belongings[self.frames.clone()];
        frames.iter().zip(belongings).map(|(frame, belongings)| {
            let carried = match belongings.carried {
                FrameSegment::None => None,
                FrameSegment::Segment(at) => Some(&batch.found.segments[at as usize]),
                FrameSegment::Copy(at) => Some(&batch.found.copies[at as usize]),
            };
            let body = belongings.body.start as usize..belongings.body.end as usize;
            (frame, &batch.bodies[body], carried)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEACON: [u8; 2] = [0x80, 0];
    const TO_ACCESS_POINT: [u8; 2] = [0x08, 0x01];
    const FROM_ACCESS_POINT: [u8; 2] = [0x08, 0x02];

    /// A capture of 802.11 frames, a microsecond apart, without anything in front of them.
    fn capture(frames: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
        let words = [0xA1B2_C3D4_u32, 0x0004_0002, 0, 0, 65_535, 105];
        let mut file: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        for (microseconds, frame) in frames.enumerate() {
            let length = frame.len() as u32;
            let words = [0, microseconds as u32, length, length];
            file.extend(words.into_iter().flat_map(u32::to_le_bytes));
            file.extend(frame);
        }
        file
    }

    fn frame(control: [u8; 2], body: &[u8]) -> Vec<u8> {
        let mut frame = vec![0; 24];
        frame[..2].copy_from_slice(&control);
        frame.extend(body);
        frame
    }

    /// LLC, IPv4 and TCP without options.
    fn packet(seq: u32) -> Vec<u8> {
        let mut packet = vec![0xAA, 0xAA, 3, 0, 0, 0, 8, 0];
        packet.extend([0x45, 0, 0, 40, 0, 1, 0, 0, 64, 6, 0, 0]);
        packet.extend([10, 0, 0, 1, 10, 0, 0, 2, 0, 80, 0, 81]);
        packet.extend(seq.to_be_bytes());
        packet.extend([0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0]);
        packet
    }

    #[test]
    fn batches_hold_every_segment_in_order_and_what_each_frame_tells() {
        const ROUNDS: u32 = 2 * MOST as u32;
        let rounds = (0..ROUNDS).flat_map(|round| {
            [
                frame(BEACON, &round.to_le_bytes()),
                frame(TO_ACCESS_POINT, &packet(round)),
                // The access point hands it on within its cell.
                frame(FROM_ACCESS_POINT, &packet(round)),
            ]
        });
        let file = capture(rounds);
        let mut reader = PacketReader::new(&file[..]).unwrap();
        let mut dissector = Dissector::default();
        let (mut segments, mut told, mut batches) = (Vec::new(), Vec::new(), 1);
        let mut batch = Batch::default();
        loop {
            let has_more = batch.fill(&mut reader, &mut dissector);
            assert!(batch.found.segments.len() <= MOST && batch.found.frames.len() <= MOST);
            for part in batch.parts() {
                segments.extend(part.segments().iter().map(|segment| segment.seq));
                told.extend(part.frames().map(|(frame, body, carried)| {
                    let seq = carried.map(|segment| segment.seq);
                    (frame.control, body.to_vec(), seq)
                }));
            }
            if !has_more {
                break;
            }
            batches += 1;
        }
        assert_eq!(segments, (0..ROUNDS).collect::<Vec<_>>());
        let expected = (0..ROUNDS).flat_map(|round| {
            [
                (BEACON, round.to_le_bytes().to_vec(), None),
                (TO_ACCESS_POINT, vec![], Some(round)),
                (FROM_ACCESS_POINT, vec![], Some(round)),
            ]
        });
        assert_eq!(told, expected.collect::<Vec<_>>());
        assert_eq!(batches, 3 * ROUNDS as usize / MOST + 1);
    }

    #[test]
    fn long_bodies_are_not_kept_without_end() {
        let long = frame(BEACON, &[0; 200_000]);
        let file = capture(std::iter::repeat_n(long, 20));
        let mut batch = Batch::default();
        let mut reader = PacketReader::new(&file[..]).unwrap();
        assert!(batch.fill(&mut reader, &mut Dissector::default()));
        let frames: usize = batch.parts().map(|part| part.frames().count()).sum();
        assert_eq!(frames, MOST_OF_BODIES.div_ceil(200_000));
    }
}
