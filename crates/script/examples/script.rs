//! Runs scripts: `cargo run -p anechoic-script --example script -- FILE|FOLDER…`
//!
//! The exit status is 0 if every script passed, 1 if one failed, 2 for wrong usage, and 3 if
//! none failed but some are not supported.

use std::process::ExitCode;

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: script FILE|FOLDER…");
        return ExitCode::from(2);
    }
    let (mut counts, mut status) = ([0; 4], 0);
    for path in paths {
        match run(&path, &mut counts) {
            Ok(()) => {}
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::from(2);
            }
        }
    }
    let [passed, failed, _, unsupported] = counts;
    println!("{passed} passed, {failed} failed, {unsupported} not supported");
    if unsupported > 0 {
        status = 3;
    }
    if failed > 0 {
        status = 1;
    }
    ExitCode::from(status)
}

fn run(path: &str, counts: &mut [u32; 4]) -> std::io::Result<()> {
    for script in script::scripts(path)? {
        let report = script::run_file(script)?;
        print!("{report}");
        counts[usize::from(report.exit_status())] += 1;
    }
    Ok(())
}
