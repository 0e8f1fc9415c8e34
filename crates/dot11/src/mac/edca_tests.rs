//! Access functions: transmission opportunities, the QoS header, collisions within a station.

use units::{Duration, Time};

use super::harness::{Backoffs, Channel, Sent, micros};
use super::tests::config;
use super::{AccessFunction, Mac, MacConfig, Msdu};
use crate::category::Category;
use crate::contention::Contention;
use crate::frame::{Address, FrameKind};

fn function(category: Category, aifsn: u8, txop_limit_us: u64) -> MacConfig {
    MacConfig {
        edca: Some(AccessFunction {
            category,
            aifsn,
            txop_limit_ns: Duration::from_micros(txop_limit_us),
        }),
        ..config()
    }
}

/// Returns what a station sends that has three MSDUs of 200 bytes from the start.
fn three(config: &MacConfig) -> Vec<Sent> {
    let mut channel = Channel::new(2, config);
    channel.backoffs(0, &[5, 5, 5]);
    for id in 0..3 {
        channel.enqueue(0, id, 1, 200);
    }
    channel.run(Time::ZERO + Duration::from_millis(20));
    assert_eq!(channel.stations[1].deliveries.len(), 3);
    channel.sent
}

#[test]
fn a_qos_data_frame_is_two_bytes_longer() {
    assert_eq!(three(&config())[0].frame.bytes, 228);
    assert_eq!(
        three(&function(Category::BestEffort, 3, 0))[0].frame.bytes,
        230
    );
}

#[test]
fn within_its_opportunity_a_station_goes_on_a_sifs_behind_each_answer() {
    let sent = three(&function(Category::Voice, 2, 3_264));
    let begins: Vec<f64> = sent.iter().map(|sent| micros(sent.at)).collect();
    let ends: Vec<f64> = (sent.iter())
        .map(|sent| micros(sent.at + sent.frame.airtime()))
        .collect();
    assert_eq!(sent.len(), 6);
    for next in 1..6 {
        assert_eq!(begins[next] - ends[next - 1], 10.0);
    }
}

#[test]
fn what_does_not_fit_into_the_opportunity_waits_for_the_next() {
    // A data frame, a SIFS and its answer take some 620 µs: two fit, with the SIFS between them.
    let sent = three(&function(Category::Voice, 2, 1_300));
    let data: Vec<&Sent> = (sent.iter())
        .filter(|sent| sent.frame.kind == FrameKind::Data)
        .collect();
    let ack_ends = sent[3].at + sent[3].frame.airtime();
    assert_eq!(
        micros(data[1].at) - micros(sent[1].at + sent[1].frame.airtime()),
        10.0
    );
    // AIFS of two slots is DIFS; then the five slots of the backoff.
    assert_eq!(micros(data[2].at) - micros(ack_ends), 50.0 + 5.0 * 20.0);
}

#[test]
fn a_space_has_as_many_slots_as_the_category_says() {
    let begin = |aifsn| micros(three(&function(Category::Background, aifsn, 0))[0].at);
    assert_eq!(begin(7) - begin(2), 5.0 * 20.0);
}

#[test]
fn a_collision_within_a_station_doubles_the_window_and_sends_nothing() {
    let mut mac = Mac::new(function(Category::Video, 2, 0), Address(0));
    let (mut contention, mut backoffs): (Contention, _) = (mac.contention(), Backoffs::default());
    let msdu = Msdu::data(0, Address(1), 200);
    mac.enqueue(Time::ZERO, msdu, &mut contention, &mut backoffs)
        .unwrap();
    let at = contention.access_at();
    contention.on_busy(at);
    mac.on_internal_collision(at, &mut contention, &mut backoffs);
    assert_eq!((mac.cw(), mac.counters().internal_collisions), (63, 1));
    assert_eq!((mac.queue_len(), backoffs.windows), (1, vec![63]));
    assert_eq!(contention.access_at(), Time::NEVER);
}
