//! Entries of a frame and the silence before it in the ledger.

use super::clock::AirSpan;
use super::ledger::{ObservedUse, Silence, SnifferLedger};
use super::msdu::Entered;
use dissect::{Dot11Frame, kind};
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
pub(super) fn silence(frame: &Dot11Frame, before: Option<ResponseState>) -> Silence {
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
pub(super) fn enter_arrived(
    ledger: &mut SnifferLedger,
    frame: &Dot11Frame,
    span: AirSpan,
) -> Entered {
    let on = match frame.kind() {
        kind::BEACON => ObservedUse::Beacon,
        kind::RTS => ObservedUse::RtsCts,
        kind::BLOCK_ACK => ObservedUse::Ack,
        _ if frame.is_data() => {
            let parts = parts(frame, span);
            return Entered {
                preamble_ns: ledger.enter(span.first_bit, ObservedUse::Preamble),
                header_ns: ledger.enter(span.first_bit + parts.header_ns, ObservedUse::Header),
                payload_ns: ledger.enter(span.end, ObservedUse::Payload),
            };
        }
        _ if frame.is_management() => ObservedUse::Management,
        _ => ObservedUse::Control,
    };
    ledger.enter(span.end, on);
    Entered::default()
}

/// Enters a frame without its response, for which its sender waits.
pub(super) fn enter_lost(
    ledger: &mut SnifferLedger,
    frame: &Dot11Frame,
    span: AirSpan,
    slot_ns: u64,
) -> Entered {
    ledger.enter(span.end, ObservedUse::CollisionOrError);
    let response_ns = frame.radio.preamble_ns().unwrap_or(0);
    // ACKTimeout (10.3.2.11): SIFS, a slot, and until a PHY header has been received.
    let timeout_ns = span.sifs_ns + slot_ns + response_ns;
    ledger.wait_in_vain(span.end.saturating_add(timeout_ns));
    parts(frame, span)
}

/// Returns how a data frame's time divides into preamble, headers and an application's bytes.
#[inline]
fn parts(frame: &Dot11Frame, span: AirSpan) -> Entered {
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
