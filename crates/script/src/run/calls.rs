//! System calls: making them, waiting for them, and holding them to what they must return.

use units::{Duration, Time};

use super::{Result, Run, Span, failed, outputs, seconds};
use crate::ast::{Call, Event, Expression};
use crate::machine::{Reply, Stop, Trouble};
use crate::run::End;
use crate::symbols::Errno;
use crate::value::value;

/// Time that a call waits for the one before it to return, before it is made.
const PATIENCE: Duration = Duration::from_secs(1);

/// A call that waits, with when it has to return.
pub(super) struct Pending<'a> {
    event: &'a Event,
    call: &'a Call,
    end: Time,
    tolerance: Duration,
}

impl<'a> Run<'a> {
    pub(super) fn call(&mut self, event: &'a Event, call: &'a Call, span: Span) -> Result<()> {
        self.await_idle(event)?;
        let end = call.end.map(|end| self.end(event, end, span));
        let reply = self.machine.call(call);
        let reply = self.without_trouble(event, reply)?;
        match (reply, end) {
            (Reply::Waits, Some(end)) => {
                self.pending = Some(Pending {
                    event,
                    call,
                    end,
                    tolerance: self.tolerance_after(end),
                });
                Ok(())
            }
            (Reply::Waits, None) => {
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
    fn await_idle(&mut self, event: &Event) -> Result<()> {
        let patience = self.machine.now() + PATIENCE;
        while let Some(pending) = &self.pending {
            let (line, name) = (pending.event.line, pending.call.name.clone());
            if self.advance_to(patience, false, line)? == Stop::Time {
                let reason = format!("{name}() has not returned by line {}", event.line);
                return failed(line, reason);
            }
        }
        Ok(())
    }

    /// Ends the run at what is not there, and at what the machine sees is wrong.
    pub(super) fn without_trouble<T>(
        &mut self,
        event: &Event,
        outcome: std::result::Result<T, Trouble>,
    ) -> Result<T> {
        match outcome {
            Ok(result) => Ok(result),
            Err(Trouble::Unsupported(reason)) => Err(End::NotSupported {
                line: event.line,
                reason,
            }),
            Err(Trouble::Wrong(what)) => {
                self.row(event, event.source.clone(), what.clone());
                self.mark();
                failed(event.line, what)
            }
        }
    }

    /// An end counts from where its start counts from.
    fn end(&self, event: &Event, end: i64, span: Span) -> Time {
        use crate::ast::When;
        let end = Duration::from_nanos(end.unsigned_abs());
        match event.when {
            When::Relative(_) | When::RelativeRange(..) => self.last + end,
            _ => (Time::ZERO + end).max(span.from),
        }
    }

    pub(super) fn finish_pending(
        &mut self,
        reply: std::result::Result<Reply, Trouble>,
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
            if self.advance_to(last, false, event.line)? == Stop::Time {
                self.row(event, event.source.clone(), "waits".to_owned());
                self.mark();
                return failed(event.line, "the call has not returned in time");
            }
        }
        Ok(())
    }

    fn check_end(
        &mut self,
        event: &Event,
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
    fn bind_pair(&mut self, call: &Call, reply: &Reply) {
        if let (Reply::Pair(reads, writes), Some(Expression::Array(names))) =
            (reply, call.arguments.first())
        {
            for (name, made) in names.iter().zip([*reads, *writes]) {
                if let Ok(descriptor) = value(name) {
                    self.machine
                        .bind_descriptor(descriptor, &Reply::Descriptor(made));
                }
            }
        }
    }

    fn check_reply(&mut self, event: &Event, call: &Call, reply: &Reply) -> Result<()> {
        let expected = match &call.result {
            Expression::Ellipsis => None,
            result => match value(result) {
                Ok(value) => Some(value),
                Err(_) => {
                    return Err(End::NotSupported {
                        line: event.line,
                        reason: "a result that is no number".to_owned(),
                    });
                }
            },
        };
        let (seen, errno) = match reply {
            Reply::Value(value) => (*value, None),
            Reply::Message(message) => (message.bytes, None),
            Reply::Error(errno) => (-1, Some(errno.name())),
            Reply::Ready(ready) => (ready.len() as i64, None),
            Reply::Descriptor(_) => {
                let descriptor = expected.filter(|expected| *expected >= 0);
                if let Some(descriptor) = descriptor {
                    self.machine.bind_descriptor(descriptor, reply);
                }
                (descriptor.unwrap_or(0), None)
            }
            Reply::Pair(..) => {
                self.bind_pair(call, reply);
                (0, None)
            }
            Reply::Filled(_) | Reply::Waits => (0, None),
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
        if let Err(Trouble::Wrong(what)) = &filled {
            self.mark();
            if let Some(row) = self.exchange.last_mut() {
                row.seen += &format!(", {what}");
            }
            return failed(event.line, what.clone());
        }
        self.without_trouble(event, filled)
    }
}
