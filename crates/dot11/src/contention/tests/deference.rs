//! How long others have the medium: EIFS behind a garbled frame, and the network allocation vector.

use phy::{ERP, Mode};

use super::*;
use crate::frame::Address;
use crate::frame::tests::long;

fn overheard(kind: FrameKind, duration: u16) -> Frame {
    Frame {
        duration,
        ..Frame::control(kind, Address(8), Address(9), long(Mode::DSSS_2))
    }
}

#[test]
fn after_a_garbled_frame_the_station_waits_for_eifs() {
    let mut station = station();
    station.on_busy(at(3000));
    station.on_garbled(at(4000), &overheard(FrameKind::Data, 0));
    station.on_idle(at(4000), &mut no_draw());
    station.request_access(at(4060), &mut no_draw());
    assert_eq!(station.access_at(), at(4000 + 364));
}

#[test]
fn a_station_of_802_11g_waits_as_long_as_the_answer_to_the_garbled_frame_takes() {
    for (mode, eifs) in [(Mode::ERP_54, 10 + 28 + 28), (Mode::DSSS_1, 10 + 304 + 28)] {
        let mut station = Contention::new(&ERP, 15);
        let frame = Frame::control(FrameKind::Data, Address(8), Address(9), long(mode));
        station.on_busy(at(3000));
        station.on_garbled(at(4000), &frame);
        station.on_idle(at(4000), &mut no_draw());
        station.request_access(at(4001), &mut no_draw());
        assert_eq!(station.access_at(), at(4000 + eifs));
    }
}

#[test]
fn ofdm_says_nothing_to_a_station_of_802_11b() {
    let mut station = station();
    let frame = Frame {
        vector: long(Mode::ERP_54),
        ..overheard(FrameKind::Data, 300)
    };
    station.on_busy(at(3000));
    station.on_overheard(at(4000), &frame);
    station.on_garbled(at(4000), &frame);
    station.on_idle(at(4000), &mut no_draw());
    station.request_access(at(4001), &mut no_draw());
    assert_eq!(station.access_at(), at(4000 + 50), "neither NAV nor EIFS");
}

#[test]
fn a_correct_frame_ends_eifs() {
    let mut station = station();
    station.on_busy(at(3000));
    station.on_garbled(at(4000), &overheard(FrameKind::Data, 0));
    station.on_idle(at(4000), &mut no_draw());
    // The ACK that EIFS leaves room for.
    station.on_busy(at(4010));
    station.on_overheard(at(4258), &overheard(FrameKind::Ack, 0));
    station.on_idle(at(4258), &mut no_draw());
    station.request_access(at(4260), &mut no_draw());
    assert_eq!(station.access_at(), at(4258 + 50));
}

#[test]
fn eifs_belongs_to_one_busy_period() {
    let mut station = station();
    station.on_busy(at(3000));
    station.on_garbled(at(4000), &overheard(FrameKind::Data, 0));
    station.on_idle(at(4000), &mut no_draw());
    // Energy in which no frame was found, so none was garbled.
    station.on_busy(at(4010));
    station.on_idle(at(4258), &mut no_draw());
    station.request_access(at(4260), &mut no_draw());
    assert_eq!(station.access_at(), at(4258 + 50));
}

#[test]
fn the_nav_keeps_an_idle_medium_busy() {
    let mut station = station();
    station.on_busy(at(3000));
    station.on_overheard(at(4000), &overheard(FrameKind::Data, 258));
    station.on_idle(at(4000), &mut no_draw());
    assert!(station.nav_busy(at(4257)) && !station.nav_busy(at(4258)));
    station.request_access(at(4100), &mut draws(&[2]));
    assert_eq!(station.access_at(), at(4258 + 50 + 2 * 20));
}

#[test]
fn a_shorter_duration_does_not_shorten_the_nav() {
    let mut station = station();
    station.on_busy(at(3000));
    station.on_overheard(at(3500), &overheard(FrameKind::Data, 1000));
    station.on_overheard(at(4000), &overheard(FrameKind::Cts, 100));
    station.on_idle(at(4000), &mut no_draw());
    assert!(station.nav_busy(at(4499)));
}

#[test]
fn an_answered_rts_sets_the_nav_and_an_unanswered_one_gives_it_back() {
    // 2 SIFS + CTS at 2 Mbit/s + PHY-RX-START-Delay + 2 slots.
    let patience = 20 + 248 + 192 + 40;
    let after_rts = || {
        let mut station = station();
        station.on_busy(at(3000));
        station.on_overheard(at(4000), &overheard(FrameKind::Rts, 5000));
        station.on_idle(at(4000), &mut no_draw());
        station
    };

    let mut unanswered = after_rts();
    unanswered.request_access(at(4100), &mut draws(&[0]));
    assert_eq!(unanswered.access_at(), at(4000 + patience + 50));

    let mut answered = after_rts();
    answered.on_busy(at(4010));
    answered.on_idle(at(4258), &mut no_draw());
    answered.request_access(at(4300), &mut draws(&[0]));
    assert_eq!(answered.access_at(), at(4000 + 5000 + 50));
}

#[test]
fn what_follows_an_rts_without_a_pause_replaces_its_nav() {
    let mut station = station();
    station.on_busy(at(3000));
    station.on_overheard(at(4000), &overheard(FrameKind::Rts, 1000));
    station.on_overheard(at(4200), &overheard(FrameKind::Data, 3000));
    station.on_idle(at(4200), &mut no_draw());
    station.on_busy(at(4300));
    station.on_idle(at(4400), &mut no_draw());
    assert!(station.nav_busy(at(4200 + 2999)));
}
