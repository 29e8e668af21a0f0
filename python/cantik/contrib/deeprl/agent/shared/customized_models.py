"""A network of a program's own, as a configuration names it.

Where those of `models` do not do, QRepresentation, PolicyRepresentation or ValueFunctionRepresentation name a
function as `module.function`. It takes shape_of_inputs, number_of_outputs, loss_function=None and
use_placeholder_for_input=False and returns a dictionary of `inputs`, `outputs`, `f` and `loss`. The program
imports the module before it makes the agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..... import ops
from .....layers import Convolution2D, Dense, Sequential
from .models import of_network

if TYPE_CHECKING:
    from collections.abc import Callable

    from .....ops.functions import Function
    from .....variables import Variable

__all__ = ['conv_dqn']


def conv_dqn(
    shape_of_inputs: tuple[int, ...],
    number_of_outputs: int,
    loss_function: Callable[..., Any] | None = None,
    use_placeholder_for_input: bool = False,
) -> dict[str, Variable | Function | Any]:
    """Three convolutions and two dense layers on (x - 128) / 256 (after Mnih et al. 2015, "Human-level
    control through deep reinforcement learning").

    Args:
        shape_of_inputs (tuple): [pictures, height, width], 36 pixels wide and high at least
        number_of_outputs (int): how many actions
        loss_function: of output and target; the squared error by default
        use_placeholder_for_input (bool): whether the input is a placeholder, to be replaced

    Returns:
        dict: `inputs`, `outputs` (the targets), `f` and `loss`

    Example:
        >>> conv_dqn((4, 84, 84), 3)['f'].shape
        (3,)
    """

    def convolution(size, filters, stride):
        return Convolution2D(size, filters, activation=ops.relu, strides=stride)

    network = Sequential(
        [
            convolution((8, 8), 32, 4),
            convolution((4, 4), 64, 2),
            convolution((3, 3), 64, 2),
            Dense(512, activation=ops.relu),
            Dense(number_of_outputs),
        ]
    )
    return of_network(
        lambda x: network((x - 128) / 256),
        shape_of_inputs,
        number_of_outputs,
        loss_function,
        use_placeholder_for_input,
    )
