//! System calls: making them, waiting for them, and holding them to what they must return.

use units::{Duration, Time};

use super::{Result, Run, Span, failed, seconds};
use crate::ast::{Call, Event, Expression};
use crate::host::{Reply, Trouble, Wait, value};
use crate::run::End;

/// A call that waits, with when it has to return.
pub(super) struct Pending<'a> {
    event: &'a Event,
    call: &'a Call,
    pub wait: Wait,
    end: Time,
    tolerance: Duration,
}

impl<'a> Run<'a> {
    pub(super) fn call(&mut self, event: &'a Event, call: &'a Call, span: Span) -> Result<()> {
        if let Some(pending) = &self.pending {
            let line = pending.event.line;
            return failed(
                line,
                format!(
                    "{}() has not returned by line {}",
                    pending.call.name, event.line
                ),
            );
        }
        let end = call.end.map(|end| self.end(event, end, span));
        let reply = match self.host.call(call) {
            Ok(reply) => reply,
            Err(Trouble::Unsupported(what)) => {
                return Err(End::NotSupported {
                    line: event.line,
                    reason: what,
                });
            }
            Err(Trouble::Wrong(what)) => {
                self.row(event, event.source.clone(), what.clone());
                self.mark();
                return failed(event.line, what);
            }
        };
        match (reply, end) {
            (Reply::Waits(wait), Some(end)) => {
                self.pending = Some(Pending {
                    event,
                    call,
                    wait,
                    end,
                    tolerance: self.tolerance(end),
                });
                Ok(())
            }
            (Reply::Waits(_), None) => {
                self.row(event, event.source.clone(), "waits".to_owned());
                self.mark();
                failed(
                    event.line,
                    format!("{}() waits where it must return at once", call.name),
                )
            }
            (reply, end) => {
                self.check_reply(event, call, &reply)?;
                let tolerance = end.map_or(Duration::ZERO, |end| self.tolerance(end));
                end.map_or(Ok(()), |end| self.check_end(event, call, end, tolerance))
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

    /// Tries the call that waits.
    pub(super) fn attempt_pending(&mut self) -> Result<()> {
        let Some(pending) = &mut self.pending else {
            return Ok(());
        };
        match self.host.attempt(&mut pending.wait) {
            Some(reply) => self.finish_pending(&reply),
            None => Ok(()),
        }
    }

    pub(super) fn finish_pending(&mut self, reply: &Reply) -> Result<()> {
        let Some(pending) = self.pending.take() else {
            return Ok(());
        };
        let (event, call) = (pending.event, pending.call);
        self.check_reply(event, call, reply)?;
        self.check_end(event, call, pending.end, pending.tolerance)
    }

    /// At the end of the script: a call that waits still has its time.
    pub(super) fn await_pending(&mut self) -> Result<()> {
        let Some(pending) = &self.pending else {
            return Ok(());
        };
        let (event, last) = (pending.event, pending.end + pending.tolerance);
        self.advance(last, event.line)?;
        match &self.pending {
            None => Ok(()),
            Some(_) => {
                self.row(event, event.source.clone(), "waits".to_owned());
                self.mark();
                failed(event.line, "the call has not returned in time")
            }
        }
    }

    fn check_end(
        &mut self,
        event: &Event,
        call: &Call,
        end: Time,
        tolerance: Duration,
    ) -> Result<()> {
        let now = self.host.now;
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
            Reply::Error(errno) => (-1, Some(errno.name())),
            Reply::Ready(ready) => (ready.len() as i64, None),
            Reply::Socket(_) | Reply::Epoll => {
                let descriptor = expected.filter(|expected| *expected >= 0);
                if let Some(descriptor) = descriptor {
                    self.host.bind_descriptor(descriptor, reply);
                }
                (descriptor.unwrap_or(0), None)
            }
            Reply::Waits(_) => (0, None),
        };
        let text = match errno {
            Some(errno) => format!("= {seen} {errno}"),
            None => format!("= {seen}"),
        };
        let source = format!("{} {}", seconds(self.host.now), event.source);
        self.row(event, source, text.clone());
        let is_value = expected.is_none_or(|expected| expected == seen);
        let is_errno = match (&call.errno, errno) {
            (Some(expected), seen) => Some(expected.as_str()) == seen,
            (None, Some(_)) => expected.is_none(),
            (None, None) => true,
        };
        if is_value && is_errno {
            return Ok(());
        }
        self.mark();
        failed(
            event.line,
            format!("{}() returned {}", call.name, text.trim_start_matches("= ")),
        )
    }
}
