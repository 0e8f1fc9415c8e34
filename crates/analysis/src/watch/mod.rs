//! More than totals: each segment, each loss, each transfer.
//!
//! [`watch_path`] goes through a capture once, as [`analyse_path`](super::analyse_path) does, and
//! tells of every connection its [`ConnectionLosses`] and [`Transfers`], and of those that were asked for a
//! [`ConnectionTrace`]. It watches the same analysis at work, see `observer.rs`: summing a
//! trace gives the summary's counters.

mod course;
mod identity;
mod losses;
mod take;
mod trace;
mod transfers;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use super::cause::{Cause, RULES};
use super::connection::CapturedConnection;
use super::direction::DirectionState;
use super::observer::Observer;
use super::{Summary, Tracker, TrackerLimits, feed};
use crate::step::Step;
use crate::wifi::Sniffer;
use dissect::TcpSegment;
use dissect::read::{OpenError, PacketReader};

use losses::Sendings;
use trace::Bases;
use transfers::UnderWay;

pub use crate::column::{ColumnValues, Columns};
pub use crate::step::{AckKind, SegmentKind};

/// Returns what speaks for a cause, in the words of the rules that name one, by their codes less
/// one; the last stands for none.
pub fn reasons() -> Vec<&'static str> {
    let rules = RULES.iter().map(|rule| rule.because);
    rules
        .chain(["nothing that was captured explains it"])
        .collect()
}
pub use identity::ConnectionIdentity;
pub use losses::ConnectionLosses;
pub use trace::ConnectionTrace;
pub use transfers::Transfers;

/// The connections that are traced segment by segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Traced {
    /// All of them.
    All,
    /// Those whose first packets have these numbers.
    Chosen(Vec<u64>),
}

impl Traced {
    fn has(&self, first_packet: u64) -> bool {
        match self {
            Traced::All => true,
            Traced::Chosen(chosen) => chosen.contains(&first_packet),
        }
    }
}

/// Limits of what is kept. Beyond, it is only counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchLimits {
    /// Segments of all traces together.
    pub segments: usize,
    /// Losses.
    pub losses: usize,
    /// Transfers.
    pub transfers: usize,
}

impl Default for WatchLimits {
    /// Returns limits that take about half a gigabyte each.
    fn default() -> Self {
        WatchLimits {
            segments: 1 << 22,
            losses: 1 << 22,
            transfers: 1 << 19,
        }
    }
}

/// Results of watching a capture.
#[derive(Clone, Debug, Default)]
pub struct WatchResult {
    /// The connections that sent data or are traced, in the order of their first data; losses
    /// and transfers name them by their place here.
    pub connections: Vec<ConnectionIdentity>,
    /// Losses of all connections.
    pub losses: ConnectionLosses,
    /// Transfers of all connections.
    pub transfers: Transfers,
    /// The traces that were asked for.
    pub traces: Vec<ConnectionTrace>,
    /// Segments of traced connections that are not in their traces, because there are too many.
    pub segments_unlisted: u64,
}

/// Watches all connections of a capture.
pub fn watch<R: Read + Send>(
    reader: &mut PacketReader<R>,
    limits: TrackerLimits,
    traced: Traced,
    room: WatchLimits,
) -> WatchResult {
    let mut watcher = Watcher::new(traced, room);
    let tracker = Tracker::observed(limits, |_: Summary| {}, &mut watcher);
    feed(reader, tracker, &mut Sniffer::default());
    watcher.finish()
}

/// Watches all connections of a capture file; `-` is the standard input.
pub fn watch_path(
    path: &Path,
    limits: TrackerLimits,
    traced: Traced,
    room: WatchLimits,
) -> Result<WatchResult, OpenError> {
    if path.as_os_str() == "-" {
        return Ok(watch(&mut PacketReader::stdin()?, limits, traced, room));
    }
    Ok(watch(&mut PacketReader::open(path)?, limits, traced, room))
}

/// Watches all connections of a capture file that is held in memory.
pub fn watch_bytes(
    capture: &[u8],
    limits: TrackerLimits,
    traced: Traced,
    room: WatchLimits,
) -> Result<WatchResult, OpenError> {
    Ok(watch(
        &mut PacketReader::new(capture)?,
        limits,
        traced,
        room,
    ))
}

/// State of a connection that is watched.
#[derive(Debug, Default)]
struct WatchedState {
    number: usize,
    /// The first numbers of its directions, if they were not those of SYNs.
    first: [Option<u64>; 2],
    sendings: [Sendings; 2],
    under_way: [UnderWay; 2],
    trace: Option<ConnectionTrace>,
}

impl WatchedState {
    /// Behind the segment: what a direction's numbers are relative to.
    fn bases(
        &mut self,
        connection: &CapturedConnection,
        segment: &TcpSegment,
        from: usize,
    ) -> Bases {
        let begins_at = [segment.seq, segment.ack].map(|number| DirectionState::origin(number) - 1);
        let known = [from, 1 - from].map(|side| connection.halves[side].is_started());
        for (place, side) in [from, 1 - from].into_iter().enumerate() {
            if known[place] {
                self.first[side].get_or_insert(begins_at[place]);
            }
        }
        Bases([0, 1].map(|side| match connection.announced[side].isn {
            Some(isn) => DirectionState::origin(isn),
            None => self.first[side].unwrap_or_default(),
        }))
    }

    fn note_losses(
        &mut self,
        connection: &CapturedConnection,
        segment: &TcpSegment,
        step: &Step,
        bases: Bases,
        losses: &mut ConnectionLosses,
    ) {
        let (own, peer) = (step.from, 1 - step.from);
        for revision in &step.revisions {
            let sender = if revision.is_own { own } else { peer };
            let start = bases.relative(sender, revision.start);
            losses.revise(self.number, revision, start);
            if let Some(trace) = &mut self.trace {
                trace.revise(revision, start);
            }
        }
        self.sendings[peer].on_answer(segment, step, &connection.halves[peer]);
        self.sendings[own].note_loss(segment, step, bases, self.number, losses);
        if let Some(range) = step.range.filter(|_| step.has_payload(segment)) {
            self.sendings[own].add(segment, range, &connection.halves[own]);
        }
    }

    fn note_transfers(
        &mut self,
        connection: &CapturedConnection,
        segment: &TcpSegment,
        step: &Step,
        done: &mut Transfers,
    ) {
        let (own, peer) = (step.from, 1 - step.from);
        if step.has_payload(segment) {
            self.under_way[own].on_sent(connection, segment, step, self.number, done);
        }
        if step.ack.is_some() {
            self.under_way[peer].on_answer(&connection.halves[peer], step);
        }
    }
}

/// The SACK blocks of a segment, in full numbers of the other direction.
fn blocks<'a>(
    connection: &'a CapturedConnection,
    segment: &'a TcpSegment,
    step: &Step,
) -> impl Iterator<Item = (u64, u64)> + 'a {
    let half = &connection.halves[1 - step.from];
    let blocks = segment.options.sack().iter();
    blocks.filter_map(|block| half.number(block.left).zip(half.number(block.right)))
}

#[derive(Debug)]
struct Watcher {
    traced: Traced,
    room: WatchLimits,
    states: BTreeMap<ConnectionIdentity, WatchedState>,
    /// Segments in traces.
    listed: usize,
    watched: WatchResult,
}

impl Watcher {
    fn new(traced: Traced, room: WatchLimits) -> Self {
        Watcher {
            traced,
            room,
            states: BTreeMap::new(),
            listed: 0,
            watched: WatchResult {
                losses: ConnectionLosses::at_most(room.losses),
                transfers: Transfers::at_most(room.transfers),
                ..WatchResult::default()
            },
        }
    }

    /// A connection deserves a state as soon as there is something to tell: a flood of SYNs has
    /// millions that never do. One that starts midway must not lose its first numbers.
    fn is_worth_a_state(&self, connection: &CapturedConnection, segment: &TcpSegment) -> bool {
        segment.payload > 0
            || connection.announced.iter().all(|end| end.isn.is_none())
            || self.traced.has(connection.number)
    }

    fn note(&mut self, connection: &CapturedConnection, segment: &TcpSegment, step: &Step) {
        let identity = ConnectionIdentity::of(connection);
        if !self.states.contains_key(&identity) && self.is_worth_a_state(connection, segment) {
            self.begin(identity);
        }
        let Some(state) = self.states.get_mut(&identity) else {
            return;
        };
        let bases = state.bases(connection, segment, step.from);
        state.note_losses(connection, segment, step, bases, &mut self.watched.losses);
        state.note_transfers(connection, segment, step, &mut self.watched.transfers);
        if let Some(trace) = &mut state.trace {
            if self.listed < self.room.segments {
                self.listed += 1;
                trace.add(segment, step, bases, blocks(connection, segment, step));
            } else {
                self.watched.segments_unlisted += 1;
            }
        }
    }

    fn begin(&mut self, identity: ConnectionIdentity) {
        let is_traced = self.traced.has(identity.first_packet);
        let state = WatchedState {
            number: self.watched.connections.len(),
            trace: is_traced.then(|| ConnectionTrace::new(identity)),
            ..WatchedState::default()
        };
        self.watched.connections.push(identity);
        self.states.insert(identity, state);
    }

    fn finish(mut self) -> WatchResult {
        self.watched.traces.sort_by_key(|trace| trace.of);
        self.watched
    }
}

impl Observer for Watcher {
    fn take(&mut self, connection: &mut CapturedConnection, segment: &TcpSegment) -> Option<Cause> {
        let step = take::take(connection, segment);
        self.note(connection, segment, &step);
        step.cause
    }

    fn close(&mut self, connection: &CapturedConnection) {
        let Some(mut state) = self.states.remove(&ConnectionIdentity::of(connection)) else {
            return;
        };
        for under_way in &mut state.under_way {
            under_way.end(&mut self.watched.transfers);
        }
        for sendings in &state.sendings {
            sendings.end(&mut self.watched.losses);
        }
        self.watched.traces.extend(state.trace);
    }
}

#[cfg(test)]
mod tests;
