"""Learners by name, with the rates that users of other toolkits know: gradients are means over the
minibatch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik, learners
from .._checks import number, refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._cantik import Learner

# The rate that a learner has where the user names none, and how it is made.
_NAMED = {
    'sgd': (0.01, lambda p, rate: learners.sgd(p, rate, use_mean_gradient=True)),
    'momentum_sgd': (
        0.01,
        lambda p, rate: learners.momentum_sgd(p, rate, 0.9, unit_gain=False, use_mean_gradient=True),
    ),
    'nesterov': (
        0.01,
        lambda p, rate: learners.nesterov(p, rate, 0.9, unit_gain=False, use_mean_gradient=True),
    ),
    # CNTK's Adam adds epsilon in another place; AdamW without decay is Adam as it was published.
    'adam': (0.001, lambda p, rate: learners.adamw(p, rate, weight_decay=0.0, use_mean_gradient=True)),
    'adamw': (0.001, lambda p, rate: learners.adamw(p, rate, use_mean_gradient=True)),
    # CNTK's RMSProp has a factor for each element, and scales steps to an average, as its AdaGrad does.
    'rmsprop': (
        0.01,
        lambda p, rate: learners.adamw(
            p, rate, 0.0, 0.99, weight_decay=0.0, correct_bias=False, use_mean_gradient=True
        ),
    ),
    'adagrad': (
        0.01,
        lambda p, rate: learners.adagrad(p, rate, need_ave_multiplier=False, use_mean_gradient=True),
    ),
}


def check_learner(given: Any, rate: Any) -> None:
    """Raises what can be said before there are parameters."""
    if isinstance(given, str) and given not in _NAMED:
        raise ValueError(
            f"there is no learner '{given}'\n"
            f'  remedy   {", ".join(_NAMED)}; or a function of the parameters: '
            'lambda parameters: cantik.adagrad(parameters, 0.01)'
        )
    if not isinstance(given, (str, _cantik.Learner)) and not callable(given):
        raise _refused(given)
    if rate is not None:
        rate_at(rate, 1)


def learner_of(given: Any, parameters: Sequence[Any], rate: Any) -> Learner:
    """The learner of a name, of a function of the parameters, or one that is made already."""
    if isinstance(given, str):
        usual, make = _NAMED[given]
        return make(parameters, rate_at(rate, 1) if rate is not None else usual)
    made = given if isinstance(given, _cantik.Learner) else _made(given, parameters)
    if rate is not None:
        made.reset_learning_rate(learners.learning_parameter_schedule(rate_at(rate, 1)))
    return made


def _made(given, parameters):
    made = given(parameters)
    if not isinstance(made, _cantik.Learner):
        raise _refused(given)
    return made


def _refused(given):
    return refused('learner', 'a name, a Learner, or a function that makes one', given)


def rate_at(rate: Any, epoch: int) -> float:
    """The rate of an epoch, counted from 1."""
    found = number(rate(epoch) if callable(rate) else rate, 'rate')
    if not 0 < found < float('inf'):
        raise ValueError(f'rate must be above 0 and finite, and is {found}')
    return found
