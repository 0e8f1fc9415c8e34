//! Columns as other programs take them.

/// Values of one kind, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnValues {
    /// Signed 64-bit integers.
    Whole(Vec<u8>),
    /// The same, with a byte for each that is 1 where there is a value.
    Optional(Vec<u8>, Vec<u8>),
    /// A byte each.
    Codes(Vec<u8>),
}

/// Columns with their names.
pub type Columns = Vec<(&'static str, ColumnValues)>;

impl ColumnValues {
    pub(crate) fn whole(values: impl Iterator<Item = i64>) -> Self {
        ColumnValues::Whole(values.flat_map(i64::to_le_bytes).collect())
    }

    /// Counts and times; what a hostile capture makes too large is cut.
    pub(crate) fn counts(values: impl Iterator<Item = u64>) -> Self {
        ColumnValues::whole(values.map(|value| i64::try_from(value).unwrap_or(i64::MAX)))
    }

    pub(crate) fn optional(values: impl Iterator<Item = Option<i64>> + Clone) -> Self {
        let known = values.clone().map(|value| u8::from(value.is_some()));
        let known = known.collect();
        let values = values.flat_map(|value| value.unwrap_or(0).to_le_bytes());
        ColumnValues::Optional(values.collect(), known)
    }

    pub(crate) fn codes(values: impl Iterator<Item = u8>) -> Self {
        ColumnValues::Codes(values.collect())
    }
}
