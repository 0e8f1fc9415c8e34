//! Operators on whole numbers, and functions, as Python has them.

use std::cmp::Ordering;

use super::value::Value;

/// The value of a function; `None` for one that is not known or not defined there.
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    match (name, arguments) {
        ("abs", [Value::Integer(value)]) => value.checked_abs().map(Value::Integer),
        ("abs", [Value::Real(value)]) => Some(Value::Real(value.abs())),
        ("int", [value]) => value.real().map(|value| Value::Integer(value as i64)),
        ("round", [value]) => {
            let rounded = |value: f64| Value::Integer(value.round_ties_even() as i64);
            value.real().map(rounded)
        }
        ("float", [value]) => value.real().map(Value::Real),
        ("min", [_, ..]) => extreme(arguments, Ordering::Less),
        ("max", [_, ..]) => extreme(arguments, Ordering::Greater),
        _ => None,
    }
}

fn extreme(values: &[Value], wanted: Ordering) -> Option<Value> {
    let mut best = values.first()?;
    for value in values {
        if value.order(best)? == wanted {
            best = value;
        }
    }
    Some(best.clone())
}

/// The result of an operator; `None` if it does not fit 64 bits.
pub(super) fn integers(operator: &str, a: i64, b: i64) -> Option<i64> {
    match operator {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "//" => {
            let quotient = a.checked_div(b)?;
            Some(quotient - i64::from(a % b != 0 && (a < 0) != (b < 0)))
        }
        "%" => {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) {
                rest + b
            } else {
                rest
            })
        }
        "**" => a.checked_pow(u32::try_from(b).ok()?),
        "<<" => a.checked_mul(
            1i64.checked_shl(u32::try_from(b).ok()?)
                .filter(|p| *p > 0)?,
        ),
        ">>" => Some(a >> b.clamp(0, 63)),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        _ => None,
    }
}
