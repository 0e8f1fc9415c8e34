//! A TCP endpoint: loss recovery, congestion controls, stack profiles.
