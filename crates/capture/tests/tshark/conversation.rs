//! Two hosts, and a conversation between them with a bit of everything.

use std::net::Ipv4Addr;

use capture::packet::{
    IcmpEcho, IdentificationCounter, Ipv4Fields, Payload, SackOptionBlock, TcpFields, TcpFlags,
    TcpOptions, TimestampsOption, TransportFields, UdpFields,
};

pub const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
pub const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

pub const UDP: TransportFields<'static> = TransportFields::Udp(UdpFields {
    source_port: 5_000,
    destination_port: 5_001,
});

pub const ACK: TcpFlags = TcpFlags {
    fin: false,
    syn: false,
    rst: false,
    psh: false,
    ack: true,
    ece: false,
    cwr: false,
};
const SYN: TcpFlags = TcpFlags {
    syn: true,
    ack: false,
    ..ACK
};
const SYN_ACK: TcpFlags = TcpFlags { syn: true, ..ACK };

const SYN_OPTIONS: TcpOptions<'static> = TcpOptions {
    mss: Some(1460),
    window_scale: Some(7),
    sack_permitted: true,
    timestamps: Some(TimestampsOption {
        value: 100,
        echo: 0,
    }),
    sack: &[],
};

/// Sender of one of the two sides; it numbers its packets.
pub struct Host {
    address: Ipv4Addr,
    peer: Ipv4Addr,
    port: u16,
    peer_port: u16,
    identification: IdentificationCounter,
}

impl Host {
    pub fn client() -> Self {
        Host {
            address: CLIENT,
            peer: SERVER,
            port: 40_000,
            peer_port: 80,
            identification: IdentificationCounter::default(),
        }
    }

    pub fn server() -> Self {
        Host {
            address: SERVER,
            peer: CLIENT,
            port: 80,
            peer_port: 40_000,
            identification: IdentificationCounter::default(),
        }
    }

    pub fn send<'a>(
        &mut self,
        transport: TransportFields<'a>,
        payload: Payload<'a>,
    ) -> Ipv4Fields<'a> {
        Ipv4Fields {
            source: self.address,
            destination: self.peer,
            identification: self.identification.next(),
            ttl: 64,
            tos: 0,
            transport,
            payload,
        }
    }

    pub fn segment<'a>(
        &mut self,
        (sequence, acknowledgment): (u32, u32),
        flags: TcpFlags,
        options: TcpOptions<'a>,
        payload: Payload<'a>,
    ) -> Ipv4Fields<'a> {
        let tcp = TcpFields {
            source_port: self.port,
            destination_port: self.peer_port,
            sequence,
            acknowledgment,
            flags,
            window: 64_240,
            options,
        };
        self.send(TransportFields::Tcp(tcp), payload)
    }
}

/// A connection in which the second of three segments is lost on its way to
/// the tap and retransmitted, a datagram, and a ping.
pub fn conversation<T>(tap: impl Fn(&Ipv4Fields<'_>) -> T) -> Vec<T> {
    let (mut client, mut server) = (Host::client(), Host::server());
    let timed = |value, echo| TcpOptions {
        timestamps: Some(TimestampsOption { value, echo }),
        ..TcpOptions::default()
    };
    let answer = TcpOptions {
        timestamps: Some(TimestampsOption {
            value: 500,
            echo: 100,
        }),
        ..SYN_OPTIONS
    };
    let third = [SackOptionBlock {
        left: 13_897,
        right: 15_345,
    }];
    let gap = TcpOptions {
        sack: &third,
        ..timed(102, 502)
    };
    let part = |first| Payload::Pattern { first, len: 1_448 };
    let none = Payload::Zeros(0);
    let ping = |reply| {
        TransportFields::IcmpEcho(IcmpEcho {
            reply,
            identifier: 77,
            sequence: 3,
        })
    };
    let asked = Payload::Pattern { first: 0, len: 56 };
    [
        client.segment((9_000, 0), SYN, SYN_OPTIONS, none),
        server.segment((11_000, 9_001), SYN_ACK, answer, none),
        client.segment((9_001, 11_001), ACK, timed(101, 500), none),
        server.segment((11_001, 9_001), ACK, timed(501, 101), part(0)),
        server.segment((13_897, 9_001), ACK, timed(502, 101), part(2_896)),
        client.segment((9_001, 12_449), ACK, gap, none),
        server.segment((12_449, 9_001), ACK, timed(503, 102), part(1_448)),
        client.send(UDP, Payload::Zeros(1_001)),
        client.send(ping(false), asked),
        server.send(ping(true), asked),
    ]
    .iter()
    .map(tap)
    .collect()
}
