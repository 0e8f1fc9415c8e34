//! Flows between this machine and an iperf3 server: the streams of one test.

use std::io::{self, Read as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::flow::{Begin, Flow};
use crate::iperf3::{Test, Wanted};
use crate::message::{End, Measured};

/// The longest wait, so that a test is stopped soon.
const STOPPING: Duration = Duration::from_millis(20);

/// Runs flows, all of one direction, start and end, until their time is over or `stop` is set.
pub(crate) fn run(
    server: SocketAddr,
    flows: Vec<Flow>,
    begin: &Begin,
    stop: &AtomicBool,
) -> Vec<Measured> {
    let Some(first) = flows.first().map(|flow| flow.join().clone()) else {
        return Vec::new();
    };
    let [starts, ends] = [first.start_ms, first.end_ms].map(u64::from);
    await_start(begin.at + Duration::from_millis(starts), stop);
    let wanted = Wanted {
        server,
        streams: flows.len(),
        is_reverse: first.end == End::Responder,
        lasts: Duration::from_millis(ends.saturating_sub(starts)),
    };
    let (test, streams) = match Test::begin(wanted) {
        Ok(begun) => begun,
        Err(error) => {
            let why = format!("iperf3 at {server}: {error}");
            return flows.into_iter().map(|flow| flow.failed(&why)).collect();
        }
    };
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (ended, ends) = mpsc::channel();
        for (place, (flow, stream)) in flows.into_iter().zip(streams).enumerate() {
            let (begin, ended, is_over) = (begin.clone(), ended.clone(), &is_over);
            scope.spawn(move || {
                let kept = stream.try_clone();
                // Whoever waits for it waits for all.
                let _ = ended.send((place, flow.run_over(stream, begin, stop)));
                drop(ended);
                if let Ok(kept) = kept {
                    drain(kept, is_over);
                }
            });
        }
        drop(ended);
        let mut measured: Vec<(usize, Measured)> = ends.iter().collect();
        measured.sort_by_key(|(place, _)| *place);
        let mut measured: Vec<Measured> = measured.into_iter().map(|(_, each)| each).collect();
        end(test, server, &mut measured);
        is_over.store(true, Ordering::Relaxed);
        measured
    })
}

/// Ends a test, and notes what the server has counted.
fn end(test: Test, server: SocketAddr, measured: &mut [Measured]) {
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

/// Reads on until the test has ended: a server that cannot send hears nobody who ends it.
fn drain(mut stream: TcpStream, is_over: &AtomicBool) {
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
