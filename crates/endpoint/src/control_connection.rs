//! A console's connection to one endpoint: a thread of its own speaks with it, so that an endpoint
//! that is slow, or has much to tell, makes no other believe that the console is gone.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::channel::{self, Calling, TO_CONSOLE};
use crate::identity::{Identity, PublicKey};
use crate::log::rows;
use crate::message::{Answer, Ask, RowTable};

/// How long an endpoint may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time between two signs of life.
const TICK: Duration = Duration::from_millis(200);
/// Number of times that an endpoint is asked what its clock shows, before a test.
const COMPARED: usize = 8;
/// Bytes of a table, at most, when it has travelled.
const TABLE: usize = 1 << 30;

/// What is to be said to an endpoint, and to whom its answer goes.
struct EndpointRequest {
    word: Word,
    answer: Sender<Result<Answer, String>>,
}

/// What is said.
enum Word {
    /// This.
    Ask(Ask),
    /// Reading of its clock, as often as makes it known.
    Clock,
    /// To begin at an instant of the console's clock.
    StartAt(Instant),
}

/// How an endpoint stands, as it last said of its own accord.
#[derive(Debug, Default)]
struct EndpointStatus {
    /// How many flows go on; `None` before it was asked.
    flows: Option<u32>,
    /// Why it is gone.
    gone: Option<String>,
}

/// An answer that is to come.
#[derive(Debug)]
pub struct PendingAnswer<'a> {
    connection: &'a ControlConnection,
    answer: Option<Receiver<Result<Answer, String>>>,
}

impl PendingAnswer<'_> {
    /// Waits for it.
    ///
    /// # Errors
    /// When the endpoint refuses or is gone, in one line.
    pub fn wait(self) -> Result<Answer, String> {
        let answer = self.answer.and_then(|answer| answer.recv().ok());
        answer.unwrap_or_else(|| Err(self.connection.gone()))
    }
}

/// A console's connection to one endpoint.
#[derive(Debug)]
pub struct ControlConnection {
    node: String,
    requests: Sender<EndpointRequest>,
    standing: Arc<Mutex<EndpointStatus>>,
}

impl ControlConnection {
    /// Calls an endpoint, and keeps it informed that its console is there.
    ///
    /// # Errors
    /// When it is not there, or another, or does not know this console.
    pub fn to(
        identity: &Identity,
        node: &str,
        address: SocketAddr,
        key: &str,
    ) -> Result<ControlConnection, String> {
        let told =
            |why: &dyn std::fmt::Display| format!("the endpoint of {node} at {address}: {why}");
        let key: PublicKey = key.parse().map_err(|why: String| told(&why))?;
        let config = channel::calls(identity, key).map_err(|why| told(&why))?;
        let reached = || -> io::Result<Calling> {
            let socket = TcpStream::connect_timeout(&address, PATIENCE)?;
            socket.set_read_timeout(Some(PATIENCE))?;
            socket.set_write_timeout(Some(PATIENCE))?;
            socket.set_nodelay(true)?;
            channel::call(config, socket)
        };
        let mut speaker = Speaker {
            node: node.to_owned(),
            channel: reached().map_err(|error| told(&channel::told(&error)))?,
            clock: None,
        };
        let (requests, asked) = mpsc::channel();
        let standing: Arc<Mutex<EndpointStatus>> = Arc::default();
        let shared = standing.clone();
        thread::spawn(move || speaker.speak(&asked, &shared));
        Ok(ControlConnection {
            node: node.to_owned(),
            requests,
            standing,
        })
    }

    /// The node that the endpoint stands for.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// Asks for something.
    pub fn ask(&self, ask: Ask) -> PendingAnswer<'_> {
        self.say(Word::Ask(ask))
    }

    /// Asks what its clock shows, by which it is told when to begin.
    pub fn compare_clocks(&self) -> PendingAnswer<'_> {
        self.say(Word::Clock)
    }

    /// Asks to begin at an instant; the clocks are to be compared before.
    pub fn start_at(&self, at: Instant) -> PendingAnswer<'_> {
        self.say(Word::StartAt(at))
    }

    fn say(&self, word: Word) -> PendingAnswer<'_> {
        let (answer, answered) = mpsc::channel();
        let said = self.requests.send(EndpointRequest { word, answer });
        PendingAnswer {
            connection: self,
            answer: said.is_ok().then_some(answered),
        }
    }

    /// Tells whether any flow goes on there, as far as is known.
    ///
    /// # Errors
    /// When the endpoint is gone.
    pub fn goes_on(&self) -> Result<bool, String> {
        let standing = lock(&self.standing);
        match &standing.gone {
            Some(why) => Err(why.clone()),
            None => Ok(standing.flows.is_none_or(|flows| flows > 0)),
        }
    }

    fn gone(&self) -> String {
        let known = self.goes_on().err();
        known.unwrap_or_else(|| format!("the endpoint of {} is gone", self.node))
    }
}

/// Who speaks with an endpoint.
struct Speaker {
    node: String,
    channel: Calling,
    clock: Option<Clock>,
}

/// Reading of an endpoint's clock at an instant of the console's, surely to half the round
/// trip of the question.
#[derive(Clone, Copy)]
struct Clock {
    trip: Duration,
    at: Instant,
    shown_ns: u64,
}

impl Clock {
    /// Returns what it shows at another instant, one that is not before the comparison.
    fn shows(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.at);
        self.shown_ns.saturating_add(since.as_nanos() as u64)
    }
}

impl Speaker {
    /// Says what it is asked to, and shows in between that the console is there, until nobody asks
    /// any more or the endpoint is gone.
    fn speak(&mut self, requests: &Receiver<EndpointRequest>, standing: &Mutex<EndpointStatus>) {
        loop {
            let said = match requests.recv_timeout(TICK) {
                Ok(request) => {
                    if matches!(request.word, Word::StartAt(_)) {
                        // Until now none could go on.
                        lock(standing).flows = None;
                    }
                    let answer = self.obey(request.word);
                    let why = answer.as_ref().err().cloned();
                    // Who asked may have given up.
                    let _ = request.answer.send(answer);
                    why.map_or(Ok(()), Err)
                }
                Err(RecvTimeoutError::Timeout) => self.tick(standing),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if let Err(why) = said {
                lock(standing).gone = Some(why);
                return;
            }
        }
    }

    fn tick(&mut self, standing: &Mutex<EndpointStatus>) -> Result<(), String> {
        if let Answer::Running { flows, .. } = self.ask(&Ask::Tick {})? {
            lock(standing).flows = Some(flows);
        }
        Ok(())
    }

    fn obey(&mut self, word: Word) -> Result<Answer, String> {
        match word {
            Word::Ask(ask) => self.ask(&ask),
            Word::Clock => {
                let shown = (0..COMPARED).map(|_| self.clock());
                let shown: Vec<Clock> = shown.collect::<Result<_, _>>()?;
                // The shortest round trip leaves the least doubt.
                self.clock = shown.into_iter().min_by_key(|clock| clock.trip);
                Ok(Answer::Yes {})
            }
            Word::StartAt(at) => {
                let clock = self.clock.map_or_else(|| self.clock(), Ok)?;
                self.ask(&Ask::Start {
                    at_ns: clock.shows(at),
                })
            }
        }
    }

    fn clock(&mut self) -> Result<Clock, String> {
        let asked = Instant::now();
        let answer = self.ask(&Ask::Tick {})?;
        let trip = asked.elapsed();
        match answer {
            Answer::Running { clock_ns, .. } => Ok(Clock {
                trip,
                at: asked + trip / 2,
                shown_ns: clock_ns,
            }),
            _ => unreachable!("it answers what was asked"),
        }
    }

    fn ask(&mut self, ask: &Ask) -> Result<Answer, String> {
        let told = match self.exchange(ask) {
            Ok(Answer::Refused { why }) => format!("refuses: {}", plain(&why)),
            Ok(answer) if is_to(ask, &answer) => return Ok(answer),
            Ok(_) => "answers something else".to_owned(),
            Err(error) => format!("is gone: {}", channel::told(&error)),
        };
        Err(format!("the endpoint of {} {told}", self.node))
    }

    fn exchange(&mut self, ask: &Ask) -> io::Result<Answer> {
        channel::send(&mut self.channel, ask)?;
        let mut answer: Answer = channel::receive(&mut self.channel, TO_CONSOLE)?;
        let mut left = TO_CONSOLE;
        for table in answer.tables() {
            let travelled = channel::receive_bytes(&mut self.channel, left)?;
            left -= travelled.len();
            table.bytes = unpacked(table, &travelled)?;
        }
        Ok(answer)
    }
}

/// Tells whether an answer is one to what was asked.
fn is_to(ask: &Ask, answer: &Answer) -> bool {
    matches!(
        (ask, answer),
        (Ask::Join(_) | Ask::Start { .. }, Answer::Yes {})
            | (Ask::Tick {}, Answer::Running { .. })
            | (Ask::Finish {}, Answer::Measured(_))
            | (Ask::Radio {}, Answer::Radio(_))
    )
}

fn lock(standing: &Mutex<EndpointStatus>) -> MutexGuard<'_, EndpointStatus> {
    standing.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unpacked(table: &RowTable, travelled: &[u8]) -> io::Result<Vec<u8>> {
    let found = rows(travelled, table.row as usize, TABLE);
    found.map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))
}

/// An endpoint's words without what a terminal would obey.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(300)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_words_of_an_endpoint_move_no_cursor_and_fill_no_screen() {
        let hostile = format!("\u{1b}[2J\u{9b}1mrefused\r\n{}", "x".repeat(1000));
        let said = plain(&hostile);
        assert!(said.starts_with("[2J1mrefusedxx"), "{said}");
        assert_eq!(said.chars().count(), 300);
    }

    #[test]
    fn a_malicious_endpoint_is_not_believed_about_the_length_of_its_tables() {
        let mut table = RowTable::default();
        assert!(unpacked(&table, &[]).is_err(), "rows of no bytes");
        table.row = 8;
        assert!(unpacked(&table, &[0, 0, 0, 9, 1]).is_err());
        assert!(unpacked(&table, &[]).unwrap().is_empty());
    }
}
