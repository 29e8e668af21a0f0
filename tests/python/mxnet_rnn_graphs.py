"""The graphs that mx.rnn's cells unroll to, and their weights apart, as texts.

MXNET_PYTHON tests/python/mxnet_rnn_graphs.py tests/golden/mxnet_rnn_graphs.json.gz     writes those of MXNet
1.9.1
"""

import gzip
import json
import sys

import numpy as np


def flat(x):
    return [y for v in x for y in flat(v)] if isinstance(x, (list, tuple)) else [x]


def cells(mx):
    r = mx.rnn

    def stack(*members):
        made = r.SequentialRNNCell()
        for cell in members:
            made.add(cell)
        return made

    yield 'rnn', lambda: r.RNNCell(3)
    yield 'rnn of relu', lambda: r.RNNCell(3, activation='relu', prefix='a_')
    yield 'lstm', lambda: r.LSTMCell(3, forget_bias=2.0)
    yield 'gru', lambda: r.GRUCell(3, prefix='g_')
    yield (
        'stack',
        lambda: stack(
            r.RNNCell(3, prefix='l0_'), r.DropoutCell(0.3, prefix='d_'), r.GRUCell(2, prefix='l1_')
        ),
    )
    yield (
        'both ways',
        lambda: r.BidirectionalCell(
            r.RNNCell(3, prefix='l_'), r.LSTMCell(3, prefix='r_'), output_prefix='o_'
        ),
    )
    yield 'residual', lambda: r.ResidualCell(r.RNNCell(3, prefix='l_'))
    yield 'zoneout', lambda: r.ZoneoutCell(r.RNNCell(3, prefix='l_'), 0.2, 0.3)
    yield 'zoneout of states', lambda: r.ZoneoutCell(r.LSTMCell(3, prefix='l_'), zoneout_states=0.3)
    yield 'dropout', lambda: r.DropoutCell(0.3)
    yield (
        'shared',
        lambda: stack(
            *(lambda p: [r.RNNCell(3, prefix='c1_', params=p), r.RNNCell(3, prefix='c2_', params=p)])(
                r.RNNParams('s_')
            )
        ),
    )
    for mode in ('rnn_relu', 'rnn_tanh', 'lstm', 'gru'):
        yield 'fused ' + mode, lambda mode=mode: r.FusedRNNCell(3, num_layers=2, mode=mode, dropout=0.2)
        yield (
            'fused both ways ' + mode,
            lambda mode=mode: r.FusedRNNCell(
                3, num_layers=2, mode=mode, bidirectional=True, get_next_state=True, prefix='f_'
            ),
        )
        yield (
            'unfused ' + mode,
            lambda mode=mode: r.FusedRNNCell(
                3, num_layers=2, mode=mode, bidirectional=True, dropout=0.2, prefix='u_'
            ).unfuse(),
        )


def graph(symbol):
    """Each operator as name, attributes and operands by name."""
    nodes = json.loads(symbol.tojson())['nodes']
    lines = {}
    for n in nodes:
        if n['op'] != 'null' or n.get('attrs'):
            attributes = {k: v if k != '__init__' else json.loads(v) for k, v in n.get('attrs', {}).items()}
            lines[n['name']] = [n['op'], attributes, [[nodes[i]['name'], k] for i, k, *_ in n['inputs']]]
    return lines


def figures(mx):
    found = {}
    for name, make in cells(mx):
        for layout, merge, inputs in (
            ('NTC', None, 'list'),
            ('NTC', True, 'value'),
            ('NTC', False, 'value'),
            ('TNC', None, 'value'),
            ('TNC', True, 'list'),
        ):
            with mx.name.NameManager():
                cell = make()
                given = (
                    mx.sym.Variable('data')
                    if inputs == 'value'
                    else [mx.sym.Variable(f't{i}_data') for i in range(2)]
                )
                outputs, states = cell.unroll(2, given, layout=layout, merge_outputs=merge)
                symbol = mx.sym.Group(flat(outputs) + flat(states))
                key = f'{name}, {layout}, merge_outputs={merge}, {inputs}'
                found[key] = [
                    isinstance(outputs, list),
                    len(flat(states)),
                    symbol.list_outputs(),
                    sorted(symbol.list_arguments()),
                    graph(symbol),
                ]
        if name == 'shared':  # its weights have the name of neither cell
            continue
        cell = make()
        outputs, _ = cell.unroll(2, mx.sym.Variable('data'), merge_outputs=True)
        shapes, sizes, _ = outputs.infer_shape(data=(4, 2, 3))
        weights = {
            n: mx.nd.array(np.arange(np.prod(s)).reshape(s))
            for n, s in zip(outputs.list_arguments(), shapes)
            if n != 'data'
        }
        apart = cell.unpack_weights(weights)
        again = cell.pack_weights(apart)
        if sorted(again) != sorted(weights) or any(
            (again[n].asnumpy() != weights[n].asnumpy()).any() for n in weights
        ):
            raise AssertionError(name)
        found[name] = [
            [list(s['shape']) for s in cell.state_info],
            sizes,
            {n: [list(a.shape), float(a.asnumpy().sum())] for n, a in sorted(apart.items())},
        ]
    return found


if __name__ == '__main__':
    import mxnet

    text = json.dumps(figures(mxnet), separators=(',', ':'), sort_keys=True)
    with gzip.GzipFile(sys.argv[1], 'wb', mtime=0) as f:
        f.write(text.encode())
