"""Losses by name. Each is a mean over the elements of a sample, so that rates mean the same as in other
toolkits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import shown
from ..losses import cross_entropy_with_softmax
from ..ops import abs as absolute, constant, element_select, exp, less, reduce_mean, softplus, square

if TYPE_CHECKING:
    from ..ops.functions import Function


def _cross_entropy(scores, target):
    return cross_entropy_with_softmax(scores, target)


def _binary_cross_entropy(scores, target):
    return reduce_mean(softplus(scores) - scores * target)


def _mse(output, target):
    return reduce_mean(square(output - target))


def _mae(output, target):
    return reduce_mean(absolute(output - target))


def _huber(output, target):
    distance = absolute(output - target)
    half = constant(0.5)
    return reduce_mean(element_select(less(distance, 1), half * square(distance), distance - half))


def _focal(scores, target):
    """(1 - p)^2 times -log p, of the right class (Lin et al. 2017)."""
    loss = cross_entropy_with_softmax(scores, target)
    return square(1 - exp(-loss)) * loss


LOSSES = {
    'focal': _focal,
    'cross_entropy': _cross_entropy,
    'binary_cross_entropy': _binary_cross_entropy,
    'mse': _mse,
    'mae': _mae,
    'huber': _huber,
}
# Of a score for each of several classes.
OF_CLASSES = ('cross_entropy', 'focal')
# What a loss takes scores for; the model must not end with it.
ENDS = {
    'focal': ('softmax', ('Softmax',)),
    'cross_entropy': ('softmax', ('Softmax',)),
    'binary_cross_entropy': ('sigmoid', ('Sigmoid', 'StableSigmoid')),
}


def loss_named(loss: Any) -> tuple[str | None, Any]:
    """The name of a loss, None for a function of the user's, and the function."""
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise ValueError(
                f"there is no loss '{loss}'\n  remedy   {', '.join(LOSSES)}, or a function of (output, label)"
            )
        return loss, LOSSES[loss]
    if not callable(loss):
        raise ValueError(f'loss must be a name or a function of (output, label), not {shown(loss)}')
    return None, loss


def check_end(root: Function, name: str | None) -> None:
    """Raises where the model ends with a function that the loss has in it already."""
    if name not in ENDS:
        return
    spoken, operators = ENDS[name]
    while root.is_block and root.op_name not in operators:
        root = root.block_root.root_function
    if root.op_name in operators:
        raise ValueError(
            f"the model ends with {spoken}, which the loss '{name}' has in it already\n"
            f'  remedy   leave the {spoken} out: the loss takes scores, as numbers of any size'
        )


def checked_loss(made: Any) -> Function:
    """What a user's function made, if it is a loss."""
    if isinstance(made, _cantik.Variable):
        made = made.owner
    if not isinstance(made, _cantik.Function):
        raise ValueError(f'loss must give a Function of (output, label), not {shown(made)}')
    if not made.output.dynamic_axes:
        raise ValueError(
            'the loss has no batch axis: it must have a value for each sample\n'
            '  remedy   leave the mean over the samples to fit'
        )
    return made
