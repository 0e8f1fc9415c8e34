//! The end that reads whatever comes.

use crate::{App, Net, ReceivedDatagram, Report, Socket, SocketEvents};

/// Reads, and closes when the peer has; what it reads has been delivered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reader;

impl Reader {
    /// A reader, whatever the application's other end does.
    pub fn new<C>(_config: &C) -> Self {
        Reader
    }
}

impl App for Reader {
    #[inline]
    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        let bytes = net.read(socket);
        net.report(Report::Delivered(bytes));
        if news.peer_closed {
            net.close(socket);
        }
    }

    #[inline]
    fn on_datagram(&mut self, datagram: ReceivedDatagram, net: &mut impl Net) {
        net.report(Report::Delivered(u64::from(datagram.payload)));
    }
}
