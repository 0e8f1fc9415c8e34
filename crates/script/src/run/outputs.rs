//! Data that calls fill in, held to what the script says stands there afterwards.

use units::Duration;

use super::messages;
use crate::ast::{Call, Expression};
use crate::machine::{CallReply, CallTrouble, FilledArgument};
use crate::value::value;

pub(super) type Result = std::result::Result<(), CallTrouble>;

/// Compares what `reply` has filled in with the arguments of `call`; times may be `tolerance`
/// off.
pub(super) fn check(call: &Call, reply: &CallReply, tolerance: Duration) -> Result {
    match (reply, call.name.as_str()) {
        (CallReply::Filled(filled), name) => {
            let place = if name == "ioctl" { 2 } else { 3 };
            match call.arguments.get(place) {
                Some(shown) => check_filled(call, shown, filled),
                None => Ok(()),
            }
        }
        (CallReply::Message(message), "recvmsg") => messages::check(call, message, tolerance),
        (CallReply::Ready(ready), "poll") => check_poll(call, ready),
        (CallReply::Ready(ready), _) => check_epoll(call, ready),
        _ => Ok(()),
    }
}

pub(super) fn wrong(
    what: &str,
    expected: impl std::fmt::Display,
    seen: impl std::fmt::Display,
) -> Result {
    Err(CallTrouble::Wrong(format!(
        "{what}: expected {expected}, seen {seen}"
    )))
}

fn check_filled(call: &Call, shown: &Expression, filled: &FilledArgument) -> Result {
    let what = match call.arguments.get(if call.name == "ioctl" { 1 } else { 2 }) {
        Some(Expression::Word(name)) => name.as_str(),
        _ => "the value",
    };
    let shown = shown.first();
    match (filled, shown) {
        (FilledArgument::Opaque, _) | (_, Expression::Ellipsis) => Ok(()),
        (FilledArgument::Text(seen), Expression::Text(expected)) => {
            // A name may be padded to the length of its buffer.
            let expected = expected.split("\\0").next().unwrap_or_default();
            if seen != expected {
                return wrong(what, format!("{expected:?}"), format!("{seen:?}"));
            }
            Ok(())
        }
        (FilledArgument::Linger(on, seconds), shown) => {
            let (Some(want_on), Some(want_seconds)) = (shown.field("onoff"), shown.field("linger"))
            else {
                return Ok(());
            };
            let expected = (value(want_on)?, value(want_seconds)?);
            if expected != (*on, *seconds) {
                return wrong(
                    what,
                    format!("{expected:?}"),
                    format!("{:?}", (on, seconds)),
                );
            }
            Ok(())
        }
        (FilledArgument::Integer(seen), shown) => {
            let expected = value(shown)?;
            // A kernel gives 32 bits, which a script may read with or without a sign.
            if expected as i32 != *seen as i32 {
                return wrong(what, expected, seen);
            }
            Ok(())
        }
        (FilledArgument::Text(_), _) => Ok(()),
    }
}

fn check_poll(call: &Call, ready: &[(i64, i64)]) -> Result {
    let Some(Expression::Array(entries)) = call.arguments.first() else {
        return Ok(());
    };
    for entry in entries {
        let (Some(descriptor), Some(revents)) = (entry.field("fd"), entry.field("revents")) else {
            continue;
        };
        let (descriptor, expected) = (value(descriptor)?, value(revents)?);
        let seen = ready.iter().find(|ready| ready.0 == descriptor);
        let seen = seen.map_or(0, |ready| ready.1);
        if expected != seen {
            return wrong("revents", format!("{expected:#x}"), format!("{seen:#x}"));
        }
    }
    Ok(())
}

/// The events are written as one structure, or as a list of them.
fn check_epoll(call: &Call, ready: &[(i64, i64)]) -> Result {
    let entries = match call.arguments.get(1) {
        Some(Expression::Array(entries)) => entries.as_slice(),
        Some(entry) => std::slice::from_ref(entry),
        None => &[],
    };
    for (entry, (datum, events)) in entries.iter().zip(ready) {
        if let Some(expected) = entry.field("events") {
            // Bit 31 is EPOLLET's, which is asked for and never reported.
            let expected = value(expected)? & 0xffff_ffff;
            if expected != *events {
                return wrong("events", format!("{expected:#x}"), format!("{events:#x}"));
            }
        }
        for name in ["fd", "ptr", "u32", "u64"] {
            if let Some(expected) = entry.field(name) {
                let expected = value(expected)?;
                if expected != *datum {
                    return wrong(name, expected, datum);
                }
            }
        }
    }
    Ok(())
}
