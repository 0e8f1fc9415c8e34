//! Text cut into tokens, as the language's lexical structure has it.

use crate::refusal::{Refusal, malformed};

/// A piece of a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// Letters, digits and underscores that are no number.
    Word(&'a str),
    /// A whole number, in decimal with or without a sign, or in hexadecimal.
    Integer(i64),
    /// More decimal digits than a number of 64 bits has: a cookie.
    Digits(&'a str),
    /// A number with a decimal point, as it is written: times are read from it exactly.
    Decimal(&'a str),
    /// Text between double quotes.
    Text(&'a str),
    /// A shell command, between backticks.
    Shell(&'a str),
    /// Code between `%{` and `}%`.
    Code(&'a str),
    /// `...`
    Ellipsis,
    /// Any other character.
    Mark(char),
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed<'a> {
    pub token: Token<'a>,
    /// The token as it is written, where a symbol stands for it, too.
    pub text: &'a str,
    pub line: u32,
    /// The byte offset in the source.
    pub start: usize,
    /// The byte offset after the token.
    pub end: usize,
}

/// A place in the text, with its line.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    pub offset: usize,
    pub line: u32,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor {
            text,
            offset: 0,
            line: 1,
        }
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.line += taken.matches('\n').count() as u32;
        self.offset += bytes;
        taken
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let bytes = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.advance(bytes)
    }

    /// Takes everything up to white space: a command line option.
    pub fn take_argument(&mut self) -> &'a str {
        let mut quoted = false;
        let rest = self.rest();
        let end = rest.find(|c: char| {
            quoted ^= c == '"';
            c.is_whitespace() && !quoted
        });
        self.advance(end.unwrap_or(rest.len()))
    }

    /// Steps over white space and comments.
    pub fn skip_blank(&mut self) -> Result<(), Refusal> {
        loop {
            self.take_while(char::is_whitespace);
            let rest = self.rest();
            if rest.starts_with("//") || rest.starts_with('#') {
                self.take_while(|c| c != '\n');
            } else if rest.starts_with("/*") {
                self.take_until("/*", "*/", "comment")?;
            } else {
                return Ok(());
            }
        }
    }

    /// Returns what stands between `open`, which is next, and `close`.
    fn take_until(&mut self, open: &str, close: &str, what: &str) -> Result<&'a str, Refusal> {
        let line = self.line;
        let inside = &self.rest()[open.len()..];
        let Some(bytes) = inside.find(close) else {
            return malformed(line, format!("this {what} never ends"));
        };
        self.advance(open.len() + bytes + close.len());
        Ok(&inside[..bytes])
    }

    /// Returns what stands between two `quote`s, the first of which is next; one after a backslash
    /// does not end it.
    fn take_quoted(&mut self, quote: char, what: &str) -> Result<&'a str, Refusal> {
        let line = self.line;
        let inside = &self.rest()[1..];
        let mut is_escaped = false;
        let end = inside.find(|c: char| {
            let ends = c == quote && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        let Some(bytes) = end else {
            return malformed(line, format!("this {what} never ends"));
        };
        self.advance(bytes + 2);
        Ok(&inside[..bytes])
    }

    /// The next token; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Placed<'a>>, Refusal> {
        self.skip_blank()?;
        let (line, start) = (self.line, self.offset);
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        let token = match first {
            '"' => Token::Text(self.take_quoted('"', "string")?),
            '`' => Token::Shell(self.take_quoted('`', "command")?),
            '%' if rest.starts_with("%{") => Token::Code(self.take_until("%{", "}%", "code")?),
            '.' if rest.starts_with("...") => {
                self.advance(3);
                Token::Ellipsis
            }
            _ if starts_number(rest) => self.number(line)?,
            c if is_word(c) => Token::Word(self.take_while(is_word)),
            c => {
                self.advance(c.len_utf8());
                Token::Mark(c)
            }
        };
        Ok(Some(Placed {
            token,
            text: &self.text[start..self.offset],
            line,
            start,
            end: self.offset,
        }))
    }

    fn number(&mut self, line: u32) -> Result<Token<'a>, Refusal> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = prefix(&rest[sign..], is_word);
        let after = &rest[sign + digits..];
        let has_fraction =
            after.starts_with('.') && prefix(&after[1..], |c| c.is_ascii_digit()) > 0;
        let whole = &rest[sign..sign + digits];
        let is_plain = whole.chars().all(|c| c.is_ascii_digit());
        if has_fraction && is_plain {
            let bytes = sign + digits + 1 + prefix(&after[1..], |c| c.is_ascii_digit());
            return Ok(Token::Decimal(self.advance(bytes)));
        }
        let text = self.advance(sign + digits);
        if !is_plain && !whole.starts_with("0x") {
            return Ok(Token::Word(text));
        }
        match integer(text) {
            Some(value) => Ok(Token::Integer(value)),
            None if is_plain && sign == 0 => Ok(Token::Digits(text)),
            None => malformed(line, format!("{text} is no number of 64 bits")),
        }
    }
}

/// Reads a decimal number with or without a sign, or a hexadecimal one.
pub(crate) fn integer(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn prefix(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn starts_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let text = text.strip_prefix('.').unwrap_or(text);
    text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Token::*, *};

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut cursor = Cursor::new(text);
        let mut tokens = Vec::new();
        while let Some(placed) = cursor.next().unwrap() {
            tokens.push(placed.token);
        }
        tokens
    }

    #[test]
    fn the_end_of_a_blocking_call_is_no_part_of_its_start() {
        assert_eq!(
            tokens("+0...0.200"),
            [Mark('+'), Integer(0), Ellipsis, Decimal("0.200")]
        );
        assert_eq!(
            tokens("+.1...-1"),
            [Mark('+'), Decimal(".1"), Ellipsis, Integer(-1)]
        );
    }

    #[test]
    fn flags_end_at_their_dot() {
        assert_eq!(
            tokens("< S. 0:0(0)"),
            [
                Mark('<'),
                Word("S"),
                Mark('.'),
                Integer(0),
                Mark(':'),
                Integer(0),
                Mark('('),
                Integer(0),
                Mark(')')
            ]
        );
    }

    #[test]
    fn comments_of_three_kinds_are_skipped_and_lines_counted() {
        let mut cursor = Cursor::new("// a\n# b\n/* c\n */ 0x1f");
        let placed = cursor.next().unwrap().unwrap();
        assert_eq!((placed.token, placed.line), (Integer(31), 4));
    }

    #[test]
    fn a_quote_after_a_backslash_does_not_end_the_string() {
        assert_eq!(
            tokens(r#""a \"b\"" `echo \`x\``"#),
            [Text(r#"a \"b\""#), Shell(r"echo \`x\`")]
        );
    }

    #[test]
    fn what_never_ends_is_refused_where_it_began() {
        for text in ["\n`ls", "\n\"text", "\n%{ assert", "\n/* note"] {
            let refusal = Cursor::new(text).next().unwrap_err();
            assert_eq!(refusal.line, 2, "{text}");
        }
    }
}
