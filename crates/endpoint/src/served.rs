//! Flows between this machine and an iperf3 server: the streams of one test.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::flow::{Begin, ReadyEnd};
use crate::iperf3::{Carrier, Iperf3Test, Wanted};
use crate::message::{EndOfFlow, Measured};

/// The longest wait, so that a test is stopped soon.
const STOPPING: Duration = Duration::from_millis(20);

/// The time between two looks at whether the server is still there.
const LOOK: Duration = Duration::from_millis(100);

/// Runs flows, all of one kind, direction, start and end, until their time is over or `stop` is set.
pub(crate) fn run(
    server: SocketAddr,
    flows: Vec<ReadyEnd>,
    begin: &Begin,
    stop: &AtomicBool,
) -> Vec<Measured> {
    let Some(wanted) = flows.first().map(|flow| wanted(server, flows.len(), flow)) else {
        return Vec::new();
    };
    let starts = u64::from(flows[0].join().start_ms);
    await_start(begin.at + Duration::from_millis(starts), stop);
    let (test, streams) = match Iperf3Test::begin(wanted) {
        Ok(begun) => begun,
        Err(error) => {
            let why = format!("iperf3 at {server}: {error}");
            return flows
                .into_iter()
                .map(|flow| flow.failed(&why, begin))
                .collect();
        }
    };
    let (is_stopped, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let (ended, ends) = mpsc::channel();
        for (place, (flow, carrier)) in flows.into_iter().zip(streams).enumerate() {
            let (begin, ended) = (begin.clone(), ended.clone());
            let (is_stopped, is_over) = (&is_stopped, &is_over);
            scope.spawn(move || {
                let kept = copy(&carrier);
                // Whoever waits for it waits for all.
                let _ = ended.send((place, flow.run_over(carrier, begin, is_stopped)));
                drop(ended);
                if let Ok(kept) = kept {
                    drain(kept, is_over);
                }
            });
        }
        drop(ended);
        let mut measured = collected(&ends, || {
            // Datagrams hear of nobody at the other end: the server's silence is its consent.
            if stop.load(Ordering::Relaxed) || !test.goes_on() {
                is_stopped.store(true, Ordering::Relaxed);
            }
        });
        end(test, server, &mut measured);
        is_over.store(true, Ordering::Relaxed);
        measured
    })
}

/// What a test for flows is to be, of which one is given.
fn wanted(server: SocketAddr, streams: usize, flow: &ReadyEnd) -> Wanted {
    let join = flow.join();
    let lasts = join.end_ms.saturating_sub(join.start_ms);
    Wanted {
        server,
        streams,
        is_reverse: join.end == EndOfFlow::Responder,
        lasts: Duration::from_millis(u64::from(lasts)),
        dscp: flow.dscp(),
        datagrams: flow.datagrams(),
    }
}

/// What all flows measured, in their order; looks after them meanwhile.
fn collected(ends: &Receiver<(usize, Measured)>, look: impl Fn()) -> Vec<Measured> {
    let mut measured = BTreeMap::new();
    loop {
        match ends.recv_timeout(LOOK) {
            Ok((place, each)) => drop(measured.insert(place, each)),
            Err(RecvTimeoutError::Timeout) => look(),
            Err(RecvTimeoutError::Disconnected) => return measured.into_values().collect(),
        }
    }
}

/// Ends a test, and notes what the server has counted.
fn end(test: Iperf3Test, server: SocketAddr, measured: &mut [Measured]) {
    let bytes: Vec<u64> = measured.iter().map(|each| each.moved).collect();
    match test.end(&bytes) {
        Ok(counted) => {
            for (each, counted) in measured.iter_mut().zip(counted) {
                each.counted = Some(counted);
            }
        }
        Err(error) => {
            for each in measured {
                let why = format!("iperf3 at {server}: {error}");
                each.failed.get_or_insert(why);
            }
        }
    }
}

fn copy(carrier: &Carrier) -> io::Result<Carrier> {
    Ok(match carrier {
        Carrier::Connection(stream) => Carrier::Connection(stream.try_clone()?),
        Carrier::Datagrams(socket) => Carrier::Datagrams(socket.try_clone()?),
    })
}

/// Reads on until the test has ended: a server that cannot send hears nobody who ends it.
fn drain(carrier: Carrier, is_over: &AtomicBool) {
    let Carrier::Connection(mut stream) = carrier else {
        // Datagrams that nobody reads hold nobody up; the socket stays until the server has ended.
        while !is_over.load(Ordering::Relaxed) {
            thread::sleep(STOPPING);
        }
        return;
    };
    let mut bytes = vec![0; 128 << 10];
    while !is_over.load(Ordering::Relaxed) {
        match stream.read(&mut bytes) {
            Ok(1..) => {}
            Ok(0) => return,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(_) => return,
        }
    }
}

fn await_start(at: Instant, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let left = at.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        thread::sleep(left.min(STOPPING));
    }
}
