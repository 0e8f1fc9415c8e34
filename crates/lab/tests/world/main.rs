//! Whole worlds, run and held against closed forms, models, other programs and themselves.

mod airtime;
mod analysis;
mod anomaly;
mod applications;
mod association;
mod captures;
mod channels;
mod closed_forms;
mod common;
mod connections;
mod conservation;
mod contention;
mod damage;
mod determinism;
mod distributions;
mod emitters;
mod events;
mod fading;
mod impairments;
mod lost_frames;
mod network;
mod ofdm;
mod pairs;
mod pieces;
mod ports;
mod processors;
mod queues;
mod real;
mod records;
mod tshark;
mod wifi;
mod windows;

/// Echo requests of 56 bytes.
fn ping(interval: units::Duration) -> traffic::Config {
    traffic::Config::Ping(traffic::Ping {
        payload: 56,
        interval,
        flood: false,
    })
}
