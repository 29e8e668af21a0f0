"""Operators of the MXNet layer, values and gradients, against figures of MXNet 1.9.1 (mxnet_cases.py writes them)."""
from pathlib import Path

import numpy as np
import pytest

import cantik.mxnet as mx
from mxnet_cases import cases, run

FIGURES = np.load(Path(__file__).resolve().parents[1] / 'golden' / 'mxnet_operators.npz')
CASES = list(cases())


@pytest.mark.parametrize('name, op, operands, attributes', CASES, ids=[c[0] for c in CASES])
def test_operator(name, op, operands, attributes):
    made = run(mx, op, operands, attributes)
    wanted = [FIGURES['{}/{}'.format(name, i)] for i in range(len(made))]
    assert '{}/{}'.format(name, len(made)) not in FIGURES
    for i, (a, b) in enumerate(zip(made, wanted)):
        assert a.shape == b.shape and a.dtype == b.dtype, (i, a.shape, b.shape, a.dtype, b.dtype)
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5, err_msg='array {}'.format(i))


def test_every_operator_has_a_case():
    """Those that have none draw, or are other operators' parts, or are tested by optimizers."""
    tested = {mx.ndarray._OPERATORS[op] for _, op, _, _ in CASES if op in mx.ndarray._OPERATORS}
    left = {op.name for op in mx.ndarray._OPERATORS.values()} - {op.name for op in tested}
    elsewhere = {'Custom', 'Dropout', '_full', '_zeros', '_ones', '_arange', '_eye', 'reshape_like', 'square_sum', 'batch_take', '_logical_and', '_logical_or', '_logical_xor',
                 '_not_equal', '_greater_equal', '_lesser', '_not_equal_scalar', '_greater_equal_scalar', '_lesser_equal_scalar', '_logical_and_scalar', '_logical_or_scalar',
                 '_logical_xor_scalar', 'broadcast_power'}
    assert not {n for n in left if not n.endswith('_update') and not n.startswith(('_random', '_sample'))} - elsewhere


def test_selu():
    """MXNet's own gradient of it is not that of its values; this one is."""
    x = mx.nd.array([-1.5, -0.25, 0.5, 2])
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.LeakyReLU(x, act_type='selu')
    y.backward()
    n, scale, alpha = x.asnumpy(), 1.0507009873554805, 1.6732632423543772
    np.testing.assert_allclose(y.asnumpy(), scale * np.where(n > 0, n, alpha * (np.exp(n) - 1)), rtol=1e-5)
    np.testing.assert_allclose(x.grad.asnumpy(), scale * np.where(n > 0, 1, alpha * np.exp(n)), rtol=1e-5)


def test_scalars_make_no_new_programs():
    from cantik.mxnet import eager
    x = mx.nd.ones((2, 3))
    (x * 1.5).asnumpy()
    before = len(eager._programs)
    for i in range(20):
        assert ((x * i).asnumpy() == i).all()
    assert len(eager._programs) == before


def test_random_numbers():
    mx.random.seed(7)
    a = mx.nd.random.uniform(2, 5, shape=(1000,)).asnumpy()
    b = mx.nd.random.uniform(2, 5, shape=(1000,)).asnumpy()
    mx.random.seed(7)
    c = mx.nd.random.uniform(2, 5, shape=(1000,)).asnumpy()
    np.testing.assert_array_equal(a, c)
    assert not np.array_equal(a, b) and 2 <= a.min() and a.max() < 5 and abs(a.mean() - 3.5) < 0.1
    n = mx.nd.random.normal(1, 2, shape=(4000,)).asnumpy()
    assert abs(n.mean() - 1) < 0.15 and abs(n.std() - 2) < 0.15
    i = mx.nd.random.randint(3, 6, shape=(300,))
    assert i.dtype == np.int32 and set(i.asnumpy()) == {3, 4, 5}
    p = mx.nd.random.multinomial(mx.nd.array([[0, 0.25, 0.75], [1, 0, 0]]), shape=2000).asnumpy()
    assert p.shape == (2, 2000) and abs((p[0] == 2).mean() - 0.75) < 0.05 and (p[1] == 0).all() and not (p[0] == 0).any()


def test_dropout():
    x = mx.nd.ones((50, 40))
    assert (mx.nd.Dropout(x, p=0.5).asnumpy() == 1).all()
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Dropout(x, p=0.25)
    y.backward()
    made = y.asnumpy()
    assert set(np.unique(made.round(4))) == {0, np.float32(1.3333)} and abs((made == 0).mean() - 0.25) < 0.05
    np.testing.assert_array_equal(x.grad.asnumpy(), made)  # the same draw
    with mx.autograd.train_mode():
        assert (mx.nd.Dropout(mx.nd.ones((50, 40)), p=0.5).asnumpy() == 0).any()
    assert (mx.nd.Dropout(mx.nd.ones((50, 40)), p=0.5, mode='always').asnumpy() == 0).any()


def test_errors_name_what_is_wrong():
    one = mx.nd.ones
    with pytest.raises(mx.MXNetError, match=r'operands could not be broadcast together with shapes \[1,2\] \[3,4\]'):
        one((1, 2)) + one((3, 4))
    with pytest.raises(mx.MXNetError, match=r'expected \[3,1\], got \[3,4\]'):
        mx.nd.elemwise_add(one((3, 1)), one((3, 4)))
    with pytest.raises(mx.MXNetError, match='expected int32, got float32'):
        mx.nd.array([1, 2], dtype='int32') + mx.nd.array([1, 2.])
    with pytest.raises(mx.MXNetError, match=r'Provided = \[3,4\], inferred shape=\(3,2\)'):
        mx.nd.FullyConnected(one((1, 2)), one((3, 4)), num_hidden=3, no_bias=True)
    with pytest.raises(mx.MXNetError, match="Cannot find argument 'foo', Possible Arguments:\n----------------\nnum_hidden : int, required"):
        mx.nd.FullyConnected(one((1, 2)), one((3, 2)), num_hidden=3, foo=3)
    with pytest.raises(mx.MXNetError, match='Required parameter num_hidden of int is not presented, in operator FullyConnected'):
        mx.nd.FullyConnected(one((1, 2)), one((3, 2)), no_bias=True)
    with pytest.raises(mx.MXNetError, match="Invalid Parameter format for num_hidden expect int but value='x'"):
        mx.nd.FullyConnected(one((1, 2)), one((3, 2)), num_hidden='x', no_bias=True)
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        mx.nd.nosuch
    with pytest.raises(mx.MXNetError, match='GPU support is disabled'):
        mx.nd.ones((2,), ctx=mx.gpu(0))
    with pytest.raises(AttributeError, match='mxnet.gluon is not there'):
        mx.gluon
    with pytest.raises(mx.MXNetError, match='expects 2 inputs, but got 1'):
        mx.nd.dot(one((2, 2)))
