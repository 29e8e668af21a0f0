"""Helpers that CNTK's own programs use."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import number
from .dictionaries import DictionaryValue
from .sanitize import sanitize_precision

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .._cantik import DeviceDescriptor

DATATYPE = np.float32


def __getattr__(name):
    if name == 'sparse':
        import scipy.sparse

        return scipy.sparse
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def get_data_type(*args: Any) -> Any:
    """NumPy's type that operands have together: that of the first variable with one, or that of the data.
    None if nothing says it.

    Args:
        args: variables, functions, arrays and numbers
    """
    of_variables, of_data = [], []
    for arg in args:
        if isinstance(arg, _cantik.Function):
            arg = arg.output
        if isinstance(arg, _cantik.Variable):
            if arg.dtype is not None:
                of_variables.append(arg.dtype)
        elif isinstance(arg, np.ndarray):
            if arg.dtype.kind not in 'biuf':
                raise ValueError(f'NumPy type "{arg.dtype}" is not supported')
            of_data.append(
                arg.dtype.type if arg.dtype.type in (np.float16, np.float32, np.float64) else np.float32
            )
        elif isinstance(arg, np.float64) or isinstance(arg, np.float16):
            of_data.append(type(arg))
        else:
            number(arg, 'a value')
            of_data.append(np.float32)
    for found in (of_variables, of_data):
        if np.float64 in found:
            return np.float64
        if found:
            return found[0]
    return None


def get_python_function_arguments(f: Callable[..., Any]) -> tuple[list[str], Any | dict[Any, Any]]:
    """The names of a Python function's required arguments, and their annotations."""
    names = [
        p.name
        for p in inspect.signature(f).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return names, getattr(f, '__annotations__', {})


def map_function_arguments(
    params: Sequence[Any], params_dict: Mapping[str, Any], *args: Any, **kwargs: Any
) -> dict[Any, Any]:
    """What a call binds to which parameter."""
    bound = dict(zip(params, args))
    for name, value in kwargs.items():
        if name not in params_dict:
            raise TypeError(f"got an unexpected keyword argument '{name}'")
        if params_dict[name] in bound:
            raise SyntaxError(f"got multiple values for argument '{name}'")
        bound[params_dict[name]] = value
    return bound


def eval(
    op: Any,
    arguments: Any = None,
    precision: Any = None,
    device: DeviceDescriptor | None = None,
    backward_pass: bool = False,
    expected_backward: Mapping[Any, Any] | None = None,
) -> tuple[Any, Any] | tuple[Any, None]:
    """Forward values and, if asked for, gradients of a function under roots of ones.

    Args:
        op (Function): the function
        arguments (dict): data for its arguments
        precision: element type of the data, which is that of the inputs
        device: where to run
        backward_pass (bool): whether gradients are wanted
        expected_backward (dict): whose keys say of what

    Returns:
        dictionaries of the outputs and of the gradients (None where they are not wanted)
    """
    if backward_pass:
        state, forward = op.forward(arguments, op.outputs, op.outputs, device=device)
        ones = {
            v: [np.ones_like(s) for s in o] if isinstance(o, list) else np.ones_like(o)
            for v, o in forward.items()
        }
        return forward, op.backward(
            state, ones, arguments if expected_backward is None else expected_backward
        )
    return op.forward(arguments, op.outputs, None, device=device)[1], None


def _value_as_sequence_or_array(value, variable):
    return _cantik.as_sequence_or_array(value, variable)


def _to_cntk_dict_value(value):
    return DictionaryValue(value)


def _ones_like(batch, precision):
    """Ones in the shape of each sample, as the gradients of roots."""
    return [np.ones_like(sample, dtype=sanitize_precision(precision)) for sample in batch]
