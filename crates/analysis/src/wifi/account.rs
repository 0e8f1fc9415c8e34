//! Entries of a frame and the silence before it in the ledger.

use super::clock::Span;
use super::ledger::{Ledger, Silence, Use};
use super::msdu::Entered;
use dissect::{Frame, kind};
use units::MacAddress;

/// Fate of a frame at its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResponseState {
    /// Its response came, from this station.
    Answered(MacAddress),
    /// Its response did not come.
    Lost,
    /// A block acknowledgment tells.
    Open,
}

/// Returns what is known of the silence before a frame, behind one of this fate.
#[inline]
pub(super) fn silence(frame: &Frame, before: Option<ResponseState>) -> Silence {
    let is_response = matches!(frame.kind(), kind::ACK | kind::BLOCK_ACK);
    match before {
        _ if !frame.is_legible() => Silence::Open,
        Some(ResponseState::Lost) | None if is_response => Silence::Hidden,
        _ if frame.is_retry() => Silence::Wanted,
        _ => Silence::Open,
    }
}

/// Enters a frame that reached whom it was for.
#[inline]
pub(super) fn enter_arrived(ledger: &mut Ledger, frame: &Frame, span: Span) -> Entered {
    let on = match frame.kind() {
        kind::BEACON => Use::Beacon,
        kind::RTS => Use::RtsCts,
        kind::BLOCK_ACK => Use::Ack,
        _ if frame.is_data() => {
            let parts = parts(frame, span);
            return Entered {
                preamble_ns: ledger.enter(span.first_bit, Use::Preamble),
                header_ns: ledger.enter(span.first_bit + parts.header_ns, Use::Header),
                payload_ns: ledger.enter(span.end, Use::Payload),
            };
        }
        _ if frame.is_management() => Use::Management,
        _ => Use::Control,
    };
    ledger.enter(span.end, on);
    Entered::default()
}

/// Enters a frame without its response, for which its sender waits.
pub(super) fn enter_lost(ledger: &mut Ledger, frame: &Frame, span: Span, slot_ns: u64) -> Entered {
    ledger.enter(span.end, Use::CollisionOrError);
    let response_ns = frame.radio.preamble_ns().unwrap_or(0);
    // ACKTimeout (10.3.2.11): SIFS, a slot, and until a PHY header has been received.
    let timeout_ns = span.sifs_ns + slot_ns + response_ns;
    ledger.wait_in_vain(span.end.saturating_add(timeout_ns));
    parts(frame, span)
}

/// Returns how a data frame's time divides into preamble, headers and an application's bytes.
#[inline]
fn parts(frame: &Frame, span: Span) -> Entered {
    if !frame.is_data() {
        return Entered::default();
    }
    let body = span.end - span.first_bit;
    let carried = frame.psdu();
    let overhead = carried - frame.body_len() + frame.inner_headers;
    let header_ns = body * u64::from(overhead) / u64::from(carried.max(1));
    Entered {
        preamble_ns: span.first_bit - span.start,
        header_ns,
        payload_ns: body - header_ns,
    }
}
