"""Rates as learners take them, and what CNTK's meaning of a rate does to adaptive learners."""

import warnings

import numpy as np

from .. import _cantik
from .._cantik import ArgumentError, Learner, TrainingParameterSchedule
from .._checks import flag, shown, whole

IGNORE = Learner.ignored_minibatch_size


def schedule(values, minibatch_size=None, epoch_size=None, frames=3):
    """A schedule of numbers; one that is a schedule already stays as it is. A warning is of the caller so
    many frames up."""
    if isinstance(values, TrainingParameterSchedule):
        return values
    if epoch_size is not None and isinstance(values, (int, float)):
        whole(epoch_size, 'epoch_size', 0)
        warnings.warn(
            'When providing the schedule as a number, epoch_size is ignored',
            RuntimeWarning,
            stacklevel=frames,
        )
        epoch_size = None
    return TrainingParameterSchedule(values, minibatch_size, epoch_size)


def time_constant(momentum, epoch_size):
    """See momentum_as_time_constant_schedule."""
    return _cantik.momentum_as_time_constant(schedule(momentum, 1, epoch_size, frames=4))


def rate(value, minibatch_size, epoch_size, what='learning rate'):
    """The schedule that a learner's argument stands for."""
    if isinstance(value, TrainingParameterSchedule):
        return value
    if not isinstance(value, (int, float, list, np.number)):
        raise ArgumentError(
            f'training parameter schedule type ({type(value).__name__}) not supported. The {what} must be a '
            f'schedule, a number, or a list of them, not {shown(value)}'
        )
    return schedule(value, minibatch_size, epoch_size)


def optional_rate(value, minibatch_size, epoch_size, what):
    """The schedule of an argument that may be None."""
    return None if value is None else rate(value, minibatch_size, epoch_size, what)


def learning_rate(value, minibatch_size, epoch_size, use_mean_gradient):
    """The schedule of a learner's rate."""
    made = rate(value, minibatch_size, epoch_size)
    # CNTK's older way to say that the rate is meant for mean gradients
    if use_mean_gradient and made is value and _meant_for(made, minibatch_size) == 1:
        made.minibatch_size = IGNORE
    return made


def _meant_for(schedule, minibatch_size):
    """The minibatch size that a schedule's values are meant for, beside that of its learner."""
    own = schedule.is_minibatch_size_explicitly_specified or minibatch_size is None
    return schedule.minibatch_size if own else minibatch_size


def adaptive_rate(learner, value, minibatch_size, epoch_size, use_mean_gradient, frames=3):
    """The schedule of an adaptive learner's rate. Warns where its steps are smaller than the rate says and
    the program has not chosen so. The warning is of the caller so many frames up."""
    made = learning_rate(value, minibatch_size, epoch_size, use_mean_gradient)
    meant_for = _meant_for(made, minibatch_size)
    if use_mean_gradient is None and meant_for != 1:
        warnings.warn(
            'C.{0}: as in CNTK, a rate that is given per minibatch is divided by {1}. The steps of {0} do '
            'not grow with the gradient, so they are smaller by that factor than with other toolkits. '
            'use_mean_gradient=True gives steps as large as the rate says; use_mean_gradient=False keeps '
            'these, without this warning.'.format(
                learner, 'the number of samples of each minibatch' if meant_for == IGNORE else meant_for
            ),
            UserWarning,
            stacklevel=frames,
        )
    return made


def scaled_rate(learner, need_ave_multiplier, *given):
    """The schedule of the rate of a learner that is adaptive without need_ave_multiplier."""
    if flag(need_ave_multiplier, 'need_ave_multiplier'):
        return learning_rate(*given)
    return adaptive_rate(learner, *given, frames=4)
