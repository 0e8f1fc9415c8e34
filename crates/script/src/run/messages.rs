//! Messages that recvmsg has received, held to what the script says of them.

use units::Duration;

use super::outputs::{Result, wrong};
use crate::ast::{Call, Expression};
use crate::machine::CallTrouble;
use crate::message::{ControlMessage, Data, ReceivedMessage};
use crate::value::value;

/// Compares `message` with the message that `call` shows; times may be `tolerance` off.
pub(super) fn check(call: &Call, message: &ReceivedMessage, tolerance: Duration) -> Result {
    let Some(shown) = call.arguments.get(1) else {
        return Ok(());
    };
    if let Some(flags) = shown.field("msg_flags") {
        let flags = value(flags)?;
        if flags != message.flags {
            let [expected, seen] = [flags, message.flags].map(|flags| format!("{flags:#x}"));
            return wrong("msg_flags", expected, seen);
        }
    }
    let Some(Expression::Array(expected)) = shown.field("msg_control") else {
        return Ok(());
    };
    if expected.len() != message.control.len() {
        return wrong("control messages", expected.len(), message.control.len());
    }
    for (expected, seen) in expected.iter().zip(&message.control) {
        check_control(expected, seen, tolerance)?;
    }
    Ok(())
}

fn check_control(expected: &Expression, seen: &ControlMessage, tolerance: Duration) -> Result {
    check_number(expected, "cmsg_level", seen.level)?;
    check_number(expected, "cmsg_type", seen.kind)?;
    let Some(data) = expected.field("cmsg_data") else {
        return Ok(());
    };
    match &seen.data {
        Data::Integer(number) => check_number(expected, "cmsg_data", *number),
        Data::Time(nanos) => check_time(data, *nanos, tolerance),
        Data::Error(fields) => fields
            .iter()
            .try_for_each(|(name, seen)| check_number(data, name, *seen)),
        Data::Opaque => Ok(()),
    }
}

/// Compares a number with the script's, which may leave it out or open by `...`.
fn check_number(structure: &Expression, name: &str, seen: i64) -> Result {
    match structure.field(name) {
        None | Some(Expression::Ellipsis) => Ok(()),
        Some(expected) => match value(expected)? {
            expected if expected == seen => Ok(()),
            expected => wrong(name, expected, seen),
        },
    }
}

fn check_time(expected: &Expression, seen: i64, tolerance: Duration) -> Result {
    let (Some(seconds), Some(nanos)) = (expected.field("scm_sec"), expected.field("scm_nsec"))
    else {
        let what = "a time that is not {scm_sec = .., scm_nsec = ..}";
        return Err(CallTrouble::Unsupported(what.to_owned()));
    };
    let expected = value(seconds)?
        .saturating_mul(1_000_000_000)
        .saturating_add(value(nanos)?);
    if expected.abs_diff(seen) <= tolerance.as_nanos() {
        return Ok(());
    }
    let [expected, seen] = [expected, seen].map(|nanos| format!("{nanos} ns"));
    wrong("the time stamped", expected, seen)
}
