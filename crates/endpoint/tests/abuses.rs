//! What an endpoint is not to be used for, whoever tries. Abuses that one function refuses are tried
//! beside it: reflection, amplification, spoofing (`opening`), a third party, times, commands
//! (`session`), a scan by proxy (`flow`), rates (`ceilings`), a malicious endpoint (`log`).

mod bench;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use bench::{Bench, bulk, delivered, join};
use endpoint::channel;
use endpoint::message::{Answer, Ask, End, Measured};

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
    let ask = Ask::Join(join(bench, 0, End::Initiator, bulk()));
    for ask in [ask, Ask::Start { in_us: 0 }] {
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
    let flow = serde_json::to_value(join(&bench, 0, End::Initiator, bulk())).unwrap();
    let with = |name: &str, value: serde_json::Value| {
        let mut more = flow.clone();
        more[name] = value;
        serde_json::json!({"join": more}).to_string()
    };
    for text in [
        "[".repeat(60_000),
        r#"{"start": {"in_us": 1, "in_us": 2}}"#.to_owned(),
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
        "counted",
        "end",
        "failed",
        "flow",
        "held_us",
        "moved",
        "round_trips",
        "samples",
        "stamps",
    ];
    assert_eq!(names, known.map(str::to_owned).into());
}

/// Connections that show nothing, or the beginning of a handshake, until told to stop.
fn flood(bench: &Bench, stop: &AtomicBool) -> usize {
    let mut open = std::collections::VecDeque::new();
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) && count < 10_000 {
        if let Ok(mut socket) = TcpStream::connect(bench.endpoints[0].address) {
            if count % 2 == 0 {
                let _ = socket.write_all(&[22, 3, 1]);
            }
            open.push_back(socket);
            count += 1;
        }
        if open.len() > 200 {
            open.pop_front();
        }
        thread::sleep(Duration::from_micros(100));
    }
    count
}

fn goodput(ends: &[Measured]) -> u64 {
    delivered(ends, 0, End::Responder)
}

#[test]
fn exhaustion_a_flood_of_half_open_handshakes_takes_nothing_from_a_test() {
    let bench = Bench::with_ceiling(20_000_000);
    let app = [(1, 0, bulk())];
    let mut shares = Vec::new();
    // What else this machine does weighs more than the flood: the best of some tries counts.
    for _ in 0..5 {
        let Ok(ends) = bench.run_for(1500, &app) else {
            continue;
        };
        let alone = goodput(&ends);
        let stop = AtomicBool::new(false);
        let (flooded, count) = thread::scope(|scope| {
            // The console is in before the flood: it holds its line.
            let flooding = scope.spawn(|| {
                thread::sleep(Duration::from_millis(400));
                flood(&bench, &stop)
            });
            let flooded = bench.run_for(1500, &app).map_or(0, |ends| goodput(&ends));
            stop.store(true, Ordering::Relaxed);
            (flooded, flooding.join().unwrap())
        });
        assert!(count > 20, "{count}");
        shares.push(flooded as f64 / alone as f64);
        if shares.last().is_some_and(|share| *share >= 0.98) {
            return;
        }
    }
    panic!("{shares:?}");
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
