//! Connections and half-open handshakes by the thousand while a test runs.

mod bench;

use std::collections::VecDeque;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use bench::{Bench, bulk, delivered, test};
use endpoint::console;
use endpoint::message::{Answer, Ask, EndOfFlow, Measured};
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const CONNECTIONS: u16 = 10_000;
/// Connections between two looks at whether the endpoint still answers.
const BATCH: u16 = 100;
const MOST_KB: u64 = 64 << 10;
/// Longer than it takes; the test is ended when the flood is over.
const LONG_MS: u32 = 59_000;

/// Lets this program have as many descriptors as it may.
fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = u64::from(CONNECTIONS) + 1000;
    assert!(limit.maximum.is_none_or(|most| most >= wanted), "{limit:?}");
    let raised = Rlimit {
        current: Some(wanted),
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).unwrap();
}

/// A connection from one of many addresses, with the beginning of a handshake or with nothing.
fn caller(number: u16, to: SocketAddr) -> TcpStream {
    let [high, low] = (number / 50).to_be_bytes();
    let from = SocketAddr::from(([127, 88, high, low], 0));
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &from).unwrap();
    connect(&socket, &to).unwrap();
    let mut stream = TcpStream::from(socket);
    if number.is_multiple_of(2) {
        // Whoever has been turned away already cannot write.
        let _ = stream.write_all(&[22, 3, 1]);
    }
    stream
}

/// Nothing here depends on how fast the machine is: whoever floods goes on when the endpoint has
/// answered its console.
#[test]
fn exhaustion_ten_thousand_callers_end_no_test_and_take_little_memory() {
    raise_limit();
    let (bench, program) = Bench::with_program();
    let slow = serde_json::json!({"kind": "udp", "payload": 1000, "rate": 800_000});
    let asked = test(&bench.endpoints, LONG_MS, &[(0, 1, slow)]);
    let lines = console::begin(&bench.console, &asked).unwrap();
    // The common start lies half a second ahead.
    thread::sleep(Duration::from_secs(1));
    let mut held = Vec::new();
    for number in 0..CONNECTIONS {
        held.push(caller(number, bench.endpoints[0].address));
        if number % BATCH == 0 {
            let answer = lines[0].ask(Ask::Tick {}).wait();
            assert!(
                matches!(answer, Ok(Answer::Running { flows: 1, .. })),
                "{answer:?}"
            );
        }
    }
    let ends = console::finish(&lines, &asked).unwrap();
    drop(lines);
    assert!(ends.iter().all(|end| end.failed.is_none()), "{ends:?}");
    assert!(delivered(&ends, 0, EndOfFlow::Responder) > 0);
    let peak = program.memory_kb("VmHWM:");
    assert!(peak < MOST_KB, "{peak} kB");
    drop(held);
    // Those who held on are given up after some seconds; then its console comes in again.
    let mut again = (0..30).map(|_| thread::sleep(Duration::from_secs(1)));
    assert!(again.any(|()| bench.run(&[(0, 1, bulk())]).is_ok()));
}

/// Connections that show nothing, or the beginning of a handshake, until told to stop.
fn flood_until(stop: &AtomicBool, bench: &Bench) -> usize {
    let mut open = VecDeque::new();
    let mut count = 0_usize;
    while !stop.load(Ordering::Relaxed) && count < 10_000 {
        if let Ok(mut socket) = TcpStream::connect(bench.endpoints[0].address) {
            if count.is_multiple_of(2) {
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
    delivered(ends, 0, EndOfFlow::Responder)
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
                flood_until(&stop, &bench)
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
