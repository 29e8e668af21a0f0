"""Operators of the MXNet layer, values and gradients, against figures of MXNet 1.9.1 (mxnet_cases.py writes
them)."""

import re
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
    wanted = [FIGURES[f'{name}/{i}'] for i in range(len(made))]
    assert f'{name}/{len(made)}' not in FIGURES
    for i, (a, b) in enumerate(zip(made, wanted)):
        assert a.shape == b.shape and a.dtype == b.dtype, (i, a.shape, b.shape, a.dtype, b.dtype)
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5, err_msg=f'array {i}')


def test_every_operator_has_a_case():
    """Those that have none draw, or are other operators' parts, or are tested by optimizers and programs."""
    here = Path(__file__).parent
    words = set(
        re.findall(r'\w+', ' '.join(path.read_text() for path in sorted(here.glob('mxnet*_cases.py'))))
    )
    elsewhere = {
        'Custom',
        'Dropout',
        '_full',
        '_zeros',
        '_ones',
        '_arange',
        '_eye',
        '_logical_and',
        '_logical_or',
        '_logical_xor',
        '_not_equal',
        '_greater_equal',
        '_lesser',
        '_histogram',
        '_split_v2',
        'square_sum',
    }

    def called(op):
        """Its names, as programs write them."""
        names = {op.name, *op.aliases}
        return (
            names
            | {re.sub('^(_linalg_|_contrib_|broadcast_)', '', n) for n in names}
            | {re.sub('_scalar$', '', n).lstrip('_') for n in names if n.endswith('_scalar')}
        )

    left = {op.name for op in mx.ndarray._OPERATORS.values() if not called(op) & words}
    assert (
        not {
            n
            for n in left
            if not n.endswith('_update') and not n.startswith(('_random', '_sample', '_shuffle', 'lamb_'))
        }
        - elsewhere
    )


def test_square_sum():
    """MXNet has it of sparse arrays alone."""
    assert mx.nd._internal._square_sum(mx.nd.array([[1, 2], [3, 4]]), axis=1).asnumpy().tolist() == [5, 25]


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
    from cantik.mxnet.ndarray import eager

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
    assert (
        p.shape == (2, 2000)
        and abs((p[0] == 2).mean() - 0.75) < 0.05
        and (p[1] == 0).all()
        and not (p[0] == 0).any()
    )


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
    with pytest.raises(
        mx.MXNetError, match=r'operands could not be broadcast together with shapes \[1,2\] \[3,4\]'
    ):
        one((1, 2)) + one((3, 4))
    with pytest.raises(mx.MXNetError, match=r'expected \[3,1\], got \[3,4\]'):
        mx.nd.elemwise_add(one((3, 1)), one((3, 4)))
    with pytest.raises(mx.MXNetError, match='expected int32, got float32'):
        mx.nd.array([1, 2], dtype='int32') + mx.nd.array([1, 2.0])
    with pytest.raises(mx.MXNetError, match=r'Provided = \[3,4\], inferred shape=\(3,2\)'):
        mx.nd.FullyConnected(one((1, 2)), one((3, 4)), num_hidden=3, no_bias=True)
    with pytest.raises(
        mx.MXNetError,
        match="Cannot find argument 'foo', Possible Arguments:\n----------------\nnum_hidden : int, required",
    ):
        mx.nd.FullyConnected(one((1, 2)), one((3, 2)), num_hidden=3, foo=3)
    with pytest.raises(
        mx.MXNetError,
        match='Required parameter num_hidden of int is not presented, in operator FullyConnected',
    ):
        mx.nd.FullyConnected(one((1, 2)), one((3, 2)), no_bias=True)
    with pytest.raises(
        mx.MXNetError, match="Invalid Parameter format for num_hidden expect int but value='x'"
    ):
        mx.nd.FullyConnected(one((1, 2)), one((3, 2)), num_hidden='x', no_bias=True)
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        mx.nd.nosuch
    with pytest.raises(mx.MXNetError, match='GPU support is disabled'):
        mx.nd.ones((2,), ctx=mx.gpu(0))
    with pytest.raises(AttributeError, match='mxnet.gluon is not there'):
        mx.gluon
    with pytest.raises(mx.MXNetError, match='expects 2 inputs, but got 1'):
        mx.nd.dot(one((2, 2)))


@pytest.mark.parametrize('kept', [False, True])
def test_softmax_output_with_a_gradient_from_above(kept):
    """out_grad=True, as its documentation has it: each element of the gradient times what comes from
    above."""
    x = np.array([[1, 2, 3], [0, 0, 1]], np.float32)
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    own = (p - np.eye(3)[[2, 0]]) * 0.5
    above = np.array([[1, 2, 3], [4, 5, -6]], np.float32)
    s = mx.sym.SoftmaxOutput(
        mx.sym.Variable('x'), mx.sym.Variable('label'), out_grad=True, grad_scale=0.5, preserve_shape=kept
    )
    exe = s.simple_bind(mx.cpu(), x=(2, 3), label=(2,))
    exe.forward(is_train=True, x=mx.nd.array(x), label=mx.nd.array([2, 0]))
    exe.backward([mx.nd.array(above)])
    np.testing.assert_allclose(exe.grad_dict['x'].asnumpy(), own * above, rtol=1e-5)
    with pytest.raises(mx.MXNetError, match='head_gradient'):
        exe.backward()


def along(n):
    """Operators by the name of their attribute for an axis, called with that axis."""
    x, like, v2, v3, cube = (
        mx.nd.ones((2, 3)),
        mx.nd.ones((1, 3)),
        mx.nd.ones((2,)),
        mx.nd.ones((3,)),
        mx.nd.ones((2, 3, 3)),
    )
    for name in (
        'sum mean prod nansum nanprod max min argmax argmin norm sort argsort topk softmax log_softmax '
        'softmin expand_dims squeeze flip cumsum'
    ).split():
        yield name, lambda name=name: getattr(mx.nd, name)(x, axis=n)
    for name in 'sum mean prod max flip'.split():
        yield name + ' along two', lambda name=name: getattr(mx.nd, name)(x, axis=(0, n))
    yield 'transpose', lambda: mx.nd.transpose(x, axes=(0, n))
    yield 'swapaxes', lambda: mx.nd.swapaxes(x, dim1=0, dim2=n)
    yield 'slice_axis', lambda: mx.nd.slice_axis(x, axis=n, begin=0, end=1)
    yield 'slice_like', lambda: mx.nd.slice_like(x, x, axes=(n,))
    yield 'split', lambda: mx.nd.split(x, num_outputs=1, axis=n)
    yield 'split_v2', lambda: mx.nd.split_v2(x, 1, axis=n)
    yield 'concat', lambda: mx.nd.concat(x, x, dim=n)
    yield 'stack', lambda: mx.nd.stack(x, x, axis=n)
    yield 'repeat', lambda: mx.nd.repeat(x, repeats=2, axis=n)
    yield 'take', lambda: mx.nd.take(x, mx.nd.zeros((1,)), axis=n)
    yield 'pick', lambda: mx.nd.pick(x, v2, axis=n)
    yield 'diag', lambda: mx.nd.diag(cube, axis1=0, axis2=n)
    yield 'LayerNorm', lambda: mx.nd.LayerNorm(x, v3, v3, axis=n)
    yield 'BatchNorm', lambda: mx.nd.BatchNorm(x, v3, v3, v3, v3, axis=n)
    yield 'broadcast_axis', lambda: mx.nd.broadcast_axis(like, axis=(n,), size=(2,))
    yield 'broadcast_like', lambda: mx.nd.broadcast_like(like, x, lhs_axes=(0,), rhs_axes=(n,))
    yield 'moments', lambda: mx.nd.moments(x, axes=(n,))
    yield 'squeeze in place', lambda: like.squeeze(axis=n, inplace=True)


@pytest.mark.parametrize('place', range(len(list(along(0)))), ids=[name for name, _ in along(0)])
def test_axes_that_are_not_there(place):
    """An axis beyond the last one, or before the first one, is an error of every operator that takes one."""
    for n in (7, -9, 2**40):
        with pytest.raises(mx.MXNetError):
            list(along(n))[place][1]()
        with pytest.raises(AssertionError, match='out of range'):  # as MXNet has it
            mx.nd.ones((2, 3)).expand_dims(n, inplace=True)


def test_rounding_is_exact():
    """Halves go away from 0 in round, down in rint; neighbours of halves and large numbers are not rounded
    twice; -0.0 keeps its sign."""
    x = np.array(
        [0.5, -0.5, 1.5, 0.49999997, -0.49999997, 8388609, 8388611, -8388609, -0.0, np.inf, -np.inf, np.nan],
        np.float32,
    )
    wanted = {
        'round': [1, -1, 2, 0, -0.0, 8388609, 8388611, -8388609, -0.0, np.inf, -np.inf, np.nan],
        'rint': [0, -1, 1, 0, -0.0, 8388609, 8388611, -8388609, -0.0, np.inf, -np.inf, np.nan],
    }
    for name, values in wanted.items():
        made = getattr(mx.nd, name)(mx.nd.array(x)).asnumpy()
        np.testing.assert_array_equal(made, values, err_msg=name)
        np.testing.assert_array_equal(np.signbit(made[:11]), np.signbit(values[:11]), err_msg=name)


def test_remainders_of_nothing_have_a_sign():
    x, y = mx.nd.array([-1, 1, -1, -0.0, 0.0, -3, 3]), mx.nd.array([1, -1, -1, 1, -1, 2, -2])
    made = mx.nd.broadcast_mod(x, y).asnumpy()
    np.testing.assert_array_equal(made, [0, 0, -0.0, -0.0, 0, 1, -1])
    assert np.signbit(made).tolist() == [False, False, True, True, False, False, True]


def test_sums_in_whole_numbers():
    """cumsum(dtype=int) takes the operand in that type."""
    x = mx.nd.array([0.5, 1.5, -2.7])
    made = mx.nd.cumsum(x, dtype='int32')
    assert made.dtype == np.int32 and made.asnumpy().tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    'name, order',
    [
        ('sgd_update', 'lr wd rescale_grad clip_gradient lazy_update'),
        ('sgd_mom_update', 'lr momentum wd rescale_grad clip_gradient lazy_update'),
        ('nag_mom_update', 'lr momentum wd rescale_grad clip_gradient'),
        ('mp_sgd_mom_update', 'lr momentum wd rescale_grad clip_gradient lazy_update'),
        ('signum_update', 'lr momentum wd rescale_grad clip_gradient wd_lh'),
        ('adam_update', 'lr beta1 beta2 epsilon wd rescale_grad clip_gradient lazy_update'),
        ('rmsprop_update', 'lr gamma1 epsilon wd rescale_grad clip_gradient clip_weights'),
        ('rmspropalex_update', 'lr gamma1 gamma2 epsilon wd rescale_grad clip_gradient clip_weights'),
        ('ftrl_update', 'lr lamda1 beta wd rescale_grad clip_gradient'),
        ('linalg_gemm', 'transpose_a transpose_b alpha beta axis'),
        (
            'Convolution',
            'kernel stride dilate pad num_filter num_group workspace no_bias cudnn_tune cudnn_off layout',
        ),
        (
            'Deconvolution',
            'kernel stride dilate pad adj target_shape num_filter num_group workspace no_bias cudnn_tune '
            'cudnn_off layout',
        ),
    ],
)
def test_attributes_stand_in_the_order_of_positions(name, order):
    assert " ".join(mx.table.find(name).attributes) == order
