//! A reflector of STAMP (RFC 8762, stateless): whoever sends a test packet is answered with one of
//! the same length. Nothing tells who that is, so an owner has to ask for it.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use os::clock::{monotonic_ns, realtime_ns};
use os::datagram_stamps::{self, Came};
use rustix::event::{PollFd, PollFlags, poll};

use crate::stamp;

/// Answers of a second, at most: a line that is measured needs some hundreds.
const MOST: u32 = 5000;
const SECOND: Duration = Duration::from_secs(1);
const LONGEST: usize = 1500;

/// A reflector that listens.
#[derive(Debug)]
pub(crate) struct Reflector {
    socket: UdpSocket,
    /// When the second began in which answers are counted, and how many they are.
    counted: (Instant, u32),
}

impl Reflector {
    /// Listens at an address.
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn bind(own: SocketAddr) -> io::Result<Reflector> {
        let socket = UdpSocket::bind(own)?;
        datagram_stamps::begin(&socket)?;
        if own.is_ipv4() {
            datagram_stamps::tell_ttl(&socket)?;
        }
        socket.set_nonblocking(true)?;
        let counted = (Instant::now(), 0);
        Ok(Reflector { socket, counted })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the system does not say.
    #[cfg(test)]
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Answers, for ever.
    pub fn serve(mut self) {
        loop {
            let mut waited = [PollFd::from_borrowed_fd(self.socket.as_fd(), PollFlags::IN)];
            // Whatever woke it, there is something to take, or it waits again.
            let _ = poll(&mut waited, None);
            while self.answer().is_ok() {}
            while datagram_stamps::sent(&self.socket).is_ok() {}
        }
    }

    /// Answers the next packet.
    fn answer(&mut self) -> io::Result<()> {
        let mut bytes = [0; LONGEST];
        let (_, from) = self.socket.peek_from(&mut bytes[..1])?;
        let came = datagram_stamps::receive(&self.socket, &mut bytes)?;
        if !self.may() {
            return Ok(());
        }
        let [received, now] = [realtime_of(came), realtime_ns()].map(stamp::stamp);
        let asked = &bytes[..came.length];
        // A stateless reflector numbers its answers as the packets were.
        let number = asked
            .first_chunk()
            .map_or(0, |four| u32::from_be_bytes(*four));
        if let Some(answer) = stamp::answer(asked, number, received, now, came.ttl.unwrap_or(0)) {
            // As long as what it answers, with nothing of it behind the packet.
            bytes[..stamp::PACKET].copy_from_slice(&answer);
            bytes[stamp::PACKET..].fill(0);
            // Who cannot be reached gets no answer.
            let _ = self.socket.send_to(&bytes[..came.length], from);
        }
        Ok(())
    }

    fn may(&mut self) -> bool {
        if self.counted.0.elapsed() >= SECOND {
            self.counted = (Instant::now(), 0);
        }
        self.counted.1 += 1;
        self.counted.1 <= MOST
    }
}

/// When a packet came, by CLOCK_REALTIME.
fn realtime_of(came: Came) -> u64 {
    let age = came.at_ns.map_or(0, |at| monotonic_ns().saturating_sub(at));
    realtime_ns() - age
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn reflection_an_answer_is_as_long_as_the_packet_and_has_nothing_else_of_it() {
        let reflector = Reflector::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        sender.connect(reflector.address().unwrap()).unwrap();
        thread::spawn(move || reflector.serve());
        sender.send(&[1; 43]).unwrap();
        let mut asked = [9; 100];
        asked[..stamp::PACKET].copy_from_slice(&stamp::request(5, [7; 8]));
        sender.send(&asked).unwrap();
        let mut heard = [1; 200];
        // What is too short for a packet was not answered.
        assert_eq!(sender.recv(&mut heard).unwrap(), 100);
        let told = stamp::answered(&heard).unwrap();
        assert_eq!((told.number, told.sent), (5, [7; 8]));
        assert_eq!((heard[40], &heard[stamp::PACKET..100]), (64, &[0; 56][..]));
    }

    #[test]
    fn a_reflector_has_a_ceiling_of_its_own() {
        let mut reflector = Reflector::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        reflector.counted = (Instant::now() + SECOND, MOST - 1);
        assert!(reflector.may());
        assert!(!reflector.may());
    }
}
