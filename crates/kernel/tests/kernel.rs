//! Scripts against this machine's kernel, where it lets itself be used.

use std::path::Path;

#[test]
fn a_script_passes_or_the_missing_privilege_is_named() {
    // The second has the window's scale of the simulated endpoint, whatever the kernel's own is.
    for script in [
        "reset/linux-read-and-write-after-a-reset.pkt",
        "options/linux-window-scale.pkt",
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scripts");
        match kernel::run_file(folder.join(script)) {
            // On a busy machine a packet may be late, but what is sent is what is written.
            Ok(report) => assert!(
                report.is_passed() || report.to_string().contains("time: expected"),
                "{report}"
            ),
            Err(error) => assert!(error.to_string().contains("needs root"), "{error}"),
        }
    }
}

#[test]
fn a_script_that_is_not_there_is_an_error() {
    assert!(kernel::run_file("no-such-script.pkt").is_err());
}
