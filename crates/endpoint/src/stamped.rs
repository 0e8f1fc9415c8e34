//! The end of a flow whose other one is a STAMP reflector: test packets at an interval, and how long
//! each was on its way there and back, by this machine's kernel and less the time for which the
//! reflector had it.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use os::clock::{monotonic_ns, realtime_ns};
use os::datagram_stamps::{self, Came};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::flow::{Begin, nothing};
use crate::marking::Dscp;
use crate::message::{Join, Measured};
use crate::stamp::{self, PacketStamp};

/// The longest wait, so that a flow is stopped soon.
const STOPPING: Duration = Duration::from_millis(20);
/// Packets whose answers are awaited, at most; the oldest is given up.
const AWAITED: usize = 4096;
/// Round trips that are kept, at most.
const MOST_TRIPS: usize = 60_000;
/// Bytes of headers that count against the owner's ceiling as those of a payload do.
const BYTES: u64 = stamp::PACKET as u64;

/// The time between two packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketInterval(pub units::Duration);

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
struct StampedPacket {
    /// What it says of when it left.
    told: PacketStamp,
    /// When it left by the kernel.
    at_ns: Option<u64>,
    /// When its answer came, and how long the reflector had it.
    answer: Option<(u64, i64)>,
}

/// Packets to a reflector.
#[derive(Debug)]
pub(crate) struct Probes {
    to: SocketAddr,
    dscp: Dscp,
    interval: Duration,
    number: u32,
    /// The number of the packet that the kernel counts as its first.
    counted_from: u32,
    sent: BTreeMap<u32, StampedPacket>,
    /// When each round trip ended, by CLOCK_MONOTONIC, and how long it took.
    trips: Vec<(u64, u64)>,
}

impl Probes {
    /// Packets to an address.
    pub fn to(to: SocketAddr, dscp: Dscp, interval: PacketInterval) -> Probes {
        Probes {
            to,
            dscp,
            interval: Duration::from_nanos(interval.0.as_nanos()),
            number: 0,
            counted_from: 0,
            sent: BTreeMap::new(),
            trips: Vec::new(),
        }
    }

    /// Sends until the flow's time is over or `stop` is set.
    pub fn run(mut self, join: &Join, begin: &Begin, stop: &AtomicBool) -> Measured {
        let failed = self.exchange(join, begin, stop).err();
        let failed = failed.map(|why| format!("STAMP at {}: {why}", self.to));
        let of = |&(at_ns, took_ns): &(u64, u64)| {
            let at_us = at_ns.saturating_sub(begin.at_ns) / 1000;
            (at_us, took_ns as f64 / 1e3)
        };
        Measured {
            round_trips: self.trips.iter().map(of).collect(),
            moved: u64::from(self.number) * BYTES,
            failed,
            ..nothing(join, begin)
        }
    }

    fn exchange(&mut self, join: &Join, begin: &Begin, stop: &AtomicBool) -> io::Result<()> {
        let socket = self.socket()?;
        let at = |millis: u32| begin.at + Duration::from_millis(u64::from(millis));
        let (mut next, end) = (at(join.start_ms), at(join.end_ms));
        while !stop.load(Ordering::Relaxed) && Instant::now() < end {
            if Instant::now() >= next {
                // What the owner's ceiling holds back is not sent later.
                if begin.ceilings.take(Instant::now(), BYTES) == BYTES {
                    self.send(&socket)?;
                }
                next += self.interval;
            }
            let left = next.min(end).saturating_duration_since(Instant::now());
            self.wait(&socket, left.min(STOPPING))?;
        }
        self.take(&socket);
        if self.trips.is_empty() && self.number > 0 {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "no answer"));
        }
        Ok(())
    }

    fn socket(&self) -> io::Result<UdpSocket> {
        let any = match self.to {
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        let socket = UdpSocket::bind(any)?;
        self.dscp.mark(&socket, self.to)?;
        socket.connect(self.to)?;
        socket.set_nonblocking(true)?;
        datagram_stamps::begin(&socket)?;
        Ok(socket)
    }

    fn send(&mut self, socket: &UdpSocket) -> io::Result<()> {
        let told = stamp::stamp(realtime_ns());
        let number = self.number;
        self.number += 1;
        if socket.send(&stamp::request(number, told)).is_err() {
            // Whether the kernel counted it is unknown: it counts anew.
            self.counted_from = self.number;
            return datagram_stamps::begin(socket);
        }
        let (at_ns, answer) = (None, None);
        self.sent.insert(
            number,
            StampedPacket {
                told,
                at_ns,
                answer,
            },
        );
        if self.sent.len() > AWAITED {
            self.sent.pop_first();
        }
        Ok(())
    }

    fn wait(&mut self, socket: &UdpSocket, longest: Duration) -> io::Result<()> {
        let mut waited = [PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN)];
        let longest = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(longest.subsec_nanos()) as _,
        };
        match poll(&mut waited, Some(&longest)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => self.take(socket),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Takes all answers and stamps that there are.
    fn take(&mut self, socket: &UdpSocket) {
        while let Ok(went) = datagram_stamps::sent(socket) {
            let number = self.counted_from.wrapping_add(went.number);
            if let Some(sent) = self.sent.get_mut(&number) {
                sent.at_ns = Some(went.at_ns);
                self.note(number);
            }
        }
        let mut bytes = [0; 1500];
        // An error is what the other machine said of a packet: that nobody listens there.
        while let Ok(came) = datagram_stamps::receive(socket, &mut bytes) {
            self.came(came, &bytes[..came.length]);
        }
    }

    fn came(&mut self, came: Came, bytes: &[u8]) {
        let Some(told) = stamp::answered(bytes) else {
            return;
        };
        let Some(sent) = self.sent.get_mut(&told.number) else {
            return;
        };
        if sent.told == told.sent && sent.answer.is_none() {
            let at_ns = came.at_ns.unwrap_or_else(monotonic_ns);
            sent.answer = Some((at_ns, told.held_ns));
            self.note(told.number);
        }
    }

    /// Notes a round trip once both of its ends are known.
    fn note(&mut self, number: u32) {
        let Some(&StampedPacket {
            at_ns: Some(left),
            answer: Some((came, held)),
            ..
        }) = self.sent.get(&number)
        else {
            return;
        };
        self.sent.remove(&number);
        let took = (came as i64 - left as i64).saturating_sub(held);
        if self.trips.len() < MOST_TRIPS && took >= 0 {
            self.trips.push((came, took as u64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probes() -> Probes {
        let interval = PacketInterval(units::Duration::from_millis(10));
        let mut probes = Probes::to("192.0.2.1:862".parse().unwrap(), Dscp::default(), interval);
        let (told, at_ns, answer) = ([3; 8], Some(1_000_000), None);
        probes.sent.insert(
            0,
            StampedPacket {
                told,
                at_ns,
                answer,
            },
        );
        probes
    }

    fn answer(told: PacketStamp, held_ns: u64) -> [u8; stamp::PACKET] {
        let [came, left] = [0, held_ns].map(|later| stamp::stamp(9_000_000_000 + later));
        stamp::answer(&stamp::request(0, told), 0, came, left, 64).unwrap()
    }

    fn came(at_ns: u64) -> Came {
        let (length, ttl) = (stamp::PACKET, None);
        Came {
            length,
            at_ns: Some(at_ns),
            ttl,
        }
    }

    #[test]
    fn what_the_reflector_took_is_not_counted() {
        let mut probes = probes();
        probes.came(came(1_500_000), &answer([3; 8], 200_000));
        let (at_ns, took_ns) = probes.trips[0];
        assert_eq!(at_ns, 1_500_000);
        assert!((299_990..=300_010).contains(&took_ns), "{took_ns}");
        probes.came(came(1_600_000), &answer([3; 8], 0));
        assert_eq!(probes.trips.len(), 1, "the same answer twice");
    }

    #[test]
    fn spoofing_an_answer_to_what_was_not_sent_counts_for_nothing() {
        let mut probes = probes();
        probes.came(came(1_500_000), &answer([4; 8], 0));
        probes.came(came(1_500_000), &[0; 10]);
        // A reflector that claims to have had it for longer than it was away.
        probes.came(came(1_500_000), &answer([3; 8], 900_000));
        assert!(probes.trips.is_empty());
    }
}
