//! Reads ahead what a script sets on its connection while that makes no difference yet.

use super::Foresight;
use super::options::congestion_algorithm;
use crate::ast::{Action, Call, Event, Expression};
use crate::value::value;

/// The options that bear on what is written alone.
const OF_WRITING: &[&str] = &["TCP_NODELAY", "SO_SNDBUF", "TCP_CONGESTION"];
/// Those that bear on data that arrive, or on a silence.
const OF_ARRIVAL: &[&str] = &[
    "TCP_QUICKACK",
    "SO_KEEPALIVE",
    "TCP_KEEPIDLE",
    "TCP_KEEPINTVL",
    "TCP_KEEPCNT",
    "TCP_LINGER2",
];

/// What is set before the first byte is written, or has arrived; nothing where a script
/// opens several connections.
pub(super) fn foresee(events: &[Event]) -> Foresight {
    let mut foresight = Foresight::default();
    let opens = |event: &&Event| match &event.action {
        Action::Call(call) => {
            matches!(call.name.as_str(), "accept" | "accept4" | "connect") && call.errno.is_none()
        }
        _ => false,
    };
    if events.iter().filter(opens).count() > 1 {
        return foresight;
    }
    for event in events.iter().take_while(|event| !writes(event)) {
        note(&mut foresight, event, OF_WRITING);
    }
    for event in events
        .iter()
        .take_while(|event| !writes(event) && !arrives(event))
    {
        note(&mut foresight, event, OF_ARRIVAL);
    }
    foresight
}

fn writes(event: &Event) -> bool {
    const CALLS: [&str; 5] = ["write", "writev", "send", "sendto", "sendmsg"];
    matches!(&event.action, Action::Call(call) if CALLS.contains(&call.name.as_str()))
}

fn arrives(event: &Event) -> bool {
    matches!(&event.action, Action::Inbound(packet) if packet.payload > 0)
}

fn note(foresight: &mut Foresight, event: &Event, names: &[&str]) {
    let Action::Call(Call {
        name, arguments, ..
    }) = &event.action
    else {
        return;
    };
    let [_, _, Expression::Word(option), setting, ..] = arguments.as_slice() else {
        return;
    };
    if name != "setsockopt" || !names.contains(&option.as_str()) {
        return;
    }
    match setting.first() {
        Expression::Text(algorithm) => foresight.congestion = congestion_algorithm(algorithm),
        setting => {
            if let Ok(wanted) = value(setting) {
                foresight.settings.push((option.clone(), wanted));
            }
        }
    }
}
