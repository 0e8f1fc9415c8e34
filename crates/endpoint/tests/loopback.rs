//! Two endpoints and a console on one machine: traffic, and what is refused.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

use endpoint::ceilings::Ceilings;
use endpoint::channel;
use endpoint::console::{self, Endpoint, Flow, Test};
use endpoint::identity::{Identity, Key, Peer};
use endpoint::message::{Answer, Ask, End, Measured};
use endpoint::server::Server;
use serde_json::json;

/// A console, and two endpoints that know it and each other.
struct Bench {
    console: Identity,
    endpoints: Vec<Endpoint>,
}

fn peer(key: Key, address: Option<SocketAddr>) -> Peer {
    Peer {
        key,
        name: "peer".to_owned(),
        address,
    }
}

/// Addresses of the loopback network that no other bench has, so that all ports are free there.
fn addresses() -> [SocketAddr; 2] {
    static BENCHES: AtomicU8 = AtomicU8::new(0);
    let [process, _, _, _] = std::process::id().to_le_bytes();
    let bench = BENCHES.fetch_add(1, Ordering::Relaxed);
    [1, 2].map(|host| SocketAddr::from(([127, process.max(1), bench, host], 5301)))
}

impl Bench {
    fn new() -> Bench {
        let console = Identity::new().unwrap();
        let sides = addresses().map(|address| (Identity::new().unwrap(), address));
        for (own, other) in [(0, 1), (1, 0)] {
            let (identity, address) = &sides[own];
            let other = peer(sides[other].0.key, Some(sides[other].1));
            let peers = vec![peer(console.key, None), other];
            let ceilings = Ceilings::new(400_000_000, Duration::from_secs(60));
            let server = Server::bind(*address, identity, peers, ceilings).unwrap();
            thread::spawn(move || server.serve());
        }
        let endpoint = |(place, (identity, address)): (usize, &(Identity, SocketAddr))| Endpoint {
            node: format!("host{place}"),
            address: *address,
            key: identity.key.to_string(),
        };
        Bench {
            endpoints: sides.iter().enumerate().map(endpoint).collect(),
            console,
        }
    }

    fn run(&self, apps: &[(usize, usize, serde_json::Value)]) -> Result<Vec<Measured>, String> {
        let flow = |(from, to, app): &(usize, usize, serde_json::Value)| Flow {
            from: *from,
            to: *to,
            app: app.clone(),
            start_ms: 0,
            end_ms: 500,
        };
        let test = Test {
            endpoints: self.endpoints.clone(),
            flows: apps.iter().map(flow).collect(),
            duration_ms: 500,
            sample_ms: 50,
        };
        console::run(&self.console, &test).map(|outcome| outcome.ends)
    }

    fn call(&self, identity: &Identity, key: &str) -> std::io::Result<channel::Calling> {
        let config = channel::calls(identity, key.parse().unwrap()).unwrap();
        let socket = TcpStream::connect(self.endpoints[0].address)?;
        socket.set_read_timeout(Some(Duration::from_secs(2)))?;
        channel::call(config, socket)
    }
}

fn delivered(ends: &[Measured], flow: u8, end: End) -> u64 {
    let found = ends
        .iter()
        .find(|each| each.flow == flow && each.end == end);
    found.unwrap().samples.last().unwrap().delivered
}

fn bulk() -> serde_json::Value {
    json!({"kind": "bulk", "bytes": null})
}

#[test]
fn bulk_transfers_go_both_ways_under_the_owners_ceiling() {
    let ends = Bench::new().run(&[(0, 1, bulk()), (1, 0, bulk())]).unwrap();
    for flow in [0, 1] {
        let bytes = delivered(&ends, flow, End::Responder);
        // 400 Mbit/s for half a second.
        assert!((1_000_000..=25_500_000).contains(&bytes), "{bytes}");
    }
    let sender = ends.iter().find(|end| end.end == End::Initiator).unwrap();
    let tcp = sender.samples.iter().find_map(|sample| sample.tcp);
    assert!(tcp.unwrap().cwnd_bytes > 10_000);
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
    let datagrams = delivered(&ends, 0, End::Responder) / 1000;
    assert!((350..=501).contains(&datagrams), "{datagrams}");
    let events = delivered(&ends, 1, End::Responder) / 42;
    assert!((15..=26).contains(&events), "{events}");
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
    let test = Test {
        endpoints: bench.endpoints.clone(),
        flows: vec![Flow {
            from: 0,
            to: 1,
            app: bulk(),
            start_ms: 0,
            end_ms: 30_000,
        }],
        duration_ms: 30_000,
        sample_ms: 100,
    };
    let mut lines = console::begin(&bench.console, &test).unwrap();
    thread::sleep(Duration::from_millis(500));
    assert!(console::goes_on(&mut lines).unwrap());
    // The console falls silent; it does not even close its connections.
    thread::sleep(Duration::from_millis(990));
    // Another one gets in, as nothing runs any more.
    assert!(bench.run(&[(0, 1, bulk())]).is_ok());
    drop(lines);
}
