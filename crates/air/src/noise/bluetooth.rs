//! A piconet of Bluetooth: packets of a slot, each on another channel of 1 MHz, 1600 times a second.
//!
//! As the coexistence models of IEEE 802.15.2-2003 have it, every slot has a channel of its own by
//! chance, each as likely. Adaptive hopping, which came with Bluetooth 1.2, would leave out those
//! where it meets others; there is none here.

use std::sync::Arc;

use units::{Duration, Time};

use super::bursts::Bursts;
use super::{ListeningBand, Radiation};
use crate::stations::ReceptionRandom;

units::declare! {
    /// Two devices of Bluetooth that talk to each other on 79 channels, heedless of others.
    pub struct Config = "bluetooth" {
        /// part of the slots that have a packet, by chance
        load: f64 = Field::probability()
            .or(Default::Number(1.0))
            .from("each of the two sends in each of its slots, as with DH1 packets both ways"),
        /// how long a packet takes, in a slot of 625 µs
        packet: Duration = Field::duration()
            .within(68_000.0, 625_000.0)
            .or(Default::Text("366 us"))
            .from("DH1: 72 bits of access code, 54 of header, 240 of payload at 1 Mbit/s \
                (IEEE 802.15.1-2002 §8.4)"),
    }
}

/// A slot; each has a hop of its own (IEEE 802.15.1-2002 §8.2.2).
const SLOT: Duration = Duration::from_micros(625);

/// Channel k lies at 2402 + k MHz (IEEE 802.15.1-2002 §7.2), and is as wide as they are apart.
const CHANNELS: u64 = 79;
const FIRST_MHZ: f64 = 2402.0;

/// A piconet, or what of it lies in a band.
#[derive(Clone, Copy, Debug)]
pub struct Bluetooth {
    /// What decides by which channel a slot goes.
    sequence: u64,
    /// When the first slot began, before the run.
    began: Duration,
    load: f64,
    packet: Duration,
    /// The channels that matter: from one on, before another.
    heard: [u64; 2],
}

impl Bluetooth {
    /// A piconet whose hops, and whose beginning, are chance.
    pub fn new(config: &Config, random: &mut impl ReceptionRandom) -> Bluetooth {
        let began = random.unit() * SLOT.as_nanos() as f64;
        Bluetooth {
            sequence: random.unit().to_bits(),
            began: Duration::from_nanos(began as u64),
            load: config.load,
            packet: config.packet,
            heard: [0, CHANNELS],
        }
    }

    /// The packet of a slot, if it has one on a channel that matters.
    fn packet_of(&self, slot: u64) -> Option<[Time; 2]> {
        let random = spread(self.sequence ^ spread(slot));
        let channel = ((random >> 32) * CHANNELS) >> 32;
        let is_sent = f64::from(random as u32) < self.load * 2f64.powi(32);
        let is_heard = (self.heard[0]..self.heard[1]).contains(&channel);
        (is_sent && is_heard).then(|| {
            let since_first = SLOT * slot;
            let begin = Time::ZERO + since_first.saturating_sub(self.began);
            [
                begin,
                Time::ZERO + (since_first + self.packet).saturating_sub(self.began),
            ]
        })
    }
}

impl Radiation for Bluetooth {
    fn burst_after(&self, at: Time) -> Option<[Time; 2]> {
        if self.load == 0.0 {
            return None;
        }
        let since_first = (at - Time::ZERO) + self.began;
        let slots = since_first.as_nanos() / SLOT.as_nanos()..;
        slots
            .filter_map(|slot| self.packet_of(slot))
            .find(|&[_, end]| end > at)
    }

    fn in_band(&self, band: ListeningBand) -> Option<Arc<dyn Radiation>> {
        // A channel is heard if its centre lies in the band, of whose two edges one counts: of 79,
        // 22 in 22 MHz.
        let channel = |mhz: f64| (mhz - FIRST_MHZ).ceil().clamp(0.0, CHANNELS as f64) as u64;
        let heard = band.edges_mhz().map(channel);
        Some(match heard[0] < heard[1] {
            true => Arc::new(Bluetooth { heard, ..*self }),
            false => Arc::new(Bursts(Vec::new())),
        })
    }

    fn mean_duty_cycle(&self) -> Option<f64> {
        let heard = (self.heard[1] - self.heard[0]) as f64 / CHANNELS as f64;
        let of_slot = self.packet.as_nanos() as f64 / SLOT.as_nanos() as f64;
        Some(self.load * of_slot * heard)
    }

    fn spectrum_name(&self) -> Option<&'static str> {
        Some("1 MHz, hopping over 79")
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): one of the numbers that look like chance for each.
fn spread(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::trial::TrialRandom;

    fn piconet(load: f64) -> Bluetooth {
        let packet = Duration::from_micros(366);
        Bluetooth::new(&Config { load, packet }, &mut TrialRandom(3))
    }

    /// The bursts that begin within so many seconds.
    fn within(radiation: &dyn Radiation, seconds: u64) -> Vec<[Time; 2]> {
        let end = Time::ZERO + Duration::from_millis(1000 * seconds);
        let next = |burst: &[Time; 2]| radiation.burst_after(burst[1]);
        std::iter::successors(radiation.burst_after(Time::ZERO), next)
            .take_while(|[begin, _]| *begin < end)
            .collect()
    }

    fn of_channel(centre_mhz: u16, bandwidth_hz: u32) -> Vec<[Time; 2]> {
        let band = ListeningBand {
            centre_mhz,
            bandwidth_hz,
        };
        within(&*piconet(1.0).in_band(band).expect("it moves about"), 100)
    }

    /// 1600 · 366 µs are 58.56 % of the time.
    #[test]
    fn a_full_piconet_has_a_packet_of_366_us_in_each_of_1600_slots_a_second() {
        let bursts = within(&piconet(1.0), 10);
        assert!(bursts.len().abs_diff(16_000) <= 1, "{}", bursts.len());
        let lengths = bursts.iter().map(|[begin, end]| *end - *begin);
        assert!(
            lengths
                .skip(1)
                .all(|length| length == Duration::from_micros(366))
        );
        let steps = bursts[1..].windows(2).map(|pair| pair[1][0] - pair[0][0]);
        assert!(steps.into_iter().all(|step| step == SLOT));
    }

    /// 72 + 54 + 240 bits at 1 Mbit/s, which has 216 bits of data, a header of 8 and a check of 16.
    #[test]
    fn a_packet_is_dh1() {
        assert_eq!(72 + 54 + (8 + 216 + 16), 366);
    }

    /// 22 of 79 channels lie in a channel of DSSS and 20 in one of OFDM, 13 at the lower edge of
    /// the 2.4 GHz band less than that: three standard deviations of 160,000 hops.
    #[test]
    fn so_many_hops_hit_a_channel_as_it_has_of_79() {
        for (centre, bandwidth, channels) in [
            (2437, 22_000_000, 22.0),
            (2437, 20_000_000, 20.0),
            (2412, 22_000_000, 21.0),
            (2472, 22_000_000, 20.0),
        ] {
            let (hops, part) = (160_000.0, channels / 79.0);
            let hit = of_channel(centre, bandwidth).len() as f64;
            let spread = (hops * part * (1.0_f64 - part)).sqrt();
            assert!(
                (hit - hops * part).abs() < 3.0 * spread,
                "{hit} at {centre}"
            );
        }
        assert_eq!(of_channel(5180, 20_000_000).len(), 0);
    }

    /// 58.56 % of the time, and of that 22 parts of 79.
    #[test]
    fn in_the_long_run_it_radiates_for_its_part_of_the_slots_and_channels() {
        let part = |piconet: &dyn Radiation| piconet.mean_duty_cycle().expect("it is chance");
        let band = ListeningBand {
            centre_mhz: 2437,
            bandwidth_hz: 22_000_000,
        };
        let whole = piconet(1.0);
        let there = whole.in_band(band).expect("it moves about");
        assert!((part(&whole) - 0.5856).abs() < 1e-9);
        assert!((part(&*there) - 0.5856 * 22.0 / 79.0).abs() < 1e-9);
    }

    /// Two hops in a row hit with the square of that.
    #[test]
    fn a_hop_knows_nothing_of_the_one_before() {
        let hits = of_channel(2437, 22_000_000);
        let both = hits
            .windows(2)
            .filter(|pair| pair[1][0] - pair[0][0] == SLOT)
            .count() as f64;
        let part = both / 160_000.0;
        assert!((part - (22.0_f64 / 79.0).powi(2)).abs() < 0.004, "{part}");
    }

    #[test]
    fn a_part_of_the_slots_is_used_by_chance() {
        let used = within(&piconet(0.25), 100).len() as f64 / 160_000.0;
        assert!((used - 0.25).abs() < 0.004, "{used}");
        assert_eq!(piconet(0.0).burst_after(Time::ZERO), None);
    }

    #[test]
    fn a_burst_is_found_from_any_time_in_it_and_before() {
        let piconet = piconet(0.5);
        for burst in within(&piconet, 1) {
            let nanosecond = Duration::from_nanos(1);
            for at in [burst[0], burst[1] - nanosecond] {
                assert_eq!(piconet.burst_after(at), Some(burst));
            }
        }
    }
}
