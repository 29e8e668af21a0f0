"""Functions of the operators. Written by tools/generate from the registry: change the operators' files, then run it."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call
from ..internal.waiting import not_there as _not_there

if TYPE_CHECKING:
    from typing import Sequence

    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from ..ops.functions import Function

__all__ = [
    'cross_entropy_with_softmax', 'cosine_distance', 'cosine_distance_with_negative_samples', 'binary_cross_entropy', 'weighted_binary_cross_entropy',
    'squared_error', 'lambda_rank', 'nce_loss', 'lattice_sequence_with_softmax', 'hierarchical_softmax_layer', 'fmeasure',
]


def cross_entropy_with_softmax(output_vector: Operand, target_vector: Operand, axis: AxisLike = -1, name: str = '') -> Function:
    """loss = log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels.

    Args:
        output_vector: a variable, function, number or array
        target_vector: a variable, function, number or array
        axis (Axis or int): the axis of the classes
        name (str): of the function

    Returns:
        a function of one output
    """
    return _call('cross_entropy_with_softmax', (output_vector, target_vector), (axis,), name)


def cosine_distance(x, y, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('cosine_distance')


def cosine_distance_with_negative_samples(x, y, shift, num_negative_samples, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('cosine_distance_with_negative_samples')


def binary_cross_entropy(output, target, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('binary_cross_entropy')


def weighted_binary_cross_entropy(output, target, weight, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('weighted_binary_cross_entropy')


def squared_error(output, target, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('squared_error')


def lambda_rank(output, gain, group, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('lambda_rank')


def nce_loss(weights, biases, inputs, labels, noise_distribution, num_samples=32, allow_duplicates=True, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('nce_loss')


def lattice_sequence_with_softmax(label, prediction, loglikelihood, lattice, symListPath, phonePath, stateListPath, transProbPath, latticeConfigPath='LatticeNode.config', hSmoothingWeight=0.95, frameDropThresh=1e-10, doReferenceAlign=False, seqGammarUsesMBR=False, seqGammarAMF=14.0, seqGammarLMF=14.0, seqGammarBMMIFactor=0.0, seqGammarWordPen=0.0, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('lattice_sequence_with_softmax')


def hierarchical_softmax_layer(input_var, label_index, label_dim, label_classes=None):
    """Not there yet, see docs/status.md."""
    raise _not_there('hierarchical_softmax_layer')


def fmeasure(output, target, beta=1):
    """Not there yet, see docs/status.md."""
    raise _not_there('fmeasure')
