"""Attention: where to look in another sequence. Written by tools/generate from src/layers: change those
files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...default_options import default_override_or
from ...initializer import glorot_uniform
from ...ops.functions import Function
from .._options import made

if TYPE_CHECKING:
    from ..._types import InitLike

__all__ = [
    'AttentionModel',
]


def AttentionModel(
    attention_dim: int,
    attention_span: int | None = None,
    attention_axis: int | None = None,
    init: InitLike = default_override_or(glorot_uniform()),
    go_backwards: bool = default_override_or(False),
    enable_self_stabilization: bool = default_override_or(True),
    name: str = '',
) -> Function:
    """Attention over the states of an encoder.

    For each step of the decoder with state d, over the steps s of the encoder with states e: u[s] = v ·
    tanh(e[s] · W + d · V), a = softmax(u), result = sum over s of a[s] e[s] (Bahdanau, Cho, Bengio 2015,
    "Neural machine translation by jointly learning to align and translate").

    Args:
        attention_dim (int): of the space in which the two are compared
        attention_span (int): only over the last so many steps; by default over all
        attention_axis (int): the static axis these steps lie on; given together with attention_span
        init: first values of the weights
        go_backwards (bool): with attention_span: over the first steps instead
        enable_self_stabilization (bool): learned factors before the products (Ghahremani and Droppo 2016)
        name (str): of the layer

    Returns:
        a function of the encoder's states and the decoder's, two sequences; one result for each step of
        the decoder

    Example:
        >>> import cantik as C
        >>> encoder = C.sequence.input_variable(4, sequence_axis=C.Axis('source'))
        >>> decoder = C.sequence.input_variable(6)
        >>> C.layers.AttentionModel(8)(encoder, decoder).shape
        (4,)
    """
    return made('attention_model', AttentionModel, locals())
