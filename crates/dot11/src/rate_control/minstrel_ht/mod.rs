//! Minstrel-HT, the rate control of Linux for 802.11n and 802.11ac, as it is from 5.12 on.
//!
//! `net/mac80211/rc80211_minstrel_ht.c`. Every rate up to the radio's has a probability that a packet
//! arrives, renewed every 50 ms from what was sent at it. It and the time of a packet give what a rate
//! yields. A frame goes at the rate that yields most, then at the next two, then at the surest one; each is
//! tried as often as 6 ms hold, and an RTS goes before all tries but those at the first. At most every 20
//! ms another rate is tried with one MPDU by itself: the next faster one, one far faster, one between
//! those in use. What fails so goes on by itself down the chain, from the second best rate on.
//!
//! For 802.11ax Linux leaves rate control to firmware, which nobody has described: here its rates are groups
//! like those of the others. [inferred]
//!
//! A failed exchange counts as a try of the chain; it begins again with what is acknowledged, and where
//! all is given up. The chain is that of four stages, which drivers of Atheros take. [inferred for others]
//! Frames of 802.11b, g and a have groups of their own ([`super::minstrel`]), as theirs do not go in
//! aggregates.

mod airtime;
mod groups;
mod ranking;
mod sampling;
mod statistics;

use phy::{Format, Mode};
use units::{Duration, Time};

pub(super) use self::groups::Rates;
use self::ranking::{BEST, Ranking};
use self::sampling::Sampler;
use self::statistics::{CERTAIN, RateStatistics, percent};
use super::{KnownRate, KnownRates, Ladder, RateControl, ReceiverTable, TransmitTerms};
use crate::frame::Address;

units::declare! {
    /// That of Linux for 802.11n and later: what yields most, others being tried.
    pub struct Config = "minstrel-ht" {
        /// how often probabilities are renewed
        update_interval: Duration = Field::duration().positive()
            .or(Default::Text("50 ms"))
            .from("Linux from 5.12 on, rc80211_minstrel_ht.h"),
        /// least time between frames that try another rate
        probe_interval: Duration = Field::duration().positive()
            .or(Default::Text("20 ms"))
            .from("Linux from 5.12 on, rc80211_minstrel_ht.c"),
    }
}

/// What an aggregate's average length keeps at an update.
const KEPT: u32 = 96;
const OF: u32 = 128;

/// Lengths have twelve bits behind the point.
const LENGTH_BITS: u32 = 12;

/// From so many MPDUs in an interval on, a rate at which less than a quarter arrive has died.
const SUDDEN_MPDUS: u32 = 30;

/// The times of a packet, in ns, at MCS 1, 3 and 7 of one stream in 20 MHz, up to which A-MSDUs grow.
const OF_MCS_1: u32 = 738_500;
const OF_MCS_3: u32 = 369_250;
const OF_MCS_7: u32 = 147_750;

/// The longest MPDU in an A-MPDU of 802.11n (IEEE 802.11-2020, 9.4.2.55).
const LONGEST_HT_MPDU: u16 = 4095;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct MinstrelHt {
    config: Config,
    rates: Rates,
    receivers: ReceiverTable<ReceiverState>,
}

/// What is known of a receiver.
#[derive(Clone, Debug)]
struct ReceiverState {
    /// By rate.
    tracks: Vec<RateStatistics>,
    ranking: Ranking,
    sampler: Sampler,
    /// MPDUs and the exchanges that they went in since the last update, and their average length.
    mpdus: u32,
    exchanges: u32,
    length: u32,
    /// MPDUs so far, and those of them that tried a rate.
    all: u64,
    probes: u64,
    updated_at: Time,
    probe_at: Time,
    /// The chain of frames, and that of the frame in service, of which a stage is or was on the air last.
    chain: RetryChain,
    current: RetryChain,
    is_probe: bool,
    stage: usize,
}

/// The rates that a frame goes at one after another, and how often at each.
type RetryChain = [(usize, u8); BEST + 1];

impl MinstrelHt {
    /// Nothing is known of anybody.
    pub fn new(config: &Config, ladder: Ladder) -> MinstrelHt {
        MinstrelHt::among(config, Rates::up_to(ladder.modes[ladder.top()]))
    }

    /// One that chooses among some rates.
    pub(super) fn among(config: &Config, rates: Rates) -> MinstrelHt {
        let fresh = ReceiverState::new(&rates);
        MinstrelHt {
            config: config.clone(),
            rates,
            receivers: ReceiverTable::new(fresh),
        }
    }

    /// A frame comes into service.
    pub(super) fn begin(&mut self, now: Time, to: Address) {
        let interval = self.config.probe_interval;
        self.receivers.of(to).begin(now, interval);
    }

    /// The rate after so many failed tries of the frame in service.
    pub(super) fn after(&mut self, to: Address, failures: u8) -> Mode {
        self.rates.modes[self.receivers.of(to).reach(failures)]
    }
}

impl ReceiverState {
    fn new(rates: &Rates) -> ReceiverState {
        let mut fresh = ReceiverState {
            tracks: vec![RateStatistics::default(); rates.modes.len()],
            ranking: Ranking::new(rates),
            sampler: Sampler::new(rates),
            mpdus: 0,
            exchanges: 0,
            length: 1 << LENGTH_BITS,
            all: 0,
            probes: 0,
            updated_at: Time::ZERO,
            probe_at: Time::ZERO,
            chain: [(0, 0); BEST + 1],
            current: [(0, 0); BEST + 1],
            is_probe: false,
            stage: 0,
        };
        fresh.update(rates);
        fresh
    }

    /// Packets in an aggregate.
    fn aggregate(&self) -> u32 {
        self.length >> LENGTH_BITS
    }

    fn update(&mut self, rates: &Rates) {
        if let Some(now) = (self.mpdus << LENGTH_BITS).checked_div(self.exchanges) {
            self.length = (self.length * KEPT + now * (OF - KEPT)) / OF;
            (self.mpdus, self.exchanges) = (0, 0);
        }
        for group in &rates.groups {
            let of_group = self.tracks[group.rates.clone()].iter_mut().rev();
            of_group.fold(0, |of_faster, track| track.update(of_faster));
        }
        self.ranking = Ranking::of(rates, &self.tracks, self.aggregate());
        self.sampler.refill(rates, &self.tracks, &self.ranking);
        self.link(rates);
    }

    /// Makes the chain of what ranks first.
    fn link(&mut self, rates: &Rates) {
        let aggregate = self.aggregate();
        let [first, second, third] = self.ranking.best;
        let stages = [first, second, third, self.ranking.surest];
        for (place, (stage, rate)) in self.chain.iter_mut().zip(stages).enumerate() {
            let (nanos, probability) = (rates.nanos[rate], self.tracks[rate].probability);
            let tries = rates
                .overhead
                .tries(nanos, aggregate, probability, place > 0);
            *stage = (rate, tries);
        }
    }

    /// A frame comes into service, perhaps to try a rate.
    fn begin(&mut self, now: Time, probe_interval: Duration) {
        self.current = self.chain;
        self.is_probe = false;
        if now < self.probe_at {
            return;
        }
        self.probe_at = now + probe_interval;
        if let Some(rate) = self.sampler.next() {
            self.current[0] = (rate, 1);
            self.is_probe = true;
        }
    }

    /// The stage that follows so many failed tries.
    fn reach(&mut self, failures: u8) -> usize {
        let mut left = failures;
        let passed = self.current[..BEST].iter().take_while(|&&(_, tries)| {
            let is_over = left >= tries;
            left = left.saturating_sub(tries);
            is_over
        });
        self.stage = passed.count();
        self.current[self.stage].0
    }

    /// Leaves at once what has died since the last update.
    fn flee(&mut self, rates: &Rates) {
        let has_died = |rate: usize| {
            let RateStatistics {
                attempts,
                successes,
                ..
            } = self.tracks[rate];
            attempts > SUDDEN_MPDUS && successes < attempts / 4
        };
        let died = [0, 1].map(|place| has_died(self.ranking.best[place]));
        for place in (0..2).filter(|&place| died[place]) {
            self.ranking.step_down(rates, place);
        }
        if died != [false; 2] {
            self.link(rates);
        }
    }

    /// Account of a rate.
    fn known(&self, rates: &Rates, rate: usize) -> KnownRate {
        let RateStatistics {
            probability,
            last,
            all,
            ..
        } = self.tracks[rate];
        let (nanos, aggregate) = (rates.nanos[rate], self.aggregate());
        let yields = |probability| rates.overhead.throughput(nanos, aggregate, probability);
        let stage = self.chain.iter().position(|&(of, _)| of == rate);
        let place = self.ranking.best.iter().position(|&of| of == rate);
        KnownRate {
            mode: rates.modes[rate],
            place: place.map_or(0, |place| place as u8 + 1),
            is_surest: rate == self.ranking.surest,
            packet: Duration::from_nanos(nanos.into()),
            most: yields(CERTAIN),
            yields: yields(probability),
            probability: f64::from(probability) / f64::from(CERTAIN),
            tries: stage.map_or(0, |stage| self.chain[stage].1),
            last_arrived: last.arrived,
            last_sent: last.sent,
            arrived: all.arrived,
            sent: all.sent,
        }
    }

    /// Returns how long A-MSDUs may be: long ones are lost as a whole, and hold up others where
    /// they last long.
    fn amsdu_bytes(&self, rates: &Rates) -> u16 {
        let surest = self.ranking.surest;
        let probability = |rate: usize| self.tracks[rate].probability;
        if probability(surest) < percent(50) {
            return 0;
        }
        let is_poor = probability(self.ranking.best[0]) < percent(75);
        match rates.nanos[surest] {
            nanos if nanos > OF_MCS_1 => 500,
            nanos if nanos > OF_MCS_3 => 1600,
            nanos if nanos > OF_MCS_7 || is_poor => 3200,
            _ if rates.modes[surest].format() == Format::HtMixed => LONGEST_HT_MPDU,
            _ => u16::MAX,
        }
    }
}

impl RateControl for MinstrelHt {
    fn mode(&mut self, now: Time, to: Address, failures: u8) -> Mode {
        if failures == 0 {
            self.begin(now, to);
        }
        self.after(to, failures)
    }

    fn terms(&mut self, to: Address) -> TransmitTerms {
        let state = self.receivers.of(to);
        TransmitTerms {
            is_alone: state.is_probe,
            is_announced: state.stage > 0,
            amsdu_bytes: state.amsdu_bytes(&self.rates),
        }
    }

    fn on_attempt(&mut self, now: Time, to: Address, mode: Mode, acknowledged: bool) {
        let acknowledged = u32::from(acknowledged);
        self.on_aggregate(now, to, mode, acknowledged, 1 - acknowledged);
    }

    fn on_aggregate(&mut self, now: Time, to: Address, mode: Mode, acknowledged: u32, lost: u32) {
        let state = self.receivers.of(to);
        let sent = self.rates.modes.iter().position(|&each| each == mode);
        let Some(track) = sent.map(|rate| &mut state.tracks[rate]) else {
            return;
        };
        track.add(acknowledged, lost);
        state.mpdus += acknowledged + lost;
        state.exchanges += 1;
        state.all += u64::from(acknowledged + lost);
        if state.is_probe && state.stage == 0 {
            state.probes += u64::from(acknowledged + lost);
        }
        state.flee(&self.rates);
        if now >= state.updated_at + self.config.update_interval {
            state.updated_at = now;
            state.update(&self.rates);
        }
    }

    fn known_rates(&self, to: Address) -> Option<KnownRates> {
        let state = self.receivers.known(to).filter(|state| state.all > 0)?;
        let known = |rate| state.known(&self.rates, rate);
        Some(KnownRates {
            rates: (0..self.rates.modes.len()).map(known).collect(),
            ideal: state.all - state.probes,
            lookaround: state.probes,
            aggregate: f64::from(state.length) / f64::from(1 << LENGTH_BITS),
        })
    }
}

#[cfg(test)]
mod tests {
    use phy::{GuardInterval, OFDM, Width};

    use super::*;

    const TO: Address = Address(1);

    fn control(highest: Mode) -> MinstrelHt {
        let config = Config {
            update_interval: Duration::from_millis(50),
            probe_interval: Duration::from_millis(20),
        };
        let ladder = Ladder {
            modes: highest.ladder(),
            phy: &OFDM,
        };
        MinstrelHt::new(&config, ladder)
    }

    fn two_streams() -> Mode {
        Mode::ht(15, Width::Mhz20, GuardInterval::Ns400)
    }

    /// What went at a time.
    struct Exchange {
        at: Time,
        mode: Mode,
        is_probe: bool,
    }

    /// Sends aggregates of 16, one a millisecond, from a time on for so long, where all arrive up to a rate and
    /// none above it; a failed one goes again.
    fn sent(
        control: &mut MinstrelHt,
        from_ms: u64,
        for_ms: u64,
        highest_mbps: f64,
    ) -> Vec<Exchange> {
        let mut failures = 0;
        let exchanges = (from_ms..from_ms + for_ms).map(|ms| {
            let at = Time::ZERO + Duration::from_millis(ms);
            let mode = control.mode(at, TO, failures);
            let is_alone = control.terms(TO).is_alone;
            let is_probe = is_alone && failures == 0;
            let arrives = mode.rate().as_mbps() <= highest_mbps;
            let mpdus = if is_alone { 1 } else { 16 };
            let [came, lost] = if arrives { [mpdus, 0] } else { [0, mpdus] };
            control.on_aggregate(at, TO, mode, came, lost);
            failures = if arrives { 0 } else { (failures + 1) % 7 };
            Exchange { at, mode, is_probe }
        });
        exchanges.collect()
    }

    fn share_at(exchanges: &[Exchange], mbps: f64) -> f64 {
        let at = exchanges
            .iter()
            .filter(|each| (each.mode.rate().as_mbps() - mbps).abs() < 0.1);
        at.count() as f64 / exchanges.len() as f64
    }

    #[test]
    fn the_fastest_that_works_is_found_within_a_second_from_below() {
        let mut control = control(two_streams());
        let exchanges = sent(&mut control, 0, 2_000, 60.0);
        let first: Vec<f64> = exchanges[..2]
            .iter()
            .map(|each| each.mode.rate().as_mbps())
            .collect();
        assert_eq!(first, [13.0, 6.5], "a try of the next one, and the slowest");
        assert!(
            share_at(&exchanges[1_000..], 58.5) > 0.9 || share_at(&exchanges[1_000..], 57.8) > 0.9
        );
    }

    #[test]
    fn another_rate_is_tried_at_most_every_twenty_milliseconds() {
        for highest in [14.0, 60.0, 90.0, 150.0] {
            let mut control = control(two_streams());
            let exchanges = sent(&mut control, 0, 5_000, highest);
            let probes: Vec<Time> = exchanges
                .iter()
                .filter(|each| each.is_probe)
                .map(|each| each.at)
                .collect();
            assert!(probes.len() > 5, "{highest} Mbit/s: {}", probes.len());
            let apart = probes.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(apart.min() >= Some(Duration::from_millis(20)));
        }
    }

    #[test]
    fn half_a_second_after_a_drop_it_has_found_what_is_left() {
        let mut control = control(two_streams());
        sent(&mut control, 0, 2_000, 150.0);
        let exchanges = sent(&mut control, 2_000, 1_000, 30.0);
        assert!(share_at(&exchanges[500..], 28.9) > 0.9);
    }

    #[test]
    fn failed_tries_walk_down_the_chain_announced_but_for_the_first() {
        let mut control = control(two_streams());
        sent(&mut control, 0, 2_000, 150.0);
        // So soon after one probe no other is due.
        let now = Time::ZERO + Duration::from_millis(2_001);
        control.mode(now, TO, 0);
        let walk: Vec<(String, bool)> = (0..13)
            .map(|failures| {
                let mode = control.mode(now, TO, failures);
                let name = format!("{:.1}", mode.rate().as_mbps());
                (name, control.terms(TO).is_announced)
            })
            .collect();
        // The best three as often as six milliseconds hold, and last the best of one stream.
        let expected = [
            ("144.4", 4, false),
            ("130.0", 3, true),
            ("130.0", 3, true),
            ("72.2", 3, true),
        ];
        let expected = expected.into_iter().flat_map(|(name, tries, announced)| {
            core::iter::repeat_n((name.to_string(), announced), tries)
        });
        assert_eq!(walk, expected.collect::<Vec<_>>());
    }

    #[test]
    fn more_streams_that_die_are_left_before_the_update() {
        let mut control = control(Mode::ht(15, Width::Mhz20, GuardInterval::Ns800));
        sent(&mut control, 0, 2_000, 150.0);
        let best = control.rates.modes[control.receivers.of(TO).ranking.best[0]];
        assert_eq!(best.streams(), 2);
        let updated_at = Time::ZERO + Duration::from_millis(2_050);
        control.on_aggregate(updated_at, TO, best, 16, 0);
        for ms in [1, 2] {
            let now = updated_at + Duration::from_millis(ms);
            control.on_aggregate(now, TO, best, 0, 16);
        }
        let state = control.receivers.of(TO);
        assert_eq!(state.updated_at, updated_at);
        assert_eq!(control.rates.modes[state.chain[0].0].streams(), 1);
    }

    #[test]
    fn a_msdus_are_as_long_as_the_surest_rate_allows() {
        let mut control = control(Mode::ht(7, Width::Mhz20, GuardInterval::Ns800));
        let mut lengths = Vec::new();
        for (second, highest) in [0.0, 7.0, 20.0, 40.0, 65.0].into_iter().enumerate() {
            sent(&mut control, 1_000 * second as u64, 1_000, highest);
            lengths.push(control.terms(TO).amsdu_bytes);
        }
        assert_eq!(lengths, [0, 500, 1600, 3200, 4095]);
    }

    #[test]
    fn the_average_length_of_aggregates_keeps_three_quarters() {
        let mut control = control(two_streams());
        let mode = control.mode(Time::ZERO, TO, 0);
        let lengths: Vec<u32> = (1..=4)
            .map(|update| {
                let now = Time::ZERO + Duration::from_millis(50 * update);
                control.on_aggregate(now, TO, mode, 16, 0);
                control.receivers.of(TO).length
            })
            .collect();
        let one = f64::from(1 << LENGTH_BITS);
        let expected = (1..=4).map(|update| 16.0 - 15.0 * 0.75_f64.powi(update));
        for (length, expected) in lengths.into_iter().zip(expected) {
            assert!((f64::from(length) / one - expected).abs() < 0.01);
        }
    }
}
