"""Exchanging functions of a network for others."""

from .. import _cantik
from .._checks import callable_object, network
from ..logging.graph import depth_first_search
from ..ops import as_composite, combine, placeholder
from ..ops.functions import CloneMethod


def convert(root_func, filter, converter):
    """A copy of a network with some of its functions exchanged.

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
    chosen = depth_first_search(root_func, lambda n: isinstance(n, _cantik.Function) and filter(n))
    if not chosen:
        return root_func
    callable_object(converter, 'converter')
    # What each of them reads is cut off, the copy made in one go, and what they read there put in: exchanged
    # functions may read one another.
    read = {v.uid: v for node in chosen for v in node.inputs if v.is_output}
    places = {uid: placeholder(name=v.name) for uid, v in read.items()}
    kept = {a: a for a in root_func.arguments}
    made = {
        node.output: converter(node)
        .clone(CloneMethod.share, {**kept, **{v: places[v.uid] for v in node.inputs if v.is_output}})
        .output
        for node in chosen
    }
    outputs = list(root_func.outputs)
    copy = combine(outputs + list(read.values())).clone(CloneMethod.share, {**kept, **made})
    copy.replace_placeholders(
        {place: value for place, value in zip(places.values(), copy.outputs[len(outputs) :])}
    )
    found = copy.outputs[: len(outputs)]
    return as_composite(found[0].owner) if len(found) == 1 else combine(found)
