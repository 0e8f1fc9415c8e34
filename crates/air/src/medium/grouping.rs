//! Who senses the same.

use std::collections::BTreeMap;

use dot11::{Address, Contention};

use super::Medium;
use crate::budget::LinkBudget;
use crate::emitter::Emitter;
use crate::group::SensingGroup;
use crate::listener::Listener;
use crate::next::Firsts;
use crate::receptions::Receptions;

/// From how many radios on it pays that those who are in step share what they wait for.
pub const SHARED_FROM: usize = 8;

impl Medium {
    /// A silent channel, on which groups of at least `shared_from` radios share.
    pub(super) fn grouped(
        budget: LinkBudget,
        emitters: Vec<Emitter>,
        stations: impl Iterator<Item = (Address, Contention)>,
        shared_from: usize,
    ) -> Medium {
        let mut listeners: Vec<_> = stations
            .map(|(address, contention)| Listener::new(address, contention))
            .collect();
        let radios = listeners.len();
        assert_eq!(budget.radios(), radios);
        let addresses: Vec<_> = listeners.iter().map(|listener| listener.address).collect();
        let detection = listeners.first().map(|first| first.contention.cca_time());
        let receptions =
            Receptions::new(budget, emitters, &addresses, detection.unwrap_or_default());
        let groups: Vec<_> = (0..)
            .zip(alike(&receptions, &listeners))
            .map(|(number, members)| {
                let in_step = members.len() >= shared_from;
                SensingGroup::new(number, members, &mut listeners, in_step)
            })
            .collect();
        let mut medium = Medium {
            sensing: vec![Vec::new(); receptions.budget.rows()],
            firsts: Firsts::nobody(groups.len()),
            shares: groups.iter().any(|group| !group.is_apart()),
            is_simple: matches!(&groups[..], [group] if group.is_apart())
                && !receptions.budget.varies()
                && (0..receptions.budget.rows()).all(|row| receptions.is_received_by_all(row)),
            to_split: Vec::new(),
            receptions,
            listeners,
            groups,
            next: None,
            stale: None,
        };
        (0..medium.sensing.len()).for_each(|row| medium.find_sensing(row));
        medium
    }

    /// Has a radio, which senses what others of its group do not from here on, be a group of its
    /// own. It has sensed the same as they so far.
    pub(super) fn split(&mut self, radio: usize) {
        let old = self.listeners[radio].group as usize;
        let number = self.groups.len() as u32;
        if let Some(group) = self.groups[old].split(number, radio, &mut self.listeners) {
            self.groups.push(group);
            self.firsts.add();
            for group in [old, number as usize] {
                let next = self.groups[group].next(&self.listeners, &self.receptions);
                self.firsts.set(group, next);
            }
            (0..self.sensing.len()).for_each(|row| self.find_sensing(row));
        }
    }

    /// Finds the groups that sense the frames of a row.
    pub(super) fn find_sensing(&mut self, row: usize) {
        let group_of = |&radio: &u32| self.listeners[radio as usize].group;
        let own = [self.receptions.budget.sender(row) as u32];
        let radios = own.iter().chain(&self.receptions.sensed_by[row]);
        let groups = &mut self.sensing[row];
        groups.clear();
        groups.extend(radios.map(group_of));
        groups.sort_unstable();
        groups.dedup();
    }
}

/// The radios by what they sense, each class in order, by its first radio.
fn alike(receptions: &Receptions, listeners: &[Listener]) -> Vec<Vec<u32>> {
    let radios = listeners.len();
    let mut sensed = vec![Vec::new(); radios];
    for (row, sensed_by) in receptions.sensed_by.iter().enumerate() {
        sensed[receptions.budget.sender(row)].push(row as u32);
        for &to in sensed_by {
            sensed[to as usize].push(row as u32);
        }
    }
    let mut classes: BTreeMap<_, Vec<Vec<u32>>> = BTreeMap::new();
    for (radio, mut sensed) in sensed.into_iter().enumerate() {
        sensed.sort_unstable();
        let emitters = receptions.emitters.iter();
        let emitters: Vec<_> = emitters.map(|emitter| emitter.at(radio).sensed).collect();
        let same = classes.entry((sensed, emitters)).or_default();
        let contention = |radio: u32| &listeners[radio as usize].contention;
        let radio = radio as u32;
        let has_spaces =
            |class: &&mut Vec<u32>| contention(class[0]).has_spaces_of(contention(radio));
        match same.iter_mut().find(has_spaces) {
            Some(class) => class.push(radio),
            None => same.push(vec![radio]),
        }
    }
    let mut classes: Vec<_> = classes.into_values().flatten().collect();
    classes.sort_unstable();
    classes
}
