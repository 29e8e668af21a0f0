"""Conversions of what users pass to what CNTK's internals take: shapes and axes in the order of its core, the
other way round."""

from __future__ import annotations

import functools
import numbers
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import listed, refused, whole
from ..axis import Axis
from ..core import NDArrayView, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._cantik import DeviceDescriptor
    from .._types import DTypeLike, FlagsLike, ShapeLike
    from ..ops.functions import Function
    from ..variables import Variable

__all__ = [
    'is_string',
    'is_byte_buffer',
    'sanitize_precision',
    'sanitize_shape',
    'sanitize_input',
    'sanitize_2d_number',
    'sanitize_range',
    'sanitize_batch',
    'sanitize_value',
    'sanitize_function',
    'sanitize_variable_or_function',
    'sanitize_variables_or_functions',
    'sanitize_var_map',
    'data_type_to_dtype',
    'sanitize_dtype_numpy',
    'sanitize_dtype_cntk',
    'sanitize_axis',
    'sanitize_axis_list',
    'sanitize_multi_axis_reduction_list',
    'sanitize_dynamic_axes',
    'sanitize_variable_value_dict',
    'sanitize_pooling_args',
    'sanitize_convolution_args',
    'sanitize_Function_attributes',
    'sanitize_permutation',
    'sanitize_random_args',
    'bounded_cache',
]


def is_string(s: Any) -> bool:
    """Whether it is a text."""
    return isinstance(s, str)


def is_byte_buffer(s: Any) -> bool:
    """Whether it is bytes."""
    return isinstance(s, (bytes, bytearray))


def sanitize_precision(precision: Any) -> Any:
    """NumPy's type of 'float', 'double', or of NumPy's own types."""
    if precision in (np.float32, 'float', 'float32', None):
        return np.float32
    if precision in (np.float64, 'double', 'float64'):
        return np.float64
    if precision in (np.float16, 'float16'):
        return np.float16
    raise ValueError(f'precision value: "{precision}" is not supported')


def sanitize_shape(shape: ShapeLike) -> tuple[Any, ...]:
    """A shape as a tuple: a number is one dimension."""
    if np.isscalar(shape):
        shape = (shape,)
    return tuple(listed(shape, 'shape'))


def sanitize_input(arg: Any, fallback_dtype: DTypeLike = np.float32, reshape: Any = None) -> Any:
    """A variable of what may be an operand: variables and functions as they are, numbers and arrays as
    constants."""
    if isinstance(arg, (_cantik.Variable, _cantik.Function)):
        return _cantik.operand(arg, fallback_dtype)
    array = np.asarray(arg)
    if array.dtype == object:
        raise ValueError(f'could not convert instance of type {type(arg).__name__} to an array')
    if reshape is not None:
        array = np.reshape(array, reshape)
    return _cantik.operand(array, fallback_dtype)


def sanitize_2d_number(x: Any) -> tuple[Any, ...]:
    """A pair of numbers; one number twice."""
    return (x, x) if np.isscalar(x) else tuple(x)


def sanitize_range(x: Any) -> tuple[Any, ...]:
    """A pair (low, high); one number r is (-r, r)."""
    return (-x, x) if np.isscalar(x) else tuple(x)


def sanitize_batch(
    var: Any, batch: Any, seq_starts: Any = None, device: DeviceDescriptor | None = None
) -> Value:
    """Data as a Value for the variable."""
    items = batch if isinstance(batch, (list, tuple)) else [batch]
    if any(isinstance(item, np.ndarray) and not item.flags.c_contiguous for item in items):
        warnings.warn(
            'data is not C contiguous; rearrange your data/computation to avoid costly data conversions',
            RuntimeWarning,
            stacklevel=2,
        )
    return _cantik.value_for(var, batch, seq_starts)


def sanitize_value(
    shape: ShapeLike, value: Any, dtype: DTypeLike, device: DeviceDescriptor | None
) -> NDArrayView:
    """Numbers as an NDArrayView: an array, or a number for all elements of a shape."""
    dtype = sanitize_dtype_numpy(dtype)
    if value is None:
        if shape is None:
            raise ValueError('you need to specify at least shape or value')
        return NDArrayView(sanitize_shape(shape), dtype, device)
    if np.isscalar(value):
        value = np.full(() if shape is None else sanitize_shape(shape), value, dtype)
    return NDArrayView.from_dense(np.ascontiguousarray(value, dtype), device)


def sanitize_function(arg: Any) -> Function:
    """A function; of a variable `combine` of it."""
    if isinstance(arg, _cantik.Variable):
        arg = _cantik.combine([arg])
    if not isinstance(arg, _cantik.Function):
        raise TypeError(f'Object of type {type(arg)} cannot be cast to Variable')
    return arg


def sanitize_variable_or_function(arg: Any) -> Variable | Function:
    """A variable or function, or a TypeError."""
    if not isinstance(arg, (_cantik.Variable, _cantik.Function)):
        raise TypeError(f'a Variable or Function was expected, not {type(arg)}')
    return arg


def sanitize_variables_or_functions(arg: Any) -> list[Variable | Function]:
    """A list of variables and functions."""
    return [sanitize_variable_or_function(a) for a in (arg if isinstance(arg, (list, tuple, set)) else [arg])]


def sanitize_var_map(
    op_arguments: Any,
    arguments: Any,
    precision: Any = None,
    device: DeviceDescriptor | None = None,
    extract_values_from_minibatch_data: bool = True,
) -> dict[Any, Any]:
    """Data for a function's arguments, as a dictionary from variables to Values."""
    op_arguments = list(op_arguments or ())
    if arguments is None or (isinstance(arguments, (dict, list, tuple)) and not len(arguments)):
        if op_arguments:
            names = ', '.join(v.name or v.uid for v in op_arguments)
            raise ValueError(
                f'function expects {len(op_arguments)} arguments\n  remedy   give data for {names}'
            )
        return {}
    if not isinstance(arguments, dict):
        if len(op_arguments) != 1:
            raise ValueError(f'your graph has {len(op_arguments)} inputs, but you specified data for one')
        arguments = {op_arguments[0]: arguments}
    by_name = {v.name: v for v in op_arguments}
    values = {}
    for var, data in arguments.items():
        if isinstance(var, str):
            if var not in by_name:
                raise ValueError(
                    f'variable with name "{var}" does not exist in the network. Available variable names: '
                    + ', '.join(by_name)
                )
            var = by_name[var]
        if hasattr(data, 'end_of_sweep'):
            values[var] = data.data if extract_values_from_minibatch_data else data
        else:
            values[var] = data if isinstance(data, Value) else sanitize_batch(var, data)
    return values


def data_type_to_dtype(data_type: Any) -> Any:
    """NumPy's type of CNTK's number."""
    return _cantik.dtype(whole(data_type, 'data_type'))


def sanitize_dtype_numpy(dtype: DTypeLike) -> Any:
    """NumPy's type of what CNTK takes for an element type."""
    return _cantik.dtype(dtype)


def sanitize_dtype_cntk(dtype: DTypeLike) -> int:
    """CNTK's number of an element type."""
    return _cantik.as_dtype(dtype)


def sanitize_axis(axis: Any) -> Axis:
    """An axis in the order of CNTK's core. None is all static axes, which is Axis.all_static_axes() too."""
    if axis is None:
        return Axis.all_static_axes()
    if isinstance(axis, numbers.Integral):
        return Axis(-int(axis) - 1)
    if not isinstance(axis, Axis):
        raise refused('axis', 'a whole number or an Axis', axis)
    if axis.is_static_axis and axis != Axis.new_leading_axis():
        return Axis(-axis.static_axis_index() - 1)
    return axis


def sanitize_axis_list(axes: Any) -> list[Axis]:
    """Axes in the order of CNTK's core."""
    return [sanitize_axis(a) for a in (axes if isinstance(axes, (list, tuple)) else [axes])]


def sanitize_multi_axis_reduction_list(axes: Any) -> list[Axis]:
    """Axes of a reduction in the order of CNTK's core."""
    return [
        Axis.all_static_axes() if a is None else sanitize_axis(a)
        for a in (axes if isinstance(axes, (list, tuple)) else [axes])
    ]


def sanitize_dynamic_axes(axes: Any) -> tuple[Any, ...]:
    """Dynamic axes in the order of CNTK's core."""
    if not isinstance(axes, (list, tuple)):
        axes = [axes]
    for axis in axes:
        if not isinstance(axis, Axis):
            raise TypeError(f'dynamic_axes have to be of type Axis, not {type(axis)}')
    return tuple(reversed(axes))


def sanitize_variable_value_dict(var_value_dict: Any) -> dict[Variable | Any, Any]:
    """A dictionary with variables for keys, where functions stand for their output."""
    return {k.output if isinstance(k, _cantik.Function) else k: v for k, v in var_value_dict.items()}


def sanitize_pooling_args(
    pooling_window_shape: Any, strides: ShapeLike, auto_padding: FlagsLike
) -> tuple[tuple[Any, ...], tuple[Any, ...], list[Any]]:
    """Arguments of a pooling in the order of CNTK's core."""
    return tuple(pooling_window_shape), tuple(strides), list(reversed(auto_padding))


def sanitize_convolution_args(
    strides: ShapeLike, sharing: FlagsLike, auto_padding: FlagsLike
) -> tuple[tuple[Any, ...], list[Any], list[Any]]:
    """Arguments of a convolution in the order of CNTK's core."""
    return tuple(strides), list(reversed(sharing)), list(reversed(auto_padding))


def sanitize_Function_attributes(attributes: dict[str, Any]) -> dict[Any, Any]:
    """Attributes as a dictionary."""
    return dict(attributes)


def sanitize_permutation(perm: tuple[int, ...]) -> list[Any]:
    """A permutation of axes in the order of CNTK's core.

    Args:
        perm (tuple): which axis comes at each place
    """
    n = len(perm)
    perm = [p + n if p < 0 else p for p in perm]
    if sorted(perm) != list(range(n)):
        raise ValueError(f'{tuple(perm)} is not a permutation of {n} axes')
    return [n - 1 - p for p in reversed(perm)]


def sanitize_random_args(shape: ShapeLike, dtype: DTypeLike) -> tuple[tuple[Any, ...], int]:
    """Shape and CNTK's number of the element type, as random operators take them."""
    return sanitize_shape(shape), sanitize_dtype_cntk(dtype)


def bounded_cache(maxsize: int | None) -> Callable[..., Any]:
    """functools.lru_cache."""
    return functools.lru_cache(maxsize)
