//! Activity of each station over time, in intervals of a second.

use std::ops::Range;

use serde::Serialize;

use units::MacAddress;

/// Rows kept. When there are more, each interval is made twice as long, and two rows become
/// one.
const MOST_ROWS: usize = 100_000;

/// The interval at first.
const FIRST_INTERVAL_NS: u64 = 1_000_000_000;

/// Activity of one station in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SeriesRow {
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
pub struct StationSeries {
    /// The interval.
    pub interval_ns: u64,
    /// Where interval 0 begins, in nanoseconds since 1970.
    pub start_ns: u64,
    /// A row for each station and interval in which it sent.
    pub rows: Vec<SeriesRow>,
    /// The interval under way, and the times that belong to it: none yet, at first.
    #[serde(skip)]
    current: (u64, Range<u64>),
}

impl Default for StationSeries {
    fn default() -> Self {
        StationSeries {
            interval_ns: FIRST_INTERVAL_NS,
            start_ns: 0,
            rows: Vec::new(),
            current: (0, 0..0),
        }
    }
}

impl StationSeries {
    /// Returns whether a frame of this time does not belong to the interval under way.
    #[inline]
    pub fn is_over(&self, time_ns: u64) -> bool {
        !self.current.1.contains(&time_ns)
    }

    /// The interval under way is the one of this time from now on; the first begins the series.
    pub fn turn(&mut self, time_ns: u64) {
        if self.rows.is_empty() {
            self.start_ns = time_ns;
        }
        self.enter(time_ns.saturating_sub(self.start_ns) / self.interval_ns);
    }

    fn enter(&mut self, interval: u64) {
        let begins = self.start_ns + interval * self.interval_ns;
        // A clock that went back to before the series belongs to its first interval.
        let since = if interval == 0 { 0 } else { begins };
        self.current = (interval, since..begins.saturating_add(self.interval_ns));
    }

    /// Adds what a station sent in the interval under way. Where the clock went back it may have a
    /// row there already: they are put together at the end.
    pub fn push(&mut self, row: SeriesRow) {
        if self.rows.len() >= MOST_ROWS {
            while self.rows.len() > MOST_ROWS / 2 && self.is_divided() {
                self.coarsen();
            }
            self.put_the_idlest_together();
        }
        let interval = self.current.0;
        self.rows.push(SeriesRow { interval, ..row });
    }

    /// Returns whether the rows are of more than one interval.
    fn is_divided(&self) -> bool {
        self.rows.iter().any(|row| row.interval > 0)
    }

    fn coarsen(&mut self) {
        self.interval_ns *= 2;
        self.enter(self.current.0 / 2);
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
    }
}

impl SeriesRow {
    /// Returns what this has more than one before it.
    pub(super) fn less(mut self, before: &SeriesRow) -> SeriesRow {
        self.frames -= before.frames;
        self.data_frames -= before.data_frames;
        self.retries -= before.retries;
        self.bytes -= before.bytes;
        self.airtime_ns -= before.airtime_ns;
        self.rate_kbps_sum -= before.rate_kbps_sum;
        self.rate_frames -= before.rate_frames;
        self.signal_dbm_sum -= before.signal_dbm_sum;
        self.signal_frames -= before.signal_frames;
        self
    }

    fn absorb(&mut self, other: &SeriesRow) {
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

    fn tell(series: &mut StationSeries, frames: u64) {
        let stations: &[u32] = if frames > 0 { &[1, 2] } else { &[] };
        for &station in stations {
            series.push(SeriesRow {
                station: MacAddress::of_node(station),
                frames,
                ..SeriesRow::default()
            });
        }
    }

    /// Two stations send a frame a second each, but now and then the clock goes back to the
    /// beginning.
    #[test]
    fn a_long_capture_has_longer_intervals() {
        let mut series = StationSeries::default();
        let (mut sent, mut frames) = (0, 0);
        for second in (1..120_000).chain(std::iter::repeat_n(1, 1_000)) {
            if series.is_over(second * 1_000_000_000) {
                tell(&mut series, std::mem::take(&mut frames));
                series.turn(second * 1_000_000_000);
            }
            frames += 1;
            sent += 2;
        }
        tell(&mut series, frames);
        series.merge();
        assert!(series.rows.len() <= MOST_ROWS);
        assert_eq!(series.interval_ns, 4_000_000_000);
        assert_eq!(series.rows.iter().map(|row| row.frames).sum::<u64>(), sent);
        assert_eq!(series.rows[2].frames, 4, "two stations, four seconds each");
    }
}
