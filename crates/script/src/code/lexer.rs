//! Code cut into statements of lexemes.

use crate::refusal::{Refusal, refuse};
use crate::token::integer;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Symbol<'a> {
    Name(&'a str),
    Integer(i64),
    Real(f64),
    Text(&'a str),
    /// A string with a letter before it, which is for people here.
    Prefixed(&'a str),
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
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "+", "-", "*",
    "/", "%", "(", ")", "[", "]", ",", "<", ">", "=", "!", "&", "|", "^", "~", ":", ".", "{", "}",
];

/// A statement, or the head of a compound one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Statement<'a> {
    /// Indentation of its line.
    pub indent: usize,
    pub lexemes: Vec<Lexeme<'a>>,
}

/// Cuts `code`, which begins in `line`, into statements. A statement ends with its line
/// unless a bracket is open, or at a semicolon.
pub(super) fn statements(code: &str, mut line: u32) -> Result<Vec<Statement<'_>>, Refusal> {
    let mut statements = vec![Statement::default()];
    let mut open = 0i32;
    let mut indent = 0;
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '\n' | ';' => {
                if first == '\n' && open <= 0 {
                    let next = &rest[1..];
                    indent = prefix(next, |c| matches!(c, ' ' | '\t'));
                }
                if first == ';' || open <= 0 {
                    statements.push(Statement {
                        indent,
                        lexemes: Vec::new(),
                    });
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
                    Symbol::Operator("(" | "[" | "{") => 1,
                    Symbol::Operator(")" | "]" | "}") => -1,
                    _ => 0,
                };
                let text = &rest[..bytes];
                if let Some(statement) = statements.last_mut() {
                    statement.lexemes.push(Lexeme { symbol, text, line });
                }
                line += text.matches('\n').count() as u32;
                bytes
            }
        };
        rest = &rest[taken..];
    }
    statements.retain(|statement| !statement.lexemes.is_empty());
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
        let is_prefix = matches!(
            &rest[..bytes],
            "f" | "F" | "r" | "R" | "b" | "B" | "rb" | "fr"
        );
        if is_prefix && rest[bytes..].starts_with(['"', '\'']) {
            let (_, length) = text(&rest[bytes..], line)?;
            let whole = &rest[..bytes + length];
            return Ok((Symbol::Prefixed(whole), whole.len()));
        }
        return Ok((Symbol::Name(&rest[..bytes]), bytes));
    }
    if matches!(first, '"' | '\'') {
        return text(rest, line).map(|(inside, bytes)| (Symbol::Text(inside), bytes));
    }
    match OPERATORS
        .iter()
        .find(|operator| rest.starts_with(**operator))
    {
        Some(operator) => Ok((Symbol::Operator(operator), operator.len())),
        None => refuse(line, format!("code: {first:?} has no meaning here")),
    }
}

/// A string with its quotes, one or three, at the beginning of `rest`: what is inside, and its
/// length with the quotes.
fn text(rest: &str, line: u32) -> Result<(&str, usize), Refusal> {
    let thrice = if rest.starts_with('"') {
        "\"\"\""
    } else {
        "'''"
    };
    let quote = if rest.starts_with(thrice) {
        thrice
    } else {
        &rest[..1]
    };
    let inside = &rest[quote.len()..];
    let mut from = 0;
    while let Some(at) = inside[from..].find(quote).map(|at| at + from) {
        let escapes = inside[..at].bytes().rev().take_while(|b| *b == b'\\');
        if escapes.count() % 2 == 0 {
            return Ok((&inside[..at], at + 2 * quote.len()));
        }
        from = at + 1;
    }
    refuse(line, "code: this string never ends")
}

fn number(rest: &str, line: u32) -> Result<(Symbol<'_>, usize), Refusal> {
    let is_hexadecimal = rest.starts_with("0x");
    let bytes = prefix(rest, |c| {
        c.is_ascii_digit()
            || (is_hexadecimal && c.is_ascii_alphanumeric())
            || (!is_hexadecimal && matches!(c, '.' | 'e'))
            || c == '_'
    });
    let text = &rest[..bytes];
    let digits = text.replace('_', "");
    let real = || digits.parse().ok().map(Symbol::Real);
    match integer(&digits).map(Symbol::Integer).or_else(real) {
        Some(symbol) => Ok((symbol, bytes)),
        None => refuse(line, format!("code: {text} is no number")),
    }
}

fn prefix(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}
