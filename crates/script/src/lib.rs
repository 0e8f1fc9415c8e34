//! Scripts in packetdrill's language, run against the simulated endpoint.
//!
//! A script is the peer and the application of one TCP endpoint at once: it makes system
//! calls, sends packets to the endpoint (`<`), and says which packets must come back (`>`)
//! and when. Here the endpoint is [`tcp::Connection`] behind sockets that behave as Linux's
//! do, the wire takes no time, and time is virtual, so a script of minutes takes
//! microseconds and has one result.
//!
//! What a script asks that is not there is reported as not supported, with its line, and a text
//! that breaks the language's form as no script; nothing is passed over in silence.
//! `docs/scripts.md` tells what is understood.
//!
//! ```
//! let report = script::run_text(
//!     "syn.pkt",
//!     "// RFC 9293 §3.5: a SYN is answered by a SYN that acknowledges it.
//!      0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
//!     +0 bind(3, ..., ...) = 0
//!     +0 listen(3, 1) = 0
//!     +0 < S 0:0(0) win 1000 <mss 1000>
//!     +0 > S. 0:0(0) ack 1 <...>",
//! );
//! assert!(report.is_passed(), "{report}");
//! ```

pub mod ast;
mod code;
mod fast_open;
mod host;
mod machine;
mod message;
mod parse;
mod refusal;
mod report;
mod run;
mod settings;
mod source;
mod symbols;
mod tcp_info;
mod text;
mod token;
mod value;
mod wire;

use std::io;
use std::path::Path;

pub use code::Value;
pub use machine::{CallReply, CallTrouble, FilledArgument, Machine, MachineSegment, MachineStop};
pub use message::{ControlMessage, Data, ReceivedMessage};
pub use refusal::Refusal;
pub use report::{ExchangeRow, ScriptOutcome, ScriptReport};
pub use settings::{DEFAULTS as DEFAULT_SYSCTLS, Settings};
pub use source::{read, scripts};
pub use symbols::{Errno, IcmpMeaning, PATH_MTU_MIN, icmp_meaning, value as symbol};
pub use tcp_info::constant;
pub use value::{is_null, text_bytes, value};
pub use wire::Translation;

use host::Host;

/// Runs the script `text`, which reports call `name`.
pub fn run_text(name: &str, text: &str) -> ScriptReport {
    run(name, text.as_bytes(), None)
}

/// Runs the script in the file at `path`. Where it calls a `defaults.sh` that is there, the
/// settings are taken from it.
pub fn run_file(path: impl AsRef<Path>) -> io::Result<ScriptReport> {
    let path = path.as_ref();
    let bytes = read(path)?;
    Ok(run(&path.to_string_lossy(), &bytes, path.parent()))
}

fn run(name: &str, bytes: &[u8], folder: Option<&Path>) -> ScriptReport {
    run_on(name, bytes, folder, |settings| Ok(Host::new(settings)))
}

/// Runs the script that is in a file's `bytes` in `folder` on the machine that `make` makes of
/// its settings.
pub fn run_on<M: Machine>(
    name: &str,
    bytes: &[u8],
    folder: Option<&Path>,
    make: impl FnOnce(Settings) -> Result<M, Refusal>,
) -> ScriptReport {
    let mut report = ScriptReport {
        name: name.to_owned(),
        outcome: ScriptOutcome::Passed,
        exchange: Vec::new(),
        notes: Vec::new(),
    };
    let ready = text::text(bytes).and_then(|text| {
        let script = parse::parse(&text)?;
        let settings = Settings::new(&script.settings, folder)?;
        Ok((script, make(settings)?))
    });
    match ready {
        Ok((script, mut machine)) => run::run(&script, &mut machine, &mut report),
        Err(refusal) => report.outcome = refusal.into(),
    }
    report
}
