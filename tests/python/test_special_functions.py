"""Functions of numbers beyond CNTK's, against scipy.special and NumPy: values over their whole range, edges,
gradients, element types."""

import math

import numpy as np
import pytest
import scipy.special

import cantik as C

AROUND = np.concatenate([np.linspace(-6, 6, 241), [-30.5, 30, 1e-3, -1e-3, 1e-12, -1e-12, 0.0]])
POSITIVE = np.concatenate([np.geomspace(1e-6, 150, 200), [1, 2, 0.5, 3.5]])
INSIDE = np.concatenate([np.linspace(-0.999, 0.999, 201), [1e-10, -1e-10, 1 - 1e-12, -1 + 1e-12, 0.0]])
NOT_WHOLE = np.array([x for x in np.linspace(-7.3, 12, 400) if abs(x - round(x)) > 1e-3 or x > 0.5])

# function, reference, where it is compared, relative error in float64, where its gradient is compared
FUNCTIONS = {
    'erf': (C.erf, scipy.special.erf, AROUND, 1e-14, np.linspace(-3, 3, 41)),
    'erfinv': (C.erfinv, scipy.special.erfinv, INSIDE, 1e-13, np.linspace(-0.9, 0.9, 41)),
    'gamma': (
        C.gamma,
        scipy.special.gamma,
        NOT_WHOLE,
        1e-11,
        np.concatenate([np.linspace(0.3, 6, 41), [-0.5, -1.4]]),
    ),
    'log_gamma': (
        C.log_gamma,
        scipy.special.gammaln,
        np.concatenate([NOT_WHOLE, [1e5, 1e-5, 1e10]]),
        1e-9,
        np.concatenate([np.linspace(0.3, 60, 41), [-0.5, -1.4]]),
    ),
    'digamma': (
        C.digamma,
        scipy.special.digamma,
        np.concatenate([NOT_WHOLE, [1e5, 1e-3]]),
        1e-9,
        np.concatenate([np.linspace(0.4, 60, 41), [-0.5, -1.4]]),
    ),
    'expm1': (C.expm1, np.expm1, AROUND, 1e-14, np.linspace(-3, 3, 41)),
    'log1p': (
        C.log1p,
        np.log1p,
        np.concatenate([POSITIVE, -INSIDE[INSIDE > 0], [1e-15, -1e-15]]),
        1e-14,
        np.linspace(-0.7, 6, 41),
    ),
    'cbrt': (
        C.cbrt,
        np.cbrt,
        np.concatenate([AROUND, [1e-300, -8, 27]]),
        1e-14,
        np.concatenate([np.linspace(0.3, 6, 41), [-2, -0.5]]),
    ),
    'smooth_l1': (
        lambda x: C.smooth_l1(x, 2.0),
        lambda x: np.where(np.abs(x) < 0.25, 2 * x * x, np.abs(x) - 0.125),
        AROUND,
        1e-13,
        np.array([-2, -0.2, -0.1, 0, 0.1, 0.2, 3]),
    ),
}


@pytest.mark.parametrize('name', FUNCTIONS)
def test_values(name):
    function, reference, at, close, _ = FUNCTIONS[name]
    wanted = reference(at)
    made = function(C.constant(at, dtype=np.float64)).eval()
    assert made.dtype == np.float64
    np.testing.assert_allclose(made, wanted, rtol=close, atol=close * 1e-2)
    single = at.astype(np.float32)
    made = function(C.constant(single)).eval()
    assert made.dtype == np.float32
    with np.errstate(over='ignore', divide='ignore'):
        wanted = reference(single.astype(np.float64)).astype(np.float32)
    smallest = np.float32(1.2e-38)  # smaller ones are 0
    np.testing.assert_allclose(
        np.where(np.abs(wanted) < smallest, 0, made),
        np.where(np.abs(wanted) < smallest, 0, wanted),
        rtol=3e-6,
        atol=1e-37,
    )


@pytest.mark.parametrize('name', FUNCTIONS)
def test_gradients(name):
    function, _, _, _, at = FUNCTIONS[name]
    x = C.input_variable(at.shape, dtype=np.float64, needs_gradient=True)
    assert C.check_gradient(function(x), {x: at[None].astype(np.float64)}, tolerance=1e-5, samples=64)


@pytest.mark.parametrize(
    'name, at, wanted',
    [
        ('erf', [np.inf, -np.inf, np.nan, 0], [1, -1, np.nan, 0]),
        ('erfinv', [1, -1, 1.5, -2, np.nan, 0], [np.inf, -np.inf, np.nan, np.nan, np.nan, 0]),
        (
            'gamma',
            [1, 2, 5, 172, np.inf, np.nan, 0.5],
            [1, 1, 24, np.inf, np.inf, np.nan, math.sqrt(math.pi)],
        ),
        ('log_gamma', [1, 2, np.inf, np.nan], [0, 0, np.inf, np.nan]),
        ('digamma', [1, np.nan, np.inf], [-0.5772156649015329, np.nan, np.inf]),
        ('expm1', [np.inf, -np.inf, np.nan, 800], [np.inf, -1, np.nan, np.inf]),
        ('log1p', [-1, -2, np.inf, np.nan, 0], [-np.inf, np.nan, np.inf, np.nan, 0]),
        ('cbrt', [np.inf, -np.inf, np.nan, 0, -27], [np.inf, -np.inf, np.nan, 0, -3]),
        ('smooth_l1', [np.inf, -np.inf, np.nan], [np.inf, np.inf, np.nan]),
    ],
)
def test_edges(name, at, wanted):
    made = FUNCTIONS[name][0](C.constant(np.array(at, float), dtype=np.float64)).eval()
    np.testing.assert_allclose(made, wanted, rtol=1e-12, atol=1e-15)


def test_remainder():
    x, y = np.meshgrid([-7.5, -3, -0.0, 0.25, 3, 7.5, 1e16], [-2.5, -2, 2, 2.5, 0.1, 3])
    made = C.remainder(C.constant(x, dtype=np.float64), C.constant(y, dtype=np.float64)).eval()
    np.testing.assert_allclose(made, np.remainder(x, y), rtol=1e-13, atol=1e-13)
    assert (C.remainder([5.0, -5], [0.0, 0]).eval() == 0).all()
    a, b = (C.input_variable(3, dtype=np.float64, needs_gradient=True) for _ in range(2))
    assert C.check_gradient(
        C.remainder(a, b), {a: np.array([[7.3, -7.3, 0.4]]), b: np.array([[2.0, 2.1, -3]])}
    )


@pytest.mark.parametrize('axis', [0, 1, 2, -1, -2])
@pytest.mark.parametrize('reverse', [False, True])
def test_cumsum(axis, reverse):
    data = np.random.default_rng(1).normal(size=(4, 3, 5, 2))
    x = C.input_variable((3, 5, 2), dtype=np.float64, needs_gradient=True)
    place = axis + 1 if axis >= 0 else axis
    wanted = np.flip(np.cumsum(np.flip(data, place), place), place) if reverse else np.cumsum(data, place)
    f = C.cumsum(x, axis, reverse)
    np.testing.assert_allclose(f.eval({x: data}), wanted, rtol=1e-12)
    assert C.check_gradient(
        C.reduce_sum(f * C.constant(np.random.default_rng(2).normal(size=f.shape), dtype=np.float64)),
        {x: data},
    )


@pytest.mark.parametrize(
    'wrong',
    [
        lambda: C.cumsum([[1, 2]], 2),
        lambda: C.cumsum([[1, 2]], -3),
        lambda: C.cumsum(3, 0),
        lambda: C.remainder([1, 2], [1, 2, 3]),
        lambda: C.erf(),
        lambda: C.gamma('x'),
    ],
)
def test_wrong_use(wrong):
    with pytest.raises((ValueError, TypeError)):
        wrong()


def test_in_a_network():
    """With a batch and sequences, behind and before other operators, saved and loaded."""
    x = C.sequence.input_variable(2, needs_gradient=True)
    f = C.sequence.reduce_sum(C.erf(C.log1p(C.abs(x)) * 2) + C.cumsum(x, 0))
    data = [np.array([[1, -2], [0.5, 3]], np.float32), np.array([[0, 0.25]], np.float32)]
    wanted = [np.sum(scipy.special.erf(np.log1p(np.abs(d)) * 2) + np.cumsum(d, 1), 0) for d in data]
    np.testing.assert_allclose(f.eval({x: data}), wanted, rtol=1e-5)
    assert [g.shape for g in f.grad({x: data})] == [(2, 2), (1, 2)]


def test_in_files(tmp_path):
    x = C.input_variable((2, 2), name='x')
    f = C.linalg.matmul(C.linalg.triangle(x), C.gamma(x), transpose_b=True)
    f.save(str(tmp_path / 'f.model'))
    g = C.load_model(str(tmp_path / 'f.model'))
    data = np.array([[[1.5, 2], [3, 0.5]]], np.float32)
    np.testing.assert_array_equal(f.eval({x: data}), g.eval({g.arguments[0]: data}))


ANGLES = np.concatenate(
    [np.linspace(-10, 10, 4001), np.linspace(-1e6, 1e6, 4001), np.geomspace(1e-20, 1e5, 500)]
)
UP_TO_ONE = np.concatenate([np.linspace(-1, 1, 4001), np.geomspace(1e-20, 1, 500)])


@pytest.mark.parametrize(
    'name, points, most',
    [
        ('sin', ANGLES, 2),
        ('cos', ANGLES, 2),
        ('tan', ANGLES, 4),
        ('atan', np.concatenate([ANGLES, -ANGLES]), 3),
        ('asin', UP_TO_ONE, 3),
        ('acos', UP_TO_ONE, 3),
        ('sinh', np.concatenate([np.linspace(-89, 89, 4001), UP_TO_ONE]), 3),
        ('cosh', np.linspace(-89, 89, 4001), 3),
    ],
)
def test_float32_is_near_the_exact_result(name, points, most):
    """In units in the last place of float32."""
    numbers = points.astype(np.float32)
    exact = getattr(np, {'asin': 'arcsin', 'acos': 'arccos', 'atan': 'arctan'}.get(name, name))(
        numbers.astype(np.float64)
    )
    x = C.input_variable(len(numbers))
    mine = getattr(C, name)(x).eval({x: numbers[None]})[0]
    unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    assert np.max(np.abs(mine - exact) / unit) <= most


def test_angles_beyond_a_million_and_those_that_are_none():
    numbers = np.array([[1e9, -3e15, 1e30, np.inf, -np.inf, np.nan, 0.5]], np.float32)
    x = C.input_variable(7)
    for f, reference in ((C.sin, np.sin), (C.cos, np.cos), (C.tan, np.tan)):
        with np.errstate(invalid='ignore'):
            exact = reference(numbers.astype(np.float64))
        np.testing.assert_allclose(f(x).eval({x: numbers}), exact, rtol=1e-6)


def test_sums_of_a_million_numbers():
    """Added one after the other in float32, those that come last count for nothing."""
    n = 10**6
    numbers = np.full((1, n), 0.1, np.float32)
    x, s, image = C.input_variable(n), C.sequence.input_variable(1), C.input_variable((1, 1000, 1000))
    assert C.reduce_sum(x).eval({x: numbers}).item() == pytest.approx(100000, rel=1e-5)
    assert C.sequence.reduce_sum(s).eval({s: [numbers.T]}).item() == pytest.approx(100000, rel=1e-6)
    pixels = (np.random.RandomState(1).rand(1, 1, 1000, 1000) * 0.1 + 101).astype(np.float32)
    mean = C.layers.GlobalAveragePooling()(image).eval({image: pixels}).item()
    assert mean == pytest.approx(pixels.mean(dtype=np.float64), rel=1e-5)


def test_softplus_without_steepness():
    """0 divided by 0 is 0, as everywhere (CNTK 2.7)."""
    x = C.input_variable(3, needs_gradient=True)
    y, data = C.softplus(x, steepness=0), np.array([[-1, 0, 2]], np.float32)
    np.testing.assert_array_equal(y.eval({x: data}), 0)
    np.testing.assert_array_equal(y.grad({x: data}), 0)
