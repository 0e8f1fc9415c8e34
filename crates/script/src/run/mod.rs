//! Runs a script: event by event, on virtual time.

use std::path::Path;

use units::{Duration, Time};

use crate::ast::{Action, Event, Script, When};
use crate::code::{self, Variables};
use crate::host::{Host, Stop, Wait};
use crate::refusal::Refusal;
use crate::report::{Outcome, Report, Row};
use crate::settings::{self, Settings};
use crate::{tcp_info, token};

mod calls;
mod expect;
mod foresee;

use calls::Pending;

/// Why a run ends early.
#[derive(Debug)]
enum End {
    Failed { line: u32, reason: String },
    NotSupported { line: u32, reason: String },
}

impl From<Refusal> for End {
    fn from(refusal: Refusal) -> End {
        End::NotSupported {
            line: refusal.line,
            reason: refusal.reason,
        }
    }
}

type Result<T> = std::result::Result<T, End>;

fn failed<T>(line: u32, reason: impl Into<String>) -> Result<T> {
    Err(End::Failed {
        line,
        reason: reason.into(),
    })
}

/// Runs a script that was read; `report` gets what came of it.
pub(crate) fn run(script: &Script, folder: Option<&Path>, report: &mut Report) {
    let outcome = match prepare(script, folder) {
        Ok(host) => {
            report.notes.clone_from(&host.settings.notes);
            Run::new(host, &script.defines, &mut report.exchange).script(script)
        }
        Err(refusal) => Err(refusal.into()),
    };
    report.outcome = match outcome {
        Ok(()) => Outcome::Passed,
        Err(End::Failed { line, reason }) => Outcome::Failed { line, reason },
        Err(End::NotSupported { line, reason }) => Outcome::NotSupported { line, reason },
    };
}

fn prepare(script: &Script, folder: Option<&Path>) -> std::result::Result<Host, Refusal> {
    let mut settings = Settings::new(&script.settings)?;
    settings.folder = folder.map(Path::to_owned);
    for (line, command) in &script.init {
        settings::command(&mut settings, *line, command)?;
    }
    let mut host = Host::new(settings);
    host.foresight = foresee::foresee(&script.events);
    Ok(host)
}

/// The times between which an event has to happen.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: Time,
    to: Time,
    /// Whether relative times go on from when it happened, not from when it was to happen.
    floats: bool,
}

struct Run<'a> {
    host: Host,
    variables: Variables,
    exchange: &'a mut Vec<Row>,
    /// The time of the event before: what relative times count from.
    last: Time,
    pending: Option<Pending<'a>>,
}

impl<'a> Run<'a> {
    fn new(host: Host, defines: &[(String, String)], exchange: &'a mut Vec<Row>) -> Run<'a> {
        let mut variables = Variables::default();
        for (symbol, text) in defines {
            if let Some(value) = token::integer(text) {
                variables.define(symbol, value);
            }
        }
        Run {
            host,
            variables,
            exchange,
            last: Time::ZERO,
            pending: None,
        }
    }

    fn script(mut self, script: &'a Script) -> Result<()> {
        for event in &script.events {
            let outcome = self.event(event);
            if outcome.is_err() {
                self.show_what_follows(&script.events, event.line);
                return outcome;
            }
        }
        self.await_pending()
    }

    fn event(&mut self, event: &'a Event) -> Result<()> {
        let span = self.span(event)?;
        if let Action::Outbound(packet) = &event.action {
            self.last = self.expect_packet(event, packet, span)?;
            return Ok(());
        }
        if !matches!(event.when, When::Any) {
            self.advance(span.from, event.line)?;
        }
        match &event.action {
            Action::Inbound(packet) => {
                self.row(
                    event,
                    format!("{} {}", seconds(self.host.now), event.source),
                    String::new(),
                );
                self.host.receive(packet);
                self.attempt_pending()?;
            }
            Action::Call(call) => self.call(event, call, span)?,
            Action::Shell(command) => {
                settings::command(&mut self.host.settings, event.line, command)?;
            }
            Action::Code(code) => self.code(event, code)?,
            Action::Outbound(_) => {}
        }
        self.last = if span.floats {
            self.host.now
        } else {
            span.from
        };
        Ok(())
    }

    /// When an event is to happen.
    fn span(&self, event: &Event) -> Result<Span> {
        let absolute = |nanos: i64| Time::from_nanos(nanos.unsigned_abs());
        let relative = |nanos: i64| self.last + Duration::from_nanos(nanos.unsigned_abs());
        let (from, to, floats) = match event.when {
            When::Absolute(at) => (absolute(at), absolute(at), false),
            When::Relative(after) => (relative(after), relative(after), false),
            When::AbsoluteRange(from, to) => (absolute(from), absolute(to), true),
            When::RelativeRange(from, to) => (relative(from), relative(to), true),
            When::Any => (Time::ZERO, Time::NEVER, true),
        };
        if to < self.last {
            return failed(event.line, "this event lies before the one above it");
        }
        Ok(Span { from, to, floats })
    }

    /// How far from `at` something may happen that has to happen then.
    fn tolerance(&self, at: Time) -> Duration {
        let settings = &self.host.settings;
        let since = at.saturating_since(self.last).as_nanos() / 1000;
        let share = Duration::from_nanos(since.saturating_mul(settings.tolerance_per_mille));
        settings.tolerance.max(share)
    }

    /// Lets time go on to `until`, while calls that wait return.
    fn advance(&mut self, until: Time, line: u32) -> Result<()> {
        while self.advance_while(until, line, |_| false)? == Stop::Event {}
        Ok(())
    }

    /// Lets time go on to `until`, until `has_happened`, or until a call that waited has
    /// returned, whichever is first.
    fn advance_while(
        &mut self,
        until: Time,
        line: u32,
        mut has_happened: impl FnMut(&Host) -> bool,
    ) -> Result<Stop> {
        let mut reply = None;
        let mut wait = self.pending.as_ref().map(|pending| pending.wait.clone());
        let deadline = wait.as_ref().map_or(Time::NEVER, Wait::deadline);
        let mut stop = self.host.advance(until.min(deadline), |host| {
            reply = wait.as_mut().and_then(|wait| host.attempt(wait));
            reply.is_some() || has_happened(host)
        });
        if stop == Stop::Time && self.host.now < until {
            reply = wait.as_mut().and_then(|wait| self.host.attempt(wait));
            stop = Stop::Event;
        }
        if let (Some(pending), Some(wait)) = (&mut self.pending, wait) {
            pending.wait = wait;
        }
        if let Some(reply) = reply {
            self.finish_pending(&reply)?;
        }
        match stop {
            Stop::Restless => failed(line, "the endpoint does not come to rest"),
            stop => Ok(stop),
        }
    }

    fn code(&mut self, event: &Event, code: &str) -> Result<()> {
        let host = &self.host;
        let lookup = |name: &str| tcp_info::lookup(name, host.connection());
        let outcome = code::run(code, event.line, &mut self.variables, &lookup)?;
        let code::Outcome::Broken { line, assertion } = outcome else {
            return Ok(());
        };
        let (assertion, seen) = assertion.split_once(", ").unwrap_or((&assertion, ""));
        self.exchange.push(Row {
            line: Some(line),
            expected: format!("{} assert {assertion}", seconds(self.host.now)),
            seen: seen.to_owned(),
            is_difference: true,
        });
        failed(
            line,
            format!("the assertion {assertion} does not hold: {seen}"),
        )
    }

    fn row(&mut self, event: &Event, expected: String, seen: String) {
        self.exchange.push(Row {
            line: Some(event.line),
            expected,
            seen,
            is_difference: false,
        });
    }

    /// Marks the row that was added last as the first difference.
    fn mark(&mut self) {
        if let Some(row) = self.exchange.last_mut() {
            row.is_difference = true;
        }
    }
}

/// A time as it stands in the exchange: seconds with microseconds.
fn seconds(time: Time) -> String {
    let micros = time.as_nanos() / 1000;
    format!("{:>4}.{:06}", micros / 1_000_000, micros % 1_000_000)
}
