"""Switches of runs, the debugger of networks, and CNTK's old file format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _cantik
from .._checks import flag, network, path, refused, whole
from .stepping import DEBUG_USAGE, _DebugNode as _DebugNode, debug_model

if TYPE_CHECKING:
    from .._types import PathLike
    from ..ops.functions import Function

__all__ = [
    'DEBUG_USAGE',
    'save_as_legacy_model',
    'set_checked_mode',
    'set_computation_network_trace_level',
    'set_node_timing',
    'debug_model',
]


def save_as_legacy_model(root_op: Function, filename: PathLike) -> None:
    """Writes a network in the format of CNTK 1, version 31, which CNTK 2 reads too.

    Blocks are opened: the format has none. What it cannot express of the network is an error.

    Args:
        root_op (Function): the network
        filename: the file

    Raises:
        NotImplementedError: a function that cannot be written
        RuntimeError: the file cannot be written

    Example:
        >>> import cantik as C, os, tempfile
        >>> x = C.input_variable(2, name='x')
        >>> path = os.path.join(tempfile.mkdtemp(), 'm.v1')
        >>> C.debugging.save_as_legacy_model(C.tanh(x) * 2, path)
        >>> C.load_model(path).arguments[0].name
        'x'
    """
    if isinstance(filename, bytes):
        raise refused('filename', 'the path of a file', filename)
    network(root_op, 'root_op')._save_legacy(path(filename, 'filename'))


def set_computation_network_trace_level(level: int) -> None:
    """Accepted for CNTK's sake: runs print nothing.

    Args:
        level (int): how much CNTK prints of its networks
    """
    whole(level, 'level', -(2**31), 2**31 - 1)


def set_checked_mode(enable: bool) -> None:
    """Whether networks look for NaNs, as with check_nan=True: a RuntimeError names the first operator that
    makes one.

    It concerns networks that run for the first time after it; they go on as they began. To look once, or at a
    network that has run, pass check_nan=True to eval, grad or train_minibatch.

    Args:
        enable (bool): whether

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(1)
        >>> C.debugging.set_checked_mode(True)
        >>> try:
        ...     C.sin(x).eval({x: np.array([[np.inf]], np.float32)})
        ... except RuntimeError as error:
        ...     print(str(error).splitlines()[0])
        sin made a NaN, in row 0, element 0
        >>> C.debugging.set_checked_mode(False)
    """
    _cantik.set_checked_mode(flag(enable, 'enable'))


def set_node_timing(enable: bool) -> None:
    """Whether the time that each function takes is recorded, for `print_node_timing`. What was recorded
    before is forgotten.

    Args:
        enable (bool): whether

    Example:
        >>> import cantik as C, contextlib, io, numpy as np
        >>> x = C.input_variable(2)
        >>> f = C.times(x, np.ones((2, 3), np.float32))
        >>> C.debugging.set_node_timing(True)
        >>> _ = f.eval({x: np.ones((1, 2))})
        >>> C.debugging.set_node_timing(False)
        >>> printed = io.StringIO()
        >>> with contextlib.redirect_stderr(printed):
        ...     f.print_node_timing()
        >>> printed.getvalue().startswith('Times')
        True
    """
    _cantik.time_functions(flag(enable, 'enable'))
