"""Symbols as MXNet's JSON."""

from __future__ import annotations

import json
from typing import Any

from .. import attribute
from ..base import MXNetError
from ..table import find
from .graph import Node
from .symbol import Symbol


def to_json(symbol: Symbol) -> str:
    nodes = symbol.nodes()
    place = {id(n): i for i, n in enumerate(nodes)}
    lines = []
    for n in nodes:
        parts = [
            '"op": {}'.format(json.dumps('null' if n.op is None else n.op.name)),
            f'"name": {json.dumps(n.name)}',
        ]
        if n.attrs:
            attrs = sorted(n.attrs.items())
            one_line = '{' + ', '.join(f'{json.dumps(k)}: {json.dumps(v)}' for k, v in attrs) + '}'
            long = (
                '{\n'
                + ', \n'.join(f'        {json.dumps(k)}: {json.dumps(v)}' for k, v in attrs)
                + '\n      }'
            )
            parts.append(f'"attrs": {one_line if len(attrs) < 2 else long}')
        parts.append(
            '"inputs": [{}]'.format(
                ', '.join(
                    f'[{place[id(m)]}, {i}, {int(n.op is not None and k >= n.aux_from())}]'
                    for k, (m, i) in enumerate(n.inputs)
                )
            )
        )
        lines.append('    {\n' + ', \n'.join('      ' + p for p in parts) + '\n    }')
    rows = [0]
    for n in nodes:
        rows.append(rows[-1] + len(n.outputs()) + (n.op.hidden(n.attributes) if n.op is not None else 0))
    row_text = (
        '[{}]'.format(', '.join(map(str, rows)))
        if len(rows) <= 10
        else '[\n' + ', \n'.join(f'    {r}' for r in rows) + '\n  ]'
    )
    arguments = [i for i, n in enumerate(nodes) if n.op is None]
    argument_text = (
        '[{}]'.format(', '.join(map(str, arguments)))
        if len(arguments) <= 10
        else '[\n' + ', \n'.join(f'    {r}' for r in arguments) + '\n  ]'
    )
    heads = '[{}]'.format(', '.join(f'[{place[id(n)]}, {i}, 0]' for n, i in symbol._heads))
    return (
        '{{\n  "nodes": [\n{}\n  ], \n  "arg_nodes": {}, \n  "node_row_ptr": {}, \n  "heads": {}, \n'
        '  "attrs": {{"mxnet_version": ["int", 10901]}}\n}}'
    ).format(', \n'.join(lines), argument_text, row_text, heads)


def load_json(json_str: Any) -> Symbol:
    """A symbol from its JSON."""
    if not isinstance(json_str, str):
        raise TypeError('fname required to be string')
    try:
        graph = json.loads(json_str)
        nodes = []
        for spec in graph['nodes']:
            attrs = {**spec.get('attr', {}), **spec.get('attrs', {}), **spec.get('param', {})}
            inputs = [_entry(nodes, e) for e in spec['inputs']]
            if not isinstance(spec['op'], str) or not isinstance(spec['name'], str):
                raise ValueError('the operator and the name of a node are texts')
            node = Node(
                None if spec['op'] == 'null' else find(spec['op']),
                spec['name'],
                attribute.kept({str(k): str(v) for k, v in attrs.items()}),
                inputs,
            )
            if node.op is None and inputs:
                raise ValueError(f'the variable {node.name} has operands')
            nodes.append(node)
        for n in nodes:
            if n.op is not None:
                names = n.op.list_inputs(n.attributes) + n.op.list_aux(n.attributes)
                if len(n.inputs) > len(names):
                    raise ValueError(
                        f'{n.name}: the operator {n.op.name} takes {len(names)} operands, not {len(n.inputs)}'
                    )
                # Older files leave auxiliary states out.
                n.inputs += [(Node(None, f'{n.name}_{m}', {}, []), 0) for m in names[len(n.inputs) :]]
        return Symbol([_entry(nodes, e) for e in graph['heads']])
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError) as e:
        raise MXNetError(
            'this is no symbol in JSON: {}'.format(f'{e} is missing' if isinstance(e, KeyError) else e)
        ) from e


def _entry(nodes, said):
    """An output of a node that stands before, as a list of their numbers."""
    node, output = said[0], said[1] if len(said) > 1 else 0
    if (
        type(node) is not int
        or type(output) is not int
        or not 0 <= node < len(nodes)
        or not 0 <= output < len(nodes[node].outputs())
    ):
        raise ValueError(f'{said!r} is no output of a node before it')
    return nodes[node], output


def load(fname: Any) -> Symbol:
    """A symbol from a file."""
    try:
        with open(fname, encoding='utf-8') as f:
            content = f.read()
    except OSError as e:
        raise MXNetError(f'cannot read {fname}: {e.strerror}') from e
    except UnicodeDecodeError as e:
        raise MXNetError(f'this is no symbol in JSON: {e}') from e
    return load_json(content)
