//! Waiting for descriptors to the nanosecond.

#![expect(unsafe_code, reason = "rustix waits in milliseconds on older kernels")]

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};

use crate::clock::timespec;

/// Descriptors that are waited for together (epoll(7)), each with a number of its owner's choice.
#[derive(Debug)]
pub struct Poll {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
}

impl Poll {
    /// One that takes up to `batch` ready descriptors at a time.
    ///
    /// # Errors
    /// When the system has no descriptor left.
    pub fn new(batch: usize) -> io::Result<Poll> {
        Ok(Poll {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            events: vec![libc::epoll_event { events: 0, u64: 0 }; batch],
        })
    }

    /// Waits from now on for `descriptor` to be readable as well.
    ///
    /// # Errors
    /// When the descriptor cannot be waited for.
    pub fn add(&self, descriptor: impl AsFd, number: u64) -> io::Result<()> {
        let data = EventData::new_u64(number);
        Ok(epoll::add(&self.epoll, descriptor, data, EventFlags::IN)?)
    }

    /// Waits no longer for `descriptor`.
    ///
    /// # Errors
    /// When it was not waited for.
    pub fn remove(&self, descriptor: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, descriptor)?)
    }

    /// Waits until a descriptor is ready, or for `nanos` at most; answers the numbers of those
    /// that are. Descriptors that were closed at their other end are ready.
    ///
    /// # Errors
    /// When the system refuses to wait (epoll_pwait2 came with Linux 5.11).
    pub fn wait(&mut self, nanos: u64) -> io::Result<impl Iterator<Item = u64>> {
        let time = timespec(nanos);
        let time = libc::timespec {
            tv_sec: time.tv_sec,
            tv_nsec: time.tv_nsec as libc::c_long,
        };
        // SAFETY: `events` has as many elements as is said; both outlive the call.
        let ready = unsafe {
            libc::epoll_pwait2(
                self.epoll.as_raw_fd(),
                self.events.as_mut_ptr(),
                self.events.len() as libc::c_int,
                &raw const time,
                std::ptr::null(),
            )
        };
        let ready = match ready {
            -1 => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => 0,
                error => return Err(error),
            },
            ready => ready as usize,
        };
        Ok(self.events[..ready].iter().map(|event| event.u64))
    }
}

/// Waits until one of the descriptors can be read, or for `time` at most; answers how many can.
///
/// # Errors
/// When one is none, or a signal comes.
pub fn await_readable(descriptors: &[RawFd], time: Duration) -> io::Result<usize> {
    let entry = |&fd: &RawFd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    };
    let mut entries: Vec<_> = descriptors.iter().map(entry).collect();
    let timeout = libc::timespec {
        tv_sec: time.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(time.subsec_nanos() as i32),
    };
    // SAFETY: `entries` has as many elements as is said, and both outlive the call.
    let ready = unsafe {
        libc::ppoll(
            entries.as_mut_ptr(),
            entries.len() as libc::nfds_t,
            &raw const timeout,
            std::ptr::null(),
        )
    };
    usize::try_from(ready).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn the_descriptors_that_have_something_to_read_are_told_by_their_numbers() {
        let mut poll = Poll::new(8).unwrap();
        let pairs: Vec<_> = (0..3).map(|_| UnixStream::pair().unwrap()).collect();
        for (number, (ours, _)) in (0..).zip(&pairs) {
            poll.add(ours, number).unwrap();
        }
        assert_eq!(poll.wait(0).unwrap().count(), 0);
        (&pairs[1].1).write_all(b"x").unwrap();
        assert_eq!(poll.wait(1_000_000_000).unwrap().collect::<Vec<_>>(), [1]);
        poll.remove(&pairs[1].0).unwrap();
        assert_eq!(poll.wait(0).unwrap().count(), 0);
    }
}
