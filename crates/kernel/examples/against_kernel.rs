//! Runs scripts against the kernel: `cargo run --example against_kernel -- FILE|FOLDER…`, as root.

use std::io;

fn main() -> io::Result<()> {
    for path in std::env::args().skip(1) {
        for report in kernel::run_files(&script::scripts(&path)?, &kernel::ScriptHalt::default())? {
            print!("{report}");
        }
    }
    Ok(())
}
