//! Why a script is not run: it asks for what is not there, or is no script.

/// Why a script is not run: the line and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The line that asks.
    pub line: u32,
    /// Reason: what it asks for, or what is wrong with it.
    pub reason: String,
    /// True if the text breaks the form of scripts, so that nobody could run it.
    pub is_malformed: bool,
}

impl Refusal {
    /// Refuses what `line` asks for, which is not there.
    pub fn unsupported(line: u32, reason: impl Into<String>) -> Refusal {
        Refusal {
            line,
            reason: reason.into(),
            is_malformed: false,
        }
    }
}

/// Refuses what stands in `line`.
pub(crate) fn refuse<T>(line: u32, reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::unsupported(line, reason))
}

/// Refuses a text that is no script, from `line` on.
pub(crate) fn malformed<T>(line: u32, reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal {
        line,
        reason: reason.into(),
        is_malformed: true,
    })
}
