//! FTP (RFC 959): commands and replies on one connection, each file over another.
//!
//! The client logs in, and for each file asks for a port (PASV), opens a connection to it and
//! retrieves the file (RETR); its end is the end of that connection (§3.4, stream mode). The texts of
//! the replies are the RFC's (§4.2).

use units::{Duration, Time};

use crate::{About, App, Net, Report, Socket, SocketEvents, TimingRecord, Transport};

units::declare! {
    /// FTP: files from a server, one after another; each is a timing record.
    pub struct Config = "ftp" {
        /// bytes of a file
        size: u64 = Field::size().positive()
            .or(Default::Text("2 MB"))
            .from("IEEE 802.16m-08/004 §10.3: the mean of its files"),
        /// files; absent: until the run ends
        files: Option<u64> = Field::count("files").positive().optional().from("no end"),
        /// time from the end of a file to the next
        pause: Duration = Field::duration()
            .or(Default::Text("0 s"))
            .from("inferred: a list of files"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Tcp,
    answers: true,
    records: true,
    metrics: &[],
};

/// A command and the reply to it.
#[derive(Clone, Copy, Debug)]
struct FtpExchange {
    command: &'static str,
    reply: &'static str,
}

const GREETING: &str = "220 Service ready for new user.\r\n";
const LOGIN: [FtpExchange; 3] = [
    FtpExchange {
        command: "USER anonymous\r\n",
        reply: "331 User name okay, need password.\r\n",
    },
    FtpExchange {
        command: "PASS guest\r\n",
        reply: "230 User logged in, proceed.\r\n",
    },
    FtpExchange {
        command: "TYPE I\r\n",
        reply: "200 Command okay.\r\n",
    },
];
const PASSIVE: FtpExchange = FtpExchange {
    command: "PASV\r\n",
    reply: "227 Entering Passive Mode (10,0,0,1,195,80).\r\n",
};
const RETRIEVE: FtpExchange = FtpExchange {
    command: "RETR file\r\n",
    reply: "150 File status okay; about to open data connection.\r\n",
};
const COMPLETE: &str = "226 Closing data connection.\r\n";
const QUIT: FtpExchange = FtpExchange {
    command: "QUIT\r\n",
    reply: "221 Service closing control connection.\r\n",
};

const fn bytes(text: &str) -> u64 {
    text.len() as u64
}

/// The server.
#[derive(Clone, Debug)]
pub struct Initiator {
    size: u64,
    files: Option<u64>,
    control: Option<Socket>,
    /// Commands that it has answered.
    answered: u64,
    /// Bytes of the next command that have come.
    come: u64,
    data: Option<Socket>,
    /// Bytes of the file that have not been written; none where none was asked for.
    left: Option<u64>,
}

impl Initiator {
    /// A server that no client has called.
    pub fn new(config: &Config) -> Self {
        Initiator {
            size: config.size,
            files: config.files,
            control: None,
            answered: 0,
            come: 0,
            data: None,
            left: None,
        }
    }

    /// The command that is expected: the login, then two for each file, and the end.
    fn expected(&self) -> FtpExchange {
        let login = LOGIN.len() as u64;
        let of_files = self.answered.saturating_sub(login);
        match self.answered {
            number if number < login => LOGIN[number as usize],
            _ if Some(of_files / 2) == self.files => QUIT,
            _ if of_files.is_multiple_of(2) => PASSIVE,
            _ => RETRIEVE,
        }
    }

    fn on_control(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        if news.established {
            net.write(socket, bytes(GREETING));
        }
        self.come += net.read(socket);
        let expected = self.expected();
        if self.come >= bytes(expected.command) {
            self.come -= bytes(expected.command);
            self.answered += 1;
            net.write(socket, bytes(expected.reply));
            if expected.command == RETRIEVE.command {
                self.left = Some(self.size);
                self.send(net);
            }
        }
        if news.peer_closed {
            net.close(socket);
        }
    }

    /// Sends what there is room for, and says when that was all.
    fn send(&mut self, net: &mut impl Net) {
        let (Some(data), Some(left)) = (self.data, self.left.as_mut()) else {
            return;
        };
        *left -= net.write(data, *left);
        if *left == 0 {
            net.close(data);
            (self.data, self.left) = (None, None);
            if let Some(control) = self.control {
                net.write(control, bytes(COMPLETE));
            }
        }
    }
}

impl App for Initiator {
    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        if *self.control.get_or_insert(socket) == socket {
            return self.on_control(socket, news, net);
        }
        if news.established {
            self.data = Some(socket);
        }
        self.send(net);
    }
}

/// The client.
#[derive(Clone, Debug)]
pub struct Responder {
    config: Config,
    step: FtpStep,
    control: Option<Socket>,
    /// Bytes of replies that have not come yet.
    awaited: u64,
    data: Option<Socket>,
    files: u64,
    since: Time,
    /// Bytes of the file that have come.
    bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FtpStep {
    /// Before the command of the login with this number.
    Login(usize),
    Asking,
    /// The connection for the file is being opened.
    Opening,
    Retrieving,
    Pausing,
    Quitting,
    Finished,
}

impl Responder {
    /// A client that has not called.
    pub fn new(config: &Config) -> Self {
        Responder {
            config: config.clone(),
            step: FtpStep::Login(0),
            control: None,
            awaited: bytes(GREETING),
            data: None,
            files: 0,
            since: Time::ZERO,
            bytes: 0,
        }
    }

    /// Sends a command; its reply is awaited.
    fn ask(&mut self, exchange: FtpExchange, net: &mut impl Net) {
        self.awaited += bytes(exchange.reply);
        if let Some(control) = self.control {
            net.write(control, bytes(exchange.command));
        }
    }

    /// Goes on once the replies are there.
    fn go_on(&mut self, net: &mut impl Net) {
        match self.step {
            _ if self.awaited > 0 => {}
            FtpStep::Login(number) => match LOGIN.get(number) {
                Some(&exchange) => {
                    self.step = FtpStep::Login(number + 1);
                    self.ask(exchange, net);
                }
                None => self.begin(net),
            },
            FtpStep::Asking => {
                self.data = Some(net.connect());
                self.step = FtpStep::Opening;
            }
            FtpStep::Retrieving if self.data.is_none() => self.finish(net),
            FtpStep::Quitting => {
                self.step = FtpStep::Finished;
                if let Some(control) = self.control {
                    net.close(control);
                }
            }
            FtpStep::Opening | FtpStep::Retrieving | FtpStep::Pausing | FtpStep::Finished => {}
        }
    }

    fn begin(&mut self, net: &mut impl Net) {
        (self.since, self.bytes) = (net.now(), 0);
        self.step = FtpStep::Asking;
        self.ask(PASSIVE, net);
    }

    fn finish(&mut self, net: &mut impl Net) {
        self.files += 1;
        let kept_at = net.record(TimingRecord {
            start: self.since,
            elapsed: net.now() - self.since,
            bytes: self.bytes,
            transactions: 1,
        });
        if self.config.files == Some(self.files) {
            self.step = FtpStep::Quitting;
            self.ask(QUIT, net);
        } else {
            self.step = FtpStep::Pausing;
            net.wake_at(kept_at.max(net.now() + self.config.pause));
        }
    }

    fn on_data(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        let read = net.read(socket);
        self.bytes += read;
        net.report(Report::Delivered(read));
        if news.established && self.step == FtpStep::Opening {
            self.step = FtpStep::Retrieving;
            self.awaited += bytes(COMPLETE);
            self.ask(RETRIEVE, net);
        }
        if news.peer_closed {
            net.close(socket);
            self.data = None;
            self.go_on(net);
        }
    }
}

impl App for Responder {
    fn on_start(&mut self, net: &mut impl Net) {
        self.control = Some(net.connect());
    }

    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        if self.data == Some(socket) {
            return self.on_data(socket, news, net);
        }
        if self.control == Some(socket) {
            self.awaited = self.awaited.saturating_sub(net.read(socket));
            self.go_on(net);
            if news.peer_closed {
                net.close(socket);
            }
        }
    }

    fn on_end(&mut self, socket: Socket, _net: &mut impl Net) {
        // Without its connections a session is over.
        if self.control == Some(socket) || self.data == Some(socket) {
            self.step = FtpStep::Finished;
        }
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        if self.step == FtpStep::Pausing {
            self.begin(net);
        }
    }

    fn is_done(&self) -> bool {
        self.step == FtpStep::Finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::{CLOSED, OPEN, QUIET, TestHost};

    fn config() -> Config {
        Config {
            size: 5000,
            files: Some(1),
            pause: Duration::ZERO,
        }
    }

    #[test]
    fn a_client_logs_in_retrieves_and_quits() {
        let (mut client, mut test_host) = (Responder::new(&config()), TestHost::with_room(9999));
        client.on_start(&mut test_host);
        let mut replies = vec![GREETING];
        replies.extend(LOGIN.iter().map(|exchange| exchange.reply));
        let written: Vec<u64> = (replies.iter())
            .map(|reply| {
                (test_host.arrived, test_host.written) = (bytes(reply), 0);
                client.on_stream(Socket(0), QUIET, test_host.at_millis(10));
                test_host.written
            })
            .collect();
        assert_eq!(written, [16, 12, 8, 6], "USER, PASS, TYPE, PASV");
        test_host.arrived = bytes(PASSIVE.reply);
        client.on_stream(Socket(0), QUIET, &mut test_host);
        assert_eq!(test_host.opened, 2, "a connection for the file");
        client.on_stream(Socket(1), OPEN, &mut test_host);
        test_host.arrived = 5000;
        client.on_stream(Socket(1), CLOSED, test_host.at_millis(50));
        assert_eq!(
            test_host.records,
            [],
            "the server has not said that this was all"
        );
        test_host.arrived = bytes(RETRIEVE.reply) + bytes(COMPLETE);
        client.on_stream(Socket(0), QUIET, test_host.at_millis(60));
        assert_eq!(
            (test_host.records[0].bytes, test_host.records[0].elapsed),
            (5000, Duration::from_millis(50))
        );
        test_host.arrived = bytes(QUIT.reply);
        client.on_stream(Socket(0), QUIET, &mut test_host);
        assert!(client.is_done());
    }

    #[test]
    fn a_server_answers_each_command_and_sends_the_file_over_the_other_connection() {
        let (mut server, mut test_host) = (Initiator::new(&config()), TestHost::with_room(9999));
        server.on_stream(Socket(0), OPEN, &mut test_host);
        assert_eq!(test_host.written, bytes(GREETING));
        for exchange in LOGIN.iter().chain([&PASSIVE]) {
            (test_host.arrived, test_host.written) = (bytes(exchange.command), 0);
            server.on_stream(Socket(0), QUIET, &mut test_host);
            assert_eq!(test_host.written, bytes(exchange.reply));
        }
        server.on_stream(Socket(1), OPEN, &mut test_host);
        (test_host.arrived, test_host.written) = (bytes(RETRIEVE.command), 0);
        server.on_stream(Socket(0), QUIET, &mut test_host);
        assert_eq!(
            test_host.written,
            bytes(RETRIEVE.reply) + 5000 + bytes(COMPLETE)
        );
        assert!(test_host.closed);
    }
}
