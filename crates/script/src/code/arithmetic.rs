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
        ("len", [Value::List(elements)]) => Some(Value::Integer(elements.len() as i64)),
        ("len", [Value::Text(text)]) => Some(Value::Integer(text.chars().count() as i64)),
        ("bool", [value]) => Some(Value::truth(value.is_true())),
        ("sum", [Value::List(elements)]) => {
            elements
                .iter()
                .try_fold(Value::Integer(0), |sum, element| match (&sum, element) {
                    (Value::Integer(a), Value::Integer(b)) => a.checked_add(*b).map(Value::Integer),
                    (a, b) => Some(Value::Real(a.real()? + b.real()?)),
                })
        }
        ("range", [Value::Integer(end)]) => range(0, *end, 1),
        ("range", [Value::Integer(start), Value::Integer(end)]) => range(*start, *end, 1),
        (
            "range",
            [
                Value::Integer(start),
                Value::Integer(end),
                Value::Integer(step),
            ],
        ) => range(*start, *end, *step),
        ("min" | "max", [Value::List(elements)]) if !elements.is_empty() => call(name, elements),
        ("min", [_, ..]) => extreme(arguments, Ordering::Less),
        ("max", [_, ..]) => extreme(arguments, Ordering::Greater),
        _ => None,
    }
}

/// The longest range that is written out.
const RANGE_MAX: usize = 1_000_000;

fn range(start: i64, end: i64, step: i64) -> Option<Value> {
    let mut elements = Vec::new();
    let mut at = start;
    while step > 0 && at < end || step < 0 && at > end {
        if elements.len() == RANGE_MAX {
            return None;
        }
        elements.push(Value::Integer(at));
        at = at.checked_add(step)?;
    }
    (step != 0).then_some(Value::List(elements))
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
