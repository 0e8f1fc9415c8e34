//! A connection takes a segment, and says what it was.

use crate::connection::Connection;
use crate::direction::DirectionState;
use crate::step::{Answer, Kind, Step};
use dissect::{Flags, Segment};

/// Lets a connection take a segment, and tells what it was.
pub(super) fn take(connection: &mut Connection, segment: &Segment) -> Step {
    let mut step = Step {
        from: connection.sender(segment),
        kind: kind(segment),
        answer: match acknowledges(segment) {
            true => Answer::Repeat,
            false => Answer::None,
        },
        ..Step::default()
    };
    connection.take(segment, &mut step);
    look_at(&mut step, connection, segment);
    step
}

/// Notes what of it the books say behind it.
fn look_at(step: &mut Step, connection: &Connection, segment: &Segment) {
    let own = &connection.halves[step.from];
    let peer = &connection.halves[1 - step.from];
    step.range = range_of(own, segment).filter(|_| step.kind != Kind::Strange);
    step.left_at_ns = step.left_at_ns.filter(|_| step.kind == Kind::OutOfOrder);
    step.window = own.advertised(segment);
    step.flight = own.flight();
    step.peer_flight = peer.flight();
    let is_known = acknowledges(segment) && step.answer != Answer::Strange;
    step.ack = peer.number(segment.ack).filter(|_| is_known);
}

/// Returns whether the acknowledgment of a segment counts.
const fn acknowledges(segment: &Segment) -> bool {
    segment.flags.has(Flags::ACK) && !segment.flags.has(Flags::RST)
}

/// Returns what a segment is unless something else is found.
const fn kind(segment: &Segment) -> Kind {
    let brings = segment.payload > 0 || segment.flags.has(Flags::FIN);
    if brings && !segment.flags.has(Flags::RST) {
        Kind::New
    } else {
        Kind::Bare
    }
}

/// The sequence numbers that a segment occupies, in full.
fn range_of(half: &DirectionState, segment: &Segment) -> Option<(u64, u64)> {
    let flags = segment.flags;
    let markers = u64::from(flags.has(Flags::SYN)) + u64::from(flags.has(Flags::FIN));
    let start = half.number(segment.seq)?;
    Some((start, start + u64::from(segment.payload) + markers))
}
