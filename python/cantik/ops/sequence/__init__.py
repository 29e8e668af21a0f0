"""Operators on sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _cantik, _checks
from ...axis import Axis
from ...default_options import default_override_or
from ...variables import Variable
from ..functions import Function
from ._generated import *
from ._generated import unpack as _unpack
from .._leaves import input_variable as _input_variable

if TYPE_CHECKING:
    from ..._types import DTypeLike, ShapeLike


def unpack(x: Any, padding_value: float, no_mask_output: bool = False, name: str = '') -> Function:
    """The steps of each sequence as a first static axis, as long as the longest sequence, with padding behind
    shorter ones.

    Args:
        x: sequences
        padding_value (float): what stands where a sequence has no steps
        no_mask_output (bool): leaves the second output out
        name (str): of the function

    Returns:
        a function of two outputs: the values, and a mask that is 1 where a step is

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> C.sequence.unpack(x, 0, no_mask_output=True).eval(
        ...     {x: [np.array([1.0, 2.0], np.float32), np.array([3.0], np.float32)]}
        ... )
        array([[1., 2.],
               [3., 0.]], dtype=float32)
    """
    if _checks.flag(no_mask_output, 'no_mask_output'):
        return _cantik.call('unpack_values', (x,), (padding_value,), name)
    return _unpack(x, padding_value, name)


def input_variable(
    shape: ShapeLike,
    dtype: DTypeLike = default_override_or(np.float32),
    needs_gradient: bool = False,
    is_sparse: bool = False,
    sequence_axis: Axis = Axis.default_dynamic_axis(),
    name: str = '',
) -> Variable:
    """An input that is fed with sequences.

    Args:
        shape (tuple): of a step
        dtype: NumPy's type of the elements
        needs_gradient (bool): whether gradients with respect to it may be asked for
        is_sparse (bool): whether it is fed with sparse rows
        sequence_axis (Axis): the axis its steps lie on
        name (str): its name

    Example:
        >>> import cantik as C
        >>> C.sequence.input_variable(3, name='s')
        Input('s', [#, *], [3])
    """
    axes = [Axis.default_batch_axis(), sequence_axis]
    return _input_variable(shape, dtype, needs_gradient, is_sparse, axes, name)


def input(
    shape: ShapeLike,
    dtype: DTypeLike = default_override_or(np.float32),
    needs_gradient: bool = False,
    is_sparse: bool = False,
    sequence_axis: Axis = Axis.default_dynamic_axis(),
    name: str = '',
) -> Variable:
    """The same as input_variable.

    Example:
        >>> import cantik as C
        >>> C.sequence.input(3, name='x')
        Input('x', [#, *], [3])
    """
    return input_variable(shape, dtype, needs_gradient, is_sparse, sequence_axis, name)
