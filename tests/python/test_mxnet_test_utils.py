"""mx.test_utils: its checks pass what is right and refuse what is wrong; defaults are those of MXNet
1.9.1."""

import os

import numpy as np
import pytest

import cantik.mxnet as mx

t = mx.test_utils
lhs, rhs, x = (mx.sym.Variable(n) for n in ('lhs', 'rhs', 'x'))
A, B, G = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]]), np.ones((2, 2))


@pytest.fixture(autouse=True)
def seeded():
    np.random.seed(3)


def test_forward_and_backward():
    product = mx.sym.dot(lhs, rhs)
    assert t.check_symbolic_forward(product, [A, B], [A @ B])[0].shape == (2, 2)
    t.check_symbolic_forward(product, {'lhs': A, 'rhs': B}, {product.list_outputs()[0]: A @ B})
    t.check_symbolic_forward(x / 2, [np.array([7, 9], np.int32)], [np.array([3, 4])], dtype='asnumpy')
    t.check_symbolic_backward(product, [A, B], [G], [G @ B.T, A.T @ G])
    t.check_symbolic_backward(
        product, [A, B], [G], {'lhs': G @ B.T}, grad_req={'lhs': 'write', 'rhs': 'null'}
    )
    t.check_symbolic_backward(product, [A, B], [G], [G @ B.T, A.T @ G], grad_req='add', dtype=np.float64)
    t.check_symbolic_backward(
        product, [A, B], {product.list_outputs()[0]: G}, [G @ B.T, A.T @ G], grad_req=['write', 'add']
    )
    loss = mx.sym.LinearRegressionOutput(x, mx.sym.Variable('y'))
    t.check_symbolic_backward(loss, [A, B], None, {'x': (A - B) / 2})
    norm = mx.sym.BatchNorm(x, name='bn', fix_gamma=False, eps=0)
    t.check_symbolic_forward(norm, [A, np.ones(2), np.zeros(2)], [A], aux_states=[np.zeros(2), np.ones(2)])
    with pytest.raises(
        AssertionError,
        match=r'Location of maximum error: \(0, 0\), EXPECTED_dot\d+_output=20, FORWARD_dot\d+_output=19\.0',
    ):
        t.check_symbolic_forward(product, [A, B], [A @ B + 1])
    with pytest.raises(AssertionError, match='EXPECTED_lhs=.*BACKWARD_lhs='):
        t.check_symbolic_backward(product, [A, B], [G], [G @ B.T + 1, A.T @ G])
    with pytest.raises(ValueError, match="arguments have the names \\['lhs', 'rhs'\\]"):
        t.check_symbolic_forward(product, {'lhs': A}, [A @ B])
    with pytest.raises(ValueError, match='no other'):
        t.check_symbolic_backward(product, [A, B], [G], {'other': G})


def test_numeric_gradients():
    rand = np.random.rand
    t.check_numeric_gradient(mx.sym.dot(lhs, rhs), [A.astype(float), B.astype(float)], rtol=1e-2, atol=1e-2)
    t.check_numeric_gradient(
        mx.sym.tanh(x) * mx.sym.exp(x), [rand(3, 4)], numeric_eps=1e-3, rtol=1e-2, atol=1e-3
    )
    t.check_numeric_gradient(
        mx.sym.FullyConnected(x, num_hidden=3, name='fc'),
        [rand(2, 4), rand(3, 4), rand(3)],
        numeric_eps=1e-2,
        rtol=1e-2,
        atol=1e-3,
        grad_nodes=['x', 'fc_weight'],
    )
    t.check_numeric_gradient(
        mx.sym.Convolution(x, num_filter=2, kernel=(2, 2), name='c'),
        {'x': rand(2, 2, 4, 4), 'c_weight': rand(2, 2, 2, 2), 'c_bias': rand(2)},
        numeric_eps=1e-5,
        rtol=1e-6,
        atol=1e-6,
        dtype=np.float64,
    )
    t.check_numeric_gradient(
        mx.sym.split(x, num_outputs=2, axis=1), [rand(2, 4)], rtol=1e-2, atol=1e-2, grad_nodes={'x': 'add'}
    )
    t.check_numeric_gradient(
        mx.sym.BatchNorm(x, name='bn', fix_gamma=False),
        [rand(4, 3), rand(3), rand(3)],
        [np.zeros(3), np.ones(3)],
        numeric_eps=1e-2,
        rtol=0.1,
        atol=1e-2,
    )
    for wrong in (mx.sym.BlockGrad(x) + x * 0, mx.sym.LinearRegressionOutput(x * x, mx.sym.zeros((2, 2)))):
        with pytest.raises(AssertionError, match='NUMERICAL_x=.*BACKWARD_x='):
            t.check_numeric_gradient(wrong, [1 + rand(2, 2)])
    exe = (x * x).bind(
        mx.cpu(), {'x': mx.nd.zeros((2,), dtype='float64')}, {'x': mx.nd.zeros((2,), dtype='float64')}
    )
    np.testing.assert_allclose(
        t.numeric_grad(exe, {'x': np.array([1.0, -2.0])}, dtype=np.float64)['x'], [2, -4], rtol=1e-6
    )


def test_consistency():
    convolution = mx.sym.Convolution(num_filter=3, kernel=(3, 3), name='conv')
    contexts = [
        {'ctx': mx.cpu(0), 'conv_data': (2, 2, 10, 10), 'type_dict': {'conv_data': dtype}}
        for dtype in (np.float64, np.float32, np.float16)
    ]
    made = t.check_consistency(convolution, contexts, scale=0.1)
    assert made['conv_output'].dtype == np.float64 and made['conv_weight'].shape == (3, 2, 3, 3)
    t.check_consistency(convolution, contexts, grad_req='null', use_uniform=True)
    with pytest.raises(AssertionError, match='predicted'):
        t.check_consistency(
            [mx.sym.exp(x, name='f'), mx.sym.sin(x, name='f')],
            [{'ctx': mx.cpu(), 'x': (2,), 'type_dict': {'x': d}} for d in (np.float64, np.float32)],
        )
    with pytest.raises(AssertionError):
        t.check_consistency(x * 2, [{'ctx': mx.cpu(), 'x': (2,)}])
    with pytest.raises(mx.MXNetError, match='GPU support is disabled'):
        t.check_consistency(convolution, [contexts[0], {**contexts[1], 'ctx': mx.gpu(0)}])


def test_comparisons():
    assert t.same(A, A) and t.same(mx.nd.array(A), A) and not t.same(A, B) and not t.same(A, A[:1])
    assert (
        t.almost_equal(A, A + 1e-9)
        and not t.almost_equal(A, A + 1)
        and not t.almost_equal(np.float32(1), np.float32(1.0005))
    )
    assert not t.almost_equal(A, A[:1], use_broadcast=False)
    t.assert_almost_equal(mx.nd.array(A), A.astype(np.float32) + 1e-5)
    t.assert_almost_equal(np.float16(1), np.float32(1.05))
    t.assert_almost_equal(np.array([np.nan, np.inf]), np.array([np.nan, np.inf]), equal_nan=True)
    t.assert_almost_equal(A.astype(float), 1 + A, rtol={np.dtype(np.float64): 1.0, np.dtype(np.int64): 1.0})
    t.assert_almost_equal_with_err(np.zeros(10), np.r_[np.zeros(9), 1], etol=0.1)
    t.assert_almost_equal_ignore_nan(np.array([np.nan, 1]), np.array([1, 1.0]))
    t.assert_allclose(A, A)
    t.compare_ndarray_tuple((mx.nd.array(A), None), (mx.nd.array(A), None))
    for wrong in (
        lambda: t.assert_almost_equal(A, A + 1),
        lambda: t.assert_almost_equal(np.array([np.nan]), np.array([np.nan])),
        lambda: t.assert_almost_equal(np.ones(2), np.ones(3)),
        lambda: t.assert_almost_equal_with_err(np.zeros(10), np.r_[np.zeros(8), 1, 1], etol=0.1),
        lambda: t.assert_almost_equal_ignore_nan(np.array([np.nan, 1]), np.array([1, 2.0])),
        lambda: t.assert_almost_equal(np.array([np.inf]), np.array([-np.inf])),
        lambda: t.assert_allclose(A * 1.0, A + 1e-5),
        lambda: t.assert_almost_equal(np.ones((2, 1)), 1, names='ab', use_broadcast=False),
        lambda: t.compare_ndarray_tuple((mx.nd.array(A),), (mx.nd.array(B),)),
        lambda: t.assert_exception(lambda: 3, ValueError),
    ):
        with pytest.raises(AssertionError):
            wrong()
    with pytest.raises(
        AssertionError, match=r'Error \S+ exceeds tolerance rtol=\S+, atol=\S+ \(mismatch 50.000000%\)'
    ):
        t.assert_almost_equal(np.array([1, 2.0]), np.array([1, 3.0]))
    a = mx.nd.zeros((2, 3))
    assert t.same_array(a, a.reshape((3, 2)).reshape((2, 3))) and not t.same_array(a, a.copy())
    assert t.same_symbol_structure(x + 1, lhs + 1) and not t.same_symbol_structure(x + 1, x * 1)
    t.assert_exception(lambda: 1 / 0, ZeroDivisionError)


def test_tolerances():
    f16, f32, f64 = (np.dtype(d) for d in (np.float16, np.float32, np.float64))
    assert [t.default_rtols()[d] for d in (f16, f32, f64)] == [1e-2, 1e-4, 1e-5] and [
        t.default_atols()[d] for d in (f16, f32, f64)
    ] == [1e-1, 1e-3, 1e-20]
    assert [t.default_numeric_eps()[d] for d in (f16, f32, f64)] == [2.0**-6, 2.0**-9, 2.0**-14]
    assert t.get_tols(np.zeros(1, f32), np.zeros(1, f64), None, None) == (1e-4, 1e-3) and t.get_tols(
        np.zeros(1, np.int32), 1, None, 0.5
    ) == (0, 0.5)
    assert (
        t.get_rtol(),
        t.get_atol(),
        t.get_rtol(0.5),
        t.get_etol(),
        t.get_etol(0.25),
        t.get_atol(dtype=f32),
    ) == (1e-5, 1e-20, 0.5, 0, 0.25, 1e-3)
    assert (
        t.effective_dtype(mx.nd.zeros((1,), dtype='float16')) == f16
        and t.get_tolerance(np.zeros(1, f16), {f16: 3}, t.default_rtols()) == 3
    )


def test_random_arrays():
    assert (
        t.rand_ndarray((2, 3)).shape == (2, 3)
        and t.rand_ndarray((2,), dtype='float64').dtype == np.float64
        and t.rand_ndarray((4,), modifier_func=abs).asnumpy().min() >= 0
    )
    assert [a.shape for a in t.random_arrays((2, 3), (4,), ())] == [(2, 3), (4,), ()] and t.random_arrays(
        (2,)
    ).dtype == np.float32
    low, high = t.random_uniform_arrays((50,), (50,), low=2, high=3)
    assert low.min() >= 2 and high.max() <= 3
    for _ in range(20):
        assert (
            all(1 <= s <= 4 for s in t.rand_shape_nd(3, 4))
            and all(0 <= s <= 1 for s in t.rand_shape_2d(1, 1, allow_zero_size=True))
            and len(t.rand_shape_3d()) == 3
        )
    assert t.random_sample([1, 2, 3, 4], 4) == [1, 2, 3, 4] and len(t.random_sample(range(10), 3)) == 3
    assert (
        t.np_reduce(A, 0, True, np.sum).tolist() == [[4, 6]]
        and t.np_reduce(A, None, False, np.max) == 4
        and t.np_reduce(A, (0, 1), True, np.sum).shape == (1, 1)
    )
    assert t.collapse_sum_like(np.ones((2, 3, 4)), (3, 1)).tolist() == [[8], [8], [8]]
    assert (
        t.assign_each(A, lambda v: v + 1).tolist() == [[2, 3], [4, 5]]
        and t.assign_each2(A, B, max).tolist() == B.tolist()
        and t.assign_each(A, None).tolist() == A.tolist()
    )
    assert (
        t.create_vector(3).asnumpy().tolist() == [0, 1, 2]
        and t.create_2d_tensor(2, 2).asnumpy().tolist() == [[0, 0], [1, 1]]
        and t.get_identity_mat_batch(2).shape == (2, 2, 2)
    )
    q = t.new_orthonormal_matrix_2d(4)
    np.testing.assert_allclose(q @ q.T, np.eye(4), atol=1e-12)
    for make in (t.new_matrix_with_real_eigvals_nd, t.new_sym_matrix_with_real_eigvals_nd):
        made = make((2, 3, 3))
        assert (
            np.abs(np.linalg.eigvals(made).imag).max() < 1e-9
            and np.abs(np.linalg.eigvals(made)).max() <= 1.001
        )
    np.testing.assert_allclose(made, np.swapaxes(made, 1, 2), atol=1e-12)
    x, y = t.rand_coord_2d(0, 3, 5, 7)
    assert 0 <= x < 3 and 5 <= y < 7


def test_generators():
    buckets, probs = t.gen_buckets_probs_with_ppf(lambda q: q, 5)
    assert buckets[0] == (0, 0.2) and probs == [0.2] * 5
    p, found, expected = t.chi_square_check(
        lambda n: np.random.RandomState(0).rand(n), buckets, probs, nsamples=1000
    )
    assert (
        p == pytest.approx(0.7100276310567228, rel=1e-9)
        and found.tolist() == [200, 215, 195, 187, 203]
        and expected.tolist() == [200] * 5
    )  # SciPy's chisquare
    assert t.chi_square_check(
        lambda n: np.random.RandomState(0).randint(0, 3, n), [0, 1, 2], [1 / 3] * 3, nsamples=1000
    )[0] == pytest.approx(0.9351952013367766, rel=1e-9)
    assert len(t.verify_generator(lambda n: np.random.rand(n), buckets, probs, nsamples=10000)) == 5
    with pytest.raises(AssertionError, match='Generator test fails'):
        t.verify_generator(lambda n: np.random.rand(n) ** 2, buckets, probs, nsamples=10000)
    assert t.mean_check(lambda n: np.random.randn(n), 0, 1, 10000) and not t.mean_check(
        lambda n: np.random.randn(n), 0.1, 1, 10000
    )
    assert t.var_check(lambda n: np.random.randn(n), 1, 10000) and not t.var_check(
        lambda n: np.random.randn(n), 1.1, 10000
    )
    mx.random.seed(1)
    t.verify_generator(
        lambda n: mx.nd.random.uniform(0, 1, shape=(n,)).asnumpy(), buckets, probs, nsamples=20000
    )


def test_around():
    assert (
        t.default_context() == mx.cpu()
        and t.default_dtype() == np.float32
        and t.list_gpus() == []
        and t.is_op_runnable()
    )
    before = mx.current_context()
    t.set_default_context(mx.cpu(1))
    assert t.default_context() == mx.cpu(1) == mx.current_context()
    t.set_default_context(before)
    with t.environment('CANTIK_FOO', '1'):
        assert os.environ['CANTIK_FOO'] == '1'
        with t.environment({'CANTIK_FOO': None, 'CANTIK_BAR': 2}):
            assert 'CANTIK_FOO' not in os.environ and os.environ['CANTIK_BAR'] == '2'
    assert 'CANTIK_FOO' not in os.environ and 'CANTIK_BAR' not in os.environ
    tries = []

    @t.retry(3)
    def flaky():
        tries.append(1)
        assert len(tries) == 3

    flaky()
    tries.clear()
    with pytest.raises(AssertionError):
        t.retry(2)(lambda: (_ for _ in ()).throw(AssertionError()))()
    with t.discard_stderr():
        os.write(2, b'nobody reads this\n')
    assert (
        t.simple_forward(x * 2, x=np.array([1, 2])).tolist() == [2, 4]
        and t.check_speed(x * 2, x=(2, 2), N=2) > 0
    )
    t.compare_optimizer(
        mx.optimizer.create('sgd', momentum=0.9), mx.optimizer.create('sgd', momentum=0.9), (2, 3), 'float32'
    )
    with pytest.raises(AssertionError):
        t.compare_optimizer(
            mx.optimizer.create('sgd'), mx.optimizer.create('adam'), (2, 3), 'float32', compare_states=False
        )
    batches = t.DummyIter(mx.io.NDArrayIter(np.arange(6).reshape(3, 2), batch_size=1))
    assert batches.next() is next(iter(batches)) and batches.batch_size == 1
    with pytest.raises(AttributeError, match='nothing is downloaded'):
        t.get_mnist
