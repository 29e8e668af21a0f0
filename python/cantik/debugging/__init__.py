"""Helpers to look into networks and runs."""
from .. import _cantik
from .debug import (DEBUG_USAGE as DEBUG_USAGE, debug_model as debug_model,
                    save_as_legacy_model as save_as_legacy_model, set_checked_mode as set_checked_mode,
                    set_computation_network_trace_level as set_computation_network_trace_level,
                    set_node_timing as set_node_timing)
from .profiler import (disable_profiler as disable_profiler, enable_profiler as enable_profiler,
                       start_profiler as start_profiler, stop_profiler as stop_profiler)


def force_deterministic(seed):
    """Fixes the seed of everything random. Runs repeat bit for bit anyway.

    Args:
        seed (int): the seed
    """
    _cantik.set_fixed_random_seed(seed)


def dump_signature(root, tag=None):
    """Prints the types of a function's arguments and outputs.

    Args:
        root (Function): the function
        tag (str): accepted for CNTK's sake
    """
    print(root)


def _described(v):
    axes = '' if v.is_parameter or v.is_constant else '[?]' if v.is_placeholder and not len(v.dynamic_axes) else '[' + ','.join(
        'b' if a.is_batch_axis else '?' if a.name == 'UnknownAxes' else 's' for a in v.dynamic_axes) + ']'
    return axes + str(v.shape)


def dump_function(root, tag=None):
    """Prints a network, a line for each of its functions, inside blocks too.

    Args:
        root (Function): the network
        tag (str): accepted for CNTK's sake
    """
    from ..logging.graph import depth_first_search
    print(root)
    for node in depth_first_search(root, lambda n: True, depth=-1):
        if isinstance(node, _cantik.Function):
            inputs = ', '.join('{}:{}'.format(v.name or v.uid, _described(v)) for v in node.inputs)
            outputs = ', '.join('{}:{}'.format(v.name or v.uid, _described(v)) for v in node.outputs)
            print('  {:<20} {:<30} ({}) -> ({})'.format(node.op_name, node.name or node.uid, inputs, outputs))
        else:
            kind = next(k for k in ('Input', 'Output', 'Parameter', 'Constant', 'Placeholder') if getattr(node, 'is_' + k.lower()))
            print('  {:<20} {:<30} {}'.format(kind, node.name or node.uid, _described(node)))
