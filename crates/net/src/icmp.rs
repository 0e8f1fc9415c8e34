//! ICMP echo (RFC 792).

use crate::IPV4_HEADER;

/// An echo request or its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// Whether this is the reply.
    pub reply: bool,
    /// The request's number; the reply carries the same.
    pub sequence: u32,
    /// Payload bytes.
    pub payload: u32,
}

impl Echo {
    const HEADER: u32 = 8;

    /// The answer of a host to this request: the same number and payload.
    #[inline]
    pub const fn answer(self) -> Echo {
        Echo {
            reply: true,
            ..self
        }
    }

    /// Bytes of the IP packet that carries it.
    #[inline]
    pub const fn ip_bytes(self) -> u32 {
        IPV4_HEADER + Self::HEADER + self.payload
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_ping_is_an_84_byte_packet() {
        let request = Echo {
            reply: false,
            sequence: 7,
            payload: 56,
        };
        assert_eq!(request.ip_bytes(), 84);
        assert_eq!(
            request.answer(),
            Echo {
                reply: true,
                sequence: 7,
                payload: 56
            }
        );
    }
}
