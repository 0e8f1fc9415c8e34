//! Report of a script's run, for people and for programs.

use std::fmt;

use crate::refusal::Refusal;

/// Outcome of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptOutcome {
    /// Everything came as written.
    Passed,
    /// Something else came, or nothing.
    Failed {
        /// The line of the script that did not hold.
        line: u32,
        /// The difference.
        reason: String,
    },
    /// The script asks for something that is not there, so it decides nothing.
    NotSupported {
        /// The line that asks.
        line: u32,
        /// The thing that it asks for.
        reason: String,
    },
    /// The text is no script: it breaks the form of the language.
    NotAScript {
        /// The line that does.
        line: u32,
        /// Its fault.
        reason: String,
    },
}

impl From<Refusal> for ScriptOutcome {
    fn from(refusal: Refusal) -> ScriptOutcome {
        let Refusal { line, reason, .. } = refusal;
        match refusal.is_malformed {
            true => ScriptOutcome::NotAScript { line, reason },
            false => ScriptOutcome::NotSupported { line, reason },
        }
    }
}

/// One line of an exchange: what the script has and what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeRow {
    /// The script's line.
    pub line: Option<u32>,
    /// Text that the script expects, or what it does itself.
    pub expected: String,
    /// Text that came.
    pub seen: String,
    /// True if this is the first difference.
    pub is_difference: bool,
}

/// The result of one script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptReport {
    /// The script's name.
    pub name: String,
    /// Its outcome.
    pub outcome: ScriptOutcome,
    /// Exchange up to there.
    pub exchange: Vec<ExchangeRow>,
    /// Notes on what was passed over in a file of settings that the script calls.
    pub notes: Vec<String>,
}

impl ScriptReport {
    /// Returns whether the script passed.
    pub fn is_passed(&self) -> bool {
        self.outcome == ScriptOutcome::Passed
    }

    /// The exit status of a program that ran this script alone: 0, 1 for failed, 2 for what is
    /// no script, as for other bad input, 3 for not supported.
    pub fn exit_status(&self) -> u8 {
        match self.outcome {
            ScriptOutcome::Passed => 0,
            ScriptOutcome::Failed { .. } => 1,
            ScriptOutcome::NotAScript { .. } => 2,
            ScriptOutcome::NotSupported { .. } => 3,
        }
    }
}

impl fmt::Display for ScriptReport {
    /// One line for a script that passed, is not supported or is none; for one that failed, what
    /// was expected and seen, side by side, with the first difference marked by `!`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            ScriptOutcome::Passed => writeln!(f, "passed         {}", self.name),
            ScriptOutcome::NotSupported { line, reason } => {
                writeln!(f, "not supported  {}, line {line}: {reason}", self.name)
            }
            ScriptOutcome::NotAScript { line, reason } => {
                writeln!(f, "not a script   {}, line {line}: {reason}", self.name)
            }
            ScriptOutcome::Failed { line, reason } => {
                writeln!(f, "failed         {}, line {line}: {reason}", self.name)?;
                self.write_exchange(f)
            }
        }?;
        for note in &self.notes {
            writeln!(f, "note           {note}")?;
        }
        Ok(())
    }
}

/// The widest a column of the exchange gets.
const WIDTH_MAX: usize = 72;

impl ScriptReport {
    fn write_exchange(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |row: &ExchangeRow| row.expected.chars().count();
        let width = self.exchange.iter().map(width).max().unwrap_or(0);
        let width = width.clamp("expected".len(), WIDTH_MAX);
        writeln!(f, "\n  {:>5}  {:<width$}   seen", "line", "expected")?;
        for row in &self.exchange {
            let mark = if row.is_difference { '!' } else { ' ' };
            let line = row.line.map_or(String::new(), |line| line.to_string());
            let expected: String = row.expected.chars().take(width).collect();
            let text = format!("{mark} {line:>5}  {expected:<width$} {mark} {}", row.seen);
            writeln!(f, "{}", text.trim_end())?;
        }
        writeln!(f)
    }
}
