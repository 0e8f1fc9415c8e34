//! Ten thousand connections and half-open handshakes while a test runs.
//!
//! Nothing here depends on how fast the machine is: whoever floods goes on when the endpoint has
//! answered its console.

mod bench;

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};

use bench::{Bench, delivered, test};
use endpoint::console;
use endpoint::message::{Answer, Ask, End};
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

#[test]
fn exhaustion_ten_thousand_callers_end_no_test_and_take_little_memory() {
    raise_limit();
    let (bench, program) = Bench::with_program();
    let slow = serde_json::json!({"kind": "udp", "payload": 1000, "rate": 800_000});
    let asked = test(&bench.endpoints, LONG_MS, &[(0, 1, slow)]);
    let lines = console::begin(&bench.console, &asked).unwrap();
    let mut held = Vec::new();
    for number in 0..CONNECTIONS {
        held.push(caller(number, bench.endpoints[0].address));
        if number % BATCH == 0 {
            let answer = lines[0].ask(Ask::Tick {}).wait();
            assert!(
                matches!(answer, Ok(Answer::Running { flows: 1 })),
                "{answer:?}"
            );
        }
    }
    let ends = console::finish(&lines, &asked).unwrap();
    drop(lines);
    assert!(ends.iter().all(|end| end.failed.is_none()), "{ends:?}");
    assert!(delivered(&ends, 0, End::Responder) > 0);
    let peak = program.memory_kb("VmHWM:");
    assert!(peak < MOST_KB, "{peak} kB");
    drop(held);
    // Those who held on are given up after some seconds; then its console comes in again.
    let mut again = (0..30).map(|_| std::thread::sleep(std::time::Duration::from_secs(1)));
    assert!(again.any(|()| bench.run(&[(0, 1, bench::bulk())]).is_ok()));
}
