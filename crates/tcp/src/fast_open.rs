//! TCP Fast Open (RFC 7413): its option, and what the owner of a connection knows and decides.
//!
//! A server gives a client a cookie, which stands for the client's address; a client that shows it
//! may send data with its SYN, and gets an answer a round trip earlier. A cookie is of addresses,
//! which a connection does not know: its owner makes and keeps them.

/// A cookie, of 4 to 16 bytes; without any, the request for one (RFC 7413 §4.1.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cookie {
    bytes: [u8; Cookie::MAX],
    len: u8,
}

impl Cookie {
    /// The most bytes there are.
    pub const MAX: usize = 16;
    /// The request for a cookie.
    pub const REQUEST: Cookie = Cookie {
        bytes: [0; Cookie::MAX],
        len: 0,
    };

    /// The cookie of these bytes. `None` if there are too few, too many, or an odd number of them,
    /// which an option is passed over for (`tcp_parse_fastopen_option`).
    pub fn new(bytes: &[u8]) -> Option<Cookie> {
        if !matches!(bytes.len(), 0 | 4..=Cookie::MAX) || !bytes.len().is_multiple_of(2) {
            return None;
        }
        let mut cookie = Cookie {
            len: bytes.len() as u8,
            ..Cookie::REQUEST
        };
        cookie.bytes[..bytes.len()].copy_from_slice(bytes);
        Some(cookie)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Returns whether it is the request for one.
    pub const fn is_request(&self) -> bool {
        self.len == 0
    }
}

/// The option in a SYN or SYN-ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FastOpenOption {
    /// The cookie it holds.
    pub cookie: Cookie,
    /// True if it has the form of before it had a number: kind 254 with the magic number 0xF989
    /// (RFC 6994, RFC 7413 §4.1.1).
    pub is_experimental: bool,
}

/// A client's knowledge of the server that it opens to (RFC 7413 §4.1.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FastOpenClient {
    /// The server's cookie; `None` to ask for one, with no data yet.
    pub cookie: Option<Cookie>,
    /// True if the option is to have its experimental form.
    pub is_experimental: bool,
    /// True if data go without a cookie, since the server asks for none.
    pub without_cookie: bool,
    /// The MSS that the server told last.
    pub mss: Option<u16>,
}

/// Lesson of a client, to be remembered of the server (`tcp_fastopen_cache_set`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastOpenLesson {
    /// The MSS it tells.
    pub mss: Option<u16>,
    /// The cookie it gave.
    pub option: Option<FastOpenOption>,
    /// It gave none when asked: whether the next request is to have the experimental form.
    pub next_form: Option<bool>,
}

/// Settings of a server, as far as one client is concerned (RFC 7413 §4.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastOpenServer {
    /// The client's cookie.
    pub cookie: Cookie,
    /// The one that the key of before made, which still counts.
    pub former: Option<Cookie>,
    /// True if data without a cookie are refused.
    pub needs_cookie: bool,
}

/// Why data did not go with a client's SYN, or not for good: `enum tcp_fastopen_client_fail`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum FastOpenFailure {
    /// They did, or were not to (TFO_STATUS_UNSPEC).
    #[default]
    None = 0,
    /// There was no cookie (TFO_COOKIE_UNAVAILABLE).
    NoCookie = 1,
    /// The SYN-ACK did not acknowledge them (TFO_DATA_NOT_ACKED).
    NotAcknowledged = 2,
    /// Nor did that of a second SYN, without data (TFO_SYN_RETRANSMITTED).
    SynRetransmitted = 3,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_has_four_to_sixteen_bytes_in_pairs() {
        let lengths = (0..=18).filter(|n| Cookie::new(&vec![7; *n]).is_some());
        assert_eq!(lengths.collect::<Vec<_>>(), [0, 4, 6, 8, 10, 12, 14, 16]);
    }
}
