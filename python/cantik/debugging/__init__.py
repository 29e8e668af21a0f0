"""Helpers to look into networks and runs."""

from __future__ import annotations

from .. import _cantik
from .debug import (
    DEBUG_USAGE as DEBUG_USAGE,
    debug_model as debug_model,
    save_as_legacy_model as save_as_legacy_model,
    set_checked_mode as set_checked_mode,
    set_computation_network_trace_level as set_computation_network_trace_level,
    set_node_timing as set_node_timing,
)
from .dump import dump_function as dump_function, dump_signature as dump_signature
from .profiler import (
    disable_profiler as disable_profiler,
    enable_profiler as enable_profiler,
    start_profiler as start_profiler,
    stop_profiler as stop_profiler,
)


def force_deterministic(seed: int) -> None:
    """Fixes the seed of everything random. Runs repeat bit for bit anyway.

    Args:
        seed (int): the seed
    """
    _cantik.set_fixed_random_seed(seed)
