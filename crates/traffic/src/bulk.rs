//! Bulk transfer: one connection, as fast as it goes.

use crate::{About, App, Net, Socket, SocketEvents, Transport};

units::declare! {
    /// One TCP connection that sends as much as it can.
    pub struct Config = "bulk" {
        /// bytes to send; absent: until the run ends
        bytes: Option<u64> = Field::size().positive().optional().from("no end"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Tcp,
    answers: false,
    records: false,
    metrics: &[],
};

/// The sending end.
#[derive(Clone, Debug)]
pub struct Initiator {
    /// Bytes still to be written; `None` for a source that never ends.
    left: Option<u64>,
    closed: bool,
}

pub use crate::reader::Reader as Responder;

impl Initiator {
    /// A source that has not started.
    pub fn new(config: &Config) -> Self {
        Initiator {
            left: config.bytes,
            closed: false,
        }
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        net.connect();
    }

    #[inline]
    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        match &mut self.left {
            None => {
                net.write(socket, u64::MAX);
            }
            Some(left) => {
                *left -= net.write(socket, *left);
                if *left == 0 && !self.closed {
                    self.closed = true;
                    net.close(socket);
                }
            }
        }
        if news.peer_closed {
            net.close(socket);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::TestHost;

    #[test]
    fn a_limited_source_closes_after_its_last_byte() {
        let mut source = Initiator::new(&Config { bytes: Some(150) });
        let mut test_host = TestHost::with_room(100);
        source.on_start(&mut test_host);
        source.on_stream(Socket(0), SocketEvents::default(), &mut test_host);
        assert_eq!((test_host.written, test_host.closed), (100, false));
        test_host.room = 100;
        source.on_stream(Socket(0), SocketEvents::default(), &mut test_host);
        assert_eq!((test_host.written, test_host.closed), (150, true));
    }

    #[test]
    fn an_endless_source_fills_whatever_room_there_is() {
        let mut source = Initiator::new(&Config { bytes: None });
        let mut test_host = TestHost::with_room(100);
        source.on_stream(Socket(0), SocketEvents::default(), &mut test_host);
        assert_eq!((test_host.written, test_host.closed), (100, false));
    }
}
