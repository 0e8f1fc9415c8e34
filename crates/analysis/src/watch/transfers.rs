//! Transfers: what one end sends in one go.
//!
//! A transfer begins with the connection, or after its sender had nothing to send and nothing
//! under way for longer than its retransmission timeout: then TCP itself takes the connection
//! for idle (RFC 5681 §4.1). It ends with its last segment with payload.

use crate::column::{ColumnValues, Columns};
use crate::connection::CapturedConnection;
use crate::direction::{Amounts, DirectionState};
use crate::rtt::SampleMeter;
use crate::stall::Stall;
use crate::step::Step;
use dissect::TcpSegment;

/// The windows of a receiver. Of those whose scale is not known only none at all is known.
#[derive(Clone, Copy, Debug, Default)]
struct ReceiverWindows {
    known: Option<(u64, u64)>,
    has_unknown: bool,
}

impl ReceiverWindows {
    fn take(&mut self, window: Option<u64>) {
        let Some(bytes) = window else {
            self.has_unknown = true;
            return;
        };
        let (least, most) = self.known.unwrap_or((bytes, bytes));
        self.known = Some((least.min(bytes), most.max(bytes)));
    }

    fn least(&self) -> Option<u64> {
        let (least, _) = self.known?;
        (least == 0 || !self.has_unknown).then_some(least)
    }

    fn most(&self) -> Option<u64> {
        let (_, most) = self.known?;
        (!self.has_unknown).then_some(most)
    }
}

/// One transfer.
#[derive(Clone, Debug)]
pub(super) struct Transfer {
    connection: usize,
    from: usize,
    is_after_idle: bool,
    /// The connection's SYN, or its first segment; after idle time, the request of the other
    /// end that it answers, or its first segment.
    start_ns: u64,
    first_data_ns: u64,
    end_ns: u64,
    /// Counts of its direction before it, and behind it.
    before: Amounts,
    behind: Amounts,
    flight_max: Option<u64>,
    windows: ReceiverWindows,
    rtt: SampleMeter,
}

/// The transfers of all connections, in the order of their ends.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    transfers: Vec<Transfer>,
    most: usize,
    /// Transfers that are not listed because there are too many.
    pub unlisted: u64,
}

impl Transfers {
    pub(super) fn at_most(most: usize) -> Self {
        Transfers {
            most,
            ..Transfers::default()
        }
    }

    fn add(&mut self, transfer: Transfer) {
        if self.transfers.len() < self.most {
            self.transfers.push(transfer);
        } else {
            self.unlisted += 1;
        }
    }

    /// The columns, a value for each transfer. The counters are those of the connection, taken
    /// over the transfer; round trips and windows are those seen during it.
    pub fn columns(&self) -> Columns {
        let all = &self.transfers;
        let count = |of: fn(&Transfer) -> u64| ColumnValues::counts(all.iter().map(of));
        let code = |of: fn(&Transfer) -> u8| ColumnValues::codes(all.iter().map(of));
        let grown = |of: fn(&Amounts) -> u64| {
            ColumnValues::counts(
                all.iter()
                    .map(move |each| of(&each.behind) - of(&each.before)),
            )
        };
        let round_trip = |of: fn(&Transfer) -> u64| {
            let known = move |each: &Transfer| (each.rtt.count > 0).then(|| of(each) as i64);
            ColumnValues::optional(all.iter().map(known))
        };
        let window = |of: fn(&ReceiverWindows) -> Option<u64>| {
            let known = move |each: &Transfer| of(&each.windows).map(|bytes| bytes as i64);
            ColumnValues::optional(all.iter().map(known))
        };
        let flight = |each: &Transfer| each.flight_max.map(|bytes| bytes as i64);
        vec![
            ("connection", count(|each| each.connection as u64)),
            ("sender", code(|each| each.from as u8)),
            ("is_after_idle", code(|each| each.is_after_idle.into())),
            ("start_ns", count(|each| each.start_ns)),
            ("first_data_ns", count(|each| each.first_data_ns)),
            ("end_ns", count(|each| each.end_ns)),
            ("bytes", grown(|amounts| amounts.bytes)),
            ("segments", grown(|amounts| amounts.segments)),
            (
                "segments_retransmitted",
                grown(|amounts| amounts.retransmitted),
            ),
            (
                "segments_out_of_order",
                grown(|amounts| amounts.out_of_order),
            ),
            ("timeouts", grown(|amounts| amounts.timeouts)),
            ("recoveries", grown(|amounts| amounts.recoveries)),
            ("flight_max", ColumnValues::optional(all.iter().map(flight))),
            ("window_min", window(ReceiverWindows::least)),
            ("window_max", window(ReceiverWindows::most)),
            ("rtt_count", count(|each| each.rtt.count)),
            ("rtt_min_ns", round_trip(|each| each.rtt.min_ns)),
            ("rtt_mean_ns", round_trip(|each| each.rtt.mean_ns())),
            ("rtt_max_ns", round_trip(|each| each.rtt.max_ns)),
        ]
    }
}

/// The transfer that one direction is in.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay {
    transfer: Option<Transfer>,
    /// Counts at the end of the last transfer.
    before: Amounts,
}

impl UnderWay {
    /// The direction sends a segment with payload.
    pub fn on_sent(
        &mut self,
        connection: &CapturedConnection,
        segment: &TcpSegment,
        step: &Step,
        number: usize,
        done: &mut Transfers,
    ) {
        let half = &connection.halves[step.from];
        let is_after_idle = was_idle(half, step);
        if is_after_idle {
            self.end(done);
        }
        let start_ns = || match is_after_idle {
            true => asked_at(connection, segment, step.from),
            false => connection.start_ns(),
        };
        let before = self.before;
        let transfer = self.transfer.get_or_insert_with(|| Transfer {
            connection: number,
            from: step.from,
            is_after_idle,
            start_ns: start_ns(),
            first_data_ns: segment.time_ns,
            end_ns: segment.time_ns,
            before,
            behind: before,
            flight_max: None,
            windows: ReceiverWindows::default(),
            rtt: SampleMeter::default(),
        });
        transfer.end_ns = segment.time_ns;
        transfer.flight_max = transfer.flight_max.max(step.flight);
        transfer.behind = half.amounts();
    }

    /// The other end answers to what `half` sent.
    pub fn on_answer(&mut self, half: &DirectionState, step: &Step) {
        let Some(transfer) = &mut self.transfer else {
            return;
        };
        if let Some(rtt_ns) = step.rtt_ns {
            transfer.rtt.add(rtt_ns);
        }
        transfer.behind = half.amounts();
        transfer.windows.take(step.window);
    }

    /// Nothing more comes of the transfer.
    pub fn end(&mut self, done: &mut Transfers) {
        if let Some(transfer) = self.transfer.take() {
            self.before = transfer.behind;
            done.add(transfer);
        }
    }
}

/// Returns whether the sender had been idle before the segment, so that a transfer begins with it.
fn was_idle(half: &DirectionState, step: &Step) -> bool {
    let is_long = |(stall, pause_ns)| stall == Stall::Application && pause_ns > half.timeout_ns();
    step.pause.is_some_and(is_long)
}

/// Returns when the other end asked for what begins with the segment: its last payload, unless that
/// too lies further back than a timeout.
fn asked_at(connection: &CapturedConnection, segment: &TcpSegment, from: usize) -> u64 {
    let asked_ns = connection.halves[1 - from].last_data_ns;
    let is_recent =
        segment.time_ns.saturating_sub(asked_ns) <= connection.halves[from].timeout_ns();
    if is_recent { asked_ns } else { segment.time_ns }
}
