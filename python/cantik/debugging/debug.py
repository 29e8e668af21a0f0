"""Switches of runs, and CNTK's old file format."""
import sys

from ..internal.waiting import not_there

__all__ = ['DEBUG_USAGE', 'save_as_legacy_model', 'set_checked_mode', 'set_computation_network_trace_level', 'set_node_timing', 'debug_model']

DEBUG_USAGE = 'The step-by-step debugger is not there yet, see docs/status.md.'


def save_as_legacy_model(root_op, filename):
    """Writes CNTK's format of version 1, which is not there, see docs/status.md."""
    raise not_there('save_as_legacy_model')


def set_checked_mode(enable):
    """Accepted; every run checks its feeds."""


def set_computation_network_trace_level(level):
    """Accepted; runs print nothing."""


def set_node_timing(enable):
    """Accepted; cantik.profile() gives the times."""


def debug_model(model, in_stream=sys.stdin, out_stream=sys.stdout, exit_func=sys.exit):
    """A debugger that stops at each function needs Python user functions, which are not there yet, see docs/status.md."""
    raise not_there('debug_model')
