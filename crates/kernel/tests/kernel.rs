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

/// Runs a script of these lines, which needs no packet, in a folder of its own.
fn run(name: &str, text: &str) -> std::io::Result<script::ScriptReport> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(format!("{name}.pkt"));
    std::fs::write(&path, text)?;
    kernel::run_file(path)
}

fn passes_where_it_may(outcome: std::io::Result<script::ScriptReport>) {
    match outcome {
        Ok(report) => assert!(report.is_passed(), "{report}"),
        Err(error) => assert!(error.to_string().contains("needs root"), "{error}"),
    }
}

#[test]
fn set_up_commands_find_what_packetdrill_gives_them() {
    passes_where_it_may(run(
        "set-up",
        "`../common/defaults.sh
../common/set_sysctls.py /proc/sys/net/ipv4/tcp_sack=0`
 0 `test \"$(cat /proc/sys/net/ipv4/tcp_sack)\" = 0`
+0 `ip link show tun0 && tc qdisc show dev tun0 | grep -q pfifo`
+0 `test -d /sys/class/net/tun0`
+0 `test -n \"$PACKETDRILL_PID\"`
`/tmp/sysctl_restore_${PPID}.sh`
`test \"$(cat /proc/sys/net/ipv4/tcp_sack)\" = 1`
",
    ));
}

#[test]
fn what_a_script_writes_below_sys_is_put_back() {
    const FILE: &str = "/sys/module/tcp_cubic/parameters/hystart_low_window";
    let Ok(before) = std::fs::read_to_string(FILE) else {
        return; // a kernel without CUBIC
    };
    passes_where_it_may(run(
        "below-sys",
        &format!("0 `echo 77 > {FILE}`\n+0 `test $(cat {FILE}) = 77`\n"),
    ));
    assert_eq!(std::fs::read_to_string(FILE).unwrap(), before);
}

#[test]
fn a_call_asks_for_nothing_that_takes_a_pointer() {
    for call in [
        "ioctl(3, 0x5401, [0])",
        "ioctl(3, 0x8912, [0])",
        "fcntl(3, 5, 1)",
        "fcntl(3, 36, 1)",
    ] {
        let text = format!("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 {call} = 0\n");
        match run("pointer", &text) {
            Ok(report) => assert!(report.to_string().contains("there are F"), "{report}"),
            Err(error) => assert!(error.to_string().contains("needs root"), "{error}"),
        }
    }
}

#[test]
fn a_device_is_not_opened() {
    match run("device", "0 open(\"/dev/null\", O_RDONLY) = 3\n") {
        Ok(report) => assert!(report.to_string().contains("which is no file"), "{report}"),
        Err(error) => assert!(error.to_string().contains("needs root"), "{error}"),
    }
}

#[test]
fn a_message_of_many_large_buffers_is_refused() {
    let buffers = vec!["{..., 1000000000}"; 500].join(", ");
    let text = format!(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 readv(3, [{buffers}], 500) = -1\n"
    );
    match run("buffers", &text) {
        Ok(report) => assert!(report.to_string().contains("a length of"), "{report}"),
        Err(error) => assert!(error.to_string().contains("needs root"), "{error}"),
    }
}
