"""The curve of losses by rates, from which find_learning_rate suggests one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import refused
from ..plots import plot_training
from ._configs import minibatch_size_schedule
from ._sources import Reading, feed_of
from .trainer import Trainer

if TYPE_CHECKING:
    from .._types import PathLike
    from ..plots import Curves


class RateCurve:
    """Losses by rates; a notebook shows the curve.

    Args:
        rates (list): which rise
        losses (list): smoothed, one for each rate
        suggestion (float): the rate where the loss falls steepest

    Example:
        >>> import cantik as C
        >>> C.train.RateCurve([0.001, 0.01, 0.1], [3.0, 2.5, 1.0], 0.1)
        3 rates from 0.001 to 0.1, suggestion 0.1
    """

    def __init__(self, rates: list[float], losses: list[float], suggestion: float):
        self.rates, self.losses, self.suggestion = rates, losses, suggestion

    def __repr__(self):
        between = f'{self.rates[0]:.3g} to {self.rates[-1]:.3g}'
        return f'{len(self.rates)} rates from {between}, suggestion {self.suggestion:.3g}'

    def plot(self, filename: PathLike | None = None) -> Curves:
        """Draws the losses, step by step.

        Args:
            filename (str): an SVG or PNG file; None for a picture that notebooks show
        """
        return plot_training({'loss': self.losses}, filename)

    def _repr_svg_(self):
        return self.plot().svg()


def curve_of(
    trainer: Trainer, minibatch_source: Any, model_inputs_to_streams: Any, options: dict[str, Any]
) -> RateCurve:
    """See find_learning_rate."""
    if not isinstance(trainer, Trainer):
        raise refused('trainer', 'a Trainer', trainer)
    parts = [trainer.loss_function, trainer.evaluation_function]
    arguments = list(_cantik.combine([part for part in parts if part is not None]).arguments)
    feed = feed_of(minibatch_source, arguments, model_inputs_to_streams, ahead=False)
    options['minibatch_size'] = minibatch_size_schedule(options['minibatch_size'])
    with Reading(feed):
        return RateCurve(*_cantik.find_learning_rate(trainer, feed, options))
