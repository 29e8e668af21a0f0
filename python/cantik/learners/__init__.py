"""Learners: how parameters follow their gradients; and the schedules of their rates."""

from __future__ import annotations

import enum
import functools
import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import flag as _flag, number as _number
from .._cantik import (
    Learner as Learner,
    TrainingParameterSchedule as TrainingParameterSchedule,
    default_unit_gain_value as default_unit_gain_value,
    set_default_unit_gain_value as set_default_unit_gain_value,
)
from ._rates import IGNORE as IGNORE, adaptive_rate as _adaptive_rate, learning_rate as _learning_rate
from ._rates import rate as _rate, schedule as _schedule
from .user import UserLearner as UserLearner, universal as universal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._types import RateLike
    from ..variables import Parameter


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
    return 1 if UnitType(unit) is UnitType.sample else IGNORE


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
    """learning_parameter_schedule with the unit that its numbers are meant for.

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


def momentum_as_time_constant_schedule(
    momentum: RateLike, epoch_size: int | None = None
) -> TrainingParameterSchedule:
    """Momentum by the number of samples after which a gradient's weight has fallen to 1/e: exp(-1 / constant)
    a sample.

    Example:
        >>> import cantik as C
        >>> round(C.momentum_as_time_constant_schedule(100)[0], 6)
        0.99005
    """
    return _cantik.momentum_as_time_constant(_schedule(momentum, 1, epoch_size))


def _options(
    l1_regularization_weight,
    l2_regularization_weight,
    gaussian_noise_injection_std_dev,
    gradient_clipping_threshold_per_sample,
    gradient_clipping_with_truncation,
    use_mean_gradient,
    minibatch_size,
    epoch_size=None,
):
    return dict(
        l1_regularization_weight=l1_regularization_weight,
        l2_regularization_weight=l2_regularization_weight,
        gaussian_noise_injection_std_dev=gaussian_noise_injection_std_dev,
        gradient_clipping_threshold_per_sample=gradient_clipping_threshold_per_sample,
        gradient_clipping_with_truncation=gradient_clipping_with_truncation,
        use_mean_gradient=use_mean_gradient,
        minibatch_size=minibatch_size,
    )


_COMMON = """
    l1_regularization_weight, l2_regularization_weight (float): of |w| and |w|^2/2, a sample
    gaussian_noise_injection_std_dev: noise on the gradient, a number or a schedule
    gradient_clipping_threshold_per_sample (float): how large a gradient may be
    gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
    use_mean_gradient (bool): gradients are averaged over the minibatch before anything else,
        and a rate is taken as it is
    minibatch_size (int): what rates without a size of their own are meant for; IGNORE for any
    epoch_size (int): of rates that are given as lists

Returns:
    Learner
"""


_PROPORTIONAL = """A rate given as a number, or as a schedule without a minibatch size, is for the mean gradient of a minibatch,
as in CNTK and in other toolkits; one of learning_parameter_schedule_per_sample is for the sum over its samples.
"""
_ADAPTIVE = """Steps of this learner do not grow with the gradient. As in CNTK, a rate given as a number, or as a schedule that is
not for one sample, is divided by the number of samples of the minibatch: on 50 samples a step is a fiftieth of
what other toolkits do with the same rate. With use_mean_gradient=True a step is as large as the rate says, and so
it is with learning_parameter_schedule_per_sample. Where use_mean_gradient is left open and the rate is divided, a
UserWarning says so.
"""
_SCALED = (
    """With need_ave_multiplier a rate is for the mean gradient of a minibatch. Without it the following
    holds.
"""
    + _ADAPTIVE
)


def _documented(meaning):
    """A decorator: the docstring gets the meaning of rates, and what all learners take."""

    def document(function):
        if function.__doc__:  # Python may leave docstrings away
            about, _, rest = inspect.cleandoc(function.__doc__).partition('\n\nArgs:\n')
            text, _, example = rest.partition('\n\nExample:\n')
            function.__doc__ = (
                about + '\n\n' + meaning + '\nArgs:\n' + text + _COMMON + '\nExample:\n' + example + '\n'
            )
        return function

    return document


@_documented(_PROPORTIONAL)
def sgd(
    parameters: Sequence[Parameter],
    lr: RateLike,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
) -> Learner:
    """Stochastic gradient descent: w -= rate * g.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.sgd([w], 0.1)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1, -0.2], dtype=float32)
    """
    options = _options(*list(locals().values())[2:])
    return _cantik.sgd(parameters, _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient), options)


@_documented(_PROPORTIONAL)
def momentum_sgd(
    parameters: Sequence[Parameter],
    lr: RateLike,
    momentum: RateLike,
    unit_gain: bool | None = None,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
) -> Learner:
    """Momentum: v = m v + (1 - m) g, w -= rate * v; without unit gain v = m v + g.

    Args:
        parameters (list): what it changes
        lr, momentum: numbers, lists or schedules
        unit_gain (bool): the new gradient is scaled by 1 - m

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.momentum_sgd([w], 0.1, 0.9)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.01, -0.02], dtype=float32)
    """
    options = _options(*list(locals().values())[4:])
    return _cantik.momentum_sgd(
        parameters,
        _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient),
        _rate(momentum, minibatch_size, epoch_size, 'momentum'),
        _gain(unit_gain),
        options,
    )


@_documented(_PROPORTIONAL)
def nesterov(
    parameters: Sequence[Parameter],
    lr: RateLike,
    momentum: RateLike,
    unit_gain: bool | None = None,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
) -> Learner:
    """Nesterov's accelerated gradient: momentum, with a look ahead along it (Sutskever et al. 2013).

    Args:
        parameters (list): what it changes
        lr, momentum: numbers, lists or schedules
        unit_gain (bool): the new gradient is scaled by 1 - m

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.nesterov([w], 0.1, 0.9)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.019, -0.038], dtype=float32)
    """
    options = _options(*list(locals().values())[4:])
    return _cantik.nesterov(
        parameters,
        _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient),
        _rate(momentum, minibatch_size, epoch_size, 'momentum'),
        _gain(unit_gain),
        options,
    )


@_documented(_SCALED)
def adagrad(
    parameters: Sequence[Parameter],
    lr: RateLike,
    need_ave_multiplier: bool = True,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
) -> Learner:
    """AdaGrad: rates fall with the sum of squared gradients (Duchi et al. 2011).

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        need_ave_multiplier (bool): steps are scaled to the average of the factors

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.adagrad([w], 0.1)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1333, -0.1333], dtype=float32)
    """
    options = _options(*list(locals().values())[3:])
    _flag(need_ave_multiplier, 'need_ave_multiplier')
    made = _learning_rate if need_ave_multiplier else functools.partial(_adaptive_rate, 'adagrad')
    rate = made(lr, minibatch_size, epoch_size, use_mean_gradient)
    return _cantik.adagrad(parameters, rate, bool(need_ave_multiplier), options)


@_documented(_ADAPTIVE)
def adadelta(
    parameters: Sequence[Parameter],
    lr: RateLike | None = None,
    rho: float = 0.95,
    epsilon: float = 1e-8,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
) -> Learner:
    """AdaDelta: steps as large as the steps before them (Zeiler 2012).

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule; 1 a sample by default
        rho (float): how slowly averages forget
        epsilon (float): added under the roots

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.adadelta([w], 1, use_mean_gradient=True)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.0004, -0.0004], dtype=float32)
    """
    options = _options(*list(locals().values())[4:])
    lr = learning_parameter_schedule_per_sample(1) if lr is None else lr
    return _cantik.adadelta(
        parameters,
        _adaptive_rate('adadelta', lr, minibatch_size, epoch_size, use_mean_gradient),
        _number(rho, 'rho'),
        _number(epsilon, 'epsilon'),
        options,
    )


@_documented(_SCALED)
def rmsprop(
    parameters: Sequence[Parameter],
    lr: RateLike,
    gamma: float,
    inc: float,
    dec: float,
    max: float,
    min: float,
    need_ave_multiplier: bool = True,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
) -> Learner:
    """RMSProp, with factors for each element that grow while its gradient keeps its sign (Tieleman and Hinton
    2012).

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        gamma (float): how slowly the average of squares forgets
        inc, dec (float): what a factor is multiplied with when the sign stays, and when it changes
        max, min (float): bounds of the factors
        need_ave_multiplier (bool): steps are scaled to the average of the factors

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.rmsprop([w], 0.1, gamma=0.9, inc=1.2, dec=0.5, max=10, min=0.1)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1333, -0.1333], dtype=float32)
    """
    options = _options(*list(locals().values())[8:])
    _flag(need_ave_multiplier, 'need_ave_multiplier')
    made = _learning_rate if need_ave_multiplier else functools.partial(_adaptive_rate, 'rmsprop')
    rate = made(lr, minibatch_size, epoch_size, use_mean_gradient)
    return _cantik.rmsprop(
        parameters,
        rate,
        _number(gamma, 'gamma'),
        _number(inc, 'inc'),
        _number(dec, 'dec'),
        _number(max, 'max'),
        _number(min, 'min'),
        bool(need_ave_multiplier),
        options,
    )


@_documented(_ADAPTIVE)
def adam(
    parameters: Sequence[Parameter],
    lr: RateLike,
    momentum: RateLike,
    unit_gain: bool | None = None,
    variance_momentum: RateLike | None = None,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    epsilon: float = 1e-8,
    adamax: bool = False,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
) -> Learner:
    """Adam (Kingma and Ba 2015), with CNTK's order of operations; adamax: its variant with the largest
    gradient.

    Args:
        parameters (list): what it changes
        lr, momentum, variance_momentum: numbers, lists or schedules
        unit_gain (bool): the new gradient is scaled by 1 - m
        epsilon (float): added under the root
        adamax (bool): the variant

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.adam([w], 0.1, 0.9, use_mean_gradient=True)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1007, -0.1007], dtype=float32)
    """
    options = _options(
        l1_regularization_weight,
        l2_regularization_weight,
        gaussian_noise_injection_std_dev,
        gradient_clipping_threshold_per_sample,
        gradient_clipping_with_truncation,
        use_mean_gradient,
        minibatch_size,
    )
    return _cantik.adam(
        parameters,
        _adaptive_rate('adam', lr, minibatch_size, epoch_size, use_mean_gradient),
        _rate(momentum, minibatch_size, epoch_size, 'momentum'),
        _gain(unit_gain),
        _variance(variance_momentum, minibatch_size, epoch_size),
        _number(epsilon, 'epsilon'),
        _flag(adamax, 'adamax'),
        options,
    )


@_documented(_ADAPTIVE)
def fsadagrad(
    parameters: Sequence[Parameter],
    lr: RateLike,
    momentum: RateLike,
    unit_gain: bool | None = None,
    variance_momentum: RateLike | None = None,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
) -> Learner:
    """CNTK's FSAdaGrad: momentum over gradients that are divided by their running magnitude.

    Args:
        parameters (list): what it changes
        lr, momentum, variance_momentum: numbers, lists or schedules
        unit_gain (bool): the new gradient is scaled by 1 - m

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.fsadagrad([w], 0.1, 0.9, use_mean_gradient=True)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.0101, -0.0101], dtype=float32)
    """
    options = _options(
        l1_regularization_weight,
        l2_regularization_weight,
        gaussian_noise_injection_std_dev,
        gradient_clipping_threshold_per_sample,
        gradient_clipping_with_truncation,
        use_mean_gradient,
        minibatch_size,
    )
    return _cantik.fsadagrad(
        parameters,
        _adaptive_rate('fsadagrad', lr, minibatch_size, epoch_size, use_mean_gradient),
        _rate(momentum, minibatch_size, epoch_size, 'momentum'),
        _gain(unit_gain),
        _variance(variance_momentum, minibatch_size, epoch_size),
        options,
    )


def _gain(unit_gain):
    return default_unit_gain_value() if unit_gain is None else _flag(unit_gain, 'unit_gain')


def _variance(value, minibatch_size, epoch_size):
    return (
        _cantik.default_variance_momentum()
        if value is None
        else _rate(value, minibatch_size, epoch_size, 'variance momentum')
    )
