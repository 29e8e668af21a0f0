"""Schedules by formula. Written by tools/generate from what the library describes: change that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from . import _rates

if TYPE_CHECKING:
    from .._cantik import TrainingParameterSchedule
    from .._types import RateLike

__all__ = [
    'cosine_schedule',
    'momentum_as_time_constant_schedule',
    'warm_up',
]


def cosine_schedule(
    rate: float, samples: int, final_rate: float = 0.0, steps: int = 1000, minibatch_size: int | None = None
) -> TrainingParameterSchedule:
    """A rate that falls along a cosine: final_rate + (rate - final_rate) (1 + cos(pi t / samples)) / 2 after
    t samples, in steps of equal length, and final_rate from then on. (Loshchilov and Hutter 2017, SGDR.)

    Args:
        rate (float): the first rate; at least 0
        samples (int): how many it falls for; at least 1
        final_rate (float): the rate at the end of the curve, and from then on; at least 0
        steps (int): of which the curve is made; at least 1
        minibatch_size (int): the size of minibatch that the rates are meant for; at least 0

    Returns:
        TrainingParameterSchedule

    Example:
        >>> import cantik as C
        >>> rate = C.learners.cosine_schedule(0.1, 1000)
        >>> [round(rate[t], 3) for t in (0, 250, 500, 1000)]
        [0.1, 0.085, 0.05, 0.0]
    """
    return _cantik.cosine_schedule(
        rate, samples, {'final_rate': final_rate, 'steps': steps, 'minibatch_size': minibatch_size}
    )


def momentum_as_time_constant_schedule(
    momentum: RateLike, epoch_size: int | None = None
) -> TrainingParameterSchedule:
    """Momentum by the number of samples after which a gradient's weight has fallen to 1/e: exp(-1 / constant)
    a sample; 0 is none.

    Args:
        momentum: samples: a number, a list or a schedule
        epoch_size (int): samples of an epoch, for a list; None: a sweep over the data

    Returns:
        TrainingParameterSchedule

    Example:
        >>> import cantik as C
        >>> round(C.momentum_as_time_constant_schedule(100)[0], 6)
        0.99005
    """
    return _rates.time_constant(momentum, epoch_size)


def warm_up(schedule: Any, samples: int, steps: int = 100) -> TrainingParameterSchedule:
    """A rate that rises in equal steps to the first one of a schedule, while so many samples go by, and
    follows the schedule from then on. A schedule of several rates must count samples, not sweeps.

    Args:
        schedule: a number, a list or a schedule
        samples (int): how many it rises for; at least 1
        steps (int): in which the rate rises; at least 1

    Returns:
        TrainingParameterSchedule

    Example:
        >>> import cantik as C
        >>> rate = C.learners.warm_up(0.1, 1000, steps=4)
        >>> [round(rate[t], 3) for t in (0, 250, 999, 1000)]
        [0.025, 0.05, 0.1, 0.1]
    """
    return _cantik.warm_up(schedule, samples, {'steps': steps})
