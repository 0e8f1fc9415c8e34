//! Tables as a record hands them out: columns of numbers, or of texts by their codes.

use units::table::{Cell, Row, Type};

use crate::plan::Plan;

/// A table of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns by name, all of one length.
    pub columns: Vec<(String, TableValues)>,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum TableValues {
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

/// Rows of a table as cells, for whoever keeps them outside the world until it has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRows {
    /// The table's name.
    pub table: &'static str,
    /// Its columns by name, and what they hold.
    pub columns: Vec<(String, Type)>,
    /// New rows.
    pub rows: Vec<Vec<Cell>>,
    /// Earlier rows as they are now, by their number among all.
    pub changed: Vec<(usize, Vec<Cell>)>,
}

impl CellRows {
    /// The cells of rows, and of earlier ones that have changed.
    pub fn of<R: Row>(rows: &[R], changed: &[(usize, R)]) -> CellRows {
        let columns = R::columns().into_iter();
        CellRows {
            table: R::TABLE,
            columns: columns
                .map(|each| (each.name.to_owned(), each.of))
                .collect(),
            rows: rows.iter().map(R::cells).collect(),
            changed: (changed.iter())
                .map(|(number, row)| (*number, row.cells()))
                .collect(),
        }
    }

    /// The rows of columns of real numbers.
    pub fn of_reals(table: &'static str, columns: &[(String, Vec<f64>)]) -> CellRows {
        let length = columns.first().map_or(0, |(_, values)| values.len());
        let row = |at: usize| {
            let cells = columns.iter().map(|(_, values)| Cell::Real(values[at]));
            cells.collect()
        };
        CellRows {
            table,
            columns: (columns.iter())
                .map(|(name, _)| (name.clone(), Type::Real))
                .collect(),
            rows: (0..length).map(row).collect(),
            changed: Vec::new(),
        }
    }
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
        let columns = columns.iter().map(|each| (each.name.to_owned(), each.of));
        Table::of_cells(R::TABLE, columns, rows.iter().map(R::cells), names)
    }

    /// The table of rows that are cells already.
    pub fn of_cells(
        name: &'static str,
        columns: impl IntoIterator<Item = (String, Type)>,
        rows: impl Iterator<Item = Vec<Cell>>,
        names: &Names,
    ) -> Table {
        let none = |(name, of): (String, Type)| (name, TableValues::none(of, names));
        let mut columns: Vec<(String, TableValues)> = columns.into_iter().map(none).collect();
        for row in rows {
            for ((_, values), cell) in columns.iter_mut().zip(row) {
                values.push(cell);
            }
        }
        Table { name, columns }
    }

    /// The table of columns of real numbers.
    pub fn of_reals(name: &'static str, columns: &[(String, Vec<f64>)]) -> Table {
        let column =
            |(name, values): &(String, Vec<f64>)| (name.clone(), TableValues::Real(values.clone()));
        Table {
            name,
            columns: columns.iter().map(column).collect(),
        }
    }

    /// Returns whether it has no rows.
    pub fn is_empty(&self) -> bool {
        (self.columns.first()).is_none_or(|(_, values)| values.is_empty())
    }
}

impl TableValues {
    fn none(of: Type, names: &Names) -> TableValues {
        let texts = |dictionary: Vec<String>| TableValues::Text {
            codes: Vec::new(),
            dictionary,
        };
        match of {
            Type::Real => TableValues::Real(Vec::new()),
            Type::Whole => TableValues::Whole(Vec::new()),
            Type::Flow => texts(names.flows.clone()),
            Type::Node => texts(names.nodes.clone()),
            Type::Word(words) => texts(words.iter().map(|&word| word.to_owned()).collect()),
        }
    }

    fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (TableValues::Real(values), Cell::Real(value)) => values.push(value),
            (TableValues::Whole(values), Cell::Whole(value)) => values.push(value),
            (TableValues::Text { codes, .. }, Cell::Code(code)) => codes.push(code),
            (values, cell) => unreachable!("{cell:?} is none of {values:?}"),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            TableValues::Real(values) => values.is_empty(),
            TableValues::Whole(values) => values.is_empty(),
            TableValues::Text { codes, .. } => codes.is_empty(),
        }
    }
}
