//! Changes that runs of scripts made on the machine beyond their own networks, noted before it is
//! changed: the last run that ends puts it back, or the next that begins after those were killed.
//!
//! The notes stand in a folder that no one else may enter. A run holds a lock on `holders` as long
//! as it lives, which the system takes from it even when it is killed; who comes or goes holds `door`.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// Below a folder that only root may write, and that is empty after a start of the machine, as its
/// parameters are the kernel's own (hier(7)).
pub(crate) const FOLDER: &str = "/run/anechoic";

const NOTES: &str = "changed.json";

/// Files of the machine with what stood in them before.
pub(crate) type SavedFiles = BTreeMap<PathBuf, String>;

/// One run's part in the notes.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    holders: File,
}

impl Journal {
    /// Takes part; what killed runs have left is put back before.
    ///
    /// # Errors
    ///
    /// `folder` cannot be made, or is somebody else's.
    pub fn enter(folder: &Path) -> io::Result<Journal> {
        make_private(folder)?;
        let journal = Journal {
            folder: folder.to_owned(),
            holders: open(&folder.join("holders"))?,
        };
        let _door = journal.door()?;
        journal.settle_if_alone()?;
        flock(&journal.holders, FlockOperation::LockShared)?;
        Ok(journal)
    }

    /// Where private files of this run may stand: what is in there when all are gone is removed.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Notes what stood in files that are going to be changed; an older note is the true one.
    pub fn note(&self, before: &SavedFiles) -> io::Result<()> {
        let _door = self.door()?;
        let mut noted = self.noted();
        for (file, value) in before {
            noted.entry(file.clone()).or_insert_with(|| value.clone());
        }
        self.write(&noted)
    }

    /// Strikes notes of files that are as they were.
    pub fn strike(&self, before: &SavedFiles) -> io::Result<()> {
        let _door = self.door()?;
        let mut noted = self.noted();
        noted.retain(|file, _| !before.contains_key(file));
        self.write(&noted)
    }

    fn door(&self) -> io::Result<File> {
        let door = open(&self.folder.join("door"))?;
        flock(&door, FlockOperation::LockExclusive)?;
        Ok(door)
    }

    /// Puts everything back unless another run lives.
    fn settle_if_alone(&self) -> io::Result<()> {
        if flock(&self.holders, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Ok(());
        }
        put_back(&self.noted());
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let _ = match is_folder {
                true => fs::remove_dir_all(entry.path()),
                false if entry.file_name() == NOTES => fs::remove_file(entry.path()),
                false => Ok(()),
            };
        }
        Ok(flock(&self.holders, FlockOperation::Unlock)?)
    }

    fn noted(&self) -> SavedFiles {
        let text = fs::read(self.folder.join(NOTES)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    fn write(&self, noted: &SavedFiles) -> io::Result<()> {
        let unfinished = self.folder.join("changed.tmp");
        fs::write(&unfinished, serde_json::to_vec(noted)?)?;
        fs::rename(unfinished, self.folder.join(NOTES))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Where that fails the next run does it.
        if let Ok(_door) = self.door() {
            let _ = flock(&self.holders, FlockOperation::Unlock);
            let _ = self.settle_if_alone();
        }
    }
}

/// Writes what stood in files, where something else stands now.
pub(crate) fn put_back(before: &SavedFiles) {
    for (file, value) in before {
        if fs::read_to_string(file).is_ok_and(|now| now != *value) {
            // What cannot be written could not be changed either.
            let _ = fs::write(file, chosen(value));
        }
    }
}

/// Returns what to write for a value as it is read: of several the one in brackets.
fn chosen(value: &str) -> &str {
    let inside = value
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(value, |(chosen, _)| chosen)
}

fn make_private(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let known = fs::symlink_metadata(folder)?;
    let is_ours = known.is_dir() && known.uid() == os::user::number() && known.mode() & 0o077 == 0;
    if !is_ours {
        let reason = format!("{} is not a folder of this user's alone", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    Ok(())
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(folder: &Path, value: &str) -> (PathBuf, SavedFiles) {
        let file = folder.join("setting");
        fs::write(&file, value).unwrap();
        let before = SavedFiles::from([(file.clone(), value.to_owned())]);
        (file, before)
    }

    #[test]
    fn the_last_run_that_ends_puts_back_what_the_first_has_noted() {
        let folder = tempfile::tempdir().unwrap();
        let (file, before) = setting(folder.path(), "reno\n");
        let notes = folder.path().join("run");
        let first = Journal::enter(&notes).unwrap();
        first.note(&before).unwrap();
        fs::write(&file, "reno cubic bbr\n").unwrap();
        let second = Journal::enter(&notes).unwrap();
        let later = SavedFiles::from([(file.clone(), "reno cubic bbr\n".to_owned())]);
        second.note(&later).unwrap();
        drop(first);
        assert_eq!(fs::read_to_string(&file).unwrap(), "reno cubic bbr\n");
        drop(second);
        assert_eq!(fs::read_to_string(&file).unwrap(), "reno\n");
    }

    #[test]
    fn the_next_run_puts_back_what_a_killed_one_has_changed_and_removes_its_folders() {
        let folder = tempfile::tempdir().unwrap();
        let (file, before) = setting(folder.path(), "3\n");
        let notes = folder.path().join("run");
        let killed = Journal::enter(&notes).unwrap();
        killed.note(&before).unwrap();
        fs::write(&file, "0\n").unwrap();
        fs::create_dir(notes.join("private")).unwrap();
        // Killed: its lock is gone and nothing else happens.
        flock(&killed.holders, FlockOperation::Unlock).unwrap();
        std::mem::forget(killed);
        let next = Journal::enter(&notes).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "3\n");
        assert!(!notes.join("private").exists());
        assert_eq!(next.noted(), SavedFiles::new());
    }

    #[test]
    fn what_was_put_back_is_struck() {
        let folder = tempfile::tempdir().unwrap();
        let (file, before) = setting(folder.path(), "3\n");
        let journal = Journal::enter(&folder.path().join("run")).unwrap();
        journal.note(&before).unwrap();
        journal.strike(&before).unwrap();
        fs::write(&file, "5\n").unwrap();
        drop(journal);
        assert_eq!(fs::read_to_string(&file).unwrap(), "5\n");
    }

    #[test]
    fn a_folder_that_others_may_enter_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("open");
        DirBuilder::new().mode(0o755).create(&open).unwrap();
        assert!(Journal::enter(&open).is_err());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/tmp", &link).unwrap();
        assert!(Journal::enter(&link).is_err());
    }

    #[test]
    fn of_several_values_the_chosen_one_is_written() {
        assert_eq!(chosen("always [madvise] never\n"), "madvise");
        assert_eq!(chosen("3\n"), "3\n");
    }
}
