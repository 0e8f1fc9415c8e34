"""A campaign: a scenario, its sweep and its replication rule, run and kept."""
