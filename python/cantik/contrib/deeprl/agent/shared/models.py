"""Networks for values of actions, or for logarithms of their probabilities."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import ops
from .....layers import Dense, Sequential
from .....losses import squared_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from .....ops.functions import Function
    from .....variables import Variable

__all__ = ['Models', 'of_network']


def of_network(
    network: Function,
    shape_of_inputs: tuple[int, ...],
    number_of_outputs: int,
    loss_function: Callable[..., Any] | None = None,
    use_placeholder_for_input: bool = False,
) -> dict[str, Variable | Any | Function]:
    """What an agent takes for a model: a dictionary of a network with its inputs and its loss.

    Args:
        network: a function of one argument
        shape_of_inputs (tuple): of an observation
        number_of_outputs (int): how many numbers the network gives, which the targets have too
        loss_function: of the network's output and the targets; the squared error by default
        use_placeholder_for_input (bool): whether the input is a placeholder

    Returns:
        dict: `inputs`, `outputs` (the targets), `f` and `loss`
    """
    inputs = (ops.placeholder if use_placeholder_for_input else ops.input_variable)(shape=shape_of_inputs)
    outputs = ops.input_variable(number_of_outputs, np.float32)
    f = network(inputs)
    loss = (loss_function or squared_error)(f, outputs)
    return {'inputs': inputs, 'outputs': outputs, 'f': f, 'loss': loss}


def _hidden(sizes):
    return [Dense(n, activation=ops.relu) for n in sizes]


def _structure(text):
    """A list of a configuration: whole numbers, None (nothing) and lists of such."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = None
    if not isinstance(value, list):
        raise ValueError(f'the layers of a network are a list of numbers like "[20, 10]", not {text!r}')
    return value


def _sizes(values, text):
    sizes = [n for n in values if n is not None]
    if not all(isinstance(n, int) and n > 0 for n in sizes):
        raise ValueError(f'the sizes of layers are whole numbers above 0, got {text!r}')
    return sizes


class Models:
    """The networks that configurations of agents name.

    Example:
        >>> model = Models.feedforward_network((3,), 2, '[10]')
        >>> model['f'].shape, sorted(model)
        ((2,), ['f', 'inputs', 'loss', 'outputs'])
    """

    @staticmethod
    def feedforward_network(
        shape_of_inputs: tuple[int, ...],
        number_of_outputs: int,
        model_hidden_layers: str,
        loss_function: Callable[..., Any] | None = None,
        use_placeholder_for_input: bool = False,
    ) -> dict[str, Variable | Function | Any]:
        """Dense layers with relu, and one without an activation.

        Args:
            shape_of_inputs (tuple): of an observation
            number_of_outputs (int): how many actions
            model_hidden_layers (str): a list of the sizes of hidden layers, such as '[20, 10]'
            loss_function: of output and target; the squared error by default
            use_placeholder_for_input (bool): whether the input is a placeholder, to be replaced

        Returns:
            dict: `inputs`, `outputs` (the targets), `f` and `loss`
        """
        sizes = _sizes(_structure(model_hidden_layers), model_hidden_layers)
        network = Sequential(_hidden(sizes) + [Dense(number_of_outputs)])
        return of_network(
            network, shape_of_inputs, number_of_outputs, loss_function, use_placeholder_for_input
        )

    @staticmethod
    def dueling_network(
        shape_of_inputs: tuple[int, ...],
        number_of_outputs: int,
        model_hidden_layers: str,
        loss_function: Callable[..., Any] | None = None,
        use_placeholder_for_input: bool = False,
    ) -> dict[str, Variable | Function | Any]:
        """Q = V + A - mean(A), with layers that V and A share and layers of their own (Wang et al. 2015,
        "Dueling network architectures for deep reinforcement learning").

        Args:
            shape_of_inputs (tuple): of an observation
            number_of_outputs (int): how many actions
            model_hidden_layers (str): sizes of shared layers, then a list of those of V and one of those of
            A,
              such as '[20, [10], [10, 10]]'; None stands for no layer
            loss_function: of output and target; the squared error by default
            use_placeholder_for_input (bool): whether the input is a placeholder, to be replaced

        Returns:
            dict: `inputs`, `outputs` (the targets), `f` and `loss`
        """
        shared, value, advantage = Models._parse_dueling_network_structure(model_hidden_layers)

        def network(x):
            common = Sequential(_hidden(shared))(x) if shared else x
            v = Sequential(_hidden(value) + [Dense(1)])(common)
            a = Sequential(_hidden(advantage) + [Dense(number_of_outputs)])(common)
            return v + a - ops.reduce_mean(a, axis=0)

        return of_network(
            network, shape_of_inputs, number_of_outputs, loss_function, use_placeholder_for_input
        )

    @staticmethod
    def _parse_dueling_network_structure(hidden_layers_str):
        """The sizes of the layers that are shared, of V's and of A's."""
        parts = _structure(hidden_layers_str)
        if len(parts) < 2 or [isinstance(p, list) for p in parts] != [False] * (len(parts) - 2) + [True] * 2:
            raise ValueError(
                'a dueling network is told by sizes of shared layers and two lists of sizes, such as '
                f'"[20, [10], [10, 10]]", not by {hidden_layers_str!r}'
            )
        return tuple(_sizes(p, hidden_layers_str) for p in (parts[:-2], *parts[-2:]))
