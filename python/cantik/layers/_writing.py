"""What programs that write layers of their own take from CNTK's layers, under its names."""

import numpy as np

from .._cantik import InferredDimension
from ..initializer import initializer_with_rank
from ..ops import alias, combine, splice
from ..ops.functions import Function
from ..ops.sequence import future_value, past_value
from ..variables import Constant

_INFERRED = (InferredDimension,)  # an axis whose size the operand says


def _as_tuple(x):
    """A number or a text as a tuple of one; the elements of anything else."""
    return (x,) if np.isscalar(x) else tuple(x)


def _inject_name(f, name):
    """A function by this name, with the results of f; f itself where the name is empty."""
    if not name:
        return f
    return alias(f, name=name) if len(f.outputs) == 1 else combine(f.outputs, name=name)


def _initializer_for(init, rank_params=None):
    """First values of weights, with the ranks that say what is fan-in and what fan-out.

    Args:
        init: an initializer, a number or an array
        rank_params: a Record of output_rank and filter_rank, for initializers that draw
    """
    if init is None:
        raise ValueError('init parameter cannot be None: give an initializer, a number or an array')
    if not rank_params or np.isscalar(init):
        return init
    return initializer_with_rank(init, **rank_params)


def _get_initial_state_or_default(initial_state):
    """The initial states of a recurrence, with constants in place of None (zero) and of numbers."""
    if isinstance(initial_state, tuple):
        return tuple(map(_get_initial_state_or_default, initial_state))
    if initial_state is None:
        return Constant(0)
    return Constant(initial_state, shape=(1,)) if np.isscalar(initial_state) else initial_state


def _pad_to_shape(filter_shape, param, what):
    """An option for each axis of a window, from one for all of them or one each."""
    values = _as_tuple(param)
    if len(values) == 1 and filter_shape:
        return values * len(filter_shape)
    if len(values) != len(filter_shape):
        raise ValueError(
            f'{what} parameter ({values}) must be a scalar or have same number of elements as the '
            f'filter_shape parameter ({filter_shape})'
        )
    return values


def _window(x, axis, begin, end, step, stride, initial_state=None):
    """Steps of a sequence side by side along an axis: those from begin to end around the present one."""
    if stride != 1:
        raise NotImplementedError(f'the stride of a window over steps must be 1, and is {stride}')
    return splice(
        *(_shifted(x, by, initial_state) for by in range(begin, end, step)),
        axis=axis,
    )


def _shifted(x, by, initial_state):
    if by == 0:
        return x
    delay = past_value if by < 0 else future_value
    return delay(x, initial_state=initial_state, time_step=abs(by))


def _sanitize_function(f):
    """A Python function as a network; anything else as it is."""
    return Function(f) if callable(f) and not isinstance(f, Function) else f


_santize_step_function = _sanitize_function  # CNTK's spelling
