"""Functions of the operators. Written by tools/generate from the registry: change the operators' files, then run it."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call
from ..internal.waiting import not_there as _not_there

if TYPE_CHECKING:
    from typing import Sequence

    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from ..ops.functions import Function

__all__ = [
    'uniform', 'normal', 'gumbel', 'bernoulli', 'uniform_like', 'normal_like', 'gumbel_like', 'bernoulli_like',
]


def uniform(shape, dtype=None, low=0.0, high=1.0, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('uniform')


def normal(shape, dtype=None, mean=0.0, scale=1.0, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('normal')


def gumbel(shape, dtype=None, loc=0.0, scale=1.0, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('gumbel')


def bernoulli(shape, dtype=None, mean=0.5, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('bernoulli')


def uniform_like(x, low=0.0, high=1.0, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('uniform_like')


def normal_like(x, mean=0.0, scale=1.0, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('normal_like')


def gumbel_like(x, loc=0.0, scale=1.0, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('gumbel_like')


def bernoulli_like(x, mean=0.5, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('bernoulli_like')
