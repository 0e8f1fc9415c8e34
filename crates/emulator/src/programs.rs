//! The process that all programs of an emulation descend from.
//!
//! It is the first of a namespace of processes: when it ends, the kernel ends every program in it,
//! daemons included. It ends when the emulator does. The emulator asks it by messages to start
//! programs, and is told when they have ended.

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;

use os::message::MessageChannel;
use os::namespace::{leave_mounts, mount, show_at, unmount};
use os::poll::Poll;
use os::process::{self, Program};
use serde::{Deserialize, Serialize};

/// Message of the emulator to the first process.
#[derive(Debug, Serialize, Deserialize)]
pub enum ProcessRequest {
    /// Start a program; beside it come its network, and its standard input, output and error.
    Start(Start),
    /// Send a signal to a program, by its number, and to those of its group.
    Signal(i32, i32),
    /// Send a signal to every program.
    SignalAll(i32),
}

/// A program that is to be started.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Its name or path, and its arguments.
    pub arguments: Vec<String>,
    /// Variables of its environment.
    pub environment: Vec<(String, String)>,
    /// The folder that it begins in.
    pub folder: String,
    /// True if its standard input is a terminal of its own.
    pub has_terminal: bool,
}

/// Message of the first process to the emulator. Answers to [`ProcessRequest::Start`] come in its order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Tell {
    /// A program runs, by its number.
    Started(i32),
    /// A program could not be started, and why.
    NotStarted(String),
    /// A program has ended, by its number; with its status as a shell tells it.
    Ended(i32, i32),
}

/// Starts the first process; answers its number and the channel to it.
///
/// To be called before this process has a second thread.
///
/// # Errors
/// When the system does not allow it.
pub fn start_first(names: &[(String, Ipv4Addr)]) -> io::Result<(i32, MessageChannel)> {
    let (ours, theirs) = MessageChannel::pair()?;
    let hosts = hosts(names);
    let ours_number = ours.as_fd();
    let first = process::start_first(|| {
        process::close(ours_number);
        match settle(&hosts).and_then(|()| serve(&theirs)) {
            Err(error) if !is_hung_up(&error) => eprintln!("anechoic: programs: {error}"),
            _ => {}
        }
    })?;
    Ok((first, ours))
}

/// Returns whether an error says that the emulator is gone: it need not have heard all before.
fn is_hung_up(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset};
    matches!(error.kind(), BrokenPipe | ConnectionReset)
}

/// Gives the process mounts of its own: its own processes below /proc, the nodes' names in
/// /etc/hosts.
fn settle(hosts: &str) -> io::Result<()> {
    const ASIDE: &str = "/mnt";
    const HOSTS: &str = "/etc/hosts";
    leave_mounts()?;
    mount("proc", "/proc")?;
    mount("tmpfs", ASIDE)?;
    let file = format!("{ASIDE}/hosts");
    std::fs::write(&file, hosts)?;
    show_at(&file, HOSTS)?;
    unmount(ASIDE)
}

fn hosts(names: &[(String, Ipv4Addr)]) -> String {
    let lines = names
        .iter()
        .map(|(name, address)| format!("{address}\t{name}\n"));
    std::iter::once("127.0.0.1\tlocalhost\n".into())
        .chain(lines)
        .collect()
}

/// Serves the emulator until it is gone.
fn serve(emulator: &MessageChannel) -> io::Result<()> {
    const EMULATOR: u64 = 0;
    const CHILDREN: u64 = 1;
    let children = process::signals(&[process::CHILD_ENDED])?;
    let mut poll = Poll::new(2)?;
    poll.add(emulator, EMULATOR)?;
    poll.add(&children, CHILDREN)?;
    loop {
        let ready: Vec<u64> = poll.wait(u64::MAX / 2)?.collect();
        if ready.contains(&CHILDREN) {
            while process::next_signal(&children).is_some() {}
            while let Some((program, status)) = process::ended() {
                let code = (status.code()).unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
                tell(emulator, &Tell::Ended(program, code))?;
            }
        }
        if ready.contains(&EMULATOR) {
            let Some(message) = emulator.receive()? else {
                return Ok(());
            };
            match serde_json::from_slice(&message.bytes) {
                Ok(ProcessRequest::Start(start)) => {
                    tell(emulator, &started(start, message.descriptors))?;
                }
                Ok(ProcessRequest::Signal(program, number)) => {
                    process::signal(program, number);
                }
                Ok(ProcessRequest::SignalAll(number)) => process::signal_all(number),
                Err(error) => eprintln!("anechoic: programs: {error}"),
            }
        }
    }
}

fn started(start: Start, descriptors: Vec<OwnedFd>) -> Tell {
    let name = start.arguments.first().cloned().unwrap_or_default();
    let Ok([network, input, output, errors]) = <[OwnedFd; 4]>::try_from(descriptors) else {
        return Tell::NotStarted(format!("{name}: its descriptors did not come"));
    };
    let program = Program {
        arguments: start.arguments,
        environment: start.environment,
        folder: start.folder,
        network,
        standard: [input, output, errors],
        has_terminal: start.has_terminal,
    };
    match process::start(program) {
        Ok(number) => Tell::Started(number),
        Err(error) => Tell::NotStarted(format!("{name}: {error}")),
    }
}

fn tell(emulator: &MessageChannel, what: &Tell) -> io::Result<()> {
    let text = serde_json::to_vec(what).map_err(io::Error::other)?;
    emulator.send(&text, &[])
}

/// Asks the first process for something.
///
/// # Errors
/// When it is gone.
pub fn ask(
    first: &MessageChannel,
    what: &ProcessRequest,
    beside: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let text = serde_json::to_vec(what).map_err(io::Error::other)?;
    first.send(&text, beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_by_their_names() {
        let names = [("server".to_owned(), Ipv4Addr::new(10, 0, 0, 1))];
        assert_eq!(hosts(&names), "127.0.0.1\tlocalhost\n10.0.0.1\tserver\n");
    }
}
