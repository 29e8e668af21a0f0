"""Blocks: small layers, and the steps of recurrences."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from .. import _cantik
from .._checks import refused
from ..default_options import default_override_or
from ..initializer import glorot_uniform
from ..ops import placeholder, sigmoid, tanh
from ..ops.functions import Function
from ._options import chosen, dtype

if TYPE_CHECKING:
    from .._types import ActivationLike, InitLike, ShapeLike, VariableLike
    from ..variables import Variable

__all__ = [
    'UntestedBranchError',
    'ForwardDeclaration',
    'identity',
    'Stabilizer',
    'LSTM',
    'RNNStep',
    'RNNUnit',
    'GRU',
]


def UntestedBranchError(name: str) -> NotImplementedError:
    """The error of a combination of options that nobody has tried."""
    return NotImplementedError(f'Untested code branch: {name}')


def ForwardDeclaration(name: str = 'forward_declaration') -> Variable:
    """A placeholder for a value that is defined later; resolve_to binds it, which makes a recurrence.

    Args:
        name (str): of the placeholder

    Example:
        >>> import cantik as C
        >>> C.layers.ForwardDeclaration('f').name
        'f'
    """
    declared = placeholder(name=name)

    def resolve_to(value):
        network = _cantik.as_composite(value)
        network.replace_placeholders({declared: network.output})

    declared.resolve_to = resolve_to
    return declared


@Function
def identity(keep: VariableLike) -> VariableLike:  # a name for type checkers alone: its type stays open
    """y = x."""
    return keep


def Stabilizer(
    steepness: float = 4, enable_self_stabilization: bool = default_override_or(True), name: str = ''
) -> Function:
    """Multiplies with a learned positive factor that begins as 1 (Ghahremani and Droppo 2016).

    Args:
        steepness (int): how fast the factor follows its parameter
        enable_self_stabilization (bool): False makes it the identity
        name (str): of the layer

    Returns:
        a function of one argument with the parameter alpha

    Example:
        >>> import cantik as C
        >>> C.layers.Stabilizer()(C.input_variable(3)).shape
        (3,)
    """
    (enabled,) = chosen(Stabilizer, enable_self_stabilization=enable_self_stabilization)
    if not enabled:
        return identity
    return _cantik.layers.stabilizer(steepness, dtype(), name)


def _width(layer, shape, what):
    if isinstance(shape, (tuple, list)):
        if len(shape) != 1:
            raise ValueError(f'{layer}: {what} must be a vector of one dimension, not {tuple(shape)}')
        (shape,) = shape
        if shape is None:
            raise refused(what, 'a number', shape)
    return shape


def _cell(layer, make, shape, cell_shape, use_peepholes, name, **options):
    activation, init, init_bias, stabilize = chosen(layer, **options)
    cell_shape = None if cell_shape is None else _width(layer.__name__, cell_shape, 'cell_shape')
    return make(
        _width(layer.__name__, shape, 'shape'),
        cell_shape,
        activation,
        use_peepholes,
        init,
        init_bias,
        bool(stabilize),
        dtype(),
        name,
    )


def LSTM(
    shape: ShapeLike,
    cell_shape: ShapeLike | None = None,
    activation: ActivationLike = default_override_or(tanh),
    use_peepholes: bool = default_override_or(False),
    init: InitLike = default_override_or(glorot_uniform()),
    init_bias: InitLike = default_override_or(0),
    enable_self_stabilization: bool = default_override_or(False),
    name: str = '',
) -> Function:
    """The step of an LSTM, for Recurrence, Fold and their like.

    With i, g, f, o = the four parts of x · W + h · H + b: c' = sigmoid(f) c + sigmoid(i) activation(g) and
    h' = sigmoid(o) activation(c') (Hochreiter and Schmidhuber 1997, "Long short-term memory"; the forget
    gate: Gers, Schmidhuber, Cummins 2000).

    Args:
        shape (int): of the result
        cell_shape (int): of the cell, where the result is a projection of it (Sak, Senior, Beaufays 2014)
        activation: a function, a layer, or the name of an operator
        use_peepholes (bool): the gates see the cell, with a weight for each element
        init: first values of the weights
        init_bias: first values of b
        enable_self_stabilization (bool): learned factors before the products (Ghahremani and Droppo 2016)
        name (str): of the layer

    Returns:
        a function of h, c and x with the results h and c and the parameters b, W : [input, 4 cell], H :
        [shape, 4 cell], with peepholes Ci, Cf, Co : [cell], with a projection P : [cell, shape]

    Example:
        >>> import cantik as C
        >>> z = C.layers.Recurrence(C.layers.LSTM(5))(C.sequence.input_variable(3))
        >>> z.W.shape, z.H.shape, z.b.shape
        ((3, 20), (5, 20), (20,))
    """
    (use_peepholes,) = chosen(LSTM, use_peepholes=use_peepholes)
    return _cell(
        LSTM,
        _cantik.layers.lstm,
        shape,
        cell_shape,
        bool(use_peepholes),
        name,
        activation=activation,
        init=init,
        init_bias=init_bias,
        enable_self_stabilization=enable_self_stabilization,
    )


def RNNStep(
    shape: ShapeLike,
    cell_shape: ShapeLike | None = None,
    activation: ActivationLike = default_override_or(sigmoid),
    init: InitLike = default_override_or(glorot_uniform()),
    init_bias: InitLike = default_override_or(0),
    enable_self_stabilization: bool = default_override_or(False),
    name: str = '',
) -> Function:
    """The step of a plain recurrence, for Recurrence, Fold and their like.

    h' = activation(x · W + h · H + b) (Elman 1990, "Finding structure in time").

    Args:
        shape (int): of the result
        cell_shape (int): of the state, where the result is a projection of it
        activation: a function, a layer, or the name of an operator
        init: first values of the weights
        init_bias: first values of b
        enable_self_stabilization (bool): learned factors before the products (Ghahremani and Droppo 2016)
        name (str): of the layer

    Returns:
        a function of h and x with the parameters W : [input, cell], H : [shape, cell], b : [cell], with a
        projection P : [cell, shape]

    Example:
        >>> import cantik as C
        >>> z = C.layers.Recurrence(C.layers.RNNStep(5, activation=C.tanh))(C.sequence.input_variable(3))
        >>> z.W.shape, z.H.shape, z.b.shape
        ((3, 5), (5, 5), (5,))
    """
    return _cell(
        RNNStep,
        _cantik.layers.rnn_step,
        shape,
        cell_shape,
        False,
        name,
        activation=activation,
        init=init,
        init_bias=init_bias,
        enable_self_stabilization=enable_self_stabilization,
    )


def RNNUnit(
    shape: ShapeLike,
    cell_shape: ShapeLike | None = None,
    activation: ActivationLike = default_override_or(sigmoid),
    init: InitLike = default_override_or(glorot_uniform()),
    init_bias: InitLike = default_override_or(0),
    enable_self_stabilization: bool = default_override_or(False),
    name: str = '',
) -> Function:
    """The old name of RNNStep.

    Example:
        >>> import cantik as C
        >>> C.layers.Recurrence(C.layers.RNNUnit(5))(C.sequence.input_variable(3)).shape
        (5,)
    """
    warnings.warn('RNNUnit is called RNNStep now', DeprecationWarning, stacklevel=2)
    return RNNStep(shape, cell_shape, activation, init, init_bias, enable_self_stabilization, name)


def GRU(
    shape: ShapeLike,
    cell_shape: ShapeLike | None = None,
    activation: ActivationLike = default_override_or(tanh),
    init: InitLike = default_override_or(glorot_uniform()),
    init_bias: InitLike = default_override_or(0),
    enable_self_stabilization: bool = default_override_or(False),
    name: str = '',
) -> Function:
    """The step of a GRU, for Recurrence, Fold and their like.

    With update gate z and reset gate r = sigmoid of two parts of x · W + b plus two of h · H:
    h' = (1 - z) activation(x · W + b + (r h) · H1) + z h, with the third part of x · W + b (Cho et al. 2014,
    "Learning phrase representations using RNN encoder-decoder for statistical machine translation").

    Args:
        shape (int): of the result
        cell_shape (int): of the state, where the result is a projection of it
        activation: a function, a layer, or the name of an operator
        init: first values of the weights
        init_bias: first values of b
        enable_self_stabilization (bool): learned factors before the products (Ghahremani and Droppo 2016)
        name (str): of the layer

    Returns:
        a function of h and x with the parameters b, W : [input, 3 cell], H : [shape, 2 cell], H1 : [shape,
        cell], with a projection P : [cell, shape]

    Example:
        >>> import cantik as C
        >>> z = C.layers.Recurrence(C.layers.GRU(5))(C.sequence.input_variable(3))
        >>> z.W.shape, z.H.shape, z.H1.shape
        ((3, 15), (5, 10), (5, 5))
    """
    return _cell(
        GRU,
        _cantik.layers.gru,
        shape,
        cell_shape,
        False,
        name,
        activation=activation,
        init=init,
        init_bias=init_bias,
        enable_self_stabilization=enable_self_stabilization,
    )
