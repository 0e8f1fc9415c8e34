//! Two endpoints and a console on one machine.

#![allow(dead_code, reason = "each file of tests uses some of it")]

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

use endpoint::ceilings::Ceilings;
use endpoint::channel;
use endpoint::console::{self, Test, TestEndpoint, TestFlow};
use endpoint::identity::{Identity, Peer, PublicKey};
use endpoint::message::{EndOfFlow, Join, Measured, RowTable};
use endpoint::server::EndpointServer;
use serde_json::json;

/// A console, and two endpoints that know it and each other.
pub struct Bench {
    pub console: Identity,
    pub endpoints: Vec<TestEndpoint>,
}

fn peer(key: PublicKey, address: Option<SocketAddr>) -> Peer {
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

/// A program that runs until it is dropped.
pub struct Program {
    process: Child,
    folder: PathBuf,
}

impl Program {
    /// What stands behind a word of the kernel's file about it, in kB.
    pub fn memory_kb(&self, word: &str) -> u64 {
        let status = format!("/proc/{}/status", self.process.id());
        let told = fs::read_to_string(status).unwrap();
        let line = told.lines().find(|line| line.starts_with(word)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Bench {
    /// The first endpoint is a program of its own.
    pub fn with_program() -> (Bench, Program) {
        let (console, own) = (Identity::new().unwrap(), Identity::new().unwrap());
        let [there, here] = addresses();
        let folder = std::env::temp_dir().join(format!("endpoint-{}", there.ip()));
        let run = |words: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_anechoic-endpoint"));
            command.args(words).arg("--state").arg(&folder);
            command
        };
        let key = String::from_utf8(run(&["pair"]).output().unwrap().stdout).unwrap();
        let key = key.trim();
        for (known, rest) in [
            (console.key, &["desk"][..]),
            (own.key, &["here", &here.to_string()]),
        ] {
            let paired = run(&[&["pair", &known.to_string()], rest].concat()).status();
            assert!(paired.unwrap().success());
        }
        let peers = vec![
            peer(console.key, None),
            peer(key.parse().unwrap(), Some(there)),
        ];
        let ceilings = Ceilings::new(400_000_000, Duration::from_secs(60));
        let server = EndpointServer::bind(here, &own, peers, ceilings).unwrap();
        thread::spawn(move || server.serve());
        let mut listening = run(&["--listen", &there.to_string()]);
        let process = listening.stderr(Stdio::null()).spawn().unwrap();
        while TcpStream::connect(there).is_err() {
            thread::sleep(Duration::from_millis(10));
        }
        let endpoint = |place, address, key: &str| TestEndpoint {
            node: format!("host{place}"),
            address,
            key: key.to_owned(),
        };
        let endpoints = vec![
            endpoint(0, there, key),
            endpoint(1, here, &own.key.to_string()),
        ];
        (Bench { console, endpoints }, Program { process, folder })
    }

    pub fn new() -> Bench {
        Bench::with_ceiling(400_000_000)
    }

    pub fn with_ceiling(bits_per_second: u64) -> Bench {
        let console = Identity::new().unwrap();
        let sides = addresses().map(|address| (Identity::new().unwrap(), address));
        for (own, other) in [(0, 1), (1, 0)] {
            let (identity, address) = &sides[own];
            let other = peer(sides[other].0.key, Some(sides[other].1));
            let peers = vec![peer(console.key, None), other];
            let ceilings = Ceilings::new(bits_per_second, Duration::from_secs(60));
            let server = EndpointServer::bind(*address, identity, peers, ceilings).unwrap();
            thread::spawn(move || server.serve());
        }
        let endpoint =
            |(place, (identity, address)): (usize, &(Identity, SocketAddr))| TestEndpoint {
                node: format!("host{place}"),
                address: *address,
                key: identity.key.to_string(),
            };
        Bench {
            endpoints: sides.iter().enumerate().map(endpoint).collect(),
            console,
        }
    }

    pub fn run(&self, apps: &[(usize, usize, serde_json::Value)]) -> Result<Vec<Measured>, String> {
        self.run_for(500, apps)
    }

    pub fn run_for(
        &self,
        millis: u32,
        apps: &[(usize, usize, serde_json::Value)],
    ) -> Result<Vec<Measured>, String> {
        self.run_with(&self.endpoints, millis, apps)
    }

    pub fn run_with(
        &self,
        endpoints: &[TestEndpoint],
        millis: u32,
        apps: &[(usize, usize, serde_json::Value)],
    ) -> Result<Vec<Measured>, String> {
        let test = test(endpoints, millis, apps);
        console::run(&self.console, &test).map(|outcome| outcome.ends)
    }

    pub fn call(&self, identity: &Identity, key: &str) -> std::io::Result<channel::Calling> {
        self.call_at(0, identity, key)
    }

    pub fn call_at(
        &self,
        place: usize,
        identity: &Identity,
        key: &str,
    ) -> std::io::Result<channel::Calling> {
        let config = channel::calls(identity, key.parse().unwrap()).unwrap();
        let socket = TcpStream::connect(self.endpoints[place].address)?;
        socket.set_read_timeout(Some(Duration::from_secs(2)))?;
        channel::call(config, socket)
    }
}

/// A test between endpoints: who sends to whom, and what.
pub fn test(
    endpoints: &[TestEndpoint],
    millis: u32,
    apps: &[(usize, usize, serde_json::Value)],
) -> Test {
    let flow = |(from, to, app): &(usize, usize, serde_json::Value)| TestFlow {
        from: *from,
        to: *to,
        server: None,
        app: app.clone(),
        start_ms: 0,
        end_ms: millis,
        dscp: 0,
        is_stamped: app["kind"] == "compare-clocks",
        may_fail: false,
    };
    Test {
        endpoints: endpoints.to_vec(),
        flows: apps.iter().map(flow).collect(),
        duration_ms: millis,
        sample_ms: 50,
    }
}

pub fn delivered(ends: &[Measured], flow: u8, end: EndOfFlow) -> u64 {
    let found = ends
        .iter()
        .find(|each| each.flow == flow && each.end == end);
    rows(&found.unwrap().samples)
        .last()
        .map(|row| word(row, 8))
        .unwrap()
}

pub fn rows(table: &RowTable) -> impl Iterator<Item = &[u8]> {
    table.bytes.chunks_exact(table.row as usize)
}

pub fn word(row: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(row[at..at + 8].try_into().unwrap())
}

/// Returns what a console asks of an endpoint for a flow with the other one.
pub fn join(bench: &Bench, own: usize, end: EndOfFlow, app: serde_json::Value) -> Join {
    Join {
        flow: 0,
        end,
        peer: bench.endpoints[1 - own].key.clone(),
        ticket: "ab".repeat(16),
        app,
        start_ms: 0,
        end_ms: 30_000,
        sample_ms: 100,
        dscp: 0,
        is_stamped: false,
    }
}

pub fn bulk() -> serde_json::Value {
    json!({"kind": "bulk", "bytes": null})
}

/// A common start that is near.
pub fn soon_ns() -> u64 {
    os::clock::monotonic_ns() + 200_000_000
}
