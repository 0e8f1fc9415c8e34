//! Rows in the making, which are handed over in pieces.

use std::collections::BTreeMap;

/// Rows in the order in which they come. One that is open may still change, even after it has been
/// handed over: it is handed over once more then.
#[derive(Clone, Debug)]
pub struct RowLog<R> {
    /// How many have been handed over.
    handed_over: usize,
    rows: Vec<R>,
    /// Open ones among those that have been handed over, by number.
    open: BTreeMap<usize, R>,
    /// Which of those have changed since.
    changed: Vec<usize>,
}

/// A piece of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogPiece<R> {
    /// New rows.
    pub rows: Vec<R>,
    /// Rows of earlier pieces, by their number among all, as they are now.
    pub changed: Vec<(usize, R)>,
}

impl<R> Default for RowLog<R> {
    fn default() -> RowLog<R> {
        RowLog {
            handed_over: 0,
            rows: Vec::new(),
            open: BTreeMap::new(),
            changed: Vec::new(),
        }
    }
}

impl<R> Default for LogPiece<R> {
    fn default() -> LogPiece<R> {
        LogPiece {
            rows: Vec::new(),
            changed: Vec::new(),
        }
    }
}

impl<R: Copy> RowLog<R> {
    /// Adds a row; answers its number.
    pub fn push(&mut self, row: R) -> usize {
        self.rows.push(row);
        self.handed_over + self.rows.len() - 1
    }

    /// Changes an open row.
    pub fn change(&mut self, number: usize, change: impl FnOnce(&mut R)) {
        if let Some(place) = number.checked_sub(self.handed_over) {
            change(&mut self.rows[place]);
        } else if let Some(row) = self.open.get_mut(&number) {
            change(row);
            self.changed.push(number);
        }
    }

    /// Hands over what has come and what has changed since this was called last. Which rows are open
    /// is said by their numbers.
    pub fn take(&mut self, is_open: impl Fn(usize) -> bool) -> LogPiece<R> {
        self.changed.sort_unstable();
        self.changed.dedup();
        let changed = std::mem::take(&mut self.changed).into_iter();
        let changed = changed.map(|number| (number, self.open[&number])).collect();
        let rows = std::mem::take(&mut self.rows);
        let numbered = (self.handed_over..).zip(&rows);
        (self.open).extend(numbered.map(|(number, row)| (number, *row)));
        self.open.retain(|&number, _| is_open(number));
        self.handed_over += rows.len();
        LogPiece { rows, changed }
    }
}

impl<R: Copy> LogPiece<R> {
    /// Puts it behind all rows before it.
    pub fn join(self, all: &mut Vec<R>) {
        for (number, row) in self.changed {
            all[number] = row;
        }
        all.extend(self.rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_changes_later_is_handed_over_again() {
        let mut log = RowLog::default();
        let [first, second] = [1, 2].map(|row| log.push(row));
        let begun = log.take(|number| number == second);
        log.change(second, |row| *row = 20);
        let third = log.push(3);
        log.change(third, |row| *row = 30);
        let ended = log.take(|_| false);
        assert_eq!(ended.changed, [(second, 20)]);
        let mut all = Vec::new();
        begun.join(&mut all);
        ended.join(&mut all);
        assert_eq!((first, all), (0, vec![1, 20, 30]));
    }

    #[test]
    fn what_has_been_handed_over_and_is_not_open_takes_no_room() {
        let mut log = RowLog::default();
        for row in 0..100 {
            log.push(row);
            log.take(|_| false);
        }
        assert!(log.rows.is_empty() && log.open.is_empty() && log.changed.is_empty());
    }
}
