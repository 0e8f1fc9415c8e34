//! Runs scripts against the simulated endpoint: `cargo run --example simulated -- FILE|FOLDER…`.

use std::io;

fn main() -> io::Result<()> {
    for path in std::env::args().skip(1) {
        for script in script::scripts(&path)? {
            print!("{}", script::run_file(script)?);
        }
    }
    Ok(())
}
