"""Schedules by formula: rates that fall along a cosine, or rise at the beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import number, whole

if TYPE_CHECKING:
    from .._cantik import TrainingParameterSchedule

__all__ = ['cosine_schedule', 'warm_up']


def cosine_schedule(
    rate: float,
    samples: int,
    final_rate: float = 0.0,
    steps: int = 1000,
    minibatch_size: int | None = None,
) -> TrainingParameterSchedule:
    r"""A rate that falls along a cosine: :math:`r_1 + (r_0 - r_1) (1 + \cos(\pi t / n)) / 2` after t of n
    samples, and :math:`r_1` from then on. (Loshchilov and Hutter 2017, SGDR.)

    Args:
        rate (float): the first rate
        samples (int): how many it falls for
        final_rate (float): the last rate
        steps (int): of which the curve is made
        minibatch_size (int): the size of minibatch that the rates are meant for, as in
          learning_parameter_schedule

    Returns:
        TrainingParameterSchedule

    Example:
        >>> import cantik as C
        >>> rate = C.learners.cosine_schedule(0.1, 1000)
        >>> [round(rate[t], 3) for t in (0, 250, 500, 1000)]
        [0.1, 0.085, 0.05, 0.0]
    """
    size = None if minibatch_size is None else whole(minibatch_size, 'minibatch_size', 0)
    return _cantik.cosine_schedule(
        number(rate, 'rate'),
        whole(samples, 'samples', 1),
        number(final_rate, 'final_rate'),
        whole(steps, 'steps', 1),
        size,
    )


def warm_up(schedule: Any, samples: int, steps: int = 100) -> TrainingParameterSchedule:
    """A rate that rises in equal steps to the first one of a schedule, and follows the schedule from then on.

    Args:
        schedule: a number, a list, or a schedule; one of several rates must count samples, not sweeps
        samples (int): how many it rises for
        steps (int): in which it rises

    Returns:
        TrainingParameterSchedule

    Example:
        >>> import cantik as C
        >>> rate = C.learners.warm_up(0.1, 1000, steps=4)
        >>> [round(rate[t], 3) for t in (0, 250, 999, 1000)]
        [0.025, 0.05, 0.1, 0.1]
    """
    return _cantik.warm_up(schedule, whole(samples, 'samples', 1), whole(steps, 'steps', 1))
