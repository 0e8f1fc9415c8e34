//! From text to a [`Script`]: options, commands, events.

use std::collections::BTreeMap;

use crate::ast::{CommandLineOption, Script, ScriptAction, ScriptEvent, When};
use crate::fast_open::CookieAddresses;
use crate::refusal::{Refusal, malformed};
use crate::token::{Cursor, Placed, Token};

mod call;
mod icmp;
mod packet;
mod tokens;

use tokens::Tokens;

/// The longest time an event may name: a year, far below what overflows.
const TIME_MAX_NS: i64 = 366 * 86_400 * 1_000_000_000;

/// No script has more words and marks, once its symbols are replaced by what they stand for.
const TOKENS_MAX: usize = 1 << 20;

/// Reads a script.
pub(crate) fn parse(text: &str) -> Result<Script, Refusal> {
    let mut cursor = Cursor::new(text);
    let mut script = Script {
        settings: settings(&mut cursor)?,
        ..Script::default()
    };
    script.defines = defines(&script.settings)?;
    let mut tokens = Tokens::new(text, substitute(&mut cursor, &script.defines)?);
    while let Some(Token::Shell(command)) = tokens.peek() {
        script.init.push((tokens.line(), command.to_owned()));
        tokens.advance();
    }
    while tokens.peek().is_some() {
        script.events.push(event(&mut tokens)?);
    }
    if script.events.is_empty() {
        return malformed(cursor.line, "there is no event in it");
    }
    Ok(script)
}

fn settings(cursor: &mut Cursor<'_>) -> Result<Vec<CommandLineOption>, Refusal> {
    let mut settings = Vec::new();
    loop {
        cursor.skip_blank()?;
        if !cursor.rest().starts_with("--") && !cursor.rest().starts_with("-D") {
            return Ok(settings);
        }
        let line = cursor.line;
        let mut argument = cursor.take_argument();
        if matches!(argument, "-D" | "--define") {
            cursor.skip_blank()?;
            argument = cursor.take_argument();
            settings.push(setting(line, "define", argument));
        } else if let Some(definition) = argument.strip_prefix("-D") {
            settings.push(setting(line, "define", definition));
        } else {
            let (name, value) = argument[2..]
                .split_once('=')
                .unwrap_or((&argument[2..], ""));
            settings.push(setting(line, name, value));
        }
    }
}

fn setting(line: u32, name: &str, value: &str) -> CommandLineOption {
    CommandLineOption {
        line,
        name: name.to_owned(),
        value: value.trim_matches('"').to_owned(),
    }
}

/// Returns what a script defines, and what stands beside it for everybody.
fn defines(settings: &[CommandLineOption]) -> Result<Vec<(String, String)>, Refusal> {
    let definitions = settings.iter().filter(|s| s.name == "define");
    let named = CookieAddresses::of(settings).named_cookies().map(Ok);
    let own = definitions.map(|s| match s.value.split_once('=') {
        Some((symbol, value)) if !symbol.is_empty() => {
            Ok((symbol.to_owned(), value.trim_matches('"').to_owned()))
        }
        _ => malformed(
            s.line,
            format!("a definition is SYMBOL=VALUE, not {:?}", s.value),
        ),
    });
    own.chain(named).collect()
}

/// All tokens, with defined symbols replaced by what stands for them.
fn substitute<'a>(
    cursor: &mut Cursor<'a>,
    defines: &'a [(String, String)],
) -> Result<Vec<Placed<'a>>, Refusal> {
    let mut tokens = Vec::new();
    // Of several definitions the first holds.
    let values: BTreeMap<&str, &str> = defines.iter().rev().map(|(s, v)| (&**s, &**v)).collect();
    while let Some(placed) = cursor.next()? {
        let value = match placed.token {
            Token::Word(word) => values.get(word),
            _ => None,
        };
        let Some(value) = value else {
            tokens.push(placed);
            continue;
        };
        let mut inner = Cursor::new(value);
        while let Some(token) = inner.next()? {
            if tokens.len() == TOKENS_MAX {
                return malformed(placed.line, "with its symbols it is longer than any script");
            }
            tokens.push(Placed {
                token: token.token,
                text: token.text,
                ..placed
            });
        }
    }
    Ok(tokens)
}

fn event(tokens: &mut Tokens<'_>) -> Result<ScriptEvent, Refusal> {
    let line = tokens.line();
    let when = when(tokens)?;
    let start = tokens.offset();
    let action = action(tokens)?;
    Ok(ScriptEvent {
        line,
        when,
        action,
        source: tokens.source(start),
    })
}

/// A command without a time, at the end of a script, cleans up: it happens at once.
fn when(tokens: &mut Tokens<'_>) -> Result<When, Refusal> {
    if matches!(tokens.peek(), Some(Token::Shell(_))) {
        return Ok(When::Relative(0));
    }
    if tokens.take('*') {
        return Ok(When::Any);
    }
    let is_relative = tokens.take('+');
    let start = time(tokens)?;
    if !tokens.take('~') {
        return Ok(if is_relative {
            When::Relative(start)
        } else {
            When::Absolute(start)
        });
    }
    tokens.take('+');
    let end = time(tokens)?;
    if end < start {
        return malformed(tokens.line(), "the range of times ends before it begins");
    }
    Ok(if is_relative {
        When::RelativeRange(start, end)
    } else {
        When::AbsoluteRange(start, end)
    })
}

/// Seconds, in nanoseconds.
fn time(tokens: &mut Tokens<'_>) -> Result<i64, Refusal> {
    let line = tokens.line();
    let nanos = match tokens.next() {
        Some(Token::Integer(seconds)) => seconds.checked_mul(1_000_000_000),
        Some(Token::Decimal(text)) => nanoseconds(text),
        other => {
            return malformed(
                line,
                format!("expected a time, found {}", tokens::name(other)),
            );
        }
    };
    match nanos {
        Some(nanos) if (0..=TIME_MAX_NS).contains(&nanos) => Ok(nanos),
        _ => malformed(line, "a time must lie between 0 and a year"),
    }
}

/// "1.25" seconds as nanoseconds, exactly; digits beyond the ninth are cut.
fn nanoseconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.')?;
    let whole: i64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let digits: String = fraction
        .chars()
        .chain("000000000".chars())
        .take(9)
        .collect();
    whole
        .checked_mul(1_000_000_000)?
        .checked_add(digits.parse().ok()?)
}

fn action(tokens: &mut Tokens<'_>) -> Result<ScriptAction, Refusal> {
    match tokens.peek() {
        Some(Token::Mark('<')) => {
            tokens.advance();
            if tokens.take_word("icmp") {
                return icmp::icmp(tokens).map(ScriptAction::Icmp);
            }
            packet::packet(tokens, packet::Direction::In).map(ScriptAction::Inbound)
        }
        Some(Token::Mark('>')) => {
            tokens.advance();
            packet::packet(tokens, packet::Direction::Out).map(ScriptAction::Outbound)
        }
        Some(Token::Shell(command)) => {
            tokens.advance();
            Ok(ScriptAction::Shell(command.to_owned()))
        }
        Some(Token::Code(code)) => {
            tokens.advance();
            Ok(ScriptAction::Code(code.to_owned()))
        }
        Some(Token::Ellipsis) => {
            tokens.advance();
            let end = time(tokens)?;
            call::call(tokens, Some(end)).map(ScriptAction::Call)
        }
        Some(Token::Word(_)) => call::call(tokens, None).map(ScriptAction::Call),
        other => malformed(
            tokens.line(),
            format!(
                "expected a packet, a call, a command or code, found {}",
                tokens::name(other)
            ),
        ),
    }
}

#[cfg(test)]
mod tests;
