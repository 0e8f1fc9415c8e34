//! A script as it was read.

use tcp::Flags;

/// A command line option: `--name=value`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub line: u32,
    pub name: String,
    pub value: String,
}

/// A script.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Script {
    pub settings: Vec<Setting>,
    /// Shell commands that stand before the first event.
    pub init: Vec<(u32, String)>,
    pub events: Vec<Event>,
    /// Symbols and the text that stands for them.
    pub defines: Vec<(String, String)>,
}

/// What happens, or has to happen, at some time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub line: u32,
    pub when: When,
    pub action: Action,
    /// As it stands in the script, without its time and on one line.
    pub source: String,
}

/// The time of an event, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum When {
    /// Since the start of the script.
    Absolute(i64),
    /// Since the event before.
    Relative(i64),
    /// `*`
    Any,
    AbsoluteRange(i64, i64),
    RelativeRange(i64, i64),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// `<`: the script sends a packet to the endpoint.
    Inbound(Packet),
    /// `>`: the endpoint has to send a packet.
    Outbound(Packet),
    Call(Call),
    Shell(String),
    Code(String),
}

/// A packet in the script's numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Packet {
    pub flags: Flags,
    pub seq: u32,
    pub payload: u32,
    pub ack: Option<u32>,
    /// The window field; `None` where the script leaves it open.
    pub window: Option<u16>,
    /// `None` for `<...>`: whatever there is.
    pub options: Option<PacketOptions>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PacketOptions {
    pub mss: Option<u16>,
    pub window_scale: Option<u8>,
    pub sack_permitted: bool,
    /// TS val and ecr.
    pub timestamps: Option<(u32, u32)>,
    pub sack: Vec<(u32, u32)>,
}

/// A system call with what it has to return.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub name: String,
    pub arguments: Vec<Expression>,
    pub result: Expression,
    pub errno: Option<String>,
    /// When a call that blocks has to return, in nanoseconds on the scale of its start.
    pub end: Option<i64>,
}

/// An argument or a result of a system call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Integer(i64),
    Word(String),
    Text(String),
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
