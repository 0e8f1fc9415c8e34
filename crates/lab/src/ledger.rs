//! The airtime ledger: what every nanosecond of the channel was spent on.
//!
//! Time is entered once, in order, without gaps: what the entries add up to is
//! the time that has passed, exactly. A frame is entered at its end, when it is
//! known whether its addressee decoded it; the silence before it at its start,
//! when it is known who broke it.

use dot11::{Frame, FrameKind};
use units::{Duration, Time};

/// What airtime is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Use {
    /// Application bytes in decoded frames.
    Payload,
    /// MAC, LLC, IP and transport headers and the FCS of decoded data frames.
    Header,
    /// Preamble and PLCP header of decoded data frames.
    Preamble,
    /// MAC acknowledgements.
    Ack,
    /// RTS and CTS.
    RtsCts,
    /// SIFS and DIFS.
    Ifs,
    /// Silence while a station counts down or waits for EIFS.
    Backoff,
    /// Frames that overlapped and of which none was decoded.
    Collision,
    /// Frames that nothing overlapped and that their addressee could not decode.
    Error,
    /// Data frames their addressee had already.
    Duplicate,
    /// Silence while a sender waits for a response that does not come.
    Timeout,
    /// Beacons.
    Beacon,
    /// Silence with nothing to send.
    Idle,
}

impl Use {
    /// Every use, in the order of the ledger's columns.
    pub const ALL: [(Use, &'static str); 13] = [
        (Use::Payload, "payload"),
        (Use::Header, "header"),
        (Use::Preamble, "preamble"),
        (Use::Ack, "ack"),
        (Use::RtsCts, "rts_cts"),
        (Use::Ifs, "ifs"),
        (Use::Backoff, "backoff"),
        (Use::Collision, "collision"),
        (Use::Error, "error"),
        (Use::Duplicate, "duplicate"),
        (Use::Timeout, "timeout"),
        (Use::Beacon, "beacon"),
        (Use::Idle, "idle"),
    ];
}

/// How a frame fared at its addressee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Decoded, for the first time.
    Fresh,
    /// Decoded, and received before.
    Duplicate,
    /// Not decoded.
    Lost,
}

/// The account of one channel.
#[derive(Debug)]
pub struct Ledger {
    spent: [Duration; Use::ALL.len()],
    /// All time before this is entered.
    entered: Time,
    on_air: u32,
    overlapped: bool,
    sifs: Duration,
    difs: Duration,
    /// A sender waits in vain until then.
    in_vain_until: Time,
    /// Stations with something to send, and since when there is at least one.
    wanting: u32,
    wanted_since: Time,
}

impl Ledger {
    /// An account that opens at time zero with a silent channel.
    pub fn new(sifs: Duration, difs: Duration) -> Self {
        Ledger {
            spent: [Duration::ZERO; Use::ALL.len()],
            entered: Time::ZERO,
            on_air: 0,
            overlapped: false,
            sifs,
            difs,
            in_vain_until: Time::ZERO,
            wanting: 0,
            wanted_since: Time::ZERO,
        }
    }

    /// A station that had nothing to send has something now.
    #[inline]
    pub fn on_wanted(&mut self, now: Time) {
        if self.wanting == 0 {
            self.wanted_since = now;
        }
        self.wanting += 1;
    }

    /// A station has nothing to send any more.
    #[inline]
    pub fn on_satisfied(&mut self, now: Time) {
        self.wanting -= 1;
        if self.wanting == 0 && self.on_air == 0 {
            self.enter_silence(now);
        }
    }

    /// A sender awaits, until `until`, a response to a frame that was lost.
    #[inline]
    pub fn on_vain_wait(&mut self, until: Time) {
        self.in_vain_until = until;
    }

    /// A frame begins.
    #[inline]
    pub fn on_begin(&mut self, now: Time) {
        if self.on_air == 0 {
            self.enter_silence(now);
            self.overlapped = false;
        } else {
            self.overlapped = true;
        }
        self.on_air += 1;
    }

    /// A frame that began at `start` ends. `headers` bytes of its body precede the application's.
    #[inline]
    pub fn on_end(&mut self, now: Time, frame: &Frame, start: Time, fate: Fate, headers: u16) {
        self.on_air -= 1;
        if fate != Fate::Lost {
            self.enter(start.min(now), Use::Collision);
            self.enter_frame(now, frame, (start, now), fate, headers);
        }
        if self.on_air == 0 {
            self.enter(
                now,
                if self.overlapped {
                    Use::Collision
                } else {
                    Use::Error
                },
            );
        }
    }

    /// Forgets what was entered and starts measuring now.
    pub fn restart(&mut self, now: Time) {
        if self.on_air == 0 {
            self.enter_silence(now);
        }
        self.entered = now;
        self.spent = [Duration::ZERO; Use::ALL.len()];
    }

    /// Closes the account at `now`. A frame still on the air is entered as one that will be lost
    /// to an overlap or, alone, as far as it has come.
    pub fn close(&mut self, now: Time, unfinished: Option<(Frame, Time)>, headers: u16) {
        match unfinished {
            Some((frame, start)) if !self.overlapped => {
                let ends_at = start + frame.airtime();
                self.enter_frame(now, &frame, (start, ends_at), Fate::Fresh, headers);
            }
            Some(_) => self.enter(now, Use::Collision),
            None => self.enter_silence(now),
        }
    }

    /// The time spent on each use, in the order of [`Use::ALL`].
    pub fn spent(&self) -> &[Duration; Use::ALL.len()] {
        &self.spent
    }

    fn enter(&mut self, until: Time, on: Use) {
        if until > self.entered {
            self.spent[on as usize] += until - self.entered;
            self.entered = until;
        }
    }

    /// Enters the silence up to `now`: a wait in vain, then idleness until something is
    /// wanted, then the interframe space, then backoff.
    fn enter_silence(&mut self, now: Time) {
        let silent_since = self.entered;
        if now.saturating_since(silent_since) <= self.sifs {
            return self.enter(now, Use::Ifs);
        }
        self.enter(now.min(self.in_vain_until), Use::Timeout);
        if self.wanting == 0 && self.entered >= self.wanted_since {
            return self.enter(now, Use::Idle);
        }
        self.enter(now.min(self.wanted_since), Use::Idle);
        self.enter(now.min(silent_since + self.difs), Use::Ifs);
        self.enter(now, Use::Backoff);
    }

    /// Enters, up to `now`, a frame that is on the air from the first to the second time of
    /// `span`.
    #[inline(always)]
    fn enter_frame(
        &mut self,
        now: Time,
        frame: &Frame,
        span: (Time, Time),
        fate: Fate,
        headers: u16,
    ) {
        match frame.kind {
            FrameKind::Ack => self.enter(now, Use::Ack),
            FrameKind::Rts | FrameKind::Cts => self.enter(now, Use::RtsCts),
            FrameKind::Beacon => self.enter(now, Use::Beacon),
            FrameKind::Data if fate == Fate::Duplicate => self.enter(now, Use::Duplicate),
            FrameKind::Data => self.enter_data(now, frame, span, headers),
        }
    }

    fn enter_data(&mut self, now: Time, frame: &Frame, span: (Time, Time), headers: u16) {
        let (start, ends_at) = span;
        let first_bit = start + frame.plcp_time();
        self.enter(first_bit.min(now), Use::Preamble);
        let headers_in_body = headers
            .saturating_sub(frame.body_offset)
            .min(frame.body_bytes);
        let overhead = frame.bytes - frame.body_bytes + headers_in_body;
        let header_time = (ends_at - first_bit) * u64::from(overhead) / u64::from(frame.bytes);
        self.enter((first_bit + header_time).min(now), Use::Header);
        self.enter(now, Use::Payload);
    }
}
