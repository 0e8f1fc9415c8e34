//! When a frame has collided with another.

use dot11::Frame;

use crate::budget::LinkBudget;
use crate::errors::{certain_from, sinr};

/// Whether a frame that a radio sends collides with what another one sends meanwhile: where it is
/// for, that is sensed, or is more than noise and may damage it.
///
/// What the addressee does not notice is no collision: another cell's frame that comes as a part of
/// the noise, or from another channel so far below the frame that no bit of it errs.
pub fn collides(
    frame: &Frame,
    from: usize,
    to: Option<usize>,
    other: usize,
    budget: &mut LinkBudget,
) -> bool {
    match to {
        Some(to) => collides_at(to, frame, from, other, budget),
        None => (0..budget.radios()).any(|to| {
            to != from
                && budget.is_received(from, to)
                && collides_at(to, frame, from, other, budget)
        }),
    }
}

fn collides_at(
    to: usize,
    frame: &Frame,
    from: usize,
    other: usize,
    budget: &mut LinkBudget,
) -> bool {
    // Who sends hears nothing.
    let is_noticed = to == other || budget.is_sensed(other, to);
    is_noticed
        || (from != to && budget.is_heard(other, to) && harms(to, frame, from, other, budget))
}

/// Whether what is not sensed may damage a frame all the same.
fn harms(to: usize, frame: &Frame, from: usize, other: usize, budget: &mut LinkBudget) -> bool {
    let [signal, power] = [from, other].map(|radio| budget.power(radio, to));
    let noise = budget.noise();
    let modulation = frame.mode().modulation();
    let may_err = match budget.rule() {
        Some(rule) => signal.0 < rule.capture * power.0,
        None => sinr(modulation, signal, power, noise) < certain_from(modulation),
    };
    power > noise && may_err
}
