//! The queue `fq` between the endpoint and the wire (`net/sched/sch_fq.c`).
//!
//! Since Linux 4.20 TCP stamps each packet with the time at which it is to leave, by its pacing
//! rate; `fq` holds it back until then. Its own quanta and rates are for packets without a stamp,
//! which TCP does not send.

use std::collections::VecDeque;

use units::{Duration, Time};

use crate::machine::MachineSegment;

/// A packet that is to leave later than this from now is dropped (tc-fq(8), horizon).
const HORIZON: Duration = Duration::from_secs(10);

/// Segments that have not left yet, in the order of leaving.
#[derive(Debug, Default)]
pub(super) struct TransmitQueue {
    held: VecDeque<MachineSegment>,
}

impl TransmitQueue {
    /// Takes a packet, which leaves at its time.
    pub fn take(&mut self, now: Time, sent: MachineSegment) {
        if sent.at <= now + HORIZON {
            let place = self.held.partition_point(|other| other.at <= sent.at);
            self.held.insert(place, sent);
        }
    }

    /// Returns when the next packet leaves.
    pub fn next(&self) -> Time {
        self.held.front().map_or(Time::NEVER, |sent| sent.at)
    }

    /// A packet whose time has come.
    pub fn leave(&mut self, now: Time) -> Option<MachineSegment> {
        let is_due = self.next() <= now;
        is_due.then(|| self.held.pop_front()).flatten()
    }
}
