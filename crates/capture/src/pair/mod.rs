//! Two captures of one path, matched packet by packet.
//!
//! The captures are from both ends of a path, or from any two points of it: the wire and the air
//! of an access point, a server and a router. [`compare`] finds by how much their clocks differ
//! ([`Clock`]), finds each packet of one in the other, and tells how long it was under way or
//! what became of it ([`Passage`], [`Fate`]).
//!
//! Each file is read three times from its beginning: until both show the same packets, then for
//! the clocks, then for the packets. What is kept are the packets under way between the points,
//! for ten seconds at most, and connections up to a limit; not the files.
//!
//! A packet is recognised by its connection, its sequence and acknowledgment numbers, its length
//! and its timestamps, and told from another transmission of the same bytes by its IP
//! identification, its timestamps, or its place in the order. It may have other addresses and
//! ports in the other capture (network address translation), other sequence numbers, and other
//! boundaries: what a network card was still to cut (TSO) or has put together (GRO) is matched
//! by its bytes.

mod air;
mod clock;
mod connection;
mod connections;
mod delays;
mod hull;
mod lane;
mod losses;
mod overlap;
mod passage;
mod ranges;
mod report;
mod rows;
mod segment_size;
mod side;
mod source;
mod transmission;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::read::{OpenError, Reader};

use clock::{Estimator, Line};
use connection::Connection;
use connections::Connections;
use delays::OverTime;
use report::Reporter;
use source::{Sighting, Source};

pub use air::Exchange;
pub use clock::{Clock, Clocks};
pub use delays::{Distribution, OverTime as DelaysOverTime, Step};
pub use passage::{Fate, Passage, Sight, Way};
pub use report::{
    AirReport, Alteration, Comparison, ConnectionReport, FileReport, LaneReport, WayReport,
};
pub use rows::Rows;

/// How often connections that have fallen silent are looked at, in time of the captures.
const SWEEP_NS: i64 = lane::PATIENCE_NS / 4;

/// And in packets, so that memory is bounded whatever the times in a file say.
const SWEEP_PACKETS: u64 = 1 << 17;

/// What may be held in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections under way at once; beyond, those that were silent longest are told as they
    /// stand.
    pub connections: usize,
    /// Packets whose fate is open; beyond, it is settled as if their time was over.
    pub packets: usize,
}

impl Default for Limits {
    /// About a quarter of a gigabyte each.
    fn default() -> Self {
        Limits {
            connections: 1 << 17,
            packets: 1 << 20,
        }
    }
}

/// Why two captures cannot be compared.
#[derive(Debug)]
#[non_exhaustive]
pub enum CompareError {
    /// A file cannot be read: the first (0) or the second (1).
    Open(usize, OpenError),
    /// No packet is in both.
    NothingInCommon,
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompareError::Open(_, error) => error.fmt(f),
            CompareError::NothingInCommon => f.write_str("no TCP packet is in both captures"),
        }
    }
}

impl std::error::Error for CompareError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CompareError::Open(_, error) => Some(error),
            CompareError::NothingInCommon => None,
        }
    }
}

/// When a capture ran, on the first one's clock.
#[derive(Clone, Copy, Debug)]
struct Extent {
    first_ns: i64,
    last_ns: i64,
    /// It has been read to its end.
    is_over: bool,
}

impl Extent {
    /// Whether it did not run at this time.
    fn is_outside(&self, at_ns: i64) -> bool {
        at_ns < self.first_ns || (self.is_over && at_ns > self.last_ns)
    }
}

/// Is told what is found.
trait Witness {
    /// Both captures have a packet. `is_sure` says that packets of both directions tell its way;
    /// `hops` is what its time to live is larger in the first.
    fn matched(&mut self, _passage: &Passage, _is_sure: bool, _hops: Option<i16>) {}
    /// What became of a packet.
    fn passage(&mut self, _passage: &Passage) {}
    /// Bytes came through that were lost so many times.
    fn repaired(&mut self, _way: Way, _times: u32) {}
    /// Bytes never came through.
    fn never_repaired(&mut self, _way: Way, _times: u32) {}
    /// A connection is over.
    fn closed(&mut self, _connection: &Connection) {}
    /// Corrects the line by what was seen of the clocks.
    fn steer(&self, _line: &mut Line) {}
}

/// Compares two captures. `open` opens the first (0) or the second (1) anew each time it is
/// called; `keeps_rows` says whether every packet is wanted, or the figures only.
///
/// # Errors
/// When a file cannot be opened, and when no packet is in both.
pub fn compare<R: Read>(
    open: impl Fn(usize) -> Result<Reader<R>, OpenError>,
    limits: Limits,
    keeps_rows: bool,
) -> Result<Comparison, CompareError> {
    let sources = || -> Result<[Source<R>; 2], CompareError> {
        let source = |side| {
            open(side)
                .map(Source::new)
                .map_err(|error| CompareError::Open(side, error))
        };
        Ok([source(0)?, source(1)?])
    };
    let guess = overlap::first_guess(&mut sources()?).ok_or(CompareError::NothingInCommon)?;
    let (clock, span) =
        find_clock(sources()?, guess, limits).ok_or(CompareError::NothingInCommon)?;

    let mut sources = sources()?;
    let mut reporter = Reporter::new(OverTime::new(span.0, span.1), keeps_rows);
    let mut line = clock.line;
    let evicted = walk(&mut sources, &mut line, limits, &mut reporter);
    Ok(reporter.finish(clock, &sources, evicted))
}

/// Compares two capture files.
///
/// # Errors
/// As [`compare`].
pub fn compare_paths(
    paths: [&Path; 2],
    limits: Limits,
    keeps_rows: bool,
) -> Result<Comparison, CompareError> {
    compare(|side| Reader::<File>::open(paths[side]), limits, keeps_rows)
}

/// What packets tell of the clocks, and when the first TCP segment and the last packet passed.
fn find_clock<R: Read>(
    mut sources: [Source<R>; 2],
    guess: i64,
    limits: Limits,
) -> Option<(Clock, (i64, i64))> {
    let mut collector = Collector {
        guess,
        ..Collector::default()
    };
    let mut line = Line {
        offset_ns: guess,
        ..Line::default()
    };
    walk(&mut sources, &mut line, limits, &mut collector);
    let resolution_ns = sources[0].resolution_ns().max(sources[1].resolution_ns());
    let clock = collector
        .sure
        .estimate(resolution_ns)
        .or_else(|| collector.unsure.estimate(resolution_ns))?;
    let time = |side: usize, time_ns: u64| {
        if side == 0 {
            time_ns as i64
        } else {
            clock.line.on_first(time_ns)
        }
    };
    let first = [0, 1].map(|side| {
        sources[side]
            .first_tcp_ns()
            .map_or(0, |first_ns| time(side, first_ns))
    });
    let last = [0, 1].map(|side| time(side, sources[side].last_ns()));
    Some((clock, (first[0].min(first[1]), last[0].max(last[1]))))
}

/// Collects what packets tell of the clocks.
#[derive(Debug, Default)]
struct Collector {
    sure: Estimator,
    /// Packets of connections of which only one direction is known.
    unsure: Estimator,
    /// By how much the second clock was ahead lately.
    guess: i64,
}

impl Witness for Collector {
    fn matched(&mut self, passage: &Passage, is_sure: bool, hops: Option<i16>) {
        let [Some(first), Some(second)] = passage.sights else {
            return;
        };
        if passage.is_ambiguous {
            return;
        }
        let difference = (second.time_ns as i64).saturating_sub(first.time_ns as i64);
        // As the estimator of round-trip times does (RFC 6298 §2.3), so that a drift is followed.
        self.guess += difference.saturating_sub(self.guess) / 8;
        if is_sure {
            self.sure
                .add(first.time_ns, second.time_ns, passage.way == Way::Forth);
        } else {
            // A router that the packet has passed lowers its time to live; without one, the
            // first capture is taken to be nearer to the sender.
            self.unsure
                .add(first.time_ns, second.time_ns, hops.unwrap_or(0) >= 0);
        }
    }

    fn steer(&self, line: &mut Line) {
        line.offset_ns = self.guess;
    }
}

/// Goes through both captures in the order of time, and tells the witness what is found. Gives
/// how many connections had to make room.
fn walk<R: Read>(
    sources: &mut [Source<R>; 2],
    line: &mut Line,
    limits: Limits,
    witness: &mut impl Witness,
) -> u64 {
    let mut connections = Connections::new(limits);
    let mut heads = [sources[0].next(), sources[1].next()];
    let (mut swept_ns, mut packets) = (i64::MIN, 0_u64);
    loop {
        let times = [0, 1].map(|side| heads[side].as_ref().map(|head| on_first(line, side, head)));
        let (side, now_ns) = match times {
            [Some(first), Some(second)] if first <= second => (0, first),
            [_, Some(second)] => (1, second),
            [Some(first), None] => (0, first),
            [None, None] => break,
        };
        let extents = extents(sources, &heads, line);
        if let Some(head) = heads[side].take() {
            connections.take(side, &head, now_ns, &extents, witness);
        }
        witness.steer(line);
        packets += 1;
        if now_ns.saturating_sub(swept_ns) > SWEEP_NS || packets % SWEEP_PACKETS == 0 {
            swept_ns = now_ns;
            if connections.sweep(now_ns, &extents, witness) > limits.packets {
                connections.sweep(i64::MAX, &extents, witness);
            }
        }
        heads[side] = sources[side].next();
    }
    connections.finish(&extents(sources, &heads, line), witness);
    connections.evicted
}

fn on_first(line: &Line, side: usize, sighting: &Sighting) -> i64 {
    let time_ns = sighting.segment.time_ns;
    if side == 0 {
        time_ns as i64
    } else {
        line.on_first(time_ns)
    }
}

fn extents<R: Read>(
    sources: &[Source<R>; 2],
    heads: &[Option<Sighting>; 2],
    line: &Line,
) -> [Extent; 2] {
    [0, 1].map(|side| {
        let on_first = |time_ns: u64| {
            if side == 0 {
                time_ns as i64
            } else {
                line.on_first(time_ns)
            }
        };
        Extent {
            first_ns: on_first(sources[side].first_ns().unwrap_or(0)),
            last_ns: on_first(sources[side].last_ns()),
            is_over: heads[side].is_none(),
        }
    })
}

#[cfg(test)]
mod tests;
