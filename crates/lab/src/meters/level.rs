//! The level that a radio's driver reports.

use units::{Dbm, Duration, Milliwatts, Time};

/// How often it is reported. [inferred: the least of the 0.1 to 1 s at which such tools are
/// run, so that a change of a tenth of a second is seen]
const EVERY: Duration = Duration::from_millis(100);

/// The mean of the frames since it was reported last.
#[derive(Debug, Default)]
pub struct LevelMeter {
    power: f64,
    frames: u32,
    told_at: Time,
}

impl LevelMeter {
    /// A frame of this power has been decoded; answers the level if it is to be reported now.
    pub fn note(&mut self, now: Time, signal: Dbm) -> Option<Dbm> {
        self.power += signal.to_milliwatts().0;
        self.frames += 1;
        if now - self.told_at < EVERY {
            return None;
        }
        let mean = Milliwatts(self.power / f64::from(self.frames));
        (self.power, self.frames, self.told_at) = (0.0, 0, now);
        Some(mean.to_dbm())
    }
}
