//! What the access that is granted says of how it came about.

use phy::Mode;

use super::*;
use crate::frame::Address;
use crate::frame::tests::long;

/// A station whose exchange has succeeded at 4000 µs, with `slots` of backoff and something more
/// to send; its medium turns idle at `idle_at`.
fn after_success(slots: u16, idle_at: u64) -> Contention {
    let mut station = station();
    station.on_busy(at(3000));
    station.on_success(at(4000));
    station.start_backoff(at(4000), 31, &mut draws(&[slots]));
    station.request_access(at(4000), &mut no_draw());
    station.on_idle(at(idle_at), &mut no_draw());
    station
}

fn is_contended(mut station: Contention) -> bool {
    let access_at = station.access_at();
    station.take_access(access_at).contended
}

#[test]
fn a_zero_backoff_behind_a_success_is_uncontended() {
    assert!(!is_contended(after_success(0, 4000)));
}

#[test]
fn a_single_slot_is_enough_for_others_to_come_in_between() {
    assert!(is_contended(after_success(1, 4000)));
}

#[test]
fn a_medium_that_stays_busy_behind_the_success_was_idle_for_others() {
    let station = after_success(0, 4100);
    assert_eq!(station.access_at(), at(4150));
    assert!(is_contended(station));
}

#[test]
fn a_busy_period_since_the_success_makes_the_next_access_contended() {
    let mut station = after_success(0, 4000);
    station.on_busy(at(4010));
    station.on_idle(at(4300), &mut no_draw());
    assert!(is_contended(station));
}

#[test]
fn another_station_in_the_same_slot_changes_nothing_that_was_granted() {
    let mut station = after_success(0, 4000);
    station.on_busy(at(4050));
    assert!(!is_contended(station));
}

#[test]
fn a_request_after_the_interframe_space_is_contended_for() {
    let mut station = station();
    station.on_busy(at(3000));
    station.on_success(at(4000));
    station.start_backoff(at(4000), 31, &mut draws(&[0]));
    station.on_idle(at(4000), &mut no_draw());
    station.request_access(at(4051), &mut no_draw());
    assert!(is_contended(station));
}

#[test]
fn a_zero_backoff_behind_a_failure_is_contended_for() {
    let mut station = station();
    station.on_busy(at(3000));
    station.start_backoff(at(4000), 63, &mut draws(&[0]));
    station.request_access(at(4000), &mut no_draw());
    station.on_idle(at(4000), &mut no_draw());
    assert!(is_contended(station));
}

/// A station that overhears, up to 4000 µs, a frame that asks for `duration`.
fn behind_a_frame(kind: FrameKind, duration: u16) -> Contention {
    let mut station = station();
    station.on_busy(at(3000));
    let frame = Frame {
        duration,
        ..Frame::control(kind, Address(8), Address(9), long(Mode::DSSS_2))
    };
    station.on_overheard(at(4000), &frame);
    station
}

fn deferrals(mut station: Contention) -> u16 {
    let access_at = station.access_at();
    station.take_access(access_at).nav_deferrals
}

#[test]
fn an_idle_medium_that_the_nav_forbids_is_a_deferral() {
    let mut station = behind_a_frame(FrameKind::Cts, 1000);
    station.on_idle(at(4000), &mut no_draw());
    station.request_access(at(4100), &mut draws(&[2]));
    assert_eq!(station.access_at(), at(5000 + 50 + 2 * 20));
    assert_eq!(deferrals(station), 1);
}

#[test]
fn each_idle_period_that_the_nav_takes_is_a_deferral_of_its_own() {
    let mut station = behind_a_frame(FrameKind::Cts, 2000);
    station.request_access(at(4000), &mut draws(&[2]));
    station.on_idle(at(4000), &mut no_draw());
    // An ACK that answers a fragment which this station does not hear, and the NAV goes on.
    station.on_busy(at(4800));
    station.on_idle(at(5048), &mut no_draw());
    assert_eq!(station.access_at(), at(6000 + 50 + 2 * 20));
    assert_eq!(deferrals(station), 2);
}

#[test]
fn the_sifs_inside_an_exchange_is_no_deferral() {
    let mut station = behind_a_frame(FrameKind::Data, 258);
    station.request_access(at(4000), &mut draws(&[2]));
    station.on_idle(at(4000), &mut no_draw());
    station.on_busy(at(4010));
    station.on_idle(at(4258), &mut no_draw());
    assert_eq!(station.access_at(), at(4258 + 50 + 2 * 20));
    assert_eq!(deferrals(station), 0);
}

#[test]
fn a_nav_that_ran_out_before_anything_was_wanted_held_nobody() {
    let mut station = behind_a_frame(FrameKind::Cts, 1000);
    station.on_idle(at(4000), &mut no_draw());
    station.request_access(at(5020), &mut no_draw());
    assert_eq!(station.access_at(), at(5050), "DIFS behind the NAV");
    assert_eq!(deferrals(station), 0);
}

#[test]
fn deferrals_count_from_one_access_to_the_next() {
    let mut station = behind_a_frame(FrameKind::Cts, 1000);
    station.on_idle(at(4000), &mut no_draw());
    station.request_access(at(4100), &mut draws(&[0]));
    assert_eq!(station.take_access(at(5050)).nav_deferrals, 1);
    station.on_busy(at(5050));
    station.on_idle(at(6000), &mut no_draw());
    station.request_access(at(6100), &mut no_draw());
    assert_eq!(deferrals(station), 0);
}
