"""The times of functions, as print_node_timing shows them."""

import sys

from .. import _cantik


def node_timing(roots):
    """A line for each function below these, inside blocks too, and for each kernel that ran for it, gradients
    included: average time, calls."""
    below = {f.uid for root in roots for f in _cantik.traverse(root, -1) if isinstance(f, _cantik.Function)}
    return [
        '{:<30} {:<40} avg {:.6f}s ({} call{})'.format(
            uid, kernel, nanoseconds / calls / 1e9, calls, '' if calls == 1 else 's'
        )
        for uid, kernel, calls, nanoseconds in _cantik.function_times()
        if uid in below
    ]


def print_node_timing(*roots):
    """Writes these lines to the standard error stream."""
    for line in node_timing([root for root in roots if root is not None]):
        print(line, file=sys.stderr)
