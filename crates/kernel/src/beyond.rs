//! Parameters that a script's commands write beyond its network: the parameters below /sys, and
//! those below /proc/sys that are not the network's, are the machine's. They are put back, and a
//! script that names one runs while no other does.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::changes;
use crate::journal::SavedFiles;

/// Depth below a named folder to which files are looked for: from /sys/module as far as to a
/// module's parameters.
const DEPTH: u32 = 3;

static MACHINE: RwLock<()> = RwLock::new(());

/// The machine's parameters while a script runs.
pub(crate) enum ParameterScope {
    /// It names none of them.
    Shared { _held: RwLockReadGuard<'static, ()> },
    /// The files that it names, with what stood in them, which is put back in the end.
    Own {
        kept: SavedFiles,
        _held: RwLockWriteGuard<'static, ()>,
    },
}

impl ParameterScope {
    /// The parameters for the script `text` in `folder`, once they are free.
    pub fn for_script(text: &str, folder: Option<&Path>) -> ParameterScope {
        let places = places(text, folder.unwrap_or(Path::new(".")));
        if places.is_empty() {
            let held = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
            return ParameterScope::Shared { _held: held };
        }
        let held = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
        let mut kept = SavedFiles::new();
        for place in places {
            keep(&place, DEPTH, &mut kept);
        }
        changes::note(&kept);
        ParameterScope::Own { kept, _held: held }
    }
}

impl Drop for ParameterScope {
    fn drop(&mut self) {
        if let ParameterScope::Own { kept, .. } = self {
            changes::put_back(kept);
        }
    }
}

/// The files and folders of the machine that a script names, and the programs beside it that it
/// runs.
fn places(text: &str, folder: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    for word in words(text) {
        if word.ends_with(".sh") || word.ends_with(".py") {
            let program = script::read(folder.join(word)).unwrap_or_default();
            let program = String::from_utf8_lossy(&program);
            places.extend(words(&program).filter_map(place));
        }
        places.extend(place(word));
    }
    places
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "\"'`=<>;&|()".contains(c))
}

/// A name with a pattern or a variable in it stands for all of the folder before.
fn place(word: &str) -> Option<PathBuf> {
    let is_beyond = word.starts_with("/sys/")
        || word.starts_with("/proc/sys/") && !word.starts_with("/proc/sys/net/");
    let certain = word.split(['*', '?', '[', '{', '$']).next()?;
    let path = match certain == word {
        true => certain,
        false => certain.rsplit_once('/')?.0,
    };
    is_beyond.then(|| PathBuf::from(path))
}

/// Notes what stands in the files at `path` that may be written, `depth` folders down.
fn keep(path: &Path, depth: u32, kept: &mut SavedFiles) {
    let Ok(known) = fs::symlink_metadata(path) else {
        return;
    };
    if known.is_dir() && depth > 0 {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            keep(&entry.path(), depth - 1, kept);
        }
    } else if known.is_file()
        && known.permissions().mode() & 0o200 != 0
        && let Ok(value) = fs::read_to_string(path)
    {
        kept.insert(path.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_the_machine_is_told_from_what_belongs_to_the_network() {
        let of = |text: &str| places(text, Path::new("/"));
        assert_eq!(of("`sysctl -q net.ipv4.tcp_sack=0`"), [] as [PathBuf; 0]);
        assert_eq!(
            of("set_sysctls.py /proc/sys/net/ipv4/tcp_sack=0"),
            [] as [PathBuf; 0]
        );
        let hystart = "/sys/module/tcp_cubic/parameters/hystart";
        assert_eq!(of(&format!("`echo 0 >{hystart}`")), [Path::new(hystart)]);
        assert_eq!(
            of("/sys/module/tcp_*/parameters"),
            [Path::new("/sys/module")]
        );
    }

    #[test]
    fn a_file_that_was_written_is_put_back_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("parameter");
        fs::write(&file, "3\n").unwrap();
        let mut kept = SavedFiles::new();
        keep(folder.path(), DEPTH, &mut kept);
        let _held = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
        let machine = ParameterScope::Own { kept, _held };
        fs::write(&file, "0\n").unwrap();
        drop(machine);
        assert_eq!(fs::read_to_string(&file).unwrap(), "3\n");
    }
}
