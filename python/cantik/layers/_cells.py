"""Small layers, and the steps of recurrences. Written by tools/generate from src/layers: change those
files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..default_options import default_override_or
from ..initializer import glorot_uniform
from ..ops.functions import Function
from ..ops import sigmoid
from ..ops import tanh
from ._options import made

if TYPE_CHECKING:
    from .._types import ActivationLike, InitLike, ShapeLike

__all__ = [
    'GRU',
    'LSTM',
    'RNNStep',
    'Stabilizer',
]


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

    With update gate z and reset gate r = sigmoid of two parts of x · W + b plus two of h · H: h' = (1 - z)
    activation(x · W + b + (r h) · H1) + z h, with the third part of x · W + b (Cho et al. 2014, "Learning
    phrase representations using RNN encoder-decoder for statistical machine translation").

    Args:
        shape (int or tuple): of the result
        cell_shape (int or tuple): of the state, where the result is a projection of it
        activation: a function, a layer, or the name of an operator
        init: first values of the weights
        init_bias: first values of b
        enable_self_stabilization (bool): learned factors before the products (Ghahremani and Droppo 2016)
        name (str): of the layer

    Returns:
        a function of h and x with the parameters b, W : [input, 3 cell], H : [shape, 2 cell], H1 :
        [shape, cell], with a projection P : [cell, shape]

    Example:
        >>> import cantik as C
        >>> z = C.layers.Recurrence(C.layers.GRU(5))(C.sequence.input_variable(3))
        >>> z.W.shape, z.H.shape, z.H1.shape
        ((3, 15), (5, 10), (5, 5))
    """
    return made('gru', GRU, locals())


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
        shape (int or tuple): of the result
        cell_shape (int or tuple): of the cell, where the result is a projection of it (Sak, Senior,
            Beaufays 2014)
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
    return made('lstm', LSTM, locals())


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
        shape (int or tuple): of the result
        cell_shape (int or tuple): of the state, where the result is a projection of it
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
    return made('rnn_step', RNNStep, locals())


def Stabilizer(
    steepness: float = 4, enable_self_stabilization: bool = default_override_or(True), name: str = ''
) -> Function:
    """Multiplies with a learned positive factor that begins as 1 (Ghahremani and Droppo 2016).

    y = x · softplus(alpha · steepness) / steepness.

    Args:
        steepness (float): how fast the factor follows its parameter
        enable_self_stabilization (bool): False makes it the identity
        name (str): of the layer

    Returns:
        a function of one argument with the parameter alpha

    Example:
        >>> import cantik as C
        >>> C.layers.Stabilizer()(C.input_variable(3)).shape
        (3,)
    """
    return made('stabilizer', Stabilizer, locals())
