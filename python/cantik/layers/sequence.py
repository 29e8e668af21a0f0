"""Recurrences: steps carried along sequences. Written by tools/generate from src/layers: change those
files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..default_options import default_override_or
from ..ops.functions import Function
from ._options import made
from ._steps import traced

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = [
    'Delay',
    'Fold',
    'PastValueWindow',
    'Recurrence',
    'RecurrenceFrom',
    'UnfoldFrom',
]


def Delay(T: int = 1, initial_state: Any = default_override_or(0), name: str = '') -> Function:
    """The value T steps before.

    y[t] = x[t - T], at the beginning of a sequence (with a negative T: at its end) the initial state.

    Args:
        T (int): how many steps back; negative: ahead; 0: x itself
        initial_state: a number, an array, a parameter or constant
        name (str): of the layer

    Returns:
        a function of one argument, a sequence

    Example:
        >>> import cantik as C
        >>> C.layers.Delay(1)(C.sequence.input_variable(2)).shape
        (2,)
    """
    return made('delay', Delay, locals())


def Fold(
    folder_function: Callable[..., Any],
    go_backwards: bool = default_override_or(False),
    initial_state: Any = default_override_or(0),
    return_full_state: bool = False,
    name: str = '',
) -> Function:
    """The states of a recurrence after its last step, one value for each sequence.

    Args:
        folder_function: step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a
            Function, or code
        go_backwards (bool): from the last step to the first
        initial_state: what the states are before the first step: a number, an array, a parameter or
            constant, or a tuple with one for each state
        return_full_state (bool): all states; otherwise the first
        name (str): of the layer

    Returns:
        a function of a sequence, whose result has no sequence axis

    Example:
        >>> import cantik as C
        >>> z = C.layers.Fold(C.layers.GRU(5))(C.sequence.input_variable(3))
        >>> z.shape, len(z.dynamic_axes)
        ((5,), 1)
    """
    folder_function = traced(folder_function, 'Fold')
    return made('fold', Fold, locals())


def PastValueWindow(
    window_size: int, axis: int, go_backwards: bool = default_override_or(False), name: str = ''
) -> Function:
    """The last steps of a sequence, side by side along a static axis, the latest first.

    Args:
        window_size (int): how many; at least 1 and at most 65536
        axis (int): the axis they lie on, counted from the end: -1 joins them along the last axis, -2
            makes a new one in front of it
        go_backwards (bool): the first steps instead
        name (str): of the layer

    Returns:
        a function of a sequence with two results, one for each sequence: the values, and 1 for each step
        that there was, 0 for others

    Example:
        >>> import cantik as C
        >>> value, valid = C.layers.PastValueWindow(3, axis=-2)(C.sequence.input_variable(5))
        >>> value.shape, valid.shape
        ((3, 5), (3, 1))
    """
    return made('past_value_window', PastValueWindow, locals())


def Recurrence(
    step_function: Callable[..., Any],
    go_backwards: bool = default_override_or(False),
    initial_state: Any = default_override_or(0),
    return_full_state: bool = False,
    name: str = '',
) -> Function:
    """Applies a step along a sequence: h[t] = step(h[t - 1], x[t]).

    Args:
        step_function: step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a Function,
            or code
        go_backwards (bool): from the last step to the first
        initial_state: what the states are before the first step: a number, an array, a parameter or
            constant, or a tuple with one for each state
        return_full_state (bool): all states; otherwise the first
        name (str): of the layer

    Returns:
        a function of a sequence, whose result is a sequence of the same lengths

    Example:
        >>> import cantik as C
        >>> x = C.sequence.input_variable(3, name='x')
        >>> C.layers.Recurrence(C.layers.LSTM(5))(x).shape
        (5,)
        >>> C.layers.Recurrence(lambda h, x: 0.5 * h + x)(x).shape
        (3,)
    """
    step_function = traced(step_function, 'Recurrence')
    return made('recurrence', Recurrence, locals())


def RecurrenceFrom(
    step_function: Callable[..., Any],
    go_backwards: bool = default_override_or(False),
    return_full_state: bool = False,
    name: str = '',
) -> Function:
    """A recurrence whose initial states are arguments.

    Args:
        step_function: step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a Function,
            or code
        go_backwards (bool): from the last step to the first
        return_full_state (bool): all states; otherwise the first
        name (str): of the layer

    Returns:
        a function of the initial states and a sequence. An initial state has a value for each sequence,
        or is a sequence, whose last step (going backwards: whose first step) counts

    Example:
        >>> import cantik as C
        >>> start, x = C.input_variable(4, name='start'), C.sequence.input_variable(3, name='x')
        >>> C.layers.RecurrenceFrom(C.layers.GRU(4))(start, x).shape
        (4,)
    """
    step_function = traced(step_function, 'RecurrenceFrom')
    return made('recurrence_from', RecurrenceFrom, locals())


def UnfoldFrom(
    generator_function: Callable[..., Any],
    until_predicate: Callable[..., Any] | None = None,
    length_increase: float = 1,
    name: str = '',
) -> Function:
    """A sequence that a function makes of a state, each output from the state before.

    Args:
        generator_function: generator(state) -> output, which is the next state too, or generator(state)
            -> output, state
        until_predicate: a function of an output that is 1 where the sequence ends with it; by default it
            is as long as it may be
        length_increase (float): how long it may be, as a factor of the length of the sequence it is made
            for; at least 0
        name (str): of the layer

    Returns:
        a function of an initial state and of a sequence, whose length (times length_increase) bounds that
        of the result

    Example:
        >>> import cantik as C
        >>> start, like = C.input_variable(1, name='start'), C.sequence.input_variable(1, name='like')
        >>> C.layers.UnfoldFrom(lambda s: s * 2)(start, like).shape
        (1,)
    """
    generator_function = traced(generator_function, 'UnfoldFrom')
    if until_predicate is not None:
        until_predicate = traced(until_predicate, 'UnfoldFrom')
    return made('unfold_from', UnfoldFrom, locals())
