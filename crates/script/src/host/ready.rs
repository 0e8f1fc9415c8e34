//! Waiting for descriptors to be ready: poll and epoll.

use units::{Duration, Time};

use super::call::{Result, argument, unsupported};
use super::{Descriptor, Host, SocketRole, Wait};
use crate::ast::{Call, Expression};
use crate::machine::CallReply;
use crate::symbols::{self, Errno, POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT};
use crate::symbols::{POLLRDHUP, POLLRDNORM, POLLWRNORM};
use crate::value::value;

/// A descriptor that an epoll instance watches.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    descriptor: i64,
    events: i64,
    /// Its datum in the answer.
    datum: i64,
    /// Number of events when it was last reported; edge-triggered ones wait for
    /// the next.
    seen: Option<u64>,
    /// EPOLLONESHOT has been used up.
    is_spent: bool,
}

impl Host {
    pub(super) fn poll(&mut self, call: &Call) -> Result<CallReply> {
        let Expression::Array(entries) = argument(call, 0)? else {
            return unsupported("poll() without a list");
        };
        let mut watched = Vec::new();
        for entry in entries {
            match (entry.field("fd"), entry.field("events")) {
                (Some(descriptor), Some(events)) => {
                    watched.push((value(descriptor)?, value(events)?));
                }
                _ => return unsupported("poll() of an entry without fd and events"),
            }
        }
        let until = self.end_of(value(argument(call, 2)?)?);
        Ok(self.wait_or(Wait::Poll { watched, until }, Errno::AGAIN, true))
    }

    fn end_of(&self, timeout_ms: i64) -> Time {
        match u64::try_from(timeout_ms) {
            Ok(timeout) => self.now + Duration::from_millis(timeout.min(u64::from(u32::MAX))),
            Err(_) => Time::NEVER,
        }
    }

    pub(super) fn epoll_ctl(&mut self, call: &Call) -> Result<CallReply> {
        let instance = value(argument(call, 0)?)?;
        let operation = value(argument(call, 1)?)?;
        let descriptor = value(argument(call, 2)?)?;
        let Some(Descriptor::Epoll(epoll)) = self.descriptors.get(&instance) else {
            return Ok(CallReply::Error(Errno::BAD_DESCRIPTOR));
        };
        let epoll = *epoll;
        if !self.descriptors.contains_key(&descriptor) {
            return Ok(CallReply::Error(Errno::BAD_DESCRIPTOR));
        }
        let watched = &mut self.epolls[epoll];
        let known = watched.iter().position(|w| w.descriptor == descriptor);
        match (operation, known) {
            (ADD, Some(_)) => return Ok(CallReply::Error(EXISTS)),
            (ADD, None) => {}
            (_, None) => return Ok(CallReply::Error(NO_ENTRY)),
            (_, Some(known)) => drop(watched.remove(known)),
        }
        if operation != DELETE {
            let watch = watch(descriptor, argument(call, 3)?.first())?;
            self.epolls[epoll].push(watch);
        }
        Ok(CallReply::Value(0))
    }

    pub(super) fn epoll_wait(&mut self, call: &Call) -> Result<CallReply> {
        let instance = value(argument(call, 0)?)?;
        let Some(Descriptor::Epoll(epoll)) = self.descriptors.get(&instance) else {
            return Ok(CallReply::Error(Errno::BAD_DESCRIPTOR));
        };
        let (epoll, most) = (*epoll, value(argument(call, 2)?)?);
        let Ok(most @ 1..) = usize::try_from(most) else {
            return Ok(CallReply::Error(Errno::INVALID));
        };
        let until = self.end_of(value(argument(call, 3)?)?);
        Ok(self.wait_or(Wait::Epoll { epoll, most, until }, Errno::AGAIN, true))
    }

    /// The descriptors of a `poll` that are ready, with their events.
    pub(super) fn ready(&self, watched: &[(i64, i64)]) -> Vec<(i64, i64)> {
        let events = |&(descriptor, wanted): &(i64, i64)| {
            let events = self.events(descriptor) & (wanted | POLLERR | POLLHUP | POLLNVAL);
            (descriptor, events)
        };
        watched
            .iter()
            .map(events)
            .filter(|ready| ready.1 != 0)
            .collect()
    }

    /// Returns what an epoll instance reports, at most so many, and notes that it has.
    pub(super) fn report(&mut self, epoll: usize, most: usize) -> Vec<(i64, i64)> {
        let mut reported = Vec::new();
        for index in 0..self.epolls[epoll].len() {
            let watch = &self.epolls[epoll][index];
            let happened = self.happenings(watch.descriptor);
            let wanted = watch.events | POLLERR | POLLHUP;
            let events = self.events(watch.descriptor) & wanted & !symbols::EPOLLET;
            let is_edge = watch.events & symbols::EPOLLET != 0;
            let is_news = !is_edge || watch.seen != Some(happened);
            if reported.len() == most || events == 0 || watch.is_spent || !is_news {
                continue;
            }
            reported.push((watch.datum, events));
            let watch = &mut self.epolls[epoll][index];
            watch.seen = Some(happened);
            watch.is_spent = watch.events & symbols::EPOLLONESHOT != 0;
        }
        reported
    }

    /// Returns how often something has happened that wakes those who wait for a descriptor.
    fn happenings(&self, descriptor: i64) -> u64 {
        let Some(Descriptor::Socket(socket)) = self.descriptors.get(&descriptor) else {
            return 0;
        };
        let of = |socket: &usize| match self.sockets[*socket].role {
            // sk_error_report: news in the queue of errors wakes, too.
            SocketRole::Stream(flow) => self.flows[flow].happenings + self.flows[flow].stamps.told,
            _ => {
                let pending = self.flows.iter().filter(|f| f.listener == Some(*socket));
                pending.map(|flow| flow.happenings).sum()
            }
        };
        of(socket)
    }

    /// Returns what Linux's tcp_poll says of a socket.
    fn events(&self, descriptor: i64) -> i64 {
        let index = match self.descriptors.get(&descriptor) {
            Some(Descriptor::Socket(index)) => *index,
            Some(_) => return 0,
            None if descriptor < 0 => return 0,
            None => return POLLNVAL,
        };
        let socket = &self.sockets[index];
        let flow = match socket.role {
            SocketRole::Listener if self.acceptable(index).is_some() => return READABLE,
            SocketRole::Listener | SocketRole::Closed => return 0,
            // tcp_poll: a SYN that was put off waits for data.
            SocketRole::Unconnected if socket.fast_open.is_put_off => return WRITABLE,
            SocketRole::Unconnected => return WRITABLE | POLLHUP,
            SocketRole::Stream(flow) => &self.flows[flow],
        };
        let reads_end = flow.is_peer_closed || flow.is_over || socket.is_read_shut;
        let writes_end = flow.is_over || socket.is_write_shut;
        let is_open = flow.is_established || flow.is_over;
        let can_write = is_open && (writes_end || flow.connection.is_writable());
        let both = flow.is_over || reads_end && writes_end;
        let can_read = flow.connection.readable() >= socket.receive_low_water;
        [
            (is_open && (can_read || reads_end), READABLE),
            (is_open && reads_end, POLLRDHUP),
            (can_write, WRITABLE),
            (both, POLLHUP),
            (
                socket.error.is_some() || !flow.stamps.reports.is_empty(),
                POLLERR,
            ),
        ]
        .into_iter()
        .filter(|(holds, _)| *holds)
        .fold(0, |events, (_, event)| events | event)
    }
}

fn watch(descriptor: i64, event: &Expression) -> Result<Watch> {
    let field = |name: &str| event.field(name).map(value).transpose();
    let mut datum = 0;
    for name in ["fd", "ptr", "u32", "u64"] {
        datum = field(name)?.unwrap_or(datum);
    }
    Ok(Watch {
        descriptor,
        events: field("events")?.unwrap_or(0),
        datum,
        seen: None,
        is_spent: false,
    })
}

/// Events that Linux reports together.
const READABLE: i64 = POLLIN | POLLRDNORM;
const WRITABLE: i64 = POLLOUT | POLLWRNORM;
/// EPOLL_CTL_ADD, EPOLL_CTL_DEL.
const ADD: i64 = 1;
const DELETE: i64 = 2;
const NO_ENTRY: Errno = Errno(2);
const EXISTS: Errno = Errno(17);
