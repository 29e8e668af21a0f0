"""Walking through networks, and drawing them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import callable_object, network, path, text
from .._files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import PathLike
    from ..ops.functions import Function


def depth_first_search(root: Function, visitor: Callable[[Any], bool], depth: int = 0) -> list[Any]:
    """The functions, parameters, constants and inputs of a network that `visitor` says True to, each once.

    Args:
        root (Function): where to begin
        visitor: a function of a node
        depth (int): how many blocks deep to look, -1 for all

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2, name='hidden')(C.input_variable(3, name='x'))
        >>> [
        ...     p.name
        ...     for p in C.logging.graph.depth_first_search(
        ...         z, lambda node: getattr(node, 'is_parameter', False), -1
        ...     )
        ... ]
        ['W', 'b']
    """
    network(root, 'the root of a search')
    callable_object(visitor, 'visitor')
    return [node for node in _cantik.traverse(root, depth) if visitor(node)]


def find_all_with_name(node: Function, node_name: str, depth: int = 0) -> list[Any]:
    """All nodes of this name.

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2, name='hidden')(C.input_variable(3, name='x'))
        >>> len(C.logging.graph.find_all_with_name(z, 'hidden'))
        1
    """
    return network(node, 'the root of a search').find_all_with_name(text(node_name, 'node_name'), depth)


def find_by_name(node: Function, node_name: str, depth: int = 0) -> Any:
    """The node of this name, None if there is none; a ValueError if there are several.

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2, name='hidden')(C.input_variable(3, name='x'))
        >>> C.logging.graph.find_by_name(z, 'x').shape
        (3,)
    """
    return network(node, 'the root of a search').find_by_name(text(node_name, 'node_name'), depth)


def find_by_uid(node: Function, node_uid: str, depth: int = 0) -> Any:
    """The node of this uid, None if there is none.

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2, name='hidden')(C.input_variable(3, name='x'))
        >>> C.logging.graph.find_by_uid(z, z.W.uid).name
        'W'
    """
    text(node_uid, 'node_uid')
    found = depth_first_search(node, lambda n: n.uid == node_uid, depth)
    return found[0] if found else None


def get_node_outputs(node: Function, depth: int = 0) -> list[Any]:
    """The outputs of all functions of a network.

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2, name='hidden')(C.input_variable(3, name='x'))
        >>> [v.shape for v in C.logging.graph.get_node_outputs(z)]
        [(2,)]
    """
    functions = depth_first_search(node, lambda n: isinstance(n, _cantik.Function), depth)
    return [output for f in functions for output in f.outputs]


def plot(root: Function, filename: PathLike | None = None) -> str:
    """Describes a network as text, and draws it where a file is named.

    Args:
        root (Function): the network
        filename (str): a file to write; its ending says what: .txt, .dot, .svg, .png or .pdf. The last three
          need the program dot of the package graphviz.

    Returns:
        the text, a line for each output of each function

    Example:
        >>> import cantik as C
        >>> 'Plus' in C.logging.plot(C.input_variable(2) + 1)
        True
    """
    text = _cantik.plot_text(network(root, 'the root of a search'))
    if filename is None:
        return text
    filename = path(filename, 'filename')
    ending = os.path.splitext(filename)[1].lower()
    if ending == '.txt':
        write_whole(filename, text)
    elif ending == '.dot':
        write_whole(filename, _cantik.plot_dot(root))
    elif ending in ('.svg', '.png', '.pdf'):
        _draw_by_dot(_cantik.plot_dot(root), filename, ending[1:])
    else:
        raise ValueError(f'only "svg", "png", "pdf", "dot" and "txt" files can be written, not "{ending}"')
    return text


def _draw_by_dot(graph, filename, form):
    import shutil  # late: two that are slow to load
    import subprocess

    program = shutil.which('dot')
    if program is None:
        raise ImportError(
            f'drawing .{form} needs the program dot: install the package graphviz, or write a '
            '.dot or .txt file'
        )
    done = subprocess.run([program, '-T' + form], input=graph.encode(), capture_output=True)
    if done.returncode:
        said = done.stderr.decode(errors='replace').strip()
        raise RuntimeError('dot could not draw the network: ' + said)
    write_whole(filename, done.stdout)
