//! Packets: `< S 0:0(0) win 32792 <mss 1460,sackOK>`.

use tcp::{Cookie, Ecn, FastOpenOption, Flags};

use super::tokens::{Tokens, name};
use crate::ast::{EcnField, PacketOptions, ScriptPacket};
use crate::fast_open;
use crate::refusal::{Refusal, malformed, refuse};
use crate::token::Token;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    In,
    Out,
}

/// The most SACK blocks 40 bytes of options hold.
const SACK_BLOCKS_MAX: usize = 4;
/// A digit of 0 to 7, as in `P5.` or `5.`.
const ACCURATE_ECN: &str = "the counter of accurate ECN (RFC 9768) among the flags";

pub(super) fn packet(
    tokens: &mut Tokens<'_>,
    direction: Direction,
) -> Result<ScriptPacket, Refusal> {
    let ecn = ip_info(tokens, direction)?;
    let ports = ports(tokens)?;
    let line = tokens.line();
    let flags = flags(tokens)?;
    let (seq, payload) = sequence(tokens)?;
    let ack = acknowledgment(tokens, flags, direction, line)?;
    let window = match tokens.take_word("win") {
        true => Some(tokens.number("a window field", 65_535)? as u16),
        false => None,
    };
    if direction == Direction::In && window.is_none() {
        return malformed(line, "a packet to the endpoint needs a window: win N");
    }
    if tokens.take_word("urg") && tokens.number("an urgent pointer", 65_535)? != 0 {
        return refuse(line, "urgent data: the endpoint has none");
    }
    let options = options(tokens)?;
    if tokens.peek() == Some(Token::Mark('{')) {
        return refuse(tokens.line(), "the mutation of packets");
    }
    Ok(ScriptPacket {
        ports,
        flags,
        ecn,
        seq,
        payload,
        ack,
        window,
        options,
    })
}

/// `[ect0]`, `(tos 0x0)` and the like; what the endpoint sends has no more in its IP header that
/// could be said of it. Answers the ECN field.
fn ip_info(tokens: &mut Tokens<'_>, direction: Direction) -> Result<Option<EcnField>, Refusal> {
    let close = match tokens.peek() {
        Some(Token::Mark('[')) => ']',
        Some(Token::Mark('(')) => ')',
        _ => return Ok(None),
    };
    tokens.advance();
    let mut ecn = None;
    loop {
        let line = tokens.line();
        match (tokens.next(), direction) {
            (Some(Token::Word("noecn")), _) => ecn = Some(EcnField::Is(Ecn::NotCapable)),
            (Some(Token::Word("ect0")), _) => ecn = Some(EcnField::Is(Ecn::Capable)),
            (Some(Token::Word("ect1")), _) => ecn = Some(EcnField::Is(Ecn::Capable1)),
            (Some(Token::Word("ce")), _) => ecn = Some(EcnField::Is(Ecn::Congestion)),
            (Some(Token::Word("ect01")), Direction::Out) => ecn = Some(EcnField::Capable),
            (Some(Token::Word("tos")), Direction::In) => {
                let tos = tokens.number("a type of service", 255)?;
                ecn = Some(EcnField::Is(ecn_of(tos as u8)));
            }
            (Some(Token::Word("flowlabel" | "ttl")), Direction::In) => {
                tokens.number("a field of the IP header", u32::MAX)?;
            }
            (other, _) => return refuse(line, format!("IP header field {}", name(other))),
        }
        if !tokens.take(',') {
            tokens.expect(close)?;
            return Ok(ecn);
        }
    }
}

/// The lowest two bits of the second byte of the header.
fn ecn_of(tos: u8) -> Ecn {
    match tos & 0b11 {
        0b00 => Ecn::NotCapable,
        0b01 => Ecn::Capable1,
        0b10 => Ecn::Capable,
        _ => Ecn::Congestion,
    }
}

/// `8080 > 40001`
fn ports(tokens: &mut Tokens<'_>) -> Result<Option<(u16, u16)>, Refusal> {
    if !matches!(tokens.peek(), Some(Token::Integer(_))) {
        return Ok(None);
    }
    let source = tokens.number("a port", 65_535)? as u16;
    if tokens.peek() == Some(Token::Mark('.')) {
        return refuse(tokens.line(), ACCURATE_ECN);
    }
    tokens.expect('>')?;
    Ok(Some((source, tokens.number("a port", 65_535)? as u16)))
}

/// Without a number the field is 0.
fn acknowledgment(
    tokens: &mut Tokens<'_>,
    flags: Flags,
    direction: Direction,
    line: u32,
) -> Result<Option<u32>, Refusal> {
    let is_set = flags.contains(Flags::ACK);
    if !tokens.take_word("ack") {
        return Ok(is_set.then_some(0));
    }
    let number = tokens.number("an acknowledgement", u32::MAX)?;
    if !is_set && number != 0 && direction == Direction::Out {
        return refuse(line, "an acknowledgement number without the flag \".\"");
    }
    Ok(is_set.then_some(number))
}

fn flags(tokens: &mut Tokens<'_>) -> Result<Flags, Refusal> {
    let line = tokens.line();
    let mut flags = Flags::default();
    match tokens.next() {
        Some(Token::Mark('-')) => return Ok(flags),
        Some(Token::Mark('.')) => return Ok(Flags::ACK),
        Some(Token::Word(what @ ("udp" | "ipv4" | "ipv6" | "gre" | "GREv0" | "mpls" | "sctp"))) => {
            return refuse(line, format!("{what} packets: only TCP is run"));
        }
        Some(Token::Word(word)) => {
            for letter in word.chars() {
                flags |= flag(letter, line)?;
            }
        }
        Some(Token::Decimal(_)) => {
            return refuse(line, ACCURATE_ECN);
        }
        other => return malformed(line, format!("expected flags, found {}", name(other))),
    }
    if tokens.take('.') {
        flags |= Flags::ACK;
    }
    match tokens.peek() {
        Some(Token::Integer(_)) => Ok(flags),
        Some(Token::Decimal(_)) => refuse(line, ACCURATE_ECN),
        other => malformed(line, format!("flags followed by {}", name(other))),
    }
}

fn flag(letter: char, line: u32) -> Result<Flags, Refusal> {
    match letter {
        'S' => Ok(Flags::SYN),
        'F' => Ok(Flags::FIN),
        'R' => Ok(Flags::RST),
        'P' => Ok(Flags::PSH),
        'E' => Ok(Flags::ECE),
        'W' => Ok(Flags::CWR),
        'A' | 'C' | 'N' => refuse(line, format!("flag {letter}: accurate ECN (RFC 9768)")),
        '0'..='7' => refuse(line, ACCURATE_ECN),
        'U' => refuse(line, "flag U: the endpoint has no urgent data"),
        _ => malformed(
            line,
            format!("flag {letter:?}; there are S, F, R, P, E, W, \".\" and \"-\""),
        ),
    }
}

/// `first:last(length)`
pub(super) fn sequence(tokens: &mut Tokens<'_>) -> Result<(u32, u32), Refusal> {
    let line = tokens.line();
    let first = tokens.number("a sequence number", u32::MAX)?;
    tokens.expect(':')?;
    let last = tokens.number("a sequence number", u32::MAX)?;
    tokens.expect('(')?;
    let payload = tokens.number("a length", u32::MAX)?;
    tokens.expect(')')?;
    if last.wrapping_sub(first) != payload {
        return malformed(
            line,
            format!("from {first} to {last} are not {payload} bytes"),
        );
    }
    if payload > 65_535 {
        return refuse(line, format!("{payload} bytes do not fit an IP packet"));
    }
    Ok((first, payload))
}

/// No list means no options; `<...>` means any.
fn options(tokens: &mut Tokens<'_>) -> Result<Option<PacketOptions>, Refusal> {
    let mut options = PacketOptions::default();
    if !tokens.take('<') {
        return Ok(Some(options));
    }
    if tokens.peek() == Some(Token::Ellipsis) {
        tokens.advance();
        tokens.expect('>')?;
        return Ok(None);
    }
    loop {
        option(tokens, &mut options)?;
        if !tokens.take(',') {
            tokens.expect('>')?;
            return Ok(Some(options));
        }
    }
}

fn option(tokens: &mut Tokens<'_>, options: &mut PacketOptions) -> Result<(), Refusal> {
    let line = tokens.line();
    match tokens.next() {
        Some(Token::Word("nop" | "eol")) => {}
        Some(Token::Word("mss")) => options.mss = Some(tokens.number("an MSS", 65_535)? as u16),
        Some(Token::Word("wscale")) => {
            options.window_scale = Some(tokens.number("a shift", 255)? as u8);
        }
        Some(Token::Word("sackOK")) => options.sack_permitted = true,
        Some(Token::Word("sack")) => sack_blocks(tokens, &mut options.sack)?,
        Some(Token::Word("TS")) => options.timestamps = Some(timestamps(tokens)?),
        Some(Token::Word(name @ ("FO" | "FOEXP"))) => {
            options.fast_open = cookie(tokens)?.map(|cookie| FastOpenOption {
                cookie,
                is_experimental: name == "FOEXP",
            });
        }
        Some(Token::Word("md5")) => {
            return refuse(line, "the option of TCP MD5 signatures (RFC 2385)");
        }
        Some(Token::Word(word)) => {
            let known = "mss, wscale, sackOK, sack, TS, FO, FOEXP, nop and eol";
            return refuse(line, format!("TCP option {word}; there are {known}"));
        }
        other => {
            return malformed(
                line,
                format!("expected a TCP option, found {}", name(other)),
            );
        }
    }
    Ok(())
}

/// Hexadecimal digits, or nothing for the wish for a cookie. A number of bytes that no cookie has
/// makes an option that is passed over: `None`.
fn cookie(tokens: &mut Tokens<'_>) -> Result<Option<Cookie>, Refusal> {
    let line = tokens.line();
    let digits = match tokens.peek() {
        Some(Token::Word(digits) | Token::Digits(digits)) => digits.to_owned(),
        // Digits alone are read as they stand, leading noughts included.
        Some(Token::Integer(number)) => match tokens.next_source() {
            digits if digits.bytes().all(|digit| digit.is_ascii_digit()) => digits.to_owned(),
            _ => number.to_string(),
        },
        _ => return Ok(Some(Cookie::REQUEST)),
    };
    tokens.advance();
    match fast_open::bytes(&digits) {
        Some(bytes) => Ok(Cookie::new(&bytes)),
        None => malformed(
            line,
            format!("a cookie is pairs of hexadecimal digits, not {digits}"),
        ),
    }
}

fn timestamps(tokens: &mut Tokens<'_>) -> Result<(u32, u32), Refusal> {
    let line = tokens.line();
    if !tokens.take_word("val") {
        return malformed(line, "timestamps are written TS val N ecr N");
    }
    let value = tokens.number("a timestamp", u32::MAX)?;
    if !tokens.take_word("ecr") {
        return malformed(line, "timestamps are written TS val N ecr N");
    }
    Ok((value, tokens.number("a timestamp", u32::MAX)?))
}

fn sack_blocks(tokens: &mut Tokens<'_>, blocks: &mut Vec<(u32, u32)>) -> Result<(), Refusal> {
    loop {
        let start = tokens.number("a SACK block", u32::MAX)?;
        tokens.expect(':')?;
        blocks.push((start, tokens.number("the end of a SACK block", u32::MAX)?));
        if blocks.len() > SACK_BLOCKS_MAX {
            return refuse(
                tokens.line(),
                "more than four SACK blocks do not fit the header",
            );
        }
        if !matches!(tokens.peek(), Some(Token::Integer(_))) {
            return Ok(());
        }
    }
}
