//! What one replication leaves.

use std::collections::BTreeMap;

use dot11::{Counters as MacCounters, FrameKind};
use net::impairment::Counts;
use tcp::Counters as TcpCounters;
use traffic::Transport;
use units::{Duration, Time};

use crate::ledger::Use;
use crate::meters::DurationMeter;
use crate::radios::ChannelCounters;
use crate::series::Series;
use crate::sockets::{Owner, Side};
use crate::tcp_samples::TcpSample;
use crate::world::World;

/// What one replication leaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Named numbers, units in the names.
    pub metrics: BTreeMap<String, f64>,
    /// Time series: a column for each name, the first `time_s`; empty unless asked for.
    pub series: Vec<(String, Vec<f64>)>,
    /// Samples of TCP_INFO in the order of time, then of flows, those of the run's end last;
    /// empty unless asked for.
    pub tcp_info: Vec<TcpSample>,
    /// Timing records.
    pub timing_records: Vec<TimedRecord>,
}

/// A timing record of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedRecord {
    /// Index of the flow in the plan.
    pub flow: usize,
    /// Its number among the flow's records in the measured window.
    pub index: usize,
    /// When it began.
    pub start: Time,
    /// How long it took.
    pub elapsed: Duration,
    /// Application bytes.
    pub bytes: u64,
}

/// Counters at the end of the warm-up, to be taken off those at the end of the run.
#[derive(Clone, Debug)]
pub struct Snapshot {
    at: Time,
    link_drops: Vec<u64>,
    /// What each stage on each link has done.
    impairments: Vec<Vec<Counts>>,
    channel: ChannelCounters,
    macs: Vec<MacCounters>,
    connections: Vec<[TcpCounters; 2]>,
    /// What each flow's application has counted.
    counts: Vec<Vec<u64>>,
}

impl Snapshot {
    /// The counters of a world now.
    pub fn of(world: &World) -> Self {
        let radios = world.radios.as_ref();
        let macs = radios.map_or_else(Vec::new, |radios| {
            (radios.macs().map(|mac| mac.counters().clone())).collect()
        });
        Snapshot {
            at: world.now,
            link_drops: world.links.iter().map(|link| link.drops).collect(),
            impairments: (world.links.iter())
                .map(|link| link.counts().map(|(_, counts)| counts).collect())
                .collect(),
            channel: radios.map_or_else(ChannelCounters::default, |radios| radios.counters),
            macs,
            connections: (0..world.sockets.flows())
                .map(|flow| Side::BOTH.map(|side| world.sockets.counters(Owner { flow, side })))
                .collect(),
            counts: (world.flows.iter())
                .map(|flow| flow.counts().to_vec())
                .collect(),
        }
    }
}

impl Record {
    /// The record of a world whose run is over.
    pub(crate) fn of(mut world: World) -> Record {
        let end = Snapshot::of(&world);
        let start = match world.start.take() {
            Some(start) => *start,
            // Ended during the warm-up: nothing was measured.
            None => end.clone(),
        };
        let mut record = Record::default();
        record.put("measured_s", (end.at - start.at).as_secs_f64());
        record.put_flows(&world, &start, &end);
        record.put_tcp(&start, &end);
        record.put_channel(&mut world, &start, &end);
        record.put_nodes(&mut world, &start, &end);
        record.put_links(&world, &start);
        let samples = world.tcp_samples.take();
        record.tcp_info = samples.map_or_else(Vec::new, |samples| {
            samples.finish(world.now, &world.sockets)
        });
        record.timing_records = timing_records(&world);
        record.series = world
            .series
            .take()
            .map_or_else(Vec::new, Series::into_columns);
        record
    }

    fn put(&mut self, name: impl Into<String>, value: f64) {
        self.metrics.insert(name.into(), value);
    }

    fn put_flows(&mut self, world: &World, start: &Snapshot, end: &Snapshot) {
        let seconds = (end.at - start.at).as_secs_f64();
        let mbps = |bytes: u64| bytes as f64 * 8.0 / 1e6 / seconds;
        let mut total = 0;
        let mut all_rtt = DurationMeter::default();
        let mut failed = 0;
        for (index, (flow, plan)) in world.flows.iter().zip(&world.plan.flows).enumerate() {
            let name = &plan.name;
            let meter = &flow.meter;
            self.put(format!("flow.{name}.bytes"), meter.bytes as f64);
            self.put(format!("flow.{name}.goodput_mbps"), mbps(meter.bytes));
            if meter.rtt.count > 0 {
                self.put(format!("flow.{name}.rtt_ms_mean"), meter.rtt.mean_ms());
                self.put(
                    format!("flow.{name}.rtt_ms_max"),
                    meter.rtt.longest.as_secs_f64() * 1e3,
                );
            }
            let about = plan.app.about();
            if about.transport == Transport::Tcp {
                let sent = retransmissions(&end.connections[index])
                    - retransmissions(&start.connections[index]);
                self.put(format!("flow.{name}.retransmissions"), sent as f64);
                self.put_record_statistics(name, &meter.records);
                failed += u32::from(meter.failure.is_some());
            }
            let counts = end.counts[index].iter().zip(&start.counts[index]);
            for (metric, (now, before)) in about.metrics.iter().zip(counts) {
                self.put(
                    format!("flow.{name}.{}", metric.name),
                    (now - before) as f64,
                );
            }
            if about.transport != Transport::Icmp {
                total += meter.bytes;
            }
            all_rtt.merge(&meter.rtt);
        }
        self.put("goodput_mbps", mbps(total));
        let connections =
            (world.plan.flows.iter()).filter(|flow| flow.app.about().transport != Transport::Icmp);
        self.put(
            "goodput_per_connection_mbps",
            mbps(total) / connections.count().max(1) as f64,
        );
        self.put("connections_failed", f64::from(failed));
        if all_rtt.count > 0 {
            self.put("rtt_ms_mean", all_rtt.mean_ms());
            self.put("rtt_ms_max", all_rtt.longest.as_secs_f64() * 1e3);
        }
        let spurious: u64 = world.flows.iter().map(|flow| flow.meter.spurious).sum();
        self.put("tcp.retransmissions_spurious", spurious as f64);
    }

    fn put_record_statistics(&mut self, name: &str, records: &[traffic::TimingRecord]) {
        if records.is_empty() {
            return;
        }
        let mbps = records
            .iter()
            .map(|record| record.bytes as f64 * 8.0 / 1e6 / record.elapsed.as_secs_f64());
        self.put(format!("flow.{name}.records"), records.len() as f64);
        self.put(
            format!("flow.{name}.record_mbps_mean"),
            mbps.sum::<f64>() / records.len() as f64,
        );
    }

    fn put_tcp(&mut self, start: &Snapshot, end: &Snapshot) {
        let since = |count: fn(&TcpCounters) -> u64| {
            let sum = |all: &[[TcpCounters; 2]]| all.iter().flatten().map(count).sum::<u64>();
            (sum(&end.connections) - sum(&start.connections)) as f64
        };
        let fast = since(|counters| counters.fast_retransmissions);
        let timeout = since(|counters| counters.timeout_retransmissions);
        self.put("tcp.retransmissions", fast + timeout);
        self.put("tcp.retransmissions_fast", fast);
        self.put("tcp.retransmissions_timeout", timeout);
        self.put(
            "tcp.segments_sent",
            since(|counters| counters.data_segments_sent),
        );
        self.put(
            "tcp.duplicate_acks",
            since(|counters| counters.duplicate_acks_sent),
        );
        self.put("tcp.pure_acks", since(|counters| counters.acks_sent));
        self.put("tcp.timeouts", since(|counters| counters.timeouts));
    }

    fn put_channel(&mut self, world: &mut World, start: &Snapshot, end: &Snapshot) {
        let Some(radios) = &mut world.radios else {
            return;
        };
        let packets = &world.packets;
        let unfinished = radios.unfinished();
        let data = unfinished.filter(|(frame, _)| frame.kind == FrameKind::Data);
        let headers = data.map_or(0, |(frame, _)| packets.get(frame.msdu).headers_in_msdu());
        radios.ledger.close(end.at, unfinished, headers);
        let seconds = (end.at - start.at).as_secs_f64();
        for ((_, name), spent) in Use::ALL.iter().zip(radios.ledger.spent()) {
            self.put(format!("airtime.{name}_s"), spent.as_secs_f64());
            self.put(
                format!("airtime.{name}_share"),
                spent.as_secs_f64() / seconds,
            );
        }
        let content = &world.content;
        self.put("airtime.tcp_data_s", content.tcp_data.as_secs_f64());
        self.put(
            "airtime.tcp_retransmission_s",
            content.tcp_retransmission.as_secs_f64(),
        );
        self.put("airtime.tcp_ack_s", content.tcp_ack.as_secs_f64());
        self.put(
            "airtime.tcp_duplicate_ack_s",
            content.tcp_duplicate_ack.as_secs_f64(),
        );
        let attempts = end.channel.attempts - start.channel.attempts;
        let overlapped = end.channel.overlapped - start.channel.overlapped;
        self.put(
            "mac.collisions",
            (end.channel.collisions - start.channel.collisions) as f64,
        );
        self.put("mac.exchanges", attempts as f64);
        self.put("collision_probability", overlapped as f64 / attempts as f64);
        let msdus = end.channel.msdus - start.channel.msdus;
        self.put("mac.data_msdus", msdus as f64);
    }

    fn put_nodes(&mut self, world: &mut World, start: &Snapshot, end: &Snapshot) {
        let Some(radios) = &mut world.radios else {
            return;
        };
        let window = (end.at - start.at).as_nanos();
        let mut total = MacTotals::default();
        let nodes: Vec<u16> = radios.nodes().collect();
        for (radio, node) in nodes.into_iter().enumerate() {
            let name = &world.plan.nodes[usize::from(node)].name;
            let queue = &mut radios.each[radio].queue;
            let mac = MacTotals::between(&start.macs[radio], &end.macs[radio]);
            self.put(
                format!("node.{name}.queue_mean_packets"),
                queue.area(end.at) as f64 / window as f64,
            );
            self.put(
                format!("node.{name}.queue_max_packets"),
                f64::from(queue.most),
            );
            for (metric, count) in mac.named() {
                self.put(format!("node.{name}.{metric}"), count as f64);
            }
            self.put(
                format!("node.{name}.fragments_per_msdu"),
                mac.fragments_per_msdu(),
            );
            total.add(&mac);
        }
        for (metric, count) in total.named() {
            self.put(format!("mac.{metric}"), count as f64);
        }
        self.put("mac.fragments_per_msdu", total.fragments_per_msdu());
    }

    fn put_links(&mut self, world: &World, start: &Snapshot) {
        for (index, wire) in world.plan.wires.iter().enumerate() {
            for end in 0..2 {
                let link = 2 * index + end;
                let direction = &world.links[link];
                let from = &world.plan.nodes[wire.ends[end].node].name;
                let way = format!("wire.{}", wire.name);
                let drops = direction.drops - start.link_drops[link];
                self.put(format!("{way}.drops_from.{from}"), drops as f64);
                let before = &start.impairments[link];
                for ((stage, now), before) in direction.counts().zip(before) {
                    let matched = now.matched - before.matched;
                    let dropped = now.dropped - before.dropped;
                    self.put(format!("{way}.{stage}.matched_from.{from}"), matched as f64);
                    self.put(format!("{way}.{stage}.dropped_from.{from}"), dropped as f64);
                }
            }
        }
    }
}

fn retransmissions(ends: &[TcpCounters; 2]) -> u64 {
    ends.iter()
        .map(|end| end.fast_retransmissions + end.timeout_retransmissions)
        .sum()
}

fn timing_records(world: &World) -> Vec<TimedRecord> {
    let of_flow = |(flow, each): (usize, &crate::flows::Flow)| {
        (each.meter.records.iter().enumerate())
            .map(|(index, record)| TimedRecord {
                flow,
                index,
                start: record.start,
                elapsed: record.elapsed,
                bytes: record.bytes,
            })
            .collect::<Vec<_>>()
    };
    world.flows.iter().enumerate().flat_map(of_flow).collect()
}

/// The MAC's counts in the measured window.
#[derive(Clone, Copy, Debug, Default)]
struct MacTotals {
    data_attempts: u64,
    acknowledged: u64,
    retries: u64,
    rts_frames: u64,
    retry_drops: u64,
    queue_drops: u64,
    duplicates: u64,
}

impl MacTotals {
    fn between(start: &MacCounters, end: &MacCounters) -> Self {
        let drops = |counters: &MacCounters| counters.short_retry_drops + counters.long_retry_drops;
        MacTotals {
            data_attempts: end.attempts() - start.attempts(),
            acknowledged: end.acknowledged - start.acknowledged,
            retries: end.retries - start.retries,
            rts_frames: end.rts_sent - start.rts_sent,
            retry_drops: drops(end) - drops(start),
            queue_drops: end.queue_drops - start.queue_drops,
            duplicates: end.duplicates - start.duplicates,
        }
    }

    fn add(&mut self, other: &MacTotals) {
        self.data_attempts += other.data_attempts;
        self.acknowledged += other.acknowledged;
        self.retries += other.retries;
        self.rts_frames += other.rts_frames;
        self.retry_drops += other.retry_drops;
        self.queue_drops += other.queue_drops;
        self.duplicates += other.duplicates;
    }

    /// Frames sent for the first time per MSDU acknowledged; not a number without any.
    fn fragments_per_msdu(&self) -> f64 {
        match self.acknowledged {
            0 => f64::NAN,
            msdus => (self.data_attempts - self.retries) as f64 / msdus as f64,
        }
    }

    fn named(&self) -> [(&'static str, u64); 6] {
        [
            ("attempts", self.data_attempts),
            ("retries", self.retries),
            ("rts_frames", self.rts_frames),
            ("drops_retry_limit", self.retry_drops),
            ("drops_queue", self.queue_drops),
            ("duplicates", self.duplicates),
        ]
    }
}
