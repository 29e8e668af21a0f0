"""Stacks of recurrences with cuDNN's weights against a loop in NumPy, which agrees with what CNTK 2.7's
converter makes of such stacks."""

from pathlib import Path

import numpy as np
import pytest

import cantik as C

STATE, INPUT, LENGTHS = 2, 3, (4, 1, 3)
GATES = {'lstm': 4, 'gru': 3, 'rnnTanh': 1, 'rnnReLU': 1}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cell(op, a, r, h, c):
    """New states of the parts of all gates that come from the input and from the state."""
    if op == 'lstm':
        i, f, g, o = a + r
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    if op == 'gru':
        reset, z = sigmoid(a[0] + r[0]), sigmoid(a[1] + r[1])
        return (1 - z) * np.tanh(a[2] + reset * r[2]) + z * h, c
    return np.tanh(a[0] + r[0]) if op == 'rnnTanh' else np.maximum(a[0] + r[0], 0), c


def stack(op, x, weights, layers, directions):
    rest, n = weights.ravel(), GATES[op]

    def take(*shape):
        nonlocal rest
        part, rest = rest[: np.prod(shape)].reshape(shape), rest[np.prod(shape) :]
        return part

    sizes = [
        INPUT if layer == 0 else STATE * directions for layer in range(layers) for _ in range(directions)
    ]
    matrices = [(take(n, STATE, size), take(n, STATE, STATE)) for size in sizes]
    biases = [(take(n, STATE), take(n, STATE)) for _ in sizes]
    assert len(rest) == 0
    for layer in range(layers):
        made = []
        for d in range(directions):
            (w, r), (b, b_state) = matrices[layer * directions + d], biases[layer * directions + d]
            h, c, states = np.zeros(STATE), np.zeros(STATE), []
            for step in x[::-1] if d else x:
                h, c = cell(op, w @ step + b, r @ h + b_state, h, c)
                states.append(h)
            made.append(np.array(states[::-1] if d else states))
        x = np.concatenate(made, 1)
    return x


@pytest.mark.parametrize('bidirectional', [False, True])
@pytest.mark.parametrize('layers', [1, 2])
@pytest.mark.parametrize('op', sorted(GATES))
def test_stacks(op, layers, bidirectional):
    rs = np.random.RandomState(layers)
    x, W = (
        C.sequence.input_variable(INPUT, dtype=np.float64),
        C.parameter((C.InferredDimension, STATE), dtype=np.float64, init=C.uniform(1)),
    )
    z = C.optimized_rnnstack(x, W, STATE, layers, bidirectional=bidirectional, recurrent_op=op, name='stack')
    assert z.name == 'stack' and z.shape == (STATE * (1 + bidirectional),)
    data, weights = [rs.uniform(-1, 1, (n, INPUT)) for n in LENGTHS], rs.uniform(-1, 1, W.shape)
    W.value = weights
    for mine, sequence in zip(z.eval({x: data}), data):
        assert np.allclose(mine, stack(op, sequence, weights, layers, 1 + bidirectional), atol=1e-12)
    gradient, direction, eps = z.grad({x: data}, wrt=[W]), rs.uniform(-1, 1, W.shape), 1e-6
    sums = [
        sum(stack(op, s, weights + sign * eps * direction, layers, 1 + bidirectional).sum() for s in data)
        for sign in (1, -1)
    ]
    assert np.isclose((sums[0] - sums[1]) / (2 * eps), (gradient * direction).sum(), rtol=1e-6)
    copy = C.misc.convert_optimized_rnnstack(z)
    assert copy.arguments == z.arguments  # as in CNTK
    assert all(np.array_equal(a, b) for a, b in zip(copy.eval({copy.arguments[0]: data}), z.eval({x: data})))


def test_saved_and_loaded(tmp_path):
    x = C.sequence.input_variable(INPUT)
    z = C.optimized_rnnstack(
        x, C.parameter((C.InferredDimension, STATE), init=C.uniform(1)), STATE, 2, bidirectional=True
    )
    z.save(str(tmp_path / 'stack'))
    loaded, data = (
        C.Function.load(str(tmp_path / 'stack')),
        [np.ones((n, INPUT), np.float32) for n in LENGTHS],
    )
    assert all(
        np.array_equal(a, b) for a, b in zip(loaded.eval({loaded.arguments[0]: data}), z.eval({x: data}))
    )


def test_a_file_of_cntk():
    z = C.load_model(str(Path(__file__).parent.parent / 'golden' / 'rnn_stack_cntk.cntk2'))
    x, weights = z.arguments[0], z.parameters[0]
    rs = np.random.RandomState(3)
    data = [rs.uniform(-1, 1, (n, INPUT)).astype(np.float32) for n in LENGTHS]
    for mine, sequence in zip(z.eval({x: data}), data):
        assert np.allclose(mine, stack('gru', sequence, weights.value, 2, 2), atol=1e-6)
    assert z.root_function.op_name == 'OptimizedRNNStack' and z.root_function.attributes['numLayers'] == 2


def encoder(weights, bidirectional=True):
    return lambda x: C.optimized_rnnstack(x, weights, STATE, 1, bidirectional, 'gru', name='encoder')


def of_placeholder(f):
    place = C.placeholder()
    made = f(place)
    assert made.shape == (-2,)
    return lambda x: made.replace_placeholders({place: x})


def as_block(f):
    place = C.placeholder()
    return lambda x: C.as_block(f(place), [(place, x)], 'encoder', 'encoder')


@pytest.mark.parametrize('way', [C.Function, C.BlockFunction('encoder', 'encoder'), of_placeholder, as_block])
def test_an_operand_that_is_told_later(way, tmp_path):
    """As CNTK 2.7: the weights get their rows when the operand does."""
    weights = C.parameter((C.InferredDimension, STATE), init=C.uniform(1))
    f = way(encoder(weights))
    assert weights.shape == (C.InferredDimension, STATE)
    x = C.sequence.input_variable(INPUT)
    z = C.layers.Dense(1)(f(x))
    assert weights.shape == (42, STATE) and z.shape == (1,)
    data = [np.ones((n, INPUT), np.float32) for n in LENGTHS]
    whole = C.layers.Sequential([encoder(weights), lambda h: C.plus(C.times(h, z.W), z.b)])(x)
    for mine, other in zip(z.eval({x: data}), whole.eval({x: data})):
        np.testing.assert_array_equal(mine, other)
    z.save(str(tmp_path / 'model'))
    loaded = C.load_model(str(tmp_path / 'model'))
    for mine, other in zip(z.eval({x: data}), loaded.eval({loaded.arguments[0]: data})):
        np.testing.assert_array_equal(mine, other)


def test_wrong_stacks_that_are_told_later():
    place = C.placeholder()
    with pytest.raises(ValueError, match="there is no recurrent_op 'elman'"):
        C.optimized_rnnstack(place, C.parameter((28, 2)), STATE, 1, recurrent_op='elman')
    z = C.optimized_rnnstack(place, C.parameter((27, 2)), STATE, 1)
    with pytest.raises(ValueError, match='has 56 of them'):
        z.replace_placeholders({place: C.sequence.input_variable(INPUT)})
    with pytest.raises(ValueError, match='must be a sequence of vectors'):
        z.replace_placeholders({place: C.sequence.input_variable((INPUT, 2))})


def test_wrong_stacks():
    x = C.sequence.input_variable(INPUT)
    with pytest.raises(ValueError, match="there is no recurrent_op 'elman'"):
        C.optimized_rnnstack(x, C.parameter((28, 2)), STATE, 1, recurrent_op='elman')
    with pytest.raises(ValueError, match='has 56 of them') as raised:
        C.optimized_rnnstack(x, C.parameter((27, 2)), STATE, 1)
    assert 'give them the shape [28, 2]' in str(raised.value)
    with pytest.raises(ValueError, match='must be a sequence of vectors'):
        C.optimized_rnnstack(C.input_variable(INPUT), C.parameter((28, 2)), STATE, 1)
