"""Exchanging functions of a network for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import callable_object, network
from ..logging.graph import depth_first_search
from ..ops import as_block, as_composite, combine, placeholder
from ..ops.functions import CloneMethod

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ops.functions import Function


def convert(root_func: Function, filter: Callable[[Any], Any], converter: Callable[[Any], Any]) -> Function:
    """A copy of a network with some of its functions exchanged, those inside of layers and other blocks too.

    Args:
        root_func (Function): the network
        filter: a function of a node; True where it is to be exchanged
        converter: a function of such a node that gives what takes its place

    Returns:
        the copy; its parameters are those of the original

    Example:
        >>> import cantik as C
        >>> f = C.layers.Dense(2, activation=C.relu)(C.input_variable(3))
        >>> g = C.misc.convert(f, lambda n: n.op_name == 'Dense', lambda n: C.layers.Dense(4)(n.inputs[-1]))
        >>> g.shape
        (4,)
    """
    network(root_func, 'root_func')
    callable_object(filter, 'filter')
    return _converted(root_func, root_func.arguments, filter, converter)


def _converted(root_func, arguments, filter, converter):
    exchanged = {}
    for node in depth_first_search(root_func, lambda n: isinstance(n, _cantik.Function)):
        if filter(node):
            callable_object(converter, 'converter')
            exchanged[node] = made = converter(node)
            given, wanted = len(made.outputs), len(node.outputs)
            if given != wanted:
                raise ValueError(f'the converter gave {given} outputs in place of the {wanted} of {node}')
        elif node.is_block and (inside := _inside(node, filter, converter)) is not None:
            exchanged[node] = inside
    return _with(root_func, arguments, exchanged) if exchanged else root_func


def _inside(block, filter, converter):
    """The block with functions in it exchanged; None where nothing of it is."""
    inside, mapping = block.block_root, block.block_arguments_mapping
    made = _converted(inside, [argument for argument, _ in mapping], filter, converter)
    return None if made is inside else as_block(made, mapping, block.op_name, block.name)


def _with(root_func, arguments, exchanged):
    """A copy of the network, of the same arguments, in which other functions take the places of some."""
    # What each of them reads is cut off, the copy made in one go, and what they read there put in: exchanged
    # functions may read one another.
    read = {v.uid: v for node in exchanged for v in node.inputs if v.is_output}
    places = {uid: placeholder(name=v.name) for uid, v in read.items()}
    kept = {a: a for a in arguments}
    made = {}
    for node, function in exchanged.items():
        cut = {v: places[v.uid] for v in node.inputs if v.is_output}
        made.update(zip(node.outputs, function.clone(CloneMethod.share, {**kept, **cut}).outputs))
    outputs = list(root_func.outputs)
    copy = combine(outputs + list(read.values())).clone(CloneMethod.share, {**kept, **made})
    copy.replace_placeholders(dict(zip(places.values(), copy.outputs[len(outputs) :])))
    found = copy.outputs[: len(outputs)]
    name = root_func.name
    return as_composite(found[0].owner, name) if len(found) == 1 else combine(found, name)
