"""The operator RNN: layers of recurrences over the steps of [steps, batch, features], with their weights in
one vector."""

import math

import cantik as C

from ..base import MXNetError
from ..lower import Val, call, text
from .entry import Bool, Float, Int, Text, operator

GATES = {'rnn_relu': 1, 'rnn_tanh': 1, 'lstm': 4, 'gru': 3}


def directions(a):
    return 2 if a.bidirectional else 1


def sizes(a, features):
    """Of each layer and direction the numbers of its weights: from the input, from the state."""
    gates, ways = GATES[a.mode] * a.state_size, directions(a)
    return [
        (gates, features if layer == 0 else a.state_size * ways)
        for layer in range(a.num_layers)
        for _ in range(ways)
    ]


def parameter_count(a, features):
    return sum(gates * (inputs + a.state_size + 2) for gates, inputs in sizes(a, features))


def operands(a):
    return (
        ['data', 'parameters', 'state']
        + ['state_cell'] * (a.mode == 'lstm')
        + ['sequence_length'] * bool(a.use_sequence_length)
    )


def complete_rnn(a, shapes):
    data = shapes[0]
    if data is None:
        return shapes
    if len(data) != 3:
        raise MXNetError('RNN: data are [steps, batch, features], not {}'.format(text(data)))
    state = (a.num_layers * directions(a), data[1], a.state_size)
    count = (parameter_count(a, data[2]) if data[2] else 0,)
    return [data, count, state] + [state] * (a.mode == 'lstm') + [(data[1],)] * bool(a.use_sequence_length)


def rnn_shapes(a, shapes):
    steps, batch, _ = shapes[0]
    state = (a.num_layers * directions(a), batch, a.state_size)
    return [(steps, batch, a.state_size * directions(a))] + (
        [state] * (2 if a.mode == 'lstm' else 1) if a.state_outputs else []
    )


class Weights:
    """Parts of the vector of weights, in its order: all matrices, then all biases."""

    def __init__(self, g, vector):
        self.g, self.vector, self.at = g, vector, 0

    def take(self, *shape):
        size = math.prod(shape)
        part = self.g.reshape(self.g.slice(self.vector, 0, self.at, self.at + size), shape)
        self.at += size
        return part


def step(g, a, wx, hidden, cell, weight, bias):
    """The new state, and the new cell, from the input's part of the gates and the state before: variables of
    Cantik's."""
    h, n = a.state_size, a.state_size

    def part(v, i):
        return call('slice', (v,), (-1, i * n, (i + 1) * n, 1), '')

    def of(name, *values):
        return call(name, values, (), '')

    wh = of('plus', call('times', (hidden, weight), (1, None), ''), bias)
    if a.mode in ('rnn_relu', 'rnn_tanh'):
        return of('tanh' if a.mode == 'rnn_tanh' else 'relu', of('plus', wx, wh)), None
    if a.mode == 'lstm':
        gates = of('plus', wx, wh)
        enter, forget, out = (of('sigmoid', part(gates, i)) for i in (0, 1, 3))
        cell = of(
            'plus', of('element_times', forget, cell), of('element_times', enter, of('tanh', part(gates, 2)))
        )
        if a.lstm_state_clip_min is not None:
            least = g.number(a.lstm_state_clip_min)
            if a.lstm_state_clip_nan:
                cell = of('element_select', of('equal', cell, cell), cell, least)
            cell = of('ieee_clip', cell, least, g.number(a.lstm_state_clip_max))
        return of('element_times', out, of('tanh', cell)), cell
    reset, keep = (of('sigmoid', of('plus', part(wx, i), part(wh, i))) for i in (0, 1))
    new = of('tanh', of('plus', part(wx, 2), of('element_times', reset, part(wh, 2))))
    return of('plus', new, of('element_times', keep, of('minus', hidden, new))), None


def carried(g, a, wx, initial, weight, bias, backwards):
    """The states of one layer along its sequences: of each state a variable with that axis."""
    name = 'future_value' if backwards else 'past_value'
    places = [C.placeholder() for _ in initial]
    before = [call(name, (p, s), (1,), '') for p, s in zip(places, initial)]
    made = [
        v
        for v in step(g, a, wx, before[0], before[1] if len(before) > 1 else None, weight, bias)
        if v is not None
    ]
    both = C.combine([v.output for v in made])
    both.replace_placeholders(dict(zip(places, both.outputs)))
    return both


@operator(
    'RNN',
    operands,
    complete=complete_rnn,
    shapes_of=rnn_shapes,
    batch_axis=1,
    random=True,
    outputs=lambda a: ['output', 'state_output', 'statecell_output'][
        : 1 + (2 if a.mode == 'lstm' else 1) * a.state_outputs
    ],
    state_size=Int(required=True),
    num_layers=Int(required=True),
    bidirectional=Bool(False),
    mode=Text(required=True, choices=tuple(GATES)),
    p=Float(0.0),
    state_outputs=Bool(False),
    projection_size=Int(None),
    lstm_state_clip_min=Float(None),
    lstm_state_clip_max=Float(None),
    lstm_state_clip_nan=Bool(False),
    use_sequence_length=Bool(False),
)
def rnn(g, a, data, parameters, state, *rest):
    """Elman's recurrences, LSTMs or GRUs: the states of the last layer at each step and, with state_outputs,
    the last states of all layers."""
    if a.projection_size is not None:
        raise MXNetError(
            "RNN: projection_size is not there in Cantik's MXNet layer; docs/mxnet.md lists what is"
        )
    if (a.lstm_state_clip_min is None) != (a.lstm_state_clip_max is None):
        raise MXNetError('RNN: lstm_state_clip_min and lstm_state_clip_max are given together')
    steps, batch, features = data.shape
    rest = list(rest)
    states = [state] + ([rest.pop(0)] if a.mode == 'lstm' else [])
    lengths = g.by_rows(g.reshape(g.stop(rest.pop(0)), (batch,))) if a.use_sequence_length else None
    x = g.by_rows(g.transpose(data, (1, 0, 2)))
    x = call('to_sequence', (x.v,) if lengths is None else (x.v, lengths.v), ('toSequence_',), '')
    weights = Weights(g, g.plain(parameters))
    matrices = [
        (weights.take(gates, inputs), weights.take(gates, a.state_size))
        for gates, inputs in sizes(a, features)
    ]
    biases = [(weights.take(gates), weights.take(gates)) for gates, _ in sizes(a, features)]
    ways, finals = directions(a), [[] for _ in states]
    for layer in range(a.num_layers):
        outputs = []
        for way in range(ways):
            i = layer * ways + way
            (w, r), (bw, br) = matrices[i], biases[i]
            w, r = (g.transpose(m, (1, 0)).v for m in (w, r))
            wx = call('plus', (call('times', (x, w), (1, None), ''), bw.v), (), '')
            initial = [g.by_rows(g.reshape(g.slice(s, 0, i, i + 1), (batch, a.state_size))).v for s in states]
            both = carried(g, a, wx, initial, r, br.v, way == 1)
            g.loops.append(both)
            outputs.append(both.outputs[0])
            for kept, v in zip(finals, both.outputs):
                kept.append(
                    Val(
                        call('sequence_first' if way else 'sequence_last', (v,), (), ''),
                        True,
                        (batch, a.state_size),
                        data.dtype,
                    )
                )
        x = call('splice', tuple(outputs), (-1,), '') if len(outputs) > 1 else outputs[0]
        if a.p and g.train and layer + 1 < a.num_layers:
            kept = call('less', (call('uniform_like', (x,), (), ''), g.number(1 - a.p)), (), '')
            x = call(
                'element_times', (x, call('element_times', (kept, g.number(1 / (1 - a.p))), (), '')), (), ''
            )
    width = a.state_size * ways
    unpacked = call(
        'reshape', (call('sequence_unpack', (x,), (0.0,), '').outputs[0],), ((steps, width), None, None), ''
    )
    made = [g.transpose(Val(unpacked, True, (batch, steps, width), data.dtype), (1, 0, 2))]
    if a.state_outputs:
        for kept in finals:
            made.append(g.splice([g.reshape(g.plain(v), (1, batch, a.state_size)) for v in kept], 0))
    return made
