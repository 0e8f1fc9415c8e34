//! Two captures of one path, matched packet by packet.
//!
//! The captures are from both ends of a path, or from any two points of it: the wire and the air
//! of an access point, a server and a router. [`compare`] finds by how much their clocks differ
//! ([`ClockEstimate`]), finds each packet of one in the other, and tells how long it was under way or
//! what became of it ([`Passage`], [`PacketOutcome`]).
//!
//! Each file is read from its beginning until both show the same packets, and then once more if
//! these do not contradict that both captures have one clock; otherwise once for the clocks and
//! once for the packets. What is kept are the packets under way between the points, for ten
//! seconds at most, and connections up to a limit; not the files.
//!
//! A packet is recognised by its connection, its sequence and acknowledgment numbers, its length
//! and its timestamps, and told from another transmission of the same bytes by its IP
//! identification, its timestamps, or its place in the order. It may have other addresses and
//! ports in the other capture (network address translation), other sequence numbers, and other
//! boundaries: what a network card was still to cut (TSO) or has put together (GRO) is matched
//! by its bytes. Where one capture lost its TCP options to the snap length, the rest decides.

mod air;
mod clock;
mod connection;
mod connections;
mod copies;
mod delays;
mod lane;
mod losses;
mod numbering;
mod one_clock;
mod over_time;
mod overlap;
mod passage;
mod ranges;
mod report;
mod rows;
mod segment_size;
mod side;
mod source;
mod strangers;
mod tail;
mod transmission;
mod walk;
mod witness;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use dissect::Unopened;
use dissect::read::{OpenError, PacketReader};

use clock::{ClockLine, Collector};
use lane::PATIENCE_NS;
use one_clock::OneClock;
use report::Reporter;
use source::SegmentSource;
use walk::walk;

pub use air::AirPassage;
pub use clock::{ClockEstimate, Clocks};
pub use delays::DelayDistribution;
pub use over_time::{OverTime as DelaysOverTime, StepCounts};
pub use passage::{PacketOutcome, Passage, PathDirection, Sight};
pub use report::{
    AirReport, Alteration, Comparison, ConnectionReport, FileReport, LaneReport, SegmentCounts,
    TailReport, WayReport,
};
pub use rows::PacketRows;

/// Time that packets are under way where no queue is full: half the round trips between any two
/// places on Earth are less (inferred). What one clock shows to be longer under way shows most
/// likely another clock, and every packet of that time would wait for its counterpart.
const USUAL_DELAY_NS: i64 = 100_000_000;

/// Limits of what is held in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairLimits {
    /// Connections under way at once, one at the least; beyond, those that were silent longest are
    /// told as they stand.
    pub connections: usize,
    /// Packets whose fate is open; beyond, it is settled as if their time was over.
    pub packets: usize,
}

impl Default for PairLimits {
    /// About a quarter of a gigabyte each.
    fn default() -> Self {
        PairLimits {
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
    /// No packet is in both. What either has of link types that are not read may be why.
    NothingInCommon([Vec<Unopened>; 2]),
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompareError::Open(_, error) => error.fmt(f),
            CompareError::NothingInCommon(_) => f.write_str("no TCP packet is in both captures"),
        }
    }
}

impl std::error::Error for CompareError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CompareError::Open(_, error) => Some(error),
            CompareError::NothingInCommon(_) => None,
        }
    }
}

/// Compares two captures. `open` opens the first (0) or the second (1) anew each time it is
/// called; `keeps_rows` says whether every packet is wanted, or the figures only.
///
/// # Errors
/// When a file cannot be opened, and when no packet is in both.
pub fn compare<R: Read>(
    open: impl Fn(usize) -> Result<PacketReader<R>, OpenError>,
    limits: PairLimits,
    keeps_rows: bool,
) -> Result<Comparison, CompareError> {
    let sources = || -> Result<[SegmentSource<R>; 2], CompareError> {
        let source = |side| {
            open(side)
                .map(SegmentSource::new)
                .map_err(|error| CompareError::Open(side, error))
        };
        Ok([source(0)?, source(1)?])
    };
    let mut read = sources()?;
    let guess = overlap::first_guess(&mut read);
    let nothing =
        || CompareError::NothingInCommon(read.each_ref().map(SegmentSource::unknown_links));
    let guess_ns = guess.ok_or_else(nothing)?;
    let find = || find_clock(sources()?, guess_ns, limits).ok_or_else(nothing);
    let is_usual = guess_ns.saturating_abs() <= USUAL_DELAY_NS;
    let found = if is_usual { None } else { Some(find()?) };
    // If there is one clock, no packet is longer under way than one may be.
    let may_be_one = guess_ns.saturating_abs() <= PATIENCE_NS;
    if may_be_one && found.as_ref().is_none_or(ClockEstimate::may_be_one) {
        if let Some(told) = compare_by_one_clock(sources()?, limits, keeps_rows) {
            return Ok(told);
        }
    }
    let clock = found.map_or_else(find, Ok)?;
    let mut sources = sources()?;
    let mut reporter = Reporter::new(&sources, &clock.line, keeps_rows);
    let evicted = walk(&mut sources, clock.line, limits, &mut reporter);
    Ok(reporter.finish(clock, &sources, evicted.unwrap_or(0)))
}

/// Compares two capture files.
///
/// # Errors
/// As [`compare`].
pub fn compare_paths(
    paths: [&Path; 2],
    limits: PairLimits,
    keeps_rows: bool,
) -> Result<Comparison, CompareError> {
    compare(
        |side| PacketReader::<File>::open(paths[side]),
        limits,
        keeps_rows,
    )
}

/// Compares captures as if they had one clock; none if by what packets tell the second one is
/// ahead or behind.
fn compare_by_one_clock<R: Read>(
    mut sources: [SegmentSource<R>; 2],
    limits: PairLimits,
    keeps_rows: bool,
) -> Option<Comparison> {
    let line = ClockLine::default();
    let mut witness = OneClock {
        collector: Collector::default(),
        reporter: Reporter::new(&sources, &line, keeps_rows),
    };
    let evicted = walk(&mut sources, line, limits, &mut witness)?;
    let clock = witness.collector.estimate(&sources)?;
    clock
        .line
        .is_even()
        .then(|| witness.reporter.finish(clock, &sources, evicted))
}

/// Finds the clocks by what packets tell of them.
fn find_clock<R: Read>(
    mut sources: [SegmentSource<R>; 2],
    guess_ns: i64,
    limits: PairLimits,
) -> Option<ClockEstimate> {
    let line = ClockLine {
        offset_ns: guess_ns,
        ..ClockLine::default()
    };
    let mut collector = Collector::new(guess_ns);
    walk(&mut sources, line, limits, &mut collector)?;
    collector.estimate(&sources)
}

#[cfg(test)]
mod tests;
