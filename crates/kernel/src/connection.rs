//! A connection of the kernel under test, as its packets tell of it.

use script::Translation;
use tcp::{Flags, Segment, Seq};

use crate::packet::ConnectionPorts;

/// The least segment, whatever the peer says (ip-sysctl, tcp_min_snd_mss).
const MIN_MSS: u32 = 48;
/// The MSS of a peer that names none (RFC 9293 §3.7.1).
const DEFAULT_MSS: u32 = 536;

/// State of a connection.
#[derive(Debug)]
pub(crate) struct KernelConnection {
    pub ports: ConnectionPorts,
    pub numbers: Translation,
    pub peer_mss: u32,
    /// MTU that the path takes, headers included, once ICMP has said so.
    pub path_mtu: Option<u32>,
    pub timestamps: bool,
    /// The acknowledgement that the kernel has sent last, and whether it was more than a SYN's.
    told: Option<Seq>,
    is_synchronized: bool,
    /// The number after the kernel's SYN, once it has sent one.
    after_syn: Option<Seq>,
    is_reset: bool,
    fins: [bool; 2],
}

impl KernelConnection {
    pub fn new(ports: ConnectionPorts) -> KernelConnection {
        KernelConnection {
            ports,
            numbers: Translation::new(0),
            peer_mss: DEFAULT_MSS,
            path_mtu: None,
            timestamps: false,
            told: None,
            is_synchronized: false,
            after_syn: None,
            is_reset: false,
            fins: [false; 2],
        }
    }

    /// The peer opens, and says how.
    pub fn note_peer_syn(&mut self, segment: &Segment) {
        let named = segment.options.mss.map_or(DEFAULT_MSS, u32::from);
        self.peer_mss = named.max(MIN_MSS);
        self.timestamps = segment.options.timestamps.is_some();
    }

    /// A reset of the kernel's ends the connection, but not one that refuses an acknowledgement
    /// before the handshake is over (RFC 9293 §3.10.7.3, §3.10.7.4 fifth).
    pub fn note_sent(&mut self, segment: &Segment) {
        let flags = segment.flags;
        let [is_syn, is_reset, tells] =
            [Flags::SYN, Flags::RST, Flags::ACK].map(|flag| flags.contains(flag));
        self.fins[0] |= flags.contains(Flags::FIN);
        self.is_reset |= is_reset && (tells || self.is_synchronized);
        self.is_synchronized |= !is_syn && !is_reset;
        if is_syn {
            self.after_syn = Some(segment.seq + 1);
        }
        if tells {
            self.told = Some(segment.ack);
        }
    }

    /// Returns whether the kernel's SYN is one that it has sent before.
    pub fn has_sent(&self, syn: &Segment) -> bool {
        self.after_syn == Some(syn.seq + 1)
    }

    /// Returns whether the kernel opens another connection between the same ports by `segment`.
    pub fn is_followed_by(&self, segment: &Segment) -> bool {
        let opens = segment.flags.contains(Flags::SYN) && !segment.flags.contains(Flags::ACK);
        opens && self.after_syn.is_some() && !self.has_sent(segment)
    }

    /// Returns whether the kernel has acknowledged anything.
    pub fn has_answered(&self) -> bool {
        self.told.is_some()
    }

    /// A reset of the script's ends it where it is exactly what the kernel expects (RFC 5961
    /// §3.2), or answers its SYN.
    pub fn note_received(&mut self, segment: &Segment) {
        self.fins[1] |= segment.flags.contains(Flags::FIN);
        if segment.flags.contains(Flags::RST) {
            self.is_reset |= match self.told {
                Some(told) => segment.seq == told,
                None => segment.flags.contains(Flags::ACK) && Some(segment.ack) == self.after_syn,
            };
        }
    }

    pub fn is_over(&self) -> bool {
        self.is_reset || self.fins == [true; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORTS: ConnectionPorts = ConnectionPorts {
        local: 8080,
        remote: 40_001,
    };

    fn segment(flags: Flags, seq: u32, ack: u32) -> Segment {
        Segment {
            flags,
            seq: Seq(seq),
            ack: Seq(ack),
            ..Segment::default()
        }
    }

    #[test]
    fn a_reset_that_ends_nothing_leaves_the_connection_as_it_is() {
        let mut connection = KernelConnection::new(PORTS);
        connection.note_sent(&segment(Flags::SYN, 70, 0));
        connection.note_sent(&segment(Flags::RST, 100, 0));
        connection.note_received(&segment(Flags::RST | Flags::ACK, 0, 100));
        assert!(!connection.is_over(), "of another connection");
        connection.note_sent(&segment(Flags::ACK, 71, 9));
        connection.note_received(&segment(Flags::RST, 10, 0));
        assert!(!connection.is_over(), "only challenged");
        connection.note_received(&segment(Flags::RST, 9, 0));
        assert!(connection.is_over());
    }

    #[test]
    fn another_syn_between_the_same_ports_opens_another_connection() {
        let mut connection = KernelConnection::new(PORTS);
        assert!(!connection.is_followed_by(&segment(Flags::SYN, 70, 0)));
        connection.note_sent(&segment(Flags::SYN, 70, 0));
        assert!(
            !connection.is_followed_by(&segment(Flags::SYN, 70, 0)),
            "again"
        );
        assert!(!connection.is_followed_by(&segment(Flags::ACK, 71, 9)));
        assert!(connection.is_followed_by(&segment(Flags::SYN, 900, 0)));
    }

    #[test]
    fn a_syn_is_refused_by_what_answers_it() {
        let mut connection = KernelConnection::new(PORTS);
        connection.note_sent(&segment(Flags::SYN, 70, 0));
        connection.note_received(&segment(Flags::RST | Flags::ACK, 0, 71));
        assert!(connection.is_over());
    }
}
