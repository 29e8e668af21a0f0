"""Counts that mean no limit."""

MOST = 2**63 - 1
"""The largest whole number of the library; as a limit it is none."""
INFINITELY_REPEAT = 2**64 - 1
"""CNTK's number for a source that never ends."""
FULL_DATA_SWEEP = 2**64 - 2
"""CNTK's number for one sweep over the data."""
