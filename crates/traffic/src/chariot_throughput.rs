//! The throughput script of IxChariot: files over one connection, each
//! confirmed by the receiver, timed in records.
//!
//! Source: the thesis' §3.3 and Table 3 for the parameters. That a transaction
//! is one file followed by an application-level confirmation on a connection
//! that stays open is inferred from the script's documented purpose, a "core
//! file transaction".

use crate::script::*;
use crate::{About, Transport};

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

pub use crate::script::{Initiator, Responder};

impl Scripted for Config {
    fn steps(&self) -> Vec<ScriptStep> {
        let times = self.timing_records.map(u64::from);
        let transactions = Some(u64::from(self.transactions_per_record));
        vec![
            ScriptStep::Connect(Connect {}),
            ScriptStep::Loop(Loop { times }),
            ScriptStep::StartTimer(StartTimer {}),
            ScriptStep::Loop(Loop {
                times: transactions,
            }),
            ScriptStep::Send(Send {
                size: self.file_size,
                write_size: self.write_size,
            }),
            ScriptStep::Confirm(Confirm {
                size: self.confirmation_size,
            }),
            ScriptStep::Transaction(Transaction {}),
            ScriptStep::EndLoop(EndLoop {}),
            ScriptStep::EndTimer(EndTimer {}),
            ScriptStep::EndLoop(EndLoop {}),
            ScriptStep::Disconnect(Disconnect {}),
        ]
    }
}

#[cfg(test)]
mod tests {
    use units::{Duration, Time};

    use super::Config;
    use crate::script::{Initiator, Responder};
    use crate::test_host::{OPEN, TestHost};
    use crate::{App, Report, Socket, SocketEvents, TimingRecord};

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
        let mut test_host = TestHost::with_room(60_000);
        endpoint.on_start(&mut test_host);
        let mut on_stream = |test_host: &mut TestHost| endpoint.on_stream(SOCKET, OPEN, test_host);
        on_stream(test_host.at_millis(1));
        test_host.room = 60_000;
        on_stream(test_host.at_millis(2));
        assert_eq!(
            test_host.written, 100_000,
            "the second file waits for the confirmation"
        );
        (test_host.arrived, test_host.room) = (1, 200_000);
        on_stream(test_host.at_millis(200));
        assert_eq!(test_host.records, [], "one transaction of two");
        test_host.arrived = 1;
        on_stream(test_host.at_millis(401));
        let expected = TimingRecord {
            start: Time::ZERO + Duration::from_millis(1),
            elapsed: Duration::from_millis(400),
            bytes: 200_000,
            transactions: 2,
        };
        assert_eq!(test_host.records, [expected]);
        assert!(test_host.closed, "one record was asked for");
    }

    #[test]
    fn the_next_record_begins_when_the_machine_has_kept_the_last() {
        let script = Config {
            transactions_per_record: 1,
            timing_records: None,
            ..script()
        };
        let mut endpoint = Initiator::new(&script);
        let mut test_host = TestHost::with_room(u64::MAX);
        test_host.per_record = Duration::from_millis(30);
        endpoint.on_start(&mut test_host);
        endpoint.on_stream(SOCKET, OPEN, test_host.at_millis(1));
        test_host.arrived = 1;
        endpoint.on_stream(SOCKET, SocketEvents::default(), test_host.at_millis(101));
        assert_eq!(test_host.written, 100_000, "the second file waits");
        assert_eq!(test_host.wakes, [Time::ZERO + Duration::from_millis(131)]);
        endpoint.on_wake(test_host.at_millis(131));
        assert_eq!(test_host.written, 200_000);
        test_host.arrived = 1;
        endpoint.on_stream(SOCKET, SocketEvents::default(), test_host.at_millis(231));
        let starts: Vec<u64> = test_host
            .records
            .iter()
            .map(|each| each.start.as_nanos())
            .collect();
        assert_eq!(starts, [1_000_000, 131_000_000]);
    }

    #[test]
    fn each_complete_file_is_confirmed_once() {
        let mut endpoint = Responder::new(&script());
        let mut test_host = TestHost::with_room(1000);
        endpoint.on_start(&mut test_host);
        test_host.arrived = 99_999;
        endpoint.on_stream(SOCKET, OPEN, &mut test_host);
        assert_eq!(test_host.written, 0);
        test_host.arrived = 100_001;
        endpoint.on_stream(SOCKET, SocketEvents::default(), &mut test_host);
        assert_eq!(
            test_host.written, 2,
            "the last byte of one file and all of the next"
        );
        let delivered = [99_999, 100_001].map(Report::Delivered);
        assert_eq!(test_host.reports, delivered);
    }
}
