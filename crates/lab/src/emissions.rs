//! What the emitters of a plan radiate, told without a run.

use serde::Serialize;
use units::{Db, Duration, Time};

use crate::plan::{EmitterPlan, RadioPlan};

/// What an emitter radiates, and what radios take in of it.
#[derive(Clone, Debug, Serialize)]
pub struct Emission {
    /// Its name.
    pub name: String,
    /// For how long its first burst radiates; absent where there is none.
    pub burst: Option<Duration>,
    /// The part of the time in which it radiates.
    pub duty_cycle: f64,
    /// The mask of its spectrum; absent where it is as strong in all channels.
    pub mask: Option<&'static str>,
    /// What the mask takes off at each radio; absent where nothing of it lies in the channel.
    pub taken_off_db: Vec<Option<Db>>,
}

/// Bursts after which the part of the time is known: all are alike, or they are fewer.
const BURSTS: usize = 10_000;

/// What an emitter of a plan radiates in a run, and what radios of the plan take in of it.
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
    let radiation = plan.noise.radiation();
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
    let radiated = bursts()
        .take_while(|[begin, _]| *begin < end)
        .fold(Duration::ZERO, |sum, burst| sum + length(burst, end));
    let taken_off = |radio: &RadioPlan| {
        let own = radio.frequency_mhz;
        let offset_mhz = radiation.frequency_mhz().unwrap_or(own).abs_diff(own);
        let bandwidth_hz = radio.mac.phy().bandwidth_hz;
        match radiation.spectrum() {
            Some(mask) if !mask.reaches(offset_mhz, bandwidth_hz) => None,
            Some(mask) => Some(mask.loss(offset_mhz, bandwidth_hz)),
            None => Some(Db(0.0)),
        }
    };
    Emission {
        name: plan.name.clone(),
        burst: bursts().next().map(|burst| length(burst, run)),
        duty_cycle: radiated.as_nanos() as f64 / (end - Time::ZERO).as_nanos() as f64,
        mask: radiation.spectrum().map(dot11::Spectrum::name),
        taken_off_db: radios.iter().map(taken_off).collect(),
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
            frame: signal_generator::Frame::Ofdm,
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
        assert_eq!(found.burst, Some(Duration::from_millis(3000)));
        assert!((found.duty_cycle - 0.25).abs() < 1e-12);
        assert_eq!(found.mask, None);
    }
}
