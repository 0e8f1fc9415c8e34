//! A test with an iperf3 server: the control connection, and what opens those that carry data.
//!
//! The protocol is that of iperf 3 (esnet/iperf, src/iperf_api.h and iperf_client_api.c): states of
//! one byte, and JSON behind its length as four bytes. A server runs one test at a time; all flows
//! with it are streams of one test.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use ring::rand::{SecureRandom as _, SystemRandom};
use serde::Deserialize;
use serde_json::json;

use crate::marking::Dscp;
use crate::message::StreamCounts;
use crate::opening::CONNECTING;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// A cookie: letters, and a zero behind them.
const COOKIE: usize = 37;
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Bytes of an answer in JSON, at most.
const ANSWER: usize = 1 << 20;
/// The version that servers are told, whose parameters these are.
const VERSION: &str = "3.12";

/// What opens a stream of datagrams, and how often it is said.
const HELLO: &[u8] = b"6789";
const UNANSWERED: usize = 3;
const AGAIN: Duration = Duration::from_secs(1);

const TEST_START: i8 = 1;
const TEST_RUNNING: i8 = 2;
const TEST_END: i8 = 4;
const PARAM_EXCHANGE: i8 = 9;
const CREATE_STREAMS: i8 = 10;
const SERVER_TERMINATE: i8 = 11;
const EXCHANGE_RESULTS: i8 = 13;
const DISPLAY_RESULTS: i8 = 14;
const IPERF_DONE: i8 = 16;
const ACCESS_DENIED: i8 = -1;
const SERVER_ERROR: i8 = -2;

/// What a test is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub server: SocketAddr,
    pub streams: usize,
    /// Whether the server sends.
    pub is_reverse: bool,
    pub lasts: Duration,
    pub dscp: Dscp,
    /// What of datagrams; a test without them has connections.
    pub datagrams: Option<StreamDatagrams>,
}

/// The datagrams of a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StreamDatagrams {
    pub payload: u32,
    /// At which rate a server sends them; 0 for as fast as it can.
    pub bits_per_second: u64,
}

/// What carries the data of a stream; it does not block.
#[derive(Debug)]
pub(crate) enum Carrier {
    Connection(TcpStream),
    Datagrams(UdpSocket),
}

/// A test under way.
#[derive(Debug)]
pub(crate) struct Iperf3Test {
    control: TcpStream,
    wanted: Wanted,
}

#[derive(Deserialize)]
struct Results {
    streams: Vec<StreamResult>,
}

#[derive(Deserialize)]
struct StreamResult {
    bytes: u64,
    packets: Option<u64>,
    errors: Option<i64>,
    jitter: Option<f64>,
}

impl Iperf3Test {
    /// Begins one; gives what carries data.
    ///
    /// # Errors
    /// When the server is not there, busy, or speaks something else.
    pub fn begin(wanted: Wanted) -> io::Result<(Iperf3Test, Vec<Carrier>)> {
        let cookie = cookie()?;
        let mut control = TcpStream::connect_timeout(&wanted.server, CONNECTING)?;
        control.set_read_timeout(Some(PATIENCE))?;
        control.set_write_timeout(Some(PATIENCE))?;
        control.set_nodelay(true)?;
        control.write_all(&cookie)?;
        let mut test = Iperf3Test { control, wanted };
        test.await_state(PARAM_EXCHANGE)?;
        test.send(&test.parameters())?;
        test.await_state(CREATE_STREAMS)?;
        let streams = (0..wanted.streams).map(|_| stream(&wanted, &cookie));
        let streams = streams.collect::<io::Result<Vec<_>>>()?;
        test.await_state(TEST_START)?;
        test.await_state(TEST_RUNNING)?;
        Ok((test, streams))
    }

    /// Whether the server still holds the test: it says nothing while it does.
    pub fn goes_on(&self) -> bool {
        let peeked = self.control.set_nonblocking(true);
        let peeked = peeked.and_then(|()| self.control.peek(&mut [0]));
        let is_silent = matches!(&peeked, Err(why) if why.kind() == io::ErrorKind::WouldBlock);
        is_silent && self.control.set_nonblocking(false).is_ok()
    }

    /// Ends it: tells what went or came over each stream here, and gives what the server counted.
    ///
    /// # Errors
    /// When the server is gone, or speaks something else.
    pub fn end(mut self, bytes: &[u64]) -> io::Result<Vec<StreamCounts>> {
        self.state(TEST_END)?;
        self.await_state(EXCHANGE_RESULTS)?;
        self.send(&self.results(bytes))?;
        let counted = counted(&self.receive()?, self.wanted.datagrams.is_some())?;
        self.await_state(DISPLAY_RESULTS)?;
        self.state(IPERF_DONE)?;
        Ok(counted)
    }

    fn parameters(&self) -> serde_json::Value {
        let mut told = json!({
            "omit": 0,
            // The server stops by itself only if nobody has stopped it.
            "time": self.wanted.lasts.as_secs() + 5,
            "num": 0,
            "blockcount": 0,
            "parallel": self.wanted.streams,
            "pacing_timer": 1000,
            "TOS": self.wanted.dscp.octet(),
            "client_version": VERSION,
        });
        match self.wanted.datagrams {
            None => {
                told["tcp"] = true.into();
                told["len"] = (128 << 10).into();
            }
            Some(datagrams) => {
                told["udp"] = true.into();
                told["len"] = datagrams.payload.into();
                told["bandwidth"] = datagrams.bits_per_second.into();
            }
        }
        if self.wanted.is_reverse {
            told["reverse"] = true.into();
        }
        told
    }

    fn results(&self, bytes: &[u64]) -> serde_json::Value {
        let of = |(place, bytes): (usize, &u64)| {
            json!({
                // Streams are 1, 3, 4, 5 and so on, in the order in which they were opened.
                "id": if place == 0 { 1 } else { place + 2 },
                "bytes": bytes,
                "retransmits": -1,
                "jitter": 0,
                "errors": 0,
                "packets": self.wanted.datagrams.map_or(0, |of| bytes / u64::from(of.payload)),
                "start_time": 0,
                "end_time": self.wanted.lasts.as_secs_f64(),
            })
        };
        let streams: Vec<_> = bytes.iter().enumerate().map(of).collect();
        json!({
            "cpu_util_total": 0, "cpu_util_user": 0, "cpu_util_system": 0,
            "sender_has_retransmits": 0, "streams": streams,
        })
    }

    fn state(&mut self, state: i8) -> io::Result<()> {
        self.control.write_all(&state.to_ne_bytes())
    }

    fn await_state(&mut self, wanted: i8) -> io::Result<()> {
        let mut state = [0];
        self.control.read_exact(&mut state)?;
        let told = match i8::from_ne_bytes(state) {
            state if state == wanted => return Ok(()),
            ACCESS_DENIED => "the iperf3 server is busy with another test".to_owned(),
            SERVER_ERROR | SERVER_TERMINATE => "the iperf3 server ends the test".to_owned(),
            other => format!("the iperf3 server goes to state {other} instead of {wanted}"),
        };
        Err(io::Error::other(told))
    }

    fn send(&mut self, told: &serde_json::Value) -> io::Result<()> {
        crate::channel::send(&mut self.control, told)
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        crate::channel::receive_bytes(&mut self.control, ANSWER)
    }
}

/// What a server has counted, by its results.
///
/// # Errors
/// When they are none.
pub(crate) fn counted(results: &[u8], is_of_datagrams: bool) -> io::Result<Vec<StreamCounts>> {
    let results: Results = serde_json::from_slice(results)?;
    let of = |stream: &StreamResult| StreamCounts {
        bytes: stream.bytes,
        packets: stream.packets.filter(|_| is_of_datagrams),
        lost: stream.errors.filter(|_| is_of_datagrams),
        jitter_ms: stream
            .jitter
            .filter(|_| is_of_datagrams)
            .map(|seconds| seconds * 1e3),
    };
    Ok(results.streams.iter().map(of).collect())
}

fn stream(wanted: &Wanted, cookie: &[u8; COOKIE]) -> io::Result<Carrier> {
    if wanted.datagrams.is_some() {
        return datagrams(wanted).map(Carrier::Datagrams);
    }
    let mut stream = wanted.dscp.connect(wanted.server, CONNECTING)?;
    stream.write_all(cookie)?;
    stream.set_nonblocking(true)?;
    Ok(Carrier::Connection(stream))
}

/// A socket whose address the server has learned: it answers the first datagram from it.
fn datagrams(wanted: &Wanted) -> io::Result<UdpSocket> {
    let any: IpAddr = match wanted.server {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0))?;
    wanted.dscp.mark(&socket, wanted.server)?;
    socket.connect(wanted.server)?;
    socket.set_read_timeout(Some(AGAIN))?;
    for _ in 0..UNANSWERED {
        socket.send(HELLO)?;
        let mut answer = [0; 4];
        if socket
            .recv(&mut answer)
            .is_ok_and(|length| length == answer.len())
        {
            socket.set_nonblocking(true)?;
            return Ok(socket);
        }
    }
    Err(io::Error::new(
        io::ErrorKind::TimedOut,
        "no answer to its first datagrams",
    ))
}

fn cookie() -> io::Result<[u8; COOKIE]> {
    let mut cookie = [0; COOKIE];
    SystemRandom::new()
        .fill(&mut cookie)
        .map_err(|_| io::Error::other("the system gives no randomness"))?;
    for byte in &mut cookie {
        *byte = LETTERS[usize::from(*byte) % LETTERS.len()];
    }
    cookie[COOKIE - 1] = 0;
    Ok(cookie)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn wanted(listener: &TcpListener) -> Wanted {
        Wanted {
            server: listener.local_addr().unwrap(),
            streams: 1,
            is_reverse: false,
            lasts: Duration::from_secs(1),
            dscp: Dscp::default(),
            datagrams: None,
        }
    }

    fn failure(answer: &'static [u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let wanted = wanted(&listener);
        let server = thread::spawn(move || {
            let (mut control, _) = listener.accept().unwrap();
            control.read_exact(&mut [0; COOKIE]).unwrap();
            control.write_all(answer).unwrap();
        });
        let why = Iperf3Test::begin(wanted).unwrap_err().to_string();
        server.join().unwrap();
        why
    }

    #[test]
    fn a_server_that_is_busy_or_another_is_told() {
        assert_eq!(
            failure(&[255]),
            "the iperf3 server is busy with another test"
        );
        assert_eq!(failure(&[254]), "the iperf3 server ends the test");
        let other = "the iperf3 server goes to state 72 instead of 9";
        assert_eq!(failure(b"HTTP/1.1 400"), other);
    }

    #[test]
    fn a_cookie_is_36_letters_and_a_zero() {
        let cookie = cookie().unwrap();
        assert!(cookie[..36].iter().all(|byte| LETTERS.contains(byte)));
        assert_eq!(cookie[36], 0);
    }
}
