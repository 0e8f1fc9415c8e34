//! Whole connections against the formulas that describe them.

use units::Duration;

use super::bottleneck::{Bottleneck, Link, Loss};
use super::script::{MSS, rfc, sender};
use crate::{CongestionAlgorithm, Profile, RecoveryAlgorithm};

/// The round-trip time of [`lossy`] in seconds.
const RTT: f64 = 0.1;

/// No window but the congestion window limits the sender.
fn unlimited(change: impl FnOnce(&mut Profile)) -> Profile {
    rfc(|p| {
        p.receive_window_bytes = 1 << 24;
        p.send_buffer_bytes = 1 << 25;
        change(p);
    })
}

/// A link so fast that nothing waits.
fn lossy(loss: Loss) -> Link {
    Link {
        byte_time: 1,
        queue: usize::MAX,
        delay: [Duration::from_millis(50); 2],
        loss,
    }
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Segments per second of one flow, from second `begin` on for `seconds`.
fn rate(profile: &Profile, link: Link, begin: f64, seconds: f64) -> f64 {
    Bottleneck::new(&[*profile], link, SEED).rate(begin, seconds)
}

/// A recovery whose congestion avoidance counts acknowledgements, of which there is one for
/// every `segments`, as the formulas have it (their b).
fn counting(recovery: RecoveryAlgorithm, segments: u32) -> Profile {
    unlimited(|p| {
        sender(p).recovery = recovery;
        p.sack = recovery == RecoveryAlgorithm::Sack;
        sender(p).limited_transmit = recovery != RecoveryAlgorithm::Reno;
        sender(p).byte_counting = false;
        p.delayed_ack_segments = segments;
    })
}

/// Padhye et al. (1998), without a window's limit, for a round trip of [`RTT`], a first timeout
/// of a second and an acknowledgement for every `b` segments. Reno under independent losses is
/// held to equation 30, the approximation; SACK under the loss model it was derived for, to the
/// whole of it.
struct Padhye {
    p: f64,
    b: f64,
}

const TIMEOUT: f64 = 1.0;

impl Padhye {
    /// Equation 30: segments sent per second.
    fn approximate(&self) -> f64 {
        let Padhye { p, b } = self;
        let fast = RTT * (2.0 * b * p / 3.0).sqrt();
        let in_timeouts = (3.0 * (3.0 * b * p / 8.0).sqrt()).min(1.0);
        1.0 / (fast + TIMEOUT * in_timeouts * p * (1.0 + 32.0 * p * p))
    }

    /// The throughput of the full model: segments received per second, which of each window
    /// that ends in a loss are half.
    fn received(&self) -> f64 {
        let p = self.p;
        let (window, in_timeout) = (self.window(), self.timeout_share());
        let backoff = 1.0 + p + (1..6).map(|n| (2.0 * p).powi(n) * p).sum::<f64>();
        let segments = (1.0 - p) / p + window / 2.0 + in_timeout;
        let rounds = self.b / 2.0 * window + 1.0;
        segments / (RTT * rounds + in_timeout * TIMEOUT * backoff / (1.0 - p))
    }

    /// E[W], the mean window when a loss comes.
    fn window(&self) -> f64 {
        let Padhye { p, b } = self;
        let offset = (2.0 + b) / (3.0 * b);
        offset + (8.0 * (1.0 - p) / (3.0 * b * p) + offset * offset).sqrt()
    }

    /// Q(E[W]), the share of losses of which fewer than three duplicates tell.
    fn timeout_share(&self) -> f64 {
        let (kept, window) = (1.0 - self.p, self.window());
        let two_or_less = 1.0 - kept.powi(3);
        let in_next_round = 1.0 + kept.powi(3) * (1.0 - kept.powf(window - 3.0));
        (two_or_less * in_next_round / (1.0 - kept.powf(window))).min(1.0)
    }
}

/// Mathis et al. (1997): sqrt(1.5 / (b p)) segments per round trip.
fn mathis(p: f64, b: f64) -> f64 {
    (1.5 / (b * p)).sqrt() / RTT
}

/// Returns what 500 losses take at the rate of the approximation.
fn seconds(p: f64, b: f64) -> f64 {
    500.0 / (Padhye { p, b }.approximate() * p)
}

/// A loss costs half the window and nothing else, which is so as long as recovery mends all of a
/// window without a timeout: NewReno and SACK, up to a loss in a hundred.
#[test]
fn newreno_and_sack_follow_the_square_root_formula_where_timeouts_are_rare() {
    for one_in in [10_000, 3000, 1000, 300, 100] {
        for recovery in [RecoveryAlgorithm::NewReno, RecoveryAlgorithm::Sack] {
            for b in [1, 2] {
                let (p, acked) = (1.0 / one_in as f64, f64::from(b));
                let mut network =
                    Bottleneck::new(&[counting(recovery, b)], lossy(Loss::Random(one_in)), SEED);
                let rate = network.rate(50.0, seconds(p, acked));
                let ratio = rate / mathis(p, acked);
                let case = format!("{recovery:?}, Mathis, b = {b}, 1/{one_in}: {ratio:.2}");
                println!("{case}");
                assert!((0.85..1.15).contains(&ratio), "{case}");
                assert!(network.timeouts() * 20 < network.drops, "{case}");
            }
        }
    }
}

/// Beyond that no formula's assumptions hold: there are timeouts, which Mathis et al. leave out,
/// but fewer than where a loss takes the rest of its round along, as Padhye et al. have it.
#[test]
fn newreno_and_sack_lie_between_the_two_formulas_under_heavy_independent_losses() {
    for one_in in [50, 33, 20] {
        for recovery in [RecoveryAlgorithm::NewReno, RecoveryAlgorithm::Sack] {
            let p = 1.0 / one_in as f64;
            let profile = counting(recovery, 2);
            let link = lossy(Loss::Random(one_in));
            let rate = rate(&profile, link, 50.0, seconds(p, 2.0));
            let between = Padhye { p, b: 2.0 }.approximate()..mathis(p, 2.0);
            let ratio = rate / mathis(p, 2.0);
            println!("{recovery:?}, Mathis, b = 2, 1/{one_in}: ({ratio:.2})");
            assert!(between.contains(&rate), "{recovery:?} 1/{one_in}: {rate}");
        }
    }
}

/// The vectors of the approximation for a round trip of 0.1 s and a first timeout of 1 s.
#[test]
fn the_formula_of_padhye_gives_its_published_rates() {
    for (p, expected) in [(1e-4, 864.08), (1e-3, 267.8), (1e-2, 70.65), (5e-2, 17.49)] {
        let rate = Padhye { p, b: 2.0 }.approximate();
        assert!((rate / expected - 1.0).abs() < 1e-3, "{p}");
    }
}

/// Independent losses suit Reno, whose second loss in a window costs the timeout that the
/// formula finds in its rounds cut short.
#[test]
fn reno_follows_the_formula_of_padhye_up_to_five_percent() {
    for one_in in [10_000, 3000, 1000, 300, 100, 50, 33, 20] {
        for b in [1, 2] {
            let (p, acked) = (1.0 / one_in as f64, f64::from(b));
            let profile = counting(RecoveryAlgorithm::Reno, b);
            let link = lossy(Loss::Random(one_in));
            let rate = rate(&profile, link, 50.0, seconds(p, acked));
            let ratio = rate / Padhye { p, b: acked }.approximate();
            println!("Reno, Padhye, b = {b}, 1/{one_in}: {ratio:.2}");
            assert!((0.85..1.15).contains(&ratio), "{b} 1/{one_in}: {ratio}");
        }
    }
}

/// Returns how SACK's rate compares with the full model's where the rest of the round is lost: the
/// mean of eight runs where timeouts are frequent, which double and make a single run hang on few
/// losses.
fn sack_over_padhye(one_in: u64, b: u32, loss: impl Fn(u64, Duration) -> Loss) -> f64 {
    // A round is one burst here, and the next comes a round trip later.
    let half_a_round = Duration::from_millis(50);
    let (p, acked) = (1.0 / one_in as f64, f64::from(b));
    let profile = counting(RecoveryAlgorithm::Sack, b);
    let count = if one_in > 100 { 1 } else { 8 };
    let runs = (0..count).map(|n| {
        let link = lossy(loss(one_in, half_a_round));
        let mut network = Bottleneck::new(&[profile], link, SEED.wrapping_mul(2 * n + 1));
        network.rate(50.0, seconds(p, acked))
    });
    runs.sum::<f64>() / count as f64 / Padhye { p, b: acked }.received()
}

/// Padhye's own losses: the first of a round takes the rest of it along, and either costs half
/// the window or ends in a timeout, however many there were. That is SACK, which mends them in
/// one round trip; NewReno needs one for each, and Reno a timeout.
#[test]
fn sack_follows_the_formula_of_padhye_up_to_five_percent_where_rounds_are_lost_to_their_end() {
    for one_in in [10_000, 3000, 1000, 300, 100, 50, 33, 20] {
        for b in [1, 2] {
            let ratio = sack_over_padhye(one_in, b, Loss::Rest);
            println!("Sack, Padhye, rest of the round, b = {b}, 1/{one_in}: {ratio:.2}");
            let least = if (one_in, b) == (20, 1) { 0.8 } else { 0.85 };
            assert!((least..1.15).contains(&ratio), "{b} 1/{one_in}: {ratio}");
        }
    }
}

/// What SACK falls short of the formula under heavy losses is what was retransmitted and lost: only
/// a timeout mends that (RFC 6675), and until new data are acknowledged each waits twice as long
/// (RFC 6298 §5). The formula has one segment to retransmit, and the window that an
/// acknowledgement for every segment brings has more to lose.
#[test]
fn sack_exceeds_the_formula_of_padhye_if_what_is_retransmitted_arrives() {
    for b in [1, 2] {
        let ratio = sack_over_padhye(20, b, Loss::RestOfNew);
        println!("Sack, Padhye, rest of the round but for copies, b = {b}, 1/20: {ratio:.2}");
        assert!((1.0..1.2).contains(&ratio), "{b}: {ratio}");
    }
}

/// RFC 9438 §5.1: the average window for a loss in every 1/p segments. The formula leaves out
/// fast convergence and the round trip that recovery takes, which cost up to an eighth.
#[test]
fn cubic_has_the_window_of_its_response_function() {
    for (every, window) in [(1000, 38.0), (10_000, 187.0), (100_000, 1054.0)] {
        let profile = unlimited(|p| {
            p.congestion_control = CongestionAlgorithm::Cubic;
            (p.receive_window_bytes, p.send_buffer_bytes) = (1 << 26, 1 << 27);
        });
        let cycle = every as f64 / window * RTT;
        let rate = rate(
            &profile,
            lossy(Loss::Periodic(every)),
            20.0 * cycle,
            40.0 * cycle,
        );
        let ratio = rate * RTT / window;
        assert!((0.85..1.15).contains(&ratio), "1/{every}: {ratio}");
    }
}

/// A bottleneck of a segment per 1.04 ms and a path of 40 ms, with room for fifty to wait.
fn shared() -> Link {
    Link {
        byte_time: 1000,
        queue: 50,
        delay: [Duration::from_millis(20); 2],
        loss: Loss::None,
    }
}

fn controlled(congestion_control: CongestionAlgorithm) -> Profile {
    unlimited(|p| p.congestion_control = congestion_control)
}

const ALL: [CongestionAlgorithm; 4] = [
    CongestionAlgorithm::Reno,
    CongestionAlgorithm::Cubic,
    CongestionAlgorithm::Vegas,
    CongestionAlgorithm::Westwood,
];

/// Jain's index of what each flow gets, and the share of the link that all get together.
#[test]
fn equal_flows_share_a_bottleneck_and_fill_it() {
    for algorithm in ALL {
        for flows in [2, 5, 8] {
            let profiles = vec![controlled(algorithm); flows];
            let mut network = Bottleneck::new(&profiles, shared(), 1);
            network.run_until(60.0);
            let before = network.received();
            network.run_until(300.0);
            let gained = network.received().into_iter().zip(before);
            let gained: Vec<f64> = gained
                .map(|(after, before)| (after - before) as f64)
                .collect();
            let sum: f64 = gained.iter().sum();
            let squares: f64 = gained.iter().map(|x| x * x).sum();
            let jain = sum * sum / (flows as f64 * squares);
            assert!(jain >= 0.95, "{algorithm:?} {flows}: {jain} {gained:?}");
            let used = sum / MSS as f64 * 0.001_04 / 240.0;
            assert!(used > 0.98, "{algorithm:?} {flows}: {used}");
        }
    }
}

/// Brakmo and Peterson (1995) §III.B: between alpha = 2 and beta = 4 segments wait, besides the
/// one that is being sent.
#[test]
fn vegas_keeps_two_to_four_segments_waiting() {
    let profile = Profile {
        delayed_ack_segments: 1, // pairs of segments would stand in the queue as pairs
        ..controlled(CongestionAlgorithm::Vegas)
    };
    let mut network = Bottleneck::new(&[profile], shared(), 1);
    network.run_until(20.0);
    let (drops, mut sum) = (network.drops, 0);
    for sample in 0..10_000 {
        network.run_until(20.0 + 0.0137 * f64::from(sample));
        let waiting = network.queued() - 1;
        // Between an arrival and the next departure there is one more.
        assert!((2..=5).contains(&waiting), "{waiting}");
        sum += waiting;
    }
    let mean = sum as f64 / 10_000.0;
    assert!((2.0..=4.0).contains(&mean), "{mean}");
    assert_eq!(network.drops, drops);
}

/// `linux-6` with one of the two controls that pace, or another.
fn paced(congestion_control: CongestionAlgorithm) -> Profile {
    Profile {
        congestion_control,
        ..crate::profile("linux-6").expect("it is one")
    }
}

/// Returns how much of the link each flow uses, after twenty seconds for a hundred.
fn shares(algorithms: &[CongestionAlgorithm], link: Link) -> Vec<f64> {
    let profiles: Vec<Profile> = algorithms.iter().map(|each| paced(*each)).collect();
    let segment = 1e-9 * link.byte_time as f64 * (MSS as f64 + 40.0);
    let mut network = Bottleneck::new(&profiles, link, SEED);
    network.run_until(20.0);
    let before = network.received();
    network.run_until(120.0);
    let gained = network.received().into_iter().zip(before);
    let gained = gained.map(|(after, before)| (after - before) as f64);
    gained
        .map(|bytes| bytes / MSS as f64 * segment / 100.0)
        .collect()
}

/// BBR has as much on the way as the path holds, a bit more where it asks for bandwidth, and in
/// every ten seconds two tenths with four segments only, or version 3 with half; so a flow that has
/// begun leaves the queue short, where CUBIC fills it, and uses 98 % of the link, less a hundredth
/// that it paces below it.
#[test]
fn bbr_fills_the_link_and_not_the_queue() {
    for algorithm in [CongestionAlgorithm::Bbr, CongestionAlgorithm::Bbr3] {
        let mut network = Bottleneck::new(&[paced(algorithm)], shared(), 1);
        network.run_until(20.0);
        let drops = network.drops;
        let before = network.received()[0];
        let mut waiting = 0;
        for sample in 0..4_000 {
            network.run_until(20.0 + 0.0137 * f64::from(sample));
            waiting += network.queued().saturating_sub(1);
        }
        let used = (network.received()[0] - before) as f64 / MSS as f64 * 0.001_04 / 54.8;
        let mean = waiting as f64 / 4_000.0;
        assert!(used > 0.95, "{algorithm:?} {used}");
        assert!(mean < 8.0, "{algorithm:?} {mean} of 50 wait");
        assert_eq!(network.drops, drops, "{algorithm:?}");
    }
}

/// Version 3 bears losses of up to a fiftieth of a round, and so uses most of a link that loses one
/// segment in a hundred, of which CUBIC takes each for a full queue; of one in twenty it heeds the
/// losses, which version 1 does not.
#[test]
fn the_third_bbr_bears_rare_losses_and_heeds_frequent_ones() {
    let used = |algorithm, one_in| {
        let link = Link {
            loss: Loss::Random(one_in),
            ..shared()
        };
        shares(&[algorithm], link)[0]
    };
    for (one_in, [cubic, third, first]) in [
        (1000, [0.9..1.02, 0.95..1.0, 0.95..1.0]),
        (100, [0.2..0.5, 0.85..0.95, 0.95..1.0]),
        (50, [0.15..0.35, 0.6..0.8, 0.95..1.0]),
        (20, [0.0..0.2, 0.2..0.5, 0.95..1.0]),
    ] {
        let expected = [
            (CongestionAlgorithm::Cubic, cubic),
            (CongestionAlgorithm::Bbr3, third),
            (CongestionAlgorithm::Bbr, first),
        ];
        for (algorithm, expected) in expected {
            let used = used(algorithm, one_in);
            println!("{algorithm:?} 1/{one_in}: {used:.3}");
            assert!(expected.contains(&used), "{algorithm:?} 1/{one_in}: {used}");
        }
    }
}

/// Behind a queue of ten, which BBR's first version keeps full, CUBIC loses too often to grow. The
/// third probes as seldom as Reno would, and goes down where it made losses: CUBIC keeps a share,
/// and two of the third get the same.
#[test]
fn the_third_bbr_leaves_cubic_a_share_behind_a_short_queue() {
    let among = |algorithms: [CongestionAlgorithm; 2]| {
        let link = Link {
            queue: 10,
            ..shared()
        };
        let shares = shares(&algorithms, link);
        println!("{algorithms:?}: {shares:.3?}");
        shares[1] / (shares[0] + shares[1])
    };
    use CongestionAlgorithm::{Bbr, Bbr3, Cubic};
    assert!(among([Bbr, Cubic]) < 0.1);
    assert!(among([Bbr3, Cubic]) > 0.2);
    assert!((0.45..0.55).contains(&among([Bbr3, Bbr3])));
}

/// Westwood+ falls to what the path holds, so a single flow keeps the link busy even behind a
/// queue too short for Reno's halving.
#[test]
fn westwood_wastes_less_behind_a_short_queue_than_reno() {
    let used = |algorithm| {
        let link = Link {
            queue: 10,
            ..shared()
        };
        rate(&controlled(algorithm), link, 60.0, 240.0) * 0.001_04
    };
    let (reno, westwood) = (
        used(CongestionAlgorithm::Reno),
        used(CongestionAlgorithm::Westwood),
    );
    assert!(westwood > reno + 0.02, "{westwood} {reno}");
}
