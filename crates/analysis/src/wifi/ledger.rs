//! Uses of the air, as a sniffer sees them.
//!
//! The lines are those of the simulation's airtime ledger, under its names, as far as a
//! sniffer can know them. It cannot tell a collision from an error, sees nothing of frames
//! that no receiver could lock on to, and does not know who has something to send: where the
//! simulation knows, the sniffer takes a silence no longer than the shortest contention window
//! for backoff, a longer one for idleness.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// Uses of airtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedUse {
    /// Application bytes in frames that were acknowledged, or that nobody has to acknowledge.
    Payload,
    /// MAC, security, LLC, IP and transport headers and the FCS of such frames.
    Header,
    /// Preamble and PHY header of such frames.
    Preamble,
    /// MAC acknowledgments.
    Ack,
    /// RTS and CTS.
    RtsCts,
    /// Beacons.
    Beacon,
    /// Other management frames.
    Management,
    /// Other control frames.
    Control,
    /// SIFS and DIFS.
    Ifs,
    /// Silence while a station counts down or waits for EIFS.
    Backoff,
    /// Frames whose response did not come.
    CollisionOrError,
    /// Data frames that had been acknowledged before.
    Duplicate,
    /// Silence while a sender waits for a response that does not come.
    Timeout,
    /// Frames that the sniffer itself could not decode.
    Undecodable,
    /// Silence, to the sniffer, in which a frame was sent whose response it heard.
    Missed,
    /// Silence with nothing to send.
    Idle,
}

impl ObservedUse {
    /// Every use, in the order of the ledger's lines.
    pub const ALL: [(ObservedUse, &'static str); 16] = [
        (ObservedUse::Payload, "payload"),
        (ObservedUse::Header, "header"),
        (ObservedUse::Preamble, "preamble"),
        (ObservedUse::Ack, "ack"),
        (ObservedUse::RtsCts, "rts_cts"),
        (ObservedUse::Beacon, "beacon"),
        (ObservedUse::Management, "management"),
        (ObservedUse::Control, "control"),
        (ObservedUse::Ifs, "ifs"),
        (ObservedUse::Backoff, "backoff"),
        (ObservedUse::CollisionOrError, "collision_or_error"),
        (ObservedUse::Duplicate, "duplicate"),
        (ObservedUse::Timeout, "timeout"),
        (ObservedUse::Undecodable, "undecodable"),
        (ObservedUse::Missed, "missed"),
        (ObservedUse::Idle, "idle"),
    ];
}

/// Interframe spaces and contention of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChannelTiming {
    pub sifs_ns: u64,
    pub slot_ns: u64,
    pub cw_min: u64,
}

impl ChannelTiming {
    /// SIFS + 2 slots (IEEE 802.11-2020, 10.3.7).
    const fn difs_ns(self) -> u64 {
        self.sifs_ns + 2 * self.slot_ns
    }
}

/// aCWmax of all PHYs (IEEE 802.11-2020, 16.3.4, 17.4.4).
const CW_MAX: u64 = 1023;

/// Knowledge of the silence before a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// Not known whether anybody waited.
    Open,
    /// Who breaks it had something to send all the time.
    Wanted,
    /// It ends a SIFS before the response to a frame that was not captured.
    Hidden,
}

/// The account of one sniffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnifferLedger {
    spent_ns: [u64; ObservedUse::ALL.len()],
    /// All time before this is entered; none before the first frame and after a jump.
    entered: Option<u64>,
    /// A sender waits in vain until then.
    in_vain_until: u64,
}

impl SnifferLedger {
    /// The time spent on one use.
    pub const fn spent_ns(&self, on: ObservedUse) -> u64 {
        self.spent_ns[on as usize]
    }

    /// All time that is accounted for.
    pub fn total_ns(&self) -> u64 {
        self.spent_ns
            .iter()
            .fold(0, |sum, &spent| sum.saturating_add(spent))
    }

    /// The clock jumped, or the sniffer changed the channel: what lies between is not entered.
    pub(super) fn interrupt(&mut self) {
        self.entered = None;
    }

    /// A sender awaits a response until then, in vain.
    pub(super) fn wait_in_vain(&mut self, until: u64) {
        self.in_vain_until = until;
    }

    /// Enters the time up to `until`; gives how much that is.
    pub(super) fn enter(&mut self, until: u64, on: ObservedUse) -> u64 {
        let since = self.entered.unwrap_or(until);
        let spent = until.saturating_sub(since);
        let account = &mut self.spent_ns[on as usize];
        *account = account.saturating_add(spent);
        self.entered = Some(since + spent);
        spent
    }

    /// Something was entered under what it was not.
    pub(super) fn transfer(&mut self, nanos: u64, from: ObservedUse, to: ObservedUse) {
        let nanos = nanos.min(self.spent_ns[from as usize]);
        self.spent_ns[from as usize] -= nanos;
        let account = &mut self.spent_ns[to as usize];
        *account = account.saturating_add(nanos);
    }

    /// Enters the silence up to `now`: a wait in vain, then idleness, then the interframe space,
    /// then backoff.
    pub(super) fn enter_silence(&mut self, now: u64, timing: ChannelTiming, known: Silence) {
        let Some(since) = self.entered else {
            self.entered = Some(now);
            return;
        };
        let lasts = now.saturating_sub(since);
        let is_sifs = known != Silence::Hidden && lasts < timing.sifs_ns + timing.slot_ns / 2;
        if lasts == 0 || is_sifs {
            self.enter(now, ObservedUse::Ifs);
            return;
        }
        self.enter(now.min(self.in_vain_until), ObservedUse::Timeout);
        let difs = timing.difs_ns();
        if known == Silence::Hidden {
            self.enter(now.min(since.saturating_add(difs)), ObservedUse::Ifs);
            self.enter(now.saturating_sub(timing.sifs_ns), ObservedUse::Missed);
            self.enter(now, ObservedUse::Ifs);
            return;
        }
        let window = match known {
            Silence::Wanted => CW_MAX,
            Silence::Open | Silence::Hidden => timing.cw_min,
        };
        let left = now.saturating_sub(self.entered.unwrap_or(now));
        if left > difs + window * timing.slot_ns {
            // Who finds the medium idle waits for a DIFS and sends.
            self.enter(now - difs, ObservedUse::Idle);
        }
        self.enter(now.min(since.saturating_add(difs)), ObservedUse::Ifs);
        self.enter(now, ObservedUse::Backoff);
    }
}

impl Serialize for SnifferLedger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(ObservedUse::ALL.len()))?;
        for (on, name) in ObservedUse::ALL {
            map.serialize_entry(&format!("{name}_ns"), &self.spent_ns(on))?;
        }
        map.end()
    }
}
