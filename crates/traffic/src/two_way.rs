//! Two-way transfer: both ends of one connection send as much as they can.

use units::declaration::{Declared, Metric};

use crate::{About, App, Net, Report, Socket, SocketEvents, Transport};

units::declare! {
    /// One TCP connection over which both ends send as much as they can.
    pub struct Config = "two-way" {
        /// bytes that each end sends; absent: until the run ends
        bytes: Option<u64> = Field::size().positive().optional().from("no end"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Tcp,
    answers: true,
    records: false,
    metrics: &[Declared {
        metric: Metric {
            name: "bytes_back",
            label: "Bytes back",
            unit: "bytes",
            about: "application bytes that the end read which opened the connection",
        },
        value: |of| Some(of.initiator[0] as f64),
    }],
};

/// An end that writes and reads; it opens the connection if it `OPENS`.
#[derive(Clone, Debug)]
pub struct TwoWayEnd<const OPENS: bool> {
    /// Bytes still to be written; `None` for a source that never ends.
    left: Option<u64>,
    read: [u64; 1],
}

/// The end that opens the connection.
pub type Initiator = TwoWayEnd<true>;
/// The end that accepts it.
pub type Responder = TwoWayEnd<false>;

impl<const OPENS: bool> TwoWayEnd<OPENS> {
    /// An end that has not started.
    pub fn new(config: &Config) -> Self {
        TwoWayEnd {
            left: config.bytes,
            read: [0],
        }
    }
}

impl<const OPENS: bool> App for TwoWayEnd<OPENS> {
    fn on_start(&mut self, net: &mut impl Net) {
        if OPENS {
            net.connect();
        }
    }

    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        let bytes = net.read(socket);
        self.read[0] += bytes;
        if !OPENS {
            net.report(Report::Delivered(bytes));
        }
        match &mut self.left {
            Some(0) => {}
            None => {
                net.write(socket, u64::MAX);
            }
            Some(left) => {
                *left -= net.write(socket, *left);
                if *left == 0 {
                    net.close(socket);
                }
            }
        }
        // An endless source ends with the other one.
        if news.peer_closed && self.left.is_none() {
            net.close(socket);
        }
    }

    fn counts(&self) -> &[u64] {
        &self.read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::TestHost;

    #[test]
    fn each_end_sends_its_bytes_and_reads_the_others() {
        let mut end = Responder::new(&Config { bytes: Some(150) });
        let mut test_host = TestHost::with_room(100);
        test_host.arrived = 70;
        end.on_stream(Socket(0), SocketEvents::default(), &mut test_host);
        assert_eq!((test_host.written, test_host.closed), (100, false));
        assert_eq!(test_host.reports, [Report::Delivered(70)]);
        let closed = SocketEvents {
            peer_closed: true,
            ..SocketEvents::default()
        };
        end.on_stream(Socket(0), closed, &mut test_host);
        assert!(!test_host.closed, "it has something to send yet");
        test_host.room = 100;
        end.on_stream(Socket(0), SocketEvents::default(), &mut test_host);
        assert_eq!((test_host.written, test_host.closed), (150, true));
    }
}
