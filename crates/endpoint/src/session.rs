//! What one console has an endpoint do, message by message.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use os::tcp_info::tcp_info;
use rustix::net::{AddressFamily, SocketType, socket};

use crate::ceilings::Ceilings;
use crate::flow::{Begin, ReadyEnd};
use crate::identity::{KnownPeers, PublicKey, ServerKind};
use crate::log::LogMemory;
use crate::message::{Answer, Ask, FLOWS, Join, Measured, MeasuredRadio};
use crate::radio::{RadioSockets, WantedLinks};
use crate::samples::Samples;
use crate::served;

/// How far ahead a common start may lie.
const AHEAD: Duration = Duration::from_secs(10);
/// Memory for what is measured in a test, bytes: less than a console takes.
const ROOM: usize = 48 << 20;

/// What an endpoint knows, whoever calls.
#[derive(Debug)]
pub(crate) struct EndpointHost {
    pub known: KnownPeers,
    pub own: SocketAddr,
    pub ceilings: Arc<Ceilings>,
    /// Whether a test is under way.
    pub is_busy: AtomicBool,
    /// Source of news about this machine's radios, if it has any.
    pub radios: Option<Arc<Mutex<RadioSockets>>>,
}

/// A test of one console. What it runs ends with it.
pub(crate) struct Session<'a> {
    host: &'a EndpointHost,
    /// Whether the endpoint's only test is this one.
    is_test: bool,
    ready: Vec<ReadyEnd>,
    running: Vec<JoinHandle<Vec<Measured>>>,
    /// Who looks at the radio meanwhile.
    watching: Option<JoinHandle<MeasuredRadio>>,
    /// What the radio was like in the test that has ended.
    radio: MeasuredRadio,
    stop: Arc<AtomicBool>,
}

impl<'a> Session<'a> {
    pub fn new(host: &'a EndpointHost) -> Session<'a> {
        Session {
            host,
            is_test: false,
            ready: Vec::new(),
            running: Vec::new(),
            watching: None,
            radio: MeasuredRadio::silent(),
            stop: Arc::default(),
        }
    }

    /// Does what is asked, or says why not.
    pub fn answer(&mut self, ask: Ask) -> Answer {
        let done = match ask {
            Ask::Join(join) => self.join(join),
            Ask::Start { at_ns } => self.start(at_ns),
            Ask::Tick {} => Ok(self.running()),
            Ask::Finish {} => Ok(self.finish()),
            Ask::Radio {} => Ok(Answer::Radio(self.radio())),
        };
        done.unwrap_or_else(|why| Answer::Refused { why })
    }

    fn join(&mut self, join: Join) -> Result<Answer, String> {
        if !self.is_test && self.host.is_busy.swap(true, Ordering::AcqRel) {
            return Err("another test is under way".to_owned());
        }
        self.is_test = true;
        let longest = self.host.ceilings.longest;
        if Duration::from_millis(u64::from(join.end_ms)) > longest {
            return Err(format!("the owner allows {} s at most", longest.as_secs()));
        }
        if join.end_ms <= join.start_ms {
            return Err("a flow ends after it begins".to_owned());
        }
        if join.flow >= FLOWS || self.ready.len() >= usize::from(FLOWS) || !self.running.is_empty()
        {
            return Err(format!("{FLOWS} flows at most, before the start"));
        }
        if !(10..=1000).contains(&join.sample_ms) {
            return Err("samples are 10 to 1000 ms apart".to_owned());
        }
        let foreign = join.peer.split_once(':');
        let foreign = foreign.and_then(|(word, name)| Some((ServerKind::of(word)?, name)));
        let flow = match foreign {
            Some((kind, name)) => {
                let server = self.foreign(kind, name)?;
                ReadyEnd::with(kind, join, server)?
            }
            None => {
                let peer = self.peer(&join.peer)?;
                ReadyEnd::prepare(join, peer, self.host.own)?
            }
        };
        self.ready.push(flow);
        Ok(Answer::Yes {})
    }

    /// The address that the owner's list has for an endpoint.
    fn peer(&self, key: &str) -> Result<SocketAddr, String> {
        let key: PublicKey = key.parse()?;
        let known = self.host.known.peers.iter().find(|peer| peer.key == key);
        let address = known.and_then(|peer| peer.address);
        address.ok_or_else(|| format!("the owner's list has no endpoint {key}"))
    }

    /// The address of a server of another kind that the owner's list has.
    fn foreign(&self, kind: ServerKind, name: &str) -> Result<SocketAddr, String> {
        let mut known = self.host.known.foreign.iter();
        let found = known.find(|server| server.kind == kind && server.name == name);
        found.map(|server| server.address).ok_or_else(|| {
            let (name, what, word) = (name.escape_default(), kind.name(), kind.word());
            format!(
                "the owner's list has no {what} \"{name}\"; allowed: those of pair {word} NAME \
                 ADDRESS:PORT"
            )
        })
    }

    fn start(&mut self, at_ns: u64) -> Result<Answer, String> {
        let left = at_ns.checked_sub(os::clock::monotonic_ns());
        let ahead = Duration::from_nanos(left.ok_or("the common start has passed")?);
        if ahead > AHEAD || !self.running.is_empty() {
            return Err("a test starts once, within 10 s".to_owned());
        }
        let begin = Begin {
            at: Instant::now() + ahead,
            at_ns,
            ceilings: self.host.ceilings.clone(),
            row: Samples::row(told()),
            room: LogMemory::new(ROOM),
        };
        self.watching = self.watched(&begin);
        let mut of_servers: BTreeMap<SocketAddr, Vec<ReadyEnd>> = BTreeMap::new();
        for flow in self.ready.drain(..) {
            if let Some(server) = flow.iperf3() {
                of_servers.entry(server).or_default().push(flow);
                continue;
            }
            let (begin, stop) = (begin.clone(), self.stop.clone());
            self.running
                .push(thread::spawn(move || vec![flow.run(begin, &stop)]));
        }
        for (server, flows) in of_servers {
            let (begin, stop) = (begin.clone(), self.stop.clone());
            let run = move || served::run(server, flows, &begin, &stop);
            self.running.push(thread::spawn(run));
        }
        Ok(Answer::Yes {})
    }

    /// Has somebody look at the radio by which the flows leave, as often as they are sampled.
    fn watched(&self, begin: &Begin) -> Option<JoinHandle<MeasuredRadio>> {
        let radios = self.host.radios.clone()?;
        let peers: BTreeSet<IpAddr> = self.ready.iter().map(|flow| flow.peer().ip()).collect();
        let every = self.ready.iter().map(|flow| flow.join().sample_ms).min()?;
        let wanted = WantedLinks {
            peers: peers.into_iter().collect(),
            every: Duration::from_millis(every.into()),
            start_ns: begin.at_ns,
            room: begin.room.clone(),
        };
        let stop = self.stop.clone();
        Some(thread::spawn(move || {
            let mut radios = radios.lock().unwrap_or_else(PoisonError::into_inner);
            radios.watch(&wanted, &stop)
        }))
    }

    fn running(&self) -> Answer {
        let flows = self
            .running
            .iter()
            .filter(|flow| !flow.is_finished())
            .count();
        Answer::Running {
            flows: flows as u32,
            clock_ns: os::clock::monotonic_ns(),
        }
    }

    fn finish(&mut self) -> Answer {
        self.stop.store(true, Ordering::Relaxed);
        let flows = self.running.drain(..);
        let ended = flows.filter_map(|flow| flow.join().ok());
        let measured = ended.flatten().collect();
        let watched = self.watching.take().and_then(|watch| watch.join().ok());
        self.radio = watched.unwrap_or_else(MeasuredRadio::silent);
        Answer::Measured(measured)
    }

    fn radio(&mut self) -> MeasuredRadio {
        std::mem::replace(&mut self.radio, MeasuredRadio::silent())
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.finish();
        if self.is_test {
            self.host.is_busy.store(false, Ordering::Release);
        }
    }
}

/// Bytes that this machine's kernel tells of a connection.
fn told() -> usize {
    let any = socket(AddressFamily::INET, SocketType::STREAM, None);
    let info = any.map_err(Into::into).and_then(tcp_info);
    info.map_or(0, |info| info.bytes().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{Identity, Peer};
    use crate::message::EndOfFlow;

    fn host(peers: Vec<Peer>) -> EndpointHost {
        EndpointHost {
            known: peers.into(),
            own: "127.0.0.1:40000".parse().unwrap(),
            ceilings: Arc::new(Ceilings::new(1_000_000, Duration::from_secs(60))),
            is_busy: AtomicBool::new(false),
            radios: None,
        }
    }

    fn endpoint() -> Peer {
        Peer {
            key: Identity::new().unwrap().key,
            name: "pi".to_owned(),
            address: Some("127.0.0.1:41000".parse().unwrap()),
        }
    }

    fn join(peer: &Peer) -> Join {
        Join {
            flow: 0,
            end: EndOfFlow::Initiator,
            peer: peer.key.to_string(),
            ticket: "00".repeat(16),
            app: serde_json::json!({"kind": "bulk", "bytes": null}),
            start_ms: 0,
            end_ms: 1000,
            sample_ms: 100,
            dscp: 0,
            is_stamped: false,
        }
    }

    fn refusal(session: &mut Session<'_>, ask: Ask) -> String {
        match session.answer(ask) {
            Answer::Refused { why } => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn third_party_a_flow_to_whom_the_owner_did_not_list_is_refused() {
        let (known, stranger) = (endpoint(), endpoint());
        let host = host(vec![known.clone()]);
        let mut session = Session::new(&host);
        let why = refusal(&mut session, Ask::Join(join(&stranger)));
        assert!(why.starts_with("the owner's list has no endpoint"), "{why}");
        assert!(matches!(
            session.answer(Ask::Join(join(&known))),
            Answer::Yes {}
        ));
    }

    #[test]
    fn third_party_an_iperf3_server_that_the_owner_did_not_list_is_refused() {
        let known = endpoint();
        let host = host(vec![known.clone()]);
        let mut session = Session::new(&host);
        let server = Join {
            peer: "iperf3:192.0.2.7:5201".to_owned(),
            ..join(&known)
        };
        let why = refusal(&mut session, Ask::Join(server));
        assert!(
            why.starts_with("the owner's list has no iperf3 server"),
            "{why}"
        );
    }

    #[test]
    fn time_a_test_longer_than_the_owner_allows_is_refused() {
        let known = endpoint();
        let host = host(vec![known.clone()]);
        let mut session = Session::new(&host);
        let long = Join {
            end_ms: u32::MAX,
            ..join(&known)
        };
        assert_eq!(
            refusal(&mut session, Ask::Join(long)),
            "the owner allows 60 s at most"
        );
        let why = refusal(&mut session, Ask::Start { at_ns: u64::MAX });
        assert_eq!(why, "a test starts once, within 10 s");
        let why = refusal(&mut session, Ask::Start { at_ns: 0 });
        assert_eq!(why, "the common start has passed");
    }

    #[test]
    fn exhaustion_a_second_test_is_refused_until_the_first_has_ended() {
        let known = endpoint();
        let host = host(vec![known.clone()]);
        let mut first = Session::new(&host);
        first.answer(Ask::Join(join(&known)));
        let mut second = Session::new(&host);
        let why = refusal(&mut second, Ask::Join(join(&known)));
        assert_eq!(why, "another test is under way");
        drop(first);
        assert!(matches!(
            second.answer(Ask::Join(join(&known))),
            Answer::Yes {}
        ));
    }

    #[test]
    fn commands_and_files_no_message_has_such_a_field() {
        for text in [
            r#"{"run": {"command": "id"}}"#,
            r#"{"tick": {"path": "/etc/passwd"}}"#,
            r#"{"start": {"at_ns": 1, "address": "192.0.2.7:22"}}"#,
        ] {
            assert!(serde_json::from_str::<Ask>(text).is_err(), "{text}");
        }
    }
}
