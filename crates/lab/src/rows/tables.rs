//! Tables as a record hands them out: columns of numbers, or of texts by their codes.

use units::table::{Cell, Column, Row, Type};

use crate::plan::Plan;

/// A table of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns by name, all of one length.
    pub columns: Vec<(String, Values)>,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Real numbers.
    Real(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Texts: of each its place in the dictionary.
    Text {
        /// The places.
        codes: Vec<u32>,
        /// Every text once.
        dictionary: Vec<String>,
    },
}

/// What a plan calls its flows and its nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    flows: Vec<String>,
    nodes: Vec<String>,
}

impl Names {
    /// The names of a plan.
    pub fn of(plan: &Plan) -> Names {
        Names {
            flows: plan.flows.iter().map(|flow| flow.name.clone()).collect(),
            nodes: plan.nodes.iter().map(|node| node.name.clone()).collect(),
        }
    }
}

impl Table {
    /// The table of these rows.
    pub fn of<R: Row>(rows: &[R], names: &Names) -> Table {
        let columns = R::columns();
        let mut values: Vec<Values> = (columns.iter())
            .map(|column| Values::none(column, names))
            .collect();
        for row in rows {
            for (values, cell) in values.iter_mut().zip(row.cells()) {
                values.push(cell);
            }
        }
        let names = columns.iter().map(|column| column.name.to_owned());
        Table {
            name: R::TABLE,
            columns: names.zip(values).collect(),
        }
    }

    /// The table of columns of real numbers.
    pub fn of_reals(name: &'static str, columns: &[(String, Vec<f64>)]) -> Table {
        let column =
            |(name, values): &(String, Vec<f64>)| (name.clone(), Values::Real(values.clone()));
        Table {
            name,
            columns: columns.iter().map(column).collect(),
        }
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        (self.columns.first()).is_none_or(|(_, values)| values.is_empty())
    }
}

impl Values {
    fn none(column: &Column, names: &Names) -> Values {
        let texts = |dictionary: Vec<String>| Values::Text {
            codes: Vec::new(),
            dictionary,
        };
        match column.of {
            Type::Real => Values::Real(Vec::new()),
            Type::Whole => Values::Whole(Vec::new()),
            Type::Flow => texts(names.flows.clone()),
            Type::Node => texts(names.nodes.clone()),
            Type::Word(words) => texts(words.iter().map(|&word| word.to_owned()).collect()),
        }
    }

    fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Values::Real(values), Cell::Real(value)) => values.push(value),
            (Values::Whole(values), Cell::Whole(value)) => values.push(value),
            (Values::Text { codes, .. }, Cell::Code(code)) => codes.push(code),
            (values, cell) => unreachable!("{cell:?} is none of {values:?}"),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Values::Real(values) => values.is_empty(),
            Values::Whole(values) => values.is_empty(),
            Values::Text { codes, .. } => codes.is_empty(),
        }
    }
}
