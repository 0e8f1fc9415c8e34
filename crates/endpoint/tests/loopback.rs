//! Two endpoints and a console on one machine: traffic, and what is refused.

mod bench;

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use bench::{Bench, bulk, delivered, join, rows, soon_ns, word};
use endpoint::channel;
use endpoint::identity::Identity;
use endpoint::message::{Answer, Ask, EndOfFlow};
use serde_json::json;

#[test]
fn bulk_transfers_go_both_ways_under_the_owners_ceiling() {
    let ends = Bench::new().run(&[(0, 1, bulk()), (1, 0, bulk())]).unwrap();
    for flow in [0, 1] {
        let bytes = delivered(&ends, flow, EndOfFlow::Responder);
        // 400 Mbit/s for half a second.
        assert!((1_000_000..=25_500_000).contains(&bytes), "{bytes}");
    }
    let sender = ends
        .iter()
        .find(|end| end.end == EndOfFlow::Initiator)
        .unwrap();
    assert!(
        sender.held_us > 100_000,
        "loopback takes more than the ceiling"
    );
    // Behind it, a row of no connection stands where the other end closed before the time was over.
    let of_connections = rows(&sender.samples).filter(|row| row[16..20] != [255; 4]);
    let last = of_connections.last().unwrap();
    let told = u32::from_le_bytes(last[20..24].try_into().unwrap());
    assert_eq!(told + 24, sender.samples.row, "all that the kernel tells");
    // tcpi_bytes_acked, at byte 120 of struct tcp_info: the ticket and what was delivered.
    assert!(word(last, 24 + 120) > 1_000_000);
}

#[test]
fn every_datagram_between_two_clocks_is_stamped_on_both_sides() {
    let when = json!({"kind": "compare-clocks", "when": {"spans_ms": [[0, 400]], "every_ms": 10}});
    let ends = Bench::new().run(&[(0, 1, when)]).unwrap();
    let mut stamps = BTreeMap::new();
    for end in &ends {
        for row in rows(&end.stamps) {
            let way = u32::from_le_bytes(row[24..28].try_into().unwrap());
            stamps.insert(
                (word(row, 8), end.end == EndOfFlow::Initiator, way),
                word(row, 0) as i64,
            );
        }
    }
    let whole = |tag| {
        let of = |of_asker, way| stamps.get(&(tag, of_asker, way));
        Some([of(true, 0)?, of(false, 1)?, of(false, 0)?, of(true, 1)?].map(|&at| at))
    };
    let exchanges: Vec<_> = (0..100).filter_map(whole).collect();
    assert!(exchanges.len() >= 20, "{stamps:?}");
    for times in exchanges {
        // Both count from the common start, which they were told of a moment apart.
        assert!(times[0] <= times[3] && times[1] <= times[2], "{times:?}");
        assert!((times[1] - times[0]).abs() < 100_000_000, "{times:?}");
    }
}

#[test]
fn datagrams_arrive_at_their_rate_and_a_game_is_played_in_both_directions() {
    let udp = json!({"kind": "udp", "payload": 1000, "rate": 8_000_000});
    let nanos = |millis: u64| millis * 1_000_000;
    let game = json!({
        "kind": "game", "event_payload": 42, "event_interval": nanos(20),
        "update_payload": 200, "update_interval": nanos(25), "deadline": nanos(75),
    });
    let ends = Bench::new().run(&[(0, 1, udp), (0, 1, game)]).unwrap();
    let datagrams = delivered(&ends, 0, EndOfFlow::Responder) / 1000;
    assert!((350..=501).contains(&datagrams), "{datagrams}");
    let events = delivered(&ends, 1, EndOfFlow::Responder) / 42;
    assert!((15..=26).contains(&events), "{events}");
}

#[test]
fn timing_records_are_of_whole_transactions() {
    let files = json!({
        "kind": "chariot-throughput", "file_size": 10_000, "transactions_per_record": 3,
        "timing_records": null, "confirmation_size": 100, "write_size": 4096,
    });
    let ends = Bench::new().run(&[(0, 1, files)]).unwrap();
    let sender = ends
        .iter()
        .find(|end| end.end == EndOfFlow::Initiator)
        .unwrap();
    assert!(sender.records.len() > 1);
    for record in &sender.records {
        assert_eq!((record.bytes, record.transactions), (30_000, 3));
        assert!(record.elapsed_ns > 0 && record.start_ns < 500_000_000);
    }
}

#[test]
fn a_slave_fetches_each_transfer_over_a_connection_of_its_own() {
    let transfers = json!({
        "kind": "gentragen", "trials": 5, "size": 20_000, "size_distribution": "constant",
        "sizes": null, "off": 0, "off_distribution": "constant", "offs": null, "shape": 1.5,
        "lead": 0, "delay": 0,
    });
    let ends = Bench::new().run_for(2000, &[(0, 1, transfers)]).unwrap();
    let slave = ends
        .iter()
        .find(|end| end.end == EndOfFlow::Responder)
        .unwrap();
    let bytes: Vec<u64> = slave.records.iter().map(|record| record.bytes).collect();
    assert_eq!(bytes, [20_000; 5]);
}

#[test]
fn an_unknown_console_is_refused_and_the_endpoint_goes_on() {
    let bench = Bench::new();
    let key = &bench.endpoints[0].key;
    let stranger = Identity::new().unwrap();
    // The console's half of a handshake is over before the endpoint has judged it.
    let answer = bench.call(&stranger, key).and_then(|mut channel| {
        channel::send(&mut channel, &Ask::Tick {})?;
        channel::receive::<Answer>(&mut channel, channel::TO_CONSOLE)
    });
    assert!(answer.is_err());
    let mut known = bench.call(&bench.console, key).unwrap();
    channel::send(&mut known, &Ask::Tick {}).unwrap();
    assert!(channel::receive::<Answer>(&mut known, channel::TO_CONSOLE).is_ok());
}

#[test]
fn an_endpoint_with_another_key_is_not_spoken_to() {
    let bench = Bench::new();
    let other = Identity::new().unwrap().key.to_string();
    assert!(bench.call(&bench.console, &other).is_err());
}

#[test]
fn messages_that_are_too_long_or_none_end_the_connection() {
    let bench = Bench::new();
    let key = &bench.endpoints[0].key;
    for bytes in [
        &u32::MAX.to_be_bytes()[..],
        b"\0\0\0\x04nope",
        b"\0\0\0\x02[[",
        b"\0",
    ] {
        let mut channel = bench.call(&bench.console, key).unwrap();
        channel.write_all(bytes).unwrap();
        assert!(channel::receive::<Answer>(&mut channel, channel::TO_CONSOLE).is_err());
    }
}

#[test]
fn whoever_speaks_no_tls_hears_nothing_but_an_alert() {
    let bench = Bench::new();
    let mut socket = TcpStream::connect(bench.endpoints[0].address).unwrap();
    socket
        .write_all(b"GET / HTTP/1.1\r\nHost: endpoint\r\n\r\n")
        .unwrap();
    let mut heard = Vec::new();
    let _ = socket.read_to_end(&mut heard);
    assert!(heard.len() <= 7, "a TLS alert at most: {heard:?}");
}

#[test]
fn an_application_that_is_not_offered_is_refused_in_one_line() {
    let script = json!({"kind": "ftp", "requests": 1});
    let why = Bench::new().run(&[(0, 1, script)]).unwrap_err();
    let said = "the endpoint of host1 refuses: traffic \"ftp\" is not offered; allowed: bulk, ";
    assert!(why.starts_with(said), "{why}");
}

#[test]
fn traffic_stops_within_a_second_of_its_console() {
    let bench = Bench::new();
    let mut channels = Vec::new();
    for (own, end) in [(1, EndOfFlow::Responder), (0, EndOfFlow::Initiator)] {
        let mut channel = bench
            .call_at(own, &bench.console, &bench.endpoints[own].key)
            .unwrap();
        let join = Ask::Join(join(&bench, own, end, bulk()));
        for ask in [join, Ask::Start { at_ns: soon_ns() }] {
            channel::send(&mut channel, &ask).unwrap();
            let answer = channel::receive(&mut channel, channel::TO_CONSOLE).unwrap();
            assert!(matches!(answer, Answer::Yes {}), "{answer:?}");
        }
        channels.push(channel);
    }
    let busy = bench.run(&[(0, 1, bulk())]).unwrap_err();
    assert!(busy.ends_with("another test is under way"), "{busy}");
    // The console is silent; it does not even close its connections.
    thread::sleep(Duration::from_millis(990));
    // Another one gets in, as nothing runs any more.
    assert!(bench.run(&[(0, 1, bulk())]).is_ok());
    drop(channels);
}

#[test]
fn a_slow_endpoint_makes_no_other_lose_its_console() {
    let bench = Bench::new();
    // Sixty joins at the second endpoint take their time; the first hears of none of them.
    let flows: Vec<_> = (0..30).map(|_| (1, 0, bulk())).collect();
    let ends = bench.run(&flows).unwrap();
    assert_eq!(ends.len(), 60);
    assert!(delivered(&ends, 29, EndOfFlow::Responder) > 0);
}
