//! Changes by lateness: an emulation run twice offline, with the times at which frames were let in,
//! and with those at which they came.
//!
//! Where stations contend, the least shift of a frame gives another winner: other frames collide and
//! others find a queue full, by chance and not because of the lateness. So neither times nor fates of
//! single frames are compared, but how many of each flow came out at each port.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hash::{Hash as _, Hasher as _};
use std::io;
use std::path::Path;

use lab::{InterfaceId, LongTables, Plan, World};
use serde::Serialize;
use twox_hash::XxHash3_64;
use units::{Duration, Time};
use wire::ethernet::Ethernet;
use wire::{Headers, NetworkHeader, TransportHeader};

use crate::arrivals::{ArrivalReader, ArrivedFrame};

/// Outcome of flows without lateness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Consequences {
    /// Frames that left the world.
    pub frames: u64,
    /// By how many frames what left of each flow differs without lateness, added up.
    pub changed: u64,
}

impl Consequences {
    /// The share of frames by which flows differ.
    pub fn share(&self) -> f64 {
        self.changed as f64 / self.frames.max(1) as f64
    }
}

/// Number of frames that left, by port and flow: with lateness, less without it.
type Difference = BTreeMap<(InterfaceId, u64), i64>;

/// Time that a world runs on without arrivals, so that what was under way leaves it.
const DRAIN: Duration = Duration::from_secs(10);

/// Runs a plan with what came in, late and in time, until `end`.
///
/// # Errors
/// When the log cannot be read.
pub fn consequences(plan: &Plan, seed: u64, log: &Path, end: Time) -> io::Result<Consequences> {
    let mut difference = Difference::new();
    let mut late = Twin::new(plan, seed, &mut difference, 1);
    let mut reader = ArrivalReader::open(log)?;
    while let Some(arrival) = reader.next()? {
        late.take(arrival.admitted, &arrival);
    }
    let frames = late.finish(end);
    let mut in_time = Twin::new(plan, seed, &mut difference, -1);
    let mut reader = InTime::new(ArrivalReader::open(log)?);
    while let Some(arrival) = reader.next()? {
        in_time.take(arrival.came, &arrival);
    }
    in_time.finish(end);
    let changed = difference.values().map(|count| count.unsigned_abs()).sum();
    Ok(Consequences { frames, changed })
}

/// A world that is fed from a log.
struct Twin<'a> {
    world: World,
    difference: &'a mut Difference,
    /// Weight of a frame that leaves.
    each: i64,
    frame: Vec<u8>,
    left: u64,
}

impl<'a> Twin<'a> {
    fn new(plan: &Plan, seed: u64, difference: &'a mut Difference, each: i64) -> Twin<'a> {
        Twin {
            world: World::new(unobserved(plan), seed),
            difference,
            each,
            frame: Vec::new(),
            left: 0,
        }
    }

    fn take(&mut self, at: Time, arrival: &ArrivedFrame) {
        self.run_until(at.max(self.world.now()));
        // One that was let in once is a frame.
        let _ = arrival.enter(&mut self.world);
    }

    fn run_until(&mut self, until: Time) {
        self.world.run_until(until);
        while let Some((_, port)) = self.world.poll_egress(&mut self.frame) {
            let flow = (port, flow(&self.frame));
            *self.difference.entry(flow).or_default() += self.each;
            self.left += 1;
        }
    }

    /// Returns how many frames left.
    fn finish(mut self, end: Time) -> u64 {
        self.run_until(end + DRAIN);
        self.left
    }
}

/// A plan of which nothing is gathered: only what leaves is looked at.
fn unobserved(plan: &Plan) -> Plan {
    Plan {
        series_step_ns: None,
        tcp_info_step_ns: None,
        tables: LongTables::default(),
        ..plan.clone()
    }
}

/// Returns what tells the frames of a flow from others: addresses, protocol and ports.
fn flow(frame: &[u8]) -> u64 {
    let Some((header, data)) = Ethernet::read(frame) else {
        return 0;
    };
    let headers = Headers::read(header.kind, data);
    let (addresses, protocol) = match headers.network {
        NetworkHeader::Ipv4(ip) => (
            [ip.source.to_bits(), ip.destination.to_bits()].map(u128::from),
            ip.protocol,
        ),
        NetworkHeader::Ipv6(ip) => ([ip.source.to_bits(), ip.destination.to_bits()], ip.protocol),
        NetworkHeader::Other(_) => ([0; 2], 0),
    };
    let ports = match headers.transport {
        TransportHeader::Tcp(tcp) => [tcp.source_port, tcp.destination_port],
        TransportHeader::Udp(udp) => [udp.source_port, udp.destination_port],
        _ => [0; 2],
    };
    let mut hasher = XxHash3_64::new();
    (header.kind.0, addresses, protocol, ports).hash(&mut hasher);
    hasher.finish()
}

/// Frames that came in, in the order in which it came; a log has the order in which it was let in.
struct InTime {
    reader: ArrivalReader,
    /// Frames that were read ahead: the first that came is on top.
    ahead: BinaryHeap<Reverse<(Time, u64)>>,
    arrivals: BTreeMap<u64, ArrivedFrame>,
    read: u64,
    /// All that was let in before is read.
    read_until: Time,
}

/// The longest that a frame waits to be let in.
pub const LATEST: Duration = Duration::from_secs(1);

impl InTime {
    fn new(reader: ArrivalReader) -> InTime {
        InTime {
            reader,
            ahead: BinaryHeap::new(),
            arrivals: BTreeMap::new(),
            read: 0,
            read_until: Time::ZERO,
        }
    }

    fn next(&mut self) -> io::Result<Option<ArrivedFrame>> {
        loop {
            let first = self.ahead.peek().map(|Reverse((came, _))| *came);
            if first.is_some_and(|came| came + LATEST < self.read_until) {
                break;
            }
            let Some(arrival) = self.reader.next()? else {
                break;
            };
            self.read_until = arrival.admitted;
            self.ahead.push(Reverse((arrival.came, self.read)));
            self.arrivals.insert(self.read, arrival);
            self.read += 1;
        }
        let first = self.ahead.pop();
        Ok(first.and_then(|Reverse((_, number))| self.arrivals.remove(&number)))
    }
}
