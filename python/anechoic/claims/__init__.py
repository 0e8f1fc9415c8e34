"""The commands on claims: listed, shown, run and judged, and put together on one scorecard."""
