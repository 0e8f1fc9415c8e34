//! What a script asks for and does not get.

/// Why a script is not run: the line and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The line that asks.
    pub line: u32,
    /// What it asks for.
    pub reason: String,
}

/// Refuses what stands in `line`.
pub(crate) fn refuse<T>(line: u32, reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal {
        line,
        reason: reason.into(),
    })
}
