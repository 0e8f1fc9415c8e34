//! The values of arguments.

use crate::ast::Expression;
use crate::machine::CallTrouble;
use crate::symbols;

/// The value of an argument: a number, a name, or several with `|` between them. An array
/// stands for its first element, as in `[1]`.
pub fn value(expression: &Expression) -> Result<i64, CallTrouble> {
    match expression {
        Expression::Integer(value) => Ok(*value),
        Expression::Word(name) => match symbols::value(name) {
            Some(value) => Ok(value),
            None => Err(CallTrouble::Unsupported(format!("the name {name}"))),
        },
        Expression::Or(operands) => operands
            .iter()
            .try_fold(0, |sum, operand| Ok(sum | value(operand)?)),
        Expression::Array(elements) if !elements.is_empty() => value(&elements[0]),
        _ => Err(CallTrouble::Unsupported(
            "an argument that is no number here".to_owned(),
        )),
    }
}

/// Returns whether an argument is the pointer to nothing, as against `...`, which points to
/// whatever the call needs.
pub fn is_null(expression: &Expression) -> bool {
    matches!(expression, Expression::Word(name) if name == "NULL")
}

/// The bytes of a string: `\x` and two hexadecimal digits stand for one, as in C.
pub fn text_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let escaped = rest.strip_prefix("\\x").and_then(|digits| digits.get(..2));
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            None => {
                rest = &rest[first.len_utf8()..];
                bytes.extend_from_slice(first.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    bytes
}
