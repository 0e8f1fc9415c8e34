//! A console: it has endpoints run a test together, and collects what they measured.

use std::fmt::Write as _;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};

use crate::channel::{self, Calling};
use crate::identity::{Identity, Key};
use crate::message::{Answer, Ask, End, Join, Measured};

/// How long an endpoint may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long before the common start the endpoints are told of it.
const AHEAD: Duration = Duration::from_millis(300);
/// The time between two signs of life.
const TICK: Duration = Duration::from_millis(200);

/// An endpoint of a test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
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
pub struct Flow {
    /// Whose application begins.
    pub from: usize,
    /// Whose answers.
    pub to: usize,
    /// The application, as a plan has it.
    pub app: serde_json::Value,
    /// When it begins.
    pub start_ms: u32,
    /// When it ends at the latest.
    pub end_ms: u32,
}

/// A test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// Who takes part.
    pub endpoints: Vec<Endpoint>,
    /// What they send.
    pub flows: Vec<Flow>,
    /// How long.
    pub duration_ms: u32,
    /// The time between samples.
    pub sample_ms: u32,
}

/// What a test gave.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Both ends of every flow.
    pub ends: Vec<Measured>,
}

/// An endpoint that was reached.
#[derive(Debug)]
pub struct Line {
    node: String,
    channel: Calling,
}

impl Line {
    fn call(identity: &Identity, endpoint: &Endpoint) -> Result<Line, String> {
        let told = |why: &dyn std::fmt::Display| {
            format!(
                "the endpoint of {} at {}: {why}",
                endpoint.node, endpoint.address
            )
        };
        let key: Key = endpoint.key.parse().map_err(|why: String| told(&why))?;
        let config = channel::calls(identity, key).map_err(|why| told(&why))?;
        let reached = || -> io::Result<Calling> {
            let socket = TcpStream::connect_timeout(&endpoint.address, PATIENCE)?;
            socket.set_read_timeout(Some(PATIENCE))?;
            socket.set_write_timeout(Some(PATIENCE))?;
            socket.set_nodelay(true)?;
            channel::call(config, socket)
        };
        Ok(Line {
            node: endpoint.node.clone(),
            channel: reached().map_err(|why| told(&why))?,
        })
    }

    fn ask(&mut self, ask: &Ask) -> Result<Answer, String> {
        let asked = channel::send(&mut self.channel, ask)
            .and_then(|()| channel::receive(&mut self.channel, channel::TO_CONSOLE));
        match asked {
            Ok(Answer::Refused { why }) => Err(format!(
                "the endpoint of {} refuses: {}",
                self.node,
                plain(&why)
            )),
            Ok(answer) => Ok(answer),
            Err(error) => Err(format!("the endpoint of {} is gone: {error}", self.node)),
        }
    }
}

/// An endpoint's words without what a terminal would obey.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(300)
        .collect()
}

/// Runs a test from beginning to end.
///
/// # Errors
/// When an endpoint is not there, refuses, or goes; in one line.
pub fn run(identity: &Identity, test: &Test) -> Result<Outcome, String> {
    let mut lines = begin(identity, test)?;
    let over = Instant::now() + AHEAD + Duration::from_millis(u64::from(test.duration_ms));
    while Instant::now() < over && goes_on(&mut lines)? {
        thread::sleep(TICK.min(over.saturating_duration_since(Instant::now())));
    }
    let mut ends = Vec::new();
    for line in &mut lines {
        match line.ask(&Ask::Finish {})? {
            Answer::Measured(measured) => ends.extend(measured),
            _ => {
                return Err(format!(
                    "the endpoint of {} answers something else",
                    line.node
                ));
            }
        }
    }
    failure(test, &ends).map_or(Ok(Outcome { ends }), Err)
}

/// Has a test begin; it goes on while somebody asks in time whether it [`goes_on`].
///
/// # Errors
/// When an endpoint is not there, or refuses.
pub fn begin(identity: &Identity, test: &Test) -> Result<Vec<Line>, String> {
    let called = test.endpoints.iter().map(|each| Line::call(identity, each));
    let mut lines: Vec<Line> = called.collect::<Result<_, _>>()?;
    for (number, flow) in test.flows.iter().enumerate() {
        join(&mut lines, test, number, flow)?;
    }
    start(&mut lines)?;
    Ok(lines)
}

/// Has both ends of a flow join; who answers is there first.
fn join(lines: &mut [Line], test: &Test, number: usize, flow: &Flow) -> Result<(), String> {
    let ticket = ticket()?;
    for (end, own, other) in [
        (End::Responder, flow.to, flow.from),
        (End::Initiator, flow.from, flow.to),
    ] {
        lines[own].ask(&Ask::Join(Join {
            flow: u8::try_from(number).map_err(|_| "too many flows".to_owned())?,
            end,
            peer: test.endpoints[other].key.clone(),
            ticket: ticket.clone(),
            app: flow.app.clone(),
            start_ms: flow.start_ms,
            end_ms: flow.end_ms,
            sample_ms: test.sample_ms,
        }))?;
        // Endpoints that wait for others to join hear that their console is there.
        goes_on(lines)?;
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

/// Tells every endpoint when to begin, less half of what it takes to tell it.
fn start(lines: &mut [Line]) -> Result<(), String> {
    let mut travels = Vec::new();
    for line in lines.iter_mut() {
        let asked = Instant::now();
        line.ask(&Ask::Tick {})?;
        travels.push(asked.elapsed() / 2);
    }
    let at = Instant::now() + AHEAD;
    for (line, travel) in lines.iter_mut().zip(travels) {
        let ahead = at
            .saturating_duration_since(Instant::now())
            .saturating_sub(travel);
        let in_us = ahead.as_micros() as u32;
        line.ask(&Ask::Start { in_us })?;
    }
    Ok(())
}

/// Shows every endpoint that the console is there; tells whether any flow goes on.
///
/// # Errors
/// When an endpoint is gone.
pub fn goes_on(lines: &mut [Line]) -> Result<bool, String> {
    let mut running = 0;
    for line in lines {
        if let Answer::Running { flows } = line.ask(&Ask::Tick {})? {
            running += flows;
        }
    }
    Ok(running > 0)
}

/// Why the first flow that failed did.
fn failure(test: &Test, ends: &[Measured]) -> Option<String> {
    let (end, why) = ends
        .iter()
        .find_map(|end| Some((end, end.failed.as_ref()?)))?;
    let flow = test.flows.get(usize::from(end.flow))?;
    let name = |place: usize| &test.endpoints[place].node;
    let (from, to) = (name(flow.from), name(flow.to));
    Some(format!("the flow from {from} to {to}: {}", plain(why)))
}
