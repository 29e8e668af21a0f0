"""Attention: where to look in another sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import _cantik
from ...default_options import default_override_or
from ...initializer import glorot_uniform
from ...ops.functions import Function
from .._options import chosen, dtype, named

if TYPE_CHECKING:
    from ..._types import InitLike

__all__ = ['AttentionModel']


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
        enable_self_stabilization (bool): learned factors before the products
        name (str): of the result

    Returns:
        a function of the encoder's states and the decoder's, two sequences; one result for each step of the
        decoder

    Example:
        >>> import cantik as C
        >>> encoder = C.sequence.input_variable(4, sequence_axis=C.Axis('source'))
        >>> decoder = C.sequence.input_variable(6)
        >>> C.layers.AttentionModel(8)(encoder, decoder).shape
        (4,)
    """
    init, go_backwards, enable_self_stabilization = chosen(
        AttentionModel,
        init=init,
        go_backwards=go_backwards,
        enable_self_stabilization=enable_self_stabilization,
    )
    return _cantik.layers.attention_model(
        attention_dim,
        attention_span,
        attention_axis,
        init,
        bool(go_backwards),
        bool(enable_self_stabilization),
        dtype(),
        named(name),
    )
