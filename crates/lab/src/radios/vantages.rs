//! Where ledgers of airtime are kept: at every access point, and at stations asked for theirs.
//!
//! A vantage point enters what it senses: its own frames and those of others, as it has decoded
//! them or not, emitters, and silence, which is backoff while it, or anybody it senses, has
//! something to send. Of a frame that it sends or that is for it the ledger says what became of
//! it; so a frame lost to one that its sender does not sense is a collision in either's ledger.

use air::{Emitter, LinkBudget, Medium, Transmission};
use dot11::{Frame, Mode};
use units::{Duration, Time};

use crate::ids::InterfaceId;
use crate::meters::{AirtimeUse, DataOverhead, FrameReception, Ledger, Mark, Spent};
use crate::plan::{PlacedRadio, Plan};

/// All ledgers of a world.
#[derive(Debug)]
pub struct Vantages {
    /// The ledger of the only vantage point, where that senses all there is: every frame is its
    /// own or for it. Nothing else is asked of anybody then.
    all_sensed: Ledger,
    /// All vantage points, where any of them does not.
    apart: Option<Box<Apart>>,
    points: Vec<Point>,
}

/// A vantage point.
#[derive(Clone, Debug)]
struct Point {
    name: String,
    /// Its radio, the first of its access functions.
    radio: usize,
    interface: InterfaceId,
    is_access_point: bool,
    /// Whether it senses frames that are neither its own nor for it.
    overhears: bool,
}

/// Vantage points with an ear of their own each.
#[derive(Debug)]
struct Apart {
    /// By vantage point.
    ledgers: Vec<Ledger>,
    /// By row of the budget, the vantage points that sense its frames, the sender itself included.
    sensed_at: Vec<Vec<u32>>,
    /// By radio with something to send, the vantage points that know so.
    wanted_at: Vec<Vec<u32>>,
}

/// A frame that has ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedTransmission<'a> {
    pub now: Time,
    /// The radio that sent it.
    pub from: usize,
    /// The interfaces between which it was sent; to none if it was for all.
    pub between: (InterfaceId, Option<InterfaceId>),
    pub done: &'a Transmission,
    /// How it fared at its addressee.
    pub fate: FrameReception,
    /// What of its bytes is none of the application's.
    pub carried: DataOverhead,
    /// The interfaces of those who overhear that have decoded it.
    pub heard: &'a [InterfaceId],
}

/// What airtime was spent on at a vantage point up to each mark of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Spending<'a> {
    /// What the vantage point is called.
    pub name: &'a str,
    /// Whether it is an access point.
    pub is_access_point: bool,
    /// At each mark.
    pub at_marks: &'a [Spent],
}

impl Vantages {
    /// The ledgers that a plan asks for, with silence everywhere.
    pub(crate) fn new(plan: &Plan, placed: &[PlacedRadio<'_>], medium: &Medium) -> Vantages {
        let (budget, emitters) = (medium.budget(), medium.emitters());
        let points = points(plan, placed, budget);
        let ledger = |point: &Point| {
            let phy = placed[point.radio].radio.mac.phy();
            Ledger::new(phy.sifs, phy.difs)
        };
        let senses_all = match &points[..] {
            [] => true,
            [point] => !point.overhears && senses_all(point, placed, budget, emitters),
            _ => false,
        };
        let apart = (!senses_all).then(|| {
            let mut apart = Box::new(Apart {
                ledgers: points.iter().map(ledger).collect(),
                sensed_at: vec![Vec::new(); budget.rows()],
                wanted_at: vec![Vec::new(); placed.len()],
            });
            for radio in 0..placed.len() {
                apart.find_sensing(radio, &points, budget);
            }
            apart
        });
        let none = || Ledger::new(Duration::ZERO, Duration::ZERO);
        Vantages {
            all_sensed: points.first().map_or_else(none, ledger),
            apart,
            points,
        }
    }

    /// The radios that have to be told of every frame they decode.
    pub fn overhearing(&self) -> impl Iterator<Item = usize> {
        let overhearing = self.points.iter().filter(|point| point.overhears);
        overhearing.map(|point| point.radio)
    }

    /// A radio that had nothing to send has something now.
    #[inline]
    pub fn on_wanted(&mut self, now: Time, radio: usize) {
        match &mut self.apart {
            None => self.all_sensed.on_wanted(now),
            Some(apart) => apart.on_wanted(now, radio),
        }
    }

    /// A radio has nothing to send any more.
    #[inline]
    pub fn on_satisfied(&mut self, now: Time, radio: usize) {
        match &mut self.apart {
            None => self.all_sensed.on_satisfied(now),
            Some(apart) => apart.on_satisfied(now, radio),
        }
    }

    /// A radio awaits, until `until`, a response to a frame that was lost.
    #[inline]
    pub fn on_vain_wait(&mut self, until: Time, radio: usize) {
        match &mut self.apart {
            None => self.all_sensed.on_vain_wait(until),
            Some(apart) => apart.at(radio, |ledger| ledger.on_vain_wait(until)),
        }
    }

    /// A radio begins a frame of a mode. Its powers are known.
    #[inline]
    pub fn on_begin(&mut self, now: Time, radio: usize, mode: Mode, budget: &LinkBudget) {
        match &mut self.apart {
            None => self.all_sensed.on_begin(now),
            Some(apart) => {
                if budget.varies() {
                    apart.find_sensing(radio, &self.points, budget);
                }
                apart.at(budget.row(radio, mode), |ledger| ledger.on_begin(now));
            }
        }
    }

    /// The ledger that is all there is, where one is.
    #[inline]
    pub fn only(&mut self) -> Option<&mut Ledger> {
        match &self.apart {
            None => Some(&mut self.all_sensed),
            Some(_) => None,
        }
    }

    /// A frame ends, where several ledgers have it.
    #[inline(never)]
    pub fn on_end(&mut self, of: &EndedTransmission<'_>, budget: &LinkBudget) {
        if let Some(apart) = &mut self.apart {
            apart.on_end(of, &self.points, budget);
        }
    }

    /// A frame is about to end, and there are marks.
    #[cold]
    pub fn foresee_end(
        &mut self,
        now: Time,
        done: &Transmission,
        fate: FrameReception,
        carried: DataOverhead,
    ) {
        if self.apart.is_none() {
            (self.all_sensed).foresee_end(now, &done.frame, done.start, fate, carried);
        }
    }

    /// Returns whether [`Self::foresee_end`] has anything to do.
    pub fn has_marks(&self) -> bool {
        self.apart.is_none() && self.all_sensed.has_marks()
    }

    /// An emitter turns on.
    pub fn on_emission(&mut self, now: Time, emitter: &Emitter) {
        self.of_emitter(emitter, |ledger| ledger.on_emission(now));
    }

    /// An emitter turns off.
    pub fn on_emission_end(&mut self, now: Time, emitter: &Emitter) {
        self.of_emitter(emitter, |ledger| ledger.on_emission_end(now));
    }

    fn of_emitter(&mut self, emitter: &Emitter, enter: impl Fn(&mut Ledger)) {
        let Some(apart) = &mut self.apart else {
            return enter(&mut self.all_sensed);
        };
        let each = self.points.iter().zip(&mut apart.ledgers);
        each.filter(|(point, _)| emitter.is_sensed_by(point.radio))
            .for_each(|(_, ledger)| enter(ledger));
    }

    /// Forgets what was entered and marked, and starts measuring now.
    pub fn restart(&mut self, now: Time) {
        self.ledgers_mut().for_each(|ledger| ledger.restart(now));
    }

    /// Marks this moment.
    pub fn mark(&mut self, now: Time, of: Mark) {
        self.ledgers_mut().for_each(|ledger| ledger.mark(now, of));
    }

    /// Closes all ledgers with what is on the air. `carried_of` tells of a data frame what of it is
    /// none of the application's.
    pub fn close(
        &mut self,
        now: Time,
        medium: &Medium,
        carried_of: impl Fn(&Frame) -> DataOverhead,
    ) {
        let carried = |unfinished: Option<(Frame, Time)>| {
            unfinished.map_or(DataOverhead::default(), |(frame, _)| carried_of(&frame))
        };
        let Some(apart) = &mut self.apart else {
            let any = medium
                .on_air()
                .next()
                .map(|(_, frame, start)| (frame, start));
            return self.all_sensed.close(now, any, carried(any));
        };
        let budget = medium.budget();
        for (index, point) in self.points.iter().enumerate() {
            let row = |from, frame: &Frame| budget.row(from, frame.mode());
            let is_sensed = |row: usize| apart.sensed_at[row].contains(&(index as u32));
            let mut sensed =
                (medium.on_air()).filter(|(from, frame, _)| is_sensed(row(*from, frame)));
            let ledger = &mut apart.ledgers[index];
            let unfinished = match sensed.next() {
                Some((from, frame, _)) if !point.reads(from, row(from, &frame), budget) => {
                    ledger.on_energy_end(now);
                    None
                }
                any => any.map(|(_, frame, start)| (frame, start)),
            };
            ledger.close(now, unfinished, carried(unfinished));
        }
    }

    /// Returns what airtime was spent on at each vantage point, once all is closed.
    pub fn spending(&self, of: Mark) -> Vec<Spending<'_>> {
        let ledgers: Vec<_> = match &self.apart {
            None => vec![&self.all_sensed],
            Some(apart) => apart.ledgers.iter().collect(),
        };
        let each = self.points.iter().zip(ledgers);
        each.map(|(point, ledger)| Spending {
            name: &point.name,
            is_access_point: point.is_access_point,
            at_marks: ledger.at_marks(of),
        })
        .collect()
    }

    /// Returns what airtime was spent on so far at the first vantage point, by the uses' labels.
    pub fn so_far(&self) -> Vec<(&'static str, Duration)> {
        let first = match &self.apart {
            None => Some(&self.all_sensed),
            Some(apart) => apart.ledgers.first(),
        };
        let spent = first.map(Ledger::so_far).into_iter().flatten();
        (AirtimeUse::ALL.iter().zip(spent))
            .map(|(of, spent)| (of.label, spent))
            .collect()
    }

    /// Forgets the first so many marks of a kind, of which all has been told.
    pub fn forget_marks(&mut self, of: Mark, count: usize) {
        self.ledgers_mut()
            .for_each(|ledger| ledger.forget_marks(of, count));
    }

    fn ledgers_mut(&mut self) -> impl Iterator<Item = &mut Ledger> {
        match &mut self.apart {
            None => std::slice::from_mut(&mut self.all_sensed).iter_mut(),
            Some(apart) => apart.ledgers.iter_mut(),
        }
    }
}

impl Point {
    /// Returns whether it senses frames of a row of a radio's, or sends them.
    fn senses(&self, radio: usize, row: usize, budget: &LinkBudget) -> bool {
        radio == self.radio || budget.is_sensed(row, self.radio)
    }

    /// Returns whether it can synchronise on frames of a row of a radio's, or sends them.
    fn reads(&self, radio: usize, row: usize, budget: &LinkBudget) -> bool {
        radio == self.radio || budget.is_received(row, self.radio)
    }
}

impl Apart {
    fn find_sensing(&mut self, radio: usize, points: &[Point], budget: &LinkBudget) {
        for row in budget.rows_of(radio) {
            let sensed_at = &mut self.sensed_at[row];
            sensed_at.clear();
            let numbered = (0..).zip(points);
            sensed_at.extend(
                numbered
                    .filter(|(_, point)| point.senses(radio, row, budget))
                    .map(|(number, _)| number),
            );
        }
    }

    fn at(&mut self, row: usize, mut enter: impl FnMut(&mut Ledger)) {
        for &point in &self.sensed_at[row] {
            enter(&mut self.ledgers[point as usize]);
        }
    }

    fn on_wanted(&mut self, now: Time, radio: usize) {
        let (wanted_at, sensed_at) = (&mut self.wanted_at[radio], &self.sensed_at[radio]);
        wanted_at.clone_from(sensed_at);
        for &point in &*wanted_at {
            self.ledgers[point as usize].on_wanted(now);
        }
    }

    fn on_satisfied(&mut self, now: Time, radio: usize) {
        for &point in &self.wanted_at[radio] {
            self.ledgers[point as usize].on_satisfied(now);
        }
    }

    fn on_end(&mut self, of: &EndedTransmission<'_>, points: &[Point], budget: &LinkBudget) {
        let (from, to) = of.between;
        let frame = (&of.done.frame, of.done.start);
        let row = budget.row(of.from, of.done.frame.mode());
        for &number in &self.sensed_at[row] {
            let (point, ledger) = (&points[number as usize], &mut self.ledgers[number as usize]);
            let own = point.interface;
            let concerns = from == own || to == Some(own);
            let fate = match of.fate {
                fate if concerns || !point.overhears => fate,
                FrameReception::Duplicate if of.heard.contains(&own) => FrameReception::Duplicate,
                _ if of.heard.contains(&own) => FrameReception::Fresh,
                _ if point.reads(of.from, row, budget) => FrameReception::Lost,
                _ => {
                    ledger.on_energy_end(of.now);
                    continue;
                }
            };
            let overlapped = concerns && of.done.has_collided();
            ledger.on_end_near(of.now, frame, overlapped, fate, of.carried);
        }
    }
}

/// The vantage points of a plan.
fn points(plan: &Plan, placed: &[PlacedRadio<'_>], budget: &LinkBudget) -> Vec<Point> {
    let numbers = plan.interface_numbers();
    // Whose cell a radio is of: that of its access point, or its own.
    let cell = |at: &PlacedRadio<'_>| {
        let ap = at.radio.access_point;
        ap.map_or(at.interface, |ap| numbers[ap.node][ap.interface])
    };
    let may_sense = |from: usize, radio: usize| {
        budget.is_sensed(from, radio) || budget.varies_between(from, radio)
    };
    let point = |(radio, at): (usize, &PlacedRadio<'_>)| {
        let name = at.radio.ledger.clone()?;
        let is_access_point = at.radio.access_point.is_none();
        let is_for_others = |other: &PlacedRadio<'_>| match is_access_point {
            // Whoever roams may be of another cell by then.
            true => cell(other) != at.interface || plan.manages(other),
            false => other.interface != at.interface,
        };
        let mut others = placed.iter().enumerate();
        Some(Point {
            name,
            radio,
            interface: at.interface,
            is_access_point,
            overhears: others.any(|(from, other)| is_for_others(other) && may_sense(from, radio)),
        })
    };
    placed.iter().enumerate().filter_map(point).collect()
}

/// Returns whether a vantage point can synchronise on whatever is sent, and senses whatever else
/// anybody senses. What a link that varies takes away for a while is sent to it all the same, or by
/// it, and is told as lost.
fn senses_all(
    point: &Point,
    placed: &[PlacedRadio<'_>],
    budget: &LinkBudget,
    emitters: &[Emitter],
) -> bool {
    let reads = |radio| {
        let reads_each = (budget.rows_of(radio)).all(|row| point.reads(radio, row, budget));
        reads_each || budget.varies_between(radio, point.radio)
    };
    let reads_all = (0..placed.len()).all(reads);
    let mut sensed = emitters.iter().filter(|emitter| emitter.is_sensed());
    reads_all && sensed.all(|emitter| emitter.is_sensed_by(point.radio))
}
