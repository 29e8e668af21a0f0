"""Functions of the operators. Written by tools/generate from the operators' files: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._cantik import call as _call

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ..._types import Operand
    from ...ops.functions import Function

__all__ = [
    'broadcast_as',
    'delay',
    'first',
    'future_value',
    'gather',
    'is_first',
    'is_last',
    'last',
    'past_value',
    'reduce_max',
    'reduce_sum',
    'scatter',
    'slice',
    'softmax',
    'unpack',
    'where',
]


def broadcast_as(operand: Operand, broadcast_as_operand: Operand, name: str = '') -> Function:
    """The operand, one value for each sequence, at each step of broadcast_as_operand.

    Args:
        operand: a variable, function, number or array
        broadcast_as_operand: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.broadcast_as(C.sequence.last(x), x).eval(data)
        [array([3., 3., 3.], dtype=float32), array([5., 5.], dtype=float32)]
    """
    return _call('sequence_broadcast_as', (operand, broadcast_as_operand), (), name)


def delay(x: Operand, initial_state: Operand | None = None, time_step: int = 1, name: str = '') -> Function:
    """The step time_step before each step, where it is negative behind it; 0 gives the operand itself.

    Args:
        x: a variable, function, number or array
        initial_state: a variable, function, number or array
        time_step (int): how many steps back or ahead
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.delay(x, time_step=2).eval(data)
        [array([0., 0., 1.], dtype=float32), array([0., 0.], dtype=float32)]
    """
    return _call('sequence_delay', (x, initial_state), (time_step,), name)


def first(seq: Operand, name: str = '') -> Function:
    """The first step of each sequence.

    Args:
        seq: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.first(x).eval(data)
        array([1., 4.], dtype=float32)
    """
    return _call('sequence_first', (seq,), (), name)


def future_value(
    x: Operand, initial_state: Operand | None = None, time_step: int = 1, name: str = ''
) -> Function:
    """The step time_step behind each step. The last ones get the initial state: 0, a constant or parameter, a
    value for each sequence, or the first steps of another sequence.

    Args:
        x: a variable, function, number or array
        initial_state: a variable, function, number or array
        time_step (int): how many steps back or ahead
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.future_value(x, initial_state=9).eval(data)
        [array([2., 3., 9.], dtype=float32), array([5., 9.], dtype=float32)]
    """
    return _call('sequence_future_value', (x, initial_state), (time_step,), name)


def gather(
    seq: Operand,
    condition: Operand,
    new_sequence_axis_typeinfo: int | Sequence[int] | None = None,
    name: str = '',
) -> Function:
    """The steps at which the condition is not 0, as a sequence on an axis of its own; the same condition
    gives the same axis.

    Args:
        seq: a variable, function, number or array
        condition: a variable, function, number or array
        new_sequence_axis_typeinfo (list of int): where the lengths of the result are known: a times those of
            the condition plus b, as (a, b)
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.gather(x, C.greater(x, 2)).eval(data)
        [array([3.], dtype=float32), array([4., 5.], dtype=float32)]
    """
    return _call('sequence_gather', (seq, condition), (new_sequence_axis_typeinfo,), name)


def is_first(seq: Operand, name: str = '') -> Function:
    """1 at the first step of each sequence, 0 elsewhere.

    Args:
        seq: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.is_first(x).eval(data)
        [array([1., 0., 0.], dtype=float32), array([1., 0.], dtype=float32)]
    """
    return _call('sequence_is_first', (seq,), (), name)


def is_last(seq: Operand, name: str = '') -> Function:
    """1 at the last step of each sequence, 0 elsewhere.

    Args:
        seq: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.is_last(x).eval(data)
        [array([0., 0., 1.], dtype=float32), array([0., 1.], dtype=float32)]
    """
    return _call('sequence_is_last', (seq,), (), name)


def last(seq: Operand, name: str = '') -> Function:
    """The last step of each sequence.

    Args:
        seq: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.last(x).eval(data)
        array([3., 5.], dtype=float32)
    """
    return _call('sequence_last', (seq,), (), name)


def past_value(
    x: Operand, initial_state: Operand | None = None, time_step: int = 1, name: str = ''
) -> Function:
    """The step time_step before each step. The first ones get the initial state: 0, a constant or parameter,
    a value for each sequence, or the last steps of another sequence.

    Args:
        x: a variable, function, number or array
        initial_state: a variable, function, number or array
        time_step (int): how many steps back or ahead
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.past_value(x).eval(data)
        [array([0., 1., 2.], dtype=float32), array([0., 4.], dtype=float32)]
    """
    return _call('sequence_past_value', (x, initial_state), (time_step,), name)


def reduce_max(seq: Operand, name: str = '') -> Function:
    """The largest number over the steps of each sequence, element by element. That of no steps is -infinity.

    Args:
        seq: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.reduce_max(x).eval(data)
        array([3., 5.], dtype=float32)
    """
    return _call('sequence_reduce_max', (seq,), (), name)


def reduce_sum(seq: Operand, name: str = '') -> Function:
    """The sum over the steps of each sequence. That of no steps is 0.

    Args:
        seq: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.reduce_sum(x).eval(data)
        array([6., 9.], dtype=float32)
    """
    return _call('sequence_reduce_sum', (seq,), (), name)


def scatter(
    seq: Operand,
    condition: Operand,
    new_sequence_axis_typeinfo: int | Sequence[int] | None = None,
    name: str = '',
) -> Function:
    """The steps of seq one after the other where the condition is not 0, zeros elsewhere.

    Args:
        seq: a variable, function, number or array
        condition: a variable, function, number or array
        new_sequence_axis_typeinfo (list of int): two numbers, which change nothing: the result has the
            lengths of the condition
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> odd = C.equal(x, 1) + C.equal(x, 5)
        >>> C.sequence.scatter(C.sequence.gather(x, odd), odd).eval(data)
        [array([1., 0., 0.], dtype=float32), array([0., 5.], dtype=float32)]
    """
    return _call('sequence_scatter', (seq, condition), (new_sequence_axis_typeinfo,), name)


def slice(seq: Operand, begin_index: int, end_index: int, name: str = '') -> Function:
    """The steps from begin_index to before end_index of each sequence. Negative numbers count from the end;
    the end 0 is the end of the sequence. A slice of one step is a batch, without a sequence axis.

    Args:
        seq: a variable, function, number or array
        begin_index (int): the first step; negative: from the end
        end_index (int): the first step that is not taken; 0 or negative: from the end
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.slice(x, 1, 0).eval(data)
        [array([2., 3.], dtype=float32), array([5.], dtype=float32)]
    """
    return _call('sequence_slice', (seq,), (begin_index, end_index), name)


def softmax(seq: Operand, name: str = '') -> Function:
    """e^x / sum of e^x over the steps of each sequence, element by element.

    Args:
        seq: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.softmax(x).eval(data)
        [array([0.09  , 0.2447, 0.6652], dtype=float32), array([0.2689, 0.7311], dtype=float32)]
    """
    return _call('sequence_softmax', (seq,), (), name)


def unpack(x: Operand, padding_value: float, name: str = '') -> Function:
    """The steps of each sequence as a first static axis, as long as the longest sequence, with padding_value
    behind shorter ones; and a mask, 1 where a step is.

    Args:
        x: a variable, function, number or array
        padding_value (float): what stands where a sequence has no steps
        name (str): of the function

    Returns:
        a function of 2 outputs
    """
    return _call('sequence_unpack', (x,), (padding_value,), name)


def where(condition: Operand, name: str = '') -> Function:
    """The places, from 0, of the steps at which the condition is 1, as a sequence on an axis of its own.
    Other numbers add up: a step is chosen as often as the running sum passes a whole number.

    Args:
        condition: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.sequence.input_variable(())
        >>> data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}
        >>> C.sequence.where(C.greater(x, 2)).eval(data)
        [array([2.], dtype=float32), array([0., 1.], dtype=float32)]
    """
    return _call('sequence_where', (condition,), (), name)
