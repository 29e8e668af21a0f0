"""What programs that write calls of learners of their own take from CNTK's learners, under its names."""

from .._cantik import ArgumentError, TrainingParameterSchedule
from .._checks import shown
from . import _rates


def _infer_ref_minibatch_size_from_legacy_use_mean_gradient(ref_minibatch_size, use_mean_gradient):
    """The size of minibatch that rates are meant for: IGNORE where only use_mean_gradient is given."""
    return _rates.IGNORE if ref_minibatch_size is None and use_mean_gradient else ref_minibatch_size


def _infer_learning_parameter_schedule(
    number_or_schedule, ref_minibatch_size, epoch_size, use_mean_gradient=None
):
    """The schedule that a number, a list or a schedule stands for."""
    return _rates.learning_rate(number_or_schedule, ref_minibatch_size, epoch_size, use_mean_gradient)


def _infer_learning_rate_schedule_and_ref_minibatch_size(
    use_mean_gradient, ref_minibatch_size, schedule, epoch_size
):
    """The schedule of a learner's rate, and the size of minibatch that it is meant for."""
    rate = _infer_learning_parameter_schedule(schedule, ref_minibatch_size, epoch_size, use_mean_gradient)
    return rate, _infer_ref_minibatch_size_from_legacy_use_mean_gradient(
        ref_minibatch_size, use_mean_gradient
    )


def _verify_learning_rate_type(learning_rate):
    _verify_schedule(learning_rate, 'learning_rate')


def _verify_momentum_type(momentum):
    _verify_schedule(momentum, 'momentum')


def _verify_schedule(value, what):
    if not isinstance(value, TrainingParameterSchedule):
        raise ArgumentError(f'{what} must be a training schedule, not {shown(value)}')
