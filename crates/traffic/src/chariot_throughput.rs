//! The throughput script of IxChariot: files over one connection, each
//! confirmed by the receiver, timed in records.
//!
//! Source: the thesis' §3.3 and Table 3 for the parameters. That a transaction
//! is one file followed by an application-level confirmation on a connection
//! that stays open is inferred from the script's documented purpose, a "core
//! file transaction".

use units::Time;

use crate::{About, App, Net, News, Report, Socket, TimingRecord, Transport};

units::declare! {
    /// IxChariot's throughput script: files one after another, each confirmed by the receiver.
    pub struct Config = "chariot-throughput" {
        /// bytes of a transaction
        file_size: u64 = Field::size()
            .positive()
            .or(Default::Count(100_000))
            .from("goel2006 Table 3"),
        /// transactions of a timing record
        transactions_per_record: u32 = Field::count("transactions")
            .positive()
            .or(Default::Count(16))
            .from("goel2006 Table 3, 2 pairs"),
        /// timing records after which a pair stops; absent: the run's duration ends it
        timing_records: Option<u32> = Field::count("records")
            .positive()
            .optional()
            .from("the duration binds: 1600 records take longer than any run of goel2006"),
        /// bytes of the receiver's confirmation
        confirmation_size: u64 = Field::size()
            .positive()
            .or(Default::Count(100))
            .from("inferred: one short segment"),
        /// bytes of one send call
        write_size: u64 = Field::size()
            .positive()
            .or(Default::Text("32 KiB"))
            .from("inferred: the endpoint's buffer"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Tcp,
    answers: true,
    records: true,
    metrics: &[],
};

/// Endpoint 1: sends the files and times them.
#[derive(Clone, Debug)]
pub struct Initiator {
    script: Config,
    step: Step,
    transactions: u32,
    record_start: Time,
    records: u32,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Ready,
    Sending { left: u64 },
    Confirming { left: u64 },
    /// The machine keeps a timing record.
    Recording { socket: Socket },
    Finished,
}

impl Initiator {
    /// An endpoint that has not started.
    pub fn new(script: &Config) -> Self {
        Initiator {
            script: script.clone(),
            step: Step::Ready,
            transactions: 0,
            record_start: Time::ZERO,
            records: 0,
        }
    }

    /// Goes on as far as the connection allows.
    fn advance(&mut self, socket: Socket, net: &mut impl Net) {
        loop {
            match self.step {
                Step::Ready => {
                    self.record_start = net.now();
                    self.step = Step::Sending {
                        left: self.script.file_size,
                    };
                }
                Step::Sending { left } => {
                    let left = self.send(left, socket, net);
                    if left > 0 {
                        self.step = Step::Sending { left };
                        return;
                    }
                    self.step = Step::Confirming {
                        left: self.script.confirmation_size,
                    };
                }
                Step::Confirming { left } => {
                    let left = left.saturating_sub(net.read(socket));
                    if left > 0 {
                        self.step = Step::Confirming { left };
                        return;
                    }
                    self.step = self.on_confirmed(socket, net);
                }
                Step::Recording { .. } | Step::Finished => return,
            }
        }
    }

    fn send(&self, mut left: u64, socket: Socket, net: &mut impl Net) -> u64 {
        while left > 0 {
            let taken = net.write(socket, left.min(self.script.write_size));
            if taken == 0 {
                break;
            }
            left -= taken;
        }
        left
    }

    /// What follows on a confirmed file: the next, or first the record that it completes.
    fn on_confirmed(&mut self, socket: Socket, net: &mut impl Net) -> Step {
        self.transactions += 1;
        if self.transactions < self.script.transactions_per_record {
            return Step::Sending {
                left: self.script.file_size,
            };
        }
        let now = net.now();
        let kept_at = net.record(TimingRecord {
            start: self.record_start,
            elapsed: now - self.record_start,
            bytes: self.script.file_size * u64::from(self.transactions),
            transactions: self.transactions,
        });
        self.transactions = 0;
        self.records += 1;
        if self.script.timing_records == Some(self.records) {
            net.close(socket);
            return Step::Finished;
        }
        if kept_at > now {
            net.wake_at(kept_at);
            return Step::Recording { socket };
        }
        Step::Ready
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        net.connect();
    }

    #[inline]
    fn on_stream(&mut self, socket: Socket, news: News, net: &mut impl Net) {
        self.advance(socket, net);
        if news.peer_closed {
            net.close(socket);
        }
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        if let Step::Recording { socket } = self.step {
            self.step = Step::Ready;
            self.advance(socket, net);
        }
    }
}

/// Endpoint 2: receives the files and confirms each.
#[derive(Clone, Debug)]
pub struct Responder {
    file_size: u64,
    confirmation_size: u64,
    left: u64,
    owed: u64,
}

impl Responder {
    /// An endpoint that waits for the first file.
    pub fn new(script: &Config) -> Self {
        Responder {
            file_size: script.file_size,
            confirmation_size: script.confirmation_size,
            left: script.file_size,
            owed: 0,
        }
    }
}

impl App for Responder {
    #[inline]
    fn on_stream(&mut self, socket: Socket, news: News, net: &mut impl Net) {
        let read = net.read(socket);
        let mut unused = read;
        while unused >= self.left {
            unused -= self.left;
            self.left = self.file_size;
            self.owed += self.confirmation_size;
        }
        self.left -= unused;
        if self.owed > 0 {
            self.owed -= net.write(socket, self.owed);
        }
        net.report(Report::Delivered(read));
        if news.peer_closed {
            net.close(socket);
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;
    use crate::desk::Desk;

    const SOCKET: Socket = Socket(0);

    fn script() -> Config {
        Config {
            file_size: 100_000,
            transactions_per_record: 2,
            timing_records: Some(1),
            confirmation_size: 1,
            write_size: 32_768,
        }
    }

    #[test]
    fn a_record_is_timed_from_its_first_write_to_its_last_confirmation() {
        let mut endpoint = Initiator::new(&script());
        let mut desk = Desk::with_room(60_000);
        let mut on_stream =
            |desk: &mut Desk| endpoint.on_stream(SOCKET, News::default(), desk);
        on_stream(desk.at_millis(1));
        desk.room = 60_000;
        on_stream(desk.at_millis(2));
        assert_eq!(desk.written, 100_000, "the second file waits for the confirmation");
        (desk.arrived, desk.room) = (1, 200_000);
        on_stream(desk.at_millis(200));
        assert_eq!(desk.records, [], "one transaction of two");
        desk.arrived = 1;
        on_stream(desk.at_millis(401));
        let expected = TimingRecord {
            start: Time::ZERO + Duration::from_millis(1),
            elapsed: Duration::from_millis(400),
            bytes: 200_000,
            transactions: 2,
        };
        assert_eq!(desk.records, [expected]);
        assert!(desk.closed, "one record was asked for");
    }

    #[test]
    fn the_next_record_begins_when_the_machine_has_kept_the_last() {
        let script = Config {
            transactions_per_record: 1,
            timing_records: None,
            ..script()
        };
        let mut endpoint = Initiator::new(&script);
        let mut desk = Desk::with_room(u64::MAX);
        desk.per_record = Duration::from_millis(30);
        endpoint.on_stream(SOCKET, News::default(), desk.at_millis(1));
        desk.arrived = 1;
        endpoint.on_stream(SOCKET, News::default(), desk.at_millis(101));
        assert_eq!(desk.written, 100_000, "the second file waits");
        assert_eq!(desk.wakes, [Time::ZERO + Duration::from_millis(131)]);
        endpoint.on_wake(desk.at_millis(131));
        assert_eq!(desk.written, 200_000);
        desk.arrived = 1;
        endpoint.on_stream(SOCKET, News::default(), desk.at_millis(231));
        let starts: Vec<u64> = desk.records.iter().map(|each| each.start.as_nanos()).collect();
        assert_eq!(starts, [1_000_000, 131_000_000]);
    }

    #[test]
    fn each_complete_file_is_confirmed_once() {
        let mut endpoint = Responder::new(&script());
        let mut desk = Desk::with_room(1000);
        desk.arrived = 99_999;
        endpoint.on_stream(SOCKET, News::default(), &mut desk);
        assert_eq!(desk.written, 0);
        desk.arrived = 100_001;
        endpoint.on_stream(SOCKET, News::default(), &mut desk);
        assert_eq!(desk.written, 2, "the last byte of one file and all of the next");
        let delivered = [99_999, 100_001].map(Report::Delivered);
        assert_eq!(desk.reports, delivered);
    }
}
