//! What is told of two captures.

use std::io::Read;
use std::net::IpAddr;

use serde::Serialize;

use super::Witness;
use super::clock::Clock;
use super::connection::{Connection, Syn};
use super::delays::{Delays, Distribution, OverTime};
use super::passage::{Fate, Passage, Way};
use super::rows::Rows;
use super::source::Source;
use crate::dissect::{Endpoint, Tally};
use crate::read::Warning;

/// Connections listed; the figures count more of them than these.
const MOST_LISTED: usize = 100_000;

/// The most losses of the same bytes that are told apart; more count as so many.
const MOST_TIMES: usize = 16;

/// Two captures of one path.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// What was found about the clocks.
    pub clock: Clock,
    /// The two captures.
    pub captures: [FileReport; 2],
    /// From the first point to the second, and back.
    pub ways: [WayReport; 2],
    /// Connections that both captures have, by their numbers.
    pub connections: Vec<ConnectionReport>,
    /// Such connections that are not listed, because there are so many.
    pub unlisted: u64,
    /// Connections that only the first capture has, and only the second: they do not pass the
    /// other point.
    pub connections_alone: [u64; 2],
    /// Their packets.
    pub packets_alone: [u64; 2],
    /// Connections that were told before their end, because too many were open.
    pub evicted: u64,
    /// Delays and losses over time.
    pub over_time: OverTime,
    /// Every packet, if that was asked for.
    #[serde(skip)]
    pub rows: Rows,
}

/// One of the captures.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FileReport {
    /// When its first packet was captured, by its own clock.
    pub first_ns: u64,
    /// When its last packet was captured.
    pub last_ns: u64,
    /// Whether it has 802.11 frames.
    pub is_air: bool,
    /// Whether all its times are whole microseconds.
    pub is_coarse: bool,
    /// How many packets were what.
    pub tally: Tally,
    /// What could not be read as it stood.
    pub warnings: Vec<Warning>,
}

/// One way between the points.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct WayReport {
    /// Packets, or parts of large ones, that both captures have.
    pub passed: u64,
    /// Packets that passed the first point of the way and were lost before the second, a large
    /// one as those it is cut into.
    pub lost: u64,
    /// Segments on the wire: what passed, was lost, or was missed by one capture, large ones
    /// counted likewise.
    pub segments: u64,
    /// How many of them carried data, SYN or FIN.
    pub lost_data: u64,
    /// How many of these had bytes that had come through before, so that nothing was missed.
    pub lost_needless: u64,
    /// What they carried, in sequence numbers.
    pub lost_bytes: u64,
    /// Packets that the capture at the second point missed, as acknowledgments prove.
    pub uncaptured: u64,
    /// Packets that only the capture at the second point has.
    pub appeared: u64,
    /// Second copies.
    pub doubled: u64,
    /// Packets that the other capture could not have.
    pub outside: u64,
    /// Packets that passed, behind one that was sent later.
    pub late: u64,
    /// Matches that the order decided.
    pub ambiguous: u64,
    /// How long packets were under way.
    pub delay: Option<Distribution>,
    /// How often the same bytes were lost before they came through: once, twice and so on.
    pub lost_times: Vec<u64>,
    /// The same of bytes that never came through.
    pub lost_for_good_times: Vec<u64>,
    /// What happened on the air, if one of the captures is from there.
    pub air: Option<AirReport>,
}

/// What packets met on the air.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct AirReport {
    /// Packets sent on the air.
    pub packets: u64,
    /// Frames they took, fragments and retries included.
    pub frames: u64,
    /// Frames with the retry bit.
    pub retries: u64,
    /// Packets whose last frame was never acknowledged: given up.
    pub unacknowledged: u64,
    /// From the first frame to the acknowledgment.
    pub exchange: Option<Distribution>,
    /// From the wire to the acknowledgment: queue and air together. Only of the way to the air.
    pub wire_to_acknowledgment: Option<Distribution>,
}

/// A connection that both captures have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ConnectionReport {
    /// Its number.
    pub number: u32,
    /// Its ends in the first capture: the client, or who was seen first, and the other.
    pub ends: [(IpAddr, u16); 2],
    /// The same ends in the second capture, if they have other addresses or ports there.
    pub ends_second: Option<[(IpAddr, u16); 2]>,
    /// What each end sends.
    pub lanes: [LaneReport; 2],
}

/// One direction of a connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LaneReport {
    /// The way its packets go.
    pub way: Way,
    /// Routers between the points, as the time to live tells; none if no packet is in both.
    pub hops: Option<i16>,
    /// Packets that the first capture has, and the second.
    pub packets: [u64; 2],
    /// Their payload bytes.
    pub bytes: [u64; 2],
    /// At each point: packets that filled a gap, lost or overtaken before it.
    pub fills: [u64; 2],
    /// At each point: packets whose bytes had passed there before and were not acknowledged:
    /// lost behind it, or sent again too early.
    pub again: [u64; 2],
    /// At each point: packets whose bytes were acknowledged already: sent again needlessly.
    pub again_needless: [u64; 2],
    /// At each point: the payload of the packets of both kinds.
    pub bytes_again: [u64; 2],
    /// What something between the points changes.
    pub alterations: Vec<Alteration>,
}

/// What something between the points changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Alteration {
    /// The second capture's sequence numbers are larger by this.
    SequenceNumbers {
        /// Modulo 2³².
        shift: u32,
    },
    /// The IP identification.
    Identification,
    /// The values of the timestamps.
    Timestamps,
    /// The maximum segment size of the SYN.
    MaximumSegmentSize {
        /// In the first capture.
        first: Option<u16>,
        /// In the second.
        second: Option<u16>,
    },
    /// The window scale of the SYN.
    WindowScale {
        /// In the first capture.
        first: Option<u8>,
        /// In the second.
        second: Option<u8>,
    },
    /// SACK is offered in one capture only.
    SackPermitted,
    /// Timestamps are offered in one capture only.
    TimestampsOption,
}

/// Collects the report.
#[derive(Debug)]
pub(super) struct Reporter {
    ways: [WayCounts; 2],
    over_time: OverTime,
    rows: Rows,
    keeps_rows: bool,
    connections: Vec<ConnectionReport>,
    unlisted: u64,
    connections_alone: [u64; 2],
    packets_alone: [u64; 2],
}

#[derive(Debug, Default)]
struct WayCounts {
    report: WayReport,
    delays: Delays,
    air: AirReport,
    exchanges: Delays,
    wire_to_acknowledgment: Delays,
}

impl Reporter {
    pub fn new(over_time: OverTime, keeps_rows: bool) -> Self {
        Reporter {
            ways: Default::default(),
            over_time,
            rows: Rows::default(),
            keeps_rows,
            connections: Vec::new(),
            unlisted: 0,
            connections_alone: [0; 2],
            packets_alone: [0; 2],
        }
    }

    /// The report, when all has been told.
    pub fn finish<R: Read>(
        mut self,
        clock: Clock,
        sources: &[Source<R>; 2],
        evicted: u64,
    ) -> Comparison {
        self.connections.sort_by_key(|connection| connection.number);
        Comparison {
            clock,
            captures: [0, 1].map(|side| {
                let source = &sources[side];
                FileReport {
                    first_ns: source.first_ns().unwrap_or(0),
                    last_ns: source.last_ns(),
                    is_air: source.is_air(),
                    is_coarse: source.resolution_ns() > 0,
                    tally: *source.tally(),
                    warnings: source.warnings().to_vec(),
                }
            }),
            ways: self.ways.map(WayCounts::finish),
            connections: self.connections,
            unlisted: self.unlisted,
            connections_alone: self.connections_alone,
            packets_alone: self.packets_alone,
            evicted,
            over_time: self.over_time,
            rows: self.rows,
        }
    }
}

impl WayCounts {
    fn count(&mut self, passage: &Passage) {
        let report = &mut self.report;
        if !matches!(passage.fate, Fate::Doubled | Fate::Outside) {
            report.segments += u64::from(passage.segments);
        }
        match passage.fate {
            Fate::Passed => {
                report.passed += 1;
                report.late += u64::from(passage.is_late);
                report.ambiguous += u64::from(passage.is_ambiguous);
            }
            Fate::Lost => {
                report.lost += 1;
                report.lost_data += u64::from(passage.length > 0);
                report.lost_needless += u64::from(passage.is_needless);
                report.lost_bytes += u64::from(passage.length);
            }
            Fate::Uncaptured => report.uncaptured += 1,
            Fate::Appeared => report.appeared += 1,
            Fate::Doubled => report.doubled += 1,
            Fate::Outside => report.outside += 1,
        }
        if let Some(delay_ns) = passage.delay_ns() {
            self.delays.add(delay_ns);
        }
        self.count_air(passage);
    }

    fn count_air(&mut self, passage: &Passage) {
        let Some((side, exchange)) = passage.exchange() else {
            return;
        };
        let air = &mut self.air;
        air.packets += 1;
        air.frames += u64::from(exchange.frames);
        air.retries += u64::from(exchange.retries);
        let (Some(acknowledged_ns), Some(sent)) = (exchange.acknowledged_ns, passage.sights[side])
        else {
            air.unacknowledged += 1;
            return;
        };
        let on_air = (acknowledged_ns as i64).saturating_sub(sent.time_ns as i64);
        self.exchanges.add(on_air);
        if side != passage.way.upstream() {
            if let Some(delay_ns) = passage.delay_ns() {
                self.wire_to_acknowledgment
                    .add(delay_ns.saturating_add(on_air));
            }
        }
    }

    fn finish(self) -> WayReport {
        let air = AirReport {
            exchange: self.exchanges.distribution(),
            wire_to_acknowledgment: self.wire_to_acknowledgment.distribution(),
            ..self.air
        };
        WayReport {
            delay: self.delays.distribution(),
            air: (air.packets > 0).then_some(air),
            ..self.report
        }
    }
}

fn count_times(counts: &mut Vec<u64>, times: u32) {
    let at = (times as usize).clamp(1, MOST_TIMES) - 1;
    if counts.len() <= at {
        counts.resize(at + 1, 0);
    }
    counts[at] += 1;
}

impl Witness for Reporter {
    fn passage(&mut self, passage: &Passage) {
        let way = passage.way as usize;
        self.ways[way].count(passage);
        match (passage.fate, passage.delay_ns()) {
            (_, Some(delay_ns)) => self.over_time.pass(way, passage.at_ns(), delay_ns),
            (Fate::Lost, None) => self.over_time.lose(way, passage.at_ns()),
            _ => {}
        }
        if self.keeps_rows {
            self.rows.add(passage);
        }
    }

    fn repaired(&mut self, way: Way, times: u32) {
        count_times(&mut self.ways[way as usize].report.lost_times, times);
    }

    fn never_repaired(&mut self, way: Way, times: u32) {
        count_times(
            &mut self.ways[way as usize].report.lost_for_good_times,
            times,
        );
    }

    fn closed(&mut self, connection: &Connection) {
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

impl ConnectionReport {
    /// A connection, if both captures have it.
    fn of(connection: &Connection) -> Option<Self> {
        let [Some(first), Some(second)] = connection.ends else {
            return None;
        };
        if !connection.is_matched() {
            return None;
        }
        let named = |ends: [Endpoint; 2]| ends.map(|end| (end.address.into(), end.port));
        Some(ConnectionReport {
            number: connection.number,
            ends: named(first),
            ends_second: (first != second).then(|| named(second)),
            lanes: [0, 1].map(|end| LaneReport::of(connection, end)),
        })
    }
}

impl LaneReport {
    fn of(connection: &Connection, end: usize) -> Self {
        let lane = &connection.lanes[end];
        LaneReport {
            way: connection.way(end),
            hops: lane.hops,
            packets: lane.counts.map(|counts| counts.packets),
            bytes: lane.counts.map(|counts| counts.bytes),
            fills: lane.counts.map(|counts| counts.fills),
            again: lane.counts.map(|counts| counts.again),
            again_needless: lane.counts.map(|counts| counts.again_needless),
            bytes_again: lane.counts.map(|counts| counts.bytes_again),
            alterations: alterations(connection, end),
        }
    }
}

fn alterations(connection: &Connection, end: usize) -> Vec<Alteration> {
    let customs = &connection.lanes[end].customs;
    let mut found = Vec::new();
    let shift = connection.shift(end);
    if shift != 0 {
        found.push(Alteration::SequenceNumbers { shift });
    }
    if customs.ids[1] > customs.ids[0] {
        found.push(Alteration::Identification);
    }
    if customs.rewrites_timestamps {
        found.push(Alteration::Timestamps);
    }
    if let [Some(first), Some(second)] = connection.syns.map(|syns| syns[end]) {
        compare_syns(first, second, &mut found);
    }
    found
}

fn compare_syns(first: Syn, second: Syn, found: &mut Vec<Alteration>) {
    if first.mss != second.mss {
        found.push(Alteration::MaximumSegmentSize {
            first: first.mss,
            second: second.mss,
        });
    }
    if first.window_scale != second.window_scale {
        let (first, second) = (first.window_scale, second.window_scale);
        found.push(Alteration::WindowScale { first, second });
    }
    if first.sack_permitted != second.sack_permitted {
        found.push(Alteration::SackPermitted);
    }
    if first.has_timestamps != second.has_timestamps {
        found.push(Alteration::TimestampsOption);
    }
}
