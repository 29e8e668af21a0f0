"""Walking through networks, and drawing them."""
from .. import _cantik


def depth_first_search(root, visitor, depth=0):
    """The functions, parameters, constants and inputs of a network that `visitor` says True to, each once.

    Args:
        root (Function): where to begin
        visitor: a function of a node
        depth (int): how many blocks deep to look, -1 for all
    """
    if not isinstance(root, _cantik.Function):
        raise AttributeError("'{}' object has no attribute 'root_function'".format(type(root).__name__))
    return [node for node in _cantik.traverse(root, depth) if visitor(node)]


def find_all_with_name(node, node_name, depth=0):
    """All nodes of this name."""
    return depth_first_search(node, lambda n: n.name == node_name, depth)


def find_by_name(node, node_name, depth=0):
    """The node of this name, None if there is none; a ValueError if there are several."""
    found = find_all_with_name(node, node_name, depth)
    if len(found) > 1:
        raise ValueError('found multiple functions matching "{}". If that was expected call find_all_with_name'.format(node_name))
    return found[0] if found else None
