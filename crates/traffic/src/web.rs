//! Web pages, as the methodologies for the evaluation of mobile networks model them.
//!
//! The model is that of 3GPP2 C.R1002-0 "cdma2000 Evaluation Methodology" and IEEE 802.16m-08/004
//! "Evaluation Methodology Document" §10.1: a page is a main object and embedded ones; between pages
//! there is time to read, and between the main object and the request for the others, time to parse
//! it. Each object comes over a connection of its own, up to four at a time, as with HTTP/1.0 there.
//!
//! Bytes say nothing here, so that the server draws how large an object is, and both ends know of
//! how many a page is made from a number that both see.

use units::{Duration, Time};

use crate::law::{RandomLaw, normal};
use crate::server::Server;
use crate::{About, App, Net, Report, Socket, SocketEvents, TimingRecord, Transport};

units::declare! {
    /// Web pages from a server, one after another; each is a timing record.
    pub struct Config = "web" {
        /// mean time from the end of a page to the next request
        reading: Duration = Field::duration()
            .or(Default::Text("30 s"))
            .from("IEEE 802.16m-08/004 §10.1: exponential"),
        /// mean time from the end of the main object to the requests for the embedded ones
        parsing: Duration = Field::duration()
            .or(Default::Text("130 ms"))
            .from("IEEE 802.16m-08/004 §10.1: exponential"),
        /// connections at a time, at most
        connections: u32 = Field::count("connections").within(1.0, 64.0)
            .or(Default::Count(4))
            .from("3GPP2 C.R1002-0: HTTP/1.0 in burst mode"),
        /// bytes of a request
        request_size: u64 = Field::size().positive()
            .or(Default::Count(350))
            .from("3GPP2 C.R1002-0"),
        /// pages, one after another; absent: until the run ends
        pages: Option<u64> = Field::count("pages").positive().optional().from("no end"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Tcp,
    answers: true,
    records: true,
    metrics: &[],
};

/// A lognormal law, cut: its values beyond the limits are drawn again.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    mu: f64,
    sigma: f64,
    limits: [f64; 2],
}

/// Main objects: in the mean 10,710 bytes, with a standard deviation of 25,032.
const MAIN: Sizes = Sizes {
    mu: 8.37,
    sigma: 1.37,
    limits: [100.0, 2e6],
};

/// Embedded objects: in the mean 7758 bytes, with a standard deviation of 126,168 before they are cut.
const EMBEDDED: Sizes = Sizes {
    mu: 6.17,
    sigma: 2.36,
    limits: [50.0, 2e6],
};

impl Sizes {
    fn draw(self, mut unit: impl FnMut() -> f64) -> u64 {
        loop {
            let size = libm::exp(self.mu + self.sigma * normal(&mut unit));
            if (self.limits[0]..=self.limits[1]).contains(&size) {
                return size as u64;
            }
        }
    }
}

/// Returns how many embedded objects a page has, in the mean 5.64, at most 53: a Pareto law of the
/// shape 1.1 from 2 on, cut at 55, less 2. What lies beyond is put at the end, which alone gives
/// that mean.
fn embedded(unit: f64) -> u64 {
    let objects = RandomLaw::Pareto.draw(2.0 * 1.1 / 0.1, 1.1, unit);
    libm::round(objects.min(55.0) - 2.0) as u64
}

/// The server.
#[derive(Clone, Debug)]
pub struct Initiator {
    request_size: u64,
    server: Server,
    page: u64,
    /// Embedded objects of the page that have not been asked for yet.
    left: u64,
}

impl Initiator {
    /// A server that nobody has asked.
    pub fn new(config: &Config) -> Self {
        Initiator {
            request_size: config.request_size,
            server: Server::default(),
            page: 0,
            left: 0,
        }
    }

    /// The size of the object that is asked for next.
    fn next_size(&mut self, net: &mut impl Net) -> u64 {
        if self.left > 0 {
            self.left -= 1;
            return EMBEDDED.draw(|| net.draw());
        }
        self.left = embedded(net.content(self.page));
        self.page += 1;
        MAIN.draw(|| net.draw())
    }
}

impl App for Initiator {
    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        let mut server = std::mem::take(&mut self.server);
        server.on_stream(socket, news, net, self.request_size, |net| {
            self.next_size(net)
        });
        self.server = server;
    }

    fn on_end(&mut self, socket: Socket, _net: &mut impl Net) {
        self.server.on_end(socket);
    }
}

/// The reader.
#[derive(Clone, Debug)]
pub struct Responder {
    config: Config,
    page: u64,
    since: Time,
    step: WebStep,
    /// Connections over which objects come.
    sockets: Vec<Socket>,
    /// Embedded objects of the page still to be asked for.
    left: u64,
    bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WebStep {
    /// Until the next page.
    Reading,
    Main,
    Parsing,
    Embedded,
    Finished,
}

impl Responder {
    /// A reader who has not begun.
    pub fn new(config: &Config) -> Self {
        Responder {
            config: config.clone(),
            page: 0,
            since: Time::ZERO,
            step: WebStep::Reading,
            sockets: Vec::with_capacity(config.connections as usize),
            left: 0,
            bytes: 0,
        }
    }

    fn ask(&mut self, net: &mut impl Net) {
        let socket = net.connect();
        self.sockets.push(socket);
    }

    fn wait(&mut self, step: WebStep, mean: Duration, earliest: Time, net: &mut impl Net) {
        self.step = step;
        let nanos = RandomLaw::Exponential.draw(mean.as_nanos() as f64, 0.0, net.draw());
        let at = net.now() + Duration::from_nanos(nanos as u64);
        net.wake_at(at.max(earliest));
    }

    /// An object is there: the next step is what is missing.
    fn go_on(&mut self, net: &mut impl Net) {
        if self.step == WebStep::Main {
            self.left = embedded(net.content(self.page));
            if self.left > 0 {
                let parsing = self.config.parsing;
                return self.wait(WebStep::Parsing, parsing, net.now(), net);
            }
        }
        while self.left > 0 && self.sockets.len() < self.config.connections as usize {
            self.left -= 1;
            self.ask(net);
        }
        if self.sockets.is_empty() {
            self.finish(net);
        }
    }

    fn finish(&mut self, net: &mut impl Net) {
        let kept_at = net.record(TimingRecord {
            start: self.since,
            elapsed: net.now() - self.since,
            bytes: self.bytes,
            transactions: 1,
        });
        self.page += 1;
        if self.config.pages == Some(self.page) {
            self.step = WebStep::Finished;
        } else {
            self.wait(WebStep::Reading, self.config.reading, kept_at, net);
        }
    }

    fn begin(&mut self, net: &mut impl Net) {
        (self.since, self.bytes) = (net.now(), 0);
        self.step = WebStep::Main;
        self.ask(net);
    }
}

impl App for Responder {
    fn on_start(&mut self, net: &mut impl Net) {
        self.begin(net);
    }

    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        let read = net.read(socket);
        self.bytes += read;
        net.report(Report::Delivered(read));
        if news.established {
            net.write(socket, self.config.request_size);
        }
        if news.peer_closed {
            net.close(socket);
            self.sockets.retain(|&other| other != socket);
            self.go_on(net);
        }
    }

    fn on_end(&mut self, socket: Socket, net: &mut impl Net) {
        // What came over a connection that failed is asked for again.
        if let Some(at) = self.sockets.iter().position(|&other| other == socket) {
            self.sockets.remove(at);
            self.ask(net);
        }
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        match self.step {
            WebStep::Reading => self.begin(net),
            WebStep::Parsing => {
                self.step = WebStep::Embedded;
                self.go_on(net);
            }
            WebStep::Main | WebStep::Embedded | WebStep::Finished => {}
        }
    }

    fn is_done(&self) -> bool {
        self.step == WebStep::Finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::{CLOSED, TestHost, random};

    fn config() -> Config {
        Config {
            reading: Duration::from_secs(30),
            parsing: Duration::from_millis(130),
            connections: 2,
            request_size: 350,
            pages: Some(1),
        }
    }

    #[test]
    fn a_page_is_there_when_its_last_embedded_object_is() {
        let (mut reader, mut test_host) = (Responder::new(&config()), TestHost::with_room(9999));
        // 2 (1 - u)^(-1 / 1.1) is 5 at 0.635: three embedded objects.
        test_host.contents = 0.635;
        reader.on_start(&mut test_host);
        reader.on_stream(Socket(0), CLOSED, test_host.at_millis(100));
        assert_eq!(test_host.wakes.len(), 1, "for parsing");
        reader.on_wake(test_host.at_millis(200));
        assert_eq!(test_host.opened, 3, "two at a time");
        reader.on_stream(Socket(1), CLOSED, test_host.at_millis(300));
        assert_eq!(test_host.opened, 4);
        reader.on_stream(Socket(2), CLOSED, test_host.at_millis(310));
        assert_eq!(test_host.records, []);
        reader.on_stream(Socket(3), CLOSED, test_host.at_millis(400));
        assert_eq!(test_host.records[0].elapsed, Duration::from_millis(400));
        assert!(reader.is_done());
    }

    #[test]
    fn a_page_has_5_64_embedded_objects_in_the_mean_and_53_at_most() {
        let mut draw = random(1);
        let numbers: Vec<u64> = (0..1_000_000).map(|_| embedded(draw())).collect();
        let mean = numbers.iter().sum::<u64>() as f64 / 1e6;
        assert!((mean - 5.64).abs() < 0.1, "{mean}");
        assert_eq!(numbers.iter().max(), Some(&53));
    }

    #[test]
    fn objects_have_the_means_of_their_laws() {
        // The published mean of embedded objects, 7758, is that of the law before it is cut, which
        // then has exp(mu + sigma^2 / 2) times P(c - sigma < N < d - sigma) / P(c < N < d) for the
        // limits c and d of a normal N: 8199.
        for (sizes, expected) in [(MAIN, 10_710.0), (EMBEDDED, 8199.0)] {
            let mut draw = random(1);
            let sum: u64 = (0..1_000_000).map(|_| sizes.draw(&mut draw)).sum();
            let mean = sum as f64 / 1e6;
            assert!(
                (mean / expected - 1.0).abs() < 0.05,
                "{mean}, not {expected}"
            );
        }
    }
}
