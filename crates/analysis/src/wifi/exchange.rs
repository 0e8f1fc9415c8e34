//! Frame exchanges as one sniffer heard them: each frame with its response.

use super::account::ResponseState;
use super::books::Books;
use super::clock::{AirSpan, SnifferClock};
use super::heard::Contents;
use super::medium::{AttemptFacts, ChannelTime};
use super::timeline::SnifferTimeline;
use dissect::{Dot11Frame, kind};
use units::MacAddress;

/// A frame whose response is due.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameAwaitingResponse {
    pub frame: Dot11Frame,
    /// Time of the first frame of its transmission, if it was not alone.
    pub since_ns: u64,
    pub transmitter: MacAddress,
    /// Time when it was on the air.
    pub span: Option<AirSpan>,
    pub attempt: AttemptFacts,
}

/// Frames that one sniffer heard: an interface of the file.
#[derive(Debug, Default)]
pub(super) struct SnifferChannel {
    timeline: SnifferTimeline,
    /// The last frame that wanted a response. It is written where it stays, as it is too large to
    /// be handed around.
    held: FrameAwaitingResponse,
    /// True if its response is due.
    is_due: bool,
    pub medium: ChannelTime,
    pub frames: u64,
    pub frames_untimed: u64,
}

/// Without durations a response is the next frame of the file, no later than this: the longest
/// frame at 1 Mbit/s and its acknowledgment take 19 ms. (Inferred.)
const UNTIMED_RESPONSE_NS: u64 = 20_000_000;

impl SnifferChannel {
    /// Takes a frame.
    #[inline]
    pub fn take(&mut self, frame: &Dot11Frame, contents: &Contents, books: &mut Books) {
        if self.is_learning() {
            if self.timeline.keep(frame, contents) {
                self.begin(books);
            }
            return;
        }
        self.follow(frame, contents, books);
    }

    /// Returns whether frames wait for the clock to be learned.
    #[inline]
    pub fn is_learning(&self) -> bool {
        self.timeline.clock().is_none()
    }

    /// Learns the clock, and takes the frames that waited for it.
    #[cold]
    fn begin(&mut self, books: &mut Books) {
        for (frame, contents) in self.timeline.learn() {
            self.follow(&frame, &contents, books);
        }
    }

    /// The file ends. Gives how its clock was read, and the channels that it listened to.
    pub fn finish(&mut self, books: &mut Books) -> (Option<SnifferClock>, Vec<u16>) {
        self.begin(books);
        if self.is_due {
            let held = &self.held;
            self.medium.release(&held.frame, held.span, held.attempt);
        }
        self.medium.finish(books);
        let frequencies_mhz = std::mem::take(&mut self.timeline.frequencies_mhz);
        (self.timeline.clock().copied(), frequencies_mhz)
    }

    fn follow(&mut self, frame: &Dot11Frame, contents: &Contents, books: &mut Books) {
        self.frames += 1;
        if self.timeline.is_interrupted(frame) {
            self.medium.ledger.interrupt();
        }
        let span = self.timeline.place(frame);
        self.frames_untimed += u64::from(span.is_none());
        let fate = self.is_due.then(|| {
            let fate = self.held.fate(frame, span, self.timeline.clock());
            let response_ns = span.map_or(0, |span| span.airtime_ns());
            self.medium.settle(&self.held, fate, response_ns, books);
            fate
        });
        self.is_due = false;
        self.medium.enter_silence(frame, span, fate);
        self.enter(frame, contents, span, fate, books);
    }

    /// Enters a frame, and holds it if a response is due.
    #[inline]
    fn enter(
        &mut self,
        frame: &Dot11Frame,
        contents: &Contents,
        span: Option<AirSpan>,
        fate: Option<ResponseState>,
        books: &mut Books,
    ) {
        let transmitter = match frame.transmitter {
            Some(transmitter) if frame.is_legible() => transmitter,
            _ => return self.medium.enter_nameless(frame, span, fate, books),
        };
        let attempt = self
            .medium
            .enter_sent(frame, transmitter, contents, span, books);
        let is_request = matches!(
            frame.kind(),
            kind::RTS | kind::PS_POLL | kind::BLOCK_ACK_REQUEST
        );
        if frame.wants_ack() || is_request {
            self.is_due = true;
            if frame.radio.ampdu.is_none() || frame.radio.ampdu != self.held.frame.radio.ampdu {
                self.held.since_ns = frame.time_ns;
            }
            self.held.frame = *frame;
            self.held.transmitter = transmitter;
            self.held.span = span;
            self.held.attempt = attempt;
            return;
        }
        self.medium.release(frame, span, attempt);
        if let Contents::Acknowledged(bitmap) = contents {
            self.medium
                .take_block_ack(frame, transmitter, bitmap, books);
        }
    }
}

impl FrameAwaitingResponse {
    /// Returns how it fared, by the frame behind it.
    #[inline]
    fn fate(
        &self,
        next: &Dot11Frame,
        span: Option<AirSpan>,
        clock: Option<&SnifferClock>,
    ) -> ResponseState {
        let frame = &self.frame;
        let ampdu = frame.radio.ampdu;
        if ampdu.is_some() && next.radio.ampdu == ampdu {
            return ResponseState::Open;
        }
        let is_for_it = next.is_legible() && next.receiver == self.transmitter;
        if !is_for_it || !self.is_answered_in_time(next, span, clock) {
            return ResponseState::Lost;
        }
        match (next.kind(), frame.kind()) {
            (kind::CTS, kind::RTS) => ResponseState::Answered(frame.receiver),
            (_, kind::RTS) => ResponseState::Lost,
            (kind::ACK, _) => ResponseState::Answered(frame.receiver),
            (kind::BLOCK_ACK, _) => ResponseState::Open,
            _ => ResponseState::Lost,
        }
    }

    /// Returns whether the frame behind it came when its response is due.
    #[inline]
    fn is_answered_in_time(
        &self,
        next: &Dot11Frame,
        span: Option<AirSpan>,
        clock: Option<&SnifferClock>,
    ) -> bool {
        match (self.span, span, clock) {
            (Some(own), Some(span), Some(clock)) => {
                let due = own.end.saturating_add(own.sifs_ns);
                span.start.abs_diff(due) <= clock.tolerance_ns()
            }
            _ => next.time_ns.saturating_sub(self.frame.time_ns) <= UNTIMED_RESPONSE_NS,
        }
    }
}
