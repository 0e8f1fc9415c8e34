//! System calls: `write(4, ..., 1000) = -1 EAGAIN (Resource temporarily unavailable)`.

use super::tokens::{Tokens, name};
use crate::ast::{Call, Expression};
use crate::refusal::{Refusal, malformed, refuse};
use crate::token::Token;

/// Greatest depth of nested arguments; no call needs more than four.
const DEPTH_MAX: u32 = 16;

pub(super) fn call(tokens: &mut Tokens<'_>, end: Option<i64>) -> Result<Call, Refusal> {
    let line = tokens.line();
    let Some(Token::Word(function)) = tokens.next() else {
        return malformed(line, "expected the name of a system call");
    };
    tokens.expect('(')?;
    let arguments = list(tokens, ')', 0)?;
    tokens.expect('=')?;
    let result = expression(tokens, 0)?;
    let errno = match tokens.peek() {
        Some(Token::Word(word)) => {
            tokens.advance();
            Some(word.to_owned())
        }
        _ => None,
    };
    if tokens.take('(') {
        note(tokens)?;
    }
    Ok(Call {
        name: function.to_owned(),
        arguments,
        result,
        errno,
        end,
    })
}

/// Words for people, in parentheses.
fn note(tokens: &mut Tokens<'_>) -> Result<(), Refusal> {
    let line = tokens.line();
    loop {
        match tokens.next() {
            Some(Token::Mark(')')) => return Ok(()),
            Some(_) => {}
            None => return malformed(line, "this note never ends"),
        }
    }
}

/// Expressions up to `close`.
fn list(tokens: &mut Tokens<'_>, close: char, depth: u32) -> Result<Vec<Expression>, Refusal> {
    let mut elements = Vec::new();
    if tokens.take(close) {
        return Ok(elements);
    }
    loop {
        elements.push(expression(tokens, depth + 1)?);
        if !tokens.take(',') {
            tokens.expect(close)?;
            return Ok(elements);
        }
    }
}

fn expression(tokens: &mut Tokens<'_>, depth: u32) -> Result<Expression, Refusal> {
    let first = operand(tokens, depth)?;
    if tokens.peek() != Some(Token::Mark('|')) {
        return Ok(first);
    }
    let mut operands = vec![first];
    while tokens.take('|') {
        operands.push(operand(tokens, depth)?);
    }
    Ok(Expression::Or(operands))
}

fn operand(tokens: &mut Tokens<'_>, depth: u32) -> Result<Expression, Refusal> {
    let line = tokens.line();
    if depth > DEPTH_MAX {
        return refuse(line, "arguments nest too deeply");
    }
    match tokens.next() {
        Some(Token::Integer(value)) => Ok(Expression::Integer(value)),
        Some(Token::Ellipsis) => Ok(Expression::Ellipsis),
        Some(Token::Mark('*')) => Ok(Expression::Ellipsis),
        Some(Token::Text(text)) => {
            let mut text = text.to_owned();
            while let Some(Token::Text(more)) = tokens.peek() {
                tokens.advance();
                text += more;
            }
            if tokens.peek() == Some(Token::Ellipsis) {
                tokens.advance();
            }
            Ok(Expression::Text(text))
        }
        Some(Token::Word(word)) if tokens.take('(') => Ok(Expression::Function(
            word.to_owned(),
            list(tokens, ')', depth)?,
        )),
        Some(Token::Word(word)) => Ok(Expression::Word(word.to_owned())),
        Some(Token::Mark('[')) => Ok(Expression::Array(list(tokens, ']', depth)?)),
        Some(Token::Mark('{')) => Ok(Expression::Struct(fields(tokens, depth)?)),
        other => malformed(line, format!("expected an argument, found {}", name(other))),
    }
}

/// The fields of a structure: `name = value`, `name(length) = value`, or a value alone.
fn fields(tokens: &mut Tokens<'_>, depth: u32) -> Result<Vec<(String, Expression)>, Refusal> {
    let mut fields = Vec::new();
    if tokens.take('}') {
        return Ok(fields);
    }
    loop {
        let first = expression(tokens, depth + 1)?;
        fields.push(match first {
            Expression::Word(name) | Expression::Function(name, _) if tokens.take('=') => {
                (name, expression(tokens, depth + 1)?)
            }
            value => (String::new(), value),
        });
        if !tokens.take(',') {
            tokens.expect('}')?;
            return Ok(fields);
        }
    }
}
