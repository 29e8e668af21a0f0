"""Recurrences: steps carried along sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import number, refused
from ..default_options import default_override_or
from ..ops.functions import Function
from ._options import chosen, dtype, named

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ['Delay', 'PastValueWindow', 'RecurrenceFrom', 'Recurrence', 'Fold', 'UnfoldFrom']

_layers = _cantik.layers


_MOST_STATES = 10  # of a Python function, as in CNTK


def _function(step, what):
    """A step as a network: a Python function is traced."""
    if isinstance(step, _cantik.Function):
        return step
    if not callable(step):
        raise refused(
            'the step of ' + what,
            'a function of variables: a layer, a Function or a function of Python',
            step,
        )
    first = int(
        _cantik.placeholder(None, None, None, '').uid[len('Placeholder') :]
    )  # of all that is made from here on
    network = Function(step)
    if len(network.outputs) > _MOST_STATES:
        raise ValueError(
            f'{what}: a Python function may have {_MOST_STATES} states, not {len(network.outputs)}: '
            'make it a Function'
        )
    made = [
        p
        for p in network.parameters
        if p.uid.startswith('Parameter') and int(p.uid[len('Parameter') :]) > first
    ]
    if made:
        raise TypeError(
            f"{what}: the step makes the parameter '{made[0].name or made[0].uid}', which would be "
            "another one each time it is called: make "
            "parameters and layers outside"
        )
    return network


def _state(initial):
    return 0 if initial is None else initial


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
        >>> x = C.sequence.input_variable(2, name='x')
        >>> C.layers.Delay(1)(x)
        Composite(Delay): Input('x', [#, *], [2]) -> Output('Block...', [#, *], [2])
    """
    (initial_state,) = chosen(Delay, initial_state=initial_state)
    return _layers.delay(T, initial_state, dtype(), name)


def PastValueWindow(
    window_size: int, axis: int, go_backwards: bool = default_override_or(False), name: str = ''
) -> Function:
    """The last steps of a sequence, side by side along a static axis, the latest first.

    Args:
        window_size (int): how many
        axis (int): the axis they lie on, counted from the end: -1 joins them along the last axis, -2 makes a
          new one in front of it
        go_backwards (bool): the first steps instead
        name (str): of the layer

    Returns:
        a function of a sequence with two results, one for each sequence: the values, and 1 for each step that
        there was, 0 for others

    Example:
        >>> import cantik as C
        >>> value, valid = C.layers.PastValueWindow(3, axis=-2)(C.sequence.input_variable(5))
        >>> value.shape, valid.shape
        ((3, 5), (3, 1))
    """
    (go_backwards,) = chosen(PastValueWindow, go_backwards=go_backwards)
    return _layers.past_value_window(window_size, axis, bool(go_backwards), name)


def RecurrenceFrom(
    step_function: Callable[..., Any],
    go_backwards: bool = default_override_or(False),
    return_full_state: bool = False,
    name: str = '',
) -> Function:
    """A recurrence whose initial states are arguments.

    Args:
        step_function: step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a Function or a
          Python function
        go_backwards (bool): from the last step to the first
        return_full_state (bool): all states; otherwise the first
        name (str): of the result

    Returns:
        a function of the initial states and a sequence. An initial state has a value for each sequence, or is
        a sequence, whose last step (going backwards: whose first step) counts

    Example:
        >>> import cantik as C
        >>> start, x = C.input_variable(4, name='start'), C.sequence.input_variable(3, name='x')
        >>> C.layers.RecurrenceFrom(C.layers.GRU(4))(start, x).shape
        (4,)
    """
    (go_backwards,) = chosen(RecurrenceFrom, go_backwards=go_backwards)
    return _layers.recurrence_from(
        _function(step_function, 'RecurrenceFrom'),
        bool(go_backwards),
        0,
        bool(return_full_state),
        dtype(),
        named(name),
    )


def Recurrence(
    step_function: Callable[..., Any],
    go_backwards: bool = default_override_or(False),
    initial_state: Any = default_override_or(0),
    return_full_state: bool = False,
    name: str = '',
) -> Function:
    """Applies a step along a sequence: h[t] = step(h[t - 1], x[t]).

    Args:
        step_function: step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a Function or a
          Python function
        go_backwards (bool): from the last step to the first: h[t] = step(h[t + 1], x[t])
        initial_state: what the states are before the first step: a number, an array, a parameter or constant,
          or a tuple with one for each state
        return_full_state (bool): all states; otherwise the first
        name (str): of the result

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
    go_backwards, initial_state = chosen(Recurrence, go_backwards=go_backwards, initial_state=initial_state)
    return _layers.recurrence(
        _function(step_function, 'Recurrence'),
        bool(go_backwards),
        _state(initial_state),
        bool(return_full_state),
        dtype(),
        named(name),
    )


def Fold(
    folder_function: Callable[..., Any],
    go_backwards: bool = default_override_or(False),
    initial_state: Any = default_override_or(0),
    return_full_state: bool = False,
    name: str = '',
) -> Function:
    """The states of a recurrence after its last step, one value for each sequence.

    Args:
        folder_function: step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a Function or
          a Python function
        go_backwards (bool): from the last step to the first
        initial_state: what the states are before the first step: a number, an array, a parameter or constant,
          or a tuple with one for each state
        return_full_state (bool): all states; otherwise the first
        name (str): of the result

    Returns:
        a function of a sequence, whose result has no sequence axis

    Example:
        >>> import cantik as C
        >>> z = C.layers.Fold(C.layers.GRU(5))(C.sequence.input_variable(3))
        >>> z.shape, len(z.dynamic_axes)
        ((5,), 1)
    """
    go_backwards, initial_state = chosen(Fold, go_backwards=go_backwards, initial_state=initial_state)
    return _layers.fold(
        _function(folder_function, 'Fold'),
        bool(go_backwards),
        _state(initial_state),
        bool(return_full_state),
        dtype(),
        named(name),
    )


def UnfoldFrom(
    generator_function: Callable[..., Any],
    until_predicate: Callable[..., Any] | None = None,
    length_increase: float = 1,
    name: str = '',
) -> Function:
    """A sequence that a function makes of a state, each output from the state before.

    Args:
        generator_function: generator(state) -> output, which is the next state too, or generator(state) ->
          output, state
        until_predicate: a function of an output that is 1 where the sequence ends with it; by default it is
          as long as it may be
        length_increase (float): how long it may be, as a factor of the length of the sequence it is made for
        name (str): of the result

    Returns:
        a function of an initial state and of a sequence, whose length (times length_increase) bounds that of
        the result

    Example:
        >>> import cantik as C
        >>> start, like = C.input_variable(1, name='start'), C.sequence.input_variable(1, name='like')
        >>> C.layers.UnfoldFrom(lambda s: s * 2)(start, like).shape
        (1,)
    """
    generator = _function(generator_function, 'UnfoldFrom')
    until = None if until_predicate is None else _function(until_predicate, 'UnfoldFrom')
    return _layers.unfold_from(generator, until, number(length_increase, 'length_increase'), named(name))
