//! Calls that may wait are made on a thread of their own.

use std::io::{self, Write as _};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use script::{CallReply, CallTrouble};

/// A call that is being made.
#[derive(Debug)]
pub(crate) struct Worker {
    reply: Receiver<Result<CallReply, CallTrouble>>,
    /// Readable once there is a reply.
    alarm: UnixStream,
}

impl Worker {
    /// Begins to make `call`.
    pub fn start(
        call: impl FnOnce() -> Result<CallReply, CallTrouble> + Send + 'static,
    ) -> io::Result<Worker> {
        let (sender, reply) = channel();
        let (alarm, mut bell) = UnixStream::pair()?;
        thread::Builder::new().spawn(move || {
            // Nobody listens any more where the script has ended before the call.
            let _ = sender.send(call());
            let _ = bell.write_all(&[1]);
        })?;
        Ok(Worker { reply, alarm })
    }

    /// The reply, if there is one within `patience`.
    pub fn reply(&self, patience: Duration) -> Option<Result<CallReply, CallTrouble>> {
        match self.reply.recv_timeout(patience) {
            Ok(reply) => Some(reply),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Err(CallTrouble::Wrong("the call has failed".to_owned())))
            }
        }
    }

    pub fn descriptor(&self) -> RawFd {
        self.alarm.as_raw_fd()
    }
}
