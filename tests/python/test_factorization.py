"""Dense layers factored into two."""

import numpy as np
import pytest

import cantik as C
from cantik.contrib.netopt.factorization import dense_factored, factor_dense, svd_subprojection


@pytest.mark.parametrize('k', [1, 3, 4, 9])
def test_the_projection_is_the_nearest_of_its_rank(k):
    W = np.random.RandomState(0).randn(6, 4).astype(np.float32)
    a, b = svd_subprojection(W, k)
    assert a.shape == (6, min(k, 4)) and b.shape == (min(k, 4), 4) and a.dtype == b.dtype == np.float32
    assert np.allclose(np.linalg.norm(W - a @ b), np.sqrt(np.sum(np.linalg.svd(W)[1][k:] ** 2)), atol=1e-5)
    assert np.allclose(a.T @ a, np.eye(min(k, 4)), atol=1e-5)


def model():
    return C.layers.Sequential(
        [C.layers.Dense(8, activation=C.sigmoid, init_bias=0.5, name='wide'), C.layers.Dense(3, name='last')]
    )(C.input_variable(8))


def test_layers_keep_bias_activation_and_name():
    z, data = model(), np.random.RandomState(1).randn(5, 8).astype(np.float32)
    same = factor_dense(z, projection_function=lambda W: len(W))
    assert np.allclose(z.eval(data), same.eval(data), atol=1e-5)
    assert [
        f.name
        for f in C.logging.graph.depth_first_search(
            same, lambda f: isinstance(f, C.Function) and f.op_name == 'DenseFactored'
        )
    ] == ['last', 'wide']
    small = factor_dense(
        z, projection_function=lambda W: 2, filter_function=lambda layer: layer.name == 'wide'
    )
    assert sorted(p.shape for p in small.parameters) == [(2, 8), (3,), (8,), (8, 2), (8, 3)]
    assert {p.uid for p in z.parameters if p.name == 'b'} <= {
        p.uid for p in small.parameters
    }  # what is not factored is shared
    W, b = z.find_by_name('wide').W.value, z.find_by_name('wide').b.value
    u, v = svd_subprojection(W, 2)
    hidden = 1 / (1 + np.exp(-(data @ u @ v + b)))
    assert np.allclose(
        small.eval(data), hidden @ z.find_by_name('last').W.value + z.find_by_name('last').b.value, atol=1e-5
    )


def test_a_factor_function_of_ones_own():
    asked = []

    def factor(W, k):
        asked.append((W.shape, k))
        return W, np.eye(W.shape[1])

    z, data = model(), np.ones((1, 8), np.float32)
    assert np.allclose(factor_dense(z, factor_function=factor).eval(data), z.eval(data), atol=1e-5)
    assert sorted(asked) == [((8, 3), 3), ((8, 8), 8)]


def test_the_layer():
    rs = np.random.RandomState(2)
    W1, W2, data = (
        rs.randn(6, 2).astype(np.float32),
        rs.randn(2, 3).astype(np.float32),
        rs.randn(4, 6).astype(np.float32),
    )
    f = dense_factored((2, 3), init={'W1': W1, 'W2': W2}, activation=C.relu, init_bias=0.25, name='thin')
    z = f(C.input_variable(6))
    assert z.name == 'thin' and z.root_function.op_name == 'DenseFactored'
    assert np.allclose(z.eval(data), np.maximum(0, data @ W1 @ W2 + 0.25), atol=1e-5)
    inferred = dense_factored((2, 4, 3), bias=False)(C.input_variable((5, 6)))
    assert inferred.shape == (4, 3) and sorted(p.shape for p in inferred.parameters) == [(2, 4, 3), (5, 6, 2)]


def test_wrong_use():
    with pytest.raises(ValueError, match='requires a projection_function'):
        factor_dense(model())
    with pytest.raises(ValueError, match='whose product has another shape'):
        factor_dense(model(), factor_function=lambda W, k: (W, W))
    with pytest.raises(NotImplementedError, match='only matrices are factored'):
        factor_dense(C.layers.Dense(3)(C.input_variable((2, 4))), projection_function=lambda W: 2)
    with pytest.raises(ValueError, match='do not fit'):
        dense_factored((2, 3), init={'W1': np.ones((6, 5)), 'W2': np.ones((2, 3))})
    with pytest.raises(ValueError, match='like'):
        dense_factored(((6, 2), (2, 3)))
    with pytest.raises(NotImplementedError, match='input_rank'):
        dense_factored((2, 3), input_rank=1)
