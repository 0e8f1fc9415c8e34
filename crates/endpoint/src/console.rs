//! A console: it has endpoints run a test together, and collects what they measured.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};

use crate::control_connection::{ControlConnection, PendingAnswer, plain};
use crate::identity::{Identity, ServerKind};
use crate::message::{Answer, Ask, EndOfFlow, Join, Measured, MeasuredRadio};

/// How long before the common start the endpoints are told of it.
const AHEAD: Duration = Duration::from_millis(500);
/// The time between two looks at how the endpoints stand.
const LOOK: Duration = Duration::from_millis(20);

/// An endpoint of a test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestEndpoint {
    /// The node that it stands for.
    pub node: String,
    /// Where it listens.
    pub address: SocketAddr,
    /// Its key.
    pub key: String,
}

/// A flow between two endpoints, by their places in the list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestFlow {
    /// Whose application begins.
    pub from: usize,
    /// Whose answers.
    pub to: usize,
    /// The end that is a server of another kind, in whose place its only endpoint stands above.
    pub server: Option<ForeignEnd>,
    /// The application, as a plan has it.
    pub app: serde_json::Value,
    /// When it begins.
    pub start_ms: u32,
    /// When it ends at the latest.
    pub end_ms: u32,
    /// The codepoint of its packets.
    pub dscp: u8,
    /// Whether it is told when each datagram was sent and received.
    pub is_stamped: bool,
    /// Whether the test goes on without it.
    pub may_fail: bool,
}

/// A server of another kind at an end of a flow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignEnd {
    /// What it is.
    pub kind: ServerKind,
    /// Which end.
    pub end: EndOfFlow,
    /// Its name in the list of the owner of the other end.
    pub name: String,
}

/// A test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// Who takes part.
    pub endpoints: Vec<TestEndpoint>,
    /// What they send.
    pub flows: Vec<TestFlow>,
    /// How long.
    pub duration_ms: u32,
    /// The time between samples.
    pub sample_ms: u32,
}

/// What a test gave.
#[derive(Clone, Debug, Serialize)]
pub struct TestOutcome {
    /// Both ends of every flow.
    pub ends: Vec<Measured>,
    /// What the radio of each endpoint was like.
    pub radios: Vec<MeasuredRadio>,
}

/// Runs a test from beginning to end.
///
/// # Errors
/// When an endpoint is not there, refuses, or goes; in one line.
pub fn run(identity: &Identity, test: &Test) -> Result<TestOutcome, String> {
    let connections = begin(identity, test)?;
    let over = Instant::now() + AHEAD + Duration::from_millis(u64::from(test.duration_ms));
    while Instant::now() < over && goes_on(&connections)? {
        thread::sleep(LOOK);
    }
    let ends = finish(&connections, test)?;
    if let Some(why) = failure(test, &ends) {
        return Err(why);
    }
    let radios = radios(&connections)?;
    Ok(TestOutcome { ends, radios })
}

/// Has a test begin; it goes on as long as its connections are held.
///
/// # Errors
/// When an endpoint is not there, or refuses.
pub fn begin(identity: &Identity, test: &Test) -> Result<Vec<ControlConnection>, String> {
    let called = test
        .endpoints
        .iter()
        .map(|each| ControlConnection::to(identity, &each.node, each.address, &each.key));
    let connections: Vec<ControlConnection> = called.collect::<Result<_, _>>()?;
    for (number, flow) in test.flows.iter().enumerate() {
        join(&connections, test, number, flow)?;
    }
    all_done(
        connections
            .iter()
            .map(ControlConnection::compare_clocks)
            .collect(),
    )?;
    let at = Instant::now() + AHEAD;
    all_done(
        connections
            .iter()
            .map(|connection| connection.start_at(at))
            .collect(),
    )?;
    Ok(connections)
}

fn all_done(asked: Vec<PendingAnswer<'_>>) -> Result<(), String> {
    asked.into_iter().try_for_each(|each| each.wait().map(drop))
}

/// Has both ends of a flow join; who answers is there first.
fn join(
    connections: &[ControlConnection],
    test: &Test,
    number: usize,
    flow: &TestFlow,
) -> Result<(), String> {
    let ticket = ticket()?;
    for (end, own, other) in [
        (EndOfFlow::Responder, flow.to, flow.from),
        (EndOfFlow::Initiator, flow.from, flow.to),
    ] {
        let peer = match &flow.server {
            Some(server) if server.end == end => continue,
            Some(server) => format!("{}:{}", server.kind.word(), server.name),
            None => test.endpoints[other].key.clone(),
        };
        let join = Join {
            flow: u8::try_from(number).map_err(|_| "too many flows".to_owned())?,
            end,
            peer,
            ticket: ticket.clone(),
            app: flow.app.clone(),
            start_ms: flow.start_ms,
            end_ms: flow.end_ms,
            sample_ms: test.sample_ms,
            dscp: flow.dscp,
            is_stamped: flow.is_stamped,
        };
        connections[own].ask(Ask::Join(join)).wait()?;
    }
    Ok(())
}

fn ticket() -> Result<String, String> {
    let mut bytes = [0; 16];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| "the system gives no randomness")?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Tells whether any flow goes on.
///
/// # Errors
/// When an endpoint is gone.
pub fn goes_on(connections: &[ControlConnection]) -> Result<bool, String> {
    let mut any = false;
    for connection in connections {
        any |= connection.goes_on()?;
    }
    Ok(any)
}

/// Has a test end, and collects what was measured.
///
/// # Errors
/// When an endpoint is gone, or tells of other flows than its own.
pub fn finish(connections: &[ControlConnection], test: &Test) -> Result<Vec<Measured>, String> {
    let asked: Vec<_> = connections
        .iter()
        .map(|connection| connection.ask(Ask::Finish {}))
        .collect();
    let mut ends = Vec::new();
    for (place, (connection, answer)) in connections.iter().zip(asked).enumerate() {
        if let Answer::Measured(measured) = answer.wait()? {
            if !is_of(test, place, &measured) {
                let node = connection.node();
                return Err(format!("the endpoint of {node} tells of other flows"));
            }
            ends.extend(measured);
        }
    }
    Ok(ends)
}

/// Collects what the endpoints' radios were like in a test that has ended.
fn radios(connections: &[ControlConnection]) -> Result<Vec<MeasuredRadio>, String> {
    let asked: Vec<_> = connections
        .iter()
        .map(|connection| connection.ask(Ask::Radio {}))
        .collect();
    let mut radios = Vec::new();
    for answer in asked {
        if let Answer::Radio(radio) = answer.wait()? {
            radios.push(radio);
        }
    }
    Ok(radios)
}

/// Tells whether what an endpoint measured are the ends of flows that it has joined, each once.
fn is_of(test: &Test, place: usize, measured: &[Measured]) -> bool {
    let mut joined: Vec<(usize, EndOfFlow)> = Vec::new();
    for (number, flow) in test.flows.iter().enumerate() {
        let served = flow.server.as_ref().map(|server| server.end);
        let ends = [
            (EndOfFlow::Responder, flow.to),
            (EndOfFlow::Initiator, flow.from),
        ];
        let own = ends
            .into_iter()
            .filter(|&(end, at)| at == place && served != Some(end));
        joined.extend(own.map(|(end, _)| (number, end)));
    }
    let is_joined = |each: &Measured| {
        let found = joined
            .iter()
            .position(|&joined| joined == (usize::from(each.flow), each.end));
        found.map(|at| joined.swap_remove(at)).is_some()
    };
    measured.iter().all(is_joined) && joined.is_empty()
}

/// Why the first flow that failed did, of those that may not.
fn failure(test: &Test, ends: &[Measured]) -> Option<String> {
    ends.iter().find_map(|end| {
        let why = end.failed.as_ref()?;
        let flow = test.flows.get(usize::from(end.flow))?;
        let name = |place: usize| &test.endpoints[place].node;
        let [from, to] = [
            (EndOfFlow::Initiator, flow.from),
            (EndOfFlow::Responder, flow.to),
        ]
        .map(|(end, place)| match &flow.server {
            Some(server) if server.end == end => &server.name,
            _ => name(place),
        });
        let told = || format!("the flow from {from} to {to}: {}", plain(why));
        (!flow.may_fail).then(told)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn measured(flow: u8, end: EndOfFlow) -> Measured {
        let table = json!({"row": 8, "lost": 0});
        serde_json::from_value(json!({
            "flow": flow, "end": end, "began_ns": 0, "samples": table, "stamps": table, "round_trips": [],
            "records": [], "records_lost": 0, "held_us": 0, "moved": 0, "counted": null, "failed": null,
        }))
        .unwrap()
    }

    #[test]
    fn a_malicious_endpoint_is_believed_of_no_end_but_its_own() {
        let flow = json!({
            "from": 0, "to": 1, "server": null, "app": {}, "start_ms": 0, "end_ms": 1, "dscp": 0,
            "is_stamped": false, "may_fail": false,
        });
        let test = json!({"endpoints": [], "flows": [flow], "duration_ms": 1, "sample_ms": 10});
        let test: Test = serde_json::from_value(test).unwrap();
        let own = measured(0, EndOfFlow::Responder);
        assert!(is_of(&test, 1, std::slice::from_ref(&own)));
        for lie in [
            vec![],
            vec![own.clone(), own.clone()],
            vec![measured(0, EndOfFlow::Initiator)],
            vec![own, measured(7, EndOfFlow::Responder)],
        ] {
            assert!(!is_of(&test, 1, &lie), "{lie:?}");
        }
    }
}
