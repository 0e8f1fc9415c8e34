//! Typed tables: what a run leaves row by row, its columns declared once, where the row is.
//!
//! ```
//! use units::table::{Cell, Flow, Row};
//! use units::{Duration, Time};
//! units::row! {
//!     /// Transactions that were timed together.
//!     pub struct Timed = "timing" {
//!         /// the flow's name
//!         flow: Flow, "";
//!         /// from the first write to the last confirmation
//!         elapsed_s: Duration, "s";
//!     }
//! }
//! let timed = Timed { flow: Flow(3), elapsed_s: Duration::from_millis(1500) };
//! assert_eq!(Timed::columns()[1].unit, "s");
//! assert_eq!(timed.cells(), [Cell::Code(3), Cell::Real(1.5)]);
//! ```

use serde::Serialize;

use crate::{Duration, Time};

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Type {
    /// Real numbers; what there is no value of is not a number.
    Real,
    /// Whole numbers.
    Whole,
    /// Names of flows.
    Flow,
    /// Names of nodes.
    Node,
    /// Any of these words.
    Word(&'static [&'static str]),
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its name, the unit last where there is one.
    pub name: &'static str,
    /// Its unit; empty for names, ratios and numbers of things told by the meaning.
    pub unit: &'static str,
    /// Its meaning.
    pub about: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    pub of: Type,
}

/// Value in one row of one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// A real number.
    Real(f64),
    /// A whole number.
    Whole(i64),
    /// The number of a flow, of a node or of a word.
    Code(u32),
}

/// Types that can stand in a column.
pub trait ColumnValue {
    /// The column's type.
    const TYPE: Type;
    /// The value in it.
    fn cell(&self) -> Cell;
}

/// A row of a table; [`row!`](crate::row) declares one.
pub trait Row {
    /// The table's name.
    const TABLE: &'static str;
    /// Meaning of its rows.
    const ABOUT: &'static str;
    /// The table's columns.
    fn columns() -> Vec<Column>;
    /// Returns what stands in each of them.
    fn cells(&self) -> Vec<Cell>;
}

/// A flow, by its index in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow(pub u16);

/// A node, by its index in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(pub u16);

macro_rules! values {
    ($($of:ty: $type:ident, $value:ident => $cell:expr;)*) => {
        $(impl ColumnValue for $of {
            const TYPE: Type = Type::$type;

            fn cell(&self) -> Cell {
                let $value = *self;
                $cell
            }
        })*
    };
}

values! {
    f64: Real, value => Cell::Real(value);
    Option<f64>: Real, value => Cell::Real(value.unwrap_or(f64::NAN));
    // A point in time, and a span, in seconds.
    Time: Real, time => Cell::Real(time.as_secs_f64());
    Option<Time>: Real, time => Cell::Real(time.map_or(f64::NAN, Time::as_secs_f64));
    Duration: Real, span => Cell::Real(span.as_secs_f64());
    bool: Whole, value => Cell::Whole(i64::from(value));
    u8: Whole, value => Cell::Whole(i64::from(value));
    u16: Whole, value => Cell::Whole(i64::from(value));
    u32: Whole, value => Cell::Whole(i64::from(value));
    u64: Whole, value => Cell::Whole(value as i64);
    Flow: Flow, flow => Cell::Code(u32::from(flow.0));
    Node: Node, node => Cell::Code(u32::from(node.0));
}

/// Declares a row: a struct, and the table whose columns its fields are.
///
/// Each field's comment is its meaning for people, the text behind its type its unit.
#[macro_export]
macro_rules! row {
    (
        $(#[doc = $about:literal])+
        pub struct $row:ident = $table:literal {
            $(
                $(#[doc = $meaning:literal])+
                $field:ident: $of:ty, $unit:literal;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $row {
            $(
                $(#[doc = $meaning])+
                pub $field: $of,
            )*
        }

        impl $crate::table::Row for $row {
            const TABLE: &'static str = $table;
            const ABOUT: &'static str = concat!($($about),+).trim_ascii_start();

            fn columns() -> Vec<$crate::table::Column> {
                vec![$($crate::table::Column {
                    name: stringify!($field),
                    unit: $unit,
                    about: concat!($($meaning),+).trim_ascii_start(),
                    of: <$of as $crate::table::ColumnValue>::TYPE,
                }),*]
            }

            fn cells(&self) -> Vec<$crate::table::Cell> {
                vec![$($crate::table::ColumnValue::cell(&self.$field)),*]
            }
        }
    };
}

/// Declares words that may stand in a column.
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $about:literal])+
        pub enum $words:ident {
            $(
                $(#[doc = $meaning:literal])+
                $word:ident = $text:literal,
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $words {
            $(
                $(#[doc = $meaning])+
                $word,
            )*
        }

        impl $crate::table::ColumnValue for $words {
            const TYPE: $crate::table::Type = $crate::table::Type::Word(&[$($text),*]);

            fn cell(&self) -> $crate::table::Cell {
                $crate::table::Cell::Code(*self as u32)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as units;

    units::words! {
        /// End of something.
        pub enum Outcome {
            /// Well.
            Done = "done",
            /// Not at all well.
            Lost = "not done",
        }
    }

    units::row! {
        /// Things
        /// and how they ended.
        pub struct Thing = "things" {
            /// when it ended
            ended_s: Option<Time>, "s";
            /// what became of it
            outcome: Outcome, "";
        }
    }

    #[test]
    fn a_row_says_what_its_columns_are() {
        let [ended, outcome] = &Thing::columns()[..] else {
            panic!("two columns");
        };
        assert_eq!((ended.name, ended.unit), ("ended_s", "s"));
        assert_eq!(outcome.about, "what became of it");
        assert_eq!(outcome.of, Type::Word(&["done", "not done"]));
        assert_eq!(
            (Thing::TABLE, Thing::ABOUT),
            ("things", "Things and how they ended.")
        );
    }

    #[test]
    fn a_cell_without_a_value_is_not_a_number() {
        let thing = |ended_s, outcome| Thing { ended_s, outcome };
        let done = thing(Some(Time::from_nanos(500_000_000)), Outcome::Done);
        assert_eq!(done.cells(), [Cell::Real(0.5), Cell::Code(0)]);
        let lost = thing(None, Outcome::Lost);
        let [Cell::Real(ended), outcome] = lost.cells()[..] else {
            panic!("two cells");
        };
        assert!(ended.is_nan());
        assert_eq!(outcome, Cell::Code(1));
    }
}
