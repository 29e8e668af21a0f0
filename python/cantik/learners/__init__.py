"""Learners: how parameters follow their gradients; and the schedules of their rates."""
import enum
import inspect
import warnings

import numpy as np

from .. import _cantik
from .._cantik import Learner, TrainingParameterSchedule, default_unit_gain_value, set_default_unit_gain_value
from .user import UserLearner, universal

IGNORE = Learner.ignored_minibatch_size


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


def _schedule(values, minibatch_size=None, epoch_size=None):
    if isinstance(values, TrainingParameterSchedule):
        return values
    if epoch_size is not None and isinstance(values, (int, float)):
        warnings.warn('When providing the schedule as a number, epoch_size is ignored', RuntimeWarning, stacklevel=3)
        epoch_size = None
    return TrainingParameterSchedule(values, minibatch_size, epoch_size)


def _of_unit(unit):
    return 1 if UnitType(unit) is UnitType.sample else IGNORE


def learning_parameter_schedule(schedule, minibatch_size=None, epoch_size=None):
    """A rate that changes as samples go by.

    Args:
        schedule: a number; a list of one number an epoch; or a list of pairs (so many epochs, number). The last one stays.
        minibatch_size (int): the size of minibatch that the numbers are meant for; None or IGNORE for any, whose gradient is averaged
        epoch_size (int): samples of an epoch; None for a sweep over the data

    Example:
        >>> import cantik as C
        >>> rate = C.learning_parameter_schedule([(2, 0.1), (1, 0.05)], minibatch_size=1, epoch_size=10)
        >>> rate[0], rate[19], rate[20]
        (0.1, 0.1, 0.05)
    """
    return _schedule(schedule, minibatch_size, epoch_size)


def learning_parameter_schedule_per_sample(schedule, epoch_size=None):
    """learning_parameter_schedule with numbers for one sample: they hold for minibatches of any size.

    Example:
        >>> import cantik as C
        >>> C.learning_parameter_schedule_per_sample(0.01).minibatch_size
        1
    """
    return _schedule(schedule, 1, epoch_size)


def training_parameter_schedule(schedule, unit=UnitType.minibatch, epoch_size=None):
    """learning_parameter_schedule with the unit that its numbers are meant for.

    Example:
        >>> import cantik as C
        >>> C.training_parameter_schedule([0.1, 0.05], C.UnitType.sample, epoch_size=100)[100]
        0.05
    """
    return _schedule(schedule, _of_unit(unit), epoch_size)


def learning_rate_schedule(lr, unit, epoch_size=None):
    """The older name of training_parameter_schedule.

    Example:
        >>> import cantik as C
        >>> C.learning_rate_schedule([0.1, 0.05], C.UnitType.minibatch, epoch_size=100)[0]
        0.1
    """
    return _schedule(lr, _of_unit(unit), epoch_size)


def momentum_schedule(momentum, epoch_size=None, minibatch_size=None):
    """Momentum that changes as samples go by; arguments as learning_parameter_schedule.

    Example:
        >>> import cantik as C
        >>> C.momentum_schedule([0.5, 0.9], epoch_size=100)[100]
        0.9
    """
    return _schedule(momentum, minibatch_size, epoch_size)


def momentum_schedule_per_sample(momentum, epoch_size=None):
    """momentum_schedule with numbers for one sample.

    Example:
        >>> import cantik as C
        >>> C.momentum_schedule_per_sample(0.99).minibatch_size
        1
    """
    return _schedule(momentum, 1, epoch_size)


def momentum_as_time_constant_schedule(momentum, epoch_size=None):
    """Momentum by the number of samples after which a gradient's weight has fallen to 1/e: exp(-1 / constant) a sample.

    Example:
        >>> import cantik as C
        >>> round(C.momentum_as_time_constant_schedule(100)[0], 6)
        0.99005
    """
    return _cantik.momentum_as_time_constant(_schedule(momentum, 1, epoch_size))


def _rate(value, minibatch_size, epoch_size, what='learning rate'):
    if isinstance(value, TrainingParameterSchedule):
        return value
    if not isinstance(value, (int, float, list, np.number)):
        raise ValueError('training parameter schedule type ({}) not supported. The {} must be a schedule, a number, or a list of them'.format(type(value), what))
    return _schedule(value, minibatch_size, epoch_size)


def _learning_rate(value, minibatch_size, epoch_size, use_mean_gradient):
    rate = _rate(value, minibatch_size, epoch_size)
    if use_mean_gradient and minibatch_size is None and rate.minibatch_size == 1:
        rate.minibatch_size = IGNORE  # CNTK's older way to say that the rate is meant for mean gradients
    return rate


def _options(l1_regularization_weight, l2_regularization_weight, gaussian_noise_injection_std_dev, gradient_clipping_threshold_per_sample,
             gradient_clipping_with_truncation, use_mean_gradient, minibatch_size, epoch_size=None):
    return dict(l1_regularization_weight=l1_regularization_weight, l2_regularization_weight=l2_regularization_weight,
                gaussian_noise_injection_std_dev=gaussian_noise_injection_std_dev,
                gradient_clipping_threshold_per_sample=gradient_clipping_threshold_per_sample,
                gradient_clipping_with_truncation=gradient_clipping_with_truncation, use_mean_gradient=use_mean_gradient, minibatch_size=minibatch_size)


_COMMON = """
    l1_regularization_weight, l2_regularization_weight (float): of |w| and |w|^2/2, a sample
    gaussian_noise_injection_std_dev: noise on the gradient, a number or a schedule
    gradient_clipping_threshold_per_sample (float): how large a gradient may be
    gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
    use_mean_gradient (bool): gradients are averaged over the minibatch
    minibatch_size (int): what rates without a size of their own are meant for; IGNORE for any
    epoch_size (int): of rates that are given as lists

Returns:
    Learner
"""


def _documented(function):
    if function.__doc__:  # Python may leave docstrings away
        text, _, example = inspect.cleandoc(function.__doc__).partition('\n\nExample:\n')
        function.__doc__ = text + _COMMON + '\nExample:\n' + example + '\n'
    return function


@_documented
def sgd(parameters, lr, l1_regularization_weight=0.0, l2_regularization_weight=0.0, gaussian_noise_injection_std_dev=0.0,
        gradient_clipping_threshold_per_sample=np.inf, gradient_clipping_with_truncation=True, use_mean_gradient=None, minibatch_size=None, epoch_size=None):
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


@_documented
def momentum_sgd(parameters, lr, momentum, unit_gain=None, l1_regularization_weight=0.0, l2_regularization_weight=0.0,
                 gaussian_noise_injection_std_dev=0.0, gradient_clipping_threshold_per_sample=np.inf, gradient_clipping_with_truncation=True,
                 use_mean_gradient=None, minibatch_size=None, epoch_size=None):
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
    return _cantik.momentum_sgd(parameters, _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient), _rate(momentum, minibatch_size, epoch_size, 'momentum'), _gain(unit_gain), options)


@_documented
def nesterov(parameters, lr, momentum, unit_gain=None, l1_regularization_weight=0.0, l2_regularization_weight=0.0,
             gaussian_noise_injection_std_dev=0.0, gradient_clipping_threshold_per_sample=np.inf, gradient_clipping_with_truncation=True,
             use_mean_gradient=None, minibatch_size=None, epoch_size=None):
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
    return _cantik.nesterov(parameters, _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient), _rate(momentum, minibatch_size, epoch_size, 'momentum'), _gain(unit_gain), options)


@_documented
def adagrad(parameters, lr, need_ave_multiplier=True, l1_regularization_weight=0.0, l2_regularization_weight=0.0, gaussian_noise_injection_std_dev=0.0,
            gradient_clipping_threshold_per_sample=np.inf, gradient_clipping_with_truncation=True, use_mean_gradient=None, minibatch_size=None,
            epoch_size=None):
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
    return _cantik.adagrad(parameters, _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient), need_ave_multiplier, options)


@_documented
def adadelta(parameters, lr=None, rho=0.95, epsilon=1e-8, l1_regularization_weight=0.0, l2_regularization_weight=0.0, gaussian_noise_injection_std_dev=0.0,
             gradient_clipping_threshold_per_sample=np.inf, gradient_clipping_with_truncation=True, use_mean_gradient=None, minibatch_size=None,
             epoch_size=None):
    """AdaDelta: steps as large as the steps before them (Zeiler 2012).

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule; 1 a sample by default
        rho (float): how slowly averages forget
        epsilon (float): added under the roots

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.adadelta([w], 1)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.0004, -0.0004], dtype=float32)
    """
    options = _options(*list(locals().values())[4:])
    lr = learning_parameter_schedule_per_sample(1) if lr is None else lr
    return _cantik.adadelta(parameters, _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient), rho, epsilon, options)


@_documented
def rmsprop(parameters, lr, gamma, inc, dec, max, min, need_ave_multiplier=True, l1_regularization_weight=0.0, l2_regularization_weight=0.0,
            gaussian_noise_injection_std_dev=0.0, gradient_clipping_threshold_per_sample=np.inf, gradient_clipping_with_truncation=True,
            use_mean_gradient=None, minibatch_size=None, epoch_size=None):
    """RMSProp, with factors for each element that grow while its gradient keeps its sign (Tieleman and Hinton 2012).

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
    return _cantik.rmsprop(parameters, _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient), gamma, inc, dec, max, min, need_ave_multiplier, options)


@_documented
def adam(parameters, lr, momentum, unit_gain=None, variance_momentum=None, l1_regularization_weight=0.0, l2_regularization_weight=0.0,
         gaussian_noise_injection_std_dev=0.0, gradient_clipping_threshold_per_sample=np.inf, gradient_clipping_with_truncation=True,
         use_mean_gradient=None, epsilon=1e-8, adamax=False, minibatch_size=None, epoch_size=None):
    """Adam (Kingma and Ba 2015), with CNTK's order of operations; adamax: its variant with the largest gradient.

    Args:
        parameters (list): what it changes
        lr, momentum, variance_momentum: numbers, lists or schedules
        unit_gain (bool): the new gradient is scaled by 1 - m
        epsilon (float): added under the root
        adamax (bool): the variant

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.adam([w], 0.1, 0.9)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1007, -0.1007], dtype=float32)
    """
    options = _options(l1_regularization_weight, l2_regularization_weight, gaussian_noise_injection_std_dev, gradient_clipping_threshold_per_sample,
                       gradient_clipping_with_truncation, use_mean_gradient, minibatch_size)
    return _cantik.adam(parameters, _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient), _rate(momentum, minibatch_size, epoch_size, 'momentum'), _gain(unit_gain),
                        _variance(variance_momentum, minibatch_size, epoch_size), epsilon, adamax, options)


@_documented
def fsadagrad(parameters, lr, momentum, unit_gain=None, variance_momentum=None, l1_regularization_weight=0.0, l2_regularization_weight=0.0,
              gaussian_noise_injection_std_dev=0.0, gradient_clipping_threshold_per_sample=np.inf, gradient_clipping_with_truncation=True,
              use_mean_gradient=None, minibatch_size=None, epoch_size=None):
    """CNTK's FSAdaGrad: momentum over gradients that are divided by their running magnitude.

    Args:
        parameters (list): what it changes
        lr, momentum, variance_momentum: numbers, lists or schedules
        unit_gain (bool): the new gradient is scaled by 1 - m

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.fsadagrad([w], 0.1, 0.9)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.0101, -0.0101], dtype=float32)
    """
    options = _options(l1_regularization_weight, l2_regularization_weight, gaussian_noise_injection_std_dev, gradient_clipping_threshold_per_sample,
                       gradient_clipping_with_truncation, use_mean_gradient, minibatch_size)
    return _cantik.fsadagrad(parameters, _learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient), _rate(momentum, minibatch_size, epoch_size, 'momentum'), _gain(unit_gain),
                             _variance(variance_momentum, minibatch_size, epoch_size), options)


def _gain(unit_gain):
    return default_unit_gain_value() if unit_gain is None else unit_gain


def _variance(value, minibatch_size, epoch_size):
    return _cantik.default_variance_momentum() if value is None else _rate(value, minibatch_size, epoch_size, 'variance momentum')
