"""cantik.linalg against NumPy: values, gradients, stacks, batches, element types, and wrong use."""

import numpy as np
import pytest
import scipy.linalg

import cantik as C

RANDOM = np.random.default_rng(3)
SQUARE = RANDOM.normal(size=(4, 3, 3))
SYMMETRIC = SQUARE @ SQUARE.swapaxes(1, 2) + 2 * np.eye(3)
WIDE = RANDOM.normal(size=(4, 3, 5))
TALL = RANDOM.normal(size=(4, 3, 2))


def lines_up(vectors):
    """Rows with the sign that makes the element of the largest magnitude positive."""
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(-1)[..., None], -1)
    return vectors * np.sign(largest)


def eigh(x):
    values, vectors = np.linalg.eigh(x)
    return lines_up(vectors.swapaxes(-1, -2)), values


def lq(x):
    q, r = np.linalg.qr(x.swapaxes(-1, -2))
    return r.swapaxes(-1, -2), q.swapaxes(-1, -2)


def solve(t, b, lower=True, transpose=False, right=False):
    t = np.tril(t) if lower else np.triu(t)
    t = t.swapaxes(-1, -2) if transpose else t
    return b @ np.linalg.inv(t) if right else np.linalg.solve(t, b)


CASES = {
    'matmul': (C.linalg.matmul, np.matmul, [SQUARE, WIDE]),
    'matmul, both transposed': (
        lambda a, b: C.linalg.matmul(a, b, True, True),
        lambda a, b: a.swapaxes(-1, -2) @ b.swapaxes(-1, -2),
        [TALL, RANDOM.normal(size=(4, 6, 3))],
    ),
    'lower triangle': (C.linalg.triangle, np.tril, [WIDE]),
    'upper triangle': (lambda x: C.linalg.triangle(x, False, 1), lambda x: np.triu(x, 1), [WIDE]),
    'below the diagonal': (lambda x: C.linalg.triangle(x, offset=-1), lambda x: np.tril(x, -1), [WIDE]),
    'cholesky': (C.linalg.cholesky, np.linalg.cholesky, [SYMMETRIC]),
    'inverse': (C.linalg.inverse, np.linalg.inv, [SQUARE]),
    'determinant': (C.linalg.determinant, np.linalg.det, [SQUARE]),
    'slogdet': (C.linalg.slogdet, np.linalg.slogdet, [SQUARE]),
    'lq': (C.linalg.lq, lq, [WIDE]),
    'lq of squares': (C.linalg.lq, lq, [SQUARE]),
    'eigh': (C.linalg.eigh, eigh, [SYMMETRIC]),
    **{
        'triangular_solve {} {} {}'.format(*options): (
            lambda t, b, o=options: C.linalg.triangular_solve(t, b, *o),
            lambda t, b, o=options: solve(t, b, *o),
            [SYMMETRIC, TALL.swapaxes(1, 2) if options[2] else TALL],
        )
        for options in [
            (lower, transpose, right)
            for lower in (True, False)
            for transpose in (True, False)
            for right in (True, False)
        ]
    },
}


def outputs_of(f, feeds):
    values = f.eval(feeds)
    return [values[v] for v in f.outputs] if isinstance(values, dict) else [values]


@pytest.mark.parametrize('name', CASES)
@pytest.mark.parametrize('view', ['one', 'stack', 'batch', 'batch of stacks'])
def test_values(name, view):
    """One matrix, matrices along an axis, along the batch, along both."""
    function, reference, operands = CASES[name]
    cut = {
        'one': lambda x: x[0],
        'stack': lambda x: x,
        'batch': lambda x: x,
        'batch of stacks': lambda x: x.reshape(2, 2, *x.shape[1:]),
    }[view]
    operands = [cut(x) for x in operands]
    wanted = reference(*operands)
    for dtype, close in ((np.float64, 1e-10), (np.float32, 2e-5)):
        axes = {} if view.startswith('batch') else {'dynamic_axes': []}
        inputs = [
            C.input_variable(x.shape[1:] if view.startswith('batch') else x.shape, dtype=dtype, **axes)
            for x in operands
        ]
        made = outputs_of(function(*inputs), {v: x.astype(dtype) for v, x in zip(inputs, operands)})
        for m, w in zip(made, wanted if isinstance(wanted, tuple) else [wanted], strict=True):
            assert m.dtype == dtype and m.shape == w.shape
            np.testing.assert_allclose(m, w, rtol=close, atol=close)


@pytest.mark.parametrize('name', [n for n in CASES if n not in ('cholesky', 'eigh')])
def test_gradients(name):
    function, _, operands = CASES[name]
    inputs = [C.input_variable(x.shape[1:], dtype=np.float64, needs_gradient=True) for x in operands]
    made = function(*inputs)
    for v in made.outputs[1:] if name == 'slogdet' else made.outputs:
        weights = C.constant(RANDOM.normal(size=v.shape), dtype=np.float64)
        assert C.check_gradient(C.reduce_sum(v * weights), dict(zip(inputs, operands)), tolerance=1e-5), name


@pytest.mark.parametrize('name', ['cholesky', 'eigh'])
def test_gradients_of_symmetric_matrices(name):
    """Their operand is symmetric: what it is made of may change as it likes."""
    x = C.input_variable((3, 3), dtype=np.float64, needs_gradient=True)
    made = CASES[name][0](C.linalg.matmul(x, x, transpose_b=True) + 0.5 * np.diag([1.0, 2, 3]))
    for v in made.outputs:
        weights = C.constant(RANDOM.normal(size=v.shape), dtype=np.float64)
        assert C.check_gradient(C.reduce_sum(v * weights), {x: SQUARE}, tolerance=1e-5)


def test_an_unread_half():
    """Cholesky and triangular solves read their triangle alone, and their gradients are 0 or symmetric
    there."""
    lower = np.tril(SYMMETRIC[0])
    np.testing.assert_allclose(
        C.linalg.cholesky(C.constant(lower)).eval(), np.linalg.cholesky(SYMMETRIC[0]), rtol=1e-5
    )
    t = C.input_variable((3, 3), dtype=np.float64, needs_gradient=True)
    grad = C.reduce_sum(C.linalg.triangular_solve(t, np.ones((3, 2)), lower=False)).grad({t: SYMMETRIC[:1]})
    assert (
        np.array_equal(grad, np.triu(grad))
        and np.abs(grad).min(where=np.triu(np.ones((3, 3))) > 0, initial=1) > 0
    )


def test_large_and_ill_conditioned():
    """The factorisations are as exact as LAPACK's, which scipy calls."""
    hilbert = scipy.linalg.hilbert(8)
    assert (
        np.abs(C.linalg.inverse(C.constant(hilbert, dtype=np.float64)).eval() @ hilbert - np.eye(8)).max()
        < 1e-5
    )
    large = RANDOM.normal(size=(120, 120))
    np.testing.assert_allclose(
        C.linalg.inverse(C.constant(large, dtype=np.float64)).eval(),
        np.linalg.inv(large),
        rtol=1e-8,
        atol=1e-10,
    )
    vectors, values = (
        C.combine([v]).eval() for v in C.linalg.eigh(C.constant(large + large.T, dtype=np.float64)).outputs
    )
    np.testing.assert_allclose(values, np.linalg.eigvalsh(large + large.T), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(120), atol=1e-11)
    pivoting = np.array([[0, 1.0], [1, 0]])  # its first pivot is 0
    np.testing.assert_allclose(C.linalg.inverse(pivoting).eval(), pivoting)
    assert C.linalg.determinant(pivoting).eval() == -1


def test_singular():
    singular = np.array([[1.0, 2], [2, 4]])
    with pytest.raises(ValueError, match='singular'):
        C.linalg.inverse(singular).eval()
    assert C.linalg.determinant(singular).eval() == 0
    sign, logarithm = (C.combine([v]).eval() for v in C.linalg.slogdet(singular).outputs)
    assert sign == 0 and logarithm == -np.inf
    x = C.input_variable((2, 2), needs_gradient=True)
    with pytest.raises(ValueError, match='singular'):
        C.linalg.determinant(x).grad({x: [singular]})
    with pytest.raises(ValueError, match='positive definite'):
        C.linalg.cholesky([[1.0, 2], [2, 1]]).eval()


def test_nan():
    """Numbers that are none are no error: they go on, as in NumPy."""
    broken = np.array([[np.nan, 2], [2, 1]])
    np.testing.assert_array_equal(C.linalg.cholesky(broken).eval(), np.linalg.cholesky(broken))
    assert np.isnan(C.linalg.inverse(broken).eval()).all() and np.isnan(C.linalg.determinant(broken).eval())
    assert all(np.isnan(C.combine([v]).eval()).all() for v in C.linalg.eigh(broken).outputs)


def test_the_row_is_named():
    """In a batch the error says which sample's matrix it is."""
    x = C.input_variable((2, 2), name='covariance')
    good, bad = [[2.0, 0], [0, 2]], [[0.0, 0], [0, 1]]
    with pytest.raises(ValueError, match='row 2') as error:
        C.linalg.inverse(x).eval({x: [good, good, bad]})
    assert 'covariance' in str(error.value)


@pytest.mark.parametrize(
    'wrong',
    [
        lambda: C.linalg.inverse([1, 2, 3]),
        lambda: C.linalg.inverse(np.ones((2, 3))),
        lambda: C.linalg.cholesky(np.ones((3, 2))),
        lambda: C.linalg.determinant(2),
        lambda: C.linalg.eigh(np.ones((2, 3))),
        lambda: C.linalg.lq(np.ones((3, 2))),
        lambda: C.linalg.matmul(np.ones((2, 3)), np.ones((2, 3))),
        lambda: C.linalg.matmul(np.ones((2, 3, 3)), np.ones((4, 3, 3))),
        lambda: C.linalg.matmul([1, 2], np.ones((2, 2))),
        lambda: C.linalg.triangular_solve(np.ones((2, 3)), np.ones((2, 2))),
        lambda: C.linalg.triangular_solve(np.ones((2, 2)), np.ones((3, 2))),
        lambda: C.linalg.triangular_solve(np.ones((2, 2)), np.ones((2, 3)), right=True),
        lambda: C.linalg.triangle([1, 2]),
    ],
)
def test_wrong_shapes(wrong):
    with pytest.raises(ValueError):
        wrong()


def test_empty():
    """No matrices, and matrices without elements."""
    for shape in (0, 3, 3), (2, 0, 0):
        assert C.linalg.inverse(C.constant(np.zeros(shape, np.float32))).eval().shape == shape
        assert C.linalg.determinant(C.constant(np.zeros(shape, np.float32))).eval().shape == shape[:1]


def test_extreme_sizes():
    """Elements whose squares are no numbers of float64."""
    for scale in (1e-200, 1e200):
        x = SYMMETRIC[0] * scale
        vectors, values = (
            C.combine([v]).eval() for v in C.linalg.eigh(C.constant(x, dtype=np.float64)).outputs
        )
        np.testing.assert_allclose(values, np.linalg.eigvalsh(x), rtol=1e-10)
        np.testing.assert_allclose(vectors, eigh(SYMMETRIC[0])[0], atol=1e-10)
