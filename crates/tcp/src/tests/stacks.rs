//! Behaviour of the profiles that others do not have.

use units::{Duration, Time};

use super::pair::{Application, LONG, Pair, WireOutcome};
use super::script::{MSS, Script, rfc, sender};
use crate::{
    ConnectionOptions, Event, Failure, Flags, InitialWindow, Profile, Segment, SendCause, State,
    profile,
};

fn named(name: &str) -> Profile {
    let mut profile = profile(name).unwrap();
    (profile.mss_bytes, profile.timestamps) = (MSS as u32, false);
    profile
}

/// The seconds between a segment and its retransmissions, none of which arrives.
fn silences(name: &str, count: usize) -> Vec<f64> {
    let mut s = Script::established(&named(name));
    // A short round trip or two, so that there is something to calculate from.
    for n in 0..4 {
        let ms = 100 + 20 * n;
        s.at(ms).write(1);
        s.data_sent();
        s.at(ms + 5).ack(n + 1);
    }
    s.write(1);
    s.data_sent();
    let mut last = s.now;
    (0..count)
        .map(|_| {
            s.at(s.connection.wake_at().as_nanos().div_ceil(1_000_000));
            assert_eq!(s.data_sent().len(), 1);
            let pause = s.now - last;
            last = s.now;
            pause.as_secs_f64()
        })
        .collect()
}

/// Vasudevan et al. (2003), Fig. 2 and 4(b): the same segment lost again and again is sent
/// after 1.5, 3, 6 and 12 s, the first up to a tick early.
#[test]
fn the_silences_of_the_umass_traces_are_those_of_the_bsd_clock() {
    let silences = silences("bsd-4.4", 5);
    assert!((1.0..=1.5).contains(&silences[0]), "{silences:?}");
    assert_eq!(silences[1..], [3.0, 6.0, 12.0, 24.0]);
}

#[test]
fn linux_begins_with_a_fifth_of_a_second_above_the_round_trip() {
    let silences = silences("linux-6", 5);
    assert!((0.2..0.23).contains(&silences[0]), "{silences:?}");
    // The first is the tail loss probe's, whose own timeout begins anew.
    assert_eq!(silences[0], silences[1]);
    for pair in silences[1..].windows(2) {
        assert!((pair[1] / pair[0] - 2.0).abs() < 0.02, "{silences:?}");
    }
}

#[test]
fn linux_2_4_comes_near_the_same_silences_after_some_doublings() {
    let silences = silences("linux-2.4", 7);
    for (silence, expected) in silences[3..].iter().zip([1.68, 3.36, 6.72, 13.44]) {
        assert!((silence / expected - 1.0).abs() < 0.1, "{silences:?}");
    }
}

#[test]
fn freebsd_adds_its_slop_to_a_minimum_of_three_ticks() {
    let silences = silences("freebsd-4.9", 2);
    assert!((0.22..=0.26).contains(&silences[0]), "{silences:?}");
}

/// What leaves as each of some segments arrives, and what as it is read at once.
fn answers(
    s: &mut Script,
    segments: std::ops::Range<u64>,
) -> Vec<(Vec<SendCause>, Vec<SendCause>)> {
    segments
        .map(|n| {
            let now = s.now.as_nanos() / 1_000_000 + 1;
            s.at(now).data(n);
            let arrived = s.kinds();
            s.connection.read(s.now, u64::MAX);
            (arrived, s.kinds())
        })
        .collect()
}

/// The acknowledgement of a second segment leaves before that is read, and tells of a window
/// without it: with the third, reading has made room for two (tcp_output.c).
#[test]
fn freebsd_sends_two_acknowledgements_for_three_segments() {
    let mut s = Script::established(&named("freebsd-4.9"));
    let of_three = [
        (vec![], vec![]),
        (vec![SendCause::Ack], vec![]),
        (vec![], vec![SendCause::WindowUpdate]),
    ];
    assert_eq!(answers(&mut s, 0..6), [of_three.clone(), of_three].concat());
}

#[test]
fn freebsds_acknowledgement_tells_of_what_is_not_read_yet() {
    let mut profile = named("freebsd-4.9");
    profile.receive_window_bytes = 10_000;
    let mut s = Script::established(&profile);
    s.data(0);
    s.connection.read(s.now, u64::MAX);
    assert!(s.data(1).connection.answers_before_reading());
    assert_eq!(s.sent()[0].window, 9_000);
    s.connection.read(s.now, u64::MAX);
    s.data(2);
    assert!(!s.connection.answers_before_reading());
    s.connection.read(s.now, u64::MAX);
    assert_eq!(s.sent()[0].window, 10_000);
}

/// TF_DELACK is all that an arrival leaves: the timer of 200 ms acknowledges what is not read.
#[test]
fn bsd_4_4_acknowledges_every_second_segment_as_it_is_read() {
    let mut s = Script::established(&named("bsd-4.4"));
    let of_two = [(vec![], vec![]), (vec![], vec![SendCause::WindowUpdate])];
    assert_eq!(answers(&mut s, 0..4), [of_two.clone(), of_two].concat());
    let now = s.now.as_nanos() / 1_000_000;
    s.data(4).data(5).at(now + 199);
    assert_eq!(s.kinds(), []);
    s.at(now + 200);
    assert_eq!(s.kinds(), [SendCause::Ack]);
}

#[test]
fn half_of_a_small_buffer_is_told_of_by_a_bsd() {
    let mut profile = named("freebsd-4.9");
    profile.receive_window_bytes = 2_000;
    let mut s = Script::established(&profile);
    let update = (vec![], vec![SendCause::WindowUpdate]);
    assert_eq!(answers(&mut s, 0..2), [update.clone(), update]);
}

#[test]
fn less_than_two_segments_are_not_worth_telling_of_to_a_bsd() {
    let mut s = Script::established(&named("bsd-4.4"));
    for n in 0..8 {
        s.data(n);
    }
    s.connection.read(s.now, 1_999);
    assert_eq!(s.kinds(), []);
    s.connection.read(s.now, 1);
    let update = s.sent();
    assert_eq!((update.len(), update[0].window), (1, 2_192));
}

/// 32 kB of memory are 24 segments of 1000 bytes, each with 376 beside, and the writer is woken
/// when they are 15, which leave a third free.
#[test]
fn linux_2_4_counts_the_memory_of_what_it_has_to_send() {
    let mut profile = named("linux-2.4");
    profile.send_buffer_bytes = 32 * 1024;
    profile.initial_window = InitialWindow::Segments(40);
    let mut s = Script::established(&profile);
    assert_eq!(s.connection.write(s.now, 1 << 20), 24 * MSS);
    assert_eq!(s.data_sent().len(), 24);
    assert!(!s.ack(8).connection.is_writable());
    assert!(s.ack(9).connection.is_writable());
    assert_eq!(s.connection.write(s.now, 1 << 20), 9 * MSS);
}

/// The seconds at which a SYN leaves, and when it is given up.
fn syns(name: &str) -> (Vec<u64>, u64) {
    let options = ConnectionOptions::default();
    let profile = profile(name).unwrap();
    let mut c = crate::Connection::connect(Time::ZERO, &profile, &options, 1);
    let (mut now, mut sent) = (Time::ZERO, Vec::new());
    loop {
        while c.poll_segment(now).is_some() {
            sent.push(now.as_nanos() / 1_000_000_000);
        }
        if c.state() == State::Closed {
            return (sent, now.as_nanos() / 1_000_000_000);
        }
        now = c.wake_at();
        c.on_timer(now);
    }
}

/// ip-sysctl, tcp_syn_retries: 67 s to the last, 131 s to the end.
#[test]
fn linux_6_waits_a_second_five_times_before_it_doubles() {
    let (sent, given_up) = syns("linux-6");
    assert_eq!(sent, [0, 1, 2, 3, 4, 5, 7, 11, 19, 35, 67]);
    assert_eq!(given_up, 131);
}

#[test]
fn linux_2_4_waits_three_seconds_and_doubles() {
    assert_eq!(syns("linux-2.4"), (vec![0, 3, 9, 21, 45, 93], 189));
}

/// `TCP_MAX_QUICKACKS`: the first sixteen are not delayed, so that slow start is fast.
#[test]
fn linux_acknowledges_the_first_segments_at_once() {
    let mut s = Script::established(&named("linux-6"));
    for n in 0..16 {
        s.data(n);
        assert_eq!(s.kinds(), [SendCause::Ack], "{n}");
    }
    s.data(16);
    assert_eq!(s.kinds(), []);
    assert_eq!(s.connection.wake_at() - s.now, Duration::from_millis(40));
    s.data(17);
    assert_eq!(s.kinds(), [], "nobody reads, so the window closes");
    s.connection.read(s.now, u64::MAX);
    assert_eq!(s.kinds(), [SendCause::Ack], "more than one full segment");
}

#[test]
fn linux_delays_longer_when_data_come_more_slowly() {
    let mut s = Script::established(&named("linux-6"));
    for n in 0..17 {
        s.data(n);
        s.sent();
    }
    // Three segments 70 ms apart: ATO is 40, then 20 + 70, ...
    let mut delays = Vec::new();
    for n in 17..20 {
        let now = s.now.as_nanos() / 1_000_000;
        s.connection.read(s.now, u64::MAX);
        s.at(now + 35).data(n);
        if s.kinds().is_empty() {
            delays.push((s.connection.wake_at() - s.now).as_nanos() / 1_000_000);
        }
    }
    assert!(
        delays.iter().all(|&ms| (40..=200).contains(&ms)),
        "{delays:?}"
    );
    assert!(!delays.is_empty());
}

#[test]
fn a_profile_of_each_kind_carries_a_bulk_transfer_over_a_lossy_wire() {
    for name in crate::profile_names() {
        let p = profile(name).unwrap();
        let mut pair = Pair::upload(&p, 400_000, |from, _, n| {
            if from == 0 && n % 40 == 39 {
                WireOutcome::Drop
            } else {
                WireOutcome::Deliver
            }
        });
        assert!(pair.run(LONG), "{name}");
        pair.assert_complete();
    }
}

fn keeping_alive() -> Script {
    let options = ConnectionOptions {
        keep_alive: true,
        ..Default::default()
    };
    Script::established_with(&rfc(|_| {}), &options)
}

/// RFC 9293 §3.8.4: a probe carries nothing and repeats what is acknowledged.
#[test]
fn a_silent_peer_is_probed_after_two_hours_and_given_up_after_nine_probes() {
    let mut s = keeping_alive();
    let hours = 7_200_000;
    s.at(hours - 1);
    assert_eq!(s.sent(), []);
    s.at(hours);
    let probe = s.sent();
    assert_eq!(
        (probe.len(), probe[0].kind, probe[0].payload),
        (1, SendCause::Probe, 0)
    );
    assert_eq!(probe[0].seq, super::script::OWN, "one before what is next");
    s.ack(0);
    s.at(2 * hours);
    assert_eq!(
        s.kinds(),
        [SendCause::Probe],
        "the answer gave it two hours"
    );
    for n in 1..9 {
        s.at(2 * hours + n * 75_000);
        assert_eq!(s.kinds(), [SendCause::Probe]);
    }
    s.at(2 * hours + 9 * 75_000);
    assert_eq!(s.sent()[0].flags, Flags::RST);
    let events: Vec<_> = core::iter::from_fn(|| s.connection.poll_event()).collect();
    assert_eq!(events.last(), Some(&Event::Failed(Failure::TimedOut)));
}

#[test]
fn a_peer_answers_a_keep_alive_probe_at_once() {
    let mut s = Script::established(&rfc(|_| {}));
    s.receive(Segment {
        seq: super::script::PEER,
        ack: super::script::OWN + 1,
        flags: Flags::ACK,
        window: 8000,
        ..Segment::default()
    });
    assert_eq!(s.kinds(), [SendCause::Ack]);
}

#[test]
fn fin_wait_2_ends_by_itself_once_nobody_reads_and_not_before() {
    let closing = |release: bool| {
        let mut s = Script::established(&rfc(|p| p.fin_wait2_ms = 60_000));
        if release {
            s.connection.release(s.now);
        } else {
            s.connection.close(s.now);
        }
        let fin = s.sent()[0];
        s.receive(Segment {
            seq: super::script::PEER + 1,
            ack: fin.seq + 1,
            flags: Flags::ACK,
            ..fin
        });
        assert_eq!(s.connection.state(), State::FinWait2);
        s
    };
    assert_eq!(closing(false).connection.wake_at(), Time::NEVER);
    let mut s = closing(true);
    s.at(60_000);
    assert_eq!(s.connection.state(), State::Closed);
    let mut s = closing(true);
    s.data(0);
    assert_eq!(s.sent()[0].flags, Flags::RST, "nobody reads it");
}

#[test]
fn what_is_released_unread_is_reset() {
    let mut s = Script::established(&rfc(|_| {}));
    s.data(0).data(1);
    s.sent();
    s.connection.release(s.now);
    assert_eq!(s.sent()[0].flags, Flags::RST);
}

#[test]
fn tcp_info_speaks_in_segments_and_microseconds() {
    let mut s = Script::established(&rfc(|p| {
        p.initial_window = InitialWindow::Segments(10);
        sender(p).limited_transmit = false;
    }));
    s.write(12);
    s.data_sent();
    let info = s.connection.tcp_info();
    assert_eq!((info.tcpi_state, info.tcpi_ca_state as u32), (1, 0));
    assert_eq!((info.tcpi_snd_cwnd, info.tcpi_unacked), (10, 10));
    assert_eq!(info.tcpi_snd_ssthresh, crate::TcpInfo::INFINITE_SSTHRESH);
    assert_eq!((info.tcpi_delivered, info.tcpi_notsent_bytes), (1, 2000));
    s.at(50).ack_sack(1, &[(2, 3)]);
    let info = s.connection.tcp_info();
    assert_eq!((info.tcpi_ca_state as u32, info.tcpi_sacked), (1, 1));
    assert_eq!(info.tcpi_delivered, 3);
    s.ack_sack(1, &[(2, 4)]).ack_sack(1, &[(2, 5)]);
    s.data_sent();
    let info = s.connection.tcp_info();
    assert_eq!(info.tcpi_ca_state, crate::CaState::Recovery);
    assert_eq!(
        (info.tcpi_lost, info.tcpi_retrans, info.tcpi_total_retrans),
        (1, 1, 1)
    );
    assert!(info.tcpi_rto >= 1_000_000 && info.tcpi_rtt > 0);
    s.at(4000);
    s.data_sent();
    let info = s.connection.tcp_info();
    assert_eq!((info.tcpi_ca_state as u32, info.tcpi_retransmits), (4, 1));
    assert_eq!((info.tcpi_backoff, info.tcpi_snd_cwnd), (1, 1));
}

/// An application that writes less than the window holds leaves it as it is (RFC 7661 §4).
#[test]
fn a_sender_at_a_set_rate_does_not_grow_its_window() {
    for name in ["rfc", "linux-6"] {
        let mut s = Script::established(&named(name));
        for n in 0..50 {
            s.at(10 + 100 * n).write(1);
            s.data_sent();
            s.at(60 + 100 * n).ack(n + 1);
        }
        let initial = named(name).initial_window.bytes(MSS as u32) / MSS;
        assert!(s.cwnd() <= initial + 1, "{name}: {}", s.cwnd());
    }
}

#[test]
fn connections_of_512_to_1500_bytes_carry_their_segments_full() {
    for mss in [472, 536, 1000, 1460] {
        let options = ConnectionOptions {
            mss_limit_bytes: Some(mss),
            ..Default::default()
        };
        let applications = [Application::sends(100_000), Application::sends(0)];
        let p = profile("rfc").unwrap();
        let mut pair = Pair::new(
            [&p; 2],
            [options, Default::default()],
            [1, 2],
            applications,
            |_, _, _| WireOutcome::Deliver,
        );
        assert!(pair.run(LONG));
        pair.assert_complete();
        let short = pair.data_sent(0).filter(|s| s.payload != mss).count();
        assert!(short <= 1, "{mss}: {short}");
    }
}
