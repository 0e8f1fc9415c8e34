//! Who asks an emulation for programs and numbers: the console that began it, and whoever enters it
//! from another terminal; and programs within access points, which ask how these are set. A thread of
//! its own answers them.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lab::{InterfaceId, LiveCounts};
use os::clock::monotonic_ns;
use os::descendants::Descendants;
use os::message::{ChannelMessage, Door, MessageChannel};
use os::poll::Poll;
use os::process;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use units::Time;

use crate::outcome::EmulationCourse;
use crate::programs::{self, ProcessRequest, Start, Tell};
use crate::settings::{Questions, Values};
use crate::verdict::reasons_so_far;

/// A request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlRequest {
    /// Start a program in a node; beside it come its standard input, output and error.
    Start {
        /// Name of the node.
        node: String,
        /// The program.
        #[serde(flatten)]
        program: Start,
    },
    /// Send a signal to a program by its number.
    Signal {
        /// The number of the program.
        program: i32,
        /// The number of the signal.
        signal: i32,
    },
    /// Tell the numbers; those of a moment ago, since they are renewed for who asks again.
    Status {},
    /// Set the access point that the one who asks is within, and tell how it is set then.
    Settings {
        /// Values that are set.
        set: Values,
    },
    /// End the emulation.
    Stop {},
}

/// A reply.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlReply {
    /// Programs can be started; the names of the real nodes.
    Ready {
        /// Names of the nodes.
        nodes: Vec<String>,
    },
    /// A program runs.
    Started {
        /// Its number.
        program: i32,
    },
    /// Refused, and the reason.
    Refused {
        /// The reason.
        reason: String,
    },
    /// A program that was started for the one who is told has ended.
    Ended {
        /// Its number.
        program: i32,
        /// Its status, as a shell tells it.
        status: i32,
        /// True if the emulation has not ended it.
        by_itself: bool,
    },
    /// The numbers so far.
    Status(Value),
    /// Settings of an access point.
    Settings(Values),
}

/// State that the loop and the thread that answers share.
#[derive(Debug, Default)]
pub struct ControlState {
    /// The emulation is to end.
    pub stop: AtomicBool,
    /// The loop has ended.
    pub is_over: AtomicBool,
    /// The longest that a thread of a program waited for a processor, in nanoseconds.
    pub longest_wait_ns: AtomicU64,
    /// Somebody has asked for the numbers since they were renewed.
    pub is_status_wanted: AtomicBool,
    /// The numbers when they were renewed last; none before the first time.
    pub status: Mutex<Option<Status>>,
    /// Questions to the loop about the settings of radios.
    pub questions: Questions,
}

/// Status of an emulation and its world.
#[derive(Debug)]
pub struct Status {
    /// The emulation.
    pub course: EmulationCourse,
    /// Time when it ends at the latest.
    pub end: Time,
    /// The world.
    pub world: LiveCounts,
}

impl Status {
    fn told(&self) -> Value {
        json!({
            "time_s": self.course.ran_ns as f64 / 1e9,
            "end_s": self.end.as_secs_f64(),
            "lateness_out": self.course.lateness_out,
            "lateness_in": self.course.lateness_in,
            "stalls": self.course.stalls.len(),
            "reasons": reasons_so_far(&self.course),
            "ports": self.course.ports,
            "world": self.world,
        })
    }
}

/// State of the thread that answers.
#[derive(Debug)]
pub struct ControlThread<'a> {
    /// Who began the emulation: when it is gone, the emulation ends.
    pub console: MessageChannel,
    /// Where others come in.
    pub door: Door,
    /// Where programs within access points come in, with the interface of their radio.
    pub doors_within: Vec<(Door, InterfaceId)>,
    /// The first process, and its number.
    pub first: (i32, MessageChannel),
    /// The real nodes, by name.
    pub networks: Vec<(String, BorrowedFd<'a>)>,
    /// State shared with the loop.
    pub shared: &'a ControlState,
}

const CONSOLE: u64 = 0;
const DOOR: u64 = 1;
const FIRST: u64 = 2;
const SIGNALS: u64 = 3;
const DOORS_WITHIN: u64 = 4;

/// Interval at which the waiting of programs is looked at.
const LOOK_NS: u64 = 100_000_000;

/// Time that programs have to end once they are asked to.
const PATIENCE_NS: u64 = 2_000_000_000;

struct Guest {
    channel: MessageChannel,
    /// The radio of the access point that it is within, if it is within one.
    within: Option<InterfaceId>,
}

struct ControlServer<'a> {
    control: ControlThread<'a>,
    poll: Poll,
    guests: BTreeMap<u64, Guest>,
    next_guest: u64,
    /// For whom programs are being started, in order, and what they are called.
    starting: VecDeque<(u64, String)>,
    /// For whom programs run, by their numbers, and what they are called.
    running: BTreeMap<i32, (u64, String)>,
    descendants: Descendants,
    /// Whether what runs is being ended.
    is_ending: bool,
}

impl<'a> ControlThread<'a> {
    /// Answers until the loop has ended and all programs have; answers which had to be ended by
    /// force.
    ///
    /// # Errors
    /// When the first process is gone before the end.
    pub fn serve(self) -> io::Result<Vec<String>> {
        let signals = process::signals(&[process::TERMINATE])?;
        let poll = Poll::new(16)?;
        poll.add(&self.console, CONSOLE)?;
        poll.add(&self.door, DOOR)?;
        poll.add(&self.first.1, FIRST)?;
        poll.add(&signals, SIGNALS)?;
        for ((door, _), number) in self.doors_within.iter().zip(DOORS_WITHIN..) {
            poll.add(door, number)?;
        }
        let mut server = ControlServer {
            next_guest: DOORS_WITHIN + self.doors_within.len() as u64,
            control: self,
            poll,
            guests: BTreeMap::new(),
            starting: VecDeque::new(),
            running: BTreeMap::new(),
            descendants: Descendants::default(),
            is_ending: false,
        };
        let nodes = server.control.networks.iter().map(|(name, _)| name.clone());
        let nodes = nodes.collect();
        server.reply(CONSOLE, &ControlReply::Ready { nodes });
        while !server.control.shared.is_over.load(Ordering::Acquire) {
            server.serve_once(&signals)?;
        }
        server.end_programs(&signals)
    }
}

impl<'a> ControlServer<'a> {
    fn serve_once(&mut self, signals: &OwnedFd) -> io::Result<()> {
        let ready: Vec<u64> = self.poll.wait(LOOK_NS)?.collect();
        for number in ready {
            match number {
                DOOR => self.let_in_own(),
                FIRST => self.hear_first()?,
                SIGNALS => {
                    while process::next_signal(signals).is_some() {}
                    self.stop();
                }
                CONSOLE => match self.control.console.receive() {
                    Ok(Some(message)) => self.answer(CONSOLE, &message),
                    _ => {
                        self.poll.remove(&self.control.console)?;
                        self.stop();
                    }
                },
                number => match self.accepted_within(number) {
                    Some((guest, radio)) => self.let_in(guest, Some(radio)),
                    None => self.hear_guest(number)?,
                },
            }
        }
        self.descendants.look(self.control.first.0);
        let longest = self.descendants.longest_wait();
        let shared = self.control.shared;
        shared.longest_wait_ns.store(longest, Ordering::Relaxed);
        Ok(())
    }

    fn stop(&self) {
        self.control.shared.stop.store(true, Ordering::Release);
    }

    /// Who has come in at a door within an access point, if the number is such a door's.
    fn accepted_within(&self, number: u64) -> Option<(io::Result<MessageChannel>, InterfaceId)> {
        let place = number.checked_sub(DOORS_WITHIN)?;
        let (door, radio) = self.control.doors_within.get(place as usize)?;
        Some((door.accept(), *radio))
    }

    /// Takes a connection of the user that the emulation belongs to; no other one's.
    fn let_in_own(&mut self) {
        let own = Some(os::user::number());
        let guest = self.control.door.accept();
        if (guest.as_ref()).is_ok_and(|guest| guest.user().ok() == own) {
            self.let_in(guest, None);
        }
    }

    fn let_in(&mut self, guest: io::Result<MessageChannel>, within: Option<InterfaceId>) {
        let Ok(channel) = guest else {
            return;
        };
        let number = self.next_guest;
        self.next_guest += 1;
        if self.poll.add(&channel, number).is_ok() {
            self.guests.insert(number, Guest { channel, within });
        }
    }

    fn hear_guest(&mut self, number: u64) -> io::Result<()> {
        let Some(guest) = self.guests.get(&number) else {
            return Ok(());
        };
        if let Ok(Some(message)) = guest.channel.receive() {
            match guest.within {
                Some(radio) => self.answer_within(number, radio, &message),
                None => self.answer(number, &message),
            }
            return Ok(());
        }
        self.poll.remove(&guest.channel)?;
        self.guests.remove(&number);
        // Its terminals are gone: their programs are told as by any terminal.
        let own = self.running.iter().filter(|(_, (of, _))| *of == number);
        for program in own.map(|(program, _)| *program).collect::<Vec<_>>() {
            self.ask_first(&ProcessRequest::Signal(program, process::HANG_UP), &[])?;
        }
        Ok(())
    }

    /// Answers a program within an access point, which can ask for its settings alone.
    fn answer_within(&self, whom: u64, radio: InterfaceId, message: &ChannelMessage) {
        let told = match serde_json::from_slice(&message.bytes) {
            Ok(ControlRequest::Settings { set }) => self.control.shared.questions.ask(radio, set),
            Ok(_) => Err("an access point is asked for its settings alone".to_owned()),
            Err(error) => Err(format!("not understood: {error}")),
        };
        let reply = told.map_or_else(
            |reason| ControlReply::Refused { reason },
            ControlReply::Settings,
        );
        self.reply(whom, &reply);
    }

    fn answer(&mut self, whom: u64, message: &ChannelMessage) {
        let request = serde_json::from_slice(&message.bytes);
        let done = match request {
            Ok(ControlRequest::Start { node, program }) => {
                self.start(whom, &node, program, &message.descriptors)
            }
            Ok(ControlRequest::Signal { program, signal }) => self
                .ask_first(&ProcessRequest::Signal(program, signal), &[])
                .map_err(|error| error.to_string()),
            Ok(ControlRequest::Status {}) => {
                let shared = self.control.shared;
                shared.is_status_wanted.store(true, Ordering::Release);
                let status = shared.status.lock();
                let told = status.map(|status| status.as_ref().map(Status::told));
                self.reply(
                    whom,
                    &ControlReply::Status(told.ok().flatten().unwrap_or_default()),
                );
                Ok(())
            }
            Ok(ControlRequest::Stop {}) => {
                self.stop();
                Ok(())
            }
            Ok(ControlRequest::Settings { .. }) => {
                Err("settings are asked for within an access point".into())
            }
            Err(error) => Err(format!("not understood: {error}")),
        };
        if let Err(reason) = done {
            self.reply(whom, &ControlReply::Refused { reason });
        }
    }

    fn start(
        &mut self,
        whom: u64,
        node: &str,
        program: Start,
        standard: &[OwnedFd],
    ) -> Result<(), String> {
        let [input, output, errors] = standard else {
            return Err("a program needs its standard input, output and error".into());
        };
        let names = self.control.networks.iter();
        let Some((_, network)) = names.clone().find(|(name, _)| name == node) else {
            let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
            return Err(format!("{node} is no real node: {}", names.join(", ")));
        };
        let name = program.arguments.join(" ");
        let beside = [*network, input.as_fd(), output.as_fd(), errors.as_fd()];
        self.starting.push_back((whom, format!("{node}: {name}")));
        self.ask_first(&ProcessRequest::Start(program), &beside)
            .map_err(|error| error.to_string())
    }

    fn ask_first(&self, what: &ProcessRequest, beside: &[BorrowedFd<'_>]) -> io::Result<()> {
        programs::ask(&self.control.first.1, what, beside)
    }

    fn hear_first(&mut self) -> io::Result<()> {
        let Some(message) = self.control.first.1.receive()? else {
            return Err(io::Error::other(
                "the process that programs descend from has ended",
            ));
        };
        match serde_json::from_slice(&message.bytes).map_err(io::Error::other)? {
            Tell::Started(program) => {
                if let Some((whom, name)) = self.starting.pop_front() {
                    self.running.insert(program, (whom, name));
                    self.reply(whom, &ControlReply::Started { program });
                }
            }
            Tell::NotStarted(reason) => {
                if let Some((whom, _)) = self.starting.pop_front() {
                    self.reply(whom, &ControlReply::Refused { reason });
                }
            }
            Tell::Ended(program, status) => {
                if let Some((whom, _)) = self.running.remove(&program) {
                    let by_itself = !self.is_ending;
                    let reply = ControlReply::Ended {
                        program,
                        status,
                        by_itself,
                    };
                    self.reply(whom, &reply);
                }
            }
        }
        Ok(())
    }

    fn reply(&self, whom: u64, reply: &ControlReply) {
        let channel = match whom {
            CONSOLE => Some(&self.control.console),
            guest => self.guests.get(&guest).map(|guest| &guest.channel),
        };
        if let (Some(channel), Ok(text)) = (channel, serde_json::to_vec(reply)) {
            // Who does not listen any more is taken out when that is seen.
            let _ = channel.send(&text, &[]);
        }
    }

    fn end_programs(mut self, signals: &OwnedFd) -> io::Result<Vec<String>> {
        self.is_ending = true;
        self.ask_first(&ProcessRequest::SignalAll(process::TERMINATE), &[])?;
        let deadline = monotonic_ns() + PATIENCE_NS;
        while !self.running.is_empty() && monotonic_ns() < deadline {
            self.serve_once(signals)?;
        }
        let left = self.running.values().map(|(_, name)| name.clone());
        let ended_by_force = left.collect();
        self.ask_first(&ProcessRequest::SignalAll(process::KILL), &[])?;
        let deadline = monotonic_ns() + PATIENCE_NS;
        while !self.running.is_empty() && monotonic_ns() < deadline {
            self.serve_once(signals)?;
        }
        Ok(ended_by_force)
    }
}
