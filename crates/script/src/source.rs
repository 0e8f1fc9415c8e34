//! Scripts on the disk: which there are, and what is in them.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// No script is longer, in bytes: the longest of the public ones has less than a tenth of that.
const BYTES_MAX: u64 = 1 << 20;

/// Returns what is in the script at `path`.
///
/// # Errors
///
/// It cannot be read, is longer than any script, or is no file: a pipe or a device may never end.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let path = path.as_ref();
    let refused = |reason: &str| io::Error::new(io::ErrorKind::InvalidInput, reason);
    if !fs::metadata(path)?.is_file() {
        return Err(refused("it is a pipe or a device"));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(BYTES_MAX + 1)
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > BYTES_MAX {
        true => Err(refused("it is longer than 1 MiB, as no script is")),
        false => Ok(bytes),
    }
}

/// The scripts at `path`: the file itself, or every `.pkt` file in the folder and those
/// below it, sorted. Folders that symbolic links lead to are left out, since they may go round.
///
/// # Errors
///
/// A folder cannot be read.
pub fn scripts(path: impl AsRef<Path>) -> io::Result<Vec<PathBuf>> {
    let path = path.as_ref();
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "pkt") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
