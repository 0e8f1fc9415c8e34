//! Reads ahead what a script sets on its connection before it writes to it.

use crate::ast::{Action, Call, Event, Expression};
use crate::host::{Foresight, congestion_algorithm, value};

/// What is set on the connection before the first byte is written; nothing where a script
/// opens several.
pub(super) fn foresee(events: &[Event]) -> Foresight {
    let calls = || {
        events.iter().filter_map(|event| match &event.action {
            Action::Call(call) => Some(call),
            _ => None,
        })
    };
    let opens = |call: &&Call| {
        matches!(call.name.as_str(), "accept" | "accept4" | "connect") && call.errno.is_none()
    };
    let mut foresight = Foresight::default();
    if calls().filter(opens).count() > 1 {
        return foresight;
    }
    let writes = ["write", "writev", "send", "sendto", "sendmsg"];
    for call in calls().take_while(|call| !writes.contains(&call.name.as_str())) {
        if call.name == "setsockopt" {
            note(&mut foresight, call);
        }
    }
    foresight
}

fn note(foresight: &mut Foresight, call: &Call) {
    let [_, _, Expression::Word(name), setting, ..] = call.arguments.as_slice() else {
        return;
    };
    match (name.as_str(), setting.first()) {
        ("TCP_CONGESTION", Expression::Text(algorithm)) => {
            foresight.congestion = congestion_algorithm(algorithm);
        }
        ("TCP_NODELAY", setting) => foresight.no_delay = value(setting).is_ok_and(|on| on != 0),
        ("SO_KEEPALIVE", setting) => {
            foresight.keep_alive = value(setting).is_ok_and(|on| on != 0);
        }
        ("SO_SNDBUF", setting) => {
            let bytes = value(setting)
                .ok()
                .and_then(|bytes| u32::try_from(bytes).ok());
            foresight.send_buffer_bytes = bytes;
        }
        _ => {}
    }
}
