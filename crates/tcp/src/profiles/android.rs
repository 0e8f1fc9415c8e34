//! Android 15 on Wi-Fi: Linux 6.6 with the buffers that Android sets.
//!
//! "Wi-Fi buffers" is `config_wifi_tcp_buffers` of the Wi-Fi module's resources, which
//! ConnectivityService writes to `tcp_rmem` and `tcp_wmem` when a network becomes the default:
//! 524288,1048576,2097152 to receive and 262144,524288,1048576 to send. Makers overlay it: their
//! telephones may have more. Not modelled: the first window of 60 segments
//! (`tcp_default_init_rwnd`), which is less than the buffer begins with here.

use super::{Family, LinuxKernel, LinuxStack, ParameterDoc, Profile, doc, linux_6, with_sources};

pub(super) const PROFILE: Profile = Profile {
    receive_window_bytes: 1_327_104,
    send_buffer_bytes: 1_048_576,
    window_shift_min: 6,
    family: Family::Linux(LinuxStack {
        receive_buffer_bytes: 1_048_576,
        receive_buffer_max_bytes: 2_097_152,
        kernel: LinuxKernel {
            jiffy_ms: 4,
            ..linux_6::STACK.kernel
        },
        ..linux_6::STACK
    }),
    ..linux_6::PROFILE
};

pub(super) const SOURCES: &[ParameterDoc] = &with_sources::<{ linux_6::SOURCES.len() }>(
    linux_6::SOURCES,
    &[
        doc(
            "receive_window_bytes",
            "tcp_measure_rcv_mss: what 2 MiB of memory hold in segments of 1460 bytes, 162/256",
        ),
        doc(
            "send_buffer_bytes",
            "Wi-Fi buffers: a tcp_wmem of 1 MiB at most",
        ),
        doc(
            "window_shift_min",
            "tcp_select_initial_window: the shift that tcp_rmem's maximum of 2 MiB needs",
        ),
        doc("receive_buffer_bytes", "Wi-Fi buffers: a tcp_rmem of 1 MiB"),
        doc(
            "receive_buffer_max_bytes",
            "Wi-Fi buffers: a tcp_rmem of 2 MiB at most",
        ),
        doc(
            "jiffy_ms",
            "inferred: a jiffy at HZ=250, arm64's default, as gki_defconfig names no other",
        ),
    ],
);
