//! The machine that a script runs against, with sockets and a wire.
//!
//! The runner reads the script and holds what happens to it; a machine lets it happen. Here it
//! is the simulated host; a real kernel behind a TUN interface is another.

use std::collections::VecDeque;

use tcp::Segment;
use units::{Duration, Time};

use crate::ast::{Call, IcmpMessage, ScriptPacket};
use crate::code::Value;
use crate::message::ReceivedMessage;
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::symbols::Errno;
use crate::wire::Translation;

/// A machine under test.
pub trait Machine {
    /// Returns what the script has set, as it stands.
    fn settings(&self) -> &Settings;

    /// The time since the start of the script.
    fn now(&self) -> Time;

    /// Starts the clock.
    fn begin(&mut self);

    /// Returns how long past its time a packet is waited for, so that the report can say when it
    /// came.
    fn patience(&self) -> Duration;

    /// Returns how long past its time a timer of the machine may expire that was set for `wait`;
    /// `None` where time is virtual, and nothing ever late.
    fn timer_lateness(&self, wait: Duration) -> Option<Duration>;

    /// Lets time go on to `until`; with `until_sent`, to when something has been sent. A call
    /// that waited and returns ends it, too.
    fn advance(&mut self, until: Time, until_sent: bool) -> MachineStop;

    /// A packet from the script arrives.
    fn receive(&mut self, packet: &ScriptPacket) -> Result<(), CallTrouble>;

    /// An ICMP message from the script's network arrives.
    fn receive_icmp(&mut self, message: &IcmpMessage) -> Result<(), CallTrouble>;

    /// Makes a call.
    fn call(&mut self, call: &Call) -> Result<CallReply, CallTrouble>;

    /// Gives what a call has made the descriptor that the script calls it by.
    fn bind_descriptor(&mut self, descriptor: i64, reply: &CallReply);

    /// Takes the shell commands that begin in `line`.
    fn command(&mut self, line: u32, text: &str) -> Result<(), Refusal>;

    /// The value of a name in a code block: a field of `struct tcp_info`.
    fn lookup(&self, name: &str) -> Option<Value>;

    /// The segments sent and not yet taken, oldest first.
    fn sent(&self) -> &VecDeque<MachineSegment>;

    /// Takes the oldest of them.
    fn take_sent(&mut self) -> Option<MachineSegment>;

    /// Drops the segments sent that are not of the connection under test, the one that the script's
    /// last packet or call was for: without ports a script speaks of no other.
    fn pass_over_others(&mut self);

    /// Returns how the numbers of a connection, as [`Sent::connection`] names it, are translated.
    fn numbers(&mut self, connection: usize) -> &mut Translation;
}

/// A segment the machine has sent.
#[derive(Clone, Debug)]
pub struct MachineSegment {
    /// Time when it left.
    pub at: Time,
    /// The segment, in the numbers of the wire.
    pub segment: Segment,
    /// The connection it belongs to.
    pub connection: usize,
    /// The payload of a full segment of that connection, in bytes.
    pub mss: u32,
}

/// Why a machine stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum MachineStop {
    /// The time has come.
    Time,
    /// Something has been sent.
    Sent,
    /// The call that waited has returned.
    Returned(Result<CallReply, CallTrouble>),
    /// It keeps acting without time going on.
    Restless,
    /// Not there: what would happen now.
    Unsupported(String),
    /// Whoever runs the script has asked for its end.
    Asked,
}

/// Result of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallReply {
    /// A number.
    Value(i64),
    /// -1 and why.
    Error(Errno),
    /// A new descriptor, by the machine's own number.
    Descriptor(usize),
    /// The two new descriptors of a pipe.
    Pair(usize, usize),
    /// Descriptors, or what stands for them, with the events they are ready for.
    Ready(Vec<(i64, i64)>),
    /// 0, and a value that the call has filled in.
    Filled(FilledArgument),
    /// A message, with what came beside its data.
    Message(ReceivedMessage),
    /// It has to wait.
    Waits,
}

/// Data that a call has written where an argument points to.
#[derive(Clone, Debug, PartialEq)]
pub enum FilledArgument {
    /// A number.
    Integer(i64),
    /// A name.
    Text(String),
    /// `struct linger`: on or off, and seconds.
    Linger(i64, i64),
    /// A structure that is not compared.
    Opaque,
}

/// Why a call or a packet gives nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallTrouble {
    /// Not there: what is asked.
    Unsupported(String),
    /// Difference of what an argument points to from what the script says.
    Wrong(String),
}
