"""Learners of the user's own: written in Python, or as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import callable_object, listed
from ..core import NDArrayView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .._cantik import DeviceDescriptor
    from .._types import RateLike, ShapeLike
    from ..variables import Parameter


class GradientArray(np.ndarray):
    """A gradient as a NumPy array over the run's own memory, with the methods of an NDArrayView: programs
    written for CNTK use either."""

    is_sparse = False

    @property
    def device(self) -> DeviceDescriptor:
        """Where it lives."""
        return self.as_view().device

    @property
    def is_read_only(self) -> bool:
        """Whether its memory may not be written."""
        return not self.flags.writeable

    def asarray(self) -> np.ndarray:
        """The same memory as a plain array."""
        return self.view(np.ndarray)

    to_ndarray = asarray

    def as_view(self) -> NDArrayView:
        """The same memory as an NDArrayView."""
        return NDArrayView.from_dense(self.asarray(), borrow=True)

    def slice_view(
        self, start_offset: Sequence[int], extent: Sequence[int], read_only: bool = True
    ) -> NDArrayView:
        """A contiguous part of the same memory, as an NDArrayView."""
        return self.as_view().slice_view(start_offset, extent, read_only)

    def as_shape(self, new_shape: ShapeLike) -> NDArrayView:
        """The same memory under another shape, as an NDArrayView."""
        return self.as_view().as_shape(new_shape)

    def deep_clone(self, *args: Any, **kwargs: Any) -> NDArrayView:
        """A copy, as an NDArrayView."""
        return self.as_view().deep_clone(*args, **kwargs)


class Parameters(tuple):
    """Parameters of a learner for which CNTK has a method in this place: parameters() is parameters."""

    __slots__ = ()

    def __call__(self) -> Parameters:
        return self


class UserLearner(_cantik.UserLearner):
    """A learner written in Python: derive from it and give `update`. docs/learners.md shows how.

    A learner that remembers something overrides create_checkpoint and restore_from_checkpoint: checkpoints of
    the trainer call them.

    Args:
        parameters (list): what it changes
        lr_schedule: the rate, a number or a schedule; learning_rate() is its value now
        as_numpy (bool): gradients come as NumPy arrays, otherwise as NDArrayViews; neither is a copy

    Example:
        >>> import cantik as C, numpy as np
        >>> class Sgd(C.learners.UserLearner):
        ...     def update(self, gradient_values, training_sample_count, sweep_end):
        ...         for p, g in gradient_values.items():
        ...             w = np.asarray(p.data)  # the parameter's memory
        ...             w -= self.learning_rate() / training_sample_count * g
        ...         return True
        >>> x, w = C.input_variable(2), C.parameter(2, init=1)
        >>> trainer = C.Trainer(None, C.reduce_sum(x * w), [Sgd([w], C.learning_parameter_schedule(0.5))])
        >>> trainer.train_minibatch({x: np.array([[1, 2], [3, 4]], np.float32)})
        True
        >>> w.value
        array([ 0. , -0.5], dtype=float32)
    """

    def __init__(self, parameters: Sequence[Parameter], lr_schedule: RateLike, as_numpy: bool = True):
        super().__init__(listed(parameters, 'parameters'), lr_schedule, GradientArray if as_numpy else None)

    @property
    def parameters(self) -> Parameters:
        """The parameters that it changes, as a tuple; may be called as well."""
        return Parameters(super().parameters)

    def update(self, gradient_values: Mapping[Any, Any], training_sample_count: int, sweep_end: bool) -> bool:
        """Changes the parameters; called once for each minibatch.

        Args:
            gradient_values (dict): from parameters to their gradients, summed over the samples
            training_sample_count (int): how many samples
            sweep_end (bool): whether the minibatch ends a sweep over the data

        Returns:
            True, or False where nothing was updated and the training is to end
        """
        raise NotImplementedError(f'{type(self).__name__} has no method update')


def universal(update_func: Callable[..., Any], parameters: Sequence[Parameter]) -> _cantik.Learner:
    """A learner that is a graph: update_func(parameters, gradients) returns a function of assignments. It
    becomes a part of the training step.

    Args:
        update_func: called once with two tuples, of the parameters and of inputs for their gradients
        parameters (list): what it changes

    Example:
        >>> import cantik as C
        >>> w = C.parameter(2)
        >>> learner = C.universal(
        ...     lambda p, g: C.combine([C.assign(p, p - 0.1 * g) for p, g in zip(p, g)]), [w]
        ... )
    """
    return _cantik.universal(callable_object(update_func, 'update_func'), parameters)
