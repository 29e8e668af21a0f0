"""The trainer: a model, a loss, learners; a minibatch at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from ..ops._node_times import print_node_timing
from ..ops._user_records import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._cantik import DeviceDescriptor, Learner
    from .._types import PathLike
    from ..ops.functions import Function
    from ..variables import Variable

__all__ = ['Trainer']


def criterion_of(criterion: Any) -> tuple[Any, Any] | tuple[Variable, Variable] | tuple[Any | Variable, None]:
    """Loss and metric (or None) of what users give as a criterion: a variable, a pair, or a function of one
    or two outputs."""
    if isinstance(criterion, (tuple, list)):
        parts = tuple(criterion)
    elif isinstance(criterion, _cantik.Function):
        parts = tuple(criterion.outputs)
    elif criterion is None:
        raise TypeError('the criterion must be a function or a pair of loss and metric, not None')
    else:
        parts = (criterion,)
    if len(parts) not in (1, 2):
        raise ValueError('criterion parameter must be a singleton or a tuple of 2 elements')
    return parts if len(parts) == 2 else (parts[0], None)


class Trainer(_cantik.Trainer):
    """Trains a model: forward, backward and update for each minibatch that it is given.

    Losses are summed over the samples of a minibatch and over their elements; reported averages divide by the
    number of samples.

    Args:
        model (Function): the network; None if only the criterion matters
        criterion: the loss; a pair of loss and metric; or a function with one or two outputs
        parameter_learners (Learner or list): what updates the parameters
        progress_writers (list): what is told of the progress

    Example:
        >>> import cantik as C, numpy as np
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> z = C.layers.Dense(1)(x)
        >>> trainer = C.Trainer(z, C.squared_error(z, y), [C.sgd(z.parameters, 0.1)])
        >>> trainer.train_minibatch({x: np.ones((4, 2), np.float32), y: np.ones((4, 1), np.float32)})
        True
    """

    def __init__(
        self,
        model: Function | None,
        criterion: Any,
        parameter_learners: Sequence[Learner] | Learner,
        progress_writers: Any = None,
    ):
        loss, metric = criterion_of(criterion)
        super().__init__(model, loss, metric, parameter_learners, progress_writers)

    def restore_from_checkpoint(self, filename: PathLike) -> dict[str, Any]:
        """Goes on where save_checkpoint was called.

        Args:
            filename (str): the file

        Returns:
            the external state that was saved with it, with NumPy's arrays in it
        """
        state = plain(super().restore_from_checkpoint(filename))
        # What a session keeps for itself is no affair of whoever reads its checkpoint.
        return {key: value for key, value in state.items() if not key.startswith('cantik.')}

    def train_minibatch_overload_for_minibatchdata(self, arguments: Any, *options: Any) -> Any:
        """One step on a minibatch of a source; train_minibatch is the shorter way.

        Args:
            arguments (dict): from inputs to MinibatchData
            options: a device; or a dictionary whose keys are the outputs that are wanted, and a device. Its
              values are replaced by Values.

        Returns:
            False where the learners updated nothing
        """
        if not options or not isinstance(options[0], dict):
            return self.train_minibatch(arguments, device=options[0] if options else None)
        if not options[0]:
            return self.train_minibatch(arguments, None, *options[1:])
        trained, values = self.train_minibatch(arguments, list(options[0]), *options[1:])
        options[0].update(values)
        return trained

    def test_minibatch_overload_for_minibatchdata(
        self, arguments: Any, computation_device: DeviceDescriptor | None = None
    ) -> float:
        """The average of the metric over a minibatch of a source; test_minibatch is the shorter way.

        Args:
            arguments (dict): from inputs to MinibatchData
            computation_device: where to run
        """
        return self.test_minibatch(arguments, computation_device)

    def print_node_timing(self) -> None:
        """Prints the average time of each function since `debugging.set_node_timing(True)`; `with
        cantik.profile()` shows more."""
        print_node_timing(self.model, self.loss_function, self.evaluation_function)
