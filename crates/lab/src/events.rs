//! What the driver of a radio reports as it works, as wireless-tools' `iwevent` writes it.
//!
//! A line for each event: the time of day, here from the start of the run, the interface, and what
//! happened. The level is that of the frames the radio has decoded since it was told last, as cards
//! measure it: on their preambles, over some of them, in whole decibels.

use std::io::{self, Write};

use units::{Dbm, Duration, MacAddress, Milliwatts, Time};

use crate::output::Output;

/// How often the level is told. [inferred: the least of the 0.1 to 1 s at which such tools are
/// run, so that a change of a tenth of a second is seen]
const EVERY: Duration = Duration::from_millis(100);

/// The log of a radio.
#[derive(Debug)]
pub struct EventLog {
    name: String,
    /// The radio's interface.
    pub interface: u16,
    noise: Dbm,
    output: Output,
    /// Of the frames since the level was told last.
    power: f64,
    frames: u32,
    told_at: Time,
    /// Frames given up so far.
    drops: u64,
}

impl EventLog {
    /// An empty log.
    pub fn new(name: &str, interface: u16, noise: Dbm, output: Output) -> EventLog {
        EventLog {
            name: name.to_owned(),
            interface,
            noise,
            output,
            power: 0.0,
            frames: 0,
            told_at: Time::ZERO,
            drops: 0,
        }
    }

    /// A frame of this power has been decoded.
    pub fn note_level(&mut self, now: Time, signal: Dbm) -> io::Result<()> {
        self.power += signal.to_milliwatts().0;
        self.frames += 1;
        if now - self.told_at < EVERY {
            return Ok(());
        }
        let mean = Milliwatts(self.power / f64::from(self.frames)).to_dbm();
        (self.power, self.frames, self.told_at) = (0.0, 0, now);
        let [signal, noise] = [mean, self.noise].map(|level| level.0.round() as i64);
        self.tell(
            now,
            format_args!("Link Signal level={signal} dBm  Noise level={noise} dBm"),
        )
    }

    /// So many frames have been given up so far, the last of them for this address.
    pub fn note_drops(&mut self, now: Time, drops: u64, to: MacAddress) -> io::Result<()> {
        for _ in self.drops..drops {
            self.tell(now, format_args!("Tx packet dropped:{to}"))?;
        }
        self.drops = drops;
        Ok(())
    }

    fn tell(&mut self, now: Time, what: std::fmt::Arguments<'_>) -> io::Result<()> {
        let micros = now.as_nanos() / 1000;
        let seconds = micros / 1_000_000;
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        let (seconds, micros) = (seconds % 60, micros % 1_000_000);
        writeln!(
            self.output,
            "{hours:02}:{minutes:02}:{seconds:02}.{micros:06}   wlan0     {what}"
        )
    }

    /// Ends the log; gives its name, and what memory has kept of it.
    pub fn finish(self) -> io::Result<(String, Vec<u8>)> {
        Ok((self.name, self.output.finish()?))
    }
}
