//! Parquet files: tables of numbers, truth values, texts and bytes, written and read.
//!
//! A column is its type, its values in little-endian bytes and, of texts, a dictionary. Types are
//! `f64`, `f64?` (no number stands for no value), `i64`, `bool`, `text` (places in the dictionary
//! as unsigned 32-bit integers, where an entry may be no text) and `bytesN`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;
use bytes::Bytes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

/// Type, values and dictionary of a column to write.
type Given = (String, PyBackedBytes, Option<Vec<Option<String>>>);
/// Name, type, values and dictionary of a column that was read.
type PyReadColumn<'py> = (
    String,
    String,
    Bound<'py, PyBytes>,
    Option<Vec<Option<String>>>,
);

/// A file that is being written, part by part.
#[pyclass(frozen, module = "anechoic._core")]
pub(crate) struct ParquetWriter(Mutex<Option<SerializedFileWriter<Vec<u8>>>>);

#[pymethods]
impl ParquetWriter {
    /// Begins a file of columns of these names and types. A small one is written in the least time,
    /// a large one takes the least room.
    #[new]
    fn new(
        columns: Vec<(String, String)>,
        metadata: BTreeMap<String, String>,
        is_small: bool,
    ) -> PyResult<Self> {
        begin(columns, metadata, is_small)
            .map(|writer| ParquetWriter(Mutex::new(Some(writer))))
            .map_err(refused)
    }

    /// Writes rows, a value of each column; gives the bytes of the file that are new.
    fn write<'py>(&self, py: Python<'py>, columns: Vec<Given>) -> PyResult<Bound<'py, PyBytes>> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = place.as_mut().ok_or_else(closed)?;
        append(writer, columns).map_err(refused)?;
        writer.flush()?;
        Ok(PyBytes::new(py, &std::mem::take(writer.inner_mut())))
    }

    /// Ends the file; gives the rest of its bytes.
    fn close<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = place.take().ok_or_else(closed)?;
        Ok(PyBytes::new(py, &writer.into_inner().map_err(refused)?))
    }
}

/// Reads a file that is in memory: what it says of itself, and its columns.
///
/// Raises ValueError for what is no such file.
#[pyfunction]
pub(crate) fn read_parquet<'py>(
    py: Python<'py>,
    data: &[u8],
) -> PyResult<(BTreeMap<String, String>, Vec<PyReadColumn<'py>>)> {
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(data)).map_err(refused)?;
    let about = reader.metadata().file_metadata();
    let pairs = about.key_value_metadata().into_iter().flatten();
    let metadata = pairs.filter_map(|pair| Some((pair.key.clone(), pair.value.clone()?)));
    let columns = (about.schema().get_fields().iter().enumerate())
        .map(|(place, field)| Ok((field.name().to_owned(), read(&reader, place)?)))
        .collect::<Result<Vec<_>>>();
    let found = columns.map_err(refused)?.into_iter().map(|(name, column)| {
        let (kind, bytes, dictionary) = column.told();
        (name, kind, PyBytes::new(py, &bytes), dictionary)
    });
    Ok((metadata.collect(), found.collect()))
}

#[expect(clippy::needless_pass_by_value, reason = "what errors are mapped by")]
fn refused(error: ParquetError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn closed() -> PyErr {
    PyValueError::new_err("the file is closed")
}

fn unknown(kind: &str) -> ParquetError {
    ParquetError::NYI(format!("a column of type {kind}"))
}

fn begin(
    columns: Vec<(String, String)>,
    metadata: BTreeMap<String, String>,
    is_small: bool,
) -> Result<SerializedFileWriter<Vec<u8>>> {
    let fields = columns.iter().map(|(name, kind)| field(name, kind));
    let schema = Type::group_type_builder("schema")
        .with_fields(fields.collect::<Result<_>>()?)
        .build()?;
    let pairs = metadata.into_iter();
    let pairs = pairs.map(|(key, value)| KeyValue::new(key, value));
    let mut properties = WriterProperties::builder().set_key_value_metadata(Some(pairs.collect()));
    // What zstd sets up for each column takes longer than a small one takes to be written.
    properties = match is_small {
        true => properties
            .set_compression(Compression::LZ4_RAW)
            .set_offset_index_disabled(true)
            .set_statistics_enabled(EnabledStatistics::None),
        false => properties.set_compression(Compression::ZSTD(ZstdLevel::default())),
    };
    // Measured values seldom repeat: looking for those that do takes as long as writing them.
    for (name, kind) in columns {
        let is_measured = kind.starts_with("f64");
        properties = properties.set_column_dictionary_enabled(name.into(), !is_measured);
    }
    let properties = Arc::new(properties.build());
    SerializedFileWriter::new(Vec::new(), Arc::new(schema), properties)
}

fn field(name: &str, kind: &str) -> Result<Arc<Type>> {
    let (physical, logical, width) = match kind {
        "f64" | "f64?" => (Physical::DOUBLE, None, 0),
        "i64" => (Physical::INT64, None, 0),
        "bool" => (Physical::BOOLEAN, None, 0),
        "text" => (Physical::BYTE_ARRAY, Some(LogicalType::String), 0),
        _ => (Physical::FIXED_LEN_BYTE_ARRAY, None, width(kind)?),
    };
    // Other writers say so of every column; tables of theirs and ours go together.
    let field = Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical);
    let width = i32::try_from(width).map_err(|_| unknown(kind))?;
    Ok(Arc::new(match width {
        0 => field.build()?,
        width => field.with_length(width).build()?,
    }))
}

fn width(kind: &str) -> Result<usize> {
    let width = kind
        .strip_prefix("bytes")
        .and_then(|width| width.parse().ok());
    width
        .filter(|&width| width > 0)
        .ok_or_else(|| unknown(kind))
}

fn append(writer: &mut SerializedFileWriter<Vec<u8>>, columns: Vec<Given>) -> Result<()> {
    let mut group = writer.next_row_group()?;
    for given in columns {
        let mut column = (group.next_column()?).ok_or_else(|| unknown("nothing more"))?;
        put(column.untyped(), &given)?;
        column.close()?;
    }
    group.close()?;
    Ok(())
}

fn put(column: &mut ColumnWriter<'_>, (kind, data, dictionary): &Given) -> Result<()> {
    let all = |rows: usize| vec![1; rows];
    match column {
        ColumnWriter::DoubleColumnWriter(writer) => {
            let values: Vec<_> = eights(data).map(f64::from_le_bytes).collect();
            let is_value = |value: &f64| kind == "f64" || !value.is_nan();
            let levels: Vec<i16> = values.iter().map(|value| is_value(value).into()).collect();
            let values: Vec<_> = values.into_iter().filter(is_value).collect();
            writer.write_batch(&values, Some(&levels), None)?;
        }
        ColumnWriter::Int64ColumnWriter(writer) => {
            let values: Vec<_> = eights(data).map(i64::from_le_bytes).collect();
            writer.write_batch(&values, Some(&all(values.len())), None)?;
        }
        ColumnWriter::BoolColumnWriter(writer) => {
            let values: Vec<_> = data.iter().map(|&byte| byte != 0).collect();
            writer.write_batch(&values, Some(&all(values.len())), None)?;
        }
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            let names = dictionary.as_deref().unwrap_or_default().iter();
            let names: Vec<_> = names
                .map(|name| name.as_deref().map(ByteArray::from))
                .collect();
            let texts: Option<Vec<_>> = (fours(data).map(u32::from_le_bytes))
                .map(|code| names.get(code as usize))
                .collect();
            let texts = texts.ok_or_else(|| unknown("text without a dictionary for it"))?;
            let levels: Vec<i16> = texts.iter().map(|text| text.is_some().into()).collect();
            let values: Vec<_> = texts.into_iter().flatten().cloned().collect();
            writer.write_batch(&values, Some(&levels), None)?;
        }
        ColumnWriter::FixedLenByteArrayColumnWriter(writer) => {
            let values: Vec<_> = (data.chunks_exact(width(kind)?))
                .map(|value| FixedLenByteArray::from(value.to_vec()))
                .collect();
            writer.write_batch(&values, Some(&all(values.len())), None)?;
        }
        _ => return Err(unknown(kind)),
    }
    Ok(())
}

fn eights(data: &[u8]) -> impl Iterator<Item = [u8; 8]> {
    data.as_chunks().0.iter().copied()
}

fn fours(data: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    data.as_chunks().0.iter().copied()
}

/// Values of a column that is read.
enum PyColumnValues {
    Real(Vec<f64>),
    Whole(Vec<i64>),
    Truth(Vec<bool>),
    Text(Texts),
    Bytes { width: usize, data: Vec<u8> },
}

/// Texts, each once, and the places of those that rows have.
#[derive(Default)]
struct Texts {
    codes: Vec<u32>,
    names: Vec<Option<String>>,
    places: BTreeMap<Option<Vec<u8>>, u32>,
}

impl PyColumnValues {
    fn of(field: &Type) -> Result<Self> {
        Ok(match field.get_physical_type() {
            Physical::DOUBLE => PyColumnValues::Real(Vec::new()),
            Physical::INT64 => PyColumnValues::Whole(Vec::new()),
            Physical::BOOLEAN => PyColumnValues::Truth(Vec::new()),
            Physical::BYTE_ARRAY => PyColumnValues::Text(Texts::default()),
            Physical::FIXED_LEN_BYTE_ARRAY => PyColumnValues::Bytes {
                width: match field {
                    Type::PrimitiveType { type_length, .. } => usize::try_from(*type_length)?,
                    Type::GroupType { .. } => 0,
                },
                data: Vec::new(),
            },
            other => return Err(unknown(&other.to_string())),
        })
    }

    fn told(self) -> (String, Vec<u8>, Option<Vec<Option<String>>>) {
        match self {
            PyColumnValues::Real(values) => {
                let values: Vec<_> = values.into_iter().map(f64::to_le_bytes).collect();
                ("f64".to_owned(), values.as_flattened().to_vec(), None)
            }
            PyColumnValues::Whole(values) => {
                let values: Vec<_> = values.into_iter().map(i64::to_le_bytes).collect();
                ("i64".to_owned(), values.as_flattened().to_vec(), None)
            }
            PyColumnValues::Truth(values) => {
                let values = values.into_iter().map(u8::from).collect();
                ("bool".to_owned(), values, None)
            }
            PyColumnValues::Text(texts) => {
                let codes: Vec<_> = texts.codes.into_iter().map(u32::to_le_bytes).collect();
                let codes = codes.as_flattened().to_vec();
                ("text".to_owned(), codes, Some(texts.names))
            }
            PyColumnValues::Bytes { width, data } => (format!("bytes{width}"), data, None),
        }
    }
}

impl Texts {
    fn push(&mut self, text: Option<&[u8]>) -> Result<()> {
        let known = self.places.get(&text.map(<[u8]>::to_vec)).copied();
        let code = match known {
            Some(code) => code,
            None => {
                let name = text
                    .map(|text| String::from_utf8(text.to_vec()))
                    .transpose();
                self.names
                    .push(name.map_err(|_| unknown("text in no UTF-8"))?);
                let code = u32::try_from(self.places.len())?;
                self.places.insert(text.map(<[u8]>::to_vec), code);
                code
            }
        };
        self.codes.push(code);
        Ok(())
    }
}

fn read(reader: &SerializedFileReader<Bytes>, place: usize) -> Result<PyColumnValues> {
    let schema = reader.metadata().file_metadata().schema();
    let mut values = PyColumnValues::of(&schema.get_fields()[place])?;
    for number in 0..reader.num_row_groups() {
        let group = reader.get_row_group(number)?;
        let rows = usize::try_from(group.metadata().num_rows())?;
        take(&mut values, &mut group.get_column_reader(place)?, rows)?;
    }
    Ok(values)
}

fn take(values: &mut PyColumnValues, column: &mut ColumnReader, rows: usize) -> Result<()> {
    match (values, column) {
        (PyColumnValues::Real(values), ColumnReader::DoubleColumnReader(column)) => {
            values.extend(all(column, rows)?.map(|value| value.unwrap_or(f64::NAN)));
        }
        (PyColumnValues::Whole(values), ColumnReader::Int64ColumnReader(column)) => {
            let found: Option<Vec<_>> = all(column, rows)?.collect();
            values.extend(found.ok_or_else(|| unknown("whole numbers with gaps"))?);
        }
        (PyColumnValues::Truth(values), ColumnReader::BoolColumnReader(column)) => {
            let found: Option<Vec<_>> = all(column, rows)?.collect();
            values.extend(found.ok_or_else(|| unknown("truth values with gaps"))?);
        }
        (PyColumnValues::Text(texts), ColumnReader::ByteArrayColumnReader(column)) => {
            for text in all(column, rows)? {
                texts.push(text.as_ref().map(ByteArray::data))?;
            }
        }
        (
            PyColumnValues::Bytes { data, .. },
            ColumnReader::FixedLenByteArrayColumnReader(column),
        ) => {
            for value in all(column, rows)? {
                let value = value.ok_or_else(|| unknown("bytes with gaps"))?;
                data.extend_from_slice(value.data());
            }
        }
        _ => return Err(unknown("another kind than its file says")),
    }
    Ok(())
}

/// All values of a column in a group of rows, with those that there are none of.
fn all<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    rows: usize,
) -> Result<impl Iterator<Item = Option<T::T>>> {
    let (mut levels, mut values, mut read) = (Vec::new(), Vec::new(), 0);
    while read < rows {
        let (records, _, _) =
            column.read_records(rows - read, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::EOF("rows are missing".to_owned()));
        }
        read += records;
    }
    // Where no value can be missing there are no levels.
    levels.resize(rows, 1);
    let mut values = values.into_iter();
    Ok(levels.into_iter().map(move |level: i16| match level {
        0 => None,
        _ => values.next(),
    }))
}
