//! The script's calls as the kernel's.

use std::io;
use std::os::fd::{IntoRawFd, RawFd};

use os::calls::{self, CallBuffer, Destination};
use script::ast::{Call, Expression};
use script::{CallReply, CallTrouble, Errno, FilledArgument, is_null, symbol, text_bytes, value};

use crate::machine::{Kernel, PORT};
use crate::messages;
use crate::packet::{LOCAL, REMOTE};

type CallWork = Box<dyn FnOnce() -> Result<CallReply, CallTrouble> + Send>;

fn unsupported<T>(what: impl Into<String>) -> Result<T, CallTrouble> {
    Err(CallTrouble::Unsupported(what.into()))
}

fn number(outcome: calls::CallResult) -> Result<CallReply, CallTrouble> {
    filled(outcome, CallReply::Value)
}

fn descriptor(outcome: calls::CallResult) -> Result<CallReply, CallTrouble> {
    filled(outcome, |fd| CallReply::Descriptor(fd as usize))
}

fn filled<T>(
    outcome: io::Result<T>,
    reply: impl FnOnce(T) -> CallReply,
) -> Result<CallReply, CallTrouble> {
    Ok(match outcome {
        Ok(value) => reply(value),
        Err(error) => CallReply::Error(Errno(error.raw_os_error().unwrap_or(0))),
    })
}

fn argument(call: &Call, index: usize) -> Result<&Expression, CallTrouble> {
    match call.arguments.get(index) {
        Some(argument) => Ok(argument),
        None => unsupported(format!(
            "{}() with {} arguments",
            call.name,
            call.arguments.len()
        )),
    }
}

fn integer(call: &Call, index: usize) -> Result<i64, CallTrouble> {
    value(argument(call, index)?)
}

fn length(call: &Call, index: usize) -> Result<usize, CallTrouble> {
    let length = integer(call, index)?;
    match usize::try_from(length) {
        Ok(length) if length <= LENGTH_MAX => Ok(length),
        _ => unsupported(format!("a length of {length}")),
    }
}

/// The commands of fcntl() whose argument is a number, and the requests of ioctl() that fill in an
/// int. Any other might take a pointer, and a script's number for it.
const COMMANDS: &[&str] = &["F_GETFD", "F_GETFL", "F_SETFD", "F_SETFL"];
const REQUESTS: &[&str] = &["FIONREAD", "SIOCINQ", "SIOCOUTQ", "SIOCOUTQNSD", "TIOCOUTQ"];

/// Returns what the second argument asks for, which must be among `known`.
fn one_of(call: &Call, known: &[&str]) -> Result<i64, CallTrouble> {
    let asked = integer(call, 1)?;
    if known.iter().any(|name| symbol(name) == Some(asked)) {
        return Ok(asked);
    }
    let (name, known) = (&call.name, known.join(", "));
    unsupported(format!("{name}() of {asked:#x}; there are {known}"))
}

/// No script writes more at a time.
const LENGTH_MAX: usize = 1 << 30;

/// The call with its arguments in the kernel's terms, ready to be made.
pub(crate) fn prepare(kernel: &Kernel, call: &Call) -> Result<CallWork, CallTrouble> {
    let name = call.name.as_str();
    let fd = match name {
        "socket" | "epoll_create" | "epoll_create1" | "poll" | "pipe" | "open" => -1,
        _ => kernel.live(integer(call, 0)?),
    };
    match name {
        "socket" => socket(call),
        "bind" => {
            let port = port(argument(call, 1)?)?;
            Ok(Box::new(move || number(calls::bind(fd, LOCAL, port))))
        }
        "connect" if is_unspecified(argument(call, 1)?) => {
            Ok(Box::new(move || number(calls::disconnect(fd))))
        }
        "connect" => {
            let port = port(argument(call, 1)?)?;
            Ok(Box::new(move || number(calls::connect(fd, REMOTE, port))))
        }
        "listen" => {
            let backlog = integer(call, 1)?;
            Ok(Box::new(move || number(calls::listen(fd, backlog))))
        }
        "accept" => Ok(Box::new(move || descriptor(calls::accept(fd, 0)))),
        "accept4" => {
            let flags = integer(call, 3)?;
            Ok(Box::new(move || descriptor(calls::accept(fd, flags))))
        }
        "read" => {
            let buffer = buffer(argument(call, 1)?, length(call, 2)?);
            Ok(Box::new(move || number(calls::read(fd, buffer))))
        }
        "write" => {
            let buffer = buffer(argument(call, 1)?, length(call, 2)?);
            Ok(Box::new(move || number(calls::write(fd, buffer))))
        }
        "recvmsg" => {
            let (buffers, flags) = transfer(call)?;
            let began = kernel.began;
            Ok(Box::new(move || {
                filled(calls::receive_message(fd, &buffers, flags), |received| {
                    CallReply::Message(messages::message(received, began))
                })
            }))
        }
        "readv" | "recv" | "recvfrom" => {
            let (buffers, flags) = transfer(call)?;
            Ok(Box::new(move || {
                number(calls::receive(fd, &buffers, flags))
            }))
        }
        "writev" | "send" | "sendto" | "sendmsg" => {
            let (buffers, flags) = transfer(call)?;
            let to = destination(call, flags)?;
            Ok(Box::new(move || {
                number(calls::send(fd, &buffers, flags, to))
            }))
        }
        "sendfile" => {
            let (file, length) = (kernel.live(integer(call, 1)?), length(call, 3)?);
            Ok(Box::new(move || number(calls::sendfile(fd, file, length))))
        }
        "splice" => {
            let to = kernel.live(integer(call, 2)?);
            let (length, flags) = (length(call, 4)?, integer(call, 5)?);
            Ok(Box::new(move || {
                number(calls::splice(fd, to, length, flags))
            }))
        }
        "shutdown" => {
            let how = integer(call, 1)?;
            Ok(Box::new(move || number(calls::shutdown(fd, how))))
        }
        "close" => Ok(Box::new(move || number(calls::close(fd)))),
        "fcntl" => {
            let argument = call.arguments.get(2).map_or(Ok(0), value)?;
            let command = one_of(call, COMMANDS)?;
            Ok(Box::new(move || {
                number(calls::fcntl(fd, command, argument))
            }))
        }
        "ioctl" => {
            let request = one_of(call, REQUESTS)?;
            Ok(Box::new(move || {
                filled(calls::ioctl(fd, request), |n| {
                    CallReply::Filled(FilledArgument::Integer(n))
                })
            }))
        }
        "setsockopt" => set_option(fd, call),
        "getsockopt" => option(fd, call),
        "poll" => poll(kernel, call),
        "epoll_create" | "epoll_create1" => Ok(Box::new(|| descriptor(calls::epoll_create()))),
        "epoll_ctl" => epoll_ctl(kernel, fd, call),
        "epoll_wait" => {
            let (most, timeout) = (integer(call, 2)?, integer(call, 3)?);
            Ok(Box::new(move || {
                filled(calls::epoll_wait(fd, most, timeout), CallReply::Ready)
            }))
        }
        "open" => open(call),
        "pipe" => Ok(Box::new(|| {
            filled(calls::pipe(), |[a, b]| {
                CallReply::Pair(a as usize, b as usize)
            })
        })),
        _ => unsupported(format!("the call {name}()")),
    }
}

/// Notes what a call that has returned changes in what the script's names stand for.
pub(crate) fn note(kernel: &mut Kernel, call: &Call, reply: &CallReply) {
    let first = call.arguments.first().and_then(|first| value(first).ok());
    match (call.name.as_str(), reply, first) {
        ("accept" | "accept4", CallReply::Descriptor(fd), _) => {
            kernel.under_test = Some(*fd as RawFd);
        }
        ("connect", _, Some(fd)) => kernel.under_test = kernel.descriptors.get(&fd).copied(),
        ("sendto" | "sendmsg", _, Some(fd)) if opens(call) => {
            kernel.under_test = kernel.descriptors.get(&fd).copied();
        }
        ("close", CallReply::Value(0), Some(fd)) => {
            kernel.descriptors.remove(&fd);
        }
        _ => {}
    }
}

/// Returns whether a call that writes opens the connection, too.
fn opens(call: &Call) -> bool {
    let place = if call.name == "sendto" { 3 } else { 2 };
    integer(call, place).is_ok_and(|flags| flags & i64::from(libc::MSG_FASTOPEN) != 0)
}

impl Kernel {
    /// The process's descriptor for the script's; one that is no descriptor for one that is not.
    fn live(&self, descriptor: i64) -> RawFd {
        self.descriptors.get(&descriptor).copied().unwrap_or(-1)
    }
}

fn socket(call: &Call) -> Result<CallWork, CallTrouble> {
    let of = |index, default: &str| match argument(call, index)? {
        Expression::Ellipsis => Ok(symbol(default).unwrap_or(0)),
        argument => value(argument),
    };
    let (domain, kind, protocol) = (
        of(0, "AF_INET")?,
        of(1, "SOCK_STREAM")?,
        of(2, "IPPROTO_IP")?,
    );
    if domain != i64::from(libc::AF_INET) {
        return unsupported("sockets that are not IPv4");
    }
    Ok(Box::new(move || {
        descriptor(calls::socket(domain, kind, protocol))
    }))
}

/// `...` or `{sa_family = AF_INET, sin_port = htons(8080), sin_addr = inet_addr("…")}`: the
/// addresses are those of the interface.
fn port(address: &Expression) -> Result<u16, CallTrouble> {
    match address.field("sin_port") {
        Some(Expression::Function(name, arguments)) if name == "htons" && arguments.len() == 1 => {
            Ok(value(&arguments[0])? as u16)
        }
        Some(_) => unsupported("a port that is not htons(N)"),
        None => Ok(PORT),
    }
}

/// Returns whether an address is of the family AF_UNSPEC.
fn is_unspecified(address: &Expression) -> bool {
    let is_named = |of: &Expression| matches!(of, Expression::Word(name) if name == "AF_UNSPEC");
    is_named(address) || address.field("sa_family").is_some_and(is_named)
}

/// Where a call that opens a connection sends to; none for one that has a connection.
fn destination(call: &Call, flags: i64) -> Result<Option<Destination>, CallTrouble> {
    if flags & i64::from(libc::MSG_FASTOPEN) == 0 {
        return Ok(None);
    }
    Ok(Some(match call.arguments.get(4) {
        Some(address) if is_unspecified(address) => Destination::Nowhere,
        Some(address) => Destination::At(REMOTE, port(address)?),
        None => Destination::At(REMOTE, PORT),
    }))
}

fn transfer(call: &Call) -> Result<(Vec<CallBuffer>, i64), CallTrouble> {
    match call.name.as_str() {
        "readv" | "writev" => Ok((vectors(argument(call, 1)?)?, 0)),
        "sendmsg" if has_control(argument(call, 1)?) => unsupported("control messages to send"),
        "sendmsg" | "recvmsg" => match argument(call, 1)?.field("msg_iov") {
            Some(vector) => Ok((vectors(vector)?, integer(call, 2)?)),
            None => unsupported("a message without msg_iov"),
        },
        _ => {
            let buffer = buffer(argument(call, 1)?, length(call, 2)?);
            Ok((vec![buffer], integer(call, 3)?))
        }
    }
}

fn has_control(message: &Expression) -> bool {
    match message.field("msg_control") {
        Some(Expression::Array(control)) => !control.is_empty(),
        control => control.is_some(),
    }
}

fn buffer(pointer: &Expression, bytes: usize) -> CallBuffer {
    CallBuffer {
        bytes,
        is_null: is_null(pointer),
    }
}

fn vectors(array: &Expression) -> Result<Vec<CallBuffer>, CallTrouble> {
    let Expression::Array(elements) = array else {
        return unsupported("a vector that is no list");
    };
    let element = |element: &Expression| match element {
        Expression::Struct(fields) if fields.len() == 2 => {
            let length = value(&fields[1].1)?;
            match usize::try_from(length) {
                Ok(length) if length <= LENGTH_MAX => Ok(buffer(&fields[0].1, length)),
                _ => unsupported(format!("a length of {length}")),
            }
        }
        _ => unsupported("a vector's element that is not {..., length}"),
    };
    let buffers = elements
        .iter()
        .map(element)
        .collect::<Result<Vec<CallBuffer>, CallTrouble>>()?;
    match buffers.iter().map(|buffer| buffer.bytes).sum() {
        0..=LENGTH_MAX => Ok(buffers),
        length => unsupported(format!("a length of {length}")),
    }
}

fn set_option(fd: RawFd, call: &Call) -> Result<CallWork, CallTrouble> {
    let (level, name) = (integer(call, 1)?, integer(call, 2)?);
    let bytes = option_bytes(call)?;
    Ok(Box::new(move || {
        number(calls::set_option(fd, level, name, bytes.as_deref()))
    }))
}

/// Returns what the option is set to; `None` for the pointer to nothing.
fn option_bytes(call: &Call) -> Result<Option<Vec<u8>>, CallTrouble> {
    let shown = argument(call, 3)?.first();
    if is_null(shown) {
        return Ok(None);
    }
    let length = call.arguments.get(4).and_then(|length| value(length).ok());
    if let Expression::Text(text) = shown {
        let mut bytes = text_bytes(text);
        if let Some(length) = length.and_then(|length| usize::try_from(length).ok()) {
            bytes.truncate(length);
        }
        return Ok(Some(bytes));
    }
    if let (Some(on), Some(seconds)) = (shown.field("onoff"), shown.field("linger")) {
        let mut bytes = (value(on)? as i32).to_ne_bytes().to_vec();
        bytes.extend_from_slice(&(value(seconds)? as i32).to_ne_bytes());
        return Ok(Some(bytes));
    }
    if let (Some(seconds), Some(micros)) = (shown.field("tv_sec"), shown.field("tv_usec")) {
        return Ok(Some(
            [value(seconds)?, value(micros)?]
                .map(i64::to_ne_bytes)
                .concat(),
        ));
    }
    let mut bytes = value(shown)?.to_ne_bytes().to_vec();
    let length = length.and_then(|length| usize::try_from(length).ok());
    bytes.truncate(length.unwrap_or(size_of::<i32>()));
    Ok(Some(bytes))
}

fn option(fd: RawFd, call: &Call) -> Result<CallWork, CallTrouble> {
    let Expression::Word(name) = argument(call, 2)? else {
        return unsupported("getsockopt() of an option without a name");
    };
    let name = name.clone();
    let (level, option) = (integer(call, 1)?, integer(call, 2)?);
    let reply = move |bytes: Vec<u8>| {
        let number = |at: usize| bytes.get(at..at + 4).map(|b| [b[0], b[1], b[2], b[3]]);
        let number = |at| number(at).map_or(0, |b| i64::from(i32::from_ne_bytes(b)));
        CallReply::Filled(match name.as_str() {
            "TCP_CONGESTION" => {
                let text = String::from_utf8_lossy(&bytes);
                FilledArgument::Text(text.split('\0').next().unwrap_or_default().to_owned())
            }
            "SO_LINGER" => FilledArgument::Linger(number(0), number(4)),
            "TCP_INFO" | "TCP_CC_INFO" | "TCP_SAVED_SYN" | "TCP_ZEROCOPY_RECEIVE" => {
                FilledArgument::Opaque
            }
            _ => FilledArgument::Integer(number(0)),
        })
    };
    Ok(Box::new(move || {
        filled(calls::option(fd, level, option, OPTION_BYTES), reply)
    }))
}

/// More than any option has that is compared.
const OPTION_BYTES: usize = 512;

fn poll(kernel: &Kernel, call: &Call) -> Result<CallWork, CallTrouble> {
    let Expression::Array(entries) = argument(call, 0)? else {
        return unsupported("poll() without a list");
    };
    let mut watched = Vec::new();
    let mut descriptors = Vec::new();
    for entry in entries {
        let (Some(descriptor), Some(events)) = (entry.field("fd"), entry.field("events")) else {
            return unsupported("poll() of an entry without fd and events");
        };
        let descriptor = value(descriptor)?;
        descriptors.push(descriptor);
        watched.push((kernel.live(descriptor), value(events)?));
    }
    let timeout = integer(call, 2)?;
    let reply = move |events: Vec<i64>| {
        let pairs = descriptors.into_iter().zip(events);
        CallReply::Ready(pairs.filter(|(_, events)| *events != 0).collect())
    };
    Ok(Box::new(move || {
        filled(calls::poll(&watched, timeout), reply)
    }))
}

fn epoll_ctl(kernel: &Kernel, instance: RawFd, call: &Call) -> Result<CallWork, CallTrouble> {
    let operation = integer(call, 1)?;
    let fd = kernel.live(integer(call, 2)?);
    let event = call.arguments.get(3).map(Expression::first);
    let field = |name: &str| {
        event
            .and_then(|event| event.field(name))
            .map(value)
            .transpose()
    };
    let events = field("events")?.unwrap_or(0);
    let mut datum = 0;
    for name in ["fd", "ptr", "u32", "u64"] {
        datum = field(name)?.unwrap_or(datum);
    }
    Ok(Box::new(move || {
        number(calls::epoll_ctl(
            instance,
            operation,
            fd,
            events,
            datum as u64,
        ))
    }))
}

/// A file, whose bytes nothing looks at. Devices and pipes do something when they are opened, or
/// never let go.
fn open(call: &Call) -> Result<CallWork, CallTrouble> {
    let Expression::Text(path) = argument(call, 0)? else {
        return unsupported("open() without a path");
    };
    let path = path.clone();
    if std::fs::metadata(&path).is_ok_and(|known| !known.is_file()) {
        return unsupported(format!("open() of {path}, which is no file"));
    }
    Ok(Box::new(move || {
        let file = std::fs::File::open(&path);
        descriptor(file.map(|file| i64::from(file.into_raw_fd())))
    }))
}

/// Makes the close of a socket a reset.
pub(crate) fn reset_on_close(fd: RawFd) -> calls::CallResult {
    let at_once = [1i32.to_ne_bytes(), 0i32.to_ne_bytes()].concat();
    let [level, name] = ["SOL_SOCKET", "SO_LINGER"].map(|name| symbol(name).unwrap_or(0));
    calls::set_option(fd, level, name, Some(&at_once))
}
