//! A script as it was read.

use tcp::{Ecn, FastOpenOption, Flags};

/// A command line option: `--name=value`.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandLineOption {
    /// The line it stands in.
    pub line: u32,
    /// Without the dashes.
    pub name: String,
    /// Text after the equals sign; empty where there is none.
    pub value: String,
}

/// A script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The options before the first event.
    pub settings: Vec<CommandLineOption>,
    /// Shell commands that stand before the first event, with their lines.
    pub init: Vec<(u32, String)>,
    /// Events, in order.
    pub events: Vec<ScriptEvent>,
    /// Symbols and the text that stands for them.
    pub defines: Vec<(String, String)>,
}

/// An event that happens, or has to happen, at some time.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptEvent {
    /// The line it begins in.
    pub line: u32,
    /// Its time.
    pub when: When,
    /// Action of the event.
    pub action: ScriptAction,
    /// As it stands in the script, without its time and on one line.
    pub source: String,
}

/// The time of an event, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// Since the start of the script.
    Absolute(i64),
    /// Since the event before.
    Relative(i64),
    /// `*`
    Any,
    /// Between two times since the start.
    AbsoluteRange(i64, i64),
    /// Between two times since the event before.
    RelativeRange(i64, i64),
}

/// Action of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptAction {
    /// `<`: the script sends a packet to the endpoint.
    Inbound(ScriptPacket),
    /// `< icmp`: the network says that a packet of the endpoint was not delivered.
    Icmp(IcmpMessage),
    /// `>`: the endpoint has to send a packet.
    Outbound(ScriptPacket),
    /// A system call.
    Call(Call),
    /// Shell commands.
    Shell(String),
    /// Code that looks at the connection.
    Code(String),
}

/// A packet in the script's numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptPacket {
    /// The ports, the sender's first, where the script names them: it has several connections.
    pub ports: Option<(u16, u16)>,
    /// Header flags.
    pub flags: Flags,
    /// The ECN field of the IP header; `None` where the script leaves it open.
    pub ecn: Option<EcnField>,
    /// Sequence number.
    pub seq: u32,
    /// Bytes of payload.
    pub payload: u32,
    /// Acknowledgement number, where the flag is set.
    pub ack: Option<u32>,
    /// The window field; `None` where the script leaves it open.
    pub window: Option<u16>,
    /// `None` for `<...>`: whatever there is.
    pub options: Option<PacketOptions>,
}

/// Values of the ECN field in a script (RFC 3168 §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnField {
    /// Exactly this.
    Is(Ecn),
    /// `ect01`: either codepoint of a capable sender.
    Capable,
}

/// An ICMP message to the endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IcmpMessage {
    /// The type, by the script's name.
    pub kind: String,
    /// The code, by the script's name, where the type has several.
    pub code: Option<String>,
    /// `mtu N`, bytes: what the next link takes.
    pub mtu: Option<u32>,
    /// The sequence number of the packet it is about.
    pub quoted: Option<u32>,
}

/// TCP options in the script's numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PacketOptions {
    /// `mss N`, bytes.
    pub mss: Option<u16>,
    /// `wscale N`
    pub window_scale: Option<u8>,
    /// `sackOK`
    pub sack_permitted: bool,
    /// TS val and ecr.
    pub timestamps: Option<(u32, u32)>,
    /// `sack A:B …`
    pub sack: Vec<(u32, u32)>,
    /// `FO`, `FOEXP`: TCP Fast Open (RFC 7413).
    pub fast_open: Option<FastOpenOption>,
}

/// A system call with what it has to return.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// Result that it has to return.
    pub result: Expression,
    /// The name of the error it has to give.
    pub errno: Option<String>,
    /// Time when a call that blocks has to return, in nanoseconds on the scale of its start.
    pub end: Option<i64>,
}

/// An argument or a result of a system call.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// `7`, `0x7`
    Integer(i64),
    /// A name.
    Word(String),
    /// `"text"`
    Text(String),
    /// `...`: whatever the call needs.
    Ellipsis,
    /// `a|b`
    Or(Vec<Expression>),
    /// `[a, b]`
    Array(Vec<Expression>),
    /// `{name = value, ...}`; what stands without a name has none.
    Struct(Vec<(String, Expression)>),
    /// `htons(80)`
    Function(String, Vec<Expression>),
}

impl Expression {
    /// The value of a named field of a structure.
    pub fn field(&self, name: &str) -> Option<&Expression> {
        match self {
            Expression::Struct(fields) => fields.iter().find(|f| f.0 == name).map(|f| &f.1),
            _ => None,
        }
    }

    /// The first element of an array, or the expression itself: `[1]` is 1.
    pub fn first(&self) -> &Expression {
        match self {
            Expression::Array(elements) => elements.first().unwrap_or(self),
            _ => self,
        }
    }
}
