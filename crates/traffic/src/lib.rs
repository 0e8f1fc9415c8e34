//! Applications: what is sent when, and how it is timed.
//!
//! An application is two machines, one at each end of a flow: the [`Initiator`] at the node that
//! the flow is from, the [`Responder`] at the node that it goes to. Both are driven from outside,
//! by the calls of [`App`], and act on what they are handed: a [`Net`], which opens connections,
//! takes and gives bytes, sends datagrams, and hears what there is to report. Either end may open
//! any number of connections at any time and accepts whatever the other opens. None of them
//! knows who carries its bytes.
//!
//! A new application is one file with a declared `Config`, its `Initiator` and `Responder`, and
//! what it is (`ABOUT`), its `mod` line, and one line in the list below.

mod application_limited;
mod bulk;
mod chariot_throughput;
mod deadline;
mod film;
mod frames;
mod ftp;
mod game;
mod gentragen;
mod law;
mod nttcp;
mod on_off;
mod pictures;
mod ping;
mod playout;
mod poisson;
mod reader;
mod script;
mod server;
mod synthetic;
#[cfg(test)]
mod test_host;
mod two_way;
mod udp;
mod video_call;
mod voip;
mod web;

use serde::Serialize;
use units::declaration::{Declared, Kind};
use units::{Duration, Time};

pub use frames::{FrameTrace, VideoFrame};
pub use law::RandomLaw;
pub use script::VERBS;

/// One of an application's connections, as the machine it runs on names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket(pub u32);

/// Events on a connection, besides bytes that came or went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SocketEvents {
    /// The handshake is over; for the responder, a connection was accepted.
    pub established: bool,
    /// The peer has sent everything.
    pub peer_closed: bool,
}

/// Options that an application may ask of a connection besides carrying bytes (socket(7), tcp(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedOption {
    /// TCP_NODELAY: what does not fill a segment waits for no acknowledgment.
    NoDelay(bool),
    /// SO_SNDBUF, bytes.
    SendBuffer(u32),
    /// SO_RCVBUF, bytes.
    ReceiveBuffer(u32),
}

/// Services that an application may ask of the machine it runs on.
pub trait Net {
    /// The time.
    fn now(&self) -> Time;
    /// Opens a connection to the other end of the flow.
    fn connect(&mut self) -> Socket;
    /// Sets an option of a connection, at any time.
    fn set(&mut self, socket: Socket, option: RequestedOption);
    /// Offers `bytes` bytes; answers how many the send buffer took.
    fn write(&mut self, socket: Socket, bytes: u64) -> u64;
    /// Takes all bytes that have arrived in order; answers how many.
    fn read(&mut self, socket: Socket) -> u64;
    /// Sends no more.
    fn close(&mut self, socket: Socket);
    /// Sends a datagram to the other end of the flow, with a number for it to read.
    fn send(&mut self, payload: u32, tag: u64);
    /// Sends an echo request to the other end of the flow.
    fn ping(&mut self, sequence: u32, payload: u32);
    /// Asks for [`App::on_wake`] at a time.
    fn wake_at(&mut self, at: Time);
    /// A part of a period, at random in every run: where a source of constant interval begins, as
    /// nothing ties its clock to another's. Zero where the run is to be exact.
    fn phase(&self, period: Duration) -> Duration;
    /// Asks for [`App::on_room`] whenever the interface can take another packet.
    fn want_room(&mut self);
    /// Reports to whoever measures.
    fn report(&mut self, report: Report);
    /// Draws a random number from 0 to below 1, all equally likely.
    fn draw(&mut self) -> f64;
    /// A random number from 0 to below 1 that stands for what is in the bytes: of the same
    /// `number`, both ends of the flow see the same.
    fn content(&self, number: u64) -> f64;
    /// Keeps a completed timing record; answers when the machine has done so, which may be now.
    fn record(&mut self, record: TimingRecord) -> Time;
}

/// Report of an application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Report {
    /// So many application bytes have arrived where they were meant to.
    Delivered(u64),
    /// A round trip took so long.
    RoundTrip(Duration),
}

/// A datagram that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceivedDatagram {
    /// Payload bytes.
    pub payload: u32,
    /// The number that its sender wrote into it.
    pub tag: u64,
    /// Time when it was sent, by the one clock there is.
    pub sent: Time,
}

/// Transactions that were timed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimingRecord {
    /// Time when the first began.
    pub start: Time,
    /// Time that they took together.
    pub elapsed: Duration,
    /// Bytes transferred.
    pub bytes: u64,
    /// Number of transactions.
    pub transactions: u32,
}

/// One end of an application.
pub trait App {
    /// The flow begins.
    fn on_start(&mut self, _net: &mut impl Net) {}
    /// Something has happened on a connection: bytes came, room for bytes, or the news.
    fn on_stream(&mut self, _socket: Socket, _news: SocketEvents, _net: &mut impl Net) {}
    /// A connection has ended, orderly or not; its socket stands for nothing any more.
    fn on_end(&mut self, _socket: Socket, _net: &mut impl Net) {}
    /// A datagram has arrived.
    fn on_datagram(&mut self, _datagram: ReceivedDatagram, _net: &mut impl Net) {}
    /// An echo reply has arrived.
    fn on_reply(&mut self, _sequence: u32, _payload: u32, _net: &mut impl Net) {}
    /// The time asked for has come.
    fn on_wake(&mut self, _net: &mut impl Net) {}
    /// The interface has room for a packet.
    fn on_room(&mut self, _net: &mut impl Net) {}
    /// Returns what it has counted since it began; what that is called, its kind's metrics say.
    fn counts(&self) -> &[u64] {
        &[]
    }
    /// Returns whether it opens no more connections of itself.
    fn is_done(&self) -> bool {
        true
    }
}

/// Transport of an application's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// TCP connections.
    Tcp,
    /// UDP datagrams.
    Udp,
    /// ICMP echo requests and replies.
    Icmp,
}

/// Counts of the two ends of an application, in some part of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApplicationCounts {
    /// At the node that the flow is from.
    pub initiator: Vec<u64>,
    /// At the node that it goes to.
    pub responder: Vec<u64>,
}

impl ApplicationCounts {
    /// Returns what came since `earlier`.
    pub fn since(&self, earlier: &ApplicationCounts) -> ApplicationCounts {
        let less = |now: &[u64], before: &[u64]| {
            (now.iter().zip(before))
                .map(|(now, before)| now - before)
                .collect()
        };
        ApplicationCounts {
            initiator: less(&self.initiator, &earlier.initiator),
            responder: less(&self.responder, &earlier.responder),
        }
    }
}

/// Description of a kind of application, besides its declaration.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct About {
    /// Transport of its bytes.
    pub transport: Transport,
    /// True if the responder sends data, too.
    pub answers: bool,
    /// True if it completes timing records.
    pub records: bool,
    /// Metrics that follow from the counts of its ends.
    #[serde(skip)]
    pub metrics: &'static [Declared<ApplicationCounts>],
}

/// Gives an application the turn that it has by the clock: now, or when its time has come.
fn wake_from(at: Time, app: &mut impl App, net: &mut impl Net) {
    match at > net.now() {
        true => net.wake_at(at),
        false => app.on_wake(net),
    }
}

units::kinds! {
    /// An application, as a plan has it.
    pub enum Config with each;

    /// Applications written in IxChariot's verbs.
    Script in script;
    /// IxChariot's throughput script.
    ChariotThroughput in chariot_throughput;
    /// One connection, as fast as it goes.
    Bulk in bulk;
    /// One connection, fed at a constant rate.
    ApplicationLimited in application_limited;
    /// One connection that both ends fill.
    TwoWay in two_way;
    /// Transfers from a master to a slave.
    Gentragen in gentragen;
    /// Files from an FTP server.
    Ftp in ftp;
    /// Web pages.
    Web in web;
    /// Datagrams.
    Udp in udp;
    /// Datagrams, each independent of the others.
    Poisson in poisson;
    /// Datagrams in bursts.
    OnOff in on_off;
    /// A player and a game server.
    Game in game;
    /// A telephone call.
    Voip in voip;
    /// A call with pictures.
    VideoCall in video_call;
    /// A film, watched as it comes.
    Film in film;
    /// Connections one after another, timed.
    Nttcp in nttcp;
    /// Echo requests.
    Ping in ping;
}

impl Config {
    /// Returns what may be said of it.
    pub fn kind(&self) -> &'static Kind {
        each!(mod kind, match self { Config(_) => &kind::Config::KIND })
    }

    /// Returns what it is.
    pub fn about(&self) -> &'static About {
        each!(mod kind, match self { Config(_) => &kind::ABOUT })
    }

    /// The trace that it replays, if it replays one.
    pub fn trace_mut(&mut self) -> Option<&mut FrameTrace> {
        match self {
            Config::Film(film) => film.trace.as_mut(),
            Config::VideoCall(call) => call.trace.as_mut(),
            _ => None,
        }
    }

    /// Its two ends, before they start.
    pub fn ends(&self) -> (Initiator, Responder) {
        let initiator = each!(mod kind, match self {
            Config(config) => enum Initiator(kind::Initiator::new(config)),
        });
        let responder = each!(mod kind, match self {
            Config(config) => enum Responder(kind::Responder::new(config)),
        });
        (initiator, responder)
    }
}

/// Every application: what may be said of it, and what it is.
pub fn applications() -> impl Iterator<Item = (&'static Kind, &'static About)> {
    const ABOUT: &[About] = &each!([ABOUT]);
    KINDS.iter().zip(ABOUT)
}

each! { pub use Config; }

each! {
    /// The end of an application at the node that the flow is from.
    #[derive(Clone, Debug)]
    pub enum Initiator of Initiator;
}

each! {
    /// The end of an application at the node that the flow goes to.
    #[derive(Clone, Debug)]
    pub enum Responder of Responder;
}

/// Has each end of an application do what the one of its kind does.
macro_rules! dispatch {
    ($($end:ident)*) => {
        $(impl App for $end {
            fn on_start(&mut self, net: &mut impl Net) {
                each!(match self { $end(app) => app.on_start(net) })
            }

            #[inline]
            fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
                each!(match self { $end(app) => app.on_stream(socket, news, net) })
            }

            fn on_end(&mut self, socket: Socket, net: &mut impl Net) {
                each!(match self { $end(app) => app.on_end(socket, net) })
            }

            #[inline]
            fn on_datagram(&mut self, datagram: ReceivedDatagram, net: &mut impl Net) {
                each!(match self { $end(app) => app.on_datagram(datagram, net) })
            }

            fn on_reply(&mut self, sequence: u32, payload: u32, net: &mut impl Net) {
                each!(match self { $end(app) => app.on_reply(sequence, payload, net) })
            }

            fn on_wake(&mut self, net: &mut impl Net) {
                each!(match self { $end(app) => app.on_wake(net) })
            }

            #[inline]
            fn on_room(&mut self, net: &mut impl Net) {
                each!(match self { $end(app) => app.on_room(net) })
            }

            fn counts(&self) -> &[u64] {
                each!(match self { $end(app) => app.counts() })
            }

            fn is_done(&self) -> bool {
                each!(match self { $end(app) => app.is_done() })
            }
        })*
    };
}

dispatch!(Initiator Responder);
