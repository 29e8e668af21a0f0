"""Helpers that CNTK's own programs use."""

import inspect

import numpy as np

from .. import _cantik
from .._checks import number
from ..axis import Axis
from .dictionaries import DictionaryValue
from .sanitize import sanitize_precision

DATATYPE = np.float32


def __getattr__(name):
    if name == 'sparse':
        import scipy.sparse

        return scipy.sparse
    raise AttributeError("module '{}' has no attribute '{}'".format(__name__, name))


def get_data_type(*args):
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
                raise ValueError('NumPy type "{}" is not supported'.format(arg.dtype))
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


def get_python_function_arguments(f):
    """The names of a Python function's required arguments, and their annotations."""
    names = [
        p.name
        for p in inspect.signature(f).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return names, getattr(f, '__annotations__', {})


def map_function_arguments(params, params_dict, *args, **kwargs):
    """What a call binds to which parameter."""
    bound = dict(zip(params, args))
    for name, value in kwargs.items():
        if name not in params_dict:
            raise TypeError("got an unexpected keyword argument '{}'".format(name))
        if params_dict[name] in bound:
            raise SyntaxError("got multiple values for argument '{}'".format(name))
        bound[params_dict[name]] = value
    return bound


def eval(op, arguments=None, precision=None, device=None, backward_pass=False, expected_backward=None):
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
