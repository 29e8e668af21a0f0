"""Losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from ..ops.functions import Function
from ._generated import *

if TYPE_CHECKING:
    from .._types import VariableLike


def nce_loss(
    weights: Any,
    biases: Any,
    inputs: Any,
    labels: Any,
    noise_distribution: Any,
    num_samples: int = 32,
    allow_duplicates: bool = True,
    seed: int | None = None,
    name: str = '',
) -> Function:
    """Noise-contrastive estimation (Gutmann, Hyvarinen 2010): the loss of telling the label from classes
    drawn at random. It stands for a softmax with cross entropy over many classes, and touches only the
    classes that were seen.

    log(1 + k p(y) exp(-s(y))) + sum over the drawn j of log(exp(s(j)) + k p(j)) - k sum over all c of p(c)
    log(k p(c)), where s(c) = weights[c] . inputs + biases[c], k is num_samples and p the noise distribution.
    Each evaluation draws anew.

    Args:
        weights: a parameter [classes, width]; the width may be left to be inferred
        biases: a parameter [classes, 1]
        inputs: [width]
        labels: [classes], one-hot vectors, sparse ones where there are many classes
        noise_distribution: an array [classes] of weights, not necessarily of the sum 1
        num_samples (int): how many classes are drawn
        allow_duplicates (bool): whether a class may be drawn twice
        seed (int): of the draws; one is chosen by default
        name (str): of the function

    Returns:
        a function of one output, a number for each sample

    Example:
        >>> import cantik as C
        >>> x, y = C.input_variable(4), C.input_variable(100, is_sparse=True)
        >>> loss = C.nce_loss(
        ...     C.parameter((100, C.InferredDimension), init=1),
        ...     C.parameter((100, 1), init=-4.6),
        ...     x,
        ...     y,
        ...     [1] * 100,
        ...     num_samples=8,
        ...     seed=1,
        ... )
        >>> loss.eval({x: [[1, 2, 3, 4]], y: C.Value.one_hot([7], 100)}).shape
        (1,)
    """
    return _cantik.nce_loss(
        weights, biases, inputs, labels, noise_distribution, num_samples, allow_duplicates, seed, name
    )


def hierarchical_softmax_layer(
    input_var: VariableLike, label_index: VariableLike, label_dim: int, label_classes: int | None = None
) -> tuple[Any, ...]:
    """A softmax in two steps: over classes of labels, then over the labels of a class. Label l is number l %
    m of class l / m, where m is label_dim / label_classes, rounded up.

    Args:
        input_var: [width]
        label_index: [1], the number of the label
        label_dim (int): how many labels there are
        label_classes (int): how many classes; by default the square root of label_dim, rounded up

    Returns:
        three things: a function that gives the probability of the label, [1, 1]; one that gives those of the
        classes; a list of functions that give the probabilities of the labels of each class

    Example:
        >>> import cantik as C
        >>> label, classes, members = C.hierarchical_softmax_layer(
        ...     C.input_variable(2), C.input_variable(1), 6
        ... )
        >>> label.shape, classes.shape, len(members), members[0].shape
        ((1, 1), (3,), 3, (2,))
    """
    return _cantik.hierarchical_softmax(input_var, label_index, label_dim, label_classes)
