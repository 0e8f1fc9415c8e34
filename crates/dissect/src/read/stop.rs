//! Why no packet follows.

use std::io::{self, Read};

use super::Warning;
use super::window::Window;

/// Why there is no packet here.
#[derive(Debug)]
pub(super) enum ReadStop {
    /// The file ends between two records.
    End,
    Warning(Warning),
}

/// Has `wanted` bytes of a record at hand, or says why they are not there.
#[inline(always)]
pub(super) fn demand<R: Read>(window: &mut Window<R>, wanted: usize) -> Result<(), ReadStop> {
    if window.bytes().len() >= wanted {
        return Ok(());
    }
    demand_more(window, wanted)
}

#[cold]
#[inline(never)]
fn demand_more<R: Read>(window: &mut Window<R>, wanted: usize) -> Result<(), ReadStop> {
    match window.fill(wanted) {
        Ok(true) => Ok(()),
        Ok(false) if window.bytes().is_empty() => Err(ReadStop::End),
        Ok(false) => Err(ReadStop::Warning(Warning::Truncated {
            at: window.position(),
        })),
        Err(error) => Err(failed(window, &error)),
    }
}

#[cold]
pub(super) fn failed<R: Read>(window: &Window<R>, error: &io::Error) -> ReadStop {
    ReadStop::Warning(Warning::Source {
        at: window.position(),
        what: error.to_string(),
    })
}

#[cold]
pub(super) fn corrupt<R: Read>(window: &Window<R>, what: &'static str) -> ReadStop {
    ReadStop::Warning(Warning::Corrupt {
        at: window.position(),
        what,
    })
}
