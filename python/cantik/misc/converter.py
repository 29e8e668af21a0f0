"""Exchanging functions of a network for others."""
from .. import _cantik


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
    from ..logging.graph import depth_first_search
    from ..ops.functions import CloneMethod
    chosen = depth_first_search(root_func, lambda n: isinstance(n, _cantik.Function) and filter(n))
    for node in reversed(chosen):  # what is nearest to the inputs first
        uid = node.uid
        again = depth_first_search(root_func, lambda n: n.uid == uid)
        node = again[0] if again else node
        root_func = root_func.clone(CloneMethod.share, {**{a: a for a in root_func.arguments}, node.output: converter(node).output})
    return root_func
