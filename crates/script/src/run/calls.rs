//! System calls: making them, waiting for them, and holding them to what they must return.

use units::{Duration, Time};

use super::{EventWindow, Result, Run, failed, outputs, seconds};
use crate::ast::{Call, Expression, ScriptEvent};
use crate::machine::{CallReply, CallTrouble, MachineStop};
use crate::run::EarlyEnd;
use crate::symbols::Errno;
use crate::value::value;

/// Time that a call waits for the one before it to return, before it is made.
const PATIENCE: Duration = Duration::from_secs(1);

/// A call that waits, with when it has to return.
pub(super) struct PendingCall<'a> {
    event: &'a ScriptEvent,
    call: &'a Call,
    end: Time,
    tolerance: Duration,
}

impl<'a> Run<'a> {
    pub(super) fn call(
        &mut self,
        event: &'a ScriptEvent,
        call: &'a Call,
        span: EventWindow,
    ) -> Result<()> {
        self.await_idle(event)?;
        let end = call.end.map(|end| self.end(event, end, span));
        let reply = self.machine.call(call);
        let reply = self.without_trouble(event, reply)?;
        match (reply, end) {
            (CallReply::Waits, Some(end)) => {
                self.pending = Some(PendingCall {
                    event,
                    call,
                    end,
                    tolerance: self.tolerance_after(end),
                });
                Ok(())
            }
            (CallReply::Waits, None) => {
                self.row(event, event.source.clone(), "waits".to_owned());
                self.mark();
                failed(
                    event.line,
                    format!("{}() waits where it must return at once", call.name),
                )
            }
            (reply, end) => {
                self.check_reply(event, call, &reply)?;
                let tolerance = end.map_or(Duration::ZERO, |end| self.tolerance_after(end));
                end.map_or(Ok(()), |end| self.check_end(event, call, end, tolerance))
            }
        }
    }

    /// A call is made when the one before it has returned.
    fn await_idle(&mut self, event: &ScriptEvent) -> Result<()> {
        let patience = self.machine.now() + PATIENCE;
        while let Some(pending) = &self.pending {
            let (line, name) = (pending.event.line, pending.call.name.clone());
            if self.advance_to(patience, false, line)? == MachineStop::Time {
                let reason = format!("{name}() has not returned by line {}", event.line);
                return failed(line, reason);
            }
        }
        Ok(())
    }

    /// Ends the run at what is not there, and at what the machine sees is wrong.
    pub(super) fn without_trouble<T>(
        &mut self,
        event: &ScriptEvent,
        outcome: std::result::Result<T, CallTrouble>,
    ) -> Result<T> {
        match outcome {
            Ok(result) => Ok(result),
            Err(CallTrouble::Unsupported(reason)) => Err(EarlyEnd::NotSupported {
                line: event.line,
                reason,
            }),
            Err(CallTrouble::Wrong(what)) => {
                self.row(event, event.source.clone(), what.clone());
                self.mark();
                failed(event.line, what)
            }
        }
    }

    /// An end counts from where its start counts from.
    fn end(&self, event: &ScriptEvent, end: i64, span: EventWindow) -> Time {
        use crate::ast::When;
        let end = Duration::from_nanos(end.unsigned_abs());
        match event.when {
            When::Relative(_) | When::RelativeRange(..) => self.last + end,
            _ => (Time::ZERO + end).max(span.from),
        }
    }

    pub(super) fn finish_pending(
        &mut self,
        reply: std::result::Result<CallReply, CallTrouble>,
    ) -> Result<()> {
        let Some(pending) = self.pending.take() else {
            return Ok(());
        };
        let (event, call) = (pending.event, pending.call);
        let reply = self.without_trouble(event, reply)?;
        self.check_reply(event, call, &reply)?;
        self.check_end(event, call, pending.end, pending.tolerance)
    }

    /// At the end of the script: a call that waits still has its time.
    pub(super) fn await_pending(&mut self) -> Result<()> {
        let Some(pending) = &self.pending else {
            return Ok(());
        };
        let (event, last) = (pending.event, pending.end + pending.tolerance);
        while self.pending.is_some() {
            if self.advance_to(last, false, event.line)? == MachineStop::Time {
                self.row(event, event.source.clone(), "waits".to_owned());
                self.mark();
                return failed(event.line, "the call has not returned in time");
            }
        }
        Ok(())
    }

    fn check_end(
        &mut self,
        event: &ScriptEvent,
        call: &Call,
        end: Time,
        tolerance: Duration,
    ) -> Result<()> {
        let now = self.machine.now();
        let off = now.saturating_since(end).max(end.saturating_since(now));
        if off <= tolerance {
            return Ok(());
        }
        self.mark();
        let [end, now] = [end, now].map(|time| seconds(time).trim().to_owned());
        failed(
            event.line,
            format!("{}() has to return at {end}, and did at {now}", call.name),
        )
    }

    /// `pipe([5, 6])` names the descriptors it makes.
    fn bind_pair(&mut self, call: &Call, reply: &CallReply) {
        if let (CallReply::Pair(reads, writes), Some(Expression::Array(names))) =
            (reply, call.arguments.first())
        {
            for (name, made) in names.iter().zip([*reads, *writes]) {
                if let Ok(descriptor) = value(name) {
                    self.machine
                        .bind_descriptor(descriptor, &CallReply::Descriptor(made));
                }
            }
        }
    }

    fn check_reply(&mut self, event: &ScriptEvent, call: &Call, reply: &CallReply) -> Result<()> {
        let expected = match &call.result {
            Expression::Ellipsis => None,
            result => match value(result) {
                Ok(value) => Some(value),
                Err(_) => {
                    return Err(EarlyEnd::NotSupported {
                        line: event.line,
                        reason: "a result that is no number".to_owned(),
                    });
                }
            },
        };
        let (seen, errno) = match reply {
            CallReply::Value(value) => (*value, None),
            CallReply::Message(message) => (message.bytes, None),
            CallReply::Error(errno) => (-1, Some(errno.name())),
            CallReply::Ready(ready) => (ready.len() as i64, None),
            CallReply::Descriptor(_) => {
                let descriptor = expected.filter(|expected| *expected >= 0);
                if let Some(descriptor) = descriptor {
                    self.machine.bind_descriptor(descriptor, reply);
                }
                (descriptor.unwrap_or(0), None)
            }
            CallReply::Pair(..) => {
                self.bind_pair(call, reply);
                (0, None)
            }
            CallReply::Filled(_) | CallReply::Waits => (0, None),
        };
        let text = match &errno {
            Some(errno) => format!("= {seen} {errno}"),
            None => format!("= {seen}"),
        };
        let source = format!("{} {}", seconds(self.machine.now()), event.source);
        self.row(event, source, text.clone());
        let is_value = expected.is_none_or(|expected| expected == seen);
        let is_errno = match (&call.errno, errno) {
            (Some(expected), seen) => {
                seen.is_some() && Errno::named(expected) == seen.as_deref().and_then(Errno::named)
            }
            // packetdrill holds a call to no error that the script does not name.
            (None, _) => true,
        };
        if !is_value || !is_errno {
            self.mark();
            let returned = text.trim_start_matches("= ");
            return failed(event.line, format!("{}() returned {returned}", call.name));
        }
        let filled = outputs::check(call, reply, self.tolerance(self.machine.now()));
        if let Err(CallTrouble::Wrong(what)) = &filled {
            self.mark();
            if let Some(row) = self.exchange.last_mut() {
                row.seen += &format!(", {what}");
            }
            return failed(event.line, what.clone());
        }
        self.without_trouble(event, filled)
    }
}
