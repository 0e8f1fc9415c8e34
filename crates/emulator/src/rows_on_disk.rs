//! Rows of a record on the disk: what a world hands over while it runs, so that an emulation of a
//! day takes no more memory than one of a minute.
//!
//! Each table is a file without a name, of rows of one length: eight bytes for each cell. So a row
//! that changes is written over.

use std::collections::btree_map::{BTreeMap, Entry};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use lab::{CellRows, Gathered, Names, Table};
use units::table::{Cell, Type};

/// Tables on the disk, which another thread writes.
#[derive(Debug)]
pub struct RowsOnDisk {
    pieces: Sender<Gathered>,
    writer: JoinHandle<io::Result<BTreeMap<&'static str, TableOnDisk>>>,
}

/// The rows of a table.
#[derive(Debug)]
struct TableOnDisk {
    columns: Vec<(String, Type)>,
    file: BufWriter<File>,
}

impl RowsOnDisk {
    /// None so far; their files take room in a folder.
    ///
    /// # Errors
    /// When there can be no more threads.
    pub fn begin(folder: &Path) -> io::Result<RowsOnDisk> {
        let (pieces, taken) = channel::<Gathered>();
        let folder = folder.to_owned();
        let writer = thread::Builder::new().name("rows".into()).spawn(move || {
            let mut tables = BTreeMap::new();
            for piece in taken {
                for cells in piece.cells() {
                    keep(&folder, &mut tables, cells)?;
                }
            }
            Ok(tables)
        })?;
        Ok(RowsOnDisk { pieces, writer })
    }

    /// Adds a piece behind those before it.
    pub fn add(&self, piece: Gathered) {
        // A writer that has failed says so at the end.
        let _ = self.pieces.send(piece);
    }

    /// All of them as tables.
    ///
    /// # Errors
    /// When a file could not be written, or cannot be read.
    pub fn finish(self, names: &Names) -> io::Result<Vec<Table>> {
        drop(self.pieces);
        let ended = self.writer.join();
        let tables = ended.unwrap_or_else(|_| Err(io::Error::other("a thread ended")))?;
        let tables = tables.into_iter();
        tables.map(|(name, rows)| rows.read(name, names)).collect()
    }
}

fn keep(
    folder: &Path,
    tables: &mut BTreeMap<&'static str, TableOnDisk>,
    cells: CellRows,
) -> io::Result<()> {
    if cells.rows.is_empty() && cells.changed.is_empty() {
        return Ok(());
    }
    let rows = match tables.entry(cells.table) {
        Entry::Occupied(rows) => rows.into_mut(),
        Entry::Vacant(place) => place.insert(TableOnDisk {
            columns: cells.columns,
            file: BufWriter::new(nameless(folder.join(format!(".{}.rows", cells.table)))?),
        }),
    };
    for (number, row) in &cells.changed {
        let at = number * row.len() * CELL;
        rows.file.seek(SeekFrom::Start(at as u64))?;
        write(&mut rows.file, row)?;
    }
    rows.file.seek(SeekFrom::End(0))?;
    cells
        .rows
        .iter()
        .try_for_each(|row| write(&mut rows.file, row))
}

/// A file that is gone once it is closed.
fn nameless(path: PathBuf) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// Bytes of a cell.
const CELL: usize = 8;

fn write(file: &mut BufWriter<File>, row: &[Cell]) -> io::Result<()> {
    row.iter().try_for_each(|cell| {
        file.write_all(&match *cell {
            Cell::Real(value) => value.to_bits().to_le_bytes(),
            Cell::Whole(value) => value.to_le_bytes(),
            Cell::Code(value) => u64::from(value).to_le_bytes(),
        })
    })
}

fn cell(of: Type, bytes: [u8; CELL]) -> Cell {
    match of {
        Type::Real => Cell::Real(f64::from_bits(u64::from_le_bytes(bytes))),
        Type::Whole => Cell::Whole(i64::from_le_bytes(bytes)),
        Type::Flow | Type::Node | Type::Word(_) => Cell::Code(u64::from_le_bytes(bytes) as u32),
    }
}

impl TableOnDisk {
    fn read(self, name: &'static str, names: &Names) -> io::Result<Table> {
        let mut file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        let rows = file.stream_position()? as usize / (self.columns.len() * CELL);
        file.rewind()?;
        let mut file = BufReader::new(file);
        let mut failure = None;
        let columns = self.columns.clone();
        let rows = (0..rows).map_while(|_| {
            let row = columns.iter().map(|&(_, of)| {
                let mut bytes = [0; CELL];
                file.read_exact(&mut bytes).map(|()| cell(of, bytes))
            });
            row.collect::<io::Result<Vec<Cell>>>()
                .map_err(|error| failure = Some(error))
                .ok()
        });
        let table = Table::of_cells(name, self.columns, rows, names);
        failure.map_or(Ok(table), Err)
    }
}

#[cfg(test)]
mod tests {
    use lab::{LogPiece, Record, SentDatagram};
    use units::Time;
    use units::table::Flow;

    use super::*;

    fn datagram(number: u64, received_s: Option<u64>) -> SentDatagram {
        SentDatagram {
            flow: Flow(0),
            number,
            sent_s: Time::from_nanos(number),
            received_s: received_s.map(Time::from_nanos),
            size: 100,
        }
    }

    fn piece(steps: &[f64], datagrams: LogPiece<SentDatagram>) -> Gathered {
        Gathered {
            series: vec![("time_s".into(), steps.to_vec())],
            transfers: Vec::new(),
            tcp_info: Vec::new(),
            datagrams,
            attempts: Vec::new(),
            handovers: LogPiece::default(),
            roams: LogPiece::default(),
        }
    }

    #[test]
    fn what_is_read_back_is_what_a_record_that_keeps_all_has() {
        let pieces = [
            piece(
                &[0.1, 0.2],
                LogPiece {
                    rows: vec![datagram(0, None), datagram(1, Some(5))],
                    changed: Vec::new(),
                },
            ),
            piece(
                &[0.3],
                LogPiece {
                    rows: vec![datagram(2, None)],
                    changed: vec![(0, datagram(0, Some(9)))],
                },
            ),
        ];
        let (mut kept, mut taken) = (Record::default(), Record::default());
        let folder = std::env::temp_dir().join(format!("anechoic-rows-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let rows = RowsOnDisk::begin(&folder).unwrap();
        for piece in pieces {
            kept.join(piece.clone());
            rows.add(piece);
        }
        taken.taken = rows.finish(&taken.names).unwrap();
        std::fs::remove_dir(folder).expect("its files had no names");
        let sorted = |record: &Record| {
            let mut tables = record.tables();
            tables.sort_by_key(|table| table.name);
            // What is no number differs from itself; its text does not.
            format!("{tables:?}")
        };
        assert_eq!(sorted(&taken), sorted(&kept));
        assert_eq!(kept.datagrams[0].received_s, Some(Time::from_nanos(9)));
    }
}
