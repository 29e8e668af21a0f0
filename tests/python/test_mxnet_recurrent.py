"""The operator RNN against its formulas in NumPy: sequences of several lengths, clipped cells, dropout
between layers. (MXNet's kernels for CPUs leave lengths and clipping out; figures of the rest are in
mxnet_recurrent_cases.py.)"""

import numpy as np
import pytest

import cantik.mxnet as mx
from cantik.mxnet.table.recurrent import GATES

STEPS, BATCH, FEATURES, SIZE = 5, 3, 2, 4
LENGTHS = [5, 2, 1]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def one_step(mode, wx, wh, h, c, clip):
    if mode in ('rnn_relu', 'rnn_tanh'):
        return (np.tanh if mode == 'rnn_tanh' else lambda v: np.maximum(v, 0))(wx + wh), None
    wx, wh = np.split(wx, GATES[mode]), np.split(wh, GATES[mode])
    if mode == 'gru':
        reset, keep = sigmoid(wx[0] + wh[0]), sigmoid(wx[1] + wh[1])
        return (1 - keep) * np.tanh(wx[2] + reset * wh[2]) + keep * h, None
    i, f, g, o = (x + y for x, y in zip(wx, wh))
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    if clip:
        c = np.clip(c, *clip)
    return sigmoid(o) * np.tanh(c), c


def reference(mode, layers, ways, x, vector, h0, c0, lengths, clip=None):
    """Outputs [steps, batch, ways * SIZE], last states, last cells."""
    at, matrices, biases = 0, [], []

    def take(*shape):
        nonlocal at
        at += np.prod(shape)
        return vector[at - np.prod(shape) : at].reshape(shape)

    rows = GATES[mode] * SIZE
    for layer in range(layers):
        inputs = FEATURES if layer == 0 else SIZE * ways
        matrices += [(take(rows, inputs), take(rows, SIZE)) for _ in range(ways)]
    biases += [(take(rows), take(rows)) for _ in range(layers * ways)]
    assert at == vector.size
    h, c = np.array(h0, float), np.array(c0, float)
    for layer in range(layers):
        made = np.zeros((x.shape[0], x.shape[1], SIZE * ways))
        for way in range(ways):
            k = layer * ways + way
            (w, r), (bw, br) = matrices[k], biases[k]
            for b, n in enumerate(lengths):
                for t in range(n)[::-1] if way else range(n):
                    h[k, b], cell = one_step(mode, w @ x[t, b] + bw, r @ h[k, b] + br, h[k, b], c[k, b], clip)
                    c[k, b] = 0 if cell is None else cell
                    made[t, b, way * SIZE : (way + 1) * SIZE] = h[k, b]
        x = made
    return x, h, c


def operands(mode, layers, ways, seed=0):
    random = np.random.RandomState(seed)
    size = sum(
        ways * GATES[mode] * SIZE * ((FEATURES if i == 0 else SIZE * ways) + SIZE + 2) for i in range(layers)
    )
    return [
        random.uniform(-1, 1, shape)
        for shape in (
            (STEPS, BATCH, FEATURES),
            size,
            (layers * ways, BATCH, SIZE),
            (layers * ways, BATCH, SIZE),
        )
    ]


@pytest.mark.parametrize('mode', GATES)
@pytest.mark.parametrize('layers, both', [(1, False), (1, True), (2, True)])
def test_lengths(mode, layers, both):
    """What lies behind a sequence's end is not read, and 0 in the results; the last states are those at the
    end."""
    ways = 1 + both
    x, w, h, c = operands(mode, layers, ways)
    wanted = reference(mode, layers, ways, x, w, h, c, LENGTHS)
    for b, n in enumerate(LENGTHS):
        x[n:, b] = np.nan
    states = [h, c] if mode == 'lstm' else [h]
    arrays = [mx.nd.array(v, dtype=np.float64) for v in [x, w, *states, np.array(LENGTHS)]]
    made = mx.nd.RNN(
        *arrays,
        mode=mode,
        state_size=SIZE,
        num_layers=layers,
        bidirectional=both,
        state_outputs=True,
        use_sequence_length=True,
    )
    assert len(made) == 1 + len(states)
    for m, value in zip(made, wanted):
        np.testing.assert_allclose(m.asnumpy(), value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize('mode', GATES)
def test_gradients_with_lengths(mode):
    values = operands(mode, 1, 2, seed=1)
    names = ['data', 'parameters', 'state'] + ['state_cell'] * (mode == 'lstm')
    variables = [mx.sym.Variable(n) for n in names]
    s = mx.sym.RNN(
        *variables,
        mx.sym.Variable('sequence_length'),
        mode=mode,
        state_size=SIZE,
        num_layers=1,
        bidirectional=True,
        use_sequence_length=True,
    )
    values = dict(zip(names, values), sequence_length=np.array(LENGTHS))
    mx.test_utils.check_numeric_gradient(
        s, values, grad_nodes=names, numeric_eps=1e-5, rtol=1e-4, atol=1e-6, dtype=np.float64
    )


def test_clipped_cells():
    x, w, h, c = operands('lstm', 1, 1)
    options = dict(mode='lstm', state_size=SIZE, num_layers=1, state_outputs=True)
    arrays = [mx.nd.array(v, dtype=np.float64) for v in (x, 3 * w, h, 3 * c)]
    for clip in ((-0.3, 0.2), (-0.05, 4.0)):
        wanted = reference('lstm', 1, 1, x, 3 * w, h, 3 * c, [STEPS] * BATCH, clip)
        made = mx.nd.RNN(*arrays, lstm_state_clip_min=clip[0], lstm_state_clip_max=clip[1], **options)
        for m, value in zip(made, wanted):
            np.testing.assert_allclose(m.asnumpy(), value, rtol=1e-9, atol=1e-12)
    arrays[0][0] = np.nan
    for stop in (False, True):
        made = mx.nd.RNN(
            *arrays, lstm_state_clip_min=-1, lstm_state_clip_max=1, lstm_state_clip_nan=stop, **options
        )
        assert np.isnan(made[2].asnumpy()).any() == (not stop)
    with pytest.raises(mx.MXNetError, match='given together'):
        mx.nd.RNN(*arrays, lstm_state_clip_min=-1, **options)


def test_dropout_between_layers():
    """In training a part of what goes from layer to layer is 0, the rest larger; without it nothing changes,
    and behind the last layer nothing is dropped."""
    arrays = [mx.nd.array(v) for v in operands('gru', 2, 1)[:3]]
    options = dict(mode='gru', state_size=SIZE, num_layers=2)
    plain = mx.nd.RNN(*arrays, **options).asnumpy()
    np.testing.assert_array_equal(mx.nd.RNN(*arrays, p=0.5, **options).asnumpy(), plain)
    with mx.autograd.train_mode():
        drawn = [mx.nd.RNN(*arrays, p=0.5, **options).asnumpy() for _ in range(2)]
        one = {**options, 'num_layers': 1}
        first = [arrays[0], mx.nd.array(np.ones(12 * (FEATURES + SIZE + 2))), arrays[2][:1]]
        np.testing.assert_array_equal(
            mx.nd.RNN(*first, p=0.5, **one).asnumpy(), mx.nd.RNN(*first, **one).asnumpy()
        )
    assert np.abs(drawn[0] - plain).max() > 1e-3 and np.abs(drawn[0] - drawn[1]).max() > 1e-3


@pytest.mark.parametrize(
    'wrong',
    [
        dict(data=(5, 3)),
        dict(parameters=(7,)),
        dict(state=(1, 2, 4)),
        dict(state=(2, 3, 4)),
        dict(mode='tanh'),
        dict(state_size=None),
        dict(num_layers=0),
        dict(state_size=0),
        dict(lengths=[6, 1, 1]),
        dict(lengths=[-1, 1, 1]),
        dict(lengths=[0.5, 1, 1]),
        dict(lengths=[1, 1]),
        dict(projection_size=2),
    ],
)
def test_wrong_use(wrong):
    shapes = {'data': (5, 3, 2), 'parameters': (96,), 'state': (1, 3, 4)}
    arrays = [mx.nd.ones(wrong.get(k, v)) for k, v in shapes.items()]
    options = {
        k: v
        for k, v in {'mode': 'gru', 'state_size': SIZE, 'num_layers': 1, **wrong}.items()
        if k not in (*shapes, 'lengths') and v is not None
    }
    if 'lengths' in wrong:
        arrays.append(mx.nd.array(wrong['lengths']))
        options['use_sequence_length'] = True
    with pytest.raises(mx.MXNetError):
        mx.nd.RNN(*arrays, **options)
