//! Runs a script: event by event, on virtual time.

use units::{Duration, Time};

use crate::ast::{Script, ScriptAction, ScriptEvent, When};
use crate::code::{self, Variables};
use crate::machine::{CallTrouble, Machine, MachineStop};
use crate::refusal::Refusal;
use crate::report::{ExchangeRow, ScriptOutcome, ScriptReport};
use crate::token;

mod calls;
mod expect;
mod messages;
mod outputs;

use calls::PendingCall;

/// Why a run ends early.
#[derive(Debug)]
enum EarlyEnd {
    Failed { line: u32, reason: String },
    NotSupported { line: u32, reason: String },
}

impl From<Refusal> for EarlyEnd {
    fn from(refusal: Refusal) -> EarlyEnd {
        EarlyEnd::NotSupported {
            line: refusal.line,
            reason: refusal.reason,
        }
    }
}

type Result<T> = std::result::Result<T, EarlyEnd>;

fn failed<T>(line: u32, reason: impl Into<String>) -> Result<T> {
    Err(EarlyEnd::Failed {
        line,
        reason: reason.into(),
    })
}

/// Runs a script that was read on `machine`; `report` gets what came of it.
pub(crate) fn run(script: &Script, machine: &mut dyn Machine, report: &mut ScriptReport) {
    let mut run = Run::new(machine, &script.defines, &mut report.exchange);
    let outcome = run.prepare(script).and_then(|()| run.script(script));
    report.outcome = match outcome {
        Ok(()) => ScriptOutcome::Passed,
        Err(EarlyEnd::Failed { line, reason }) => ScriptOutcome::Failed { line, reason },
        Err(EarlyEnd::NotSupported { line, reason }) => {
            ScriptOutcome::NotSupported { line, reason }
        }
    };
    report.notes.clone_from(&machine.settings().notes);
}

/// The times between which an event has to happen.
#[derive(Clone, Copy, Debug)]
struct EventWindow {
    from: Time,
    to: Time,
    /// True if relative times go on from when it happened, not from when it was to happen.
    floats: bool,
}

struct Run<'a> {
    machine: &'a mut dyn Machine,
    variables: Variables,
    exchange: &'a mut Vec<ExchangeRow>,
    /// The time of the event before: what relative times count from.
    last: Time,
    /// Lateness of the event before: a packet that a timer sent, or an act of the script's own
    /// on a busy machine.
    late: Duration,
    pending: Option<PendingCall<'a>>,
}

impl<'a> Run<'a> {
    fn new(
        machine: &'a mut dyn Machine,
        defines: &[(String, String)],
        exchange: &'a mut Vec<ExchangeRow>,
    ) -> Run<'a> {
        let mut variables = Variables::default();
        for (symbol, text) in defines {
            if let Some(value) = token::integer(text) {
                variables.define(symbol, value);
            }
        }
        Run {
            machine,
            variables,
            exchange,
            last: Time::ZERO,
            late: Duration::ZERO,
            pending: None,
        }
    }

    /// Returns what stands before the first event.
    fn prepare(&mut self, script: &Script) -> Result<()> {
        for (line, command) in &script.init {
            self.machine.command(*line, command)?;
        }
        self.machine.begin();
        Ok(())
    }

    fn script(&mut self, script: &'a Script) -> Result<()> {
        for event in &script.events {
            let outcome = self.event(event);
            if outcome.is_err() {
                self.show_what_follows(&script.events, event.line);
                return outcome;
            }
        }
        self.await_pending()
    }

    fn event(&mut self, event: &'a ScriptEvent) -> Result<()> {
        let span = self.span(event)?;
        if let ScriptAction::Outbound(packet) = &event.action {
            let (last, at) = self.expect_packet(event, packet, span)?;
            (self.last, self.late) = (last, at.saturating_since(last));
            return Ok(());
        }
        if !matches!(event.when, When::Any) {
            self.advance(span.from, event.line)?;
        }
        match &event.action {
            ScriptAction::Inbound(packet) => {
                self.inbound(event, |machine| machine.receive(packet))?;
            }
            ScriptAction::Icmp(message) => {
                self.inbound(event, |machine| machine.receive_icmp(message))?;
            }
            ScriptAction::Call(call) => self.call(event, call, span)?,
            ScriptAction::Shell(command) => self.machine.command(event.line, command)?,
            ScriptAction::Code(code) => self.code(event, code)?,
            ScriptAction::Outbound(_) => {}
        }
        self.last = if span.floats {
            self.machine.now()
        } else {
            span.from
        };
        self.late = self.machine.now().saturating_since(self.last);
        Ok(())
    }

    /// The script sends something to the machine.
    fn inbound(
        &mut self,
        event: &ScriptEvent,
        receive: impl FnOnce(&mut dyn Machine) -> std::result::Result<(), CallTrouble>,
    ) -> Result<()> {
        let now = seconds(self.machine.now());
        self.row(event, format!("{now} {}", event.source), String::new());
        let received = receive(self.machine);
        self.without_trouble(event, received)?;
        self.advance(self.machine.now(), event.line)
    }

    /// Returns when an event is to happen.
    fn span(&self, event: &ScriptEvent) -> Result<EventWindow> {
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
        Ok(EventWindow { from, to, floats })
    }

    /// Returns how far before `at` something may happen that has to happen then.
    fn tolerance(&self, at: Time) -> Duration {
        self.machine.settings().tolerance.max(self.share(at))
    }

    /// The share of the time since the event before that is tolerated.
    fn share(&self, at: Time) -> Duration {
        let since = at.saturating_since(self.last).as_nanos() / 1000;
        let per_mille = self.machine.settings().tolerance_per_mille;
        Duration::from_nanos(since.saturating_mul(per_mille))
    }

    /// Returns how far after `at` something may happen that has to happen then: in real time later
    /// by what the machine's timers are coarse, and by what was late already of all that leads to
    /// it.
    fn tolerance_after(&self, at: Time) -> Duration {
        let wait = at.saturating_since(self.last);
        match self.machine.timer_lateness(wait) {
            None => self.tolerance(at),
            Some(coarseness) => {
                let tolerance = self.machine.settings().tolerance + coarseness;
                tolerance.max(self.share(at)) + self.late
            }
        }
    }

    /// Lets time go on to `until`, while calls that wait return.
    fn advance(&mut self, until: Time, line: u32) -> Result<()> {
        while self.advance_to(until, false, line)? != MachineStop::Time {}
        Ok(())
    }

    /// Lets time go on to `until` or, with `until_sent`, to when something has been sent. Stops
    /// also when a call that waited has returned, which is then checked.
    fn advance_to(&mut self, until: Time, until_sent: bool, line: u32) -> Result<MachineStop> {
        match self.machine.advance(until, until_sent) {
            MachineStop::Returned(reply) => {
                self.finish_pending(reply.clone())?;
                Ok(MachineStop::Returned(reply))
            }
            MachineStop::Restless => failed(line, "the endpoint does not come to rest"),
            MachineStop::Unsupported(reason) => Err(EarlyEnd::NotSupported { line, reason }),
            MachineStop::Asked => failed(line, "stopped"),
            stop => Ok(stop),
        }
    }

    fn code(&mut self, event: &ScriptEvent, code: &str) -> Result<()> {
        let machine = &*self.machine;
        let lookup = |name: &str| machine.lookup(name);
        let outcome = code::run(code, event.line, &mut self.variables, &lookup)?;
        let code::BlockOutcome::Broken { line, assertion } = outcome else {
            return Ok(());
        };
        let (assertion, seen) = assertion.split_once(", ").unwrap_or((&assertion, ""));
        self.exchange.push(ExchangeRow {
            line: Some(line),
            expected: format!("{} assert {assertion}", seconds(self.machine.now())),
            seen: seen.to_owned(),
            is_difference: true,
        });
        failed(
            line,
            format!("the assertion {assertion} does not hold: {seen}"),
        )
    }

    fn row(&mut self, event: &ScriptEvent, expected: String, seen: String) {
        self.exchange.push(ExchangeRow {
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
