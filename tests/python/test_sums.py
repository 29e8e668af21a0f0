"""Sums and products of float32 are made in double, along every axis, as in CNTK 2.7."""

import numpy as np
import pytest

import cantik as C

N = 300_000


@pytest.fixture(scope='module')
def numbers():
    return (np.random.RandomState(0).rand(N, 2) + 1).astype(np.float32)


WAYS = {
    'reduce_sum': lambda x: x.sum(0),
    'reduce_mean': lambda x: x.mean(0),
    'reduce_l1': lambda x: np.abs(x).sum(0),
    'reduce_l2': lambda x: np.sqrt((x * x).sum(0)),
    'reduce_sum_square': lambda x: (x * x).sum(0),
    'reduce_log_sum_exp': lambda x: np.log(np.exp(x).sum(0)),
}


@pytest.mark.parametrize('name', WAYS)
def test_along_the_first_axis(name, numbers):
    x = C.input_variable((N, 2))
    found = getattr(C, name)(x, axis=0).eval({x: numbers[None]}).ravel()
    np.testing.assert_allclose(found, WAYS[name](numbers.astype(np.float64)), rtol=1.2e-7)


@pytest.mark.parametrize('name', ['reduce_sum', 'reduce_mean', 'reduce_l1', 'reduce_sum_square'])
def test_over_the_batch(name, numbers):
    x = C.input_variable(2)
    found = getattr(C, name)(x, axis=C.Axis.default_batch_axis()).eval({x: numbers})
    np.testing.assert_allclose(np.ravel(found), WAYS[name](numbers.astype(np.float64)), rtol=1.2e-7)


def test_over_the_steps(numbers):
    x = C.sequence.input_variable(2)
    found = C.sequence.reduce_sum(x).eval({x: [numbers]})
    np.testing.assert_allclose(found.ravel(), numbers.astype(np.float64).sum(0), rtol=1.2e-7)


def test_gradients_over_rows(numbers):
    x, w = C.input_variable(2), C.parameter(2, init=1)
    found = C.reduce_sum(w * x).grad({x: numbers}, wrt=[w])
    np.testing.assert_allclose(found, numbers.astype(np.float64).sum(0), rtol=1e-6)


CANCELS = np.array([1e8, 1, -1e8, 1], np.float32)


def test_what_comes_after_large_numbers_counts():
    """The figures are CNTK 2.7's."""
    x, b, s = C.input_variable((4, 2)), C.input_variable(1), C.sequence.input_variable(1)
    rows, two = CANCELS.reshape(4, 1), np.stack([CANCELS, CANCELS], 1)[None]
    np.testing.assert_array_equal(C.reduce_sum(x, axis=0).eval({x: two}).ravel(), [2, 2])
    np.testing.assert_array_equal(C.reduce_mean(x, axis=0).eval({x: two}).ravel(), [0.5, 0.5])
    assert C.reduce_sum(b, axis=C.Axis.default_batch_axis()).eval({b: rows}) == 2
    assert C.sequence.reduce_sum(s).eval({s: [rows]}) == 2
    w = C.parameter(1, init=1)
    assert C.reduce_sum(w * b).grad({b: rows}, wrt=[w]) == 2


def test_what_is_finite_stays_so():
    """Whatever is in between."""
    x = C.input_variable((4, 1), needs_gradient=True)
    large = np.array([2e38, 2e38, -2e38, 1], np.float32).reshape(1, 4, 1)
    assert C.reduce_sum(x, axis=0).eval({x: large}) == np.float32(2e38)
    assert C.reduce_mean(x, axis=0).eval({x: large}) == np.float32(5e37)
    for axis in (0, None):
        product = C.reduce_prod(x, axis=axis)
        for factors, gradient in (
            ([1e30, 1e30, 1e-30, 1], [1, 1, np.inf, 1e30]),
            ([-1e25, 1e25, 1e-25, 2], [2, -2, -np.inf, -1e25]),
            ([1, 2, 3, 4], [24, 12, 8, 6]),
        ):
            data = np.array(factors, np.float32).reshape(1, 4, 1)
            slopes, value = product.grad({x: data}, wrt=[x], outputs=[product.output])
            np.testing.assert_allclose(np.ravel(value), np.prod(factors), rtol=1e-6)
            np.testing.assert_allclose(slopes.ravel(), np.array(gradient, np.float32), rtol=1e-6)


@pytest.mark.parametrize('axis', [0, 1])
@pytest.mark.parametrize('reverse', [False, True])
def test_running_sums(axis, reverse, numbers):
    """Of lines side by side and of lines one behind the other, more of them than are taken at a time."""
    data = np.moveaxis(numbers[:, :1].repeat(5, 1) * np.arange(1, 6, dtype='f'), 0, axis)[None]
    x = C.input_variable(data.shape[1:])
    exact = data.astype(np.float64)
    exact = (
        np.flip(np.cumsum(np.flip(exact, axis + 1), axis + 1), axis + 1)
        if reverse
        else exact.cumsum(axis + 1)
    )
    np.testing.assert_allclose(C.cumsum(x, axis, reverse).eval({x: data}), exact, rtol=1.2e-7)
    few = data[:, :3, :3]
    y = C.input_variable((3, 3))
    np.testing.assert_allclose(
        C.cumsum(y, axis).eval({y: np.concatenate([few, -few])}),
        np.concatenate([few, -few]).cumsum(axis + 1), rtol=1e-6)  # fmt: skip
