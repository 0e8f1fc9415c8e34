//! ICMP messages of routers and hosts about a direction's segments.

use super::DirectionState;
use dissect::{Complaint, IcmpReport, TcpSegment};

/// ICMP messages about a direction's segments.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reports {
    /// The smallest of the largest packets that links take; 0 if none said.
    pub mtu: u32,
    /// Numbers that went in packets that were too large for a link.
    too_big: (u64, u64),
}

impl DirectionState {
    /// A segment of this direction was not handed on, or not taken.
    #[cold]
    pub fn on_report(&mut self, report: &IcmpReport) {
        let start = self.number(report.seq);
        let next = self.next;
        let trouble = self.trouble();
        let counters = &mut trouble.counters;
        let counter = match report.complaint {
            Complaint::TooBig { mtu } => {
                trouble.reports.take_size(mtu, start, next);
                &mut counters.icmp_too_big
            }
            Complaint::NoRoute | Complaint::HostUnreachable => &mut counters.icmp_unreachable,
            Complaint::PortUnreachable => &mut counters.icmp_port_unreachable,
            Complaint::Prohibited => &mut counters.icmp_prohibited,
            Complaint::TimeExceeded => &mut counters.icmp_time_exceeded,
        };
        *counter += 1;
    }

    /// The largest packet that all links take, as far as routers said; none if none did.
    pub fn path_mtu(&self) -> Option<u32> {
        let mtu = self.trouble.as_ref()?.reports.mtu;
        (mtu > 0).then_some(mtu)
    }

    /// Returns whether a segment carries again, in a smaller packet, what a router refused as too
    /// large. A sender cuts all anew that it had sent by then (RFC 1191 §6.5; tcp_simple_retransmit
    /// of Linux).
    pub(super) fn was_too_big(&self, segment: &TcpSegment, start: u64) -> bool {
        let Some(trouble) = &self.trouble else {
            return false;
        };
        let reports = &trouble.reports;
        let (first, end) = reports.too_big;
        let length = segment.payload + u32::from(segment.options.header_len);
        (first..end).contains(&start) && (reports.mtu == 0 || length < reports.mtu)
    }
}

impl Reports {
    fn take_size(&mut self, mtu: u32, start: Option<u64>, next: u64) {
        if mtu > 0 {
            self.mtu = match self.mtu {
                0 => mtu,
                least => least.min(mtu),
            };
        }
        let Some(start) = start.filter(|&start| start < next) else {
            return;
        };
        let (first, end) = self.too_big;
        // What was told before is done with where the connection has gone on.
        let goes_on = start < end;
        self.too_big = (
            if goes_on { first.min(start) } else { start },
            end.max(next),
        );
    }
}
