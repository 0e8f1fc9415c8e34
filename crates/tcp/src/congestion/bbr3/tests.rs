use super::super::testing::setup;
use super::super::{CountingUnit, Delivery};
use super::*;

const MSS: u64 = 1000;
const LEAST: Duration = Duration::from_millis(10);

/// A path that holds ten segments of 1000 bytes: one each millisecond, 10 ms long.
struct Path {
    bbr: Bbr3,
    now: Time,
    delivered: u64,
    recovery: CaState,
    /// Losses since the newest segment left of those delivered, and since the last was delivered.
    lost: u64,
    newly_lost: u32,
}

impl Path {
    fn new() -> Path {
        let mut bbr = Bbr3::new(&Setup {
            initial_window: 10 * MSS,
            counting: CountingUnit::Segments {
                hystart: false,
                jiffy: Duration::from_millis(1),
            },
            ..setup()
        });
        bbr.begin(&ConnectionStart {
            now: Time::ZERO,
            srtt: Some(LEAST),
            least_rtt: Some(LEAST),
            chance: 7,
            has_sack: true,
        });
        Path {
            bbr,
            now: Time::ZERO,
            delivered: 1,
            recovery: CaState::Open,
            lost: 0,
            newly_lost: 0,
        }
    }

    /// A segment is delivered a millisecond after the one before, with `in_flight` behind it; the
    /// round trip is what these take, 10 ms at least.
    fn deliver(&mut self, in_flight: u32) {
        self.now += Duration::from_millis(1);
        self.delivered += 1;
        let rtt = LEAST.max(Duration::from_millis(u64::from(in_flight)));
        let sent = u64::from(in_flight).min(self.delivered - 1);
        let sample = RateSample {
            now: self.now,
            delivery: Some(Delivery {
                prior_delivered: self.delivered - sent,
                delivered: sent,
                interval: Some(Duration::from_millis(sent.max(10))),
                app_limited: self.bbr.state == Bbr3State::ProbeRtt,
                in_flight,
                lost: self.lost,
            }),
            delivered_at: self.now,
            delivered: self.delivered,
            lost: 0,
            newly_delivered: 1,
            newly_lost: std::mem::take(&mut self.newly_lost),
            prior_in_flight: in_flight + 1,
            in_flight,
            rtt: Some(rtt),
            maybe_delayed: false,
            srtt: Some(rtt),
            departs_at: self.now,
            is_limited: u64::from(in_flight + 1) * MSS >= self.bbr.window,
            state: self.recovery,
        };
        self.bbr.on_rate(&sample);
    }

    /// A segment is lost that left with so many in flight, the `lost`-th since then.
    fn lose(&mut self, in_flight: u32, lost: u64) {
        self.newly_lost += 1;
        let segment = LostSegment {
            in_flight,
            lost,
            app_limited: false,
            begins_gap: true,
        };
        self.bbr.on_lost(self.now, self.delivered, &segment);
    }

    /// As much in flight as rate and window make of it: what the path holds, and a queue where more
    /// is sent than that.
    fn in_flight(&self) -> u32 {
        let most = (self.bbr.window / MSS) as u32;
        match self.bbr.state {
            Bbr3State::Startup => most,
            Bbr3State::ProbeBwUp => most.min(13),
            _ => most.min(10),
        }
    }

    fn run_until(&mut self, state: Bbr3State) {
        let began = self.now;
        while self.bbr.state != state {
            self.deliver(self.in_flight());
            assert!(self.now - began < Duration::from_secs(20), "{state:?}");
        }
    }

    fn reached(state: Bbr3State) -> Path {
        let mut path = Path::new();
        path.run_until(Bbr3State::ProbeBwCruise);
        path.run_until(state);
        path
    }
}

/// The initial window in a round trip, times 4 ln 2.
#[test]
fn it_begins_with_the_initial_window_at_four_ln_2() {
    let pace = Path::new().bbr.pacing_rate().expect("it paces") as f64;
    let expected = 10_000.0 / 0.01 * 4.0 * 2f64.ln();
    assert!((pace / expected - 1.0).abs() < 0.002, "{pace} {expected}");
}

/// The first and the second of the draft's test cases: after three rounds without growth the path
/// is full, and once what is in flight has fallen to what it holds the queue is drained.
#[test]
fn startup_ends_when_the_rate_has_not_grown_for_three_rounds() {
    let mut path = Path::new();
    let mut states = vec![Bbr3State::Startup];
    while path.bbr.state != Bbr3State::ProbeBwCruise {
        path.deliver(path.in_flight());
        if states.last() != Some(&path.bbr.state) {
            states.push(path.bbr.state);
        }
    }
    // What is drained needs no going down.
    let expected = [
        Bbr3State::Startup,
        Bbr3State::Drain,
        Bbr3State::ProbeBwCruise,
    ];
    assert_eq!(states, expected);
    assert!(path.bbr.full_bw.reached && path.bbr.rounds.count <= 8);
    let rate = path.bbr.max_bw() as f64 / 1e6;
    assert!((rate - 1.0).abs() < 0.02, "{rate}");
}

/// More than a fiftieth of a round, in six places, while it recovers from losses. Fewer may be a
/// single burst.
#[test]
fn startup_ends_by_losses_in_six_places_of_a_round() {
    for (gaps, ends) in [(5, false), (6, true)] {
        let mut path = Path::new();
        (0..12).for_each(|_| path.deliver(20));
        path.bbr.on_loss(&Loss { in_flight: 20_000 });
        (1..=gaps).for_each(|lost| path.lose(20, lost));
        (path.recovery, path.lost) = (CaState::Recovery, gaps);
        let mut ended = false;
        for _ in 0..25 {
            path.deliver(20);
            ended |= path.bbr.state == Bbr3State::Drain;
        }
        assert_eq!(ended, ends, "{gaps}");
        if ends {
            assert_eq!(
                path.bbr.inflight_longterm,
                20 * MSS,
                "what a round delivered"
            );
        }
    }
}

/// Each state at its rate, less a hundredth. A path that holds few segments is probed as often as
/// Reno would grow by as many: here about every tenth round.
#[test]
fn probes_follow_each_other_at_their_rates() {
    let mut path = Path::reached(Bbr3State::ProbeBwCruise);
    let mut seen = Vec::new();
    let mut ups = Vec::new();
    for _ in 0..1000 {
        let before = path.bbr.state;
        path.deliver(path.in_flight());
        let state = path.bbr.state;
        let pace = path.bbr.pace as f64 / path.bbr.bw as f64 / 0.99;
        let expected = match state {
            Bbr3State::ProbeBwDown => 0.9,
            Bbr3State::ProbeBwUp => 1.25,
            _ => 1.0,
        };
        assert!((pace - expected).abs() < 1e-3, "{state:?} {pace}");
        if state != before {
            seen.push(state);
            if state == Bbr3State::ProbeBwUp {
                ups.push(path.bbr.rounds.count);
            }
        }
    }
    let cycle = [
        Bbr3State::ProbeBwRefill,
        Bbr3State::ProbeBwUp,
        Bbr3State::ProbeBwDown,
        Bbr3State::ProbeBwCruise,
    ];
    assert!(
        seen.iter().zip(cycle.iter().cycle()).all(|(a, b)| a == b),
        "{seen:?}"
    );
    for between in ups.windows(2).map(|pair| pair[1] - pair[0]) {
        assert!((10..=18).contains(&between), "{ups:?}");
    }
}

/// The losses cross the threshold of a fiftieth within a segment: 2 of 119 are 0.38 too few, which
/// the next 0.387 of a segment would be.
#[test]
fn the_bound_is_where_the_losses_of_a_probe_crossed_the_threshold() {
    let mut path = Path::reached(Bbr3State::ProbeBwUp);
    path.lose(120, 1);
    path.lose(120, 2);
    assert_eq!(path.bbr.state, Bbr3State::ProbeBwUp);
    assert_eq!(path.bbr.inflight_longterm, INFINITY);
    path.lose(120, 3);
    assert_eq!(path.bbr.state, Bbr3State::ProbeBwDown);
    assert_eq!(path.bbr.inflight_longterm, 119_387);
    path.lose(120, 4);
    assert_eq!(path.bbr.inflight_longterm, 119_387, "once in a probe");
}

/// Not below 0.7 times what the path holds; and while it cruises it leaves 0.15 of the bound to
/// others.
#[test]
fn what_is_in_flight_stays_below_the_bound_and_leaves_room() {
    let mut path = Path::reached(Bbr3State::ProbeBwUp);
    path.lose(2, 1);
    let held = path.bbr.bdp();
    assert_eq!(path.bbr.inflight_longterm, percent(70, held));
    path.bbr.inflight_longterm = 8 * MSS;
    path.deliver(8);
    assert!(path.bbr.window <= 8 * MSS);
    path.deliver(6);
    assert_eq!(path.bbr.state, Bbr3State::ProbeBwCruise);
    assert_eq!(path.bbr.window, 8 * MSS * 85 / 100);
}

/// After a probe that went too high the next ends at its bound, and if that was no loss goes on
/// with another at once, which raises it by one segment, two, four.
#[test]
fn a_probe_after_one_that_lost_is_a_careful_one() {
    let mut path = Path::reached(Bbr3State::ProbeBwUp);
    path.lose(12, 1);
    let bound = path.bbr.inflight_longterm;
    assert_eq!(bound, 11 * MSS + 220 * 100 / 98);
    path.run_until(Bbr3State::ProbeBwUp);
    path.deliver(12);
    assert_eq!(
        path.bbr.state,
        Bbr3State::ProbeBwDown,
        "it reached the bound"
    );
    path.run_until(Bbr3State::ProbeBwRefill);
    assert!(path.bbr.probe.rounds_since_up <= 3, "at once");
    path.run_until(Bbr3State::ProbeBwUp);
    for _ in 0..40 {
        path.deliver(path.in_flight());
    }
    assert!(path.bbr.inflight_longterm > bound);
}

/// A round with losses outside of a probe: the rate falls to what was delivered in it, at most by
/// three tenths, until the path is filled again.
#[test]
fn losses_outside_of_a_probe_count_until_the_next() {
    let mut path = Path::reached(Bbr3State::ProbeBwCruise);
    let before = path.bbr.max_bw();
    path.lose(10, 1);
    let slow = |path: &mut Path| (0..12).for_each(|_| path.deliver(5));
    slow(&mut path);
    assert_eq!(path.bbr.bw, percent(70, before), "half was delivered");
    path.run_until(Bbr3State::ProbeBwRefill);
    assert_eq!(path.bbr.bw_shortterm, INFINITY);
    path.deliver(10);
    assert_eq!(path.bbr.bw, path.bbr.max_bw());
}

/// Every ten seconds half of what the path holds is in flight, for 200 ms and a round trip.
#[test]
fn it_lets_half_of_the_path_run_empty_once_in_ten_seconds() {
    let mut path = Path::reached(Bbr3State::ProbeBwCruise);
    path.run_until(Bbr3State::ProbeRtt);
    let since = path.bbr.min_rtt.since;
    assert_eq!(path.now, since, "a longer round trip counts by now");
    let (prior, began) = (path.bbr.prior_window, path.now);
    assert_eq!(path.bbr.probe_rtt.window, percent(50, path.bbr.bdp()));
    while path.bbr.state == Bbr3State::ProbeRtt {
        path.deliver(path.in_flight());
        assert!(path.bbr.window <= path.bbr.probe_rtt.window.max(prior));
    }
    let took = (path.now - began).as_micros() / 1000;
    assert!((200..230).contains(&took), "{took}");
    assert_eq!(path.bbr.state, Bbr3State::ProbeBwCruise);
    assert!(path.bbr.window >= prior.min(10 * MSS));
}

/// Without SACK one loss in a round trip is all that is ever told.
#[test]
fn without_sack_any_loss_is_too_much() {
    let mut path = Path::new();
    assert!(!path.bbr.is_inflight_too_high(MSS, 100 * MSS));
    path.bbr.has_sack = false;
    assert!(path.bbr.is_inflight_too_high(MSS, 100 * MSS));
}

#[test]
fn losses_that_were_none_are_forgotten() {
    let mut path = Path::reached(Bbr3State::ProbeBwUp);
    let window = path.bbr.window;
    path.bbr.on_loss(&Loss { in_flight: 13_000 });
    path.lose(13, 1);
    assert_eq!(path.bbr.state, Bbr3State::ProbeBwDown);
    path.bbr.on_undo();
    assert_eq!(path.bbr.state, Bbr3State::ProbeBwRefill, "it probes again");
    assert_eq!(path.bbr.inflight_longterm, INFINITY);
    assert!(path.bbr.window >= window);
}
