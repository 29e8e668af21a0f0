"""Losses by name. Each is a mean over the elements of a sample, so that rates mean the same as in other
toolkits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import refused
from ..losses import (
    binary_cross_entropy_with_logits,
    cross_entropy_with_softmax,
    focal_loss,
    huber,
    mae,
    mse,
)

if TYPE_CHECKING:
    from ..ops.functions import Function


LOSSES = {
    'focal': focal_loss,
    'cross_entropy': cross_entropy_with_softmax,
    'binary_cross_entropy': binary_cross_entropy_with_logits,
    'mse': mse,
    'mae': mae,
    'huber': huber,
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
    """The name of a loss, None for another function of the user's, and the function."""
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise ValueError(
                f"there is no loss '{loss}'\n  remedy   {', '.join(LOSSES)}, or a function of (output, label)"
            )
        return loss, LOSSES[loss]
    if not callable(loss):
        raise refused('loss', 'a name or a function of (output, label)', loss)
    return next((name for name, known in LOSSES.items() if known is loss), None), loss


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


def check_batch(model: Function) -> None:
    """Raises where the model has no result for each sample."""
    if not model.output.dynamic_axes:
        raise ValueError(
            "the model's result has no batch axis: it must have a row for each sample\n"
            f'  got      {model.output}\n'
            '  remedy   where its first axis counts the samples, fit C.to_batch(model)'
        )


def checked_loss(made: Any) -> Function:
    """What a user's function made, if it is a loss."""
    if isinstance(made, _cantik.Variable):
        made = made.owner
    if not isinstance(made, _cantik.Function):
        raise refused('the result of loss', 'a Function of (output, label)', made)
    if not made.output.dynamic_axes:
        raise ValueError(
            'the loss has no batch axis: it must have a value for each sample\n'
            '  remedy   leave the mean over the samples to fit'
        )
    return made
