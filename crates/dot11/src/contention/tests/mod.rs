//! When a station may have the medium: the countdown of its backoff, edge by edge.

mod access;
mod against_a_slot_by_slot_count;
mod deference;

use phy::DSSS_HR;

use super::*;

/// Draws that come as listed, with the windows they were drawn from.
#[derive(Default)]
struct Script {
    draws: Vec<u16>,
    windows: Vec<u16>,
}

impl Draw for Script {
    fn up_to(&mut self, max: u16) -> u16 {
        self.windows.push(max);
        self.draws.remove(0)
    }
}

fn draws(draws: &[u16]) -> Script {
    Script {
        draws: draws.to_vec(),
        windows: Vec::new(),
    }
}

/// For edges at which nothing may be drawn.
fn no_draw() -> Script {
    Script::default()
}

fn at(micros: u64) -> Time {
    Time::ZERO + Duration::from_micros(micros)
}

/// A station whose medium was last busy from 1000 to 2000 µs.
fn station() -> Contention {
    let mut station = Contention::new(&DSSS_HR, 31);
    station.on_busy(at(1000));
    station.on_idle(at(2000), &mut no_draw());
    station
}

#[test]
fn a_station_is_one_cache_line() {
    assert_eq!(size_of::<Contention>(), 64);
}

#[test]
fn a_medium_idle_for_longer_than_difs_is_taken_at_once() {
    let mut station = station();
    station.request_access(at(2060), &mut no_draw());
    assert_eq!(station.access_at(), at(2060));
}

#[test]
fn a_request_during_difs_waits_for_its_end_without_backoff() {
    let mut station = station();
    station.request_access(at(2030), &mut no_draw());
    assert_eq!(station.access_at(), at(2050));
}

#[test]
fn a_request_on_a_busy_medium_draws_a_backoff() {
    let mut station = Contention::new(&DSSS_HR, 31);
    station.on_busy(at(1000));
    let mut script = draws(&[3]);
    station.request_access(at(1500), &mut script);
    assert_eq!(script.windows, [31]);
    assert_eq!(station.access_at(), Time::NEVER);
    station.on_idle(at(2000), &mut no_draw());
    assert_eq!(station.access_at(), at(2000 + 50 + 3 * 20));
}

#[test]
fn a_busy_medium_freezes_the_countdown_and_idle_resumes_it() {
    let mut station = Contention::new(&DSSS_HR, 31);
    station.on_busy(at(1000));
    station.request_access(at(1500), &mut draws(&[5]));
    station.on_idle(at(2000), &mut no_draw());

    // Two slots have passed and half of a third, which does not count.
    station.on_busy(at(2000 + 50 + 2 * 20 + 10));
    assert_eq!(
        (station.access_at(), station.backoff_slots()),
        (Time::NEVER, Some(3))
    );
    station.on_idle(at(3000), &mut no_draw());
    assert_eq!(station.access_at(), at(3000 + 50 + 3 * 20));

    // Busy again before DIFS is over: nothing has been counted.
    station.on_busy(at(3040));
    station.on_idle(at(4000), &mut no_draw());
    assert_eq!(station.access_at(), at(4000 + 50 + 3 * 20));
}

#[test]
fn a_station_cut_off_in_its_difs_must_draw_a_backoff() {
    let mut station = station();
    station.request_access(at(2010), &mut no_draw());
    station.on_busy(at(2020));
    assert_eq!(station.access_at(), Time::NEVER);
    let mut script = draws(&[4]);
    station.on_idle(at(3000), &mut script);
    assert_eq!(script.windows, [31]);
    assert_eq!(station.access_at(), at(3000 + 50 + 4 * 20));
}

#[test]
fn a_backoff_of_zero_slots_is_not_drawn_again() {
    let mut station = Contention::new(&DSSS_HR, 31);
    station.on_busy(at(1000));
    station.request_access(at(1500), &mut draws(&[0]));
    station.on_idle(at(2000), &mut no_draw());
    station.on_busy(at(2020));
    station.on_idle(at(3000), &mut no_draw());
    assert_eq!(station.access_at(), at(3050));
}

#[test]
fn a_countdown_that_ends_within_the_cca_time_cannot_be_stopped() {
    let counting = || {
        let mut station = Contention::new(&DSSS_HR, 31);
        station.on_busy(at(1000));
        station.request_access(at(1500), &mut draws(&[1]));
        station.on_idle(at(2000), &mut no_draw());
        assert_eq!(station.access_at(), at(2070));
        station
    };
    let busy_at = |nanos| {
        let mut station = counting();
        station.on_busy(Time::from_nanos(nanos));
        station.access_at()
    };
    assert_eq!(busy_at(2_070_000), at(2070), "both in the same slot");
    assert_eq!(
        busy_at(2_055_001),
        at(2070),
        "14.999 µs is too short to notice"
    );
    assert_eq!(busy_at(2_055_000), Time::NEVER, "15 µs is enough");
}

#[test]
fn the_committed_transmission_ends_the_backoff() {
    let mut station = Contention::new(&DSSS_HR, 31);
    station.on_busy(at(1000));
    station.request_access(at(1500), &mut draws(&[1]));
    station.on_idle(at(2000), &mut no_draw());
    station.on_busy(at(2060));
    station.take_access(at(2070));
    assert_eq!(
        (station.access_at(), station.backoff_slots()),
        (Time::NEVER, None)
    );
}

#[test]
fn a_committed_station_does_not_notice_that_the_medium_is_idle_again() {
    let mut station = Contention::new(&DSSS_HR, 31);
    station.on_busy(at(1000));
    station.request_access(at(1500), &mut draws(&[1]));
    station.on_idle(at(2000), &mut no_draw());
    station.on_busy(at(2060));
    station.on_idle(at(2065), &mut no_draw());
    assert_eq!(station.access_at(), at(2070));
}

#[test]
fn a_commitment_that_is_cancelled_leaves_nothing_behind() {
    let mut station = Contention::new(&DSSS_HR, 31);
    station.on_busy(at(1000));
    station.request_access(at(1500), &mut draws(&[1]));
    station.on_idle(at(2000), &mut no_draw());
    station.on_busy(at(2060));
    station.cancel();
    station.on_idle(at(3000), &mut no_draw());
    station.request_access(at(3010), &mut no_draw());
    assert_eq!(
        station.access_at(),
        at(3050),
        "the interframe space and no backoff"
    );
}

#[test]
fn a_post_backoff_runs_without_anything_to_send_and_delays_a_request_within_it() {
    let finished = || {
        let mut station = station();
        station.on_busy(at(3000));
        station.start_backoff(at(4000), 31, &mut draws(&[10]));
        station.on_idle(at(4000), &mut no_draw());
        assert_eq!(
            station.access_at(),
            Time::NEVER,
            "no wake-up for an empty queue"
        );
        station
    };
    let mut early = finished();
    early.request_access(at(4100), &mut no_draw());
    assert_eq!(early.access_at(), at(4000 + 50 + 10 * 20));

    let mut late = finished();
    late.request_access(at(4300), &mut no_draw());
    assert_eq!(late.access_at(), at(4300), "the post-backoff is over");
}

#[test]
fn a_post_backoff_is_settled_by_the_busy_edge() {
    let after_busy_at = |micros| {
        let mut station = station();
        station.on_busy(at(3000));
        station.start_backoff(at(4000), 31, &mut draws(&[10]));
        station.on_idle(at(4000), &mut no_draw());
        station.on_busy(at(micros));
        station
    };
    assert_eq!(after_busy_at(4050 + 70).backoff_slots(), Some(7));
    assert_eq!(after_busy_at(4050 + 200).backoff_slots(), None, "done");

    let mut late = after_busy_at(4050 + 200);
    let mut script = draws(&[6]);
    late.request_access(at(4300), &mut script);
    assert_eq!(
        script.windows,
        [31],
        "a request on the busy medium draws a backoff of its own"
    );
}

#[test]
fn a_backoff_started_on_an_idle_medium_counts_from_then() {
    // As after a timeout: the medium has been idle for 222 µs, DIFS is long over.
    let mut station = station();
    station.start_backoff(at(2222), 63, &mut draws(&[9]));
    station.request_access(at(2222), &mut no_draw());
    assert_eq!(station.access_at(), at(2222 + 9 * 20));
}

#[test]
fn a_cancelled_request_leaves_the_backoff_running() {
    let mut station = Contention::new(&DSSS_HR, 31);
    station.on_busy(at(1000));
    station.request_access(at(1500), &mut draws(&[5]));
    station.on_idle(at(2000), &mut no_draw());
    station.cancel();
    assert_eq!(station.access_at(), Time::NEVER);
    station.request_access(at(2100), &mut no_draw());
    assert_eq!(station.access_at(), at(2000 + 50 + 5 * 20));
}
