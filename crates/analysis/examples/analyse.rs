//! Tells what happened to the TCP connections of a capture file:
//! `cargo run --release -p anechoic-analysis --example analyse -- office.pcapng`.
//! With `--tstat` before the file it prints Tstat's log instead, and `-` is the standard input.

use std::process::ExitCode;

use analysis::{Analysis, Cause, DirectionSummary, Stall, TrackerLimits, analyse_path, tstat};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_log = arguments.first().is_some_and(|first| first == "--tstat");
    if as_log {
        arguments.remove(0);
    }
    let [file] = &arguments[..] else {
        eprintln!("usage: analyse [--tstat] FILE");
        return ExitCode::from(2);
    };
    match analyse_path(file.as_ref(), TrackerLimits::default()) {
        Ok(analysis) if as_log => print_log(&analysis),
        Ok(analysis) => print_table(&analysis),
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn print_log(analysis: &Analysis) {
    println!("{}", tstat::header());
    for line in analysis.connections.iter().filter_map(tstat::line) {
        println!("{line}");
    }
}

fn print_table(analysis: &Analysis) {
    println!("{:?}", analysis.tally);
    for connection in &analysis.connections {
        let [client, server] = [&connection.client, &connection.server];
        println!(
            "\n{}:{} → {}:{}  packet {}, {:?}, {:.3} s, handshake {:?} ms",
            client.address,
            client.port,
            server.address,
            server.port,
            connection.first_packet,
            connection.outcome,
            (connection.last_ns - connection.first_ns) as f64 / 1e9,
            connection.handshake_ms,
        );
        print_direction("→", client);
        print_direction("←", server);
    }
    for warning in &analysis.warnings {
        eprintln!("warning: {warning}");
    }
}

fn print_direction(arrow: &str, direction: &DirectionSummary) {
    let counters = &direction.counters;
    println!(
        "  {arrow} {} packets, {} with data, {} bytes ({} unique), {:?} Mbit/s, RTT {:?}",
        counters.packets,
        counters.packets_data,
        counters.bytes,
        counters.bytes_unique,
        direction.throughput_mbps,
        direction.rtt,
    );
    println!(
        "    again {} ({} bytes), out of order {}, duplicate ACKs {} ({} by SACK), flight {}..{} (first {}), missed {}",
        counters.packets_retransmitted,
        counters.bytes_retransmitted,
        counters.packets_out_of_order,
        counters.duplicate_acks,
        counters.duplicate_acks_sack,
        counters.flight_min.unwrap_or(0),
        counters.flight_max.unwrap_or(0),
        counters.flight_initial.unwrap_or(0),
        direction.bytes_missed,
    );
    println!(
        "    timeouts {}, recoveries {}",
        counters.timeouts, counters.recoveries
    );
    for cause in Cause::ALL
        .iter()
        .filter(|&&cause| counters.cause(cause) > 0)
    {
        println!("    {cause:?}: {}", counters.cause(*cause));
    }
    for stall in Stall::ALL {
        let pauses = counters.stall(stall);
        if pauses.count > 0 {
            println!(
                "    waited for {stall:?}: {} times, {:.3} s",
                pauses.count,
                pauses.total_ns as f64 / 1e9
            );
        }
    }
}
