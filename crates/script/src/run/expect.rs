//! Packets the endpoint has to send.

use tcp::Flags;
use units::{Duration, Time};

use super::{EventWindow, Result, Run, failed, seconds};
use crate::ast::{ScriptAction, ScriptEvent, ScriptPacket};
use crate::machine::{MachineSegment, MachineStop};
use crate::report::ExchangeRow;
use crate::wire::{difference, show};

/// Number of rows shown beyond the first difference.
const ROWS_AFTER: usize = 6;

impl<'a> Run<'a> {
    /// Returns the time of the event, which is its own or, where it is open, the packet's; and the
    /// packet's.
    pub(super) fn expect_packet(
        &mut self,
        event: &ScriptEvent,
        expected: &ScriptPacket,
        span: EventWindow,
    ) -> Result<(Time, Time)> {
        let source = event.source.clone();
        let at = if span.floats {
            "".to_owned()
        } else {
            format!("{} ", seconds(span.from))
        };
        self.await_packet(span, expected, event.line)?;
        let Some(sent) = self.machine.take_sent() else {
            self.row(event, format!("{at}{source}"), "nothing".to_owned());
            self.mark();
            return failed(event.line, "nothing was sent");
        };
        let sent = self.joined(sent, expected);
        if expected.flags.contains(Flags::SYN) && sent.segment.flags.contains(Flags::SYN) {
            let numbers = self.machine.numbers(sent.connection);
            numbers.note_syn(expected.seq, sent.segment.seq);
        }
        let mut seen = self.packet(&sent);
        if expected.payload >= sent.mss {
            // On a full segment PSH tells where a kernel's buffer ended; there is none here.
            seen.flags = Flags(seen.flags.0 & !Flags::PSH.0 | expected.flags.0 & Flags::PSH.0);
        }
        let seen_text = format!("{} > {}", seconds(sent.at), show(&seen));
        self.row(event, format!("{at}{source}"), seen_text);
        let wrong = difference(expected, &seen)
            .or_else(|| self.clock_difference(expected, &sent))
            .or_else(|| self.time_difference(span, sent.at));
        if let Some(wrong) = wrong {
            self.mark();
            return failed(event.line, wrong);
        }
        self.note_clock(expected, &sent);
        let at = if span.floats { sent.at } else { span.from };
        Ok((at, sent.at))
    }

    /// Lets time go on until something is sent that is to be compared, at most until it is late
    /// beyond doubt.
    fn await_packet(
        &mut self,
        span: EventWindow,
        expected: &ScriptPacket,
        line: u32,
    ) -> Result<()> {
        let until = span.to + self.tolerance_after(span.to) + self.machine.patience();
        let mut is_over = false;
        loop {
            if expected.ports.is_none() {
                self.machine.pass_over_others();
            }
            if is_over || !self.machine.sent().is_empty() {
                return Ok(());
            }
            is_over = self.advance_to(until, true, line)? == MachineStop::Time;
        }
    }

    /// A segment in the script's numbers.
    fn packet(&mut self, sent: &MachineSegment) -> ScriptPacket {
        self.machine.numbers(sent.connection).packet(&sent.segment)
    }

    /// A kernel hands full segments down joined, to be cut up below it. Where a script
    /// expects more than a segment holds, the segments that make it up are joined.
    fn joined(&mut self, mut sent: MachineSegment, expected: &ScriptPacket) -> MachineSegment {
        let may_join = expected.payload > sent.mss && !self.machine.settings().strict_segments;
        let tolerance = self.machine.settings().tolerance;
        while may_join && sent.segment.payload < expected.payload {
            let segment = &mut sent.segment;
            let is_next = |next: &&MachineSegment| {
                let (a, b) = (*segment, next.segment);
                segment.payload.is_multiple_of(sent.mss)
                    && next.at <= sent.at + tolerance
                    && b.payload > 0
                    && b.seq == a.seq + a.payload
                    && b.ack == a.ack
                    && b.window == a.window
                    && a.payload + b.payload <= expected.payload
            };
            if self.machine.sent().front().filter(is_next).is_none() {
                break;
            }
            if let Some(next) = self.machine.take_sent() {
                segment.payload += next.segment.payload;
                segment.flags |= next.segment.flags;
            }
        }
        sent
    }

    fn time_difference(&self, span: EventWindow, at: Time) -> Option<String> {
        let is_early = at + self.tolerance(span.from) < span.from;
        let is_late = at > span.to + self.tolerance_after(span.to);
        if !is_early && !is_late {
            return None;
        }
        let expected = match span.from == span.to {
            true => seconds(span.from),
            false => format!("{} to {}", seconds(span.from), seconds(span.to)),
        };
        Some(format!(
            "time: expected {}, seen {}",
            expected.trim(),
            seconds(at).trim()
        ))
    }

    fn note_clock(&mut self, expected: &ScriptPacket, sent: &MachineSegment) {
        let written = expected
            .options
            .as_ref()
            .and_then(|options| options.timestamps);
        if let (Some((written, _)), Some(live)) = (written, sent.segment.options.timestamps) {
            self.machine
                .numbers(sent.connection)
                .note_clock(written, live.value);
        }
    }

    /// With `--tcp_ts_tick_usecs`, TS val has to have run as far as the script's.
    fn clock_difference(
        &mut self,
        expected: &ScriptPacket,
        sent: &MachineSegment,
    ) -> Option<String> {
        let tick = self.machine.settings().timestamp_tick?;
        let (written, _) = expected.options.as_ref()?.timestamps?;
        let live = sent.segment.options.timestamps?.value;
        let own_tick = u64::from(self.machine.settings().profile.timestamp_tick_ms.max(1));
        let own_tick = Duration::from_millis(own_tick);
        let numbers = self.machine.numbers(sent.connection);
        let drift = numbers.clock_drift(written, live, tick, own_tick);
        let most = self.machine.settings().tolerance.max(tick).max(own_tick);
        (drift > most)
            .then(|| format!("TS val is {} µs from where it should be", drift.as_micros()))
    }

    /// Shows the script after the difference, beside what was sent after it.
    pub(super) fn show_what_follows(&mut self, events: &[ScriptEvent], line: u32) {
        let expected = events
            .iter()
            .filter(|event| event.line > line && matches!(event.action, ScriptAction::Outbound(_)));
        let mut expected = expected.take(ROWS_AFTER);
        let sent: Vec<MachineSegment> = self
            .machine
            .sent()
            .iter()
            .take(ROWS_AFTER)
            .cloned()
            .collect();
        let seen: Vec<String> = sent
            .iter()
            .map(|sent| format!("{} > {}", seconds(sent.at), show(&self.packet(sent))))
            .collect();
        let mut seen = seen.into_iter();
        loop {
            let row = match (expected.next(), seen.next()) {
                (None, None) => return,
                (event, seen) => ExchangeRow {
                    line: event.map(|event| event.line),
                    expected: event.map_or(String::new(), |event| event.source.clone()),
                    seen: seen.unwrap_or_default(),
                    is_difference: false,
                },
            };
            self.exchange.push(row);
        }
    }
}
