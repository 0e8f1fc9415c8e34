//! nttcp: so many buffers over one connection, again and again.
//!
//! The tool is described by its own page (T. T. T. Nguyen and G. J. Armitage cite
//! <http://www.leo.org/~elmar/nttcp/>): it writes `-n` buffers of `-l` bytes and says how fast that
//! went. Here, a run lasts from the SYN to the FIN of the end that reads, which is sent once it has
//! read everything: set-up and close are in it. The connection over which the original's ends
//! agree on what they do, before, is left out.

use units::{Duration, Time};

use crate::{About, App, Net, Socket, SocketEvents, TimingRecord, Transport};

units::declare! {
    /// TCP connections one after another, each of so many buffers; each is a timing record.
    pub struct Config = "nttcp" {
        /// buffers of a run
        buffers: u64 = Field::count("buffers")
            .positive()
            .or(Default::Count(2048))
            .from("nguyen-armitage §IV.A: nttcp's default"),
        /// bytes of a buffer, which are those of a write
        buffer_size: u64 = Field::size()
            .positive()
            .or(Default::Count(4096))
            .from("nguyen-armitage §IV.A: nttcp's default"),
        /// runs, one after another; absent: until the run of the scenario ends
        repetitions: Option<u32> = Field::count("runs")
            .positive()
            .optional()
            .from("no end: nguyen-armitage repeated three runs a trial"),
        /// time from the end of a run to the beginning of the next
        pause: Duration = Field::duration()
            .or(Default::Text("0 s"))
            .from("inferred: a run follows the other"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Tcp,
    answers: false,
    records: true,
    metrics: &[],
};

/// The end that writes.
#[derive(Clone, Debug)]
pub struct Initiator {
    config: Config,
    /// Runs that have begun.
    runs: u32,
    /// The connection of the run, as long as it lasts.
    socket: Option<Socket>,
    began: Time,
    /// Bytes still to be written.
    left: u64,
}

pub use crate::reader::Reader as Responder;

impl Initiator {
    /// An end that has not started.
    pub fn new(config: &Config) -> Self {
        Initiator {
            config: config.clone(),
            runs: 0,
            socket: None,
            began: Time::ZERO,
            left: 0,
        }
    }

    fn bytes(&self) -> u64 {
        self.config.buffers * self.config.buffer_size
    }

    fn begin(&mut self, net: &mut impl Net) {
        self.runs += 1;
        self.began = net.now();
        self.left = self.bytes();
        self.socket = Some(net.connect());
    }

    fn write(&mut self, socket: Socket, net: &mut impl Net) {
        while self.left > 0 {
            let taken = net.write(socket, self.left.min(self.config.buffer_size));
            if taken == 0 {
                return;
            }
            self.left -= taken;
            if self.left == 0 {
                net.close(socket);
            }
        }
    }

    /// The run is over, and the next begins after `earliest`.
    fn finish(&mut self, earliest: Time, net: &mut impl Net) {
        self.socket = None;
        if !self.is_done() {
            net.wake_at(earliest.max(net.now() + self.config.pause));
        }
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        self.begin(net);
    }

    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        if self.socket != Some(socket) {
            return;
        }
        self.write(socket, net);
        if news.peer_closed {
            let kept_at = net.record(TimingRecord {
                start: self.began,
                elapsed: net.now() - self.began,
                bytes: self.bytes(),
                transactions: 1,
            });
            self.finish(kept_at, net);
        }
    }

    fn on_end(&mut self, socket: Socket, net: &mut impl Net) {
        if self.socket == Some(socket) {
            self.finish(net.now(), net);
        }
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        self.begin(net);
    }

    fn is_done(&self) -> bool {
        self.config.repetitions == Some(self.runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::{CLOSED, TestHost};

    fn source() -> Initiator {
        Initiator::new(&Config {
            buffers: 4,
            buffer_size: 1000,
            repetitions: Some(2),
            pause: Duration::from_millis(100),
        })
    }

    #[test]
    fn a_run_lasts_from_its_syn_to_the_other_ends_fin() {
        let (mut source, mut test_host) = (source(), TestHost::with_room(2500));
        source.on_start(test_host.at_millis(10));
        source.on_stream(Socket(0), SocketEvents::default(), test_host.at_millis(12));
        assert_eq!((test_host.written, test_host.closed), (2500, false));
        test_host.room = 9999;
        source.on_stream(Socket(0), SocketEvents::default(), test_host.at_millis(13));
        assert_eq!((test_host.written, test_host.closed), (4000, true));
        source.on_stream(Socket(0), CLOSED, test_host.at_millis(18));
        let expected = TimingRecord {
            start: Time::ZERO + Duration::from_millis(10),
            elapsed: Duration::from_millis(8),
            bytes: 4000,
            transactions: 1,
        };
        assert_eq!(test_host.records, [expected]);
        assert_eq!(test_host.wakes, [Time::ZERO + Duration::from_millis(118)]);
    }

    #[test]
    fn runs_follow_until_there_were_enough_though_one_fails() {
        let (mut source, mut test_host) = (source(), TestHost::with_room(0));
        source.on_start(&mut test_host);
        source.on_end(Socket(0), &mut test_host);
        source.on_wake(test_host.at_millis(100));
        assert_eq!(test_host.opened, 2);
        source.on_stream(Socket(0), CLOSED, &mut test_host);
        assert_eq!(
            test_host.records,
            [],
            "the first connection is of no interest any more"
        );
        source.on_stream(Socket(1), CLOSED, &mut test_host);
        assert_eq!((test_host.records.len(), test_host.wakes.len()), (1, 1));
        assert!(source.is_done());
    }
}
