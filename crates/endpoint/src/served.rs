//! Flows between this machine and an iperf3 server: the streams of one test.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
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
    let mut measured: Vec<Measured> = thread::scope(|scope| {
        let run = |(flow, stream): (Flow, _)| {
            let begin = begin.clone();
            scope.spawn(move || flow.run_over(stream, begin, stop))
        };
        let running: Vec<_> = flows.into_iter().zip(streams).map(run).collect();
        running
            .into_iter()
            .filter_map(|flow| flow.join().ok())
            .collect()
    });
    let bytes: Vec<u64> = measured.iter().map(|each| each.moved).collect();
    match test.end(&bytes) {
        Ok(counted) => {
            for (each, counted) in measured.iter_mut().zip(counted) {
                each.counted = Some(counted);
            }
        }
        Err(error) => {
            for each in &mut measured {
                let why = format!("iperf3 at {server}: {error}");
                each.failed.get_or_insert(why);
            }
        }
    }
    measured
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
