//! What each station did over time, in intervals of a second.

use serde::Serialize;

use crate::dissect::Frame;
use crate::packet::MacAddress;

/// Rows kept. When there are more, each interval is made twice as long, and two rows become
/// one.
const MOST_ROWS: usize = 100_000;

/// The interval at first.
const FIRST_INTERVAL_NS: u64 = 1_000_000_000;

/// What one station did in one interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The interval's number, from 0.
    pub interval: u64,
    /// The station.
    pub station: MacAddress,
    /// Frames of which it is known that it sent them.
    pub frames: u64,
    /// Data frames of these.
    pub data_frames: u64,
    /// Data frames with the retry bit.
    pub retries: u64,
    /// Bytes from MAC header to frame check sequence.
    pub bytes: u64,
    /// Airtime of the frames it sent.
    pub airtime_ns: u64,
    /// Sum of the rates of the data frames whose rate is known, and their number.
    pub rate_kbps_sum: u64,
    /// Data frames whose rate is known.
    pub rate_frames: u64,
    /// Sum of the powers in dBm of the frames whose power is known.
    pub signal_dbm_sum: i64,
    /// Frames whose power is known.
    pub signal_frames: u64,
}

/// The rows of all stations, in the order of time and, within an interval, of addresses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// The interval.
    pub interval_ns: u64,
    /// Where interval 0 begins, in nanoseconds since 1970.
    pub start_ns: u64,
    /// A row for each station and interval in which it sent.
    pub rows: Vec<Row>,
    /// The interval under way, and where it begins: a division for each frame would show.
    #[serde(skip)]
    current: (u64, u64),
    /// Places in `rows` where the stations' latest may be.
    #[serde(skip)]
    places: Vec<u32>,
}

/// Places for the stations of one interval, a power of two; where two meet, one has two rows,
/// which are put together at the end.
const PLACES: usize = 1024;

impl Default for Series {
    fn default() -> Self {
        Series {
            interval_ns: FIRST_INTERVAL_NS,
            start_ns: 0,
            rows: Vec::new(),
            current: (0, 0),
            places: Vec::new(),
        }
    }
}

impl Series {
    /// Adds a frame of a station and its airtime.
    #[inline]
    pub fn add(&mut self, station: MacAddress, frame: &Frame, airtime_ns: u64) {
        let row = self.row(station, frame.time_ns);
        row.frames += 1;
        row.bytes += u64::from(frame.bytes);
        row.airtime_ns += airtime_ns;
        if let Some(dbm) = frame.radio.signal_dbm {
            row.signal_dbm_sum += i64::from(dbm);
            row.signal_frames += 1;
        }
        if frame.has_data() {
            row.data_frames += 1;
            row.retries += u64::from(frame.is_retry());
            if let Some(rate_kbps) = frame.radio.phy.rate_kbps() {
                row.rate_kbps_sum += u64::from(rate_kbps);
                row.rate_frames += 1;
            }
        }
    }

    #[inline]
    fn row(&mut self, station: MacAddress, time_ns: u64) -> &mut Row {
        if self.rows.is_empty() {
            self.start_ns = time_ns;
            self.current = (0, time_ns);
            self.places = vec![0; PLACES];
        }
        let interval = self.interval(time_ns);
        let place = station.to_bits() as usize % PLACES;
        let index = self.places[place] as usize;
        let is_it = |row: &Row| row.interval == interval && row.station == station;
        if !self.rows.get(index).is_some_and(is_it) {
            return self.push(station, interval, place);
        }
        &mut self.rows[index]
    }

    #[inline]
    fn interval(&mut self, time_ns: u64) -> u64 {
        let (interval, start_ns) = self.current;
        if time_ns.wrapping_sub(start_ns) < self.interval_ns {
            return interval;
        }
        let interval = time_ns.saturating_sub(self.start_ns) / self.interval_ns;
        let start_ns = self.start_ns + interval * self.interval_ns;
        self.current = (interval, start_ns);
        interval
    }

    #[cold]
    fn push(&mut self, station: MacAddress, mut interval: u64, place: usize) -> &mut Row {
        if self.rows.len() >= MOST_ROWS {
            let mut last = self.rows.iter().map(|row| row.interval).max().unwrap_or(0);
            while self.rows.len() > MOST_ROWS / 2 && last > 0 {
                self.coarsen();
                (last, interval) = (last / 2, interval / 2);
            }
            self.put_the_idlest_together();
        }
        self.places[place] = self.rows.len() as u32;
        self.rows.push(Row {
            interval,
            station,
            frames: 0,
            data_frames: 0,
            retries: 0,
            bytes: 0,
            airtime_ns: 0,
            rate_kbps_sum: 0,
            rate_frames: 0,
            signal_dbm_sum: 0,
            signal_frames: 0,
        });
        self.rows.last_mut().expect("a row was pushed")
    }

    fn coarsen(&mut self) {
        self.interval_ns *= 2;
        let interval = self.current.0 / 2;
        self.current = (interval, self.start_ns + interval * self.interval_ns);
        for row in &mut self.rows {
            row.interval /= 2;
        }
        self.merge();
    }

    /// Where a single interval has too many stations, those that sent least become one row under
    /// the address of everyone.
    fn put_the_idlest_together(&mut self) {
        let Some(surplus) = self.rows.len().checked_sub(MOST_ROWS / 2) else {
            return;
        };
        self.rows.sort_by_key(|row| row.frames);
        for row in &mut self.rows[..surplus] {
            row.station = MacAddress::BROADCAST;
        }
        self.merge();
    }

    /// Puts the rows of the same station and interval together, in order.
    pub fn merge(&mut self) {
        self.rows.sort_by_key(|row| (row.interval, row.station));
        self.rows.dedup_by(|next, row| {
            let is_same = (row.interval, row.station) == (next.interval, next.station);
            if is_same {
                row.absorb(next);
            }
            is_same
        });
        self.places.fill(0);
    }
}

impl Row {
    fn absorb(&mut self, other: &Row) {
        self.frames += other.frames;
        self.data_frames += other.data_frames;
        self.retries += other.retries;
        self.bytes += other.bytes;
        self.airtime_ns += other.airtime_ns;
        self.rate_kbps_sum += other.rate_kbps_sum;
        self.rate_frames += other.rate_frames;
        self.signal_dbm_sum += other.signal_dbm_sum;
        self.signal_frames += other.signal_frames;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame a second, but now and then the clock goes back to the beginning.
    #[test]
    fn a_long_capture_has_longer_intervals() {
        let mut series = Series::default();
        let mut added = 0;
        for second in (1..120_000).chain(std::iter::repeat_n(1, 1_000)) {
            for station in [1, 2] {
                let row = series.row(MacAddress::of_node(station), second * 1_000_000_000);
                row.frames += 1;
                added += 1;
            }
        }
        series.merge();
        assert!(series.rows.len() <= MOST_ROWS);
        assert_eq!(series.interval_ns, 4_000_000_000);
        assert_eq!(series.rows.iter().map(|row| row.frames).sum::<u64>(), added);
        assert_eq!(series.rows[2].frames, 4, "two stations, four seconds each");
    }
}
