//! A connection takes a segment, and says what it was.

use crate::connection::CapturedConnection;
use crate::direction::DirectionState;
use crate::step::{AckKind, SegmentKind, Step};
use dissect::{ControlBits, TcpSegment};

/// Lets a connection take a segment, and tells what it was.
pub(super) fn take(connection: &mut CapturedConnection, segment: &TcpSegment) -> Step {
    let mut step = Step {
        from: connection.sender(segment),
        kind: kind(segment),
        answer: match acknowledges(segment) {
            true => AckKind::Repeat,
            false => AckKind::None,
        },
        ..Step::default()
    };
    connection.take(segment, &mut step);
    look_at(&mut step, connection, segment);
    step
}

/// Notes what of it the books say behind it.
fn look_at(step: &mut Step, connection: &CapturedConnection, segment: &TcpSegment) {
    let own = &connection.halves[step.from];
    let peer = &connection.halves[1 - step.from];
    step.range = range_of(own, segment).filter(|_| step.kind != SegmentKind::Strange);
    step.left_at_ns = step
        .left_at_ns
        .filter(|_| step.kind == SegmentKind::OutOfOrder);
    step.window = own.advertised(segment);
    step.flight = own.flight();
    step.peer_flight = peer.flight();
    let is_known = acknowledges(segment) && step.answer != AckKind::Strange;
    step.ack = peer.number(segment.ack).filter(|_| is_known);
}

/// Returns whether the acknowledgment of a segment counts.
const fn acknowledges(segment: &TcpSegment) -> bool {
    segment.flags.has(ControlBits::ACK) && !segment.flags.has(ControlBits::RST)
}

/// Returns what a segment is unless something else is found.
const fn kind(segment: &TcpSegment) -> SegmentKind {
    let brings = segment.payload > 0 || segment.flags.has(ControlBits::FIN);
    if brings && !segment.flags.has(ControlBits::RST) {
        SegmentKind::New
    } else {
        SegmentKind::Bare
    }
}

/// The sequence numbers that a segment occupies, in full.
fn range_of(half: &DirectionState, segment: &TcpSegment) -> Option<(u64, u64)> {
    let flags = segment.flags;
    let markers = u64::from(flags.has(ControlBits::SYN)) + u64::from(flags.has(ControlBits::FIN));
    let start = half.number(segment.seq)?;
    Some((start, start + u64::from(segment.payload) + markers))
}
