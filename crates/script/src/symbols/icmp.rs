//! The names of ICMP's types and codes in scripts, their numbers in IPv4 (RFC 792, RFC 1122,
//! RFC 1812), and what Linux makes of them for a socket (`icmp_err_convert`, `tcp_v4_err`).

use super::Errno;
use crate::ast::IcmpMessage;
use crate::machine::CallTrouble;

/// Meaning of an ICMP message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpMeaning {
    /// Type and code in IPv4.
    pub number: (u8, u8),
    /// The error; none for what is ignored.
    pub errno: Option<Errno>,
    /// The packet was too large for a link.
    pub is_too_big: bool,
    /// True if a connection request that has not been answered is given up.
    pub ends_request: bool,
}

/// No path is believed to take less, headers included (ip-sysctl, min_pmtu).
pub const PATH_MTU_MIN: u32 = 552;

const UNREACHABLE: u8 = 3;
const TOO_BIG: u8 = 4;

type IcmpCode = (&'static str, u8, &'static str);

/// The codes of "unreachable": name, number and error.
const CODES: &[IcmpCode] = &[
    ("net_unreachable", 0, "ENETUNREACH"),
    ("no_route", 0, "ENETUNREACH"),
    ("host_unreachable", 1, "EHOSTUNREACH"),
    ("address_unreachable", 1, "EHOSTUNREACH"),
    ("protocol_unreachable", 2, "ENOPROTOOPT"),
    ("port_unreachable", 3, "ECONNREFUSED"),
    ("frag_needed", TOO_BIG, "EMSGSIZE"),
    ("source_route_failed", 5, "EOPNOTSUPP"),
    ("net_unknown", 6, "ENETUNREACH"),
    ("host_unknown", 7, "EHOSTDOWN"),
    ("source_host_isolated", 8, "ENONET"),
    ("net_prohibited", 9, "ENETUNREACH"),
    ("host_prohibited", 10, "EHOSTUNREACH"),
    ("net_unreachable_for_tos", 11, "ENETUNREACH"),
    ("host_unreachable_for_tos", 12, "EHOSTUNREACH"),
    ("packet_filtered", 13, "EHOSTUNREACH"),
    ("precedence_violation", 14, "EHOSTUNREACH"),
    ("precedence_cutoff", 15, "EHOSTUNREACH"),
    // Of ICMPv6 (RFC 4443 §3.1; icmpv6_err_convert), with what is nearest to them in IPv4.
    ("not_neighbour", 1, "EHOSTUNREACH"),
    ("admin_prohibited", 13, "EACCES"),
];

/// The meaning of a message, if its names are known.
pub fn icmp_meaning(message: &IcmpMessage) -> Result<IcmpMeaning, CallTrouble> {
    meaning(message).ok_or_else(|| {
        let code = message.code.as_deref().unwrap_or_default();
        let what = format!("ICMP {} {code}", message.kind);
        CallTrouble::Unsupported(what.trim_end().to_owned())
    })
}

fn meaning(message: &IcmpMessage) -> Option<IcmpMeaning> {
    let meaning = |number, errno: Option<&str>| IcmpMeaning {
        number,
        errno: errno.and_then(Errno::named),
        is_too_big: number == (UNREACHABLE, TOO_BIG),
        ends_request: number.0 > UNREACHABLE + 1
            || number == (UNREACHABLE, 0)
            || number == (UNREACHABLE, 1),
    };
    match (message.kind.as_str(), message.code.as_deref()) {
        ("unreachable", code) => {
            // Without a code it is 0.
            let code = code.unwrap_or("0");
            let is_it = |known: &&IcmpCode| known.0 == code || known.1.to_string() == code;
            let known = CODES.iter().find(is_it)?;
            Some(meaning((UNREACHABLE, known.1), Some(known.2)))
        }
        ("packet_too_big", None) => Some(meaning((UNREACHABLE, TOO_BIG), Some("EMSGSIZE"))),
        ("source_quench", None) => Some(meaning((4, 0), None)),
        ("time_exceeded", None | Some("ttl_exceeded")) => {
            Some(meaning((11, 0), Some("EHOSTUNREACH")))
        }
        ("time_exceeded", Some("frag_time_exceeded")) => {
            Some(meaning((11, 1), Some("EHOSTUNREACH")))
        }
        ("parameter_problem", None) => Some(meaning((12, 0), Some("EPROTO"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_number_and_its_error() {
        let message = |kind: &str, code: Option<&str>| IcmpMessage {
            kind: kind.to_owned(),
            code: code.map(str::to_owned),
            mtu: None,
            quoted: None,
        };
        let port = icmp_meaning(&message("unreachable", Some("port_unreachable"))).unwrap();
        assert_eq!((port.number, port.errno), ((3, 3), Some(Errno::REFUSED)));
        assert!(!port.ends_request && !port.is_too_big);
        assert_eq!(
            icmp_meaning(&message("unreachable", Some("3"))).unwrap(),
            port
        );
        let without = icmp_meaning(&message("unreachable", None)).unwrap();
        assert_eq!(without.number, (3, 0));
        let filtered = icmp_meaning(&message("unreachable", Some("13"))).unwrap();
        assert_eq!(filtered.errno, Errno::named("EHOSTUNREACH"));
        assert!(
            icmp_meaning(&message("packet_too_big", None))
                .unwrap()
                .is_too_big
        );
        assert!(
            CODES.iter().all(|code| Errno::named(code.2).is_some()),
            "every error has its number"
        );
        assert!(matches!(
            icmp_meaning(&message("unreachable", Some("moon"))),
            Err(CallTrouble::Unsupported(what)) if what == "ICMP unreachable moon"
        ));
    }
}
