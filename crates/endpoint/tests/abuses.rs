//! What an endpoint is not to be used for, whoever tries, by the numbers that docs/measure.md has.
//! Those that one function refuses are tried beside it.
//!
//! | | abuse | tried in |
//! |---|---|---|
//! | 1 | reflection to a spoofed or third address | `opening`, `session`, `reflector` |
//! | 2 | amplification | `opening`, `reflector` |
//! | 3 | scan by proxy | `flow`, here |
//! | 4 | relay of a chosen payload | here, `reflector` |
//! | 5 | exhaustion | here, `flood`, `log`, `session`, `audit` |
//! | 6 | a test whose console is gone | `loopback`, here |
//! | 7 | a rate above the owner's ceiling, alone and in sum | `ceilings`, here |
//! | 8 | replay | here |
//! | 9 | messages too long, nested, doubled, cut off | here, `loopback`, `any_bytes` |
//! | 10 | downgrade, another version | here |
//! | 11 | files, environment, commands | `session`, `confined` |
//! | 12 | measuring the owner | here |
//! | 13 | guessing who is let in | here |
//! | 14 | hostile names | `control_connection`, here |
//! | 15 | times | `session`, here |
//! | 16 | a malicious endpoint | `log`, `control_connection`, here |

mod bench;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use bench::{Bench, bulk, delivered, join, soon_ns};
use endpoint::channel;
use endpoint::identity::Identity;
use endpoint::message::{Answer, Ask, EndOfFlow};

/// The bytes that a console sent in a session which asked for a flow.
fn recorded(bench: &Bench) -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = listener.local_addr().unwrap();
    let far = bench.endpoints[0].address;
    let proxy = thread::spawn(move || {
        let (mut console, _) = listener.accept().unwrap();
        let mut endpoint = TcpStream::connect(far).unwrap();
        let (mut back, mut there) = (endpoint.try_clone().unwrap(), console.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut back, &mut there));
        let mut sent = Vec::new();
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = console.read(&mut bytes) {
            sent.extend_from_slice(&bytes[..length]);
            endpoint.write_all(&bytes[..length]).unwrap();
        }
        let _ = endpoint.shutdown(Shutdown::Both);
        sent
    });
    let config = channel::calls(&bench.console, bench.endpoints[0].key.parse().unwrap()).unwrap();
    let mut channel = channel::call(config, TcpStream::connect(near).unwrap()).unwrap();
    let ask = Ask::Join(join(bench, 0, EndOfFlow::Initiator, bulk()));
    for ask in [ask, Ask::Start { at_ns: soon_ns() }] {
        channel::send(&mut channel, &ask).unwrap();
        let answer = channel::receive(&mut channel, channel::TO_CONSOLE).unwrap();
        assert!(matches!(answer, Answer::Yes {}), "{answer:?}");
    }
    drop(channel);
    proxy.join().unwrap()
}

#[test]
fn replay_a_session_that_was_recorded_is_refused() {
    let bench = Bench::new();
    let sent = recorded(&bench);
    let mut tries = (0..20).map(|_| thread::sleep(Duration::from_millis(250)));
    assert!(
        tries.any(|()| bench.run(&[(0, 1, bulk())]).is_ok()),
        "the session has ended"
    );
    let mut again = TcpStream::connect(bench.endpoints[0].address).unwrap();
    again
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    again.write_all(&sent).unwrap();
    let mut heard = Vec::new();
    let _ = again.read_to_end(&mut heard);
    // No flow was joined: the endpoint is free for its console at once.
    let free = bench.run(&[(0, 1, bulk())]);
    assert!(free.is_ok(), "{free:?}");
}

#[test]
fn downgrade_a_caller_who_speaks_tls_1_2_is_refused() {
    let bench = Bench::new();
    let random = [7; 32];
    let suites = [0xc0, 0x2b, 0xc0, 0x2f];
    let body = [
        &[3, 3],
        &random[..],
        &[0, 0, suites.len() as u8],
        &suites,
        &[1, 0],
    ]
    .concat();
    let hello = [&[1, 0, 0, body.len() as u8], &body[..]].concat();
    let record = [&[22, 3, 1, 0, hello.len() as u8], &hello[..]].concat();
    let mut socket = TcpStream::connect(bench.endpoints[0].address).unwrap();
    socket.write_all(&record).unwrap();
    let mut heard = Vec::new();
    let _ = socket.read_to_end(&mut heard);
    // An alert (21) that is fatal (2), and nothing else.
    assert_eq!((heard[0], heard[5], heard.len()), (21, 2, 7), "{heard:?}");
    assert!(bench.run(&[(0, 1, bulk())]).is_ok());
}

#[test]
fn messages_nested_doubled_or_with_more_than_they_may_have_end_the_connection() {
    let bench = Bench::new();
    let flow = serde_json::to_value(join(&bench, 0, EndOfFlow::Initiator, bulk())).unwrap();
    let with = |name: &str, value: serde_json::Value| {
        let mut more = flow.clone();
        more[name] = value;
        serde_json::json!({"join": more}).to_string()
    };
    for text in [
        "[".repeat(60_000),
        r#"{"start": {"at_ns": 1, "at_ns": 2}}"#.to_owned(),
        r#"{"tick": {}, "finish": {}}"#.to_owned(),
        with("payload", "what to relay".into()),
        with("address", "192.0.2.7:22".into()),
        with("flow", (-1).into()),
        with("start_ms", (1_u64 << 40).into()),
    ] {
        let mut channel = bench.call(&bench.console, &bench.endpoints[0].key).unwrap();
        channel::send_bytes(&mut channel, text.as_bytes()).unwrap();
        let answer = channel::receive::<Answer>(&mut channel, channel::TO_CONSOLE);
        assert!(
            answer.is_err(),
            "{answer:?} to {}",
            &text[..text.len().min(99)]
        );
    }
    assert!(bench.run(&[(0, 1, bulk())]).is_ok());
}

#[test]
fn the_owner_is_not_measured_an_answer_tells_of_flows_alone() {
    let ends = Bench::new().run(&[(0, 1, bulk())]).unwrap();
    let told = serde_json::to_value(&ends).unwrap();
    let names: BTreeSet<_> = told[0].as_object().unwrap().keys().cloned().collect();
    let known = [
        "began_ns",
        "counted",
        "end",
        "failed",
        "flow",
        "held_us",
        "moved",
        "records",
        "records_lost",
        "round_trips",
        "samples",
        "stamps",
    ];
    assert_eq!(names, known.map(str::to_owned).into());
}

#[test]
fn exhaustion_who_holds_half_open_handshakes_keeps_no_other_address_out() {
    let bench = Bench::new();
    let address = bench.endpoints[0].address;
    let open: Vec<_> = (0..100)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    // From another address of the loopback network.
    let console = socket_from([127, 0, 0, 77], address);
    let config = channel::calls(&bench.console, bench.endpoints[0].key.parse().unwrap()).unwrap();
    let mut channel = channel::call(config, console).unwrap();
    channel::send(&mut channel, &Ask::Tick {}).unwrap();
    assert!(channel::receive::<Answer>(&mut channel, channel::TO_CONSOLE).is_ok());
    drop(open);
}

fn socket_from(own: [u8; 4], to: std::net::SocketAddr) -> TcpStream {
    use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &std::net::SocketAddr::from((own, 0))).unwrap();
    connect(&socket, &to).unwrap();
    TcpStream::from(socket)
}

/// What an endpoint answers when a console asks it something.
fn answer(bench: &Bench, ask: &Ask) -> std::io::Result<Answer> {
    let mut channel = bench.call(&bench.console, &bench.endpoints[0].key)?;
    channel::send(&mut channel, ask)?;
    channel::receive(&mut channel, channel::TO_CONSOLE)
}

#[test]
fn scan_by_proxy_whether_a_port_is_open_elsewhere_is_never_told() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let there = listener.local_addr().unwrap();
    for peer in [
        there.to_string(),
        format!("iperf3:{there}"),
        format!("stamp:{there}"),
    ] {
        let asked = endpoint::message::Join {
            peer,
            ..join(&bench, 0, EndOfFlow::Initiator, bulk())
        };
        let told = answer(&bench, &Ask::Join(asked)).unwrap();
        assert!(matches!(told, Answer::Refused { .. }), "{told:?}");
    }
    assert!(listener.accept().is_err(), "nobody called");
}

#[test]
fn rate_two_flows_have_the_owners_ceiling_together() {
    let bench = Bench::with_ceiling(40_000_000);
    let ends = bench.run(&[(0, 1, bulk()), (0, 1, bulk())]).unwrap();
    let bytes: u64 = [0, 1]
        .map(|flow| delivered(&ends, flow, EndOfFlow::Responder))
        .iter()
        .sum();
    // Half a second of it, and one slot more.
    assert!(bytes <= 40_000_000 / 8 / 2 + 50_000, "{bytes}");
}

#[test]
fn rate_a_second_console_has_no_ceiling_of_its_own_it_waits() {
    let bench = Bench::new();
    let mut first = bench.call(&bench.console, &bench.endpoints[0].key).unwrap();
    let asked = Ask::Join(join(&bench, 0, EndOfFlow::Initiator, bulk()));
    channel::send(&mut first, &asked).unwrap();
    let yes = channel::receive(&mut first, channel::TO_CONSOLE).unwrap();
    assert!(matches!(yes, Answer::Yes {}));
    let told = answer(&bench, &asked).unwrap();
    assert!(matches!(&told, Answer::Refused { why } if why == "another test is under way"));
}

#[test]
fn version_a_caller_who_speaks_another_version_is_told_so_and_parsed_no_further() {
    let bench = Bench::new();
    let key = bench.endpoints[0].key.parse().unwrap();
    for other in [vec![b"anechoic/1".to_vec()], Vec::new()] {
        let mut config = (*channel::calls(&bench.console, key).unwrap()).clone();
        config.alpn_protocols = other;
        let socket = TcpStream::connect(bench.endpoints[0].address).unwrap();
        assert!(channel::call(config.into(), socket).is_err());
    }
    assert!(bench.run(&[(0, 1, bulk())]).is_ok());
}

#[test]
fn guessing_whoever_is_not_in_the_list_gets_in_with_no_try() {
    let bench = Bench::new();
    for _ in 0..20 {
        let stranger = Identity::new().unwrap();
        let answer = bench
            .call(&stranger, &bench.endpoints[0].key)
            .and_then(|mut channel| {
                channel::send(&mut channel, &Ask::Tick {})?;
                channel::receive::<Answer>(&mut channel, channel::TO_CONSOLE)
            });
        assert!(answer.is_err());
    }
    assert!(bench.run(&[(0, 1, bulk())]).is_ok());
}

#[test]
fn hostile_names_are_escaped_where_a_refusal_repeats_them() {
    let bench = Bench::new();
    let hostile = "\u{1b}[2J<script>\n";
    let ask = |peer: &str, kind: &str| {
        let app = serde_json::json!({"kind": kind, "bytes": null});
        Ask::Join(endpoint::message::Join {
            peer: peer.to_owned(),
            ..join(&bench, 0, EndOfFlow::Initiator, app)
        })
    };
    let known = bench.endpoints[1].key.clone();
    for asked in [
        ask(hostile, "bulk"),
        ask(&format!("iperf3:{hostile}"), "bulk"),
        ask(&known, hostile),
    ] {
        let Ok(Answer::Refused { why }) = answer(&bench, &asked) else {
            panic!("{asked:?}");
        };
        assert!(!why.contains(['\u{1b}', '\n']), "{why:?}");
    }
}

#[test]
fn time_flows_that_end_before_they_begin_or_never_are_over_at_once() {
    let bench = Bench::new();
    let mut backwards = join(&bench, 0, EndOfFlow::Initiator, bulk());
    (backwards.start_ms, backwards.end_ms) = (20_000, 10);
    let mut channel = bench.call(&bench.console, &bench.endpoints[0].key).unwrap();
    let mut ask = |ask: &Ask| {
        channel::send(&mut channel, ask).unwrap();
        channel::receive::<Answer>(&mut channel, channel::TO_CONSOLE).unwrap()
    };
    assert!(matches!(ask(&Ask::Join(backwards)), Answer::Refused { .. }));
    let long = endpoint::message::Join {
        end_ms: u32::MAX,
        ..join(&bench, 0, EndOfFlow::Initiator, bulk())
    };
    assert!(matches!(ask(&Ask::Join(long)), Answer::Refused { .. }));
}

#[test]
fn a_malicious_endpoint_that_says_something_else_or_nothing_ends_the_test_in_one_line() {
    let bench = Bench::new();
    let real = &bench.endpoints[0];
    for lie in [
        r#"{"measured":[]}"#.as_bytes(),
        br#"{"running":{"flows":-1}}"#,
        b"\xff\xff\xff\xff",
        b"",
    ] {
        let impostor = Identity::new().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let console = bench.console.key;
        let mut lying = real.clone();
        lying.address = listener.local_addr().unwrap();
        lying.key = impostor.key.to_string();
        let liar = thread::spawn(move || {
            let config = channel::meets(&impostor, vec![console]).unwrap();
            let (socket, _) = listener.accept().unwrap();
            let (mut channel, _) = channel::answer(&config, socket).unwrap();
            let asked = channel::receive::<Ask>(&mut channel, channel::TO_ENDPOINT);
            assert!(matches!(asked, Ok(Ask::Join(_))));
            channel::send_bytes(&mut channel, lie).unwrap();
        });
        // Who answers is asked first.
        let why = bench.run_with(&[lying, bench.endpoints[1].clone()], 500, &[(1, 0, bulk())]);
        let why = why.unwrap_err();
        assert!(why.starts_with("the endpoint of host0 "), "{why}");
        assert!(!why.contains('\n'), "{why}");
        liar.join().unwrap();
    }
}
