"""Functions of the learners. Written by tools/generate from the learners' files: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from . import _rates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._cantik import Learner
    from .._types import RateLike
    from ..variables import Parameter

__all__ = [
    'adadelta',
    'adagrad',
    'adam',
    'adamw',
    'fsadagrad',
    'momentum_sgd',
    'nesterov',
    'rmsprop',
    'sgd',
]


def adadelta(
    parameters: Sequence[Parameter],
    lr: RateLike | None = None,
    rho: float = 0.95,
    epsilon: float = 1e-08,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
    gradient_clipping_global_norm: float = np.inf,
) -> Learner:
    """AdaDelta: steps as large as the steps before them (Zeiler 2012).

    Steps of this learner do not grow with the gradient. As in CNTK, a rate given as a number, or as a
    schedule that is not for one sample, is divided by the number of samples of the minibatch: on 50
    samples a step is a fiftieth of what other toolkits do with the same rate. With use_mean_gradient=True
    a step is as large as the rate says, and so it is with learning_parameter_schedule_per_sample. Where
    use_mean_gradient is left open and the rate is divided, a UserWarning says so.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule; 1 a sample by default
        rho (float): how slowly averages forget
        epsilon (float): added under the roots
        l1_regularization_weight (float): weight of |w|, a sample
        l2_regularization_weight (float): weight of |w|^2/2, a sample
        gaussian_noise_injection_std_dev: noise on the gradient, a number, a list or a schedule
        gradient_clipping_threshold_per_sample (float): how large a gradient may be
        gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
        use_mean_gradient (bool): gradients are averaged over the minibatch before anything else, and a
            rate is taken as it is
        minibatch_size (int): the size that rates without a size of their own are meant for; IGNORE (0)
            for any; at least 0
        gradient_clipping_global_norm (float): the most that the norm of all gradients together, means
            over the samples, may be; beyond it all are scaled alike, before the other ways of clipping;
            above 0
        epoch_size (int): of rates that are given as lists

    Returns:
        Learner

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.adadelta([w], 1, use_mean_gradient=True)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.0004, -0.0004], dtype=float32)
    """
    lr = _rates.schedule(1.0, 1) if lr is None else lr
    rate = _rates.adaptive_rate('adadelta', lr, minibatch_size, epoch_size, use_mean_gradient)
    options = {
        'rho': rho,
        'epsilon': epsilon,
        'l1_regularization_weight': l1_regularization_weight,
        'l2_regularization_weight': l2_regularization_weight,
        'gaussian_noise_injection_std_dev': gaussian_noise_injection_std_dev,
        'gradient_clipping_threshold_per_sample': gradient_clipping_threshold_per_sample,
        'gradient_clipping_with_truncation': gradient_clipping_with_truncation,
        'use_mean_gradient': use_mean_gradient,
        'minibatch_size': minibatch_size,
        'gradient_clipping_global_norm': gradient_clipping_global_norm,
    }
    return _cantik.learner('adadelta', parameters, rate, options)


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
    gradient_clipping_global_norm: float = np.inf,
) -> Learner:
    """AdaGrad: rates fall with the sum of squared gradients (Duchi et al. 2011).

    With need_ave_multiplier a rate is for the mean gradient of a minibatch. Without it the following
    holds. Steps of this learner do not grow with the gradient. As in CNTK, a rate given as a number, or as
    a schedule that is not for one sample, is divided by the number of samples of the minibatch: on 50
    samples a step is a fiftieth of what other toolkits do with the same rate. With use_mean_gradient=True
    a step is as large as the rate says, and so it is with learning_parameter_schedule_per_sample. Where
    use_mean_gradient is left open and the rate is divided, a UserWarning says so.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        need_ave_multiplier (bool): steps are scaled to the average of the factors
        l1_regularization_weight (float): weight of |w|, a sample
        l2_regularization_weight (float): weight of |w|^2/2, a sample
        gaussian_noise_injection_std_dev: noise on the gradient, a number, a list or a schedule
        gradient_clipping_threshold_per_sample (float): how large a gradient may be
        gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
        use_mean_gradient (bool): gradients are averaged over the minibatch before anything else, and a
            rate is taken as it is
        minibatch_size (int): the size that rates without a size of their own are meant for; IGNORE (0)
            for any; at least 0
        gradient_clipping_global_norm (float): the most that the norm of all gradients together, means
            over the samples, may be; beyond it all are scaled alike, before the other ways of clipping;
            above 0
        epoch_size (int): of rates that are given as lists

    Returns:
        Learner

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.adagrad([w], 0.1)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1333, -0.1333], dtype=float32)
    """
    rate = _rates.scaled_rate(
        'adagrad', need_ave_multiplier, lr, minibatch_size, epoch_size, use_mean_gradient
    )
    options = {
        'need_ave_multiplier': need_ave_multiplier,
        'l1_regularization_weight': l1_regularization_weight,
        'l2_regularization_weight': l2_regularization_weight,
        'gaussian_noise_injection_std_dev': gaussian_noise_injection_std_dev,
        'gradient_clipping_threshold_per_sample': gradient_clipping_threshold_per_sample,
        'gradient_clipping_with_truncation': gradient_clipping_with_truncation,
        'use_mean_gradient': use_mean_gradient,
        'minibatch_size': minibatch_size,
        'gradient_clipping_global_norm': gradient_clipping_global_norm,
    }
    return _cantik.learner('adagrad', parameters, rate, options)


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
    epsilon: float = 1e-08,
    adamax: bool = False,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
    gradient_clipping_global_norm: float = np.inf,
) -> Learner:
    """Adam (Kingma and Ba 2015), with CNTK's order of operations; adamax: its variant with the largest
    gradient.

    Steps of this learner do not grow with the gradient. As in CNTK, a rate given as a number, or as a
    schedule that is not for one sample, is divided by the number of samples of the minibatch: on 50
    samples a step is a fiftieth of what other toolkits do with the same rate. With use_mean_gradient=True
    a step is as large as the rate says, and so it is with learning_parameter_schedule_per_sample. Where
    use_mean_gradient is left open and the rate is divided, a UserWarning says so.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        momentum: the share of the smoothed gradient that stays, a number, a list or a schedule
        unit_gain (bool): the new gradient is scaled by 1 - momentum
        variance_momentum: the share of the smoothed squared gradient that stays, a number, a list or a
            schedule
        l1_regularization_weight (float): weight of |w|, a sample
        l2_regularization_weight (float): weight of |w|^2/2, a sample
        gaussian_noise_injection_std_dev: noise on the gradient, a number, a list or a schedule
        gradient_clipping_threshold_per_sample (float): how large a gradient may be
        gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
        use_mean_gradient (bool): gradients are averaged over the minibatch before anything else, and a
            rate is taken as it is
        epsilon (float): added to the root; at least 0
        adamax (bool): the variant with the largest gradient
        minibatch_size (int): the size that rates without a size of their own are meant for; IGNORE (0)
            for any; at least 0
        gradient_clipping_global_norm (float): the most that the norm of all gradients together, means
            over the samples, may be; beyond it all are scaled alike, before the other ways of clipping;
            above 0
        epoch_size (int): of rates that are given as lists

    Returns:
        Learner

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.adam([w], 0.1, 0.9, use_mean_gradient=True)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1007, -0.1007], dtype=float32)
    """
    rate = _rates.adaptive_rate('adam', lr, minibatch_size, epoch_size, use_mean_gradient)
    options = {
        'momentum': _rates.rate(momentum, minibatch_size, epoch_size, 'momentum'),
        'unit_gain': unit_gain,
        'variance_momentum': _rates.optional_rate(
            variance_momentum, minibatch_size, epoch_size, 'variance momentum'
        ),
        'l1_regularization_weight': l1_regularization_weight,
        'l2_regularization_weight': l2_regularization_weight,
        'gaussian_noise_injection_std_dev': gaussian_noise_injection_std_dev,
        'gradient_clipping_threshold_per_sample': gradient_clipping_threshold_per_sample,
        'gradient_clipping_with_truncation': gradient_clipping_with_truncation,
        'use_mean_gradient': use_mean_gradient,
        'epsilon': epsilon,
        'adamax': adamax,
        'minibatch_size': minibatch_size,
        'gradient_clipping_global_norm': gradient_clipping_global_norm,
    }
    return _cantik.learner('adam', parameters, rate, options)


def adamw(
    parameters: Sequence[Parameter],
    lr: RateLike,
    momentum: RateLike | None = None,
    variance_momentum: RateLike | None = None,
    weight_decay: float = 0.01,
    l1_regularization_weight: float = 0.0,
    l2_regularization_weight: float = 0.0,
    gaussian_noise_injection_std_dev: RateLike = 0.0,
    gradient_clipping_threshold_per_sample: float = np.inf,
    gradient_clipping_with_truncation: bool = True,
    use_mean_gradient: bool | None = None,
    epsilon: float = 1e-08,
    correct_bias: bool = True,
    minibatch_size: Any = None,
    epoch_size: int | None = None,
    gradient_clipping_global_norm: float = np.inf,
) -> Learner:
    """AdamW (Loshchilov and Hutter 2019): Adam with a decay of the parameters that is no part of the
    gradient.

    Steps of this learner do not grow with the gradient. As in CNTK, a rate given as a number, or as a
    schedule that is not for one sample, is divided by the number of samples of the minibatch: on 50
    samples a step is a fiftieth of what other toolkits do with the same rate. With use_mean_gradient=True
    a step is as large as the rate says, and so it is with learning_parameter_schedule_per_sample. Where
    use_mean_gradient is left open and the rate is divided, a UserWarning says so.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        momentum: the share of the smoothed gradient that stays, 0.9 by default, a number, a list or a
            schedule
        variance_momentum: the share of the smoothed squared gradient that stays, 0.999 by default, a
            number, a list or a schedule
        weight_decay (float): the share of w, times the rate, that a step takes away; at least 0
        l1_regularization_weight (float): weight of |w|, a sample
        l2_regularization_weight (float): weight of |w|^2/2, a sample
        gaussian_noise_injection_std_dev: noise on the gradient, a number, a list or a schedule
        gradient_clipping_threshold_per_sample (float): how large a gradient may be
        gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
        use_mean_gradient (bool): gradients are averaged over the minibatch before anything else, and a
            rate is taken as it is
        epsilon (float): added to the root; at least 0
        correct_bias (bool): whether the first averages are scaled up, which begin at 0
        minibatch_size (int): the size that rates without a size of their own are meant for; IGNORE (0)
            for any; at least 0
        gradient_clipping_global_norm (float): the most that the norm of all gradients together, means
            over the samples, may be; beyond it all are scaled alike, before the other ways of clipping;
            above 0
        epoch_size (int): of rates that are given as lists

    Returns:
        Learner

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.learners.adamw([w], 0.1, use_mean_gradient=True)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1, -0.1], dtype=float32)
    """
    rate = _rates.adaptive_rate('adamw', lr, minibatch_size, epoch_size, use_mean_gradient)
    options = {
        'momentum': _rates.optional_rate(momentum, minibatch_size, epoch_size, 'momentum'),
        'variance_momentum': _rates.optional_rate(
            variance_momentum, minibatch_size, epoch_size, 'variance momentum'
        ),
        'weight_decay': weight_decay,
        'l1_regularization_weight': l1_regularization_weight,
        'l2_regularization_weight': l2_regularization_weight,
        'gaussian_noise_injection_std_dev': gaussian_noise_injection_std_dev,
        'gradient_clipping_threshold_per_sample': gradient_clipping_threshold_per_sample,
        'gradient_clipping_with_truncation': gradient_clipping_with_truncation,
        'use_mean_gradient': use_mean_gradient,
        'epsilon': epsilon,
        'correct_bias': correct_bias,
        'minibatch_size': minibatch_size,
        'gradient_clipping_global_norm': gradient_clipping_global_norm,
    }
    return _cantik.learner('adamw', parameters, rate, options)


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
    gradient_clipping_global_norm: float = np.inf,
) -> Learner:
    """CNTK's FSAdaGrad: momentum over gradients that are divided by their running magnitude.

    Steps of this learner do not grow with the gradient. As in CNTK, a rate given as a number, or as a
    schedule that is not for one sample, is divided by the number of samples of the minibatch: on 50
    samples a step is a fiftieth of what other toolkits do with the same rate. With use_mean_gradient=True
    a step is as large as the rate says, and so it is with learning_parameter_schedule_per_sample. Where
    use_mean_gradient is left open and the rate is divided, a UserWarning says so.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        momentum: the share of the smoothed gradient that stays, a number, a list or a schedule
        unit_gain (bool): the new gradient is scaled by 1 - momentum
        variance_momentum: the share of the smoothed squared gradient that stays, a number, a list or a
            schedule
        l1_regularization_weight (float): weight of |w|, a sample
        l2_regularization_weight (float): weight of |w|^2/2, a sample
        gaussian_noise_injection_std_dev: noise on the gradient, a number, a list or a schedule
        gradient_clipping_threshold_per_sample (float): how large a gradient may be
        gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
        use_mean_gradient (bool): gradients are averaged over the minibatch before anything else, and a
            rate is taken as it is
        minibatch_size (int): the size that rates without a size of their own are meant for; IGNORE (0)
            for any; at least 0
        gradient_clipping_global_norm (float): the most that the norm of all gradients together, means
            over the samples, may be; beyond it all are scaled alike, before the other ways of clipping;
            above 0
        epoch_size (int): of rates that are given as lists

    Returns:
        Learner

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.fsadagrad([w], 0.1, 0.9, use_mean_gradient=True)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.0101, -0.0101], dtype=float32)
    """
    rate = _rates.adaptive_rate('fsadagrad', lr, minibatch_size, epoch_size, use_mean_gradient)
    options = {
        'momentum': _rates.rate(momentum, minibatch_size, epoch_size, 'momentum'),
        'unit_gain': unit_gain,
        'variance_momentum': _rates.optional_rate(
            variance_momentum, minibatch_size, epoch_size, 'variance momentum'
        ),
        'l1_regularization_weight': l1_regularization_weight,
        'l2_regularization_weight': l2_regularization_weight,
        'gaussian_noise_injection_std_dev': gaussian_noise_injection_std_dev,
        'gradient_clipping_threshold_per_sample': gradient_clipping_threshold_per_sample,
        'gradient_clipping_with_truncation': gradient_clipping_with_truncation,
        'use_mean_gradient': use_mean_gradient,
        'minibatch_size': minibatch_size,
        'gradient_clipping_global_norm': gradient_clipping_global_norm,
    }
    return _cantik.learner('fsadagrad', parameters, rate, options)


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
    gradient_clipping_global_norm: float = np.inf,
) -> Learner:
    """Momentum: v = m v + (1 - m) g, w -= rate * v; without unit gain v = m v + g.

    A rate given as a number, or as a schedule without a minibatch size, is for the mean gradient of a
    minibatch, as in CNTK and in other toolkits; one of learning_parameter_schedule_per_sample is for the
    sum over its samples.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        momentum: the share of the smoothed gradient that stays, a number, a list or a schedule
        unit_gain (bool): the new gradient is scaled by 1 - momentum
        l1_regularization_weight (float): weight of |w|, a sample
        l2_regularization_weight (float): weight of |w|^2/2, a sample
        gaussian_noise_injection_std_dev: noise on the gradient, a number, a list or a schedule
        gradient_clipping_threshold_per_sample (float): how large a gradient may be
        gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
        use_mean_gradient (bool): gradients are averaged over the minibatch before anything else, and a
            rate is taken as it is
        minibatch_size (int): the size that rates without a size of their own are meant for; IGNORE (0)
            for any; at least 0
        gradient_clipping_global_norm (float): the most that the norm of all gradients together, means
            over the samples, may be; beyond it all are scaled alike, before the other ways of clipping;
            above 0
        epoch_size (int): of rates that are given as lists

    Returns:
        Learner

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.momentum_sgd([w], 0.1, 0.9)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.01, -0.02], dtype=float32)
    """
    rate = _rates.learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient)
    options = {
        'momentum': _rates.rate(momentum, minibatch_size, epoch_size, 'momentum'),
        'unit_gain': unit_gain,
        'l1_regularization_weight': l1_regularization_weight,
        'l2_regularization_weight': l2_regularization_weight,
        'gaussian_noise_injection_std_dev': gaussian_noise_injection_std_dev,
        'gradient_clipping_threshold_per_sample': gradient_clipping_threshold_per_sample,
        'gradient_clipping_with_truncation': gradient_clipping_with_truncation,
        'use_mean_gradient': use_mean_gradient,
        'minibatch_size': minibatch_size,
        'gradient_clipping_global_norm': gradient_clipping_global_norm,
    }
    return _cantik.learner('momentum_sgd', parameters, rate, options)


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
    gradient_clipping_global_norm: float = np.inf,
) -> Learner:
    """Nesterov's accelerated gradient: momentum, with a look ahead along it (Sutskever et al. 2013).

    A rate given as a number, or as a schedule without a minibatch size, is for the mean gradient of a
    minibatch, as in CNTK and in other toolkits; one of learning_parameter_schedule_per_sample is for the
    sum over its samples.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        momentum: the share of the smoothed gradient that stays, a number, a list or a schedule
        unit_gain (bool): the new gradient is scaled by 1 - momentum
        l1_regularization_weight (float): weight of |w|, a sample
        l2_regularization_weight (float): weight of |w|^2/2, a sample
        gaussian_noise_injection_std_dev: noise on the gradient, a number, a list or a schedule
        gradient_clipping_threshold_per_sample (float): how large a gradient may be
        gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
        use_mean_gradient (bool): gradients are averaged over the minibatch before anything else, and a
            rate is taken as it is
        minibatch_size (int): the size that rates without a size of their own are meant for; IGNORE (0)
            for any; at least 0
        gradient_clipping_global_norm (float): the most that the norm of all gradients together, means
            over the samples, may be; beyond it all are scaled alike, before the other ways of clipping;
            above 0
        epoch_size (int): of rates that are given as lists

    Returns:
        Learner

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.nesterov([w], 0.1, 0.9)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.019, -0.038], dtype=float32)
    """
    rate = _rates.learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient)
    options = {
        'momentum': _rates.rate(momentum, minibatch_size, epoch_size, 'momentum'),
        'unit_gain': unit_gain,
        'l1_regularization_weight': l1_regularization_weight,
        'l2_regularization_weight': l2_regularization_weight,
        'gaussian_noise_injection_std_dev': gaussian_noise_injection_std_dev,
        'gradient_clipping_threshold_per_sample': gradient_clipping_threshold_per_sample,
        'gradient_clipping_with_truncation': gradient_clipping_with_truncation,
        'use_mean_gradient': use_mean_gradient,
        'minibatch_size': minibatch_size,
        'gradient_clipping_global_norm': gradient_clipping_global_norm,
    }
    return _cantik.learner('nesterov', parameters, rate, options)


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
    gradient_clipping_global_norm: float = np.inf,
) -> Learner:
    """RMSProp, with factors for each element that grow while its gradient keeps its sign (Tieleman and Hinton
    2012).

    With need_ave_multiplier a rate is for the mean gradient of a minibatch. Without it the following
    holds. Steps of this learner do not grow with the gradient. As in CNTK, a rate given as a number, or as
    a schedule that is not for one sample, is divided by the number of samples of the minibatch: on 50
    samples a step is a fiftieth of what other toolkits do with the same rate. With use_mean_gradient=True
    a step is as large as the rate says, and so it is with learning_parameter_schedule_per_sample. Where
    use_mean_gradient is left open and the rate is divided, a UserWarning says so.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        gamma (float): how slowly the average of squares forgets; above 0 and below 1
        inc (float): by what a factor is multiplied while the sign stays; above 1
        dec (float): by what a factor is multiplied when the sign changes; above 0 and below 1
        max (float): the largest factor, above min
        min (float): the smallest factor; above 0
        need_ave_multiplier (bool): steps are scaled to the average of the factors
        l1_regularization_weight (float): weight of |w|, a sample
        l2_regularization_weight (float): weight of |w|^2/2, a sample
        gaussian_noise_injection_std_dev: noise on the gradient, a number, a list or a schedule
        gradient_clipping_threshold_per_sample (float): how large a gradient may be
        gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
        use_mean_gradient (bool): gradients are averaged over the minibatch before anything else, and a
            rate is taken as it is
        minibatch_size (int): the size that rates without a size of their own are meant for; IGNORE (0)
            for any; at least 0
        gradient_clipping_global_norm (float): the most that the norm of all gradients together, means
            over the samples, may be; beyond it all are scaled alike, before the other ways of clipping;
            above 0
        epoch_size (int): of rates that are given as lists

    Returns:
        Learner

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.rmsprop([w], 0.1, gamma=0.9, inc=1.2, dec=0.5, max=10, min=0.1)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1333, -0.1333], dtype=float32)
    """
    rate = _rates.scaled_rate(
        'rmsprop', need_ave_multiplier, lr, minibatch_size, epoch_size, use_mean_gradient
    )
    options = {
        'gamma': gamma,
        'inc': inc,
        'dec': dec,
        'max': max,
        'min': min,
        'need_ave_multiplier': need_ave_multiplier,
        'l1_regularization_weight': l1_regularization_weight,
        'l2_regularization_weight': l2_regularization_weight,
        'gaussian_noise_injection_std_dev': gaussian_noise_injection_std_dev,
        'gradient_clipping_threshold_per_sample': gradient_clipping_threshold_per_sample,
        'gradient_clipping_with_truncation': gradient_clipping_with_truncation,
        'use_mean_gradient': use_mean_gradient,
        'minibatch_size': minibatch_size,
        'gradient_clipping_global_norm': gradient_clipping_global_norm,
    }
    return _cantik.learner('rmsprop', parameters, rate, options)


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
    gradient_clipping_global_norm: float = np.inf,
) -> Learner:
    """Stochastic gradient descent: w -= rate * g.

    A rate given as a number, or as a schedule without a minibatch size, is for the mean gradient of a
    minibatch, as in CNTK and in other toolkits; one of learning_parameter_schedule_per_sample is for the
    sum over its samples.

    Args:
        parameters (list): what it changes
        lr: the rate, a number, a list or a schedule
        l1_regularization_weight (float): weight of |w|, a sample
        l2_regularization_weight (float): weight of |w|^2/2, a sample
        gaussian_noise_injection_std_dev: noise on the gradient, a number, a list or a schedule
        gradient_clipping_threshold_per_sample (float): how large a gradient may be
        gradient_clipping_with_truncation (bool): each element is cut; otherwise the norm is
        use_mean_gradient (bool): gradients are averaged over the minibatch before anything else, and a
            rate is taken as it is
        minibatch_size (int): the size that rates without a size of their own are meant for; IGNORE (0)
            for any; at least 0
        gradient_clipping_global_norm (float): the most that the norm of all gradients together, means
            over the samples, may be; beyond it all are scaled alike, before the other ways of clipping;
            above 0
        epoch_size (int): of rates that are given as lists

    Returns:
        Learner

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(2)
        >>> learner = C.sgd([w], 0.1)
        >>> learner.update({w: np.array([1, 2], np.float32)}, 1)
        True
        >>> w.value.round(4)
        array([-0.1, -0.2], dtype=float32)
    """
    rate = _rates.learning_rate(lr, minibatch_size, epoch_size, use_mean_gradient)
    options = {
        'l1_regularization_weight': l1_regularization_weight,
        'l2_regularization_weight': l2_regularization_weight,
        'gaussian_noise_injection_std_dev': gaussian_noise_injection_std_dev,
        'gradient_clipping_threshold_per_sample': gradient_clipping_threshold_per_sample,
        'gradient_clipping_with_truncation': gradient_clipping_with_truncation,
        'use_mean_gradient': use_mean_gradient,
        'minibatch_size': minibatch_size,
        'gradient_clipping_global_norm': gradient_clipping_global_norm,
    }
    return _cantik.learner('sgd', parameters, rate, options)
