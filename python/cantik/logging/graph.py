"""Walking through networks, and drawing them."""

import os
import shutil
import subprocess

from .. import _cantik
from .._checks import callable_object, network, path, text


def depth_first_search(root, visitor, depth=0):
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


def find_all_with_name(node, node_name, depth=0):
    """All nodes of this name.

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2, name='hidden')(C.input_variable(3, name='x'))
        >>> len(C.logging.graph.find_all_with_name(z, 'hidden'))
        1
    """
    return network(node, 'the root of a search').find_all_with_name(node_name, depth)


def find_by_name(node, node_name, depth=0):
    """The node of this name, None if there is none; a ValueError if there are several.

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2, name='hidden')(C.input_variable(3, name='x'))
        >>> C.logging.graph.find_by_name(z, 'x').shape
        (3,)
    """
    return network(node, 'the root of a search').find_by_name(node_name, depth)


def find_by_uid(node, node_uid, depth=0):
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


def get_node_outputs(node, depth=0):
    """The outputs of all functions of a network.

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2, name='hidden')(C.input_variable(3, name='x'))
        >>> [v.shape for v in C.logging.graph.get_node_outputs(z)]
        [(2,)]
    """
    functions = depth_first_search(node, lambda n: isinstance(n, _cantik.Function), depth)
    return [output for f in functions for output in f.outputs]


def _lines(root):
    lines = []
    for f in depth_first_search(root, lambda n: isinstance(n, _cantik.Function)):
        operands = ', '.join(v.uid for v in f.inputs)
        lines += ['{}({}) -> {};\n'.format(f.op_name, operands, output.uid) for output in f.outputs]
    return '\n'.join(reversed(lines))


def _quoted(text):
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'


def _dims(v):
    axes = ''.join('#, ' if a.is_batch_axis else '*, ' for a in v.dynamic_axes if a.name != 'UnknownAxes')
    shape = (
        '?'
        if v.shape == (-2,)
        else ' x '.join('?' if d == -1 else '*' if d == -3 else str(d) for d in v.shape)
    )
    return '[' + (axes + shape).rstrip(', ') + ']'


def _dot(root):
    """The network in the language of Graphviz: operands above, results below."""
    lines = [
        'digraph network {',
        '  rankdir=TB; node [fontname="Helvetica", fontsize=11]; edge [fontname="Helvetica", fontsize=9, '
        'color="#666666"];',
    ]
    seen = set()

    def leaf(v):
        if v.uid in seen:
            return
        seen.add(v.uid)
        kind = (
            'input'
            if v.is_input
            else 'parameter'
            if v.is_parameter
            else 'constant'
            if v.is_constant
            else 'placeholder'
        )
        fill = {'input': '#d5e8d4', 'parameter': '#dae8fc', 'constant': '#f5f5f5', 'placeholder': '#fff2cc'}[
            kind
        ]
        label = '{}\n{}'.format(v.name or kind, _dims(v))
        lines.append(
            '  {} [label={}, shape=ellipse, style=filled, fillcolor="{}"];'.format(
                _quoted(v.uid), _quoted(label).replace('\n', '\\n'), fill
            )
        )

    for f in reversed(depth_first_search(root, lambda n: isinstance(n, _cantik.Function))):
        label = f.op_name if not f.name else '{}\n{}'.format(f.name, f.op_name)
        lines.append(
            '  {} [label={}, shape=box, style="rounded,filled", fillcolor="{}"];'.format(
                _quoted(f.uid), _quoted(label).replace('\n', '\\n'), '#ffe6cc' if f.is_block else '#ffffff'
            )
        )
        for v in f.inputs:
            if v.is_output:
                lines.append(
                    '  {} -> {} [label={}];'.format(_quoted(v.owner.uid), _quoted(f.uid), _quoted(_dims(v)))
                )
            else:
                leaf(v)
                lines.append('  {} -> {};'.format(_quoted(v.uid), _quoted(f.uid)))
    return '\n'.join(lines + ['}', ''])


def plot(root, filename=None):
    """Describes a network as text, and draws it where a file is named.

    Args:
        root (Function): the network
        filename (str): a file to write; its ending says what: .txt, .dot, .svg, .png or .pdf. The last three
        need the program
          dot of the package graphviz.

    Returns:
        the text, a line for each output of each function

    Example:
        >>> import cantik as C
        >>> 'Plus' in C.logging.plot(C.input_variable(2) + 1)
        True
    """
    text = _lines(root)
    if filename is None:
        return text
    filename = path(filename, 'filename')
    ending = os.path.splitext(filename)[1].lower()
    if ending == '.txt':
        with open(filename, 'w') as file:
            file.write(text)
    elif ending == '.dot':
        with open(filename, 'w') as file:
            file.write(_dot(root))
    elif ending in ('.svg', '.png', '.pdf'):
        program = shutil.which('dot')
        if program is None:
            raise ImportError(
                'drawing {} needs the program dot: install the package graphviz, or write a .dot or .txt '
                'file'.format(ending)
            )
        done = subprocess.run(
            [program, '-T' + ending[1:], '-o', filename], input=_dot(root), capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError('dot could not draw the network: ' + done.stderr.strip())
    else:
        raise ValueError(
            'only "svg", "png", "pdf", "dot" and "txt" files can be written, not "{}"'.format(ending)
        )
    return text
