//! The names of ICMP's types and codes in scripts, their numbers in IPv4 (RFC 792, RFC 1122,
//! RFC 1812), and what Linux makes of them for a socket (`icmp_err_convert`, `tcp_v4_err`).

use super::Errno;
use crate::ast::Icmp;

/// What an ICMP message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpMeaning {
    /// Type and code in IPv4.
    pub number: (u8, u8),
    /// The error; none for what is ignored.
    pub errno: Option<Errno>,
    /// The packet was too large for a link.
    pub is_too_big: bool,
    /// Whether a connection request that has not been answered is given up.
    pub ends_request: bool,
}

const UNREACHABLE: u8 = 3;
const TOO_BIG: u8 = 4;

/// The codes of "unreachable": name, number and error.
const CODES: &[(&str, u8, i32)] = &[
    ("net_unreachable", 0, 101),
    ("no_route", 0, 101),
    ("host_unreachable", 1, 113),
    ("address_unreachable", 1, 113),
    ("protocol_unreachable", 2, 92),
    ("port_unreachable", 3, 111),
    ("frag_needed", TOO_BIG, 90),
    ("source_route_failed", 5, 95),
    ("net_unknown", 6, 101),
    ("host_unknown", 7, 112),
    ("source_host_isolated", 8, 64),
    ("net_prohibited", 9, 101),
    ("host_prohibited", 10, 113),
    ("net_unreachable_for_tos", 11, 101),
    ("host_unreachable_for_tos", 12, 113),
    ("packet_filtered", 13, 113),
    ("precedence_violation", 14, 113),
    ("precedence_cutoff", 15, 113),
];

/// The meaning of a message; `None` for names that are not known.
pub fn icmp_meaning(message: &Icmp) -> Option<IcmpMeaning> {
    let meaning = |number, errno: Option<i32>| IcmpMeaning {
        number,
        errno: errno.map(Errno),
        is_too_big: number == (UNREACHABLE, TOO_BIG),
        ends_request: number.0 > UNREACHABLE + 1
            || number == (UNREACHABLE, 0)
            || number == (UNREACHABLE, 1),
    };
    match (message.kind.as_str(), message.code.as_deref()) {
        ("unreachable", Some(code)) => {
            let known = CODES.iter().find(|known| known.0 == code)?;
            Some(meaning((UNREACHABLE, known.1), Some(known.2)))
        }
        ("packet_too_big", None) => Some(meaning((UNREACHABLE, TOO_BIG), Some(90))),
        ("source_quench", None) => Some(meaning((4, 0), None)),
        ("time_exceeded", None | Some("ttl_exceeded")) => Some(meaning((11, 0), Some(113))),
        ("time_exceeded", Some("frag_time_exceeded")) => Some(meaning((11, 1), Some(113))),
        ("parameter_problem", None) => Some(meaning((12, 0), Some(71))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_number_and_its_error() {
        let message = |kind: &str, code: Option<&str>| Icmp {
            kind: kind.to_owned(),
            code: code.map(str::to_owned),
            mtu: None,
            quoted: None,
        };
        let port = icmp_meaning(&message("unreachable", Some("port_unreachable"))).unwrap();
        assert_eq!((port.number, port.errno), ((3, 3), Some(Errno::REFUSED)));
        assert!(!port.ends_request && !port.is_too_big);
        assert!(
            icmp_meaning(&message("packet_too_big", None))
                .unwrap()
                .is_too_big
        );
        assert_eq!(icmp_meaning(&message("unreachable", Some("moon"))), None);
    }
}
