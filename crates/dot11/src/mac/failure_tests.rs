//! Losses, timeouts, retries, duplicates, collisions.

use phy::{DSSS_MODES, Mode};
use units::{Duration, Time};

use super::harness::{Backoffs, Channel};
use super::tests::config;
use super::{DropCause, Mac, MacConfig, Msdu, MsduDelivery, OutcomeResult};
use crate::contention::Contention;
use crate::frame::tests::long;
use crate::frame::{Address, Frame, FrameKind};
use crate::rate_control::{RateControlConfig, fallback};
use FrameKind::{Ack, Cts, Data, Rts};

const SEGMENT: u16 = 1508;

fn quiet(count: u16, config: &MacConfig) -> Channel {
    let mut channel = Channel::new(count, config);
    channel.run_micros(1000);
    channel
}

fn at(micros: u64) -> Time {
    Time::ZERO + Duration::from_micros(micros)
}

fn kinds(channel: &Channel) -> Vec<FrameKind> {
    channel.sent.iter().map(|sent| sent.frame.kind).collect()
}

#[test]
fn a_missing_ack_is_noticed_after_sifs_slot_and_start_delay() {
    let mut channel = quiet(2, &config());
    channel.lost = vec![0];
    channel.backoffs(0, &[9]);
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(10_000);
    let timeout = 1000.0 + 1310.0 + 10.0 + 20.0 + 192.0;
    // DIFS is over by then, so the slots begin at once.
    assert_eq!(channel.timeline()[1].0, timeout + 9.0 * 20.0);
    assert_eq!(
        channel.stations[0].backoffs.windows[0], 63,
        "the window has doubled"
    );
    let retry = channel.sent[1].frame;
    assert!(retry.retry && retry.sequence == channel.sent[0].frame.sequence);
}

#[test]
fn a_garbled_ack_fails_at_its_end_and_eifs_follows() {
    let mut channel = quiet(2, &config());
    channel.lost = vec![1];
    channel.backoffs(0, &[2]);
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(10_000);
    let ack_end = 1000.0 + 1310.0 + 258.0;
    assert_eq!(channel.timeline()[2].0, ack_end + 364.0 + 2.0 * 20.0);
}

#[test]
fn a_lost_ack_makes_a_duplicate_that_is_acknowledged_and_discarded() {
    let mut channel = quiet(2, &config());
    channel.lost = vec![1];
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(10_000);
    assert_eq!(kinds(&channel), [Data, Ack, Data, Ack]);
    assert_eq!(channel.stations[1].deliveries.len(), 1);
    assert_eq!(channel.stations[1].mac.counters().duplicates, 1);
    let result = channel.stations[0].outcomes[0].result;
    assert_eq!(result, OutcomeResult::Delivered { attempts: 2 });
}

#[test]
fn a_short_frame_is_given_up_after_seven_attempts() {
    let mut channel = quiet(2, &config());
    channel.lost = (0..7).collect();
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.enqueue(0, 2, 1, SEGMENT);
    channel.run_micros(60_000);
    let outcome = channel.stations[0].outcomes[0];
    let cause = DropCause::ShortRetryLimit;
    assert_eq!(
        (outcome.msdu, outcome.result),
        (1, OutcomeResult::Dropped { cause, attempts: 7 })
    );
    // Six retries widen the window, the drop resets it, and so does the next success.
    let windows = &channel.stations[0].backoffs.windows;
    assert_eq!(*windows, [63, 127, 255, 511, 1023, 1023, 31, 31]);
    assert_eq!(
        channel.stations[0].outcomes[1].result,
        OutcomeResult::Delivered { attempts: 1 }
    );
}

#[test]
fn a_frame_longer_than_the_rts_threshold_is_given_up_after_four_losses() {
    let mut channel = quiet(
        2,
        &MacConfig {
            rts_threshold: 500,
            ..config()
        },
    );
    channel.lost = vec![2, 5, 8, 11];
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(60_000);
    assert_eq!(kinds(&channel), [Rts, Cts, Data].repeat(4));
    let cause = DropCause::LongRetryLimit;
    let result = channel.stations[0].outcomes[0].result;
    assert_eq!(result, OutcomeResult::Dropped { cause, attempts: 4 });
    assert_eq!(channel.stations[0].mac.counters().long_retry_drops, 1);
}

#[test]
fn an_unanswered_rts_counts_as_short() {
    let mut channel = quiet(
        2,
        &MacConfig {
            rts_threshold: 500,
            ..config()
        },
    );
    channel.lost = (0..7).collect();
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(60_000);
    assert_eq!(kinds(&channel), [Rts; 7]);
    let cause = DropCause::ShortRetryLimit;
    let result = channel.stations[0].outcomes[0].result;
    assert_eq!(result, OutcomeResult::Dropped { cause, attempts: 0 });
    let cts_timeout = 222.0;
    let lines = channel.timeline();
    assert_eq!(lines[1].0, lines[0].1 + cts_timeout);
}

#[test]
fn a_cts_forgives_the_rts_that_were_lost_before_it() {
    let mut channel = quiet(
        2,
        &MacConfig {
            rts_threshold: 500,
            ..config()
        },
    );
    let six_rts_and_the_data = [0, 1, 2, 3, 4, 5, 8];
    let six_more_rts = 9..15;
    channel.lost = six_rts_and_the_data
        .into_iter()
        .chain(six_more_rts)
        .collect();
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(100_000);
    let expected = [
        &[Rts; 6][..],
        &[Rts, Cts, Data],
        &[Rts; 6],
        &[Rts, Cts, Data, Ack],
    ];
    assert_eq!(kinds(&channel), expected.concat());
}

#[test]
fn an_arrival_does_not_disturb_an_exchange() {
    let mut channel = quiet(2, &config());
    channel.lost = vec![0];
    channel.backoffs(0, &[9]);
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(1310 + 20);
    channel.enqueue(0, 2, 1, SEGMENT);
    channel.run_micros(10_000);
    let begins: Vec<f64> = channel.timeline().iter().map(|line| line.0).collect();
    assert_eq!(
        begins[1],
        1000.0 + 1310.0 + 222.0 + 9.0 * 20.0,
        "the retry, after its timeout"
    );
    assert_eq!(channel.stations[1].deliveries.len(), 2);
}

#[test]
fn data_behind_a_repeated_rts_is_no_retry() {
    let mut channel = quiet(
        2,
        &MacConfig {
            rts_threshold: 500,
            ..config()
        },
    );
    channel.lost = vec![0];
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(10_000);
    assert_eq!(kinds(&channel), [Rts, Rts, Cts, Data, Ack]);
    assert!(!channel.sent[1].frame.retry && !channel.sent[3].frame.retry);
}

#[test]
fn a_burst_resumes_at_the_lost_fragment() {
    let mut channel = quiet(
        2,
        &MacConfig {
            fragmentation_threshold: 768,
            ..config()
        },
    );
    channel.lost = vec![2];
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.run_micros(20_000);
    let data: Vec<_> = channel
        .sent
        .iter()
        .filter(|sent| sent.frame.kind == Data)
        .map(|sent| (sent.frame.fragment, sent.frame.retry))
        .collect();
    assert_eq!(data, [(0, false), (1, false), (1, true), (2, false)]);
    assert_eq!(channel.stations[1].deliveries.len(), 1);
}

#[test]
fn rates_fall_back_inside_an_msdu_and_recover_with_the_next() {
    let step_down = fallback::Config {
        attempts_per_rate: 2,
    };
    let rate_control = RateControlConfig::Fallback(step_down);
    let mut channel = quiet(
        2,
        &MacConfig {
            rate_control,
            ..config()
        },
    );
    channel.lost = (0..6).collect();
    channel.enqueue(0, 1, 1, SEGMENT);
    channel.enqueue(0, 2, 1, SEGMENT);
    channel.run_micros(100_000);
    let data = channel.sent.iter().filter(|sent| sent.frame.kind == Data);
    let rates: Vec<f64> = data
        .map(|sent| sent.frame.mode().rate().as_mbps())
        .collect();
    assert_eq!(rates, [11.0, 11.0, 5.5, 5.5, 2.0, 2.0, 1.0, 11.0]);
    let counters = channel.stations[0].mac.counters();
    let attempts = DSSS_MODES.iter().map(|&mode| counters.data_attempts[mode]);
    assert_eq!(attempts.collect::<Vec<_>>(), [1, 2, 2, 3]);
}

#[test]
fn equal_countdowns_collide_and_bystanders_wait_for_eifs() {
    let mut channel = quiet(4, &config());
    // Station 3 holds the medium while 0, 1 and 2 draw their backoffs.
    channel.enqueue(3, 9, 2, 36);
    channel.run_micros(10);
    channel.backoffs(0, &[4, 0]);
    channel.backoffs(1, &[4, 30]);
    channel.backoffs(2, &[5]);
    channel.enqueue(0, 1, 3, SEGMENT);
    channel.enqueue(1, 2, 3, SEGMENT);
    channel.enqueue(2, 3, 3, SEGMENT);
    channel.run_micros(3_000);
    let lines = channel.timeline();
    let (first, second, winner) = (lines[2], lines[3], lines[4]);
    assert_eq!(
        (first.0, first.2),
        (second.0, second.2 - 1),
        "0 and 1 at the same instant"
    );
    // Station 0 drew no slots: it is back at its timeout, before the bystander's EIFS.
    assert_eq!((winner.0, winner.2), (first.1 + 222.0, 0));
    assert_eq!(
        channel.stations[2].backoffs.windows.len(),
        1,
        "2 still has its first backoff"
    );
}

#[test]
fn an_rts_is_not_answered_under_a_nav() {
    let mut mac = Mac::new(config(), Address(1));
    let mut contention = mac.contention();
    let mut backoffs = Backoffs::default();
    let announced = Frame {
        duration: 1000,
        ..Frame::control(Data, Address(2), Address(3), long(Mode::DSSS_2))
    };
    let rts = Frame {
        duration: 2000,
        ..Frame::control(Rts, Address(0), Address(1), long(Mode::DSSS_2))
    };
    contention.on_busy(at(1000));
    contention.on_overheard(at(5000), &announced);

    mac.on_receive(at(5999), &rts, &mut contention, &mut backoffs);
    assert_eq!(
        (mac.wake_at(), mac.counters().cts_withheld),
        (Time::NEVER, 1)
    );

    mac.on_receive(at(6000), &rts, &mut contention, &mut backoffs);
    assert_eq!(mac.wake_at(), at(6010));
    let cts = mac
        .on_wake(at(6010), false, &mut contention, &mut backoffs)
        .unwrap();
    assert_eq!(
        (cts.kind, cts.receiver, cts.duration),
        (Cts, Address(0), 2000 - 258)
    );
}

/// A station whose data frame for station 1 has just left the air, at 2310 µs.
fn awaiting_ack() -> (Mac, Contention, Backoffs) {
    let mut mac = Mac::new(config(), Address(0));
    let mut contention = mac.contention();
    let mut backoffs = Backoffs::default();
    let msdu = Msdu::data(1, Address(1), SEGMENT);
    mac.enqueue(at(1000), msdu, &mut contention, &mut backoffs)
        .unwrap();
    let data = *mac.on_access(at(1000), &mut contention);
    contention.on_busy(at(1000));
    mac.on_transmit_end(at(2310), &data, &mut contention, &mut backoffs);
    contention.on_idle(at(2310), &mut backoffs);
    assert!(contention.awaits_response());
    (mac, contention, backoffs)
}

#[test]
fn a_reception_under_way_at_the_timeout_is_waited_for() {
    let (mut mac, mut contention, mut backoffs) = awaiting_ack();
    contention.on_busy(at(2320));
    assert_eq!(mac.wake_at(), at(2310 + 222));
    assert_eq!(
        mac.on_wake(at(2532), true, &mut contention, &mut backoffs),
        None
    );
    assert_eq!(mac.wake_at(), Time::NEVER);

    let ack = Frame::control(Ack, Address(1), Address(0), long(Mode::DSSS_1));
    mac.on_receive(at(2624), &ack, &mut contention, &mut backoffs);
    let result = mac.poll_outcome().unwrap().result;
    assert_eq!(result, OutcomeResult::Delivered { attempts: 1 });
    assert!(!contention.awaits_response());
}

#[test]
fn a_frame_for_another_station_in_place_of_the_ack_is_a_failure() {
    let (mut mac, mut contention, mut backoffs) = awaiting_ack();
    contention.on_busy(at(2320));
    let other = Frame::control(Ack, Address(5), Address(6), long(Mode::DSSS_2));
    contention.on_overheard(at(2568), &other);
    mac.on_garbled(at(2568), &mut contention, &mut backoffs);
    assert_eq!((mac.cw(), mac.counters().ack_failures), (63, 1));
    contention.on_idle(at(2568), &mut backoffs);
    assert_eq!(
        contention.access_at(),
        at(2568 + 50),
        "a retry after DIFS and no slots"
    );
}

#[test]
fn data_for_this_station_in_place_of_the_ack_is_a_failure_and_gets_its_ack() {
    let (mut mac, mut contention, mut backoffs) = awaiting_ack();
    contention.on_busy(at(2320));
    let data = Frame {
        msdu: 42,
        ..Frame::control(Data, Address(7), Address(0), long(Mode::DSSS_2))
    };
    let delivery = mac.on_receive(at(2600), &data, &mut contention, &mut backoffs);
    assert_eq!(
        delivery,
        Some(MsduDelivery {
            msdu: 42,
            from: Address(7)
        })
    );
    assert_eq!((mac.counters().ack_failures, mac.wake_at()), (1, at(2610)));
    contention.on_idle(at(2600), &mut backoffs);
    let ack = mac
        .on_wake(at(2610), false, &mut contention, &mut backoffs)
        .unwrap();
    assert_eq!((ack.kind, ack.receiver), (Ack, Address(7)));
}

#[test]
fn a_frame_for_this_station_ends_eifs_at_once() {
    let mut mac = Mac::new(config(), Address(0));
    let mut contention = mac.contention();
    let mut backoffs = Backoffs::default();
    contention.on_busy(at(1000));
    // A late ACK, still within the busy period of the frame that was garbled.
    let ack = Frame::control(Ack, Address(1), Address(0), long(Mode::DSSS_2));
    contention.on_garbled(at(2000), &ack);
    mac.on_receive(at(2200), &ack, &mut contention, &mut backoffs);
    contention.on_idle(at(2200), &mut backoffs);
    contention.request_access(at(2210), &mut backoffs);
    assert_eq!(contention.access_at(), at(2200 + 50));
}

#[test]
fn an_msdu_is_given_up_when_its_lifetime_is_over() {
    let config = MacConfig {
        msdu_lifetime_ns: Some(Duration::from_millis(4)),
        ..config()
    };
    let mut channel = Channel::new(2, &config);
    channel.lost = (0..100).collect();
    channel.enqueue(0, 0, 1, SEGMENT);
    channel.run(Time::ZERO + Duration::from_millis(100));
    // Without backoff an attempt takes 1310 µs, its wait for an ACK 222 and DIFS 50.
    let counters = channel.stations[0].mac.counters();
    assert_eq!((counters.attempts(), counters.lifetime_drops), (3, 1));
    let dropped = OutcomeResult::Dropped {
        cause: DropCause::Lifetime,
        attempts: 3,
    };
    assert_eq!(channel.stations[0].outcomes[0].result, dropped);
}
