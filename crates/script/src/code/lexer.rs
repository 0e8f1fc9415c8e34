//! Code cut into statements of lexemes.

use crate::refusal::{Refusal, refuse};
use crate::token::integer;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Symbol<'a> {
    Name(&'a str),
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Operator(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lexeme<'a> {
    pub symbol: Symbol<'a>,
    pub text: &'a str,
    pub line: u32,
}

/// Longer ones first, so that the first that fits is the one meant.
const OPERATORS: &[&str] = &[
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "(", ")",
    "[", "]", ",", "<", ">", "=", "!", "&", "|", "^", "~", ":", ".", "{", "}",
];

/// Cuts `code`, which begins in `line`, into statements. A statement ends with its line
/// unless a bracket is open, or at a semicolon.
pub(super) fn statements(code: &str, mut line: u32) -> Result<Vec<Vec<Lexeme<'_>>>, Refusal> {
    let mut statements = vec![Vec::new()];
    let mut open = 0i32;
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '\n' | ';' => {
                if first == ';' || open <= 0 {
                    statements.push(Vec::new());
                }
                line += u32::from(first == '\n');
                1
            }
            '\\' if rest.starts_with("\\\n") => {
                line += 1;
                2
            }
            '#' => rest.find('\n').unwrap_or(rest.len()),
            c if c.is_whitespace() => c.len_utf8(),
            _ => {
                let (symbol, bytes) = symbol(rest, line)?;
                open += match symbol {
                    Symbol::Operator("(" | "[") => 1,
                    Symbol::Operator(")" | "]") => -1,
                    _ => 0,
                };
                let text = &rest[..bytes];
                if let Some(statement) = statements.last_mut() {
                    statement.push(Lexeme { symbol, text, line });
                }
                bytes
            }
        };
        rest = &rest[taken..];
    }
    statements.retain(|statement| !statement.is_empty());
    Ok(statements)
}

fn symbol(rest: &str, line: u32) -> Result<(Symbol<'_>, usize), Refusal> {
    let first = rest.chars().next().unwrap_or(' ');
    if first.is_ascii_digit() || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
    {
        return number(rest, line);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let bytes = prefix(rest, |c| c.is_ascii_alphanumeric() || c == '_');
        return Ok((Symbol::Name(&rest[..bytes]), bytes));
    }
    if matches!(first, '"' | '\'') {
        return match rest[1..].find(first) {
            Some(bytes) => Ok((Symbol::Text(&rest[1..=bytes]), bytes + 2)),
            None => refuse(line, "code: this string never ends"),
        };
    }
    match OPERATORS
        .iter()
        .find(|operator| rest.starts_with(**operator))
    {
        Some(operator) => Ok((Symbol::Operator(operator), operator.len())),
        None => refuse(line, format!("code: {first:?} has no meaning here")),
    }
}

fn number(rest: &str, line: u32) -> Result<(Symbol<'_>, usize), Refusal> {
    let is_hexadecimal = rest.starts_with("0x");
    let bytes = prefix(rest, |c| {
        c.is_ascii_digit()
            || (is_hexadecimal && c.is_ascii_alphanumeric())
            || (!is_hexadecimal && matches!(c, '.' | 'e'))
    });
    let text = &rest[..bytes];
    let real = || text.parse().ok().map(Symbol::Real);
    match integer(text).map(Symbol::Integer).or_else(real) {
        Some(symbol) => Ok((symbol, bytes)),
        None => refuse(line, format!("code: {text} is no number")),
    }
}

fn prefix(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}
