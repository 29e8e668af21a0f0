"""Learners: how parameters follow their gradients; and the schedules of their rates."""

from __future__ import annotations

import enum
import warnings
from typing import TYPE_CHECKING, Any

from .._cantik import (
    Learner as Learner,
    TrainingParameterSchedule as TrainingParameterSchedule,
    default_unit_gain_value as default_unit_gain_value,
    set_default_unit_gain_value as set_default_unit_gain_value,
)
from ._generated import *
from ._rates import IGNORE as IGNORE, schedule as _schedule
from ._schedules import (
    cosine_schedule as cosine_schedule,
    momentum_as_time_constant_schedule as momentum_as_time_constant_schedule,
    warm_up as warm_up,
)
from .user import UserLearner as UserLearner, universal as universal

if TYPE_CHECKING:
    from .._types import RateLike


@enum.unique
class UnitType(enum.Enum):
    """What a rate is meant for: one sample, or a minibatch.

    Example:
        >>> import cantik as C
        >>> C.UnitType('sample') is C.UnitType.sample
        True
    """

    sample = 'sample'
    minibatch = 'minibatch'


def _of_unit(unit):
    """The minibatch size of a unit. A text is for minibatches: as in CNTK, so that its programs keep their
    steps."""
    if UnitType(unit) is UnitType.sample and unit is not UnitType.sample:
        warnings.warn(
            "the unit 'sample', a text, counts as UnitType.minibatch, as in CNTK\n"
            '  remedy   give UnitType.sample for a rate that is meant for one sample',
            stacklevel=3,
        )
    return 1 if unit is UnitType.sample else IGNORE


def learning_parameter_schedule(
    schedule: RateLike, minibatch_size: Any = None, epoch_size: int | None = None
) -> TrainingParameterSchedule:
    """A rate that changes as samples go by.

    What a number means is CNTK's. Without a minibatch size it is for a minibatch of any size: learners that
    go along the gradient take its mean. Adaptive learners (adam, fsadagrad, adadelta) divide the rate by the
    number of samples, unless they are given use_mean_gradient=True; see help(cantik.adam).

    Args:
        schedule: a number; a list of one number an epoch; or a list of pairs (so many epochs, number). The
          last one stays.
        minibatch_size (int): the size of minibatch that the numbers are meant for; None or IGNORE for any,
          whose gradient is averaged
        epoch_size (int): samples of an epoch; None for a sweep over the data

    Example:
        >>> import cantik as C
        >>> rate = C.learning_parameter_schedule([(2, 0.1), (1, 0.05)], minibatch_size=1, epoch_size=10)
        >>> rate[0], rate[19], rate[20]
        (0.1, 0.1, 0.05)
    """
    return _schedule(schedule, minibatch_size, epoch_size)


def learning_parameter_schedule_per_sample(
    schedule: RateLike, epoch_size: int | None = None
) -> TrainingParameterSchedule:
    """learning_parameter_schedule with numbers for one sample: they hold for minibatches of any size.

    Learners that go along the gradient add up the gradients of the samples: a step grows with the minibatch.
    A step of an adaptive learner (adam, fsadagrad, adadelta) is as large as the number says.

    Example:
        >>> import cantik as C
        >>> C.learning_parameter_schedule_per_sample(0.01).minibatch_size
        1
    """
    return _schedule(schedule, 1, epoch_size)


def training_parameter_schedule(
    schedule: RateLike, unit: Any = UnitType.minibatch, epoch_size: int | None = None
) -> TrainingParameterSchedule:
    """learning_parameter_schedule with the unit that its numbers are meant for, UnitType.sample or
    UnitType.minibatch; a text counts as the latter, as in CNTK.

    Adaptive learners divide a rate for minibatches by the number of samples: see help(cantik.adam).

    Example:
        >>> import cantik as C
        >>> C.training_parameter_schedule([0.1, 0.05], C.UnitType.sample, epoch_size=100)[100]
        0.05
    """
    return _schedule(schedule, _of_unit(unit), epoch_size)


def learning_rate_schedule(
    lr: RateLike, unit: Any, epoch_size: int | None = None
) -> TrainingParameterSchedule:
    """The older name of training_parameter_schedule.

    Adaptive learners divide a rate for minibatches by the number of samples: see help(cantik.adam).

    Example:
        >>> import cantik as C
        >>> C.learning_rate_schedule([0.1, 0.05], C.UnitType.minibatch, epoch_size=100)[0]
        0.1
    """
    return _schedule(lr, _of_unit(unit), epoch_size)


def momentum_schedule(
    momentum: RateLike, epoch_size: int | None = None, minibatch_size: Any = None
) -> TrainingParameterSchedule:
    """Momentum that changes as samples go by; arguments as learning_parameter_schedule.

    A number without a minibatch size is used as it is, whatever the minibatch; one for n samples becomes its
    power of samples / n.

    Example:
        >>> import cantik as C
        >>> C.momentum_schedule([0.5, 0.9], epoch_size=100)[100]
        0.9
    """
    return _schedule(momentum, minibatch_size, epoch_size)


def momentum_schedule_per_sample(
    momentum: RateLike, epoch_size: int | None = None
) -> TrainingParameterSchedule:
    """momentum_schedule with numbers for one sample: over a minibatch of n samples it is the n-th power.

    Example:
        >>> import cantik as C
        >>> C.momentum_schedule_per_sample(0.99).minibatch_size
        1
    """
    return _schedule(momentum, 1, epoch_size)
