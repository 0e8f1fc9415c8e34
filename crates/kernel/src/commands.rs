//! Shell commands of scripts, really run: in the script's folder, in its network, with what
//! packetdrill's own set-up scripts look for.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, io};

/// Where `ip`, `tc` and `sysctl` are, whoever runs this.
const FOLDERS: &str = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin";

/// packetdrill's helper that sets sysctls and writes down how to set them back, for scripts that
/// are not beside it or cannot run it.
const SET_SYSCTLS: &str = r#"#!/bin/sh
back=/tmp/sysctl_restore_$PACKETDRILL_PID.sh
echo '#!/bin/sh' > "$back"
for setting; do
  file=${setting%%=*}
  echo "echo '$(cat "$file")' > $file" >> "$back"
  echo "${setting#*=}" > "$file" || exit 1
done
chmod u+x "$back"
"#;

/// The shell of one script.
#[derive(Debug)]
pub(crate) struct Shell {
    folder: PathBuf,
    /// What stands for packetdrill's process, by which its helpers name their files: one script
    /// of several that run at a time.
    id: String,
    /// Where our own helpers are, once they are needed.
    helpers: PathBuf,
}

impl Shell {
    /// The shell of a script in `folder`.
    pub fn new(folder: Option<&Path>) -> Shell {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}_{number}", process::id());
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        Shell {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            helpers: env::temp_dir().join(format!("anechoic-script-{id}")),
            id,
        }
    }

    /// Runs `text`; what it says in the case of failure is the error.
    pub fn run(&self, text: &str) -> Result<(), String> {
        let failed = |what: &dyn std::fmt::Display| format!("shell command {text:?}: {what}");
        let script = self.prepared(text).map_err(|error| failed(&error))?;
        let path = env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .arg("-c")
            .arg(&script)
            .current_dir(&self.folder)
            .env("PATH", format!("{path}:{FOLDERS}"))
            .env("PACKETDRILL_PID", &self.id)
            .output()
            .map_err(|error| failed(&error))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(failed(&said.lines().next().unwrap_or("it says nothing")))
    }

    /// `text` with the process that packetdrill would be, and with our own helpers where the
    /// script names some that cannot be run.
    fn prepared(&self, text: &str) -> io::Result<String> {
        let text = text.replace("${PPID}", &self.id).replace("$PPID", &self.id);
        let mut prepared = String::new();
        for piece in text.split_inclusive(|c: char| c.is_whitespace() || ";&|()".contains(c)) {
            let end = piece.trim_end_matches(|c: char| c.is_whitespace() || ";&|()".contains(c));
            prepared += &match self.stand_in(end)? {
                Some(command) => command,
                None => end.to_owned(),
            };
            prepared += &piece[end.len()..];
        }
        Ok(prepared)
    }

    /// What to run in place of the helper `word`, if it is one and cannot be run itself.
    fn stand_in(&self, word: &str) -> io::Result<Option<String>> {
        let path = self.folder.join(word);
        let is_program = word.contains('/') && (word.ends_with(".sh") || word.ends_with(".py"));
        if !is_program || can_run(&path) {
            return Ok(None);
        }
        let name = word.rsplit('/').next().unwrap_or_default();
        if name == "set_sysctls.py" || name == "defaults.sh" && !path.exists() {
            self.write_helpers()?;
            return Ok(Some(format!("sh {}", self.helpers.join(name).display())));
        }
        let is_shell = word.ends_with(".sh") && path.exists();
        Ok(is_shell.then(|| format!("sh {word}")))
    }

    fn write_helpers(&self) -> io::Result<()> {
        let set = |(name, value): &(&str, &str)| {
            format!("sysctl -q net.ipv4.{name}=\"{value}\" || exit 1\n")
        };
        let mut defaults: String = script::DEFAULT_SYSCTLS.iter().map(set).collect();
        // A queue that paces would make packets late; where there is no `tc` the kernel's own does.
        defaults += "tc qdisc replace dev tun0 root pfifo 2>/dev/null || true\n";
        fs::create_dir_all(&self.helpers)?;
        fs::write(self.helpers.join("defaults.sh"), defaults)?;
        fs::write(self.helpers.join("set_sysctls.py"), SET_SYSCTLS)
    }
}

impl Drop for Shell {
    /// Removes what the helpers have written; left behind it does no harm.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.helpers);
        let _ = fs::remove_file(format!("/tmp/sysctl_restore_{}.sh", self.id));
    }
}

/// Whether the file may be run, and what its first line names is there to run it.
fn can_run(path: &Path) -> bool {
    let is_executable = |path: &Path| {
        let known = fs::metadata(path);
        known.is_ok_and(|known| known.is_file() && known.permissions().mode() & 0o111 != 0)
    };
    let first = fs::read_to_string(path).unwrap_or_default();
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
    use super::*;

    #[test]
    fn a_command_is_run_and_its_failure_told() {
        let shell = Shell::new(None);
        assert_eq!(shell.run("true"), Ok(()));
        let reason = shell.run("echo no such thing >&2; false").unwrap_err();
        assert!(reason.ends_with("no such thing"), "{reason}");
    }

    #[test]
    fn commands_find_the_tools_of_the_network_and_whose_they_are() {
        let shell = Shell::new(None);
        shell.run("command -v ip && command -v sysctl").unwrap();
        shell
            .run("test \"$PACKETDRILL_PID\" = \"${PPID}\"")
            .unwrap();
        let other = Shell::new(None);
        assert_ne!(other.id, shell.id, "several scripts run at a time");
    }

    #[test]
    fn what_the_helper_sets_the_file_it_leaves_sets_back() {
        let folder = env::temp_dir().join(format!("anechoic-commands-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("setting");
        fs::write(&file, "4 5\t6\n").unwrap();
        let shell = Shell::new(Some(&folder));
        let read = || fs::read_to_string(&file).unwrap();
        let set = format!("../common/set_sysctls.py {}=7", file.display());
        shell.run(&set).unwrap();
        assert_eq!(read(), "7\n");
        shell.run("/tmp/sysctl_restore_${PPID}.sh").unwrap();
        assert_eq!(read(), "4 5\t6\n");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn helpers_that_are_not_there_are_ours() {
        let shell = Shell::new(Some(Path::new("/")));
        let text = shell.prepared("../common/defaults.sh; true").unwrap();
        assert!(
            text.starts_with("sh ") && text.ends_with("defaults.sh; true"),
            "{text}"
        );
        let defaults = fs::read_to_string(shell.helpers.join("defaults.sh")).unwrap();
        assert!(
            defaults.contains("tcp_rmem=\"4096 540000 15728640\""),
            "{defaults}"
        );
        assert_eq!(shell.prepared("sysctl -q a=1").unwrap(), "sysctl -q a=1");
    }

    #[test]
    fn a_helper_that_may_not_be_run_is_read_by_the_shell() {
        let folder = env::temp_dir().join(format!("anechoic-helpers-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("set_up.sh"), "exit 0\n").unwrap();
        let shell = Shell::new(Some(&folder));
        assert_eq!(shell.prepared("./set_up.sh").unwrap(), "sh ./set_up.sh");
        assert_eq!(shell.run("./set_up.sh"), Ok(()));
        fs::remove_dir_all(folder).unwrap();
    }
}
