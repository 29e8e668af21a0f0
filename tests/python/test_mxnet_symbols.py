"""Symbols and executors of the MXNet layer; figures and texts are those of MXNet 1.9.1."""
import json
import pickle

import numpy as np
import pytest

import cantik.mxnet as mx


def mlp():
    with mx.name.NameManager():
        data = mx.sym.Variable('data')
        fc1 = mx.sym.FullyConnected(data=data, name='fc1', num_hidden=4)
        act = mx.sym.Activation(fc1, act_type='relu')
        fc2 = mx.sym.FullyConnected(act, num_hidden=3)
        return mx.sym.SoftmaxOutput(fc2, name='softmax')


def test_lists():
    net = mlp()
    assert net.list_arguments() == ['data', 'fc1_weight', 'fc1_bias', 'fullyconnected0_weight', 'fullyconnected0_bias', 'softmax_label']
    assert net.list_outputs() == ['softmax_output'] and repr(net) == '<Symbol softmax>' and net.name == 'softmax'
    assert net.get_internals().list_outputs() == ['data', 'fc1_weight', 'fc1_bias', 'fc1_output', 'activation0_output', 'fullyconnected0_weight', 'fullyconnected0_bias',
                                                  'fullyconnected0_output', 'softmax_label', 'softmax_output']
    assert repr(net.get_internals()['fc1_output']) == '<Symbol fc1>'
    group = mx.sym.Group([net.get_internals()['fc1_output'], net])
    assert group.list_outputs() == ['fc1_output', 'softmax_output'] and len(group) == 2 and repr(group) == '<Symbol group [fc1, softmax]>'
    assert [s.name for s in group] == ['fc1', 'softmax'] and net.get_children().list_outputs() == ['fullyconnected0_output', 'softmax_label']
    bn = mx.sym.BatchNorm(mx.sym.Variable('d'), name='bn')
    assert (bn.list_arguments(), bn.list_auxiliary_states()) == (['d', 'bn_gamma', 'bn_beta'], ['bn_moving_mean', 'bn_moving_var'])


def test_names():
    with mx.name.NameManager():
        s = mx.sym.Variable('s')
        made = [s + 1, s + s, s * s, -s, s / 2, 2 - s, s ** 2, s > s, mx.sym.exp(s), mx.sym.broadcast_add(s, s), s.reshape((1, 2)), mx.sym.Concat(s, s), mx.sym.sum(s), s > 1,
                mx.sym.maximum(s, 1), s % 2, 2 % s, s == 1, s < 1, s >= 1, s != 1, 2 / s, 2 ** s, abs(s), s == s, s <= s, mx.sym.hypot(s, 2)]
    assert [m.name for m in made] == [
        '_plusscalar0', '_plus0', '_mul0', '_mulscalar0', '_divscalar0', '_rminusscalar0', '_powerscalar0', '_greater0', 'exp0', 'broadcast_add0', 'reshape0', 'concat0', 'sum0',
        '_greater_scalar0', '_maximumscalar0', '_modscalar0', '_rmodscalar0', '_equal_scalar0', '_lesser_scalar0', '_greater_equal_scalar0', '_not_equal_scalar0', '_rdivscalar0',
        '_rpower_scalar0', 'abs0', '_equal0', '_lesser_equal0', '_hypotscalar0']
    with mx.name.Prefix('net_'):
        assert mx.sym.exp(s).name == 'net_exp0'


def test_shapes():
    net = mlp()
    assert net.infer_shape(data=(2, 5)) == ([(2, 5), (4, 5), (4,), (3, 4), (3,), (2,)], [(2, 3)], [])
    assert net.infer_shape((2, 5)) == net.infer_shape(data=(2, 5))
    with pytest.warns(UserWarning, match='Cannot decide shape for the following arguments'):
        assert net.infer_shape() == (None, None, None)
    assert net.infer_shape_partial() == ([(), (), (), (), (), ()], [()], [])
    assert net.infer_type(data=np.float64) == ([np.float64] * 6, [np.float64], [])
    assert net.infer_type() == ([np.float32] * 6, [np.float32], [])
    with pytest.raises(mx.MXNetError, match=r'Error in operator fc1: Shape inconsistent, Provided = \[3,3\], inferred shape=\(4,5\)'):
        net.infer_shape(data=(2, 5), fc1_weight=(3, 3))
    with pytest.raises(mx.MXNetError, match='Keyword argument name foo not found'):
        net.infer_shape(foo=(2, 5))
    picture = mx.sym.Variable('data')
    conv = mx.sym.Convolution(picture, kernel=(3, 3), num_filter=4, pad=(1, 1), stride=(2, 2), name='c')
    pool = mx.sym.Pooling(mx.sym.BatchNorm(conv, name='bn'), kernel=(2, 2), stride=(2, 2), pool_type='max')
    assert mx.sym.Flatten(pool).infer_shape(data=(2, 3, 16, 16)) == ([(2, 3, 16, 16), (4, 3, 3, 3), (4,), (4,), (4,)], [(2, 64)], [(4,), (4,)])
    x, y = mx.sym.Variable('x'), mx.sym.Variable('y')
    assert (x + y).infer_shape(y=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])
    assert mx.sym.dot(mx.sym.Variable('a', shape=(2, 3)), mx.sym.Variable('b', shape=(3, 4))).infer_shape()[1] == [(2, 4)]


def test_errors_when_symbols_are_made():
    data = mx.sym.Variable('data')
    with pytest.raises(mx.MXNetError, match="Invalid Parameter format for num_hidden expect int but value='x'"):
        mx.sym.FullyConnected(data=data, num_hidden='x')
    with pytest.raises(mx.MXNetError, match='Required parameter num_hidden of int is not presented, in operator FullyConnected'):
        mx.sym.FullyConnected(data=data, name='q')
    with pytest.raises(mx.MXNetError, match="Cannot find argument 'foo'"):
        mx.sym.FullyConnected(data=data, num_hidden=3, foo=3)
    with pytest.raises(mx.MXNetError, match="has no operand 'other'"):
        mx.sym.FullyConnected(data, other=data, num_hidden=3)
    with pytest.raises(mx.base.NotImplementedForSymbol):
        bool(data == 1)
    with pytest.raises(mx.base.NotImplementedForSymbol):
        data.asnumpy()
    with pytest.raises(AttributeError, match="no attribute 'RNN'"):
        mx.sym.RNN
    with pytest.raises(TypeError, match='Expect a string'):
        mx.sym.Variable(3)


def test_attributes():
    w = mx.sym.Variable('w', shape=(2, 3), lr_mult=2.0, init=mx.init.One(), attr={'mood': 'good'})
    assert w.attr('lr_mult') == '2.0' and w.attr('mood') == 'good' and w.attr('__shape__') == '(2, 3)' and w.attr('nothing') is None
    assert w.attr_dict()['w']['__init__'] == '["one", {}]'
    with mx.AttrScope(group='4', data='great'):
        v = mx.sym.Variable('v', attr={'dtype': 'data'})
        assert v.attr('group') == '4' and v.attr('dtype') == 'data'
    assert mlp().attr_dict()['fc1'] == {'num_hidden': '4'} and mlp().list_attr() == {}


def test_composition():
    x = mx.sym.Variable('x')
    with mx.name.NameManager():
        inner = mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=4, name='fc')
        outer = inner(data=mx.sym.exp(x), name='again')
    assert outer.list_arguments() == ['x', 'fc_weight', 'fc_bias'] and outer.name == 'again' and inner.list_arguments()[0] == 'data'
    assert inner(x).list_arguments() == ['x', 'fc_weight', 'fc_bias']
    with pytest.raises(mx.MXNetError, match='Keyword argument name foo not found'):
        inner(foo=x)
    with pytest.raises(TypeError, match='Compose expect `Symbol`'):
        inner(data=3)


JSON = '''{
  "nodes": [
    {
      "op": "null", 
      "name": "data", 
      "inputs": []
    }, 
    {
      "op": "_mul_scalar", 
      "name": "_mulscalar0", 
      "attrs": {"scalar": "2"}, 
      "inputs": [[0, 0, 0]]
    }, 
    {
      "op": "_plus_scalar", 
      "name": "_plusscalar0", 
      "attrs": {"scalar": "1"}, 
      "inputs": [[1, 0, 0]]
    }
  ], 
  "arg_nodes": [0], 
  "node_row_ptr": [0, 1, 2, 3], 
  "heads": [[2, 0, 0]], 
  "attrs": {"mxnet_version": ["int", 10901]}
}'''


def test_json(tmp_path):
    with mx.name.NameManager():
        assert (mx.sym.Variable('data') * 2 + 1).tojson() == JSON
    net = mlp()
    again = mx.sym.load_json(net.tojson())
    assert again.tojson() == net.tojson() and again.infer_shape(data=(2, 5)) == net.infer_shape(data=(2, 5))
    net.save(str(tmp_path / 'net.json'))
    assert mx.sym.load(str(tmp_path / 'net.json')).list_arguments() == net.list_arguments()
    assert pickle.loads(pickle.dumps(net)).tojson() == net.tojson()
    bn = mx.sym.BatchNorm(mx.sym.Variable('data'), name='bn')
    graph = json.loads(bn.tojson())
    assert graph['node_row_ptr'] == [0, 1, 2, 3, 4, 5, 8] and graph['nodes'][5]['inputs'] == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 1], [4, 0, 1]]
    assert bn.attr_dict() == {'bn_moving_mean': {'__init__': '["zero", {}]'}, 'bn_moving_var': {'__init__': '["one", {}]'}}
    assert [n['op'] for n in graph['nodes']] == ['null'] * 5 + ['BatchNorm']
    for wrong in '{', '[]', '{"nodes": 3}', '{"nodes": [{"op": "null"}], "heads": []}', net.tojson().replace('[[0, 0, 0]', '[[99, 0, 0]'):
        with pytest.raises(mx.MXNetError):
            mx.sym.load_json(wrong)
    with pytest.raises(mx.MXNetError, match='Operator Nothing is not there'):
        mx.sym.load_json(net.tojson().replace('"Activation"', '"Nothing"'))
    with pytest.raises(mx.MXNetError, match='cannot read'):
        mx.sym.load(str(tmp_path / 'none.json'))


def test_executor():
    net = mlp()
    exe = net.simple_bind(mx.cpu(), data=(2, 5))
    rs = np.random.RandomState(0)
    values = {n: rs.uniform(-1, 1, a.shape).astype(np.float32) for n, a in exe.arg_dict.items()}
    values['softmax_label'] = np.array([2, 0], np.float32)
    for n, a in exe.arg_dict.items():
        a[:] = values[n]
    p = exe.forward(is_train=True)[0].asnumpy()
    hidden = np.maximum(values['data'] @ values['fc1_weight'].T + values['fc1_bias'], 0)
    score = hidden @ values['fullyconnected0_weight'].T + values['fullyconnected0_bias']
    wanted = np.exp(score) / np.exp(score).sum(1, keepdims=True)
    np.testing.assert_allclose(p, wanted, rtol=1e-5)
    exe.backward()
    d = wanted - np.eye(3)[[2, 0]]
    np.testing.assert_allclose(exe.grad_dict['fullyconnected0_bias'].asnumpy(), d.sum(0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(exe.grad_dict['fc1_weight'].asnumpy(), ((d @ values['fullyconnected0_weight']) * (hidden > 0)).T @ values['data'], rtol=1e-4, atol=1e-6)
    assert (exe.grad_dict['softmax_label'].asnumpy() == 0).all()
    assert exe.output_dict['softmax_output'] is exe.outputs[0]
    np.testing.assert_allclose(exe.forward(data=mx.nd.array(values['data'] * 0))[0].asnumpy()[0], exe.outputs[0].asnumpy()[1])
    with pytest.raises(TypeError, match='Unknown argument foo'):
        exe.forward(foo=mx.nd.ones((1,)))
    with pytest.raises(ValueError, match='Shape not match'):
        exe.forward(data=mx.nd.ones((1, 5)))
    with pytest.raises(RuntimeError, match='simple_bind error'):
        net.simple_bind(mx.cpu())
    smaller = exe.reshape(data=(1, 5), partial_shaping=True)
    assert smaller.forward()[0].shape == (1, 3) and smaller.arg_dict['fc1_weight'] is exe.arg_dict['fc1_weight']


def test_requests():
    x = mx.sym.Variable('x')
    y = x * x
    a, g = mx.nd.array([1, 2, 3]), mx.nd.array([10, 10, 10])
    exe = y.bind(mx.cpu(), [a], args_grad={'x': g}, grad_req='add')
    exe.forward(is_train=True)
    exe.backward(mx.nd.ones((3,)))
    exe.backward([mx.nd.ones((3,)) * 2])
    np.testing.assert_array_equal(g.asnumpy(), [16, 22, 28])
    a[:] = 0  # the executor reads the caller's array
    np.testing.assert_array_equal(exe.forward()[0].asnumpy(), [0, 0, 0])
    exe = y.bind(mx.cpu(), {'x': a}, args_grad=[g], grad_req='null')
    exe.forward(is_train=True)
    exe.backward(mx.nd.ones((3,)))
    np.testing.assert_array_equal(g.asnumpy(), [16, 22, 28])
    with pytest.raises(ValueError, match='key `x` is missing'):
        y.bind(mx.cpu(), {})
    with pytest.raises(ValueError, match='grad_req must be in'):
        y.bind(mx.cpu(), [a], grad_req='often')
    with pytest.raises(mx.MXNetError, match='head_gradient is required when calling backward'):
        exe = y.bind(mx.cpu(), [a], [g])
        exe.forward(is_train=True)
        exe.backward()


def test_losses_among_other_outputs():
    """A loss passes its own gradient, whatever else is asked for; none comes through BlockGrad."""
    data, label = mx.sym.Variable('data'), mx.sym.Variable('label')
    loss = mx.sym.LinearRegressionOutput(data, label)
    group = mx.sym.Group([mx.sym.BlockGrad(mx.sym.LinearRegressionOutput(data * 3, label)), loss])
    exe = group.simple_bind(mx.cpu(), data=(2, 1), label=(2, 1))
    exe.arg_dict['data'][:] = np.array([[1], [2]])
    exe.forward(is_train=True)
    exe.backward()
    np.testing.assert_array_equal(exe.grad_dict['data'].asnumpy(), [[1], [2]])


def test_shared_and_reused_values():
    x = mx.sym.Variable('x')
    parts = mx.sym.SliceChannel(x, num_outputs=2)
    y = parts[0] * parts[1] + parts[0]
    with pytest.raises(mx.MXNetError, match='a symbol of 2 values'):
        mx.sym.exp(parts)
    exe = y.simple_bind(mx.cpu(), x=(1, 4))
    exe.arg_dict['x'][:] = np.array([[1, 2, 3, 4]])
    np.testing.assert_array_equal(exe.forward(is_train=True)[0].asnumpy(), [[4, 10]])
    exe.backward(mx.nd.ones((1, 2)))
    np.testing.assert_array_equal(exe.grad_dict['x'].asnumpy(), [[4, 5, 1, 2]])


def test_batch_statistics_follow_training():
    data = mx.sym.Variable('data')
    net = mx.sym.BatchNorm(mx.sym.Convolution(data, kernel=(1, 1), num_filter=2, no_bias=True, name='c'), fix_gamma=False, momentum=0.5, name='bn')
    exe = net.simple_bind(mx.cpu(), data=(3, 2, 4, 4))
    rs = np.random.RandomState(0)
    exe.arg_dict['data'][:] = rs.uniform(-1, 1, (3, 2, 4, 4))
    exe.arg_dict['c_weight'][:] = np.eye(2).reshape(2, 2, 1, 1)
    exe.arg_dict['bn_gamma'][:] = 1
    exe.aux_dict['bn_moving_var'][:] = 1
    y = exe.forward(is_train=True)[0].asnumpy()
    x = exe.arg_dict['data'].asnumpy()
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
    np.testing.assert_allclose(y, (x - mean[:, None, None]) / np.sqrt(var + 1e-3)[:, None, None], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(exe.aux_dict['bn_moving_mean'].asnumpy(), mean / 2, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(exe.aux_dict['bn_moving_var'].asnumpy(), 0.5 + var / 2, rtol=1e-4)
    exe.forward(is_train=False)
    np.testing.assert_allclose(exe.aux_dict['bn_moving_mean'].asnumpy(), mean / 2, rtol=1e-4, atol=1e-6)


def test_two_batch_sizes_are_named():
    a, b = mx.sym.Variable('a'), mx.sym.Variable('b')
    both = mx.sym.Group([mx.sym.Pooling(v, kernel=(2, 2), pool_type='max') for v in (a, b)])
    with pytest.raises(mx.MXNetError, match='two batch sizes in one graph, 2 and 3'):
        both.simple_bind(mx.cpu(), a=(2, 1, 4, 4), b=(3, 1, 4, 4)).forward()
    rows = mx.sym.FullyConnected(mx.sym.reshape(a, shape=(-4, -1, 1, -2)), num_hidden=2, name='f')  # products have any number of rows
    assert mx.sym.Group([rows, mx.sym.FullyConnected(b, num_hidden=2, name='g')]).simple_bind(mx.cpu(), a=(2, 4), b=(3, 4)).forward()[1].shape == (3, 2)


def test_a_fixed_gamma_is_one():
    net = mx.sym.BatchNorm(mx.sym.Variable('data'), name='bn')
    exe = net.simple_bind(mx.cpu(), data=(4, 2))
    exe.arg_dict['bn_gamma'][:] = 3
    exe.forward(is_train=True)
    exe.backward(mx.nd.ones((4, 2)))
    assert (exe.arg_dict['bn_gamma'].asnumpy() == 1).all() and (exe.grad_dict['bn_gamma'].asnumpy() == 0).all()


def test_gradients_of_a_network_with_both_forms():
    """Values that go from pictures to plain arrays and back, against finite differences in float64."""
    data = mx.sym.Variable('data')
    c = mx.sym.Convolution(data, kernel=(3, 3), num_filter=2, pad=(1, 1), name='c')
    p = mx.sym.Pooling(mx.sym.Activation(c, act_type='tanh'), kernel=(2, 2), stride=(2, 2), pool_type='avg')
    t = mx.sym.transpose(mx.sym.reshape(p, shape=(0, 2, -1)), axes=(1, 0, 2))
    s = mx.sym.softmax(mx.sym.sum(t, axis=2), axis=0)
    again = mx.sym.broadcast_mul(p, mx.sym.reshape(mx.sym.transpose(s), shape=(0, 2, 1, 1)))
    y = mx.sym.sum(mx.sym.square(mx.sym.Convolution(again, kernel=(1, 1), num_filter=1, name='d')))
    exe = y.simple_bind(mx.cpu(), data=(3, 1, 4, 4), type_dict={'data': np.float64})
    rs = np.random.RandomState(3)
    for a in exe.arg_arrays:
        a[:] = rs.uniform(-1, 1, a.shape)
    exe.forward(is_train=True)
    exe.backward([mx.nd.ones((1,), dtype='float64')])
    for name in exe.arg_dict:
        array, grad = exe.arg_dict[name]._np, exe.grad_dict[name].asnumpy()
        for place in list(np.ndindex(array.shape))[:4]:
            before, found = array[place], []
            for step in (1e-5, -1e-5):
                array[place] = before + step
                found.append(exe.forward(is_train=True)[0].asscalar())
            array[place] = before
            np.testing.assert_allclose(grad[place], (found[0] - found[1]) / 2e-5, rtol=1e-5, atol=1e-8)
