"""The variables that graphs begin with: inputs, placeholders, parameters, constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from ..axis import Axis
from ..default_options import default_override_or, get_default_override
from ..variables import Constant, Parameter, StatedOutput, Variable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._cantik import DeviceDescriptor
    from .._types import DTypeLike, InitLike, ShapeLike


def _own_dtype(values):
    """None, which stands for that of the values, of arrays and of tensors of other programs."""
    is_tensor = hasattr(values, '__dlpack__') and not isinstance(values, _cantik.NDArrayView)
    return None if isinstance(values, np.ndarray) or is_tensor else np.float32


def input_variable(
    shape: ShapeLike,
    dtype: DTypeLike = default_override_or(np.float32),
    needs_gradient: bool = False,
    is_sparse: bool = False,
    dynamic_axes: Sequence[Axis] = [Axis.default_batch_axis()],
    name: str = '',
) -> Variable:
    """An input of a network: a variable that is fed.

    Args:
        shape (tuple): of a sample; -1 stands for dimensions to be inferred, of the first data at the
          latest, FreeDimension for those known in each call
        dtype: NumPy's type of the elements
        needs_gradient (bool): whether gradients with respect to it may be asked for
        is_sparse (bool): whether it is fed with sparse rows
        dynamic_axes (list): its batch and sequence axes
        name (str): its name

    Example:
        >>> import cantik as C
        >>> C.input_variable((2, 3), name='x')
        Input('x', [#], [2 x 3])
    """
    dtype = get_default_override(input_variable, dtype=dtype)
    return _cantik.input_variable(
        shape, np.float32 if dtype is None else dtype, needs_gradient, is_sparse, dynamic_axes, name
    )


def input(
    shape: ShapeLike,
    dtype: DTypeLike = default_override_or(np.float32),
    needs_gradient: bool = False,
    is_sparse: bool = False,
    dynamic_axes: Sequence[Axis] = [Axis.default_batch_axis()],
    name: str = '',
) -> Variable:
    """The same as input_variable.

    Example:
        >>> import cantik as C
        >>> C.input((2, 3), name='x')
        Input('x', [#], [2 x 3])
    """
    return input_variable(shape, dtype, needs_gradient, is_sparse, dynamic_axes, name)


def output_variable(
    shape: ShapeLike,
    dtype: DTypeLike,
    dynamic_axes: Sequence[Axis],
    needs_gradient: bool = True,
    name: str = '',
) -> Variable:
    """An output of a user function, as its infer_outputs states it.

    Args:
        shape (tuple): of a sample
        dtype: NumPy's type of the elements
        dynamic_axes (list): its batch and sequence axes
        needs_gradient (bool): False stops gradients here
        name (str): its name

    Example:
        >>> import cantik as C, numpy as np
        >>> C.output_variable((2, 3), np.float32, [C.Axis.default_batch_axis()]).shape
        (2, 3)
    """
    made = _cantik.output_variable(shape, dtype, dynamic_axes, needs_gradient, name)
    made.__class__ = StatedOutput
    return made


def placeholder(
    shape: ShapeLike | None = None, dynamic_axes: Sequence[Axis] | None = None, name: str = ''
) -> Variable:
    """A variable that stands for another one until replace_placeholders or a call binds it.

    Args:
        shape (tuple): of what it will stand for, if that is known
        dynamic_axes (list): likewise
        name (str): its name

    Example:
        >>> import cantik as C
        >>> C.placeholder(name='p')
        Placeholder('p', [???], [???])
    """
    if isinstance(shape, str):  # CNTK takes a text for one axis of a size to be inferred, not for the name
        shape = (_cantik.InferredDimension,)
    return _cantik.placeholder(shape, dynamic_axes, None, name)


def parameter(
    shape: ShapeLike | None = None,
    init: InitLike | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceDescriptor | None = None,
    name: str = '',
) -> Parameter:
    """A parameter: a value that learners change.

    Args:
        shape (tuple): its shape; -1 stands for dimensions to be inferred
        init: a number, an array or an initializer
        dtype: NumPy's type of the elements; by default that of `init` where it is an array, float32 otherwise
        device: where it lives
        name (str): its name

    Example:
        >>> import cantik as C
        >>> C.parameter((2, 2), init=C.glorot_uniform(seed=1)).shape
        (2, 2)
    """
    return Parameter(shape, init, _own_dtype(init) if dtype is None else dtype, device, name)


def constant(
    value: Any = None,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceDescriptor | None = None,
    name: str = '',
) -> Constant:
    """A constant: a value that learners leave alone.

    Args:
        value: a number or an array
        shape (tuple): its shape, where the value is one number
        dtype: NumPy's type of the elements
        device: where it lives
        name (str): its name

    Example:
        >>> import cantik as C
        >>> C.constant(3, shape=(2,)).value
        array([3., 3.], dtype=float32)
    """
    if value is None and shape is None:
        raise ValueError('you need to specify at least shape or value')
    return Constant(value, shape, _own_dtype(value) if dtype is None else dtype, device, name)
