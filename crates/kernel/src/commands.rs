//! Shell commands of scripts, really run: in the script's folder, in its network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

/// Runs `text` by the shell; what it says in the case of failure is the error.
pub(crate) fn run(text: &str, folder: Option<&Path>) -> Result<(), String> {
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let (text, helpers) = with_helpers(text, folder).map_err(|error| error.to_string())?;
    let output = Command::new("sh")
        .arg("-c")
        .arg(&text)
        .current_dir(folder)
        .output();
    if let Some(helpers) = helpers {
        // Left behind it does no harm.
        let _ = fs::remove_dir_all(helpers);
    }
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().next().unwrap_or("it says nothing").to_owned();
            Err(format!("shell command {text:?}: {said}"))
        }
        Err(error) => Err(format!("shell command {text:?}: {error}")),
    }
}

/// packetdrill's helpers that set sysctls, for scripts that are not beside them.
const SET_SYSCTLS: &str = "#!/bin/sh
for setting; do echo \"${setting#*=}\" > \"${setting%%=*}\" || exit 1; done
";

/// Names our own helpers where the script names some that are not there; with the folder made
/// for them.
fn with_helpers(text: &str, folder: &Path) -> std::io::Result<(String, Option<PathBuf>)> {
    let is_missing = |word: &&str| {
        let is_helper = word.ends_with("/defaults.sh") || word.ends_with("/set_sysctls.py");
        is_helper && !folder.join(word).exists()
    };
    let missing: Vec<&str> = text.split_whitespace().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok((text.to_owned(), None));
    }
    let helpers =
        std::env::temp_dir().join(format!("anechoic-script-{}-{}", process::id(), unique()));
    fs::create_dir_all(&helpers)?;
    let defaults: String = script::DEFAULT_SYSCTLS
        .iter()
        .map(|(name, value)| format!("sysctl -q net.ipv4.{name}=\"{value}\" || exit 1\n"))
        .collect();
    fs::write(helpers.join("defaults.sh"), defaults)?;
    fs::write(helpers.join("set_sysctls.py"), SET_SYSCTLS)?;
    let mut text = text.to_owned();
    for word in missing {
        let name = word.rsplit('/').next().unwrap_or_default();
        let own = helpers.join(name);
        text = text.replace(word, &format!("sh {}", own.display()));
    }
    Ok((text, Some(helpers)))
}

fn unique() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_run_and_its_failure_told() {
        assert_eq!(run("true", None), Ok(()));
        let reason = run("echo no such thing >&2; false", None).unwrap_err();
        assert!(reason.ends_with("no such thing"), "{reason}");
    }

    #[test]
    fn helpers_that_are_not_there_are_ours() {
        let (text, helpers) =
            with_helpers("../common/set_sysctls.py /proc/a=1", Path::new("/")).unwrap();
        let helpers = helpers.unwrap();
        assert!(
            text.ends_with("set_sysctls.py /proc/a=1") && text.starts_with("sh "),
            "{text}"
        );
        let defaults = fs::read_to_string(helpers.join("defaults.sh")).unwrap();
        assert!(
            defaults.contains("tcp_rmem=\"4096 540000 15728640\""),
            "{defaults}"
        );
        fs::remove_dir_all(helpers).unwrap();
        let (text, helpers) = with_helpers("sysctl -q a=1", Path::new("/")).unwrap();
        assert_eq!((text.as_str(), helpers), ("sysctl -q a=1", None));
    }
}
