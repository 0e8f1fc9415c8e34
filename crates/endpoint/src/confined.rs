//! What an endpoint gives up before it hears anybody: all files (landlock(7)), all capabilities
//! (capabilities(7)), and the calls of the system that it has no use for (seccomp(2)).

use landlock::{ABI, Access as _, AccessFs, Ruleset, RulesetAttr as _, RulesetStatus};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use crate::permitted;

/// What this kernel has not taken from an endpoint, since it does not know how.
pub(crate) type UnsupportedConfinement = Vec<&'static str>;

/// Gives all that up for this thread and those that it begins, for good. What is open stays open.
///
/// # Errors
/// When a kernel that could, will not.
pub(crate) fn confine() -> Result<UnsupportedConfinement, String> {
    let mut left = Vec::new();
    if !close_files()? {
        left.push("files stay open to the endpoint: this kernel has no Landlock");
    }
    drop_capabilities()?;
    if !permitted::permit_only()? {
        left.push("all system calls stay open to the endpoint: no seccomp here");
    }
    Ok(left)
}

/// Tells whether the kernel does so.
fn close_files() -> Result<bool, String> {
    let told = |error: landlock::RulesetError| format!("Landlock: {error}");
    let rules = Ruleset::default().handle_access(AccessFs::from_all(ABI::V5));
    let rules = rules.and_then(Ruleset::create).map_err(told)?;
    let confined = rules.restrict_self().map_err(told)?;
    Ok(confined.ruleset != RulesetStatus::NotEnforced)
}

fn drop_capabilities() -> Result<(), String> {
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(|error| format!("capabilities: {error}"))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::process::Command;
    use std::thread;

    use rustix::thread::capabilities;

    use super::*;

    /// Whether something can be done in a thread that a confined one has begun.
    fn confined<T: Send + 'static>(done: fn() -> T) -> (UnsupportedConfinement, T) {
        let confined = thread::spawn(move || {
            let left = confine().unwrap();
            (left, thread::spawn(done).join().unwrap())
        });
        confined.join().unwrap()
    }

    #[test]
    fn files_no_thread_of_a_confined_endpoint_opens_one() {
        let (left, opened) = confined(|| File::open("/etc/passwd").is_ok());
        assert!(!opened || left.len() == 2);
        assert!(
            File::open("/etc/passwd").is_ok(),
            "this thread is another one's"
        );
    }

    #[test]
    fn commands_a_confined_endpoint_begins_no_program() {
        let (left, error) = confined(|| Command::new("/bin/true").spawn().err());
        let why = error.map(|error| error.kind());
        assert!(
            why == Some(std::io::ErrorKind::PermissionDenied) || !left.is_empty(),
            "{why:?}"
        );
    }

    #[test]
    fn a_confined_endpoint_has_no_capability() {
        let (_, held) = confined(|| capabilities(None).map(|sets| sets.permitted));
        // Who may not even ask has none that matters.
        assert!(held.map_or(true, |held| held.is_empty()));
    }

    #[test]
    fn a_confined_endpoint_reaches_networks_and_no_other_program_of_its_machine() {
        let (left, reached) = confined(|| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            listener.accept().unwrap();
            stream.try_clone().unwrap().set_nodelay(true).unwrap();
            UdpSocket::bind("[::1]:0").unwrap();
            UnixStream::pair().is_ok()
        });
        assert!(!reached || !left.is_empty());
    }
}
