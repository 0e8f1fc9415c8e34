//! Packets: `< S 0:0(0) win 32792 <mss 1460,sackOK>`.

use tcp::Flags;

use super::tokens::{Tokens, name};
use crate::ast::{Packet, PacketOptions};
use crate::refusal::{Refusal, refuse};
use crate::token::Token;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    In,
    Out,
}

/// The most SACK blocks 40 bytes of options hold.
const SACK_BLOCKS_MAX: usize = 4;

pub(super) fn packet(tokens: &mut Tokens<'_>, direction: Direction) -> Result<Packet, Refusal> {
    ip_info(tokens)?;
    let line = tokens.line();
    let flags = flags(tokens)?;
    let (seq, payload) = sequence(tokens)?;
    let ack = match tokens.take_word("ack") {
        true => Some(tokens.number("an acknowledgement", u32::MAX)?),
        false => None,
    };
    if flags.contains(Flags::ACK) != ack.is_some() {
        return refuse(
            line,
            "the flag \".\" and an acknowledgement number belong together",
        );
    }
    let window = match tokens.take_word("win") {
        true => Some(tokens.number("a window field", 65_535)? as u16),
        false => None,
    };
    if direction == Direction::In && window.is_none() {
        return refuse(line, "a packet to the endpoint needs a window: win N");
    }
    if tokens.take_word("urg") {
        return refuse(line, "urgent data: the endpoint has none");
    }
    Ok(Packet {
        flags,
        seq,
        payload,
        ack,
        window,
        options: options(tokens)?,
    })
}

/// `[noecn]` says that the packet is not marked, as none of ours is.
fn ip_info(tokens: &mut Tokens<'_>) -> Result<(), Refusal> {
    while tokens.peek() == Some(Token::Mark('[')) {
        tokens.advance();
        let line = tokens.line();
        match tokens.next() {
            Some(Token::Word("noecn")) => tokens.expect(']')?,
            Some(Token::Word("ce" | "ect0" | "ect1" | "ect01")) => {
                return refuse(line, "explicit congestion notification (RFC 3168)");
            }
            other => return refuse(line, format!("IP header field {}", name(other))),
        }
    }
    Ok(())
}

fn flags(tokens: &mut Tokens<'_>) -> Result<Flags, Refusal> {
    let line = tokens.line();
    let mut flags = Flags::default();
    match tokens.next() {
        Some(Token::Mark('-')) => return Ok(flags),
        Some(Token::Mark('.')) => return Ok(Flags::ACK),
        Some(Token::Word(what @ ("icmp" | "udp" | "ipv4" | "ipv6" | "gre" | "mpls" | "sctp"))) => {
            return refuse(line, format!("{what} packets: only TCP is run"));
        }
        Some(Token::Word(word)) => {
            for letter in word.chars() {
                flags |= flag(letter, line)?;
            }
        }
        other => return refuse(line, format!("expected flags, found {}", name(other))),
    }
    if tokens.take('.') {
        flags |= Flags::ACK;
    }
    match tokens.peek() {
        Some(Token::Integer(_)) => Ok(flags),
        other => refuse(line, format!("flags followed by {}", name(other))),
    }
}

fn flag(letter: char, line: u32) -> Result<Flags, Refusal> {
    match letter {
        'S' => Ok(Flags::SYN),
        'F' => Ok(Flags::FIN),
        'R' => Ok(Flags::RST),
        'P' => Ok(Flags::PSH),
        'E' | 'W' | 'A' | 'C' | 'N' => refuse(
            line,
            format!("flag {letter}: explicit congestion notification (RFC 3168)"),
        ),
        'U' => refuse(line, "flag U: the endpoint has no urgent data"),
        _ => refuse(line, format!("flag {letter:?}")),
    }
}

/// `first:last(length)`
fn sequence(tokens: &mut Tokens<'_>) -> Result<(u32, u32), Refusal> {
    let line = tokens.line();
    let first = tokens.number("a sequence number", u32::MAX)?;
    tokens.expect(':')?;
    let last = tokens.number("a sequence number", u32::MAX)?;
    tokens.expect('(')?;
    let payload = tokens.number("a length", u32::MAX)?;
    tokens.expect(')')?;
    if last.wrapping_sub(first) != payload {
        return refuse(
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
        Some(Token::Word("FO" | "FOEXP" | "FOC")) => {
            return refuse(line, "the option of TCP Fast Open (RFC 7413)");
        }
        Some(Token::Word(word)) => return refuse(line, format!("TCP option {word}")),
        other => {
            return refuse(
                line,
                format!("expected a TCP option, found {}", name(other)),
            );
        }
    }
    Ok(())
}

fn timestamps(tokens: &mut Tokens<'_>) -> Result<(u32, u32), Refusal> {
    let line = tokens.line();
    if !tokens.take_word("val") {
        return refuse(line, "timestamps are written TS val N ecr N");
    }
    let value = tokens.number("a timestamp", u32::MAX)?;
    if !tokens.take_word("ecr") {
        return refuse(line, "timestamps are written TS val N ecr N");
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
