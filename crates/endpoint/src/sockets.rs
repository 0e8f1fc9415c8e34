//! The sockets of one end of a flow, as its application sees them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::Instant;

use os::tcp_info::{KernelTcpInfo, tcp_info};
use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;
use rustix::net::sockopt;
use traffic::{Net, Report, RequestedOption, Socket, TimingRecord};
use units::{Duration, Time};

use crate::ceilings::Ceilings;
use crate::datagram::{Form, LONGEST};
use crate::marking::Dscp;
use crate::message::TimedTransactions;
use crate::opening::{self, CONNECTING, Ticket};
use crate::pings::Pings;
use crate::stamps::{EndStamps, Label};

/// Bytes that a connection writes or reads in one turn, at most: the others have theirs too.
const TURN: u64 = 1 << 20;
const BUFFER: usize = 128 << 10;

/// A connection.
#[derive(Debug)]
pub(crate) struct TestStream {
    pub socket: TcpStream,
    /// Whether the application is to be told when there is room.
    pub wants_room: bool,
    pub is_new: bool,
    pub peer_closed: bool,
    pub closed: bool,
    pub broke: bool,
}

impl TestStream {
    pub fn new(socket: TcpStream) -> TestStream {
        TestStream {
            socket,
            wants_room: false,
            is_new: true,
            peer_closed: false,
            closed: false,
            broke: false,
        }
    }

    /// Returns whether nothing comes or goes any more.
    pub fn is_over(&self) -> bool {
        self.broke || (self.closed && self.peer_closed)
    }
}

/// What the owner and the console have settled about the flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowTerms {
    /// The other end.
    pub peer: SocketAddr,
    pub ticket: Ticket,
    pub dscp: Dscp,
    /// Whose datagrams they exchange.
    pub form: Form,
    pub begin: Instant,
    pub ceilings: Arc<Ceilings>,
}

/// The sockets of an end, and what its application has reported.
#[derive(Debug)]
pub(crate) struct EndSockets {
    pub terms: FlowTerms,
    pub streams: Vec<Option<TestStream>>,
    /// A connection that the application is given when it asks for one.
    pub opened: Option<TcpStream>,
    pub datagrams: Option<UdpSocket>,
    /// Who notes when they went and came.
    pub stamps: Option<EndStamps>,
    /// Datagrams sent so far.
    pub numbered: u32,
    pub pings: Option<Pings>,
    pub wakes: BinaryHeap<Reverse<Time>>,
    pub wants_room: bool,
    /// Whether the owner's ceiling held something back.
    pub is_held: bool,
    /// For how long it has.
    pub held: Duration,
    pub delivered: u64,
    /// Bytes of connections and datagrams, sent and received.
    pub moved: u64,
    pub round_trips: Vec<(u64, f64)>,
    pub records: Vec<TimedTransactions>,
    pub records_lost: u64,
    pub failed: Option<String>,
    random: SplitMix64,
    /// What is sent.
    buffer: Vec<u8>,
    /// Where what arrives is put, and not looked at.
    arrived: Vec<u8>,
}

impl EndSockets {
    /// Round trips that are kept, at most: a hundred a second, for the longest test.
    const MOST_TRIPS: usize = 60_000;
    /// Timing records that are kept, at most.
    const MOST_RECORDS: usize = 100_000;

    pub fn new(terms: FlowTerms) -> EndSockets {
        let mut random = random_of(&terms.ticket, 0);
        let words = std::iter::repeat_with(|| random.next_u64().to_le_bytes());
        // Whatever compresses on the way would flatter the figures.
        let buffer = words.take(BUFFER / 8).flatten().collect();
        EndSockets {
            terms,
            streams: Vec::new(),
            opened: None,
            datagrams: None,
            stamps: None,
            numbered: 0,
            pings: None,
            wakes: BinaryHeap::new(),
            wants_room: false,
            is_held: false,
            held: Duration::ZERO,
            delivered: 0,
            moved: 0,
            round_trips: Vec::new(),
            records: Vec::new(),
            records_lost: 0,
            failed: None,
            random,
            buffer,
            arrived: vec![0; BUFFER],
        }
    }

    /// Notes why the flow ends early; the first reason counts.
    pub fn fail(&mut self, what: &str, error: &io::Error) {
        self.failed
            .get_or_insert_with(|| format!("{what}: {error}"));
    }

    /// Returns what the kernel says of every connection that there is, by its number.
    pub fn connections(&self) -> impl Iterator<Item = (u32, KernelTcpInfo)> + '_ {
        let known = |(number, stream): (u32, &Option<TestStream>)| {
            let told = tcp_info(&stream.as_ref()?.socket).ok()?;
            Some((number, told))
        };
        (0..).zip(&self.streams).filter_map(known)
    }

    /// Sends a datagram as it is. What the interface has no room for is lost, as a full queue would
    /// lose it.
    pub fn send_bytes(&mut self, bytes: &[u8], label: Option<Label>) {
        let Some(socket) = &self.datagrams else {
            return;
        };
        let is_sent = socket.send(bytes).is_ok();
        if let Some(stamps) = &mut self.stamps {
            let label = label.filter(|_| self.terms.form.is_numbered(bytes.len()));
            stamps.on_sent(socket, label, is_sent);
        }
    }

    fn stream(&mut self, socket: Socket) -> Option<&mut TestStream> {
        self.streams.get_mut(socket.0 as usize)?.as_mut()
    }

    fn connected(&mut self) -> io::Result<TcpStream> {
        let mut socket = self.terms.dscp.connect(self.terms.peer, CONNECTING)?;
        opening::open(&mut socket, &self.terms.ticket)?;
        Ok(socket)
    }
}

impl Net for EndSockets {
    fn now(&self) -> Time {
        Time::from_nanos(self.terms.begin.elapsed().as_nanos() as u64)
    }

    fn connect(&mut self) -> Socket {
        let socket = Socket(self.streams.len() as u32);
        let made = self.opened.take().map_or_else(|| self.connected(), Ok);
        if let Err(error) = &made {
            self.fail("no connection", error);
        }
        self.streams.push(made.ok().map(TestStream::new));
        socket
    }

    fn set(&mut self, socket: Socket, option: RequestedOption) {
        let Some(stream) = self.stream(socket) else {
            return;
        };
        let done = match option {
            RequestedOption::NoDelay(yes) => stream.socket.set_nodelay(yes),
            RequestedOption::SendBuffer(bytes) => {
                sockopt::set_socket_send_buffer_size(&stream.socket, bytes as usize)
                    .map_err(Into::into)
            }
            RequestedOption::ReceiveBuffer(bytes) => {
                sockopt::set_socket_recv_buffer_size(&stream.socket, bytes as usize)
                    .map_err(Into::into)
            }
        };
        if let Err(error) = done {
            self.fail("no such socket option", &error);
        }
    }

    fn write(&mut self, socket: Socket, bytes: u64) -> u64 {
        let ceilings = self.terms.ceilings.clone();
        let wanted = bytes.min(TURN);
        let allowed = ceilings.take(Instant::now(), wanted);
        self.is_held |= allowed < wanted;
        let buffer = std::mem::take(&mut self.buffer);
        let mut written = 0;
        if let Some(stream) = self.stream(socket) {
            stream.wants_room = bytes > 0;
            while written < allowed {
                let most = buffer.len().min((allowed - written) as usize);
                match stream.socket.write(&buffer[..most]) {
                    Ok(taken) => written += taken as u64,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(_) => {
                        stream.broke = true;
                        break;
                    }
                }
            }
            stream.wants_room = written < bytes;
        }
        self.buffer = buffer;
        ceilings.give_back(allowed - written);
        self.moved += written;
        written
    }

    fn read(&mut self, socket: Socket) -> u64 {
        let mut read = 0;
        let stream = self.streams.get_mut(socket.0 as usize);
        let Some(Some(stream)) = stream else {
            return 0;
        };
        while read < TURN && !stream.peer_closed {
            match stream.socket.read(&mut self.arrived) {
                Ok(0) => stream.peer_closed = true,
                Ok(taken) => read += taken as u64,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => {
                    stream.broke = true;
                    break;
                }
            }
        }
        self.moved += read;
        read
    }

    fn close(&mut self, socket: Socket) {
        if let Some(stream) = self.stream(socket) {
            stream.closed = true;
            stream.wants_room = false;
            stream.broke |= stream.socket.shutdown(Shutdown::Write).is_err();
        }
    }

    fn send(&mut self, payload: u32, tag: u64) {
        let bytes = u64::from(payload);
        if self.terms.ceilings.take(Instant::now(), bytes) < bytes {
            self.is_held = true;
            return;
        }
        let length = (payload as usize).clamp(1, LONGEST);
        let label = Label {
            number: self.numbered,
            tag,
            size: length as u32,
        };
        let mut bytes = [0; LONGEST];
        bytes[..length].copy_from_slice(&self.buffer[..length]);
        let form = self.terms.form;
        form.write(&mut bytes[..length], label, os::clock::realtime_ns());
        self.numbered = self.numbered.wrapping_add(1);
        self.moved += length as u64;
        self.send_bytes(&bytes[..length], Some(label));
    }

    fn ping(&mut self, sequence: u32, payload: u32) {
        let bytes = u64::from(payload);
        if self.terms.ceilings.take(Instant::now(), bytes) < bytes {
            self.is_held = true;
            return;
        }
        if let Some(pings) = &self.pings {
            // A request that cannot be sent is one that nobody answers.
            let _ = pings.request(sequence, &self.buffer[..(payload as usize).min(LONGEST)]);
        }
    }

    fn wake_at(&mut self, at: Time) {
        self.wakes.push(Reverse(at));
    }

    fn phase(&self, period: Duration) -> Duration {
        let share = unit(self.random.clone().next_u64());
        Duration::from_nanos((share * period.as_nanos() as f64) as u64)
    }

    fn want_room(&mut self) {
        self.wants_room = true;
    }

    fn report(&mut self, report: Report) {
        match report {
            Report::Delivered(bytes) => self.delivered += bytes,
            Report::RoundTrip(time) if self.round_trips.len() < Self::MOST_TRIPS => {
                let at = self.now().as_nanos() / 1000;
                self.round_trips.push((at, time.as_nanos() as f64 / 1e3));
            }
            Report::RoundTrip(_) => {}
        }
    }

    fn draw(&mut self) -> f64 {
        unit(self.random.next_u64())
    }

    fn content(&self, number: u64) -> f64 {
        unit(random_of(&self.terms.ticket, number).next_u64())
    }

    fn record(&mut self, record: TimingRecord) -> Time {
        if self.records.len() < Self::MOST_RECORDS {
            self.records.push(TimedTransactions {
                start_ns: record.start.as_nanos(),
                elapsed_ns: record.elapsed.as_nanos(),
                bytes: record.bytes,
                transactions: record.transactions,
            });
        } else {
            self.records_lost += 1;
        }
        // To keep one takes this machine the time that it takes.
        self.now()
    }
}

/// A number from 0 to below 1 of 53 random bits.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// Random numbers that differ between flows, and within one by a number.
fn random_of(ticket: &Ticket, number: u64) -> SplitMix64 {
    SplitMix64::seed_from_u64(u64::from_le_bytes(ticket.first_half()) ^ number)
}
