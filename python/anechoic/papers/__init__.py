"""The papers that the chamber is measured against: their experiments and claims."""
