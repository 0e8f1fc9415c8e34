//! What debugfs of Linux's mac80211 says of a station at the end of a run: `rc_stats`, `aqm` and
//! `airtime`.

use dot11::rate_control::KnownRates;
use net::queue::StationCounts;
use phy::Format;
use units::Duration;
use units::table::Node;

use crate::radios::{AccessPath, Radios};

units::words! {
    /// How frames of a rate are sent.
    pub enum RateFormat {
        /// DSSS and CCK.
        Cck = "cck",
        /// OFDM of 802.11a and g.
        Ofdm = "ofdm",
        /// That of 802.11n.
        Ht = "ht",
        /// That of 802.11ac.
        Vht = "vht",
        /// That of 802.11ax.
        He = "he",
    }
}

units::row! {
    /// What a `minstrel` or `minstrel-ht` knows of each rate to each receiver at the end of the run.
    pub struct KnownRateRow = "rc_stats" {
        /// the node that sends
        node: Node, "";
        /// the receiver
        station: Node, "";
        /// access category: 0 to 3 for VO, VI, BE and BK
        ac: u8, "";
        /// place among all rates, narrower channels and longer guard intervals first
        index: u32, "";
        /// `cck`, `ofdm`, `ht`, `vht` or `he`
        format: RateFormat, "";
        /// width of its channel
        width_mhz: u16, "MHz";
        /// guard interval; 0 for CCK
        guard_ns: u64, "ns";
        /// spatial streams
        streams: u8, "";
        /// MCS, counted for each stream; 0 before 802.11n
        mcs: u8, "";
        /// rate
        rate_mbps: f64, "Mbit/s";
        /// place among those that yield most, from 1 on; 0 for none
        place: u8, "";
        /// 1 for the one that arrives most surely
        surest: bool, "";
        /// time of a packet of 1,200 bytes
        packet_s: Duration, "s";
        /// tens of packets a second that it would yield if all arrived
        most: u32, "";
        /// tens of packets a second that it yields
        yields: u32, "";
        /// probability that a packet arrives
        probability: f64, "";
        /// how often it is tried before the next rate of the chain; 0 for those that are not in it
        tries: u8, "";
        /// packets that arrived in the last interval
        last_arrived: u64, "packets";
        /// packets that were sent in the last interval
        last_sent: u64, "packets";
        /// packets that have arrived since the start of the run
        arrived: u64, "packets";
        /// packets that have been sent since the start of the run
        sent: u64, "packets";
        /// packets to the receiver at rates of the chain
        ideal: u64, "packets";
        /// packets to the receiver that tried another rate
        lookaround: u64, "packets";
        /// packets in an aggregate to the receiver, on average
        aggregate: f64, "packets";
    }
}

units::row! {
    /// What a queue `mac80211` has of each station at the end of the run, and has done for it since the start.
    pub struct StationQueueRow = "station_queues" {
        /// the node whose queue it is
        node: Node, "";
        /// the station
        station: Node, "";
        /// access category: 0 to 3 for VO, VI, BE and BK
        ac: u8, "";
        /// bytes of Ethernet frames that wait
        backlog_bytes: u64, "bytes";
        /// packets that wait
        backlog_packets: u64, "packets";
        /// times that a flow came to have packets
        new_flows: u64, "";
        /// packets dropped because others had waited for too long
        drops: u64, "packets";
        /// packets marked instead
        marks: u64, "packets";
        /// packets dropped for want of room
        overlimit: u64, "packets";
        /// packets that have left for the radio
        sent: u64, "packets";
        /// bytes of IP of those
        sent_bytes: u64, "bytes";
        /// airtime of data from the station
        rx_s: Duration, "s";
        /// airtime of data to the station
        tx_s: Duration, "s";
        /// what its airtime weighs
        weight: u32, "";
        /// microseconds that are left of its turn
        deficit_us: f64, "us";
        /// airtime of its packets in the hardware
        pending_s: Duration, "s";
    }
}

impl From<Format> for RateFormat {
    fn from(format: Format) -> RateFormat {
        match format {
            Format::Dsss => RateFormat::Cck,
            Format::ErpOfdm | Format::Ofdm => RateFormat::Ofdm,
            Format::HtMixed | Format::HtGreenfield => RateFormat::Ht,
            Format::Vht => RateFormat::Vht,
            Format::He => RateFormat::He,
        }
    }
}

impl KnownRateRow {
    /// What all radios know of those that they have sent to.
    pub fn of_all(radios: &Radios) -> Vec<KnownRateRow> {
        let known = radios.known_rates();
        known
            .flat_map(|(way, known)| Self::of(way, known))
            .collect()
    }

    fn of(way: AccessPath, known: KnownRates) -> impl Iterator<Item = KnownRateRow> {
        let KnownRates {
            rates,
            ideal,
            lookaround,
            aggregate,
        } = known;
        (0..).zip(rates).map(move |(index, rate)| {
            let mode = rate.mode;
            let is_later = !mode.is_legacy();
            KnownRateRow {
                node: way.from.into(),
                station: way.to.into(),
                ac: way.category as u8,
                index,
                format: mode.format().into(),
                width_mhz: mode.width().mhz(),
                guard_ns: if mode.is_ofdm() {
                    mode.guard_interval().nanos()
                } else {
                    0
                },
                streams: mode.streams(),
                mcs: if is_later { mode.mcs() } else { 0 },
                rate_mbps: mode.rate().as_mbps(),
                place: rate.place,
                surest: rate.is_surest,
                packet_s: rate.packet,
                most: rate.most,
                yields: rate.yields,
                probability: rate.probability,
                tries: rate.tries,
                last_arrived: rate.last_arrived,
                last_sent: rate.last_sent,
                arrived: rate.arrived,
                sent: rate.sent,
                ideal,
                lookaround,
                aggregate,
            }
        })
    }
}

impl StationQueueRow {
    /// Those of all radios.
    pub fn of_all(radios: &Radios) -> Vec<StationQueueRow> {
        let counts = radios.station_counts();
        counts.map(|(way, counts)| Self::of(way, &counts)).collect()
    }

    fn of(way: AccessPath, counts: &StationCounts) -> StationQueueRow {
        StationQueueRow {
            node: way.from.into(),
            station: way.to.into(),
            ac: way.category as u8,
            backlog_bytes: counts.bytes,
            backlog_packets: counts.packets,
            new_flows: counts.new_flows,
            drops: counts.late,
            marks: counts.marked,
            overlimit: counts.full,
            sent: counts.sent,
            sent_bytes: counts.sent_bytes,
            rx_s: counts.from_station,
            tx_s: counts.to_station,
            weight: counts.weight,
            deficit_us: counts.deficit_us,
            pending_s: counts.pending,
        }
    }
}
