//! Two cells in one room, on channels of their own.

use dot11::Mode;
use lab::{Plan, Record};
use units::Db;

use crate::common::{bss, flow, mac, udp};

/// Two cells of an access point and a station that saturates its uplink, all 60 dB apart, the
/// second on a channel so many megahertz above the first.
fn two_cells(offset_mhz: u16) -> Plan {
    let mut plan = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 4);
    let mut second = bss(&mac(Mode::CCK_11, Mode::DSSS_2), 1, 4)
        .nodes
        .split_off(1);
    for (node, name) in second.iter_mut().zip(["far-ap", "far-sta"]) {
        name.clone_into(&mut node.name);
        for interface in &mut node.interfaces {
            let [a, b, c, d] = interface.address.octets();
            interface.address = [a, b, c, d + 100].into();
            if let Some(radio) = &mut interface.radio {
                name.clone_into(&mut radio.name);
                radio.frequency_mhz += offset_mhz;
                if let Some(access_point) = &mut radio.access_point {
                    access_point.node = 3;
                }
            }
        }
    }
    plan.nodes.append(&mut second);
    let nodes = plan.nodes.len();
    let air = plan.air.as_mut().expect("there are radios");
    air.loss_db = vec![vec![Db(60.0); nodes]; nodes];
    plan.flows.push(flow("near", 2, 1, udp(1000, None)));
    plan.flows.push(flow("far", 4, 3, udp(1000, None)));
    plan
}

fn goodputs(plan: &Plan) -> [f64; 2] {
    let record: Record = lab::run(plan, 1, None).expect("no files are written");
    ["near", "far"].map(|flow| record.metrics[&format!("flow.{flow}.goodput_mbps")])
}

#[test]
fn cells_on_one_channel_share_it_and_those_five_channels_apart_do_not_meet() {
    let apart = goodputs(&two_cells(25));
    let shared = goodputs(&two_cells(0));
    assert!(apart.iter().all(|goodput| *goodput > 4.5), "{apart:?}");
    for (shared, apart) in shared.iter().zip(apart) {
        assert!(
            (0.4..0.6).contains(&(shared / apart)),
            "{shared} of {apart}"
        );
    }
}

/// Of −45 dBm, −46 are left in the next channel: far above what an energy detector notices.
#[test]
fn the_next_channel_is_sensed_and_deferred_to() {
    let shared: f64 = goodputs(&two_cells(5)).iter().sum();
    let alone = goodputs(&two_cells(25))[0];
    assert!(shared < 1.2 * alone, "{shared} of {alone}");
}
