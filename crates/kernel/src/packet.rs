//! Segments as the IPv4 packets of a wire, and back.

use etherparse::{
    Icmpv4Header, Icmpv4Type, IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement,
    TcpOptionsIterator,
};
use tcp::{
    Cookie, Ecn, FastOpenOption, Flags, Options, SackBlock, SackBlocks, Segment, Seq, Timestamps,
};

/// The host under test: packetdrill's own address for it.
pub(crate) const LOCAL: [u8; 4] = [192, 168, 0, 1];
/// The script: TEST-NET-1 (RFC 5737).
pub(crate) const REMOTE: [u8; 4] = [192, 0, 2, 1];

/// The ports of a connection, the kernel's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionPorts {
    pub local: u16,
    pub remote: u16,
}

/// A packet from the script to the kernel. The payload is zeros.
pub(crate) fn encode(segment: &Segment, ports: ConnectionPorts) -> Result<Vec<u8>, String> {
    let payload = vec![0; segment.payload as usize];
    let mut header = TcpHeader::new(ports.remote, ports.local, segment.seq.0, segment.window);
    header.acknowledgment_number = segment.ack.0;
    header.fin = segment.flags.contains(Flags::FIN);
    header.syn = segment.flags.contains(Flags::SYN);
    header.rst = segment.flags.contains(Flags::RST);
    header.psh = segment.flags.contains(Flags::PSH);
    header.ack = segment.flags.contains(Flags::ACK);
    header.ece = segment.flags.contains(Flags::ECE);
    header.cwr = segment.flags.contains(Flags::CWR);
    let elements = elements(&segment.options);
    header
        .set_options(&elements)
        .map_err(|error| error.to_string())?;
    if let Some(option) = segment.options.fast_open() {
        let mut options = fast_open(&option);
        options.resize(options.len().next_multiple_of(4), NOP);
        options.extend_from_slice(header.options.as_slice()); // END may stand there
        header
            .set_options_raw(&options)
            .map_err(|error| error.to_string())?;
    }
    let length = u16::try_from(header.header_len() + payload.len()).map_err(|e| e.to_string())?;
    let mut ip = Ipv4Header::new(length, 64, IpNumber::TCP, REMOTE, LOCAL)
        .map_err(|error| error.to_string())?;
    ip.ecn = IpEcn::try_new(segment.ecn as u8).map_err(|error| error.to_string())?;
    ip.header_checksum = ip.calc_header_checksum();
    header.checksum = header
        .calc_checksum_ipv4(&ip, &payload)
        .map_err(|error| error.to_string())?;
    let mut packet = ip.to_bytes().to_vec();
    packet.extend_from_slice(&header.to_bytes());
    packet.extend_from_slice(&payload);
    Ok(packet)
}

/// An ICMP message (RFC 792) of type and code `number` about the packet that began with `about`:
/// of the kernel's packet it quotes the IP header and eight bytes.
pub(crate) fn encode_icmp(
    number: (u8, u8),
    mtu: u16,
    about: Seq,
    ports: ConnectionPorts,
) -> Result<Vec<u8>, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let mut quoted = Ipv4Header::new(20, 64, IpNumber::TCP, LOCAL, REMOTE).map_err(|e| text(&e))?;
    quoted.dont_fragment = true;
    quoted.header_checksum = quoted.calc_header_checksum();
    let mut body = quoted.to_bytes().to_vec();
    body.extend_from_slice(&ports.local.to_be_bytes());
    body.extend_from_slice(&ports.remote.to_be_bytes());
    body.extend_from_slice(&about.0.to_be_bytes());
    let [high, low] = mtu.to_be_bytes();
    let kind = Icmpv4Type::Unknown {
        type_u8: number.0,
        code_u8: number.1,
        bytes5to8: [0, 0, high, low],
    };
    let message = Icmpv4Header::with_checksum(kind, &body);
    let length = u16::try_from(message.header_len() + body.len()).map_err(|e| text(&e))?;
    let mut ip =
        Ipv4Header::new(length, 64, IpNumber::ICMP, REMOTE, LOCAL).map_err(|e| text(&e))?;
    ip.header_checksum = ip.calc_header_checksum();
    let mut packet = ip.to_bytes().to_vec();
    packet.extend_from_slice(&message.to_bytes());
    packet.extend_from_slice(&body);
    Ok(packet)
}

fn elements(options: &Options) -> Vec<TcpOptionElement> {
    let mut elements = Vec::new();
    if let Some(mss) = options.mss {
        elements.push(TcpOptionElement::MaximumSegmentSize(mss));
    }
    if options.sack_permitted {
        elements.push(TcpOptionElement::SelectiveAcknowledgementPermitted);
    }
    if let Some(Timestamps { value, echo }) = options.timestamps {
        elements.push(TcpOptionElement::Timestamp(value, echo));
    }
    if let Some(shift) = options.window_scale {
        elements.push(TcpOptionElement::WindowScale(shift));
    }
    let mut blocks = options.sack.as_slice().iter().map(|b| (b.start.0, b.end.0));
    if let Some(first) = blocks.next() {
        let others = [blocks.next(), blocks.next(), blocks.next()];
        elements.push(TcpOptionElement::SelectiveAcknowledgement(first, others));
    }
    elements
}

/// Kinds of TCP options (RFC 9293 §3.2; IANA).
const END: u8 = 0;
const NOP: u8 = 1;
const FAST_OPEN: u8 = 34;
const EXPERIMENT: u8 = 254;
/// Number that makes an experiment TCP Fast Open (RFC 7413 §4.1.1).
const MAGIC: [u8; 2] = [0xf9, 0x89];

/// The option of TCP Fast Open as it stands in a header.
fn fast_open(option: &FastOpenOption) -> Vec<u8> {
    let cookie = option.cookie.as_bytes();
    let (kind, magic): (u8, &[u8]) = match option.is_experimental {
        true => (EXPERIMENT, &MAGIC),
        false => (FAST_OPEN, &[]),
    };
    let length = 2 + magic.len() + cookie.len();
    [&[kind, length as u8], magic, cookie].concat()
}

/// Takes the option of TCP Fast Open out of the bytes of a header's options; NOPs stand in its place.
fn take_fast_open(options: &mut [u8]) -> Option<FastOpenOption> {
    let mut at = 0;
    loop {
        let (kind, length) = match options.get(at..)? {
            [NOP, ..] => {
                at += 1;
                continue;
            }
            [END, ..] | [] | [_] => return None,
            [kind, length, ..] => (*kind, usize::from(*length)),
        };
        let inside = options.get(at + 2..at + length)?;
        let cookie = match kind {
            FAST_OPEN => Some(inside),
            EXPERIMENT => inside.strip_prefix(&MAGIC),
            _ => None,
        };
        if let Some(cookie) = cookie {
            let cookie = Cookie::new(cookie);
            options[at..at + length].fill(NOP);
            return Some(FastOpenOption {
                cookie: cookie?,
                is_experimental: kind == EXPERIMENT,
            });
        }
        at += length;
    }
}

/// A packet from the kernel to the script; `None` for anything but TCP between the two.
pub(crate) fn decode(packet: &[u8]) -> Option<(ConnectionPorts, Segment)> {
    let (ip, rest) = Ipv4Header::from_slice(packet).ok()?;
    let is_ours = ip.protocol == IpNumber::TCP && ip.source == LOCAL && ip.destination == REMOTE;
    let (header, payload) = TcpHeader::from_slice(rest.get(..)?)
        .ok()
        .filter(|_| is_ours)?;
    let flags = [
        (header.fin, Flags::FIN),
        (header.syn, Flags::SYN),
        (header.rst, Flags::RST),
        (header.psh, Flags::PSH),
        (header.ack, Flags::ACK),
        (header.ece, Flags::ECE),
        (header.cwr, Flags::CWR),
    ];
    let set = flags.into_iter().filter(|(is_set, _)| *is_set);
    let segment = Segment {
        seq: Seq(header.sequence_number),
        ack: Seq(header.acknowledgment_number),
        payload: payload.len() as u32,
        window: header.window_size,
        flags: set.fold(Flags::default(), |flags, (_, flag)| flags | flag),
        ecn: ecn_of(ip.ecn),
        options: options(&header),
        ..Segment::default()
    };
    let ports = ConnectionPorts {
        local: header.source_port,
        remote: header.destination_port,
    };
    Some((ports, segment))
}

fn ecn_of(field: IpEcn) -> Ecn {
    match field.value() {
        0b00 => Ecn::NotCapable,
        0b01 => Ecn::Capable1,
        0b10 => Ecn::Capable,
        _ => Ecn::Congestion,
    }
}

fn options(header: &TcpHeader) -> Options {
    let mut bytes = header.options.to_vec();
    let fast_open = take_fast_open(&mut bytes);
    let mut options = Options::default();
    for element in TcpOptionsIterator::from_slice(&bytes).flatten() {
        match element {
            TcpOptionElement::Noop => {}
            TcpOptionElement::MaximumSegmentSize(mss) => options.mss = Some(mss),
            TcpOptionElement::WindowScale(shift) => options.window_scale = Some(shift),
            TcpOptionElement::SelectiveAcknowledgementPermitted => options.sack_permitted = true,
            TcpOptionElement::Timestamp(value, echo) => {
                options.timestamps = Some(Timestamps { value, echo });
            }
            TcpOptionElement::SelectiveAcknowledgement(first, others) => {
                let mut blocks = SackBlocks::default();
                for (start, end) in [Some(first)].into_iter().chain(others).flatten() {
                    let [start, end] = [start, end].map(Seq);
                    blocks.push(SackBlock { start, end });
                }
                options.sack = blocks;
            }
        }
    }
    if let Some(option) = fast_open {
        options.set_fast_open(option);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_survives_the_wire() {
        let ports = ConnectionPorts {
            local: 8080,
            remote: 40_000,
        };
        let mut segment = Segment {
            seq: Seq(7),
            ack: Seq(9),
            payload: 100,
            window: 257,
            flags: Flags::PSH | Flags::ACK,
            ..Segment::default()
        };
        segment.options.timestamps = Some(Timestamps { value: 5, echo: 6 });
        segment.options.sack.push(SackBlock {
            start: Seq(11),
            end: Seq(13),
        });
        let mut packet = encode(&segment, ports).unwrap();
        // Back it comes with the ends exchanged.
        packet[12..16].copy_from_slice(&LOCAL);
        packet[16..20].copy_from_slice(&REMOTE);
        packet[20..24].rotate_left(2);
        assert_eq!(decode(&packet), Some((ports, segment)));
        assert_eq!(decode(&packet[..30]), None);
        let mut syn = segment;
        syn.flags = Flags::SYN;
        syn.options = Options {
            mss: Some(1460),
            ..Options::default()
        };
        for is_experimental in [false, true] {
            syn.options.set_fast_open(FastOpenOption {
                cookie: Cookie::new(&[1, 2, 3, 4, 5, 6]).unwrap(),
                is_experimental,
            });
            let mut packet = encode(&syn, ports).unwrap();
            packet[12..16].copy_from_slice(&LOCAL);
            packet[16..20].copy_from_slice(&REMOTE);
            packet[20..24].rotate_left(2);
            assert_eq!(decode(&packet), Some((ports, syn)));
        }
        packet[9] = 17;
        assert_eq!(decode(&packet), None, "UDP");
    }
}
