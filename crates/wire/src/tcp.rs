//! TCP headers (RFC 9293 §3.1) and their options.

use crate::bytes::{double, word};

/// Bytes of a header without options.
pub const HEADER: usize = 20;

pub(crate) const CHECKSUM: usize = 16;

/// Fields of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
    /// The sequence number of the first byte, or of the SYN.
    pub sequence: u32,
    /// The next byte expected, meaningful with the ACK flag.
    pub acknowledgment: u32,
    /// The control bits, from FIN (1) to CWR (128).
    pub flags: u8,
    /// The window field as it stands in the header.
    pub window: u16,
    /// The length of the header, options included.
    pub header_len: u16,
}

impl Tcp {
    /// Reads the header of a segment; none of what has no whole one.
    pub fn read(segment: &[u8]) -> Option<Tcp> {
        let fixed: &[u8; HEADER] = segment.first_chunk()?;
        let header_len = u16::from(fixed[12] >> 4) * 4;
        if usize::from(header_len) < HEADER || segment.len() < usize::from(header_len) {
            return None;
        }
        Some(Tcp {
            source_port: word(fixed, 0)?,
            destination_port: word(fixed, 2)?,
            sequence: double(fixed, 4)?,
            acknowledgment: double(fixed, 8)?,
            flags: fixed[13],
            window: word(fixed, 14)?,
            header_len,
        })
    }
}

/// A TCP option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpOption<'a> {
    /// Maximum segment size (RFC 9293 §3.7.1).
    MaximumSegmentSize(u16),
    /// Window scale (RFC 7323 §2).
    WindowScale(u8),
    /// SACK permitted (RFC 2018 §2).
    SackPermitted,
    /// SACK (RFC 2018 §3): blocks, each of two sequence numbers.
    Sack(&'a [u8]),
    /// Timestamps (RFC 7323 §3): the sender's clock, and the peer's as last heard.
    Timestamps(u32, u32),
    /// The cookie of TCP Fast Open (RFC 7413 §4.1.1), and whether the option has its experimental
    /// form.
    FastOpen(&'a [u8], bool),
    /// Another one, by its number.
    Other(u8),
}

/// The options of a header, until one that leads out of it.
pub fn options<'a>(
    segment: &'a [u8],
    header: &Tcp,
) -> impl Iterator<Item = TcpOption<'a>> + use<'a> {
    let rest = segment.get(HEADER..header.header_len.into());
    OptionsIter(rest.unwrap_or_default())
}

struct OptionsIter<'a>(&'a [u8]);

impl<'a> Iterator for OptionsIter<'a> {
    type Item = TcpOption<'a>;

    fn next(&mut self) -> Option<TcpOption<'a>> {
        const END: u8 = 0;
        const NOP: u8 = 1;
        while let [NOP, rest @ ..] = self.0 {
            self.0 = rest;
        }
        let [kind, length, ..] = *self.0 else {
            return None;
        };
        if kind == END {
            return None;
        }
        let inside = self.0.get(2..length.into())?;
        self.0 = &self.0[length.into()..];
        Some(option(kind, inside))
    }
}

fn option(kind: u8, inside: &[u8]) -> TcpOption<'_> {
    /// Number that makes an experiment TCP Fast Open (RFC 7413 §4.1.1).
    const MAGIC: [u8; 2] = [0xF9, 0x89];
    match (kind, inside) {
        (2, &[high, low]) => TcpOption::MaximumSegmentSize(u16::from_be_bytes([high, low])),
        (3, &[shift]) => TcpOption::WindowScale(shift),
        (4, []) => TcpOption::SackPermitted,
        (5, blocks) if blocks.len() % 8 == 0 => TcpOption::Sack(blocks),
        (8, &[a, b, c, d, e, f, g, h]) => TcpOption::Timestamps(
            u32::from_be_bytes([a, b, c, d]),
            u32::from_be_bytes([e, f, g, h]),
        ),
        (34, cookie) => TcpOption::FastOpen(cookie, false),
        (254, experiment) => match experiment.strip_prefix(&MAGIC) {
            Some(cookie) => TcpOption::FastOpen(cookie, true),
            None => TcpOption::Other(kind),
        },
        _ => TcpOption::Other(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(options: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x9C, 0x40, 0, 80, 0, 0, 0, 7, 0, 0, 0, 9];
        bytes.extend([
            (5 + options.len() as u8 / 4) << 4,
            0x12,
            0xFF,
            0xFF,
            0,
            0,
            0,
            0,
        ]);
        bytes.extend(options);
        bytes
    }

    #[test]
    fn the_options_of_a_syn_are_read() {
        let bytes = segment(&[
            2, 4, 0x05, 0xB4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 3, 3, 7,
        ]);
        let header = Tcp::read(&bytes).expect("a header");
        assert_eq!((header.source_port, header.destination_port), (40_000, 80));
        assert_eq!((header.sequence, header.acknowledgment), (7, 9));
        let all: Vec<_> = options(&bytes, &header).collect();
        let expected = [
            TcpOption::MaximumSegmentSize(1460),
            TcpOption::SackPermitted,
            TcpOption::Timestamps(1, 2),
            TcpOption::WindowScale(7),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn an_option_that_leads_out_of_the_header_ends_them() {
        for wrong in [[2, 0, 0, 0], [2, 1, 0, 0], [8, 10, 0, 0], [0, 2, 4, 0]] {
            let bytes = segment(&wrong);
            let header = Tcp::read(&bytes).expect("a header");
            assert_eq!(options(&bytes, &header).count(), 0, "{wrong:?}");
        }
        assert_eq!(Tcp::read(&segment(&[1; 4])[..23]), None);
    }
}
