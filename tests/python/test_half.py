"""float16: operators compute in float32 and round what they make."""

import numpy as np
import pytest

import cantik as C

A = np.array([[1.5, -2.25, 0.1], [100, 0.003, 2000]], np.float16)
B = np.array([[3, 0.7, -0.2], [0.33, 7, 31]], np.float16)


def inputs(**options):
    return [C.input_variable(3, dtype=np.float16, needs_gradient=True, **options) for _ in range(2)]


@pytest.mark.parametrize(
    'ours, theirs',
    [
        (lambda a, b: a + b, np.add),
        (lambda a, b: a * b, np.multiply),
        (lambda a, b: C.element_max(a, b), np.maximum),
        (lambda a, b: a * b + a, lambda a, b: a * b + a),
        (lambda a, b: (a * b - b) * 0.1, lambda a, b: (a * b - b) * np.float16(0.1)),
    ],
)
def test_every_operator_rounds_its_result(ours, theirs):
    a, b = inputs()
    f = ours(a, b)
    assert f.dtype == np.float16
    value = f.eval({a: A, b: B})
    assert value.dtype == np.float16 and np.array_equal(value, theirs(A, B))


def test_functions_are_as_good_as_float16_is():
    a, _b = inputs()
    x = A.astype(np.float64)
    value = C.sigmoid(a).eval({a: A})
    assert np.array_equal(value, (1 / (1 + np.exp(-x))).astype(np.float16))
    softmax = C.softmax(a).eval({a: B})
    e = np.exp(B.astype(np.float64))
    assert np.allclose(softmax, e / e.sum(1, keepdims=True), atol=1e-3)


def test_too_large_numbers_become_infinite():
    a, b = inputs()
    assert np.array_equal(
        (a * b).eval({a: np.array([[1000, -1000, 1]], np.float16), b: np.array([[100, 100, 1]], np.float16)}),
        [[np.inf, -np.inf, 1]],
    )


def test_products_and_gradients():
    x = C.input_variable(3, dtype=np.float16)
    W = C.parameter((3, 2), init=np.array([[1, 2], [0.5, -1], [3, 0.25]], np.float16), dtype=np.float16)
    z = C.reduce_sum(C.times(x, W))
    small = np.array([[1, 2, 3], [-1, 0.5, 0.25]], np.float16)
    assert np.array_equal(C.times(x, W).eval({x: small}), small @ W.value)
    gradient = z.grad({x: small}, wrt=[W])
    assert gradient.dtype == np.float16
    assert np.array_equal(gradient, np.repeat(small.sum(0)[:, None], 2, 1))


def test_casts_between_types():
    x = C.input_variable(3, needs_gradient=True)
    f = C.cast(C.cast(x, np.float16) * C.cast(x, np.float16), np.float32)
    data = np.array([[1, 20, 3.3]], np.float32)
    half = data.astype(np.float16)
    assert np.array_equal(f.eval({x: data}), (half * half).astype(np.float32))
    assert np.allclose(f.grad({x: data}), 2 * data, rtol=1e-3)


def test_a_saved_network(tmp_path):
    x = C.input_variable(3, dtype=np.float16)
    z = C.times(x, C.parameter((3, 5), dtype=np.float16, init=C.glorot_uniform(seed=1)))
    z.save(str(tmp_path / 'half'))
    assert np.array_equal(C.load_model(str(tmp_path / 'half')).eval(A), z.eval(A))


def sequence_models():
    L = C.layers
    return {
        'lstm': lambda: L.Recurrence(L.LSTM(5)),
        'gru backwards': lambda: L.Recurrence(L.GRU(5), go_backwards=True),
        'fold': lambda: L.Fold(L.RNNStep(4)),
        'both directions': lambda: L.Sequential(
            [(L.Recurrence(L.LSTM(3)), L.Recurrence(L.LSTM(3), go_backwards=True)), C.splice, L.Dense(2)]
        ),
        'attention': lambda: lambda x: C.sequence.reduce_sum(C.sequence.softmax(C.reduce_sum(x)) * x),
        'delays': lambda: lambda x: C.sequence.past_value(x) + C.sequence.future_value(x),
        'first and last': lambda: lambda x: C.sequence.first(x) - C.sequence.last(x),
        'window': lambda: L.SequentialConvolution(3, num_filters=3, pad=True),
    }


@pytest.mark.parametrize('name', list(sequence_models()))
def test_sequences(name):
    """Values and gradients are those of float32, as well as float16 can."""
    rng = np.random.default_rng(1)
    sequences = [rng.uniform(-1, 1, (n, 4)).astype(np.float16) for n in (3, 1, 5)]
    found = {}
    for dtype in (np.float32, np.float16):
        x = C.sequence.input_variable(4, dtype=dtype, needs_gradient=True)
        with C.default_options(dtype=dtype):
            z = sequence_models()[name]()(x)
        for i, p in enumerate(z.parameters):
            p.value = np.random.default_rng(i).uniform(-0.5, 0.5, p.shape).astype(dtype)
        feed = {x: [s.astype(dtype) for s in sequences]}
        value, gradient = z.eval(feed), z.grad(feed, wrt=[x])
        found[dtype] = [*value, *gradient]
    for half, single in zip(found[np.float16], found[np.float32]):
        assert half.dtype == np.float16
        assert np.allclose(half.astype(np.float32), single, atol=0.01)
