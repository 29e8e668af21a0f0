"""Functions of the operators. Written by tools/generate from the registry: change the operators' files, then run it."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ..._cantik import call as _call
from ...default_options import default_dtype as _default_dtype
from ...internal.waiting import not_there as _not_there

if TYPE_CHECKING:
    from typing import Sequence

    from ..._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from ...ops.functions import Function

__all__ = [
    'unpack', 'future_value', 'past_value', 'delay', 'is_first', 'is_last', 'slice', 'first', 'last', 'where', 'gather', 'scatter', 'broadcast_as',
    'reduce_sum', 'reduce_max', 'softmax',
]


def unpack(x, padding_value, no_mask_output=False, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('unpack')


def future_value(x, initial_state=None, time_step=1, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('future_value')


def past_value(x, initial_state=None, time_step=1, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('past_value')


def delay(x, initial_state=None, time_step=1, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('delay')


def is_first(seq, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('is_first')


def is_last(seq, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('is_last')


def slice(seq, begin_index, end_index, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('slice')


def first(seq, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('first')


def last(seq, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('last')


def where(condition, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('where')


def gather(seq, condition, new_sequence_axis_typeinfo=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('gather')


def scatter(seq, condition, new_sequence_axis_typeinfo=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('scatter')


def broadcast_as(operand, broadcast_as_operand, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('broadcast_as')


def reduce_sum(seq, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_sum')


def reduce_max(seq, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_max')


def softmax(seq, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('softmax')
