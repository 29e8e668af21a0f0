"""Symbols as MXNet's JSON."""
import json

from ..base import MXNetError
from ..table import find
from .graph import Node
from .symbol import Symbol


def to_json(symbol):
    nodes = symbol.nodes()
    place = {id(n): i for i, n in enumerate(nodes)}
    lines = []
    for n in nodes:
        parts = ['"op": {}'.format(json.dumps('null' if n.op is None else n.op.name)), '"name": {}'.format(json.dumps(n.name))]
        if n.attrs:
            attrs = sorted(n.attrs.items())
            one_line = '{' + ', '.join('{}: {}'.format(json.dumps(k), json.dumps(v)) for k, v in attrs) + '}'
            long = '{\n' + ', \n'.join('        {}: {}'.format(json.dumps(k), json.dumps(v)) for k, v in attrs) + '\n      }'
            parts.append('"attrs": {}'.format(one_line if len(attrs) < 2 else long))
        parts.append('"inputs": [{}]'.format(', '.join('[{}, {}, {}]'.format(place[id(m)], i, int(n.op is not None and k >= n.aux_from())) for k, (m, i) in enumerate(n.inputs))))
        lines.append('    {\n' + ', \n'.join('      ' + p for p in parts) + '\n    }')
    rows = [0]
    for n in nodes:
        rows.append(rows[-1] + len(n.outputs()) + (n.op.hidden(n.attributes) if n.op is not None else 0))
    row_text = '[{}]'.format(', '.join(map(str, rows))) if len(rows) <= 10 else '[\n' + ', \n'.join('    {}'.format(r) for r in rows) + '\n  ]'
    arguments = [i for i, n in enumerate(nodes) if n.op is None]
    argument_text = '[{}]'.format(', '.join(map(str, arguments))) if len(arguments) <= 10 else '[\n' + ', \n'.join('    {}'.format(r) for r in arguments) + '\n  ]'
    heads = '[{}]'.format(', '.join('[{}, {}, 0]'.format(place[id(n)], i) for n, i in symbol._heads))
    return ('{{\n  "nodes": [\n{}\n  ], \n  "arg_nodes": {}, \n  "node_row_ptr": {}, \n  "heads": {}, \n  "attrs": {{"mxnet_version": ["int", 10901]}}\n}}'
            .format(', \n'.join(lines), argument_text, row_text, heads))


def load_json(json_str):
    """A symbol from its JSON."""
    if not isinstance(json_str, str):
        raise TypeError('fname required to be string')
    try:
        graph = json.loads(json_str)
        nodes = []
        for spec in graph['nodes']:
            attrs = {**spec.get('attr', {}), **spec.get('attrs', {}), **spec.get('param', {})}
            inputs = [(nodes[e[0]], e[1]) for e in spec['inputs']]
            nodes.append(Node(None if spec['op'] == 'null' else find(spec['op']), str(spec['name']), {str(k): str(v) for k, v in attrs.items()}, inputs))
        for n in nodes:
            if n.op is not None:  # older files leave auxiliary states out
                names = n.op.list_inputs(n.attributes) + n.op.list_aux(n.attributes)
                n.inputs += [(Node(None, '{}_{}'.format(n.name, m), {}, []), 0) for m in names[len(n.inputs):]]
        return Symbol([(nodes[e[0]], e[1] if len(e) > 1 else 0) for e in graph['heads']])
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as e:
        raise MXNetError('this is no symbol in JSON: {}'.format(e)) from e


def load(fname):
    """A symbol from a file."""
    try:
        with open(fname, encoding='utf-8') as f:
            return load_json(f.read())
    except OSError as e:
        raise MXNetError('cannot read {}: {}'.format(fname, e.strerror)) from e
