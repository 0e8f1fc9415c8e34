//! What the emitters of a plan radiate, told without a run.

use air::noise::{ListeningBand, Radiation};
use engine::Purpose;
use serde::Serialize;
use units::{Db, Duration, Time};

use crate::plan::{EmitterPlan, RadioPlan};
use crate::streams::NamedStream;

/// What an emitter radiates, and what radios take in of it.
#[derive(Clone, Debug, Serialize)]
pub struct Emission {
    /// Its name.
    pub name: String,
    /// For how long a burst radiates, at the longest; absent where there is none.
    pub burst: Option<Duration>,
    /// The part of the time in which it radiates.
    pub duty_cycle: f64,
    /// What its spectrum is called; absent where it is as strong in all channels.
    pub mask: Option<&'static str>,
    /// What each radio takes in.
    pub taken_in: Vec<TakenIn>,
}

/// What a radio takes in of an emitter.
#[derive(Clone, Debug, Serialize)]
pub struct TakenIn {
    /// The part of the time in which it radiates in the radio's channel.
    pub duty_cycle: f64,
    /// What the mask takes off; absent where nothing of it lies in the channel.
    pub taken_off_db: Option<Db>,
}

/// Bursts after which the part of the time is known: all are alike, or they are fewer.
const BURSTS: usize = 10_000;

/// Returns what an emitter of a plan radiates in a run, and what radios of the plan take in of it.
///
/// # Errors
///
/// What is wrong with either of the two JSON documents.
pub fn emission(
    emitter_json: &str,
    radios_json: &str,
    run_ns: u64,
) -> Result<Emission, serde_json::Error> {
    let emitter: EmitterPlan = serde_json::from_str(emitter_json)?;
    let radios: Vec<RadioPlan> = serde_json::from_str(radios_json)?;
    let run = Duration::from_nanos(run_ns);
    Ok(radiated(&emitter, &radios, run))
}

fn radiated(plan: &EmitterPlan, radios: &[RadioPlan], run: Duration) -> Emission {
    // One of the runs that there can be: how much it radiates is the same in all.
    let radiation = plan
        .noise
        .radiation(&mut NamedStream::new(0, 0, Purpose::Emission));
    let whole = Spell::of(&*radiation, run);
    Emission {
        name: plan.name.clone(),
        burst: whole.burst,
        duty_cycle: whole.duty_cycle,
        mask: radiation.spectrum_name(),
        taken_in: radios
            .iter()
            .map(|radio| taken_in(&*radiation, &whole, radio.band(), run))
            .collect(),
    }
}

fn taken_in(
    radiation: &dyn Radiation,
    whole: &Spell,
    band: ListeningBand,
    run: Duration,
) -> TakenIn {
    if let Some(part) = radiation.in_band(band) {
        let there = Spell::of(&*part, run);
        let is_elsewhere = there.burst.is_none() && whole.burst.is_some();
        return TakenIn {
            duty_cycle: there.duty_cycle,
            taken_off_db: (!is_elsewhere).then_some(Db(0.0)),
        };
    }
    let own = band.centre_mhz;
    let offset_mhz = radiation.frequency_mhz().unwrap_or(own).abs_diff(own);
    TakenIn {
        duty_cycle: whole.duty_cycle,
        taken_off_db: match radiation.spectrum() {
            Some(mask) => mask.loss(offset_mhz, band.bandwidth_hz),
            None => Some(Db(0.0)),
        },
    }
}

/// When something radiates.
struct Spell {
    /// How long a burst is at the longest: the first may have begun before the run.
    burst: Option<Duration>,
    /// The part of the time.
    duty_cycle: f64,
}

impl Spell {
    fn of(radiation: &dyn Radiation, run: Duration) -> Spell {
        let next = |burst: &[Time; 2]| {
            let next = radiation.burst_after(burst[1]);
            next.filter(|[begin, _]| *begin >= burst[1])
        };
        let bursts = || std::iter::successors(radiation.burst_after(Time::ZERO), next);
        let length = |burst: [Time; 2], end: Time| burst[1].min(end).saturating_since(burst[0]);
        let run = Time::ZERO + run;
        let end = bursts()
            .nth(BURSTS)
            .map_or(run, |[begin, _]| begin.min(run));
        let lengths = bursts()
            .take_while(|[begin, _]| *begin < end)
            .map(|burst| length(burst, end));
        let radiated = (lengths.clone()).fold(Duration::ZERO, |sum, length| sum + length);
        Spell {
            burst: lengths.max(),
            duty_cycle: radiation.mean_duty_cycle().unwrap_or_else(|| {
                radiated.as_nanos() as f64 / (end - Time::ZERO).as_nanos() as f64
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use air::noise::{bursts, signal_generator};

    fn of(noise: impl Into<air::noise::Config>) -> Emission {
        let plan = EmitterPlan {
            name: "generator".into(),
            received_dbm: Vec::new(),
            noise: noise.into(),
        };
        radiated(&plan, &[], Duration::from_millis(60_000))
    }

    /// 24 of 30 µs, 1908 times a second, are 4.58 % of the time.
    #[test]
    fn a_train_of_frames_has_the_duty_cycle_of_its_energy() {
        let found = of(signal_generator::Config {
            rate: 1908.0,
            burst: Duration::from_micros(30),
            frame: signal_generator::BurstFrame::Ofdm,
            frequency: Some(2437),
            phase: Duration::ZERO,
        });
        assert_eq!(found.burst, Some(Duration::from_micros(24)));
        assert!(
            (found.duty_cycle - 1908.0 * 24e-6).abs() < 1e-6,
            "{}",
            found.duty_cycle
        );
        assert_eq!(found.mask, Some("OFDM"));
    }

    /// Channel 6 has 22 of the 79 channels, and channel 36 none.
    #[test]
    fn of_a_piconet_a_channel_has_its_part() {
        let config = air::noise::bluetooth::Config {
            load: 1.0,
            packet: Duration::from_micros(366),
        };
        let radiation = air::noise::Config::from(config).radiation(&mut NamedStream::new(
            0,
            0,
            Purpose::Emission,
        ));
        let run = Duration::from_millis(60_000);
        let whole = Spell::of(&*radiation, run);
        assert_eq!(whole.burst, Some(Duration::from_micros(366)));
        let in_channel = |centre_mhz| {
            let bandwidth_hz = 22_000_000;
            let band = ListeningBand {
                centre_mhz,
                bandwidth_hz,
            };
            taken_in(&*radiation, &whole, band, run)
        };
        let found = in_channel(2437).duty_cycle;
        assert!(
            (found - 1600.0 * 366e-6 * 22.0 / 79.0).abs() < 1e-9,
            "{found}"
        );
        assert_eq!(in_channel(2437).taken_off_db, Some(Db(0.0)));
        assert_eq!(in_channel(5180).taken_off_db, None);
    }

    #[test]
    fn noise_without_end_is_one_burst() {
        let found = of(air::noise::constant_noise::Config {});
        assert_eq!(found.burst, Some(Duration::from_millis(60_000)));
        assert!((found.duty_cycle - 1.0).abs() < 1e-12);
    }

    #[test]
    fn of_stated_bursts_it_is_their_part_of_the_run() {
        let times = [[0, 3], [10, 22]].map(|span| span.map(|s| Duration::from_millis(1000 * s)));
        let found = of(bursts::Config {
            times: units::Spans(times.to_vec()),
        });
        assert_eq!(found.burst, Some(Duration::from_millis(12_000)));
        assert!((found.duty_cycle - 0.25).abs() < 1e-12);
        assert_eq!(found.mask, None);
    }
}
