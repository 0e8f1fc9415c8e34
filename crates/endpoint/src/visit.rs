//! A visit: an endpoint for one test, whose console began it here, through ssh or by hand. It keeps no
//! file, and ends when its console closes its standard input.

use std::io::{self, BufRead as _, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::ceilings::Ceilings;
use crate::command::FIRST_PORT;
use crate::confined::confine;
use crate::identity::{self, Identity};
use crate::message::FLOWS;
use crate::server::EndpointServer;

/// Ports that are tried, each with those behind it.
const TRIES: u16 = 16;
/// What its owner, who began it, need not be kept from.
const BITS_PER_SECOND: u64 = 1_000_000_000_000;
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// The line behind the last peer.
const LAST: &str = ".";
/// The variable in which sshd tells both addresses of a connection (ssh(1)).
const CONNECTION: &str = "SSH_CONNECTION";

/// Listens at this machine's address towards the console, says so on standard output in one line of
/// JSON, reads its peers from standard input, and serves until that is closed.
///
/// # Errors
/// When there is no address, no port, or what is read is no list of peers.
pub(crate) fn run(own: Option<IpAddr>) -> Result<(), String> {
    let (own, console) = addresses(own)?;
    let listener = listening(own).map_err(|error| format!("{own}: {error}"))?;
    let identity = Identity::new().map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let told = json!({
        "address": address, "key": identity.key.to_string(), "console": console,
    });
    println!("{told}");
    io::stdout().flush().map_err(|error| error.to_string())?;
    let known = identity::known(&read_list()?)?;
    let ceilings = Ceilings::new(BITS_PER_SECOND, LONGEST);
    let server = EndpointServer::at(listener, &identity, known, ceilings);
    let server = server.map_err(|error| error.to_string())?;
    confine()?;
    thread::spawn(end_with_input);
    server.serve();
    Ok(())
}

/// This machine's address, and the console's as this machine sees it.
fn addresses(own: Option<IpAddr>) -> Result<(IpAddr, Option<IpAddr>), String> {
    let told = std::env::var(CONNECTION).unwrap_or_default();
    let words: Vec<&str> = told.split(' ').collect();
    let [console, _, here, _] = words[..] else {
        let own = own.ok_or("without ssh, an address is wanted: visit ADDRESS")?;
        return Ok((own, None));
    };
    let read = |text: &str| {
        text.parse()
            .map_err(|_| format!("{CONNECTION}: \"{}\" is no address", text.escape_default()))
    };
    Ok((own.map_or_else(|| read(here), Ok)?, Some(read(console)?)))
}

fn listening(own: IpAddr) -> io::Result<TcpListener> {
    let mut tried = Err(io::ErrorKind::AddrInUse.into());
    for block in 0..TRIES {
        let port = FIRST_PORT + block * (1 + u16::from(FLOWS));
        tried = TcpListener::bind(SocketAddr::new(own, port));
        if tried.is_ok() {
            break;
        }
    }
    tried
}

fn read_list() -> Result<String, String> {
    let mut list = String::new();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        if line == LAST {
            return Ok(list);
        }
        list += &line;
        list.push('\n');
    }
    Err("the console is gone".to_owned())
}

/// Ends the process when nobody is at the other end of standard input any more.
fn end_with_input() {
    let mut byte = [0];
    while io::stdin().read(&mut byte).is_ok_and(|length| length > 0) {}
    std::process::exit(0);
}
