//! When a frame has collided with another.
//!
//! Bianchi's conditional collision probability p (IEEE JSAC 18(3), 2000, §IV) is that of a station
//! that transmits, that another one of its cell does so in the same slot; that all frames of a
//! collision are lost is an assumption of the model. So a frame has collided with what another
//! radio of its own cell sent meanwhile, whichever of the two was decoded. With what another cell
//! sent it has collided if it was lost to that: a cell far away whose frames come so much weaker
//! that they do no harm contends for nothing here.

use phy::TxVector;

use crate::budget::LinkBudget;
use crate::errors::{certain_from, sinr};

/// With whom a frame has collided; of several, the last of these that holds for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Collision {
    /// With nobody.
    #[default]
    None,
    /// With a radio that its sender senses.
    Sensed,
    /// With one that it does not sense.
    Hidden,
}

/// A frame on the air, the radios that it is from and for, and its row of the budget.
#[derive(Clone, Copy, Debug)]
pub struct OnAir {
    /// How the frame is sent.
    pub vector: TxVector,
    /// Who sends it.
    pub from: usize,
    /// None for everybody, or where no radio has the address.
    pub to: Option<usize>,
    pub row: usize,
}

impl OnAir {
    /// Returns whether both are of one cell: every frame of a cell is to or from its access point.
    /// A CTS to its own sender is for whoever hears it.
    fn is_of_cell_of(&self, other: &OnAir) -> bool {
        let has_receiver = self.to.is_some();
        self.to == Some(self.from)
            || self.to == Some(other.from)
            || other.to == Some(self.from)
            || (has_receiver && self.to == other.to)
    }

    /// Returns whether a radio that it is for notices another one.
    fn is_noticed_by_addressee(&self, other: &OnAir, budget: &mut LinkBudget) -> bool {
        match self.to {
            Some(to) => self.is_noticed(to, other, budget),
            None => (0..budget.radios()).any(|to| {
                to != self.from
                    && budget.is_received(self.row, to)
                    && self.is_noticed(to, other, budget)
            }),
        }
    }

    fn is_noticed(&self, to: usize, other: &OnAir, budget: &mut LinkBudget) -> bool {
        // Who sends hears nothing.
        to == other.from || budget.is_sensed(other.row, to) || self.is_harmed(to, other, budget)
    }

    /// Returns whether another one may damage it where it could be received but for that.
    fn is_harmed(&self, to: usize, other: &OnAir, budget: &mut LinkBudget) -> bool {
        if !budget.is_received(self.row, to) || !budget.is_heard(other.from, to) {
            return false;
        }
        let (power, noise) = (budget.power(other.from, to), budget.noise());
        if power <= noise {
            return false;
        }
        let signal = budget.power(self.from, to);
        match budget.rule() {
            Some(rule) => signal.0 < rule.capture * power.0,
            None => {
                let curve = self.vector.curve(budget.error_model());
                sinr(curve, signal, power, noise) < certain_from(curve)
            }
        }
    }
}

/// With what a frame has collided if it is lost, and if it is not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlaps {
    /// What another radio of its cell has sent, and its addressee has noticed.
    own: Collision,
    /// What another cell has sent that may damage it.
    harmful: Collision,
    /// What another cell has sent that its addressee senses, and may have taken for its frame.
    sensed: Collision,
}

impl Overlaps {
    /// Notes what another frame on the air is to this one.
    pub fn note(&mut self, frame: &OnAir, other: &OnAir, budget: &mut LinkBudget) {
        let with = match budget.is_sensed(other.row, frame.from) {
            true => Collision::Sensed,
            false => Collision::Hidden,
        };
        if frame.is_of_cell_of(other) {
            if frame.is_noticed_by_addressee(other, budget) {
                self.own = self.own.max(with);
            }
        } else if let Some(to) = frame.to {
            if frame.is_harmed(to, other, budget) {
                self.harmful = self.harmful.max(with);
            } else if budget.is_sensed(other.row, to) {
                self.sensed = self.sensed.max(with);
            }
        }
    }

    /// Returns what the frame has collided with at its end. One is `missed` that its addressee
    /// could have received, and was not synchronised on.
    pub fn collision(self, is_decoded: bool, is_missed: bool) -> Collision {
        match (is_decoded, is_missed) {
            (true, _) => self.own,
            (false, false) => self.own.max(self.harmful),
            (false, true) => self.own.max(self.harmful).max(self.sensed),
        }
    }
}
