//! ICMP: `< icmp unreachable frag_needed mtu 1200 [1:1461(1460)]`.

use super::packet;
use super::tokens::{Tokens, name};
use crate::ast::IcmpMessage;
use crate::refusal::{Refusal, malformed, refuse};
use crate::token::Token;

pub(super) fn icmp(tokens: &mut Tokens<'_>) -> Result<IcmpMessage, Refusal> {
    let line = tokens.line();
    let Some(Token::Word(kind)) = tokens.next() else {
        return malformed(line, "an ICMP message needs its type");
    };
    let code = match tokens.peek() {
        Some(Token::Word(code)) if code != "mtu" => {
            tokens.advance();
            Some(code.to_owned())
        }
        Some(Token::Integer(code)) => {
            tokens.advance();
            Some(code.to_string())
        }
        _ => None,
    };
    let mtu = match tokens.take_word("mtu") {
        true => Some(tokens.number("an MTU", 65_535)?),
        false => None,
    };
    let mut quoted = None;
    if tokens.take('[') {
        if let Some(Token::Word(protocol)) = tokens.peek() {
            if protocol != "tcp" {
                return refuse(line, format!("ICMP about {}", name(tokens.peek())));
            }
            tokens.advance();
        }
        quoted = Some(packet::sequence(tokens)?.0);
        tokens.expect(']')?;
    }
    Ok(IcmpMessage {
        kind: kind.to_owned(),
        code,
        mtu,
        quoted,
    })
}
