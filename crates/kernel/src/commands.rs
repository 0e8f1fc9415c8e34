//! Shell commands of scripts, really run: in the script's folder, in its network, with what
//! packetdrill's own set-up scripts look for.

use std::fs::{File, Permissions};
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::{env, fs, io};

use os::poll::await_readable;
use os::process;
use tempfile::TempDir;

use crate::halt::{LOOK, ScriptHalt};
use crate::{changes, trusted};

/// Where `ip`, `tc` and `sysctl` are, whoever runs this.
const FOLDERS: &str = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin";

/// packetdrill's helper that sets sysctls and writes down how to set them back. Its place for that
/// is a file in /tmp with a name that others could guess; ours is beside it.
const SET_SYSCTLS: &str = r#"#!/bin/sh
back="${0%/*}/sysctl_restore_$PACKETDRILL_PID.sh"
echo '#!/bin/sh' > "$back"
for setting; do
  file=${setting%%=*}
  echo "echo '$(cat "$file")' > $file" >> "$back"
  echo "${setting#*=}" > "$file" || exit 1
done
"#;

/// Where packetdrill's helper writes down how to set back, and scripts look for it.
const RESTORE: &str = "/tmp/sysctl_restore_";

/// Length up to which the output of a failed command is read.
const SAID_MAX: u64 = 4096;

/// Returns what separates the words of a command.
fn separates(c: char) -> bool {
    c.is_whitespace() || ";&|()".contains(c)
}

/// Returns whether a command begins behind `text`.
fn begins_command(text: &str) -> bool {
    const BEFORE: &[&str] = &[
        "!", "if", "then", "else", "elif", "do", "while", "until", "exec",
    ];
    let before = text.trim_end_matches([' ', '\t']);
    let last = before.rsplit(separates).next().unwrap_or_default();
    last.is_empty() || BEFORE.contains(&last)
}

/// The shell of one script.
#[derive(Debug)]
pub(crate) struct Shell {
    folder: PathBuf,
    /// Stand-in for packetdrill's process, by which its helpers name their files: nobody can
    /// guess it, and so nobody can have put a file there before.
    id: String,
    /// Where our own helpers, and what they write, are: no one else may enter.
    private: TempDir,
    halt: ScriptHalt,
}

impl Shell {
    /// The shell of a script in `folder`.
    pub fn new(folder: Option<&Path>, halt: &ScriptHalt) -> io::Result<Shell> {
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        let place = changes::private_folder().unwrap_or_else(env::temp_dir);
        let private = tempfile::Builder::new()
            .prefix("script-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(place)?;
        let shell = Shell {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            id: unguessable()?,
            private,
            halt: halt.clone(),
        };
        shell.write_helpers()?;
        Ok(shell)
    }

    /// Runs `text`; what it says in the case of failure is the error.
    pub fn run(&self, text: &str) -> Result<(), String> {
        let failed = |what: &dyn std::fmt::Display| format!("shell command {text:?}: {what}");
        let script = self.prepared(text).map_err(|reason| failed(&reason))?;
        match self.execute(&script).map_err(|error| failed(&error))? {
            (status, _) if status.success() => Ok(()),
            (_, said) => Err(failed(&said.lines().next().unwrap_or("it says nothing"))),
        }
    }

    /// Runs a text of the shell's from a file, so that it stands in no list of processes; how it
    /// ended, and what it said of errors.
    fn execute(&self, script: &str) -> io::Result<(ExitStatus, String)> {
        let [command, errors] = ["command", "errors"].map(|name| self.private.path().join(name));
        fs::write(&command, script)?;
        let own = env::var("PATH").unwrap_or_default();
        let path = match own.as_str() {
            "" => FOLDERS.to_owned(), // an empty name would be the script's folder
            own => format!("{own}:{FOLDERS}"),
        };
        let mut child = Command::new("/bin/sh")
            .arg(&command)
            .current_dir(&self.folder)
            .env("PATH", path)
            .env("PACKETDRILL_PID", &self.id)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&errors)?)
            .process_group(0)
            .spawn()?;
        let watched = self.halt.watch(child.id());
        if let Ok(end) = process::end_of(child.id()) {
            while !self.halt.is_asked() && await_readable(&[end.as_raw_fd()], LOOK)? == 0 {}
        }
        drop(watched);
        if self.halt.is_asked() {
            process::end_group(child.id());
        }
        let status = child.wait()?;
        let mut said = Vec::new();
        File::open(errors)?.take(SAID_MAX).read_to_end(&mut said)?;
        Ok((status, String::from_utf8_lossy(&said).into_owned()))
    }

    /// `text` with the process that packetdrill would be, and with our own helpers where the
    /// script names some that cannot be run.
    ///
    /// # Errors
    ///
    /// It names a file that another user could have put there.
    fn prepared(&self, text: &str) -> Result<String, String> {
        let text = text.replace("${PPID}", &self.id).replace("$PPID", &self.id);
        let text = text.replace(RESTORE, &self.helper("sysctl_restore_"));
        let mut prepared = String::new();
        for piece in text.split_inclusive(separates) {
            let word = piece.trim_end_matches(separates);
            let bare = word
                .trim_start_matches(['<', '>'])
                .trim_matches(['"', '\'']);
            if bare.contains('/') {
                trusted::check(&self.folder.join(bare))?;
            }
            if let Some(path) = self.stand_in(word) {
                if begins_command(&prepared) {
                    prepared += "sh ";
                }
                prepared += &path;
            } else {
                prepared += word;
            }
            prepared += &piece[word.len()..];
        }
        Ok(prepared)
    }

    /// Returns what the shell is to run instead of the program `word`: our helper where
    /// packetdrill's writes to a place that others could guess or is not there, and the same where
    /// the system cannot run it.
    fn stand_in(&self, word: &str) -> Option<String> {
        let path = self.folder.join(word);
        if !word.contains('/') || !word.ends_with(".sh") && !word.ends_with(".py") {
            return None;
        }
        let name = word.rsplit('/').next().unwrap_or_default();
        if name == "set_sysctls.py" || name == "defaults.sh" && !path.exists() {
            return Some(self.helper(name));
        }
        let is_for_shell = word.ends_with(".sh") && path.exists() && !can_run(&path);
        is_for_shell.then(|| word.to_owned())
    }

    fn helper(&self, name: &str) -> String {
        self.private.path().join(name).display().to_string()
    }

    fn write_helpers(&self) -> io::Result<()> {
        let set = |(name, value): &(&str, &str)| {
            format!("sysctl -q net.ipv4.{name}=\"{value}\" || exit 1\n")
        };
        let mut defaults: String = script::DEFAULT_SYSCTLS.iter().map(set).collect();
        // A queue that paces would make packets late; where there is no `tc` the kernel's own does.
        defaults += "tc qdisc replace dev tun0 root pfifo 2>/dev/null || true\n";
        fs::write(self.helper("defaults.sh"), defaults)?;
        fs::write(self.helper("set_sysctls.py"), SET_SYSCTLS)
    }
}

/// 128 bits of the system's randomness, as text.
fn unguessable() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns whether the file may be run, and what its first line names is there to run it.
fn can_run(path: &Path) -> bool {
    let is_executable = |path: &Path| {
        let known = fs::metadata(path);
        known.is_ok_and(|known| known.is_file() && known.permissions().mode() & 0o111 != 0)
    };
    let first = script::read(path).unwrap_or_default();
    let first = String::from_utf8_lossy(&first);
    let first = first
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("#!"));
    let mut words = first.unwrap_or("/bin/sh").split_whitespace();
    let interpreter = match (words.next(), words.next()) {
        (Some(program), Some(name)) if program.ends_with("/env") => {
            let path = env::var_os("PATH").unwrap_or_default();
            let found = env::split_paths(&path).map(|folder| folder.join(name));
            found.into_iter().find(|found| is_executable(found))
        }
        (program, _) => program.map(PathBuf::from),
    };
    is_executable(path) && interpreter.is_some_and(|program| is_executable(&program))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn shell_in(folder: Option<&Path>) -> Shell {
        Shell::new(folder, &ScriptHalt::default()).unwrap()
    }

    #[test]
    fn a_command_is_run_and_its_failure_told() {
        let shell = shell_in(None);
        assert_eq!(shell.run("true"), Ok(()));
        let reason = shell.run("echo no such thing >&2; false").unwrap_err();
        assert!(reason.ends_with("no such thing"), "{reason}");
    }

    #[test]
    fn commands_find_the_tools_of_the_network_and_whose_they_are() {
        let shell = shell_in(None);
        shell.run("command -v ip && command -v sysctl").unwrap();
        shell
            .run("test \"$PACKETDRILL_PID\" = \"${PPID}\"")
            .unwrap();
        let other = shell_in(None);
        assert_ne!(other.id, shell.id, "several scripts run at a time");
    }

    #[test]
    fn what_the_helper_sets_the_file_it_leaves_sets_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("setting");
        fs::write(&file, "4 5\t6\n").unwrap();
        let shell = shell_in(Some(folder.path()));
        let read = || fs::read_to_string(&file).unwrap();
        let set = format!("../common/set_sysctls.py {}=7", file.display());
        shell.run(&set).unwrap();
        assert_eq!(read(), "7\n");
        shell.run("/tmp/sysctl_restore_${PPID}.sh").unwrap();
        assert_eq!(read(), "4 5\t6\n");
    }

    #[test]
    fn helpers_that_are_not_there_are_ours() {
        let shell = shell_in(Some(Path::new("/")));
        let text = shell.prepared("../common/defaults.sh; true").unwrap();
        assert!(
            text.starts_with("sh ") && text.ends_with("defaults.sh; true"),
            "{text}"
        );
        let defaults = fs::read_to_string(shell.helper("defaults.sh")).unwrap();
        assert!(
            defaults.contains("tcp_rmem=\"4096 540000 15728640\""),
            "{defaults}"
        );
        assert_eq!(shell.prepared("sysctl -q a=1").unwrap(), "sysctl -q a=1");
    }

    #[test]
    fn a_helper_that_may_not_be_run_is_read_by_the_shell() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("set_up.sh"), "exit 0\n").unwrap();
        let shell = shell_in(Some(folder.path()));
        for (text, run) in [
            ("./set_up.sh", "sh ./set_up.sh"),
            ("true && ./set_up.sh;", "true && sh ./set_up.sh;"),
            (
                "if ./set_up.sh; then :; fi",
                "if sh ./set_up.sh; then :; fi",
            ),
            ("sh ./set_up.sh", "sh ./set_up.sh"),
            ("test -f ./set_up.sh", "test -f ./set_up.sh"),
        ] {
            assert_eq!(shell.prepared(text).unwrap(), run);
        }
        assert_eq!(shell.run("./set_up.sh"), Ok(()));
    }

    #[test]
    fn what_the_helpers_write_is_where_no_one_else_may_enter() {
        let shell = shell_in(None);
        let mode = fs::metadata(shell.private.path())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0);
        let text = shell.prepared("/tmp/sysctl_restore_${PPID}.sh").unwrap();
        let private = shell.private.path().display();
        assert_eq!(text, format!("{private}/sysctl_restore_{}.sh", shell.id));
        let removed = shell.prepared("rm -f /tmp/sysctl_restore_1.sh").unwrap();
        assert_eq!(removed, format!("rm -f {private}/sysctl_restore_1.sh"));
        assert_eq!(shell.id.len(), 32, "nobody guesses the name");
    }

    #[test]
    fn a_helper_that_everybody_may_write_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let helper = folder.path().join("defaults.sh");
        fs::write(&helper, "touch ran\n").unwrap();
        fs::set_permissions(&helper, Permissions::from_mode(0o777)).unwrap();
        let shell = shell_in(Some(folder.path()));
        for command in ["./defaults.sh", "sh ./defaults.sh", "cat <./defaults.sh"] {
            let reason = shell.run(command).unwrap_err();
            assert!(reason.contains("may be written by every user"), "{reason}");
        }
        assert!(!folder.path().join("ran").exists());
    }

    #[test]
    fn a_command_that_waits_ends_when_it_is_asked_to_with_all_that_it_has_started() {
        let halt = ScriptHalt::default();
        let folder = tempfile::tempdir().unwrap();
        let shell = Shell::new(Some(folder.path()), &halt).unwrap();
        let asking = halt.clone();
        std::thread::scope(|scope| {
            let runs = scope.spawn(|| shell.run("sleep 600 & echo $! > id; wait"));
            while fs::read_to_string(folder.path().join("id"))
                .unwrap_or_default()
                .is_empty()
            {
                std::thread::yield_now();
            }
            asking.ask();
            assert!(runs.join().unwrap().is_err());
        });
        let id = fs::read_to_string(folder.path().join("id")).unwrap();
        let status = || fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
        let has_ended = |status: String| status.is_empty() || status.contains(") Z ");
        // It was killed; when it has its turn to end is the system's to say.
        let patience = Instant::now() + Duration::from_secs(30);
        while !has_ended(status()) && Instant::now() < patience {
            std::thread::yield_now();
        }
        assert!(has_ended(status()), "{}", status());
    }
}
