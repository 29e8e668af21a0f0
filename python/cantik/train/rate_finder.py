"""Which learning rate to take: a short training whose rate grows shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import number, refused, whole
from ..plots import plot_training
from .trainer import Trainer
from .training_session import minibatch_size_schedule, reading, source_of

if TYPE_CHECKING:
    from .._types import PathLike
    from ..plots import Curves

__all__ = ['RateCurve', 'find_learning_rate']


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


def find_learning_rate(
    trainer: Trainer,
    minibatch_source: Any,
    minibatch_size: Any = 32,
    model_inputs_to_streams: Any = None,
    start: float = 1e-6,
    stop: float = 1.0,
    minibatches: int = 100,
    smoothing: float = 0.9,
    stop_at: float = 4.0,
) -> RateCurve:
    """Trains with rates that grow from minibatch to minibatch, and puts trainer and source back to where they
    were. (Smith 2017, Cyclical learning rates for training neural networks.)

    Args:
        trainer (Trainer): all its learners get the same rate
        minibatch_source: a source, or a tuple of arrays in the order of the loss's arguments
        minibatch_size: a number or a schedule
        model_inputs_to_streams (dict): which input gets which stream of a source
        start, stop (float): the first and the last rate
        minibatches (int): on how many the rate grows, each time by the same factor
        smoothing (float): the weight of earlier losses in a loss of the curve
        stop_at (float): ends where a loss is so many times the smallest one

    Returns:
        RateCurve

    Raises:
        ValueError: rates that do not rise, or fewer than two minibatches with finite losses

    Example:
        >>> import cantik as C, numpy as np
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> z = C.layers.Dense(1)(x)
        >>> data = np.ones((100, 2), np.float32), np.ones((100, 1), np.float32)
        >>> trainer = C.Trainer(z, C.squared_error(z, y), [C.sgd(z.parameters, 1.0)])
        >>> curve = C.train.find_learning_rate(trainer, data, minibatch_size=10, stop=0.1)
        >>> 1e-6 < curve.suggestion <= 0.1
        True
    """
    if not isinstance(trainer, Trainer):
        raise refused('trainer', 'a Trainer', trainer)
    parts = [trainer.loss_function, trainer.evaluation_function]
    arguments = list(_cantik.combine([part for part in parts if part is not None]).arguments)
    source = source_of(minibatch_source, arguments, model_inputs_to_streams, ahead=False)
    with reading(source):
        found = _cantik.find_learning_rate(
            trainer,
            source,
            number(start, 'start'),
            number(stop, 'stop'),
            whole(minibatches, 'minibatches', 2),
            minibatch_size_schedule(minibatch_size),
            number(smoothing, 'smoothing'),
            number(stop_at, 'stop_at'),
        )
    return RateCurve(*found)
