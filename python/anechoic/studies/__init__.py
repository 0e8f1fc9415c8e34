"""The studies that ship: a folder each, of scenarios and claims."""
