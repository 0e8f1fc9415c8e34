//! Work for an instruction counter: `valgrind --tool=callgrind <this program> exchange`.
//!
//! `exchange` runs data/ACK exchanges between two stations; `edges` tells a hundred stations that
//! want nothing about a busy edge, an overheard frame and an idle edge; `contenders` tells a
//! hundred that count down. All with no channel around them, so that what is counted is the
//! machines.

use std::hint::black_box;

use dot11::rate_control::{RateControlConfig, fallback};
use dot11::{
    Address, Contention, Draw, Frame, Mac, MacConfig, Mode, Msdu, Preamble, Privacy, Protection,
    Standard,
};
use units::{Duration, Time};

const ROUNDS: u32 = 100_000;
const BYSTANDERS: usize = 100;

/// A linear congruential generator (D. Knuth, MMIX), the cheapest there is: the draws are not
/// what is measured.
struct Draws(u64);

impl Draw for Draws {
    fn up_to(&mut self, max: u16) -> u16 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (((self.0 >> 48) * (u64::from(max) + 1)) >> 16) as u16
    }
}

/// The longest backoff.
struct Longest;

impl Draw for Longest {
    fn up_to(&mut self, max: u16) -> u16 {
        max
    }
}

struct Station {
    mac: Mac,
    contention: Contention,
}

impl Station {
    fn new(address: u16) -> Station {
        let config = MacConfig {
            standard: Standard::Dot11b,
            band: None,
            aggregation: None,
            coding: None,
            short_slot: false,
            protection: Protection::None,
            preamble: Preamble::Long,
            basic_rates: vec![Mode::DSSS_1, Mode::DSSS_2],
            rate: Mode::CCK_11,
            rate_control: RateControlConfig::Fallback(fallback::Config {
                attempts_per_rate: 2,
            }),
            rts_threshold: 2347,
            fragmentation_threshold: 2346,
            short_retry_limit: 7,
            long_retry_limit: 4,
            msdu_lifetime_ns: None,
            privacy: Privacy::None,
            queue_packets: 50,
            cw_min: 31,
            cw_max: 1023,
            edca: None,
        };
        let mac = Mac::new(config, Address(address));
        Station {
            contention: mac.contention(),
            mac,
        }
    }
}

/// One MSDU from its arrival to the idle edge after its ACK; when that is.
fn exchange(now: Time, from: &mut Station, to: &mut Station, draws: &mut Draws) -> Time {
    let msdu = Msdu::data(1, Address(1), 1508);
    let queued = from.mac.enqueue(now, msdu, &mut from.contention, draws);
    assert!(queued.is_ok());
    let begin = from.contention.access_at();
    let data = *from.mac.on_access(begin, &mut from.contention);
    let ack_at = transmit(begin, &data, from, to, draws);
    let ack = to.mac.on_wake(ack_at, false, &mut to.contention, draws);
    let ack = *ack.expect("an ACK is due");
    let next = transmit(ack_at, &ack, to, from, draws);
    assert!(from.mac.poll_outcome().is_some());
    assert_eq!(next, Time::NEVER, "nothing follows the ACK");
    ack_at + Duration::from_millis(1)
}

/// Carries `frame` over; when its receiver wants to be woken.
fn transmit(
    begin: Time,
    frame: &Frame,
    from: &mut Station,
    to: &mut Station,
    draws: &mut Draws,
) -> Time {
    from.contention.on_busy(begin);
    to.contention.on_busy(begin);
    let end = begin + frame.airtime();
    from.mac
        .on_transmit_end(end, frame, &mut from.contention, draws);
    to.mac.on_receive(end, frame, &mut to.contention, draws);
    from.contention.on_idle(end, draws);
    to.contention.on_idle(end, draws);
    to.mac.wake_at()
}

fn exchanges() {
    let (mut from, mut to) = (Station::new(0), Station::new(1));
    let mut draws = Draws(1);
    let mut now = Time::ZERO;
    for _ in 0..ROUNDS {
        now = exchange(now, &mut from, &mut to, &mut draws);
    }
    assert_eq!(to.mac.counters().delivered, u64::from(ROUNDS));
}

fn edges() {
    let mut sender = Station::new(0);
    let mut draws = Draws(1);
    let msdu = Msdu::data(1, Address(1), 1508);
    let queued = sender
        .mac
        .enqueue(Time::ZERO, msdu, &mut sender.contention, &mut draws);
    assert!(queued.is_ok());
    let begin = sender.contention.access_at();
    let frame = *sender.mac.on_access(begin, &mut sender.contention);
    let mut bystanders = [Station::new(1).contention; BYSTANDERS];
    let mut now = begin;
    for _ in 0..ROUNDS {
        for station in black_box(&mut bystanders) {
            station.on_busy(now);
        }
        now += frame.airtime();
        for station in black_box(&mut bystanders) {
            station.on_overheard(now, &frame);
            station.on_idle(now, &mut draws);
        }
        now += Duration::from_millis(1);
    }
}

/// A hundred stations that count down during a data/ACK exchange of others, three slots a time.
fn contenders() {
    let mut draws = Draws(1);
    let mut stations = [Station::new(1).contention; BYSTANDERS];
    let mut now = Time::ZERO;
    for round in 0..ROUNDS {
        // Before the 1023 slots are used up.
        let renew = round % 300 == 0;
        for (gap, busy) in [(50 + 3 * 20, 1310), (10, 248)] {
            now += Duration::from_micros(gap);
            for station in black_box(&mut stations) {
                station.on_busy(now);
            }
            now += Duration::from_micros(busy);
            for station in black_box(&mut stations) {
                if renew {
                    station.start_backoff(now, 1023, &mut Longest);
                    station.request_access(now, &mut draws);
                }
                station.on_idle(now, &mut draws);
            }
        }
    }
    assert!(stations.iter().all(|station| station.access_at() > now));
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program has arguments, the crate has none"
)]
fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("exchange") => exchanges(),
        Some("edges") => edges(),
        Some("contenders") => contenders(),
        // `cargo bench` and `cargo test --benches` pass flags of their own.
        _ => {
            exchanges();
            edges();
            contenders();
        }
    }
}
