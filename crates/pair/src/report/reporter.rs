//! Who writes the report while both captures are gone through.

use std::io::Read;

use super::direction::WayCounts;
use super::{Comparison, ConnectionReport, FileReport};
use crate::clock::{ClockEstimate, ClockLine};
use crate::connection::PairedConnection;
use crate::over_time::Timeline;
use crate::passage::{PacketOutcome, Passage, PathDirection};
use crate::rows::PacketRows;
use crate::source::SegmentSource;
use crate::witness::Witness;

/// Connections listed; the figures count more of them than these.
const MOST_LISTED: usize = 100_000;

/// Collects the report.
#[derive(Debug)]
pub(crate) struct Reporter {
    ways: [WayCounts; 2],
    over_time: Timeline,
    rows: Option<PacketRows>,
    connections: Vec<ConnectionReport>,
    unlisted: u64,
    connections_alone: [u64; 2],
    packets_alone: [u64; 2],
}

impl Reporter {
    /// One that has been told nothing yet: the sources are at their first segments.
    pub fn new<R: Read>(
        sources: &[SegmentSource<R>; 2],
        line: &ClockLine,
        keeps_rows: bool,
    ) -> Self {
        let first_ns = [0, 1].map(|side| {
            let own = sources[side].first_tcp_ns();
            own.map_or(0, |time_ns| line.aligned(side, time_ns))
        });
        Reporter {
            ways: Default::default(),
            over_time: Timeline::new(first_ns[0].min(first_ns[1])),
            rows: keeps_rows.then(PacketRows::default),
            connections: Vec::new(),
            unlisted: 0,
            connections_alone: [0; 2],
            packets_alone: [0; 2],
        }
    }

    /// The report, when all has been told.
    pub fn finish<R: Read>(
        mut self,
        clock: ClockEstimate,
        sources: &[SegmentSource<R>; 2],
        evicted: u64,
    ) -> Comparison {
        self.connections.sort_by_key(|connection| connection.number);
        let last_ns = [0, 1].map(|side| clock.line.aligned(side, sources[side].extent().last_ns));
        let ways = self.ways.map(WayCounts::finish);
        Comparison {
            clock,
            captures: PathDirection::ALL.map(|way| {
                let side = way.upstream();
                FileReport::of(&sources[side], &ways[side])
            }),
            ways,
            connections: self.connections,
            unlisted: self.unlisted,
            connections_alone: self.connections_alone,
            packets_alone: self.packets_alone,
            evicted,
            over_time: self.over_time.finish(last_ns[0].max(last_ns[1])),
            rows: self.rows.unwrap_or_default(),
        }
    }
}

impl Witness for Reporter {
    fn passage(&mut self, passage: &Passage) {
        let way = passage.way as usize;
        self.ways[way].count(passage);
        let (at_ns, segments) = (passage.at_ns(), passage.segments);
        match (passage.fate, passage.delay_ns()) {
            (PacketOutcome::Passed, Some(delay_ns)) => {
                self.over_time.pass(way, at_ns, delay_ns, segments);
            }
            (PacketOutcome::Lost, None) => self.over_time.lose(way, at_ns),
            _ => {}
        }
        if let Some(rows) = &mut self.rows {
            rows.add(passage);
        }
    }

    fn repaired(&mut self, way: PathDirection, times: u32) {
        self.ways[way as usize].count_repaired(times);
    }

    fn never_repaired(&mut self, way: PathDirection, times: u32) {
        self.ways[way as usize].count_never_repaired(times);
    }

    fn tail_lost(&mut self, way: PathDirection, waited_ns: Option<i64>) {
        self.ways[way as usize].count_tail(waited_ns);
    }

    fn closed(&mut self, connection: &PairedConnection) {
        for side in 0..2 {
            let alone = connection.lanes.each_ref().map(|lane| lane.alone[side]);
            self.packets_alone[side] += alone[0] + alone[1];
            let has_any = alone[0] + alone[1] > 0;
            self.connections_alone[side] += u64::from(has_any && !connection.is_matched());
        }
        match ConnectionReport::of(connection) {
            Some(report) if self.connections.len() < MOST_LISTED => self.connections.push(report),
            Some(_) => self.unlisted += 1,
            None => {}
        }
    }
}
