//! Values of expressions.

use std::cmp::Ordering;
use std::fmt;

/// A value, of Python's types that assertions need.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A string.
    Text(String),
    /// A list or a tuple.
    List(Vec<Value>),
}

impl Value {
    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::Integer(value) => *value != 0,
            Value::Real(value) => *value != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::List(elements) => !elements.is_empty(),
        }
    }

    /// Returns how many values and characters it is made of.
    pub(super) fn size(&self) -> u64 {
        match self {
            Value::Integer(_) | Value::Real(_) => 1,
            Value::Text(text) => 1 + text.len() as u64,
            Value::List(elements) => 1 + elements.iter().map(Value::size).sum::<u64>(),
        }
    }

    pub(super) fn truth(value: bool) -> Value {
        Value::Integer(i64::from(value))
    }

    /// As a floating-point number, if it is a number.
    pub(super) fn real(&self) -> Option<f64> {
        match self {
            Value::Integer(value) => Some(*value as f64),
            Value::Real(value) => Some(*value),
            Value::Text(_) | Value::List(_) => None,
        }
    }

    pub(super) fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
            }
            _ => matches!((self.real(), other.real()), (Some(a), Some(b)) if a == b),
        }
    }

    /// Returns how two numbers, or two texts, compare.
    pub(super) fn order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            _ => self.real()?.partial_cmp(&other.real()?),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(f, "{value}"),
            Value::Real(value) => write!(f, "{value}"),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::List(elements) => {
                let elements: Vec<_> = elements.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", elements.join(", "))
            }
        }
    }
}
