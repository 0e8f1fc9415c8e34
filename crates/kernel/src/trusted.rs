//! Whose files are run: a script that runs as root runs nothing that another user of the machine
//! could have put there.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// Number of symbolic links that are followed on the way to a file, as the kernel does
/// (path_resolution(7)).
const LINKS_MAX: u32 = 40;

const WRITABLE_BY_OTHERS: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// Refuses a path on which a folder, a link or the file itself belongs to a user who is neither
/// root nor the one who runs this, or may be written by everybody. What does not exist is no one's.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let path = std::path::absolute(path).map_err(|error| error.to_string())?;
    walk(&path, &mut 0)
}

fn walk(path: &Path, links: &mut u32) -> Result<(), String> {
    let mut reached = PathBuf::new();
    let mut rest = path.components();
    while let Some(component) = rest.next() {
        if component == Component::ParentDir {
            reached.pop();
            continue;
        }
        reached.push(component);
        let Ok(known) = fs::symlink_metadata(&reached) else {
            return Ok(());
        };
        whose(&reached, &known)?;
        if known.is_symlink() {
            *links += 1;
            if *links > LINKS_MAX {
                return Err(format!("{} has too many symbolic links", path.display()));
            }
            let target = fs::read_link(&reached).map_err(|error| error.to_string())?;
            reached.pop();
            return walk(&reached.join(target).join(rest.as_path()), links);
        }
    }
    Ok(())
}

fn whose(path: &Path, known: &fs::Metadata) -> Result<(), String> {
    let owner = known.uid();
    if !is_trusted(owner) {
        return Err(format!(
            "{} belongs to another user, number {owner}, so root does not run it",
            path.display()
        ));
    }
    let is_open = known.mode() & WRITABLE_BY_OTHERS != 0;
    // In a sticky folder, such as /tmp, each user's files are his own.
    let is_guarded = known.is_dir() && known.mode() & STICKY != 0;
    if is_open && !is_guarded && (known.is_dir() || known.is_file()) {
        return Err(format!(
            "{} may be written by every user, so root does not run it",
            path.display()
        ));
    }
    Ok(())
}

/// Root, who runs this, and who has become root by sudo(8) to run this.
fn is_trusted(owner: u32) -> bool {
    let by_sudo = || std::env::var("SUDO_UID").ok()?.parse().ok();
    let own = os::user::number();
    owner == 0 || owner == own || own == 0 && by_sudo() == Some(owner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn own_files_are_run_and_those_that_everybody_may_write_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("helper.sh");
        fs::write(&file, "exit 0\n").unwrap();
        assert_eq!(check(&file), Ok(()));
        assert_eq!(check(&folder.path().join("nothing.sh")), Ok(()));
        let link = folder.path().join("link");
        symlink("helper.sh", &link).unwrap();
        assert_eq!(check(&link), Ok(()));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(check(&file).unwrap_err().contains("every user"));
        assert!(check(&link).unwrap_err().contains("every user"));
    }

    #[test]
    fn a_circle_of_links_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("link", &link).unwrap();
        assert!(check(&link).unwrap_err().contains("too many"));
    }

    #[test]
    fn what_belongs_to_another_user_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        if std::os::unix::fs::chown(folder.path(), Some(65_534), None).is_err() {
            return; // only root can give a folder away
        }
        let refused = check(&folder.path().join("no-such-file"));
        assert_eq!(refused, check(folder.path()));
        assert!(refused.unwrap_err().contains("another user, number 65534"));
    }
}
