//! Powers of a station as heard, and rates of its data frames.

use serde::Serialize;

/// Powers in dBm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Signal {
    /// The weakest.
    pub min_dbm: i8,
    /// The mean of the values in dBm.
    pub mean_dbm: f64,
    /// The strongest.
    pub max_dbm: i8,
    #[serde(skip)]
    pub(super) sum: i64,
    /// Frames that tell it.
    pub frames: u64,
}

impl Signal {
    /// Adds a frame's; the mean is known when all have come.
    pub(super) fn add(signal: &mut Option<Signal>, dbm: i8) {
        let signal = signal.get_or_insert(Signal {
            min_dbm: dbm,
            mean_dbm: 0.0,
            max_dbm: dbm,
            sum: 0,
            frames: 0,
        });
        signal.min_dbm = signal.min_dbm.min(dbm);
        signal.max_dbm = signal.max_dbm.max(dbm);
        signal.sum += i64::from(dbm);
        signal.frames += 1;
    }
}

/// Data frames at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RateUse {
    /// The rate; 0 where the capture does not say.
    pub rate_kbps: u32,
    /// Data frames.
    pub frames: u64,
    /// Those of them with the retry bit.
    pub retries: u64,
}
