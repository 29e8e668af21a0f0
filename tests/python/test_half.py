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
