//! What some packets in a row carried, on its way from who reads them to who follows them.

use std::io::Read;
use std::ops::Range;

use crate::dissect::{Dissector, Frame, Segment};
use crate::read::Reader;
use crate::wifi::Sniffer;

/// Segments or frames of a batch: enough that handing it on is nothing beside filling it, and few
/// enough that several batches fit in a second-level cache.
const MOST: usize = 1024;

/// What some packets in a row carried.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub segments: Vec<Segment>,
    frames: Vec<Heard>,
    /// Segments that were captured before, of which a sniffer wants to know.
    copies: Vec<Segment>,
    /// The bodies of those frames into which a sniffer looks.
    bodies: Vec<u8>,
}

/// An 802.11 frame, and where in the batch that is of which it tells.
#[derive(Debug)]
struct Heard {
    frame: Frame,
    body: Range<usize>,
    carried: Carried,
}

/// The first TCP segment in a frame.
#[derive(Debug)]
enum Carried {
    None,
    Segment(usize),
    Copy(usize),
}

impl Batch {
    /// Puts what the next packets carry in place of what it has; gives whether there may be more.
    pub fn fill<R: Read>(&mut self, reader: &mut Reader<R>, dissector: &mut Dissector) -> bool {
        self.segments.clear();
        self.frames.clear();
        self.copies.clear();
        self.bodies.clear();
        while self.segments.len() < MOST && self.frames.len() < MOST {
            let Some(packet) = reader.next() else {
                return false;
            };
            let before = self.segments.len();
            dissector.segments(&packet, &mut self.segments);
            if let Some(frame) = dissector.frame() {
                let carried = self.carried(before, dissector.copy());
                let start = self.bodies.len();
                if Sniffer::looks_into(frame) {
                    self.bodies.extend_from_slice(frame.body(&packet));
                }
                self.frames.push(Heard {
                    frame: *frame,
                    body: start..self.bodies.len(),
                    carried,
                });
            }
        }
        true
    }

    #[inline]
    fn carried(&mut self, at: usize, copy: Option<&Segment>) -> Carried {
        if at < self.segments.len() {
            return Carried::Segment(at);
        }
        let Some(copy) = copy else {
            return Carried::None;
        };
        self.copies.push(*copy);
        Carried::Copy(self.copies.len() - 1)
    }

    /// The frames, what was kept of the bodies into which a sniffer looks, and the first TCP
    /// segment in each, whether or not it was captured before.
    pub fn frames(&self) -> impl Iterator<Item = (&Frame, &[u8], Option<&Segment>)> {
        self.frames.iter().map(|heard| {
            let carried = match heard.carried {
                Carried::None => None,
                Carried::Segment(at) => Some(&self.segments[at]),
                Carried::Copy(at) => Some(&self.copies[at]),
            };
            (&heard.frame, &self.bodies[heard.body.clone()], carried)
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
        let mut reader = Reader::new(&file[..]).unwrap();
        let mut dissector = Dissector::default();
        let (mut segments, mut told, mut batches) = (Vec::new(), Vec::new(), 1);
        let mut batch = Batch::default();
        loop {
            let has_more = batch.fill(&mut reader, &mut dissector);
            assert!(batch.segments.len() <= MOST && batch.frames.len() <= MOST);
            segments.extend(batch.segments.iter().map(|segment| segment.seq));
            told.extend(batch.frames().map(|(frame, body, carried)| {
                let seq = carried.map(|segment| segment.seq);
                (frame.control, body.to_vec(), seq)
            }));
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
}
