//! The table that finds a station.

use serde::Serialize;

use super::series::StationSeries;
use super::station::AirStation;
use dissect::{ConnectionTable, Dot11Frame};
use units::MacAddress;

/// Stations kept at a time. Beyond, an eighth makes room, first those that sent least, of
/// these the ones silent longest: addresses made up by phones that search, or by a flood. They
/// are added up in [`Others`].
pub const MOST_STATIONS: usize = 16_384;

/// Stations that had to make room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Others {
    /// Number of stations.
    pub stations: u64,
    /// Frames they sent.
    pub frames: u64,
    /// Airtime of these.
    pub airtime_ns: u64,
}

/// Stations that are found without the table, a power of two.
const NEAR: usize = 256;

/// In the place of a station: no address has so many bits.
const NOBODY: (u64, u32) = (u64::MAX, 0);

/// All stations.
#[derive(Debug)]
pub(super) struct AirStations {
    table: ConnectionTable,
    each: Vec<AirStation>,
    /// Addresses as numbers and the places of their stations, each where its last byte says,
    /// the one found last.
    near: Box<[(u64, u32); NEAR]>,
    /// Those that sent something since the series was told last.
    untold: Vec<u32>,
    pub series: StationSeries,
    pub others: Others,
}

impl Default for AirStations {
    fn default() -> Self {
        AirStations {
            table: ConnectionTable::default(),
            each: Vec::new(),
            near: Box::new([NOBODY; NEAR]),
            untold: Vec::new(),
            series: StationSeries::default(),
            others: Others::default(),
        }
    }
}

impl AirStations {
    /// The station with this address, new if it was not known.
    #[inline]
    pub fn enter(&mut self, address: MacAddress, now_ns: u64) -> &mut AirStation {
        let place = self.place(address, now_ns);
        &mut self.each[place as usize]
    }

    /// The station with this address, which sent a frame of this airtime.
    #[inline]
    pub fn send(
        &mut self,
        address: MacAddress,
        frame: &Dot11Frame,
        airtime_ns: u64,
    ) -> &mut AirStation {
        if self.series.is_over(frame.time_ns) {
            self.tell();
            self.series.turn(frame.time_ns);
        }
        let place = self.place(address, frame.time_ns);
        let station = &mut self.each[place as usize];
        if !station.is_untold {
            station.is_untold = true;
            self.untold.push(place);
        }
        station.on_sent(frame);
        station.airtime_ns += airtime_ns;
        station
    }

    /// Tells the series what was sent since it was told last.
    #[cold]
    fn tell(&mut self) {
        for place in self.untold.drain(..) {
            self.series.push(self.each[place as usize].sent_since());
        }
    }

    #[inline]
    fn place(&mut self, address: MacAddress, now_ns: u64) -> u32 {
        let bits = address.to_bits();
        let near = bits as usize % NEAR;
        if self.near[near].0 != bits {
            self.near[near] = (bits, self.find_or_add(address, now_ns));
        }
        self.near[near].1
    }

    #[inline(never)]
    fn find_or_add(&mut self, address: MacAddress, now_ns: u64) -> u32 {
        let hash = self.table.hash_word(address.to_bits());
        let each = &self.each;
        let is_it = |number: u32| each[number as usize].address == Some(address);
        if let Some(number) = self.table.find(hash, is_it) {
            return number;
        }
        if self.each.len() >= MOST_STATIONS {
            self.make_room();
        }
        let number = self.each.len() as u32;
        self.each.push(AirStation::new(address, now_ns));
        self.index(number);
        number
    }

    fn index(&mut self, number: u32) {
        let hash_of = |station: &AirStation, table: &ConnectionTable| {
            table.hash_word(station.address.unwrap_or_default().to_bits())
        };
        let hash = hash_of(&self.each[number as usize], &self.table);
        let each = &self.each;
        self.table.insert(hash, number, |other, table| {
            hash_of(&each[other as usize], table)
        });
    }

    fn make_room(&mut self) {
        self.tell();
        let count = MOST_STATIONS / 8;
        self.each
            .select_nth_unstable_by_key(count - 1, |station| (station.frames, station.last_ns));
        for gone in self.each.drain(..count) {
            self.others.stations += 1;
            self.others.frames += gone.frames;
            self.others.airtime_ns += gone.airtime_ns;
        }
        self.table = ConnectionTable::default();
        self.near.fill(NOBODY);
        for number in 0..self.each.len() as u32 {
            self.index(number);
        }
    }

    /// All of them, access points first, then by airtime; those that had to make room; and what
    /// each did over time.
    pub fn finish(mut self) -> (Vec<AirStation>, Others, StationSeries) {
        self.tell();
        self.series.merge();
        for station in &mut self.each {
            station.rates.sort_by_key(|rate| rate.rate_kbps);
            if let Some(signal) = &mut station.signal {
                signal.mean_dbm = signal.sum as f64 / signal.frames as f64;
            }
        }
        self.each.sort_by_key(|station| {
            let activity = (station.airtime_ns, station.frames);
            (
                !station.is_access_point,
                std::cmp::Reverse(activity),
                station.address,
            )
        });
        (self.each, self.others, self.series)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_may_claim_to_be_from_everybody() {
        let mut stations = AirStations::default();
        stations.enter(MacAddress::BROADCAST, 1).frames += 1;
        stations.enter(MacAddress::BROADCAST, 2).frames += 1;
        let (stations, ..) = stations.finish();
        assert_eq!(stations.len(), 1);
        assert_eq!(stations[0].frames, 2);
    }
}
