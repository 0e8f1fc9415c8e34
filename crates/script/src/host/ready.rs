//! Waiting for descriptors to be ready: poll and epoll.

use units::{Duration, Time};

use super::call::{Result, argument, unsupported, value, wrong};
use super::{Descriptor, Host, Reply, Wait};
use crate::ast::{Call, Expression};
use crate::symbols::{self, Errno};

impl Host {
    pub(super) fn poll(&mut self, call: &Call) -> Result<Reply> {
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
        let reply = self.wait_for_events(watched, value(argument(call, 2)?)?);
        if let Reply::Ready(ready) = &reply {
            check_revents(entries, ready)?;
        }
        Ok(reply)
    }

    fn wait_for_events(&mut self, watched: Vec<(i64, i64)>, timeout_ms: i64) -> Reply {
        let until = match u64::try_from(timeout_ms) {
            Ok(timeout) => self.now + Duration::from_millis(timeout.min(u64::from(u32::MAX))),
            Err(_) => Time::NEVER,
        };
        self.wait_or(Wait::Poll { watched, until }, Errno::Again, true)
    }

    pub(super) fn epoll_ctl(&mut self, call: &Call) -> Result<Reply> {
        let instance = value(argument(call, 0)?)?;
        let operation = value(argument(call, 1)?)?;
        let descriptor = value(argument(call, 2)?)?;
        let Some(Descriptor::Epoll(watched)) = self.descriptors.get_mut(&instance) else {
            return Ok(Reply::Error(Errno::BadDescriptor));
        };
        watched.retain(|entry| entry.0 != descriptor);
        if operation != DELETE {
            let events = argument(call, 3)?.field("events");
            let events = events.map_or(Ok(0), value)?;
            if events & symbols::EPOLLET != 0 {
                return unsupported("edge-triggered epoll");
            }
            watched.push((descriptor, events));
        }
        Ok(Reply::Value(0))
    }

    pub(super) fn epoll_wait(&mut self, call: &Call) -> Result<Reply> {
        let instance = value(argument(call, 0)?)?;
        let Some(Descriptor::Epoll(watched)) = self.descriptors.get(&instance) else {
            return Ok(Reply::Error(Errno::BadDescriptor));
        };
        let watched = watched.clone();
        let reply = self.wait_for_events(watched, value(argument(call, 3)?)?);
        if let (Reply::Ready(ready), Some(events)) = (&reply, argument(call, 1)?.field("events")) {
            let seen = ready.first().map_or(0, |entry| entry.1);
            let expected = value(events)?;
            if expected != seen {
                return wrong(format!("events: expected {expected:#x}, seen {seen:#x}"));
            }
        }
        Ok(reply)
    }
}

/// EPOLL_CTL_DEL
const DELETE: i64 = 2;

fn check_revents(entries: &[Expression], ready: &[(i64, i64)]) -> Result<()> {
    for entry in entries {
        let (Some(descriptor), Some(revents)) = (entry.field("fd"), entry.field("revents")) else {
            continue;
        };
        let (descriptor, expected) = (value(descriptor)?, value(revents)?);
        let seen = ready
            .iter()
            .find(|ready| ready.0 == descriptor)
            .map_or(0, |ready| ready.1);
        if expected != seen {
            return wrong(format!("revents: expected {expected:#x}, seen {seen:#x}"));
        }
    }
    Ok(())
}
