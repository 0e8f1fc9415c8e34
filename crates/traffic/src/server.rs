//! A server of files: a request comes on a connection, a file goes, and the connection is closed.

use crate::{Net, Socket, SocketEvents};

/// State of a server on each of its connections.
#[derive(Clone, Debug, Default)]
pub struct Server {
    serving: Vec<Serving>,
}

#[derive(Clone, Copy, Debug)]
struct Serving {
    socket: Socket,
    /// Bytes of the request that have not come yet.
    asked: u64,
    /// Bytes of the file that have not been written yet; none before the request is complete.
    left: Option<u64>,
}

impl Server {
    /// Something has happened on a connection. A request has `request` bytes; `file` is asked for
    /// the size of the file once it is complete.
    pub fn on_stream<N: Net>(
        &mut self,
        socket: Socket,
        news: SocketEvents,
        net: &mut N,
        request: u64,
        file: impl FnOnce(&mut N) -> u64,
    ) {
        let at = self.place(socket, request);
        let read = net.read(socket);
        let here = &mut self.serving[at];
        here.asked = here.asked.saturating_sub(read);
        if here.asked == 0 && here.left.is_none() {
            here.left = Some(file(net));
        }
        match &mut here.left {
            Some(left) if *left > 0 => {
                *left -= net.write(socket, *left);
                if *left == 0 {
                    net.close(socket);
                }
            }
            None if news.peer_closed => net.close(socket),
            _ => {}
        }
    }

    /// A connection has ended.
    pub fn on_end(&mut self, socket: Socket) {
        self.serving.retain(|each| each.socket != socket);
    }

    fn place(&mut self, socket: Socket, request: u64) -> usize {
        let known = self.serving.iter().position(|each| each.socket == socket);
        known.unwrap_or_else(|| {
            self.serving.push(Serving {
                socket,
                asked: request,
                left: None,
            });
            self.serving.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::TestHost;

    #[test]
    fn a_file_follows_on_a_whole_request_and_the_end_on_the_file() {
        let (mut server, mut test_host) = (Server::default(), TestHost::with_room(600));
        let mut serve = |test_host: &mut TestHost, arrived| {
            test_host.arrived = arrived;
            server.on_stream(Socket(0), SocketEvents::default(), test_host, 100, |_| 1000);
        };
        serve(&mut test_host, 99);
        assert_eq!(test_host.written, 0);
        serve(&mut test_host, 1);
        assert_eq!((test_host.written, test_host.closed), (600, false));
        test_host.room = 600;
        serve(&mut test_host, 0);
        assert_eq!((test_host.written, test_host.closed), (1000, true));
    }
}
