//! Loss recovery: which segments are lost and what is retransmitted.
//!
//! The algorithms share the counting of duplicate acknowledgements, the recovery point
//! and what follows a timeout, which stand here, and what may be sent, in `sending.rs`; their own
//! steps stand in their own files.
//! How far the window falls and grows is asked of [`crate::congestion`].
//! Linux's, which counts segments and goes by the time each was sent, is a machine of its own:
//! [`linux`].

use crate::RecoveryPhase;
use crate::choices::choices;
use crate::congestion::{Controller, Loss};
use crate::send::SendPointers;
use scoreboard::Scoreboard;

mod census;
mod frto;
pub(crate) mod linux;
mod newreno;
mod reno;
mod reordering;
mod sack;
mod scoreboard;
mod sending;
mod tahoe;
mod undo;
mod vegas;

use frto::Frto;
use undo::Undo;

choices! {
    /// The loss recovery algorithms there are.
    pub enum RecoveryAlgorithm {
        /// Fast retransmit, then slow start from the left (Jacobson 1988).
        Tahoe = "tahoe",
        /// Fast recovery that ends with the first new acknowledgement (RFC 5681 §3.2).
        Reno = "reno",
        /// Fast recovery through partial acknowledgements (RFC 6582).
        NewReno = "newreno",
        /// Reno's, and what has been out for longer than a fine timer is retransmitted at the first
        /// duplicate (Brakmo and Peterson 1995, §III.A).
        Vegas = "vegas",
        /// Recovery by the scoreboard (RFC 6675); NewReno if the peer does not permit SACK.
        Sack = "sack",
    }
}

/// Meaning of a new acknowledgement for recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AckProgress {
    /// No fast recovery was going on.
    Ordinary,
    /// It uncovered another loss; `restart_timer` is false where the algorithm wants the
    /// retransmission timer left running.
    Partial { restart_timer: bool },
    /// It ended fast recovery.
    Recovered,
    /// F-RTO: new data are to follow, which will tell whether the timeout was spurious.
    Probing,
    /// The loss never was one: what followed from it is undone.
    Spurious,
}

/// Reaction to a duplicate acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Nothing but itself.
    None,
    /// Fast recovery.
    Recover,
    /// Everything outstanding is to be retransmitted from the left: Tahoe, or an F-RTO that
    /// found the timeout genuine.
    GoBack,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RecoverySettings {
    pub algorithm: RecoveryAlgorithm,
    pub threshold: u32,
    pub reordering_max: u32,
    pub limited_transmit: bool,
    /// True if repetitions count where SACK is agreed, too, and nothing but their number.
    pub duplicates_by_number: bool,
    pub frto: bool,
    /// True if timestamps, or duplicates reported by SACK, may undo a recovery.
    pub timestamp_undo: bool,
    pub dsack: bool,
    pub mss: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Recovery {
    settings: RecoverySettings,
    phase: RecoveryPhase,
    /// Number of duplicates that speak for a loss: the profile's, or more once segments were seen
    /// reordered.
    threshold: u32,
    /// True if what goes back was lost by the timer's word, not by that of duplicates.
    by_timer: bool,
    frto: Frto,
    undo: Undo,
    /// "recover" of RFC 6582 and RecoveryPoint of RFC 6675: what had been sent when the
    /// last recovery began.
    point: u64,
    duplicate_acks: u32,
    /// Bytes sent by limited transmit, which FlightSize leaves out.
    limited: u64,
    /// The first unacknowledged segment is to be retransmitted, whatever the window.
    resend_first: bool,
    /// RFC 5681's inflation of the window by what has left the network; negative after a
    /// large partial acknowledgement (RFC 6582 §3.2 step 3).
    inflation: i64,
    partial_acks: u32,
    scoreboard: Scoreboard,
    sack: sack::SackRecoveryState,
    fine: vegas::FineTimer,
}

impl Recovery {
    pub fn new(settings: RecoverySettings) -> Recovery {
        Recovery {
            settings,
            phase: RecoveryPhase::Open,
            threshold: settings.threshold,
            by_timer: false,
            frto: Frto::Off,
            undo: Undo::default(),
            point: 0,
            duplicate_acks: 0,
            limited: 0,
            resend_first: false,
            inflation: 0,
            partial_acks: 0,
            scoreboard: Scoreboard::default(),
            sack: sack::SackRecoveryState::default(),
            fine: vegas::FineTimer::default(),
        }
    }

    #[inline]
    pub fn phase(&self) -> RecoveryPhase {
        self.phase
    }

    #[inline]
    pub fn is_sack(&self) -> bool {
        self.settings.algorithm == RecoveryAlgorithm::Sack
    }

    /// Returns whether what repeats the last acknowledgement counts as a duplicate, whatever it
    /// tells by SACK.
    #[inline]
    pub fn counts_repetitions(&self) -> bool {
        !self.is_sack() || self.settings.duplicates_by_number
    }

    /// Returns whether what is retransmitted goes back to a timeout.
    pub fn is_by_timer(&self) -> bool {
        self.phase == RecoveryPhase::Timeout && self.by_timer
    }

    /// Returns how many duplicates speak for a loss by now.
    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    pub fn duplicate_acks(&self) -> u32 {
        self.duplicate_acks
    }

    /// The cumulative acknowledgement moved; `congestion` has grown by it already if it may.
    #[inline]
    pub fn on_new_ack(
        &mut self,
        o: SendPointers,
        acked: u64,
        congestion: &mut Controller,
    ) -> AckProgress {
        self.note_late_arrival(o.una - acked, o.una);
        self.duplicate_acks = 0;
        self.limited = 0;
        self.scoreboard.advance(o.una);
        match self.phase {
            RecoveryPhase::Open => AckProgress::Ordinary,
            RecoveryPhase::Timeout => self.going_back_new_ack(o, acked, congestion),
            RecoveryPhase::Fast => match self.settings.algorithm {
                RecoveryAlgorithm::Reno | RecoveryAlgorithm::Tahoe => self.reno_new_ack(congestion),
                RecoveryAlgorithm::Vegas => self.vegas_new_ack(congestion),
                RecoveryAlgorithm::NewReno => self.newreno_new_ack(o, acked, congestion),
                RecoveryAlgorithm::Sack => self.sack_new_ack(o, congestion),
            },
        }
    }

    fn going_back_new_ack(
        &mut self,
        o: SendPointers,
        acked: u64,
        congestion: &mut Controller,
    ) -> AckProgress {
        if self.frto != Frto::Off {
            return self.frto_new_ack(o, acked, congestion);
        }
        if o.una >= self.point {
            self.phase = RecoveryPhase::Open;
        }
        AckProgress::Ordinary
    }

    /// A duplicate acknowledgement arrived.
    pub fn on_duplicate_ack(
        &mut self,
        o: SendPointers,
        loss: Loss,
        congestion: &mut Controller,
    ) -> Reaction {
        self.duplicate_acks += 1;
        congestion.on_duplicate_ack();
        match self.phase {
            RecoveryPhase::Fast => {
                self.inflation += self.settings.mss as i64;
                self.resend_first |= self.fine.expires_again();
                return Reaction::None;
            }
            RecoveryPhase::Timeout if self.frto != Frto::Off => return self.frto_duplicate_ack(),
            _ => {}
        }
        if !self.speaks_for_loss(o) {
            return Reaction::None;
        }
        if self.settings.algorithm == RecoveryAlgorithm::Tahoe {
            self.enter_tahoe(o, loss, congestion);
            return Reaction::GoBack;
        }
        self.enter_fast(o, loss, congestion);
        Reaction::Recover
    }

    fn speaks_for_loss(&self, o: SendPointers) -> bool {
        match self.settings.algorithm {
            // Going back after a timeout sends what the duplicates would ask for.
            RecoveryAlgorithm::Reno => {
                self.has_reached_threshold() && self.phase == RecoveryPhase::Open
            }
            // Up to the recovery point duplicates may be those of segments sent in vain
            // (RFC 6582 §4). Tahoe sends many in vain, and would go back for ever (Floyd 1995,
            // "TCP and Successive Fast Retransmits").
            RecoveryAlgorithm::NewReno | RecoveryAlgorithm::Tahoe => {
                self.has_reached_threshold() && o.una > self.point
            }
            RecoveryAlgorithm::Vegas => {
                (self.has_reached_threshold() || self.fine.has_expired())
                    && self.phase == RecoveryPhase::Open
            }
            RecoveryAlgorithm::Sack => self.sack_speaks_for_loss(o),
        }
    }

    fn has_reached_threshold(&self) -> bool {
        self.duplicate_acks >= self.threshold
    }

    fn enter_fast(&mut self, o: SendPointers, loss: Loss, congestion: &mut Controller) {
        self.remember(o, congestion);
        congestion.on_loss(&self.without_limited(loss));
        self.phase = RecoveryPhase::Fast;
        self.point = o.max;
        self.resend_first = true;
        self.partial_acks = 0;
        // RFC 5681 §3.2 step 3: so many segments have left the network.
        self.inflation =
            i64::from(self.duplicate_acks.min(self.threshold)) * self.settings.mss as i64;
        self.fine.recover();
        self.sack = sack::SackRecoveryState::default();
        self.set_pipe(o);
    }

    /// FlightSize leaves out what limited transmit has sent (RFC 3042 §2).
    fn without_limited(&self, loss: Loss) -> Loss {
        let in_flight = loss.in_flight - self.limited.min(loss.in_flight);
        Loss { in_flight }
    }

    fn leave_fast(&mut self, burst_limit: u64, congestion: &mut Controller) -> AckProgress {
        congestion.on_recovered(burst_limit);
        self.phase = RecoveryPhase::Open;
        self.resend_first = false;
        self.inflation = 0;
        AckProgress::Recovered
    }

    /// Reduces the window as a loss would, with nothing to be retransmitted, unless a recovery or a
    /// timeout has just done so; answers whether it did.
    pub fn reduce_unless_recovering(
        &mut self,
        in_flight: u64,
        congestion: &mut Controller,
    ) -> bool {
        if self.phase != RecoveryPhase::Open {
            return false;
        }
        congestion.on_loss(&self.without_limited(Loss { in_flight }));
        congestion.on_recovered(u64::MAX);
        true
    }

    /// The retransmission timer expired: everything up to `o.max` is presumed lost; `again` if
    /// it is the same segment's second time or more.
    pub fn on_timeout(
        &mut self,
        o: SendPointers,
        loss: &Loss,
        again: bool,
        congestion: &mut Controller,
    ) {
        let is_first = self.phase != RecoveryPhase::Timeout || o.una >= self.point;
        if is_first {
            self.remember(o, congestion);
        }
        congestion.on_timeout(loss, again);
        // RFC 5682 §2.1 step 1: a timeout while another is being mended is taken at its word.
        self.frto = if self.settings.frto && is_first {
            Frto::AwaitFirst
        } else {
            Frto::Off
        };
        self.by_timer = true;
        self.go_back_from(o);
    }

    /// Segments have `mss` bytes from here on, and everything up to `o.max` is retransmitted in
    /// such.
    pub fn on_smaller_path(&mut self, o: SendPointers, mss: u64) {
        self.settings.mss = mss;
        self.retransmit_all(o);
    }

    /// Everything up to `o.max` is retransmitted, though no timer has expired.
    pub fn retransmit_all(&mut self, o: SendPointers) {
        self.frto = Frto::Off;
        self.by_timer = false;
        self.go_back_from(o);
    }

    fn go_back_from(&mut self, o: SendPointers) {
        self.phase = RecoveryPhase::Timeout;
        self.point = o.max;
        self.duplicate_acks = 0;
        self.limited = 0;
        self.resend_first = false;
        self.inflation = 0;
        self.scoreboard.clear();
    }
}
