"""Learners as CNTK's binding makes them: rates are schedules, further options stand in one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._cantik import Learner, TrainingParameterSchedule
from .._checks import refused, shown, whole
from . import _generated
from ._writing import _verify_learning_rate_type, _verify_momentum_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..variables import Parameter

__all__ = [
    'AdditionalLearningOptions',
    'SizeTWrapper',
    'ada_delta_learner',
    'ada_grad_learner',
    'adam_learner',
    'fsada_grad_learner',
    'momentum_sgd_learner',
    'nesterov_learner',
    'rmsprop_learner',
    'sgd_learner',
]


class SizeTWrapper:
    """A whole number where a dictionary of options asks for one."""

    def __init__(self, value: int):
        self.value = whole(value, 'value', 0)


class AdditionalLearningOptions:
    """Options that all learners have; `dict_options` has further ones by name: Learner._MINIBATCH_SIZE, the
    size that rates are meant for.

    Example:
        >>> import cantik as C
        >>> options = C.cntk_py.AdditionalLearningOptions()
        >>> options.l2_regularization_weight = 0.1
        >>> options.gradient_clipping_threshold_per_sample
        inf
    """

    def __init__(self):
        self.l1_regularization_weight = 0.0
        self.l2_regularization_weight = 0.0
        self.gaussian_noise_injection_std_dev = TrainingParameterSchedule(0.0)
        self.gradient_clipping_threshold_per_sample = np.inf
        self.gradient_clipping_with_truncation = True
        self.dict_options: dict[str, Any] = {}


def _given(options):
    """The keywords of learners that options stand for."""
    if options is None:
        return {'use_mean_gradient': False}
    if not isinstance(options, AdditionalLearningOptions):
        raise refused('additional_options', 'AdditionalLearningOptions', options)
    keywords = dict(vars(options))
    further = dict(keywords.pop('dict_options'))
    size = further.pop(Learner._MINIBATCH_SIZE, None)
    if further:
        raise ValueError(f'learners have no option {shown(next(iter(further)))} in dict_options')
    keywords['minibatch_size'] = getattr(size, 'value', size)
    return {**keywords, 'use_mean_gradient': False}


def sgd_learner(
    parameters: Sequence[Parameter],
    learning_rate: TrainingParameterSchedule,
    additional_options: AdditionalLearningOptions | None = None,
) -> Learner:
    """See cantik.sgd.

    Example:
        >>> import cantik as C
        >>> C.cntk_py.sgd_learner([C.parameter(2)], C.learning_parameter_schedule(0.1)).learning_rate()
        0.1
    """
    _verify_learning_rate_type(learning_rate)
    return _generated.sgd(parameters, learning_rate, **_given(additional_options))


def momentum_sgd_learner(
    parameters: Sequence[Parameter],
    learning_rate: TrainingParameterSchedule,
    momentum: TrainingParameterSchedule,
    unit_gain: bool | None = None,
    additional_options: AdditionalLearningOptions | None = None,
) -> Learner:
    """See cantik.momentum_sgd."""
    _verify_learning_rate_type(learning_rate)
    _verify_momentum_type(momentum)
    return _generated.momentum_sgd(
        parameters, learning_rate, momentum=momentum, unit_gain=unit_gain, **_given(additional_options)
    )


def nesterov_learner(
    parameters: Sequence[Parameter],
    learning_rate: TrainingParameterSchedule,
    momentum: TrainingParameterSchedule,
    unit_gain: bool | None = None,
    additional_options: AdditionalLearningOptions | None = None,
) -> Learner:
    """See cantik.nesterov."""
    _verify_learning_rate_type(learning_rate)
    _verify_momentum_type(momentum)
    return _generated.nesterov(
        parameters, learning_rate, momentum=momentum, unit_gain=unit_gain, **_given(additional_options)
    )


def ada_delta_learner(
    parameters: Sequence[Parameter],
    learning_rate: TrainingParameterSchedule,
    rho: float = 0.95,
    epsilon: float = 1e-8,
    additional_options: AdditionalLearningOptions | None = None,
) -> Learner:
    """See cantik.adadelta."""
    _verify_learning_rate_type(learning_rate)
    return _generated.adadelta(
        parameters, learning_rate, rho=rho, epsilon=epsilon, **_given(additional_options)
    )


def ada_grad_learner(
    parameters: Sequence[Parameter],
    learning_rate: TrainingParameterSchedule,
    need_ave_multiplier: bool = True,
    additional_options: AdditionalLearningOptions | None = None,
) -> Learner:
    """See cantik.adagrad."""
    _verify_learning_rate_type(learning_rate)
    return _generated.adagrad(
        parameters, learning_rate, need_ave_multiplier=need_ave_multiplier, **_given(additional_options)
    )


def fsada_grad_learner(
    parameters: Sequence[Parameter],
    learning_rate: TrainingParameterSchedule,
    momentum: TrainingParameterSchedule,
    unit_gain: bool | None = None,
    variance_momentum: TrainingParameterSchedule | None = None,
    additional_options: AdditionalLearningOptions | None = None,
) -> Learner:
    """See cantik.fsadagrad."""
    _verify_learning_rate_type(learning_rate)
    _verify_momentum_type(momentum)
    return _generated.fsadagrad(
        parameters,
        learning_rate,
        momentum=momentum,
        unit_gain=unit_gain,
        variance_momentum=variance_momentum,
        **_given(additional_options),
    )


def adam_learner(
    parameters: Sequence[Parameter],
    learning_rate: TrainingParameterSchedule,
    momentum: TrainingParameterSchedule,
    unit_gain: bool | None = None,
    variance_momentum: TrainingParameterSchedule | None = None,
    epsilon: float = 1e-8,
    adamax: bool = False,
    additional_options: AdditionalLearningOptions | None = None,
) -> Learner:
    """See cantik.adam."""
    _verify_learning_rate_type(learning_rate)
    _verify_momentum_type(momentum)
    return _generated.adam(
        parameters,
        learning_rate,
        momentum=momentum,
        unit_gain=unit_gain,
        variance_momentum=variance_momentum,
        epsilon=epsilon,
        adamax=adamax,
        **_given(additional_options),
    )


def rmsprop_learner(
    parameters: Sequence[Parameter],
    learning_rate: TrainingParameterSchedule,
    gamma: float,
    inc: float,
    dec: float,
    max: float,
    min: float,
    need_ave_multiplier: bool = True,
    additional_options: AdditionalLearningOptions | None = None,
) -> Learner:
    """See cantik.rmsprop."""
    _verify_learning_rate_type(learning_rate)
    return _generated.rmsprop(
        parameters,
        learning_rate,
        gamma=gamma,
        inc=inc,
        dec=dec,
        max=max,
        min=min,
        need_ave_multiplier=need_ave_multiplier,
        **_given(additional_options),
    )
