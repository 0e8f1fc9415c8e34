//! Whole exchanges under block acknowledgment on an ideal channel.

use phy::{Band, Format, GuardInterval, LONGEST_PPDU, Mode, Standard, Width};
use units::Duration;

use super::{AggregationConfig, Agreements, Negotiation};
use crate::category::Category;
use crate::frame::{Address, FrameKind};
use crate::mac::harness::Channel;
use crate::mac::tests::config;
use crate::mac::{
    AccessFunction, DropCause, MacConfig, Msdu, OutcomeResult, Protection, ReceiverConfig,
};
use crate::rate_control::{RateControlConfig, fallback, minstrel_ht};

/// A station of 802.11n at 5 GHz, 20 MHz, MCS 7, with the values of best effort.
fn ht() -> MacConfig {
    MacConfig {
        standard: Standard::Dot11n,
        band: Some(Band::Ghz5),
        aggregation: Some(AggregationConfig {
            ampdu_bytes: 65_535,
            amsdu_bytes: 0,
            window: 64,
            spacing_ns: Duration::ZERO,
            lasts_ns: LONGEST_PPDU,
            patience_ns: Duration::from_millis(100),
            agreements: Agreements::Standing,
            takes: 64,
            idle_ns: Duration::ZERO,
        }),
        short_slot: true,
        basic_rates: vec![Mode::OFDM_6, Mode::OFDM_12, Mode::OFDM_24],
        rate: Mode::ht(7, Width::Mhz20, GuardInterval::Ns800),
        queue_packets: 1000,
        cw_min: 15,
        edca: Some(AccessFunction {
            category: Category::BestEffort,
            aifsn: 3,
            txop_limit_ns: Duration::ZERO,
        }),
        ..config()
    }
}

fn with_packets(config: &MacConfig, count: u32) -> Channel {
    let mut channel = Channel::new(2, config);
    (0..count).for_each(|id| channel.enqueue(0, id, 1, 1508));
    channel
}

fn delivered(channel: &Channel, station: usize) -> Vec<u32> {
    let deliveries = channel.stations[station].deliveries.iter();
    deliveries.map(|(_, delivery)| delivery.msdu).collect()
}

#[test]
fn what_waits_goes_as_one_ppdu_and_one_block_ack_answers_it() {
    let mut channel = with_packets(&ht(), 4);
    channel.run_micros(10_000);
    let kinds: Vec<_> = channel.sent.iter().map(|sent| sent.frame.kind).collect();
    assert_eq!(kinds, [FrameKind::Data, FrameKind::BlockAck]);
    let timeline = channel.timeline();
    let (begin, end, ..) = timeline[0];
    // 3 x 1544 + 1542 bytes in 191 symbols behind 36 us of preamble.
    assert_eq!(end - begin, 36.0 + 191.0 * 4.0);
    assert_eq!(timeline[1].0 - end, 16.0);
    assert_eq!(timeline[1].1 - timeline[1].0, 32.0, "32 bytes at 24 Mbit/s");
    assert_eq!(delivered(&channel, 1), [0, 1, 2, 3]);
    assert_eq!(channel.stations[0].outcomes.len(), 4);
    let counters = channel.stations[0].mac.counters();
    assert_eq!(
        (counters.attempts(), counters.rates_bps()),
        (4, 4 * 65_000_000)
    );
}

#[test]
fn a_single_mpdu_is_acknowledged_as_ever() {
    let mut channel = with_packets(&ht(), 1);
    channel.run_micros(10_000);
    let timeline = channel.timeline();
    assert_eq!(
        timeline[0].1 - timeline[0].0,
        228.0,
        "as the standard's sum"
    );
    assert_eq!(timeline[1].3, FrameKind::Ack);
    assert_eq!(channel.stations[0].outcomes.len(), 1);
}

#[test]
fn a_lost_mpdu_alone_is_retransmitted_and_what_follows_it_waits() {
    let mut channel = with_packets(&ht(), 3);
    channel.lost_mpdus = vec![(0, 1)];
    channel.run_micros(10_000);
    let frames: Vec<_> = (channel.sent.iter())
        .map(|sent| (sent.frame.kind, sent.frame.sequence, sent.frame.retry))
        .collect();
    use FrameKind::{Ack, BlockAck, Data};
    assert_eq!(frames[0], (Data, 0, false));
    assert_eq!(frames[1].0, BlockAck);
    assert_eq!(frames[2], (Data, 1, true));
    assert_eq!(frames[3].0, Ack);
    assert_eq!(delivered(&channel, 1), [0, 1, 2]);
    let done: Vec<_> = (channel.stations[0].outcomes.iter())
        .map(|outcome| outcome.msdu)
        .collect();
    assert_eq!(done, [0, 2, 1]);
}

#[test]
fn a_block_ack_that_does_not_come_has_all_retransmitted() {
    let mut channel = with_packets(&ht(), 3);
    channel.lost = vec![1];
    channel.run_micros(10_000);
    let frames: Vec<_> = channel.sent.iter().map(|sent| sent.frame).collect();
    assert_eq!(frames.len(), 4);
    assert!(frames[2].retry && frames[2].ampdu_bytes == frames[0].ampdu_bytes);
    assert_eq!(delivered(&channel, 1), [0, 1, 2], "each once");
    assert_eq!(channel.stations[1].mac.counters().duplicates, 3);
    assert_eq!(channel.stations[0].mac.counters().block_acks_missed, 1);
    assert_eq!(channel.stations[0].backoffs.windows, [31, 15]);
}

/// Returns what an access point of 802.11n has for a station of an older amendment.
fn older(standard: Standard, rate: Mode) -> ReceiverConfig {
    ReceiverConfig {
        standard: Some(standard),
        aggregation: None,
        rate,
        rate_control: config().rate_control,
        short_retry_limit: 7,
        long_retry_limit: 4,
    }
}

/// Its headers have no QoS Control: 1508 bytes, 28 around them.
#[test]
fn a_station_of_802_11a_gets_one_packet_at_a_time_in_its_own_format() {
    let mut channel = Channel::new(3, &ht());
    let own = older(Standard::Dot11a, Mode::OFDM_54);
    channel.stations[0].mac.treat_apart(Address(1), &own);
    for id in 0..4 {
        channel.enqueue(0, id, 1 + id as u16 % 2, 1508);
    }
    channel.run_micros(10_000);
    let data = channel.sent.iter().map(|sent| sent.frame);
    let data: Vec<_> = data.filter(|frame| frame.kind == FrameKind::Data).collect();
    let sizes: Vec<_> = (data.iter())
        .map(|frame| (frame.receiver.0, frame.mode().format(), frame.psdu_bytes()))
        .collect();
    let alone = (1, Format::Ofdm, 1536);
    assert_eq!(sizes, [alone, (2, Format::HtMixed, 1544 + 1538 + 4), alone]);
    assert_eq!(delivered(&channel, 1), [0, 2]);
    assert_eq!(delivered(&channel, 2), [1, 3]);
    assert_eq!(channel.stations[0].outcomes.len(), 4);
}

/// At 2.4 GHz stations of 802.11b cannot read what the others say, and hear a CTS before it.
#[test]
fn frames_of_802_11n_are_announced_to_stations_of_802_11b() {
    let config = MacConfig {
        band: Some(Band::Ghz2_4),
        basic_rates: vec![Mode::DSSS_1, Mode::DSSS_2],
        protection: Protection::CtsToSelf,
        ..ht()
    };
    let mut channel = Channel::new(3, &config);
    let own = older(Standard::Dot11b, Mode::CCK_11);
    channel.stations[0].mac.note_dsss_only(Address(1));
    channel.stations[0].mac.treat_apart(Address(1), &own);
    channel.enqueue(0, 0, 2, 1508);
    channel.enqueue(0, 1, 1, 1508);
    channel.run_micros(20_000);
    let frames: Vec<_> = (channel.sent.iter())
        .map(|sent| (sent.frame.kind, sent.frame.mode().format()))
        .collect();
    use FrameKind::{Ack, Cts, Data};
    let [dsss, erp, ht] = [Format::Dsss, Format::ErpOfdm, Format::HtMixed];
    assert_eq!(
        frames,
        [
            (Cts, dsss),
            (Data, ht),
            (Ack, erp),
            (Data, dsss),
            (Ack, dsss)
        ]
    );
}

#[test]
fn exchanges_in_vain_step_down_and_an_answer_begins_again() {
    let config = MacConfig {
        rate_control: RateControlConfig::Fallback(fallback::Config {
            attempts_per_rate: 1,
        }),
        ..ht()
    };
    let mut channel = with_packets(&config, 3);
    // Two aggregates, and then one MPDU of the third.
    channel.lost = vec![0, 1];
    channel.lost_mpdus = vec![(2, 0)];
    channel.run_micros(20_000);
    let data = channel.sent.iter().map(|sent| sent.frame);
    let data = data.filter(|frame| frame.kind == FrameKind::Data);
    let mcs: Vec<u8> = data.map(|frame| frame.mode().mcs()).collect();
    assert_eq!(mcs, [7, 6, 5, 7]);
}

fn minstrel() -> MacConfig {
    MacConfig {
        rate_control: RateControlConfig::MinstrelHt(minstrel_ht::Config {
            update_interval: Duration::from_millis(50),
            probe_interval: Duration::from_millis(20),
        }),
        ..ht()
    }
}

#[test]
fn a_rate_is_tried_with_one_mpdu_by_itself() {
    let mut channel = with_packets(&minstrel(), 4);
    channel.run_micros(20_000);
    let frames: Vec<_> = (channel.sent.iter())
        .map(|sent| (sent.frame.kind, sent.frame.mode().mcs()))
        .collect();
    use FrameKind::{Ack, BlockAck, Data};
    assert_eq!(frames[0], (Data, 1));
    assert_eq!(frames[1].0, Ack);
    // Two of the three that are left last 5.484 ms at MCS 0.
    assert_eq!(frames[2], (Data, 0));
    assert_eq!(frames[3].0, BlockAck);
    assert_eq!(delivered(&channel, 1), [0, 1, 2, 3]);
}

#[test]
fn what_failed_in_a_try_goes_on_by_itself_and_announced() {
    let mut channel = with_packets(&minstrel(), 3);
    channel.lost = vec![0];
    channel.run_micros(20_000);
    let kinds: Vec<_> = channel.sent.iter().map(|sent| sent.frame.kind).collect();
    use FrameKind::{Ack, BlockAck, Cts, Data, Rts};
    assert_eq!(kinds, [Data, Rts, Cts, Data, Ack, Data, BlockAck]);
    assert_eq!(delivered(&channel, 1), [0, 1, 2]);
}

#[test]
#[should_panic(expected = "minstrel-ht is a control of 802.11n and later")]
fn minstrel_is_refused_where_there_are_no_mcs() {
    let rate_control = minstrel().rate_control;
    Channel::new(
        2,
        &MacConfig {
            rate_control,
            ..config()
        },
    );
}

/// MPDU 0 is lost seven times; then it is given up, and the recipient, which holds the others back,
/// is told that it will not come.
#[test]
fn what_is_given_up_moves_the_window_of_the_recipient() {
    let mut channel = with_packets(&ht(), 3);
    channel.lost_mpdus = vec![(0, 0)];
    // Alone it goes without an aggregate.
    channel.lost = (2..8).collect();
    channel.run_micros(20_000);
    let last: Vec<_> = channel
        .sent
        .iter()
        .rev()
        .take(2)
        .map(|sent| sent.frame.kind)
        .collect();
    assert_eq!(last, [FrameKind::BlockAck, FrameKind::BlockAckRequest]);
    assert_eq!(delivered(&channel, 1), [1, 2]);
    let dropped = channel.stations[0]
        .outcomes
        .last()
        .map(|outcome| outcome.result);
    let (cause, attempts) = (DropCause::ShortRetryLimit, 7);
    assert_eq!(dropped, Some(OutcomeResult::Dropped { cause, attempts }));
}

#[test]
fn a_receiver_that_has_gone_is_asked_no_more_often_than_tried() {
    let mut channel = with_packets(&ht(), 3);
    channel.lost = (0..100).collect();
    channel.run_micros(1_000_000);
    let count = |kind| {
        channel
            .sent
            .iter()
            .filter(|sent| sent.frame.kind == kind)
            .count()
    };
    let tried = [FrameKind::Data, FrameKind::BlockAckRequest].map(count);
    assert_eq!(tried, [7, 7]);
    assert_eq!(channel.stations[0].outcomes.len(), 3);
}

#[test]
fn an_rts_goes_before_a_psdu_above_the_threshold() {
    let config = MacConfig {
        rts_threshold: 2000,
        ..ht()
    };
    let mut channel = with_packets(&config, 3);
    channel.run_micros(10_000);
    let kinds: Vec<_> = channel.sent.iter().map(|sent| sent.frame.kind).collect();
    use FrameKind::{BlockAck, Cts, Data, Rts};
    assert_eq!(kinds, [Rts, Cts, Data, BlockAck]);
    let end = channel.timeline()[3].1;
    let (rts_ends, reserved) = (
        channel.timeline()[0].1,
        f64::from(channel.sent[0].frame.duration),
    );
    assert!(
        (rts_ends + reserved - end).abs() < 1.0,
        "its NAV lasts as long as the exchange"
    );
}

#[test]
fn receivers_take_turns_in_the_order_in_which_their_packets_came() {
    let mut channel = Channel::new(3, &ht());
    for (id, to) in [(0, 1), (1, 2), (2, 1), (3, 2)] {
        channel.enqueue(0, id, to, 1508);
    }
    channel.run_micros(10_000);
    let data = channel
        .sent
        .iter()
        .filter(|sent| sent.frame.kind == FrameKind::Data);
    let receivers: Vec<_> = data.map(|sent| sent.frame.receiver.0).collect();
    assert_eq!(receivers, [1, 2]);
    assert_eq!(delivered(&channel, 1), [0, 2]);
    assert_eq!(delivered(&channel, 2), [1, 3]);
}

/// Station 1 loses an MPDU of each aggregate, so that it always has to get something again; station 2 has
/// its turns all the same.
#[test]
fn a_receiver_that_loses_much_does_not_keep_the_others_from_theirs() {
    let mut channel = Channel::new(3, &ht());
    for id in 0..200 {
        channel.enqueue(0, id, 1, 1508);
        channel.enqueue(0, 1000 + id, 2, 1508);
    }
    channel.lost_mpdus = (0..100).map(|sent| (sent, 0)).collect();
    channel.run_micros(100_000);
    let [lossy, other] = [1, 2].map(|station| delivered(&channel, station).len());
    assert!(lossy > 80 && other > 80, "{lossy} and {other} of 200");
}

/// The cycle of a lone station that always has packets: AIFS, 7.5 slots on average, PPDU, SIFS,
/// BlockAck; and what it delivers of 1472 bytes in each.
fn closed_form_mbps(mpdus: u32, ppdu_micros: f64, answer_micros: f64) -> f64 {
    let cycle = 43.0 + 7.5 * 9.0 + ppdu_micros + 16.0 + answer_micros;
    f64::from(mpdus) * 1472.0 * 8.0 / cycle
}

/// Returns what a saturated station delivers, by simulation.
fn saturated_mbps(config: &MacConfig) -> f64 {
    let mut channel = Channel::new(2, config);
    channel.stations[0].backoffs.random = Some(7);
    channel.saturated = Some(Msdu::data(0, Address(1), 1508));
    (0..600).for_each(|id| channel.enqueue(0, id, 1, 1508));
    channel.run_micros(4_000_000);
    delivered(&channel, 1).len() as f64 * 1472.0 * 8.0 / 4e6
}

#[test]
fn a_lone_station_delivers_what_the_closed_form_says() {
    use GuardInterval::{Ns400, Ns800};
    use Width::{Mhz20, Mhz80};
    let config = ht();
    let limited = |ampdu_bytes| MacConfig {
        aggregation: config
            .aggregation
            .map(|own| AggregationConfig { ampdu_bytes, ..own }),
        ..ht()
    };
    let of = |standard, rate, window| MacConfig {
        standard,
        rate,
        aggregation: config.aggregation.map(|own| AggregationConfig {
            ampdu_bytes: 1_048_575,
            window,
            ..own
        }),
        ..ht()
    };
    let vht = Mode::new(Format::Vht, 9, 2, Mhz80, Ns400);
    let he = Mode::new(Format::He, 7, 1, Mhz20, Ns800);
    let wide = Mode::new(Format::He, 11, 2, Mhz80, Ns800);
    for (config, mpdus, ppdu, answer, told) in [
        (ht(), 28, 5360.0, 32.0, 59.750),
        (limited(8191), 5, 988.0, 32.0, 51.356),
        (limited(0), 1, 228.0, 28.0, 30.787),
        (of(Standard::Dot11ac, vht, 64), 64, 960.0, 32.0, 673.817),
        (of(Standard::Dot11ax, he, 64), 37, 5360.8, 32.0, 78.943),
        (
            of(Standard::Dot11ax, wide, 256),
            256,
            2688.8,
            40.0,
            1055.811,
        ),
    ] {
        let sum = closed_form_mbps(mpdus, ppdu, answer);
        assert!((sum / told - 1.0).abs() < 2e-5, "{sum} {told}");
        let simulated = saturated_mbps(&config);
        assert!((simulated / sum - 1.0).abs() < 5e-3, "{simulated} {sum}");
    }
}

/// A station as [`ht`], which negotiates its agreements, and takes so many MPDUs at once itself.
fn negotiating(takes: u16) -> MacConfig {
    let standing = ht();
    let aggregation = standing.aggregation.map(|own| AggregationConfig {
        agreements: Agreements::Negotiated,
        takes,
        ..own
    });
    MacConfig {
        aggregation,
        ..standing
    }
}

fn kinds(channel: &Channel) -> Vec<(u16, FrameKind)> {
    let sent = channel.sent.iter();
    sent.map(|sent| (sent.frame.transmitter.0, sent.frame.kind))
        .collect()
}

/// A request of 37 bytes and its ACK; a packet that goes alone meanwhile; the answer; the rest.
#[test]
fn an_agreement_is_asked_for_and_answered_before_anything_is_aggregated() {
    use FrameKind::{Ack, Action, BlockAck, Data};
    let mut channel = with_packets(&negotiating(64), 4);
    // The recipient waits for longer than one packet, and then for less than its peer.
    channel.backoffs(0, &[0, 9]);
    channel.backoffs(1, &[3]);
    channel.run_micros(20_000);
    let expected = [
        (0, Action),
        (1, Ack),
        (0, Data),
        (1, Ack),
        (1, Action),
        (0, Ack),
        (0, Data),
        (1, BlockAck),
    ];
    assert_eq!(kinds(&channel), expected);
    assert_eq!(channel.sent[0].frame.bytes, 37);
    assert_eq!(channel.sent[0].frame.mode(), Mode::OFDM_6);
    assert_eq!(channel.stations[0].mac.mpdus().len(), 0);
    assert_eq!(delivered(&channel, 1), [0, 1, 2, 3]);
    let counted = [0, 1].map(|at| channel.stations[at].mac.counters().action_frames);
    assert_eq!(counted, [1, 1]);
}

/// Returns how many MPDUs the longest PPDU of data had that a station sent.
fn longest(channel: &Channel, of_bytes: u32) -> u32 {
    let data = channel.sent.iter().map(|sent| sent.frame);
    let data = data.filter(|frame| frame.kind == FrameKind::Data);
    data.map(|frame| frame.psdu_bytes().div_ceil(of_bytes))
        .max()
        .unwrap_or(0)
}

#[test]
fn a_recipient_takes_no_more_at_once_than_it_has_room_for() {
    let mut channel = Channel::new(2, &negotiating(3));
    (0..20).for_each(|id| channel.enqueue(0, id, 1, 1508));
    channel.run_micros(30_000);
    assert_eq!(longest(&channel, 1544), 3);
    assert_eq!(delivered(&channel, 1), (0..20).collect::<Vec<_>>());
}

/// Its refusal is heard four times, for as long as there is something to send.
#[test]
fn who_is_refused_sends_one_mpdu_at_a_time() {
    let mut channel = Channel::new(2, &negotiating(0));
    (0..20).for_each(|id| channel.enqueue(0, id, 1, 1508));
    channel.run_micros(50_000);
    assert_eq!(longest(&channel, 1544), 1);
    let frames = channel.sent.iter().map(|sent| sent.frame);
    let said = frames.filter(|frame| frame.kind == FrameKind::Action && !frame.retry);
    let by = said.map(|frame| frame.transmitter.0);
    assert_eq!(by.filter(|&station| station == 0).count(), 4);
    assert_eq!(delivered(&channel, 1), (0..20).collect::<Vec<_>>());
}

#[test]
fn a_request_that_does_not_come_is_retransmitted_as_any_frame_is() {
    let mut channel = Channel::new(2, &negotiating(64));
    channel.lost = vec![0, 1];
    (0..4).for_each(|id| channel.enqueue(0, id, 1, 1508));
    channel.run_micros(20_000);
    let requests = channel.sent[..3].iter().map(|sent| sent.frame);
    let requests: Vec<_> = (requests.filter(|frame| frame.transmitter.0 == 0))
        .map(|frame| (frame.kind, frame.sequence, frame.retry))
        .collect();
    let of = |retry| (FrameKind::Action, 0, retry);
    assert_eq!(requests, [of(false), of(true), of(true)]);
    assert_eq!(channel.stations[0].backoffs.windows[..2], [31, 63]);
    assert_eq!(delivered(&channel, 1), [0, 1, 2, 3]);
}

/// Voice goes without an agreement, as mac80211 has it.
#[test]
fn voice_asks_for_no_agreement() {
    let function = ht().edca.map(|own| AccessFunction {
        category: Category::Voice,
        ..own
    });
    let config = MacConfig {
        edca: function,
        ..negotiating(64)
    };
    let mut channel = with_packets(&config, 3);
    channel.run_micros(10_000);
    assert_eq!(longest(&channel, 1544), 1);
    assert_eq!(channel.stations[0].mac.counters().action_frames, 0);
}

#[test]
fn an_agreement_of_no_use_ends_and_is_asked_for_again() {
    let idle = MacConfig {
        aggregation: negotiating(64).aggregation.map(|own| AggregationConfig {
            idle_ns: Duration::from_millis(50),
            ..own
        }),
        ..negotiating(64)
    };
    let mut channel = with_packets(&idle, 4);
    channel.run_micros(100_000);
    let last = channel.sent.len() - 2;
    assert_eq!(channel.sent[last].frame.kind, FrameKind::Action);
    assert_eq!(channel.sent[last].frame.bytes, 24 + 6 + 4, "a DELBA");
    assert_eq!(channel.stations[0].mac.negotiates(), None, "it has come");
    let before = channel.sent.len();
    channel.enqueue(0, 9, 1, 1508);
    channel.run_micros(1_000);
    assert_eq!(channel.sent[before].frame.kind, FrameKind::Action);
    assert!(matches!(
        channel.stations[1].mac.negotiates(),
        None | Some(Negotiation::Response { .. })
    ));
}

/// Of three packets the first is lost and given up, and so is the BlockAckReq that tells of it: what
/// came behind it waits for a tenth of a second.
#[test]
fn what_waits_for_a_packet_that_will_not_come_is_handed_up_in_time() {
    let config = MacConfig {
        short_retry_limit: 1,
        ..ht()
    };
    let mut channel = with_packets(&config, 3);
    channel.lost_mpdus = vec![(0, 0)];
    channel.lost = vec![2];
    channel.run_micros(300_000);
    let came_at = (channel.sent[0].at + channel.sent[0].frame.airtime()).as_nanos();
    let handed_up: Vec<_> = (channel.stations[1].deliveries.iter())
        .map(|(at, delivery)| (at.as_nanos() - came_at, delivery.msdu))
        .collect();
    assert_eq!(handed_up, [(100_000_000, 1), (100_000_000, 2)]);
    let counters = channel.stations[1].mac.counters();
    assert_eq!((counters.released, counters.delivered), (2, 2));
}
