//! The airtime ledger: what every nanosecond was spent on where it is kept.
//!
//! Time is entered once, in order, without gaps: what the entries add up to is
//! the time that has passed, exactly. A frame is entered at its end, when it is
//! known whether its addressee decoded it; the silence before it at its start,
//! when it is known who broke it.

use std::collections::VecDeque;

use dot11::{Frame, FrameKind};
use units::declaration::Metric;
use units::{Duration, Time};

macro_rules! uses {
    ($($(#[doc = $about:literal])+ $use:ident = $name:literal, $label:literal;)*) => {
        /// What airtime is spent on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum AirtimeUse {
            $($(#[doc = $about])+ $use,)*
        }

        impl AirtimeUse {
            /// Every use, in the order of the ledger's columns.
            pub const ALL: [Metric; [$($name),*].len()] = [$(Metric {
                name: $name,
                label: $label,
                unit: "s",
                about: concat!($($about),+).trim_ascii_start(),
            }),*];
        }
    };
}

uses! {
    /// application bytes in data frames that were decoded
    Payload = "payload", "Payload";
    /// MAC, LLC, IP and TCP, UDP or ICMP headers and the FCS of those frames
    Header = "header", "Headers";
    /// PLCP preambles and PLCP headers of those frames
    Preamble = "preamble", "Preambles";
    /// MAC acknowledgements, and requests for them, with their preambles
    Ack = "ack", "MAC ACK";
    /// request and clear to send with their preambles
    RtsCts = "rts_cts", "RTS/CTS";
    /// SIFS within exchanges, and DIFS before a countdown
    Ifs = "ifs", "Interframe spaces";
    /// silence while somebody counts down or waits for EIFS
    Backoff = "backoff", "Backoff";
    /// frames that overlapped and of which none was decoded
    Collision = "collision", "Collisions";
    /// frames that were lost although nothing overlapped them
    Error = "error", "Frame errors";
    /// data frames that their receiver had already
    Duplicate = "duplicate", "Duplicates";
    /// silence while a sender waits for a response that does not come
    Timeout = "timeout", "Timeouts";
    /// beacons and other management frames with their preambles
    Beacon = "beacon", "Beacons";
    /// frames of which nothing but energy is sensed: too weak to synchronise on, or on another channel
    Energy = "energy", "Energy alone";
    /// emitters that radiate while no frame is on the air
    Noise = "noise", "Noise";
    /// silence while nobody has anything to send
    Idle = "idle", "Idle";
}

/// What of a data frame's bytes is none of the application's.
#[derive(Clone, Copy, Debug, Default)]
pub struct DataOverhead {
    /// Those that precede the application's in the MSDU; under block acknowledgment, all in MPDUs that
    /// arrived and around them that are not the application's.
    pub headers: u32,
    /// Those of MPDUs that were lost while others of the frame arrived.
    pub lost: u32,
}

/// How a frame fared at its addressee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameReception {
    /// Decoded, for the first time.
    Fresh,
    /// Decoded, and received before.
    Duplicate,
    /// Not decoded.
    Lost,
}

/// An account of airtime.
#[derive(Debug)]
pub struct Ledger {
    account: AirtimeTotals,
    /// The account as it stood at the marks of each kind that are reached.
    at_marks: [Vec<Spent>; Mark::COUNT],
    /// The marks not reached yet, the next one first.
    marks: VecDeque<(Time, Mark)>,
    /// The next mark; never without one.
    mark: Time,
}

/// The time spent on each use, in the order of [`AirtimeUse::ALL`].
pub type Spent = [Duration; AirtimeUse::ALL.len()];

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A cut of the run, where a window begins or ends.
    Cut,
    /// The end of a step of the series.
    Step,
}

impl Mark {
    const COUNT: usize = 2;
}

impl Ledger {
    /// An account that opens at time zero with a silent channel.
    pub fn new(sifs: Duration, difs: Duration) -> Self {
        Ledger {
            account: AirtimeTotals {
                spent: [Duration::ZERO; AirtimeUse::ALL.len()],
                entered: Time::ZERO,
                on_air: 0,
                emissions: 0,
                overlapped: false,
                sifs,
                difs,
                in_vain_until: Time::ZERO,
                wanting: 0,
                wanted_since: Time::ZERO,
                closed: Time::NEVER,
            },
            at_marks: [const { Vec::new() }; Mark::COUNT],
            marks: VecDeque::new(),
            mark: Time::NEVER,
        }
    }

    /// A station that had nothing to send has something now.
    #[inline]
    pub fn on_wanted(&mut self, now: Time) {
        self.account.on_wanted(now);
    }

    /// A station has nothing to send any more.
    #[inline]
    pub fn on_satisfied(&mut self, now: Time) {
        if now > self.mark {
            self.foresee(|account| account.on_satisfied::<true>(now));
        }
        self.account.on_satisfied::<false>(now);
    }

    /// A sender awaits, until `until`, a response to a frame that was lost.
    #[inline]
    pub fn on_vain_wait(&mut self, until: Time) {
        self.account.in_vain_until = until;
    }

    /// A frame begins.
    #[inline]
    pub fn on_begin(&mut self, now: Time) {
        if now > self.mark {
            self.foresee(|account| account.on_begin::<true>(now));
        }
        self.account.on_begin::<false>(now);
    }

    /// An emitter turns on.
    pub fn on_emission(&mut self, now: Time) {
        self.foresee(|account| account.on_emission::<true>(now));
        self.account.on_emission::<false>(now);
    }

    /// An emitter turns off.
    pub fn on_emission_end(&mut self, now: Time) {
        self.foresee(|account| account.on_emission_end::<true>(now));
        self.account.on_emission_end::<false>(now);
    }

    /// A frame that began at `start` ends. `carried` says what of it is none of the application's.
    /// Where there are marks, [`Ledger::foresee_end`] comes before.
    #[inline]
    pub fn on_end(
        &mut self,
        now: Time,
        frame: &Frame,
        start: Time,
        fate: FrameReception,
        carried: DataOverhead,
    ) {
        self.account
            .on_end::<false>(now, frame, start, fate, carried);
    }

    /// A frame is about to end. Apart from its end, which every frame comes by, so that those
    /// pay nothing behind which there is no mark.
    #[cold]
    pub fn foresee_end(
        &mut self,
        now: Time,
        frame: &Frame,
        start: Time,
        fate: FrameReception,
        carried: DataOverhead,
    ) {
        self.foresee(|account| account.on_end::<true>(now, frame, start, fate, carried));
    }

    /// The same of a frame that may have been overlapped by what is not sensed here, marks or none.
    pub fn on_end_near(
        &mut self,
        now: Time,
        (frame, start): (&Frame, Time),
        overlapped: bool,
        fate: FrameReception,
        carried: DataOverhead,
    ) {
        self.account.overlapped |= overlapped;
        if now > self.mark {
            self.foresee_end(now, frame, start, fate, carried);
        }
        self.on_end(now, frame, start, fate, carried);
    }

    /// A frame ends of which only energy was sensed.
    pub fn on_energy_end(&mut self, now: Time) {
        if now > self.mark {
            self.foresee(|account| account.on_energy_end::<true>(now));
        }
        self.account.on_energy_end::<false>(now);
    }

    /// Forgets what was entered and marked, and starts measuring now.
    pub fn restart(&mut self, now: Time) {
        self.account.restart(now);
        self.at_marks.iter_mut().for_each(Vec::clear);
        self.marks.clear();
        self.mark = Time::NEVER;
    }

    /// Closes the account at `now`. A frame still on the air is entered as one that will be lost
    /// to an overlap or, alone, as far as it has come.
    pub fn close(&mut self, now: Time, unfinished: Option<(Frame, Time)>, carried: DataOverhead) {
        self.foresee(|account| account.close(now, unfinished, carried));
        self.account.close(now, unfinished, carried);
    }

    /// Marks this moment. What the time just before it was spent on will be known later.
    pub fn mark(&mut self, now: Time, of: Mark) {
        self.marks.push_back((now, of));
        self.mark = self.marks[0].0;
    }

    /// The time spent on each use up to each mark of a kind, once the account is closed.
    pub fn at_marks(&self, of: Mark) -> &[Spent] {
        &self.at_marks[of as usize]
    }

    /// The time spent on each use, as far as it is entered.
    pub fn so_far(&self) -> Spent {
        self.account.spent
    }

    /// Forgets the first so many marks of a kind.
    pub fn forget_marks(&mut self, of: Mark, count: usize) {
        let known = &mut self.at_marks[of as usize];
        known.drain(..count.min(known.len()));
    }

    /// Returns whether there are marks that are not reached yet.
    pub fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Tells for each mark that `enter` is about to reach what is entered by then.
    #[cold]
    fn foresee(&mut self, enter: impl Fn(&mut AirtimeTotals)) {
        let mut whole = self.account.clone();
        enter(&mut whole);
        while self.mark <= whole.entered {
            let mut until_mark = self.account.clone();
            until_mark.closed = self.mark;
            enter(&mut until_mark);
            if let Some((_, of)) = self.marks.pop_front() {
                self.at_marks[of as usize].push(until_mark.spent);
            }
            self.mark = self.marks.front().map_or(Time::NEVER, |(time, _)| *time);
        }
    }
}

/// What has been entered so far.
#[derive(Clone, Debug)]
struct AirtimeTotals {
    spent: Spent,
    /// All time before this is entered.
    entered: Time,
    on_air: u32,
    /// Emitters that are on.
    emissions: u32,
    overlapped: bool,
    sifs: Duration,
    difs: Duration,
    /// A sender waits in vain until then.
    in_vain_until: Time,
    /// Stations with something to send, and since when there is at least one.
    wanting: u32,
    wanted_since: Time,
    /// Nothing behind this is entered, by operations that ask.
    closed: Time,
}

/// What `MAY_BE_CLOSED` is true for heeds where the account is closed.
impl AirtimeTotals {
    /// A station that had nothing to send has something now.
    #[inline]
    fn on_wanted(&mut self, now: Time) {
        if self.wanting == 0 {
            self.wanted_since = now;
        }
        self.wanting += 1;
    }

    /// A station has nothing to send any more.
    #[inline]
    fn on_satisfied<const MAY_BE_CLOSED: bool>(&mut self, now: Time) {
        self.wanting -= 1;
        if self.wanting == 0 && self.on_air == 0 {
            self.enter_silence::<MAY_BE_CLOSED>(now);
        }
    }

    /// A frame begins.
    #[inline]
    fn on_begin<const MAY_BE_CLOSED: bool>(&mut self, now: Time) {
        if self.on_air == 0 {
            self.enter_silence::<MAY_BE_CLOSED>(now);
            self.overlapped = false;
        } else {
            self.overlapped = true;
        }
        self.on_air += 1;
    }

    /// An emitter turns on.
    fn on_emission<const MAY_BE_CLOSED: bool>(&mut self, now: Time) {
        if self.on_air == 0 {
            self.enter_silence::<MAY_BE_CLOSED>(now);
        }
        self.emissions += 1;
    }

    /// An emitter turns off.
    fn on_emission_end<const MAY_BE_CLOSED: bool>(&mut self, now: Time) {
        if self.on_air == 0 {
            self.enter_silence::<MAY_BE_CLOSED>(now);
        }
        self.emissions -= 1;
    }

    /// A frame that began at `start` ends. `carried` says what of it is none of the application's.
    // In line by order: it ends every frame where one ledger is all there is.
    #[inline(always)]
    fn on_end<const MAY_BE_CLOSED: bool>(
        &mut self,
        now: Time,
        frame: &Frame,
        start: Time,
        fate: FrameReception,
        carried: DataOverhead,
    ) {
        self.on_air -= 1;
        if fate != FrameReception::Lost {
            self.enter::<MAY_BE_CLOSED>(start.min(now), AirtimeUse::Collision);
            self.enter_frame::<MAY_BE_CLOSED>(now, frame, (start, now), fate, carried);
        }
        self.end_undecoded::<MAY_BE_CLOSED>(now, AirtimeUse::Error);
    }

    /// A frame ends of which only energy was sensed.
    fn on_energy_end<const MAY_BE_CLOSED: bool>(&mut self, now: Time) {
        self.on_air -= 1;
        self.end_undecoded::<MAY_BE_CLOSED>(now, AirtimeUse::Energy);
    }

    /// Enters what nobody has decoded once the last frame has ended: a collision, or else a frame
    /// that was alone.
    #[inline(always)]
    fn end_undecoded<const MAY_BE_CLOSED: bool>(&mut self, now: Time, alone: AirtimeUse) {
        if self.on_air == 0 {
            let on = if self.overlapped {
                AirtimeUse::Collision
            } else {
                alone
            };
            self.enter::<MAY_BE_CLOSED>(now, on);
        }
    }

    /// Forgets what was entered and starts measuring now.
    fn restart(&mut self, now: Time) {
        if self.on_air == 0 {
            self.enter_silence::<true>(now);
        }
        self.entered = now;
        self.spent = [Duration::ZERO; AirtimeUse::ALL.len()];
    }

    /// Closes the account at `now`. A frame still on the air is entered as one that will be lost
    /// to an overlap or, alone, as far as it has come.
    fn close(&mut self, now: Time, unfinished: Option<(Frame, Time)>, carried: DataOverhead) {
        match unfinished {
            Some((frame, start)) if !self.overlapped => {
                let ends_at = start + frame.airtime();
                self.enter_frame::<true>(
                    now,
                    &frame,
                    (start, ends_at),
                    FrameReception::Fresh,
                    carried,
                );
            }
            Some(_) => self.enter::<true>(now, AirtimeUse::Collision),
            None => self.enter_silence::<true>(now),
        }
    }

    fn enter<const MAY_BE_CLOSED: bool>(&mut self, until: Time, on: AirtimeUse) {
        let until = match MAY_BE_CLOSED {
            true => until.min(self.closed),
            false => until,
        };
        if until > self.entered {
            self.spent[on as usize] += until - self.entered;
            self.entered = until;
        }
    }

    /// Enters the time without a frame up to `now`: noise, if anything radiates; else a wait in
    /// vain, then idleness until something is wanted, then the interframe space, then backoff.
    fn enter_silence<const MAY_BE_CLOSED: bool>(&mut self, now: Time) {
        if self.emissions > 0 {
            return self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::Noise);
        }
        let silent_since = self.entered;
        if now.saturating_since(silent_since) <= self.sifs {
            return self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::Ifs);
        }
        self.enter::<MAY_BE_CLOSED>(now.min(self.in_vain_until), AirtimeUse::Timeout);
        if self.wanting == 0 && self.entered >= self.wanted_since {
            return self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::Idle);
        }
        self.enter::<MAY_BE_CLOSED>(now.min(self.wanted_since), AirtimeUse::Idle);
        self.enter::<MAY_BE_CLOSED>(now.min(silent_since + self.difs), AirtimeUse::Ifs);
        self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::Backoff);
    }

    /// Enters, up to `now`, a frame that is on the air from the first to the second time of
    /// `span`.
    #[inline(always)]
    fn enter_frame<const MAY_BE_CLOSED: bool>(
        &mut self,
        now: Time,
        frame: &Frame,
        span: (Time, Time),
        fate: FrameReception,
        carried: DataOverhead,
    ) {
        match frame.kind {
            FrameKind::Ack | FrameKind::BlockAck | FrameKind::BlockAckRequest => {
                self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::Ack);
            }
            FrameKind::Rts | FrameKind::Cts => self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::RtsCts),
            FrameKind::Data if fate == FrameReception::Duplicate => {
                self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::Duplicate);
            }
            FrameKind::Data if !frame.mode().is_legacy() => {
                self.enter_mpdus::<MAY_BE_CLOSED>(now, frame, span, carried);
            }
            FrameKind::Data => self.enter_data::<MAY_BE_CLOSED>(now, frame, span, carried),
            _ => self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::Beacon),
        }
    }

    #[inline(always)]
    fn enter_data<const MAY_BE_CLOSED: bool>(
        &mut self,
        now: Time,
        frame: &Frame,
        span: (Time, Time),
        carried: DataOverhead,
    ) {
        let (start, ends_at) = span;
        let first_bit = start + frame.plcp_time();
        self.enter::<MAY_BE_CLOSED>(first_bit.min(now), AirtimeUse::Preamble);
        let headers_in_body = (carried.headers as u16)
            .saturating_sub(frame.body_offset)
            .min(frame.body_bytes);
        let overhead = frame.bytes - frame.body_bytes + headers_in_body;
        let header_time = (ends_at - first_bit) * u64::from(overhead) / u64::from(frame.bytes);
        self.enter::<MAY_BE_CLOSED>((first_bit + header_time).min(now), AirtimeUse::Header);
        self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::Payload);
    }

    /// The same of MPDUs under block acknowledgment, some of which may have been lost.
    #[cold]
    #[inline(never)]
    fn enter_mpdus<const MAY_BE_CLOSED: bool>(
        &mut self,
        now: Time,
        frame: &Frame,
        (start, ends_at): (Time, Time),
        carried: DataOverhead,
    ) {
        let first_bit = start + frame.plcp_time();
        self.enter::<MAY_BE_CLOSED>(first_bit.min(now), AirtimeUse::Preamble);
        let time =
            |bytes: u32| (ends_at - first_bit) * u64::from(bytes) / u64::from(frame.psdu_bytes());
        let headers_end = first_bit + time(carried.headers);
        self.enter::<MAY_BE_CLOSED>(headers_end.min(now), AirtimeUse::Header);
        let lost_end = headers_end + time(carried.lost);
        self.enter::<MAY_BE_CLOSED>(lost_end.min(now), AirtimeUse::Error);
        self.enter::<MAY_BE_CLOSED>(now, AirtimeUse::Payload);
    }
}
