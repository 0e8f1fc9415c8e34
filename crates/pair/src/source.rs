//! A capture as the matching needs it: segment by segment in the order of the file.

use std::io::Read;

use super::air::{AirPassage, Exchanges};
use super::copies::Copies;
use super::walk::Extent;
use dissect::read::{PacketReader, Warning};
use dissect::{Dissected, Dissector, Tally, TcpSegment, Unopened};

/// A segment, and what happened to it on the air if it was captured there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sighting {
    pub segment: TcpSegment,
    pub exchange: Option<AirPassage>,
    /// The capture had an equal one before.
    pub is_equal: bool,
}

/// Gives the segments of a capture.
#[derive(Debug)]
pub(super) struct SegmentSource<R: Read> {
    reader: PacketReader<R>,
    dissector: Dissector,
    found: Dissected,
    ready: Vec<Sighting>,
    /// The next of them.
    at: usize,
    copies: Copies,
    exchanges: Exchanges,
    first_ns: Option<u64>,
    first_tcp_ns: Option<u64>,
    last_ns: u64,
    is_read: bool,
    /// True if any time is finer than a microsecond.
    is_fine: bool,
    /// True if there are 802.11 frames.
    is_air: bool,
}

impl<R: Read> SegmentSource<R> {
    /// A capture before its first segment.
    pub fn new(reader: PacketReader<R>) -> Self {
        let mut source = SegmentSource {
            reader,
            dissector: Dissector::keeping_copies(),
            found: Dissected::default(),
            ready: Vec::new(),
            at: 0,
            copies: Copies::default(),
            exchanges: Exchanges::default(),
            first_ns: None,
            first_tcp_ns: None,
            last_ns: 0,
            is_read: false,
            is_fine: false,
            is_air: false,
        };
        source.advance();
        source
    }

    /// The next segment; none at the end of what can be read.
    #[inline]
    pub fn head(&self) -> Option<&Sighting> {
        self.ready.get(self.at)
    }

    /// Goes on to the segment behind the next.
    pub fn advance(&mut self) {
        self.at += 1;
        if self.at < self.ready.len() {
            return;
        }
        self.at = 0;
        self.ready.clear();
        while self.ready.is_empty() {
            let now_ns = if self.is_read { u64::MAX } else { self.last_ns };
            if let Some(sighting) = self.exchanges.pop(now_ns) {
                self.ready.push(sighting);
            } else if self.is_read {
                return;
            } else {
                self.read();
            }
        }
    }

    fn read(&mut self) {
        let Some(packet) = self.reader.next() else {
            self.is_read = true;
            return;
        };
        self.first_ns.get_or_insert(packet.time_ns);
        self.last_ns = self.last_ns.max(packet.time_ns);
        self.is_fine |= packet.time_ns % 1_000 != 0;
        self.found.clear();
        self.dissector.take(&packet, &mut self.found);
        if !self.found.segments.is_empty() {
            self.first_tcp_ns.get_or_insert(packet.time_ns);
        }
        let copies = &mut self.copies;
        let found = self.found.segments.drain(..).map(|segment| Sighting {
            exchange: None,
            is_equal: copies.has(&segment),
            segment,
        });
        match self.found.frames.first() {
            Some(frame) => {
                self.is_air = true;
                self.exchanges.take(frame, frame.body(&packet), found);
            }
            None => self.ready.extend(found),
        }
    }

    /// Returns when it ran, as far as it has been read.
    #[inline]
    pub fn extent(&self) -> Extent {
        Extent {
            first_ns: self.first_ns.unwrap_or(0),
            last_ns: self.last_ns,
            is_over: self.head().is_none(),
        }
    }

    /// Returns when its first TCP segment was captured.
    pub fn first_tcp_ns(&self) -> Option<u64> {
        self.first_tcp_ns
    }

    /// Returns how many packets were what.
    pub fn tally(&self) -> &Tally {
        self.dissector.tally()
    }

    /// Returns what it has of link types that are not read.
    pub fn unknown_links(&self) -> Vec<Unopened> {
        self.dissector.unknown_links()
    }

    /// Returns what could not be read as it stood.
    pub fn warnings(&self) -> &[Warning] {
        self.reader.warnings()
    }

    /// Returns how finely its times are told, in nanoseconds: as all of them are whole
    /// microseconds, or not.
    pub fn resolution_ns(&self) -> i64 {
        if self.is_fine { 0 } else { 1_000 }
    }

    /// Returns whether it has 802.11 frames.
    pub fn is_air(&self) -> bool {
        self.is_air
    }
}
