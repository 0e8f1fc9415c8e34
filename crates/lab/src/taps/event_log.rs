//! What the driver of a radio reports as it works, as wireless-tools' `iwevent` writes it.
//!
//! A line for each event: the time of day, here from the start of the run, the interface, and what
//! happened (wireless-tools 29, iwevent.c). The level is the mean of the frames of its access point
//! that the radio has decoded since it was told last, in whole decibels, as `iw_print_stats` has it
//! of a card that gives no quality.

use std::io::{self, Write};

use units::{Dbm, MacAddress, Time};

use super::output::Output;
use crate::ids::InterfaceId;
use crate::meters::LevelMeter;

/// The log of a radio.
#[derive(Debug)]
pub struct EventLog {
    name: String,
    /// The radio's interface.
    pub interface: InterfaceId,
    noise: Dbm,
    pub output: Output,
    level: LevelMeter,
}

impl EventLog {
    /// An empty log.
    pub fn new(name: &str, interface: InterfaceId, noise: Dbm, output: Output) -> EventLog {
        EventLog {
            name: name.to_owned(),
            interface,
            noise,
            output,
            level: LevelMeter::default(),
        }
    }

    /// A frame of this power has been decoded.
    pub fn note_level(&mut self, now: Time, signal: Dbm) -> io::Result<()> {
        let Some(mean) = self.level.note(now, signal) else {
            return Ok(());
        };
        let [signal, noise] = [mean, self.noise].map(|level| level.0.round() as i64);
        self.tell(
            now,
            format_args!("Link Signal level={signal} dBm  Noise level={noise} dBm"),
        )
    }

    /// A frame for this address has been given up.
    pub fn note_given_up(&mut self, now: Time, to: MacAddress) -> io::Result<()> {
        self.tell(now, format_args!("Tx packet dropped:{to}"))
    }

    /// The radio belongs to an access point, or to none.
    pub fn note_access_point(&mut self, now: Time, address: Option<MacAddress>) -> io::Result<()> {
        match address {
            Some(address) => {
                self.tell(now, format_args!("New Access Point/Cell address:{address}"))
            }
            None => self.tell(
                now,
                format_args!("New Access Point/Cell address:Not-Associated"),
            ),
        }
    }

    fn tell(&mut self, now: Time, what: std::fmt::Arguments<'_>) -> io::Result<()> {
        let micros = now.as_nanos() / 1000;
        let seconds = micros / 1_000_000;
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        let (seconds, micros) = (seconds % 60, micros % 1_000_000);
        writeln!(
            self.output,
            "{hours:02}:{minutes:02}:{seconds:02}.{micros:06}   {:<8} {what}",
            "wlan0"
        )
    }

    /// Ends the log; gives its name, and what memory has kept of it.
    pub fn finish(self) -> io::Result<(String, Vec<u8>)> {
        Ok((self.name, self.output.finish()?))
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;

    const AT_HOME: MacAddress = MacAddress([2, 0, 0, 0, 0, 1]);

    fn log() -> EventLog {
        EventLog::new(
            "card",
            InterfaceId(3),
            Dbm(-93.6),
            Output::Memory(Vec::new()),
        )
    }

    fn text(log: EventLog) -> String {
        let (_, bytes) = log.finish().expect("memory takes all");
        String::from_utf8(bytes).expect("a text")
    }

    fn millis(at: u64) -> Time {
        Time::ZERO + Duration::from_millis(at)
    }

    /// The mean of -70 and -80 dBm is that of 1e-7 and 1e-8 mW: -72.6 dBm.
    #[test]
    fn the_level_is_the_mean_power_of_the_frames_of_a_tenth_of_a_second() {
        let mut log = log();
        for (at, level) in [(20, -70.0), (120, -80.0), (150, -60.0)] {
            log.note_level(millis(at), Dbm(level)).expect("memory");
        }
        assert_eq!(
            text(log),
            "00:00:00.120000   wlan0    Link Signal level=-73 dBm  Noise level=-94 dBm\n"
        );
    }

    #[test]
    fn an_association_and_its_end_are_a_line_each() {
        let mut log = log();
        log.note_access_point(millis(100), None).expect("memory");
        log.note_access_point(millis(900), Some(AT_HOME))
            .expect("memory");
        let lines = [
            "00:00:00.100000   wlan0    New Access Point/Cell address:Not-Associated",
            "00:00:00.900000   wlan0    New Access Point/Cell address:02:00:00:00:00:01",
        ];
        assert_eq!(text(log).lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn each_frame_given_up_is_a_line_with_the_address_that_it_was_for() {
        let mut log = log();
        for _ in 0..2 {
            log.note_given_up(millis(3_725_000), AT_HOME)
                .expect("memory");
        }
        let line = "01:02:05.000000   wlan0    Tx packet dropped:02:00:00:00:00:01\n";
        assert_eq!(text(log), line.repeat(2));
    }
}
