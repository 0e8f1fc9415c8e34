//! The parser's view of the tokens: what is next, and what must be.

use crate::refusal::{Refusal, malformed};
use crate::token::{Placed, Token};

pub(super) struct Tokens<'a> {
    source: &'a str,
    tokens: Vec<Placed<'a>>,
    position: usize,
}

impl<'a> Tokens<'a> {
    pub fn new(source: &'a str, tokens: Vec<Placed<'a>>) -> Tokens<'a> {
        Tokens {
            source,
            tokens,
            position: 0,
        }
    }

    pub fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.position).map(|placed| placed.token)
    }

    pub fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.position += 1;
        token
    }

    pub fn advance(&mut self) {
        self.position += 1;
    }

    /// The line of the next token, or of the last.
    pub fn line(&self) -> u32 {
        let placed = self.tokens.get(self.position).or(self.tokens.last());
        placed.map_or(1, |placed| placed.line)
    }

    /// Where the next token begins.
    pub fn offset(&self) -> usize {
        let placed = self.tokens.get(self.position);
        placed.map_or(self.source.len(), |placed| placed.start)
    }

    /// Returns what stands from `start` to the last token taken, on one line.
    pub fn source(&self, start: usize) -> String {
        let end = match self
            .position
            .checked_sub(1)
            .and_then(|p| self.tokens.get(p))
        {
            Some(placed) => placed.end.max(start),
            None => self.source.len(),
        };
        let text = self.source.get(start..end).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The next token as it is written.
    pub fn next_source(&self) -> &'a str {
        let placed = self.tokens.get(self.position);
        placed.map_or("", |placed| placed.text)
    }

    /// Takes `mark` if it is next.
    pub fn take(&mut self, mark: char) -> bool {
        let is_next = self.peek() == Some(Token::Mark(mark));
        self.position += usize::from(is_next);
        is_next
    }

    /// Takes `word` if it is next.
    pub fn take_word(&mut self, word: &str) -> bool {
        let is_next = self.peek() == Some(Token::Word(word));
        self.position += usize::from(is_next);
        is_next
    }

    pub fn expect(&mut self, mark: char) -> Result<(), Refusal> {
        if self.take(mark) {
            return Ok(());
        }
        let found = name(self.peek());
        malformed(self.line(), format!("expected {mark:?}, found {found}"))
    }

    /// A number between 0 and `max`.
    pub fn number(&mut self, what: &str, max: u32) -> Result<u32, Refusal> {
        let line = self.line();
        match self.next() {
            Some(Token::Integer(value)) => match u32::try_from(value) {
                Ok(number) if number <= max => Ok(number),
                _ => malformed(line, format!("{what} {value} is not within 0 to {max}")),
            },
            other => malformed(line, format!("expected {what}, found {}", name(other))),
        }
    }
}

/// A token in a message.
pub(super) fn name(token: Option<Token<'_>>) -> String {
    match token {
        None => "the end".to_owned(),
        Some(Token::Word(word)) => format!("{word:?}"),
        Some(Token::Integer(value)) => value.to_string(),
        Some(Token::Decimal(text)) => text.to_owned(),
        Some(Token::Digits(text)) => format!("{text}, which is no number of 64 bits"),
        Some(Token::Text(_)) => "a string".to_owned(),
        Some(Token::Shell(_)) => "a command".to_owned(),
        Some(Token::Code(_)) => "code".to_owned(),
        Some(Token::Ellipsis) => "\"...\"".to_owned(),
        Some(Token::Mark(mark)) => format!("{mark:?}"),
    }
}
