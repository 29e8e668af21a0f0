"""Switches of runs, the debugger of networks, and CNTK's old file format."""
from ..internal.waiting import not_there
from .stepping import DEBUG_USAGE, _DebugNode, debug_model

__all__ = ['DEBUG_USAGE', 'save_as_legacy_model', 'set_checked_mode', 'set_computation_network_trace_level', 'set_node_timing', 'debug_model']

def save_as_legacy_model(root_op, filename):
    """Writes CNTK's format of version 1, which is not there, see docs/status.md."""
    raise not_there('save_as_legacy_model')


def set_checked_mode(enable):
    """Accepted; every run checks its feeds."""


def set_computation_network_trace_level(level):
    """Accepted; runs print nothing."""


def set_node_timing(enable):
    """Accepted; cantik.profile() gives the times."""
