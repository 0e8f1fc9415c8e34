//! What an endpoint gives up before it hears anybody: all files (landlock(7)).

use landlock::{ABI, Access as _, AccessFs, Ruleset, RulesetAttr as _, RulesetStatus};

/// Closes all files to this thread and to those that it begins, for good; tells whether the kernel
/// does so. What is open stays open.
///
/// # Errors
/// When a kernel that could, will not.
pub(crate) fn confine() -> Result<bool, String> {
    let told = |error: landlock::RulesetError| format!("Landlock: {error}");
    let rules = Ruleset::default().handle_access(AccessFs::from_all(ABI::V5));
    let rules = rules.and_then(Ruleset::create).map_err(told)?;
    let confined = rules.restrict_self().map_err(told)?;
    Ok(confined.ruleset != RulesetStatus::NotEnforced)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn files_no_thread_of_a_confined_endpoint_opens_one() {
        let confined = thread::spawn(|| {
            let is_confined = confine().unwrap();
            let opened = thread::spawn(|| File::open("/etc/passwd").is_ok());
            assert_eq!(opened.join().unwrap(), !is_confined);
            TcpListener::bind("127.0.0.1:0").unwrap();
        });
        confined.join().unwrap();
        assert!(
            File::open("/etc/passwd").is_ok(),
            "this thread is another one's"
        );
    }
}
