//! Waiting for descriptors to be ready: poll and epoll.

use units::{Duration, Time};

use super::call::{Result, argument, unsupported};
use super::{Descriptor, Host, Wait};
use crate::ast::{Call, Expression};
use crate::machine::Reply;
use crate::symbols::{self, Errno};
use crate::value::value;

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
        Ok(self.wait_for_events(watched, value(argument(call, 2)?)?))
    }

    fn wait_for_events(&mut self, watched: Vec<(i64, i64)>, timeout_ms: i64) -> Reply {
        let until = match u64::try_from(timeout_ms) {
            Ok(timeout) => self.now + Duration::from_millis(timeout.min(u64::from(u32::MAX))),
            Err(_) => Time::NEVER,
        };
        self.wait_or(Wait::Poll { watched, until }, Errno::AGAIN, true)
    }

    pub(super) fn epoll_ctl(&mut self, call: &Call) -> Result<Reply> {
        let instance = value(argument(call, 0)?)?;
        let operation = value(argument(call, 1)?)?;
        let descriptor = value(argument(call, 2)?)?;
        let Some(Descriptor::Epoll(watched)) = self.descriptors.get_mut(&instance) else {
            return Ok(Reply::Error(Errno::BAD_DESCRIPTOR));
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
            return Ok(Reply::Error(Errno::BAD_DESCRIPTOR));
        };
        let watched = watched.clone();
        Ok(self.wait_for_events(watched, value(argument(call, 3)?)?))
    }
}

/// EPOLL_CTL_DEL
const DELETE: i64 = 2;
