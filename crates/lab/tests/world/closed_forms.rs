//! A single station against the standard's sums.

use crate::common::{bss, bulk, flow, mac, saturate_uplink};
use crate::ofdm::ofdm_mac;
use dot11::{MacConfig, Mode, Standard};

const LLC_IP_UDP: u32 = 8 + 20 + 8;

/// Goodput in Mbit/s of a saturated lone station, and the closed form: DIFS, mean backoff of
/// CWmin/2 slots, the exchange, nothing else.
fn lone_station(config: &MacConfig, payload: u32, seconds: u64) -> f64 {
    let mut plan = bss(config, 1, seconds);
    saturate_uplink(&mut plan, payload);
    lab::run(&plan, 1, None)
        .expect("no files are written")
        .metrics["goodput_mbps"]
}

fn closed_form(payload: u32, data_us: f64, overhead_us: f64) -> f64 {
    let backoff = 20.0 * 31.0 / 2.0;
    f64::from(payload) * 8.0 / (50.0 + backoff + data_us + overhead_us)
}

#[test]
fn a_lone_station_reaches_its_closed_form() {
    // 1472 bytes of payload make an MPDU of 1536 bytes: 1310 µs at 11 Mbit/s (ACK 248 µs).
    let measured = lone_station(&mac(Mode::CCK_11, Mode::DSSS_2), 1472, 1200);
    let expected = closed_form(1472, 1310.0, 10.0 + 248.0);
    assert!(
        (measured / expected - 1.0).abs() < 1e-3,
        "{measured} against {expected} Mbit/s"
    );
}

#[test]
fn rts_cts_costs_two_frames_and_two_sifs() {
    let config = MacConfig {
        rts_threshold: 0,
        ..mac(Mode::CCK_11, Mode::DSSS_2)
    };
    let measured = lone_station(&config, 1472, 1200);
    let rts_cts = 272.0 + 10.0 + 248.0 + 10.0;
    let expected = closed_form(1472, 1310.0, 10.0 + 248.0 + rts_cts);
    assert!(
        (measured / expected - 1.0).abs() < 1e-3,
        "{measured} against {expected} Mbit/s"
    );
}

/// Jun, Peddabachagari and Sichitiu 2003: the theoretical maximum throughput over MSDUs
/// handed to the MAC, control frames at 1 Mbit/s, long preamble, 34 bytes of MAC header and
/// FCS where a data frame with three addresses has 28; the six bytes are put into the MSDU.
#[test]
fn the_theoretical_maximum_throughputs_of_jun_are_met() {
    let published = [
        (Mode::DSSS_1, 0.783, 0.913, 0.869),
        (Mode::DSSS_2, 1.343, 1.714, 1.563),
        (Mode::CCK_5_5, 2.467, 3.874, 3.180),
        (Mode::CCK_11, 3.243, 6.056, 4.515),
    ];
    for (mode, at_512, at_1500, at_1500_with_rts) in published {
        for (msdu, rts_threshold, expected) in [
            (512, 2347, at_512),
            (1500, 2347, at_1500),
            (1500, 0, at_1500_with_rts),
        ] {
            let config = MacConfig {
                rts_threshold,
                ..mac(mode, Mode::DSSS_1)
            };
            let payload = msdu + 6 - LLC_IP_UDP;
            let goodput = lone_station(&config, payload, 300);
            let measured = goodput * f64::from(msdu) / f64::from(payload);
            let error = measured / expected - 1.0;
            assert!(
                error.abs() < 5e-3,
                "{mode} {msdu}: {measured:.3} against {expected}"
            );
        }
    }
}

/// The same paper's cycle with the SIFS of the standard: 1500-byte MSDUs, ACKs at the highest of
/// 6, 12 and 24 Mbit/s not above the data. At 2.4 GHz the two signal extensions are what SIFS and
/// DIFS are shorter by.
#[test]
fn the_theoretical_maximum_throughputs_of_ofdm_are_met_in_both_bands() {
    let erp = [Mode::ERP_6, Mode::ERP_12, Mode::ERP_24, Mode::ERP_54];
    let ofdm = [Mode::OFDM_6, Mode::OFDM_12, Mode::OFDM_24, Mode::OFDM_54];
    let expected = [5.373, 10.021, 17.608, 30.496];
    for (standard, modes) in [(Standard::Dot11g, erp), (Standard::Dot11a, ofdm)] {
        for (mode, expected) in modes.into_iter().zip(expected) {
            let basic_rates = modes[..3].to_vec();
            let config = MacConfig {
                basic_rates,
                ..ofdm_mac(standard, mode, mode)
            };
            let payload = 1500 + 6 - LLC_IP_UDP;
            let measured = lone_station(&config, payload, 200) * 1500.0 / f64::from(payload);
            let error = measured / expected - 1.0;
            assert!(
                error.abs() < 1e-3,
                "{standard:?} {mode}: {measured:.3} against {expected}"
            );
        }
    }
}

/// A full segment and, of every other one, the acknowledgement, each with half of CWmin slots or
/// none: access point and station count down together, so the truth lies between.
#[test]
fn a_download_at_54_mbit_s_lies_between_its_sums() {
    let mut plan = bss(
        &ofdm_mac(Standard::Dot11g, Mode::ERP_54, Mode::DSSS_2),
        1,
        60,
    );
    plan.flows.push(flow("download", 0, 2, bulk(None)));
    let measured = lab::run(&plan, 1, None)
        .expect("no files are written")
        .metrics["goodput_mbps"];
    assert!(measured > 24.5 && measured < 31.1, "{measured} Mbit/s");
}
