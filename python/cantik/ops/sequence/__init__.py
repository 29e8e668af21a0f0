"""Operators on sequences."""
import numpy as np

from ...axis import Axis
from ...default_options import default_override_or
from ._generated import *


def input_variable(shape, dtype=default_override_or(np.float32), needs_gradient=False, is_sparse=False, sequence_axis=Axis.default_dynamic_axis(), name=''):
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
    from .. import input_variable as make
    return make(shape, dtype, needs_gradient, is_sparse, [Axis.default_batch_axis(), sequence_axis], name)


def input(shape, dtype=default_override_or(np.float32), needs_gradient=False, is_sparse=False, sequence_axis=Axis.default_dynamic_axis(), name=''):
    """The same as input_variable.

    Example:
        >>> import cantik as C
        >>> C.sequence.input(3, name='x')
        Input('x', [#, *], [3])
    """
    return input_variable(shape, dtype, needs_gradient, is_sparse, sequence_axis, name)
