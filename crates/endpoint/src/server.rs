//! An endpoint: it listens for the consoles that its owner listed.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustls::ServerConfig;

use crate::audit::Audit;
use crate::ceilings::Ceilings;
use crate::channel::{self, Answering};
use crate::identity::{Identity, KnownPeers, Peer, PublicKey};
use crate::message::Answer;
use crate::radio::RadioSockets;
use crate::session::{EndpointHost, Session};

/// Callers at the same time, at most.
const CALLERS: usize = 64;
/// Callers from one address who have not shown who they are, at most.
const UNKNOWN: usize = 8;
/// How long a caller may take to say the next thing: traffic ends with its console.
const PATIENCE: Duration = Duration::from_millis(900);

/// An endpoint that listens.
#[derive(Debug)]
pub struct EndpointServer {
    listener: TcpListener,
    tls: Arc<ServerConfig>,
    consoles: Vec<Peer>,
    host: EndpointHost,
    audit: Audit,
    callers: AtomicUsize,
    unknown: Mutex<BTreeMap<IpAddr, usize>>,
}

impl EndpointServer {
    /// Listens at an address. Those peers who have no address of their own are consoles.
    ///
    /// # Errors
    /// When the address cannot be had, or the identity's key cannot sign.
    pub fn bind(
        own: SocketAddr,
        identity: &Identity,
        known: impl Into<KnownPeers>,
        ceilings: Ceilings,
    ) -> io::Result<EndpointServer> {
        EndpointServer::at(TcpListener::bind(own)?, identity, known, ceilings)
    }

    /// The same, where somebody listens already.
    ///
    /// # Errors
    /// When the identity's key cannot sign.
    pub fn at(
        listener: TcpListener,
        identity: &Identity,
        known: impl Into<KnownPeers>,
        ceilings: Ceilings,
    ) -> io::Result<EndpointServer> {
        let known = known.into();
        let consoles = known.peers.iter().filter(|peer| peer.address.is_none());
        let consoles: Vec<Peer> = consoles.cloned().collect();
        let keys: Vec<PublicKey> = consoles.iter().map(|peer| peer.key).collect();
        Ok(EndpointServer {
            host: EndpointHost {
                own: listener.local_addr()?,
                ceilings: Arc::new(ceilings),
                is_busy: AtomicBool::new(false),
                radios: RadioSockets::open().map(|radios| Arc::new(Mutex::new(radios))),
                known,
            },
            listener,
            tls: channel::meets(identity, keys).map_err(io::Error::other)?,
            consoles,
            audit: Audit::default(),
            callers: AtomicUsize::new(0),
            unknown: Mutex::default(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.host.own
    }

    /// Serves consoles, for ever.
    pub fn serve(&self) {
        thread::scope(|scope| {
            for caller in self.listener.incoming() {
                let Ok(socket) = caller else {
                    // No descriptor is left; one comes back when a caller ends.
                    thread::sleep(PATIENCE);
                    continue;
                };
                // Whoever is turned away has cost no thread.
                match self.admit(&socket) {
                    Ok(admitted) => drop(scope.spawn(move || self.meet(socket, admitted))),
                    Err(error) => self
                        .audit
                        .note("refused", &address(&socket), &error.to_string()),
                }
            }
        });
    }

    fn admit(&self, socket: &TcpStream) -> io::Result<(Caller<'_>, Unknown<'_>)> {
        let unknown = Unknown::from(&self.unknown, socket.peer_addr()?.ip())?;
        Ok((Caller::among(&self.callers)?, unknown))
    }

    fn meet(&self, socket: TcpStream, (_caller, unknown): (Caller<'_>, Unknown<'_>)) {
        let from = address(&socket);
        match self.handshake(socket, unknown) {
            Ok((channel, key)) => {
                let console = self.consoles.iter().find(|console| console.key == key);
                let name = console.map_or("?", |console| &console.name);
                self.audit.note("connected", name, &from);
                let why = self.converse(channel, name);
                self.audit.note("ended", name, &channel::told(&why));
            }
            Err(error) => self.audit.note("refused", &from, &channel::told(&error)),
        }
    }

    fn handshake(
        &self,
        socket: TcpStream,
        _until: Unknown<'_>,
    ) -> io::Result<(Answering, PublicKey)> {
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        socket.set_nodelay(true)?;
        channel::answer(&self.tls, socket)
    }

    /// Answers a console until it is gone; gives the reason.
    fn converse(&self, mut channel: Answering, name: &str) -> io::Error {
        let mut session = Session::new(&self.host);
        loop {
            let ask = match channel::receive(&mut channel, channel::TO_ENDPOINT) {
                Ok(ask) => ask,
                Err(error) => return error,
            };
            let mut answer = session.answer(ask);
            if let Answer::Refused { why } = &answer {
                self.audit.note("refused", name, why);
            }
            if let Err(error) = tell(&mut channel, &mut answer) {
                return error;
            }
        }
    }
}

fn address(socket: &TcpStream) -> String {
    let from = socket.peer_addr();
    from.map_or_else(|_| "?".to_owned(), |from| from.to_string())
}

/// One of those who call at the same time.
struct Caller<'a>(&'a AtomicUsize);

impl<'a> Caller<'a> {
    fn among(callers: &'a AtomicUsize) -> io::Result<Caller<'a>> {
        let caller = Caller(callers);
        if callers.fetch_add(1, Ordering::AcqRel) >= CALLERS {
            return Err(io::Error::other("too many callers"));
        }
        Ok(caller)
    }
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A caller who has not shown who it is.
struct Unknown<'a> {
    from: IpAddr,
    counts: &'a Mutex<BTreeMap<IpAddr, usize>>,
}

impl<'a> Unknown<'a> {
    /// Lets a few in from each address: who has many is to keep nobody else out.
    fn from(counts: &'a Mutex<BTreeMap<IpAddr, usize>>, from: IpAddr) -> io::Result<Unknown<'a>> {
        let mut known = counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = known.entry(from).or_default();
        if *count >= UNKNOWN {
            return Err(io::Error::other("too many callers who show nothing"));
        }
        *count += 1;
        Ok(Unknown { from, counts })
    }
}

impl Drop for Unknown<'_> {
    fn drop(&mut self) {
        let mut known = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = known.get_mut(&self.from) {
            *count -= 1;
            if *count == 0 {
                known.remove(&self.from);
            }
        }
    }
}

/// Sends an answer, and the tables that follow it.
fn tell(channel: &mut Answering, answer: &mut Answer) -> io::Result<()> {
    channel::send(channel, answer)?;
    for table in answer.tables() {
        channel::send_bytes(channel, &table.bytes)?;
    }
    Ok(())
}
