"""Operators of ONNX over a batch whose size a run chooses; ONNX's own tests of its operators have fixed
sizes."""

import numpy as np
import pytest

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
from onnx import helper as h

import cantik as C
from onnx_models import INT64, by_onnx, by_runtime, check, constant, info

random = np.random.default_rng(0)


def numbers(*shape):
    return random.standard_normal(shape).astype('f')


def whole(*values):
    return np.array(values, np.int64)


# operator, attributes, the values by the batch, the constants behind them, the version
PICTURES, SIGNALS, ROWS = numbers(3, 2, 6, 7), numbers(3, 16, 1), numbers(3, 4, 5)
CASES = {
    'average with gaps': ('AveragePool', dict(kernel_shape=[2, 2], dilations=[2, 2]), [PICTURES], [], 19),
    'average with padding': (
        'AveragePool',
        dict(kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2], ceil_mode=1, count_include_pad=1),
        [PICTURES],
        [],
        19,
    ),
    'largest with gaps': (
        'MaxPool',
        dict(kernel_shape=[2, 3], dilations=[2, 2], strides=[1, 2]),
        [PICTURES],
        [],
        19,
    ),
    'norm of windows': ('LpPool', dict(kernel_shape=[3, 2], strides=[2, 1], p=3), [PICTURES], [], 18),
    'norm of pictures': ('GlobalLpPool', dict(p=3), [PICTURES], [], 18),
    'pixels of three axes': (
        'GridSample',
        dict(mode='linear'),
        [numbers(3, 2, 3, 4, 5), random.uniform(-1, 1, (3, 2, 3, 2, 3)).astype('f')],
        [],
        20,
    ),
    'a grid': ('AffineGrid', {}, [numbers(3, 2, 3)], [whole(3, 2, 4, 5)], 20),
    'a transform': ('DFT', {}, [SIGNALS], [None, whole(1)[0]], 20),
    'a transform of one side': ('DFT', dict(onesided=1), [SIGNALS], [whole(12)[0], whole(1)[0]], 20),
    'the way back': ('DFT', dict(inverse=1), [numbers(3, 8, 2)], [None, whole(1)[0]], 20),
    'transforms of frames': ('STFT', dict(onesided=1), [SIGNALS], [whole(4)[0], None, whole(8)[0]], 17),
    'transforms in a window': ('STFT', {}, [SIGNALS], [whole(4)[0], np.hanning(8).astype('f')], 17),
    'products': ('CumProd', {}, [ROWS], [whole(1)[0]], 26),
    'products of what is before': ('CumProd', dict(exclusive=1, reverse=1), [ROWS], [whole(2)[0]], 26),
    'sums of what is before': ('CumSum', dict(exclusive=1), [ROWS], [whole(-1)[0]], 14),
    'the greatest at places': (
        'ScatterElements',
        dict(axis=1, reduction='max'),
        [ROWS, random.integers(0, 4, (3, 2, 5)), numbers(3, 2, 5)],
        [],
        18,
    ),
    'back to front': (
        'ReverseSequence',
        dict(batch_axis=0, time_axis=1),
        [ROWS, whole(1, 4, 3)],
        [],
        10,
    ),
    'a cache': (
        'TensorScatter',
        dict(mode='linear'),
        [numbers(3, 2, 6, 4), numbers(3, 2, 2, 4), whole(0, 4, 2)],
        [],
        24,
    ),
    'a cache that goes round': (
        'TensorScatter',
        dict(mode='circular'),
        [numbers(3, 2, 6, 4), numbers(3, 2, 2, 4), whole(5, 4, 2)],
        [],
        24,
    ),
    'the middle': ('CenterCropPad', dict(axes=[1, 2]), [ROWS], [whole(2, 8)], 18),
    'the other end': ('Pad', dict(mode='wrap'), [ROWS], [whole(0, 1, 2, 0, 3, 7)], 19),
    'edges': ('Pad', dict(mode='edge'), [ROWS], [whole(0, 1, 2, 0, 3, 7)], 19),
    'parts that go': ('Pad', {}, [ROWS], [whole(0, -1, 2, 0, 0, -3)], 19),
    'blocks of pixels': ('DepthToSpace', dict(blocksize=2, mode='CRD'), [numbers(3, 8, 2, 3)], [], 13),
    'remainders': ('Mod', dict(fmod=1), [ROWS], [numbers(5)], 13),
    'determinants': ('Det', {}, [numbers(3, 4, 4)], [], 11),
    'gates': ('SwiGLU', {}, [ROWS, numbers(3, 4, 5)], [], 28),
    'bits': ('BitwiseAnd', {}, [random.integers(0, 99, (3, 4))], [whole(7, 12, 1, 64)], 18),
    'bits of the other kind': ('BitwiseNot', {}, [random.integers(-99, 99, (3, 4))], [], 18),
    'whole numbers of the other sign': (
        'BitwiseXor',
        {},
        [random.integers(-99, 99, (3, 4))],
        [whole(-3)],
        18,
    ),
}

BY_RUNTIME = {'norm of pictures', 'parts that go'}  # ONNX's evaluator does not know them


@pytest.mark.parametrize('case', CASES)
def test_over_a_batch(tmp_path, case):
    op, attributes, values, constants, version = CASES[case]
    if case in BY_RUNTIME:
        pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
    feeds = {f'x{i}': v for i, v in enumerate(values)}
    names = [*feeds, *['' if c is None else f'c{i}' for i, c in enumerate(constants)]]
    kinds = {name: INT64 if v.dtype == np.int64 else 1 for name, v in feeds.items()}
    result = INT64 if op.startswith('Bit') else 1
    node = h.make_node(op, names, ['y'], **attributes)
    weights = [constant(f'c{i}', c) for i, c in enumerate(constants) if c is not None]
    inputs = [info(name, ['n', *v.shape[1:]], kinds[name]) for name, v in feeds.items()]
    rank = {'DFT': 3, 'STFT': 4, 'AffineGrid': 4, 'Det': 1}.get(op, values[0].ndim)
    f = check(
        tmp_path / 'b.onnx',
        [node],
        inputs,
        [info('y', [None] * rank, result)],
        weights,
        feeds,
        opset=version,
        atol=1e-4,
        due_by=by_runtime if case in BY_RUNTIME else by_onnx,
    )
    assert all(len(a.dynamic_axes) == 1 for a in f.arguments)


@pytest.mark.parametrize('rule', ['linear', 'gated', 'delta', 'gated_delta'])
def test_attention_whose_sums_are_a_state(tmp_path, rule):
    """Step by step in NumPy: S = exp(g) S + b k (v - S^T k)^T, y = q^T S / 2."""
    batch, steps, heads, keys, width = 3, 5, 2, 4, 3
    q, k, v = numbers(batch, steps, 8), numbers(batch, steps, 8), numbers(batch, steps, 6)
    g, b = -np.abs(numbers(batch, steps, 2)), random.uniform(0, 1, (batch, steps, 2)).astype('f')
    past = numbers(batch, heads, keys, width)
    feeds = {'q': q, 'k': k, 'v': v, 'past': past}
    if rule.startswith('gated'):
        feeds['g'] = g
    if rule.endswith('delta'):
        feeds['b'] = b
    names = [n if n in feeds else '' for n in ('q', 'k', 'v', 'past', 'g', 'b')]
    while not names[-1]:
        names.pop()
    node = h.make_node(
        'LinearAttention', names, ['y', 'now'], q_num_heads=2, kv_num_heads=2, update_rule=rule
    )
    state, due = past.astype(np.float64), np.zeros((batch, steps, heads * width))
    for t in range(steps):
        for i in range(batch):
            for n in range(heads):
                s = state[i, n] * (np.exp(g[i, t, n]) if 'g' in feeds else 1)
                key = k[i, t, n * keys : (n + 1) * keys].astype(np.float64)
                value = v[i, t, n * width : (n + 1) * width].astype(np.float64)
                if 'b' in feeds:
                    value = b[i, t, n] * (value - s.T @ key)
                s = s + np.outer(key, value)
                state[i, n] = s
                due[i, t, n * width : (n + 1) * width] = q[i, t, n * keys : (n + 1) * keys] @ s / 2
    inputs = [info(n, ['n', *a.shape[1:]]) for n, a in feeds.items()]
    check(
        tmp_path / 'a.onnx',
        [node],
        inputs,
        [info('y', [None] * 3), info('now', [None] * 4)],
        [],
        feeds,
        opset=27,
        atol=1e-5,
        due_by=lambda model, feeds: [due, state],
    )


@pytest.mark.parametrize('op, gates', [('LSTM', 4), ('GRU', 3), ('RNN', 1)])
@pytest.mark.parametrize('direction', ['forward', 'bidirectional'])
def test_recurrences_with_the_batch_first(tmp_path, op, gates, direction):
    """The same as with the steps first, with the axes in another order."""
    ways = 1 + (direction == 'bidirectional')
    x, h0 = numbers(3, 5, 4), numbers(3, ways, 2)
    weights = [constant('w', numbers(ways, gates * 2, 4)), constant('r', numbers(ways, gates * 2, 2))]
    found = {}
    for layout in (0, 1):
        node = h.make_node(
            op, ['x', 'w', 'r', '', '', 'h0'], ['y', 'yh'], hidden_size=2, layout=layout, direction=direction
        )
        turned = (lambda a: a) if layout else (lambda a: np.swapaxes(a, 0, 1))
        feeds = {'x': turned(x), 'h0': turned(h0)}
        inputs = [info(n, list(a.shape)) for n, a in feeds.items()]
        graph = h.make_graph([node], 'g', inputs, [info('y', [None] * 4), info('yh', [None] * 3)], weights)
        model = h.make_model(graph, opset_imports=[h.make_opsetid('', 14)])
        f = C.load_model(model.SerializeToString())
        made = f.eval({a: feeds[a.name] for a in f.arguments})
        found[layout] = [np.asarray(made[o]) for o in f.outputs]
    y, last = found[0]
    np.testing.assert_array_equal(found[1][0], np.transpose(y, (2, 0, 1, 3)))
    np.testing.assert_array_equal(found[1][1], np.transpose(last, (1, 0, 2)))


ACTIVATIONS = {
    'RNN': ('LeakyRelu', [0.1], [9.0]),
    'GRU': ('HardSigmoid ThresholdedRelu', [0.3, 0.5], [0.4]),
    'LSTM': ('HardSigmoid ScaledTanh Affine', [0.3, 0.5, 0.7], [0.4, 0.6, 0.1]),
}


@pytest.mark.parametrize('op, gates', [('LSTM', 4), ('GRU', 3), ('RNN', 1)])
@pytest.mark.parametrize('names', [None, 'LeakyRelu', 'HardSigmoid', 'Elu'])
def test_recurrences_with_other_activations(tmp_path, op, gates, names):
    """Each takes its numbers from the lists of the node, in their order; without lists, its own."""
    names, alpha, beta = (names, [], []) if names else ACTIVATIONS[op]
    names = names.split()
    names += names[:1] * ({'LSTM': 3, 'GRU': 2, 'RNN': 1}[op] - len(names))
    lists = {'activation_alpha': alpha, 'activation_beta': beta} if alpha else {}
    check(
        tmp_path / 'm.onnx',
        [h.make_node(op, ['x', 'w', 'r'], ['y', ''], hidden_size=2, activations=names, **lists)],
        [info('x', ['t', 'n', 4])],
        [info('y', [None] * 4)],
        [constant('w', numbers(1, gates * 2, 4)), constant('r', numbers(1, gates * 2, 2))],
        {'x': numbers(5, 3, 4)},
        due_by=by_runtime,
    )
