"""Element types that follow in a symbol, as in MXNet 1.9.1: places, words and conditions have types of their
own."""

import numpy as np
import pytest

import cantik.mxnet as mx

D, W, I, Y = (mx.sym.Variable(n) for n in 'dwiy')
TYPES = ('int32', 'float16', 'float32', 'float64', 'uint8')


def types(symbol, **given):
    args, outs, aux = symbol.infer_type(**given)
    names = symbol.list_arguments()
    return (
        {n: np.dtype(t).name for n, t in zip(names, args)},
        np.dtype(outs[0]).name,
        [np.dtype(t).name for t in aux],
    )


def words(**options):
    return mx.sym.FullyConnected(
        mx.sym.Embedding(D, input_dim=4, output_dim=2, name='e', **options), num_hidden=2, name='f'
    )


@pytest.mark.parametrize('dtype', TYPES)
def test_vectors_of_words_have_the_type_of_the_layer(dtype):
    for network, own in ((words(), 'float32'), (words(dtype='float64'), 'float64')):
        wanted = {'d': dtype, 'e_weight': own, 'f_weight': own, 'f_bias': own}
        assert types(network, d=dtype) == (wanted, own, [])
    assert types(words(), d='int32', e_weight=dtype)[1] == dtype


@pytest.mark.parametrize('dtype', TYPES)
@pytest.mark.parametrize(
    'make, first',
    [
        (lambda: mx.sym.take(W, I), 'int32'),
        (lambda: mx.sym.pick(W, I), 'int32'),
        (lambda: mx.sym.gather_nd(W, I), 'int32'),
        (lambda: mx.sym.scatter_nd(W, I, shape=(3,)), 'int32'),
        (lambda: mx.sym.batch_take(W, I), 'int32'),
    ],
)
def test_places_have_a_type_of_their_own(make, first, dtype):
    assert types(make(), w=dtype, i=first) == ({'w': dtype, 'i': first}, dtype, [])


@pytest.mark.parametrize('dtype', TYPES)
def test_conditions_have_a_type_of_their_own(dtype):
    assert types(mx.sym.where(I, W, Y), i=dtype, w='float16') == (
        {'i': dtype, 'w': 'float16', 'y': 'float16'},
        'float16',
        [],
    )
    assert types(mx.sym.batch_take(W, I), w=dtype)[0]['i'] == 'int32'


@pytest.mark.parametrize(
    'dtype, own', [('float16', 'float32'), ('float32', 'float32'), ('float64', 'float64')]
)
def test_numbers_of_channels_are_float32_at_least(dtype, own):
    s = mx.sym.BatchNorm(D, name='b', fix_gamma=False)
    assert types(s, d=dtype) == ({'d': dtype, 'b_gamma': own, 'b_beta': own}, dtype, [own, own])


def test_a_step_of_float16_beside_float32():
    e = mx.sym.BatchNorm(D, name='b', fix_gamma=False).simple_bind(
        mx.cpu(), type_dict={'d': 'float16'}, d=(4, 3)
    )
    e.arg_dict['d'][:] = np.arange(12).reshape(4, 3)
    e.arg_dict['b_gamma'][:], e.arg_dict['b_beta'][:], e.aux_dict['b_moving_var'][:] = 2, 1, 1
    out = e.forward(is_train=True)[0]
    assert out.dtype == np.float16  # figures of MXNet 1.9.1
    assert np.allclose(out.asnumpy()[:, 0], [-1.68359375, 0.10546875, 1.89453125, 3.68359375], atol=2e-4)
    e.backward(mx.nd.ones((4, 3), dtype='float16'))
    assert e.grad_dict['d'].dtype == np.float16 and e.grad_dict['b_beta'].asnumpy().tolist() == [4, 4, 4]
    assert np.allclose(e.aux_dict['b_moving_mean'].asnumpy(), [0.45, 0.55, 0.65])


def test_words_of_whole_numbers_train():
    it = mx.io.NDArrayIter(mx.nd.array([[0], [1], [2], [3]], dtype='int32'), np.float32([0, 1, 0, 1]), 2)
    s = mx.sym.Embedding(mx.sym.Variable('data'), input_dim=4, output_dim=2, name='e')
    m = mx.mod.Module(mx.sym.SoftmaxOutput(mx.sym.Flatten(s), name='softmax'))
    m.fit(it, num_epoch=40, optimizer_params={'learning_rate': 1.0})
    assert m.get_params()[0]['e_weight'].dtype == np.float32 and m.score(it, 'acc')[0][1] == 1


@pytest.mark.parametrize('dtype', ['uint8', 'int32', 'int64'])
def test_whole_numbers_where_only_floating_point_makes_sense(dtype):
    x = mx.nd.array([[1, 2, 3], [3, 1, 2]], dtype=dtype)
    image = mx.nd.ones((1, 1, 4, 4), dtype=dtype)
    for call in (
        lambda: mx.nd.softmax(x),
        lambda: mx.nd.log_softmax(x),
        lambda: mx.nd.softmin(x),
        lambda: mx.nd.SoftmaxActivation(x),
        lambda: mx.nd.SoftmaxOutput(x, x[:, 0]),
        lambda: mx.nd.LogisticRegressionOutput(x, x),
        lambda: mx.nd.Activation(x, act_type='sigmoid'),
        lambda: mx.nd.FullyConnected(x, x, num_hidden=2, no_bias=True),
        lambda: mx.nd.Convolution(image, image, kernel=(4, 4), num_filter=1, no_bias=True),
        lambda: mx.nd.Pooling(image, kernel=(2, 2), pool_type='avg'),
        lambda: mx.nd.LayerNorm(x, x[0], x[0]),
        lambda: mx.nd.linalg.det(x[:, :2]),
    ):
        with pytest.raises(mx.base.MXNetError, match=f'floating point numbers, not on {dtype}'):
            call()
    np.testing.assert_array_equal(mx.nd.dot(x, x.T).asnumpy(), [[14, 11], [11, 14]])  # these are exact
    symbol = mx.sym.softmax(mx.sym.Variable('data', dtype=dtype))
    with pytest.raises(mx.base.MXNetError, match='softmax: this operator works on floating point'):
        symbol.bind(mx.cpu(), {'data': x}).forward()
