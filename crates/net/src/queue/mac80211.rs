//! What Linux has between a radio and its stations (mac80211): a flow queue with controlled delay for
//! each station, stations in turns of airtime, and few packets in the hardware.
//!
//! After net/mac80211 of Linux 6.16 (tx.c, airtime.c) and T. Høiland-Jørgensen, M. Kazior, D. Täht, P.
//! Hurtig and A. Brunstrom, "Ending the Anomaly: Achieving Low Latency and Airtime Fairness in WiFi",
//! USENIX ATC 2017.

use std::collections::VecDeque;

use units::{Duration, Time};

use super::fq_codel::{self, FqCodel};
use super::{Backlog, Discipline, Owner, QueueDropCause, QueuedPacket, StationCounts};
use crate::Chance;

units::declare! {
    /// Stations take turns by airtime, and their flows within each (Linux's mac80211).
    pub struct Config = "mac80211" {
        /// wait that is fine however long it lasts
        target: Duration = Field::duration().positive().or(Default::Text("20 ms")).from("Linux, net/mac80211/tx.c"),
        /// time that the wait may be longer before the first drop
        interval: Duration = Field::duration().positive().above("target").or(Default::Text("100 ms")).from("Linux, net/mac80211/tx.c"),
        /// bytes of Ethernet frames of one turn of a flow
        quantum: u64 = Field::size().within(256.0, 1e6).or(Default::Count(300)).from("Linux, include/net/fq_impl.h"),
        /// whether packets of TCP with ECN are marked where others are dropped
        ecn: bool = Field::of(Quantity::Flag).or(Default::Flag(true)).from("Linux, net/mac80211/tx.c"),
        /// packets that may wait in all queues together
        packets: u32 = Field::count("packets").within(1.0, 1e6).or(Default::Count(8192)).from("Linux, include/net/fq_impl.h"),
        /// whether stations take turns by airtime, and not by bytes
        fair: bool = Field::of(Quantity::Flag).or(Default::Flag(true)).from("Linux, on where the driver reports airtime"),
        /// airtime of a station's packets in the hardware that is fine at any time
        airtime_limit: Duration = Field::duration().positive().or(Default::Text("5 ms")).from("Linux, IEEE80211_DEFAULT_AQL_TXQ_LIMIT_L"),
        /// the same while the hardware has little of all stations
        airtime_limit_idle: Duration = Field::duration().positive().or(Default::Text("12 ms")).from("Linux, IEEE80211_DEFAULT_AQL_TXQ_LIMIT_H"),
        /// aggregates that a driver which makes them itself has in the hardware, instead of the
        /// limits of airtime (ath9k: 2); absent: the firmware makes them
        aggregates: Option<u32> = Field::count("aggregates").within(1.0, 64.0).optional(),
        /// part of a second, 2 to the power of minus this, that the host's own TCP may have here
        pacing_shift: u32 = Field::count("halvings").within(0.0, 63.0).or(Default::Count(7)).from("Linux, ieee80211_alloc_hw: tx_sk_pacing_shift"),
        /// airtime of all stations' packets in the hardware that is little
        airtime_of_all: Duration = Field::duration().positive().or(Default::Text("24 ms")).from("Linux, IEEE80211_AQL_THRESHOLD"),
    }
}

/// Weight of a station that has none of its own: the microseconds of airtime that it gets in a turn
/// (`IEEE80211_DEFAULT_AIRTIME_WEIGHT`).
const WEIGHT: u32 = 256;

/// Bytes that a station gets in a turn where airtime does not count: a full frame.
const TURN_BYTES: i64 = 1514;

/// Queues of flows of each station. Linux shares 4,096 among all.
const FLOWS: u32 = 1024;

/// Byte times of a packet on Ethernet beside its frame: preamble, check sequence, gap.
const AROUND_FRAME: u64 = 8 + 4 + 12;

/// How much a measurement counts beside all before it, in airtime for a byte.
const NEWS: f64 = 1.0 / 8.0;

/// The stations, and their turns.
#[derive(Clone, Debug)]
pub struct Mac80211 {
    config: Config,
    /// By the node that they are, once a packet has come for one.
    stations: Vec<Option<Box<StationQueue>>>,
    /// The airtime in nanoseconds of all that is in the hardware.
    pending_nanos: u64,
    /// Those with packets, the next one first.
    turns: VecDeque<u16>,
}

#[derive(Clone, Debug)]
struct StationQueue {
    flows: FqCodel,
    packets: usize,
    weight: u32,
    /// What is left of its turn, in nanoseconds of airtime or in bytes.
    deficit: i64,
    is_listed: bool,
    /// Bytes of its packets in the hardware, and their airtime in nanoseconds.
    pending: u64,
    pending_nanos: u64,
    /// The airtime of a byte in nanoseconds, as measured; none before the first.
    byte_nanos: f64,
    /// What has been done so far, but for what the fields above tell.
    done: StationCounts,
}

impl StationQueue {
    fn new(config: &Config) -> StationQueue {
        StationQueue {
            flows: FqCodel::new(&fq_codel::Config {
                target: config.target,
                interval: config.interval,
                quantum: config.quantum,
                flows: FLOWS,
                ecn: config.ecn,
                packets: u32::MAX,
            }),
            packets: 0,
            weight: WEIGHT,
            deficit: 0,
            is_listed: false,
            pending: 0,
            pending_nanos: 0,
            byte_nanos: 0.0,
            done: StationCounts::default(),
        }
    }

    /// Returns what it gets in a turn, in nanoseconds of airtime or in bytes.
    fn turn(&self, is_fair: bool) -> i64 {
        match is_fair {
            true => i64::from(self.weight) * 1_000,
            false => TURN_BYTES,
        }
    }

    /// Returns what is left of its turn once the hardware has sent what it has of it
    /// (`ieee80211_sta_deficit`): else who sends fast would fill the hardware before others. Only where
    /// airtime in the hardware is limited does it count.
    fn left(&self, config: &Config) -> i64 {
        match config.fair && config.aggregates.is_none() {
            true => self.deficit - self.pending_nanos as i64,
            false => self.deficit,
        }
    }

    /// A byte has taken so many nanoseconds.
    fn measure(&mut self, byte_nanos: f64) {
        self.byte_nanos = match self.byte_nanos {
            0.0 => byte_nanos,
            known => known + NEWS * (byte_nanos - known),
        };
    }
}

impl Mac80211 {
    /// No station with any packets.
    pub fn new(config: &Config) -> Self {
        Mac80211 {
            config: config.clone(),
            stations: Vec::new(),
            pending_nanos: 0,
            turns: VecDeque::new(),
        }
    }

    fn station(&mut self, to: u16) -> &mut StationQueue {
        let index = usize::from(to);
        if index >= self.stations.len() {
            self.stations.resize_with(index + 1, || None);
        }
        self.stations[index].get_or_insert_with(|| Box::new(StationQueue::new(&self.config)))
    }

    /// A station has got packets in the hardware, or has none of some any more, or they take another time.
    fn change_pending(&mut self, to: u16, change: impl FnOnce(&mut StationQueue)) {
        let station = self.station(to);
        let before = station.pending_nanos;
        change(station);
        station.pending_nanos = (station.pending as f64 * station.byte_nanos) as u64;
        let after = station.pending_nanos;
        self.pending_nanos += after;
        self.pending_nanos -= before;
    }

    /// Whether the hardware may have more of a station (airtime queue limits).
    fn may_have_more(&self, station: &StationQueue) -> bool {
        if self.config.aggregates.is_some() {
            return true;
        }
        let own = Duration::from_nanos(station.pending_nanos);
        let all = Duration::from_nanos(self.pending_nanos);
        let little = all < self.config.airtime_of_all && own < self.config.airtime_limit_idle;
        own < self.config.airtime_limit || little
    }

    /// Makes room at the station with the most packets.
    fn shorten_the_longest(&mut self, backlog: &mut Backlog<'_, impl Owner>) {
        let stations = self.stations.iter_mut().flatten();
        if let Some(longest) = stations.max_by_key(|each| each.packets) {
            let before = backlog.packets();
            longest.flows.shorten_the_longest(backlog);
            let dropped = before - backlog.packets();
            longest.packets -= dropped;
            longest.done.full += dropped as u64;
        }
    }
}

impl Discipline for Mac80211 {
    #[inline(never)]
    fn enqueue(
        &mut self,
        packet: QueuedPacket,
        backlog: &mut Backlog<'_, impl Owner>,
        random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        let to = backlog.class(&packet).to;
        let station = self.station(to);
        station.flows.enqueue(packet, backlog, random)?;
        station.packets += 1;
        if !station.is_listed {
            station.is_listed = true;
            self.turns.push_front(to);
        }
        if backlog.packets() > self.config.packets as usize {
            self.shorten_the_longest(backlog);
        }
        Ok(())
    }

    #[inline(never)]
    fn dequeue(
        &mut self,
        now: Time,
        backlog: &mut Backlog<'_, impl Owner>,
    ) -> Option<QueuedPacket> {
        let is_fair = self.config.fair;
        let mut refused = 0;
        while refused < self.turns.len() {
            let to = *self.turns.front()?;
            let station = self.stations[usize::from(to)].as_deref()?;
            if station.left(&self.config) <= 0 {
                let station = self.station(to);
                station.deficit += station.turn(is_fair);
                self.turns.rotate_left(1);
                refused = 0;
                continue;
            }
            if !self.may_have_more(station) {
                self.turns.rotate_left(1);
                refused += 1;
                continue;
            }
            let station = self.station(to);
            let before = (backlog.packets(), backlog.marked());
            let packet = station.flows.dequeue(now, backlog);
            let late = before.0 - backlog.packets();
            station.done.late += late as u64;
            station.done.marked += backlog.marked() - before.1;
            station.packets -= late + usize::from(packet.is_some());
            let Some(packet) = packet else {
                station.is_listed = false;
                self.turns.pop_front();
                refused = 0;
                continue;
            };
            let bytes = backlog.class(&packet).ip_bytes;
            if !is_fair {
                self.station(to).deficit -= i64::from(bytes);
            }
            self.change_pending(to, |station| {
                station.pending += u64::from(bytes);
                station.done.sent += 1;
                station.done.sent_bytes += u64::from(bytes);
            });
            return Some(packet);
        }
        None
    }

    fn on_airtime(&mut self, to: u16, airtime: Duration, bytes: u32) {
        let fair = self.config.fair;
        let nanos = airtime.as_nanos();
        self.change_pending(to, |station| {
            if fair {
                station.deficit -= nanos as i64;
            }
            if bytes > 0 {
                station.measure(nanos as f64 / f64::from(bytes));
                station.done.to_station += airtime;
            } else {
                station.done.from_station += airtime;
            }
        });
    }

    fn set_weight(&mut self, to: u16, weight: u32) {
        self.station(to).weight = weight;
    }

    fn on_done(&mut self, to: u16, bytes: u32) {
        self.change_pending(to, |station| {
            station.pending = station.pending.saturating_sub(u64::from(bytes));
        });
    }

    fn counts_of(&self, to: u16) -> Option<StationCounts> {
        let station = self.stations.get(usize::from(to))?.as_deref()?;
        Some(StationCounts {
            packets: station.packets as u64,
            bytes: station.flows.bytes() - AROUND_FRAME * station.packets as u64,
            new_flows: station.flows.new_flows,
            weight: station.weight,
            deficit_us: station.deficit as f64 / 1e3,
            pending: Duration::from_nanos(station.pending_nanos),
            ..station.done
        })
    }

    /// The limits have to see what is in the hardware.
    fn can_be_bypassed(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::trial::{QueueTrial, packet};

    fn config() -> Config {
        Config {
            target: Duration::from_millis(20),
            interval: Duration::from_millis(100),
            quantum: 300,
            ecn: true,
            packets: 8192,
            fair: true,
            airtime_limit: Duration::from_millis(5),
            airtime_limit_idle: Duration::from_millis(12),
            aggregates: None,
            pacing_shift: 7,
            airtime_of_all: Duration::from_millis(24),
        }
    }

    /// Stations 0 and 1 always have packets, each of which takes so long; how many of 20,000 each gets.
    fn shares(config: Config, micros: [u64; 2], weights: [u32; 2]) -> [f64; 2] {
        let mut trial = QueueTrial::of(&config.into());
        for (to, weight) in weights.into_iter().enumerate() {
            trial.buffer.set_weight(to as u16, weight);
        }
        for _ in 0..10_000 {
            for to in [0, 1] {
                let flow = packet().for_node(to).of_flow(u32::from(to));
                trial.offer(Time::ZERO, flow).expect("room");
            }
        }
        let mut counts = [0.0; 2];
        for _ in 0..5_000 {
            let number = trial.take(Time::ZERO).expect("both have some left");
            let to = number as u16 % 2;
            counts[usize::from(to)] += 1.0;
            let airtime = Duration::from_micros(micros[usize::from(to)]);
            trial.buffer.on_airtime(to, airtime, 1500);
            trial.buffer.on_done(to, 1500);
        }
        counts
    }

    #[test]
    fn stations_get_the_same_airtime_whatever_their_rates() {
        let config = Config {
            packets: 1_000_000,
            ..config()
        };
        let [fast, slow] = shares(config.clone(), [100, 1000], [WEIGHT; 2]);
        assert!((fast / slow / 10.0 - 1.0).abs() < 0.02, "{fast} {slow}");
        let by_bytes = Config {
            fair: false,
            ..config
        };
        let [fast, slow] = shares(by_bytes, [100, 1000], [WEIGHT; 2]);
        assert!((fast / slow - 1.0).abs() < 0.02, "{fast} {slow}");
    }

    #[test]
    fn a_station_of_twice_the_weight_has_twice_the_airtime() {
        let many = Config {
            packets: 1_000_000,
            ..config()
        };
        let [heavy, light] = shares(many, [100, 300], [2 * WEIGHT, WEIGHT]);
        assert!(
            (heavy * 100.0 / (light * 300.0) / 2.0 - 1.0).abs() < 0.02,
            "{heavy} {light}"
        );
    }

    /// How many packets of a millisecond each the hardware gets of so many stations, and of which.
    fn in_hardware(stations: u16) -> Vec<usize> {
        let mut trial = QueueTrial::of(&config().into());
        for to in (0..stations).cycle().take(100 * usize::from(stations)) {
            trial
                .offer(Time::ZERO, packet().for_node(to))
                .expect("room");
        }
        for to in 0..stations {
            trial.buffer.on_airtime(to, Duration::from_millis(1), 1500);
        }
        let mut counts = vec![0; usize::from(stations)];
        while let Some(number) = trial.take(Time::ZERO) {
            counts[number as usize % usize::from(stations)] += 1;
        }
        counts
    }

    #[test]
    fn a_lone_station_has_12_ms_in_the_hardware_and_many_have_5_ms_each() {
        assert_eq!(in_hardware(1), [12]);
        assert_eq!(in_hardware(5), [5; 5]);
    }

    #[test]
    fn a_full_queue_drops_from_the_station_with_the_most() {
        let few = Config {
            packets: 100,
            ..config()
        };
        let mut trial = QueueTrial::of(&few.into());
        trial.offer(Time::ZERO, packet().for_node(1)).expect("room");
        for _ in 0..100 {
            trial.offer(Time::ZERO, packet().for_node(0)).expect("room");
        }
        assert_eq!(trial.dropped.len(), 50);
        assert!(!trial.dropped.contains(&0));
    }
}
