//! IPv4 packets as bytes: RFC 791 around TCP, UDP (RFC 768) or ICMP echo (RFC 792).

use core::fmt;
use std::net::Ipv4Addr;

use etherparse::checksum::Sum16BitWords;
use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, TcpHeader, UdpHeader, ip_number};

use super::{Payload, TcpFields};

/// The numbers of an IPv4 packet without options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Fields<'a> {
    /// The sender's address.
    pub source: Ipv4Addr,
    /// The receiver's address.
    pub destination: Ipv4Addr,
    /// Tells the sender's packets apart, see [`IdentificationCounter`].
    pub identification: u16,
    /// Number of further routers that the packet may pass.
    pub ttl: u8,
    /// The differentiated services codepoint and the ECN field (RFC 2474, RFC 3168), as they stand
    /// in the header's second byte.
    pub tos: u8,
    /// The header behind the IPv4 header.
    pub transport: TransportFields<'a>,
    /// The bytes behind that.
    pub payload: Payload<'a>,
}

/// The header behind the IPv4 header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportFields<'a> {
    /// A TCP segment.
    Tcp(TcpFields<'a>),
    /// A UDP datagram.
    Udp(UdpFields),
    /// A ping.
    IcmpEcho(IcmpEcho),
    /// Fate of a packet, whose beginning is the payload.
    IcmpError(IcmpError),
    /// Another message of ICMP by its first eight bytes, of which the checksum is filled in.
    Icmp([u8; SHORT_HEADER]),
    /// None: the payload is an IPv4 packet (RFC 2003).
    Ipv4,
}

/// The numbers of a UDP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpFields {
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
}

/// The numbers of an ICMP echo or echo reply message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpEcho {
    /// An answer rather than a question.
    pub reply: bool,
    /// Program that asks.
    pub identifier: u16,
    /// Number of the question.
    pub sequence: u16,
}

/// The numbers of an ICMP error message (RFC 792).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpError {
    /// Kind of the trouble.
    pub kind: u8,
    /// Code within its kind.
    pub code: u8,
    /// The MTU of the next hop where that was too small (RFC 1191 §4), else zero.
    pub next_hop_mtu: u16,
}

/// Hands out the identification of each packet that one host sends.
///
/// It belongs to the packet, not to the tap: the same packet seen on the wire
/// and on the air carries the same number. Counting up by one is what the hosts
/// of the studies did, and what a reader of captures takes for in order; RFC
/// 6864 (4.1) leaves the value free for packets that are not fragmented.
#[derive(Clone, Debug, Default)]
pub struct IdentificationCounter(u16);

impl IdentificationCounter {
    /// The next number, wrapping after 65,535.
    #[expect(
        clippy::should_implement_trait,
        reason = "it never ends, so it is no Iterator"
    )]
    pub fn next(&mut self) -> u16 {
        self.0 = self.0.wrapping_add(1);
        self.0
    }
}

/// Why a packet has no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// IPv4 counts its whole length in 16 bits.
    PacketTooLong {
        /// The length it would have.
        bytes: usize,
    },
    /// A TCP header has room for 40 bytes of options.
    OptionsTooLong {
        /// The length they would have.
        bytes: usize,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::PacketTooLong { bytes } => {
                write!(f, "an IPv4 packet of {bytes} bytes is longer than 65,535")
            }
            WriteError::OptionsTooLong { bytes } => {
                write!(f, "TCP options of {bytes} bytes are longer than 40")
            }
        }
    }
}

impl core::error::Error for WriteError {}

/// UDP and ICMP echo headers are both eight bytes.
const SHORT_HEADER: usize = 8;
// ICMP message types, RFC 792.
const ECHO: u8 = 8;
const ECHO_REPLY: u8 = 0;

impl Ipv4Fields<'_> {
    /// Appends the packet's bytes, or its first `snap` bytes, and gives the
    /// length of the whole. The checksums are those of the whole. After an
    /// error nothing has been appended.
    pub fn write(&self, snap: usize, out: &mut Vec<u8>) -> Result<usize, WriteError> {
        let start = out.len();
        match self.transport {
            TransportFields::Tcp(tcp) => {
                let mut header = tcp.header()?;
                let ip = self.ip_header(ip_number::TCP, header.header_len())?;
                header.checksum = self.tcp_checksum(&header, &ip);
                out.extend_from_slice(&ip.to_bytes());
                out.extend_from_slice(&header.to_bytes());
            }
            TransportFields::Udp(udp) => {
                let ip = self.ip_header(ip_number::UDP, SHORT_HEADER)?;
                out.extend_from_slice(&ip.to_bytes());
                out.extend_from_slice(&self.udp_header(udp, &ip));
            }
            TransportFields::IcmpEcho(echo) => {
                let ip = self.ip_header(ip_number::ICMP, SHORT_HEADER)?;
                out.extend_from_slice(&ip.to_bytes());
                out.extend_from_slice(&self.echo_header(echo));
            }
            TransportFields::IcmpError(error) => {
                let ip = self.ip_header(ip_number::ICMP, SHORT_HEADER)?;
                out.extend_from_slice(&ip.to_bytes());
                out.extend_from_slice(&self.error_header(error));
            }
            TransportFields::Icmp(header) => {
                let ip = self.ip_header(ip_number::ICMP, SHORT_HEADER)?;
                out.extend_from_slice(&ip.to_bytes());
                out.extend_from_slice(&self.summed(header));
            }
            TransportFields::Ipv4 => {
                let ip = self.ip_header(ip_number::IPV4, 0)?;
                out.extend_from_slice(&ip.to_bytes());
            }
        }
        let headers = out.len() - start;
        self.payload.write(snap.saturating_sub(headers), out);
        out.truncate(start.saturating_add(snap));
        Ok(headers + self.payload.len())
    }

    /// The IPv4 header, don't-fragment set: the hosts discover the path MTU (RFC 1191).
    fn ip_header(&self, protocol: IpNumber, transport: usize) -> Result<Ipv4Header, WriteError> {
        let behind = transport + self.payload.len();
        let too_long = WriteError::PacketTooLong {
            bytes: Ipv4Header::MIN_LEN + behind,
        };
        let behind = u16::try_from(behind).map_err(|_| too_long)?;
        let (from, to) = (self.source.octets(), self.destination.octets());
        let mut header =
            Ipv4Header::new(behind, self.ttl, protocol, from, to).map_err(|_| too_long)?;
        header.identification = self.identification;
        (header.dscp, header.ecn) = self.service();
        header.header_checksum = header.calc_header_checksum();
        Ok(header)
    }

    /// The two fields of the second byte.
    fn service(&self) -> (IpDscp, IpEcn) {
        let dscp = IpDscp::try_new(self.tos >> 2).expect("it has six bits");
        let ecn = IpEcn::try_new(self.tos & 0b11).expect("it has two bits");
        (dscp, ecn)
    }

    /// The sum over the pseudo header that TCP and UDP share (RFC 9293, 3.1).
    fn pseudo_header(ip: &Ipv4Header) -> Sum16BitWords {
        let behind = ip.total_len - Ipv4Header::MIN_LEN as u16;
        Sum16BitWords::new()
            .add_4bytes(ip.source)
            .add_4bytes(ip.destination)
            .add_2bytes([0, ip.protocol.0])
            .add_2bytes(behind.to_be_bytes())
    }

    fn with_payload(&self, sum: Sum16BitWords) -> Sum16BitWords {
        self.payload.runs().fold(sum, Sum16BitWords::add_slice)
    }

    fn tcp_checksum(&self, header: &TcpHeader, ip: &Ipv4Header) -> u16 {
        let sum = Self::pseudo_header(ip).add_slice(&header.to_bytes());
        self.with_payload(sum).ones_complement().to_be()
    }

    /// A sum of zero is sent as all ones, because zero says "no checksum" (RFC 768).
    fn udp_header(&self, udp: UdpFields, ip: &Ipv4Header) -> [u8; SHORT_HEADER] {
        let mut header = UdpHeader {
            source_port: udp.source_port,
            destination_port: udp.destination_port,
            length: ip.total_len - Ipv4Header::MIN_LEN as u16,
            checksum: 0,
        };
        let sum = Self::pseudo_header(ip).add_slice(&header.to_bytes());
        header.checksum = self
            .with_payload(sum)
            .to_ones_complement_with_no_zero()
            .to_be();
        header.to_bytes()
    }

    fn echo_header(&self, echo: IcmpEcho) -> [u8; SHORT_HEADER] {
        let [id_high, id_low] = echo.identifier.to_be_bytes();
        let [seq_high, seq_low] = echo.sequence.to_be_bytes();
        let kind = if echo.reply { ECHO_REPLY } else { ECHO };
        self.summed([kind, 0, 0, 0, id_high, id_low, seq_high, seq_low])
    }

    fn error_header(&self, error: IcmpError) -> [u8; SHORT_HEADER] {
        let [mtu_high, mtu_low] = error.next_hop_mtu.to_be_bytes();
        self.summed([error.kind, error.code, 0, 0, 0, 0, mtu_high, mtu_low])
    }

    /// An ICMP header with the checksum over it and the payload.
    fn summed(&self, mut header: [u8; SHORT_HEADER]) -> [u8; SHORT_HEADER] {
        let sum = self.with_payload(Sum16BitWords::new().add_slice(&header));
        header[2..4].copy_from_slice(&sum.ones_complement().to_be().to_be_bytes());
        header
    }
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
