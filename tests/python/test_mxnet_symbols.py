"""Symbols and executors of the MXNet layer; figures and texts are those of MXNet 1.9.1."""

import json
import pickle
import warnings

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
    assert net.list_arguments() == [
        'data',
        'fc1_weight',
        'fc1_bias',
        'fullyconnected0_weight',
        'fullyconnected0_bias',
        'softmax_label',
    ]
    assert (
        net.list_outputs() == ['softmax_output'] and repr(net) == '<Symbol softmax>' and net.name == 'softmax'
    )
    assert net.get_internals().list_outputs() == [
        'data',
        'fc1_weight',
        'fc1_bias',
        'fc1_output',
        'activation0_output',
        'fullyconnected0_weight',
        'fullyconnected0_bias',
        'fullyconnected0_output',
        'softmax_label',
        'softmax_output',
    ]
    assert repr(net.get_internals()['fc1_output']) == '<Symbol fc1>'
    group = mx.sym.Group([net.get_internals()['fc1_output'], net])
    assert (
        group.list_outputs() == ['fc1_output', 'softmax_output']
        and len(group) == 2
        and repr(group) == '<Symbol group [fc1, softmax]>'
    )
    assert [s.name for s in group] == ['fc1', 'softmax'] and net.get_children().list_outputs() == [
        'fullyconnected0_output',
        'softmax_label',
    ]
    bn = mx.sym.BatchNorm(mx.sym.Variable('d'), name='bn')
    assert (bn.list_arguments(), bn.list_auxiliary_states()) == (
        ['d', 'bn_gamma', 'bn_beta'],
        ['bn_moving_mean', 'bn_moving_var'],
    )


def test_names():
    with mx.name.NameManager():
        s = mx.sym.Variable('s')
        made = [
            s + 1,
            s + s,
            s * s,
            -s,
            s / 2,
            2 - s,
            s**2,
            s > s,
            mx.sym.exp(s),
            mx.sym.broadcast_add(s, s),
            s.reshape((1, 2)),
            mx.sym.Concat(s, s),
            mx.sym.sum(s),
            s > 1,
            mx.sym.maximum(s, 1),
            s % 2,
            2 % s,
            s == 1,
            s < 1,
            s >= 1,
            s != 1,
            2 / s,
            2**s,
            abs(s),
            s == s,
            s <= s,
            mx.sym.hypot(s, 2),
        ]
    assert [m.name for m in made] == [
        '_plusscalar0',
        '_plus0',
        '_mul0',
        '_mulscalar0',
        '_divscalar0',
        '_rminusscalar0',
        '_powerscalar0',
        '_greater0',
        'exp0',
        'broadcast_add0',
        'reshape0',
        'concat0',
        'sum0',
        '_greater_scalar0',
        '_maximumscalar0',
        '_modscalar0',
        '_rmodscalar0',
        '_equal_scalar0',
        '_lesser_scalar0',
        '_greater_equal_scalar0',
        '_not_equal_scalar0',
        '_rdivscalar0',
        '_rpower_scalar0',
        'abs0',
        '_equal0',
        '_lesser_equal0',
        '_hypotscalar0',
    ]
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
    with pytest.raises(
        mx.MXNetError,
        match=r'Error in operator fc1: Shape inconsistent, Provided = \[3,3\], inferred shape=\(4,5\)',
    ):
        net.infer_shape(data=(2, 5), fc1_weight=(3, 3))
    with pytest.raises(mx.MXNetError, match='Keyword argument name foo not found'):
        net.infer_shape(foo=(2, 5))
    picture = mx.sym.Variable('data')
    conv = mx.sym.Convolution(picture, kernel=(3, 3), num_filter=4, pad=(1, 1), stride=(2, 2), name='c')
    pool = mx.sym.Pooling(mx.sym.BatchNorm(conv, name='bn'), kernel=(2, 2), stride=(2, 2), pool_type='max')
    assert mx.sym.Flatten(pool).infer_shape(data=(2, 3, 16, 16)) == (
        [(2, 3, 16, 16), (4, 3, 3, 3), (4,), (4,), (4,)],
        [(2, 64)],
        [(4,), (4,)],
    )
    x, y = mx.sym.Variable('x'), mx.sym.Variable('y')
    assert (x + y).infer_shape(y=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])
    assert mx.sym.dot(mx.sym.Variable('a', shape=(2, 3)), mx.sym.Variable('b', shape=(3, 4))).infer_shape()[
        1
    ] == [(2, 4)]


def V(name):
    return mx.sym.Variable(name)


@pytest.mark.parametrize(
    'symbol, given, wanted',
    [
        (lambda a, b: a + b, {'a': (2, 0), 'b': (0, 3)}, ([(2, 3), (2, 3)], [(2, 3)])),
        (lambda a, b: a + b, {'a': (2, 0)}, ([(2, 0), (2, 0)], [(2, 0)])),
        (lambda a, b: mx.sym.relu(a) * b, {'b': (2, 3)}, ([(2, 3), (2, 3)], [(2, 3)])),
        (lambda a, b: mx.sym.cast(a * 2, dtype='float64') + b, {'b': (2, 3)}, ([(2, 3), (2, 3)], [(2, 3)])),
        (
            lambda a, b: mx.sym.FullyConnected(a, num_hidden=3, name='fc'),
            {'a': (0, 5)},
            ([(0, 5), (3, 5), (3,)], [(0, 3)]),
        ),
        (
            lambda a, b: mx.sym.FullyConnected(a, num_hidden=3, name='fc') + b,
            {'a': (0, 5), 'b': (4, 3)},
            ([(4, 5), (3, 5), (3,), (4, 3)], [(4, 3)]),
        ),
        (lambda a, b: mx.sym.FullyConnected(a, num_hidden=3, name='fc'), {}, ([(), (), ()], [()])),
        (
            lambda a, b: mx.sym.Convolution(a, num_filter=3, kernel=(3, 3), name='c'),
            {'a': (0, 5, 8, 8)},
            ([(0, 5, 8, 8), (3, 5, 3, 3), (3,)], [(0, 3, 6, 6)]),
        ),
        (
            lambda a, b: mx.sym.Convolution(a, num_filter=3, kernel=(3, 3), pad=(1, 1), name='c') + b,
            {'a': (0, 5, 0, 0), 'b': (2, 0, 8, 8)},
            ([(2, 5, 8, 8), (3, 5, 3, 3), (3,), (2, 3, 8, 8)], [(2, 3, 8, 8)]),
        ),
        (
            lambda a, b: mx.sym.Pooling(a, kernel=(2, 2), stride=(2, 2), pool_type='max'),
            {'a': (0, 5, 8, 8)},
            ([(0, 5, 8, 8)], [(0, 5, 4, 4)]),
        ),
        (
            lambda a, b: mx.sym.reshape(a, shape=(-1, 6)) + b,
            {'a': (0, 2, 3), 'b': (4, 6)},
            ([(4, 2, 3), (4, 6)], [(4, 6)]),
        ),
        (lambda a, b: mx.sym.transpose(a), {'a': (0, 5, 8)}, ([(0, 5, 8)], [(8, 5, 0)])),
        (lambda a, b: mx.sym.concat(a, b, dim=1), {'a': (0, 5), 'b': (3, 0)}, ([(3, 5), (3, 0)], [(3, 0)])),
        (
            lambda a, b: mx.sym.split(a, num_outputs=2, axis=1)[0] + b,
            {'a': (0, 6), 'b': (4, 0)},
            ([(4, 6), (4, 3)], [(4, 3)]),
        ),
        (lambda a, b: mx.sym.dot(a, b), {'a': (0, 6), 'b': (6, 3)}, ([(0, 6), (6, 3)], [(0, 3)])),
        (lambda a, b: mx.sym.SoftmaxOutput(a, b), {'a': (0, 5), 'b': (4,)}, ([(4, 5), (4,)], [(4, 5)])),
        (lambda a, b: mx.sym.SoftmaxOutput(a, b), {'a': (0, 5)}, ([(0, 5), (0,)], [(0, 5)])),
        (lambda a, b: mx.sym.zeros((0, 3)) + a, {'a': (4, 3)}, ([(4, 3)], [(4, 3)])),
        (lambda a, b: mx.sym.Variable('q', shape=(0, 3)) + a, {'a': (4, 0)}, ([(4, 3), (4, 3)], [(4, 3)])),
        (
            lambda a, b: mx.sym.expand_dims(a, axis=0) + b,
            {'b': (1, 2, 3)},
            ([(2, 3), (1, 2, 3)], [(1, 2, 3)]),
        ),
        (lambda a, b: mx.sym.sum(a, axis=1), {'a': (0, 3)}, ([(0, 3)], [(0,)])),
        (lambda a, b: mx.sym.mean(a, axis=0), {'a': (0, 3)}, ([(0, 3)], [(3,)])),
        (
            lambda a, b: mx.sym.slice_axis(a, axis=1, begin=0, end=2),
            {'a': (0, 3, 4)},
            ([(0, 3, 4)], [(0, 2, 4)]),
        ),
        (
            lambda a, b: mx.sym.Embedding(a, input_dim=5, output_dim=2, name='e'),
            {'a': (0, 3)},
            ([(0, 3), (5, 2)], [(0, 3, 2)]),
        ),
        (lambda a, b: mx.sym.add_n(a, b, V('c')), {'a': (0, 3), 'c': (2, 0)}, ([(2, 3)] * 3, [(2, 3)])),
        (lambda a, b: mx.sym.Group([a + b, a * 2]), {'b': (2, 3)}, ([(2, 3), (2, 3)], [(2, 3), (2, 3)])),
    ],
)
def test_shapes_of_which_a_part_is_known(symbol, given, wanted):
    """0 is an axis of unknown size; what is known of operands and of results goes both ways."""
    assert symbol(V('a'), V('b')).infer_shape_partial(**given)[:2] == wanted


def test_shapes_that_do_not_follow_or_do_not_fit():
    both = V('a') + V('b')
    with pytest.warns(UserWarning, match=r'a: \(2, 0\)'):
        assert both.infer_shape(a=(2, 0)) == (None, None, None)
    with pytest.raises(
        mx.MXNetError, match=r'Incompatible attr in node \S+ at 1-th input: expected \[2,3\], got \[3,3\]'
    ):
        both.infer_shape(a=(2, 3), b=(3, 3))
    with pytest.raises(mx.MXNetError, match=r'expected \[2,0\], got \[3,3\]'):
        both.infer_shape_partial(a=(2, 0), b=(3, 3))
    with pytest.raises(
        RuntimeError, match=r'simple_bind error. Arguments:\na: \(2, 0\)\nthe shapes of these do not follow'
    ):
        both.simple_bind(mx.cpu(), a=(2, 0))
    unsized = mx.sym.zeros((0, 3)) + V('a')
    exe = unsized.bind(mx.cpu(), {'a': mx.nd.ones((4, 3))})
    np.testing.assert_array_equal(exe.forward()[0].asnumpy(), np.ones((4, 3)))


def test_errors_when_symbols_are_made():
    data = mx.sym.Variable('data')
    with pytest.raises(
        mx.MXNetError, match="Invalid Parameter format for num_hidden expect int but value='x'"
    ):
        mx.sym.FullyConnected(data=data, num_hidden='x')
    with pytest.raises(
        mx.MXNetError,
        match='Required parameter num_hidden of int is not presented, in operator FullyConnected',
    ):
        mx.sym.FullyConnected(data=data, name='q')
    with pytest.raises(mx.MXNetError, match="Cannot find argument 'foo'"):
        mx.sym.FullyConnected(data=data, num_hidden=3, foo=3)
    with pytest.raises(mx.MXNetError, match="has no operand 'other'"):
        mx.sym.FullyConnected(data, other=data, num_hidden=3)
    with pytest.raises(mx.base.NotImplementedForSymbol):
        bool(data == 1)
    with pytest.raises(mx.base.NotImplementedForSymbol):
        data.asnumpy()
    with pytest.raises(AttributeError, match="no attribute 'Correlation'"):
        mx.sym.Correlation
    with pytest.raises(TypeError, match='Expect a string'):
        mx.sym.Variable(3)


def test_attributes():
    w = mx.sym.Variable('w', shape=(2, 3), lr_mult=2.0, init=mx.init.One(), attr={'mood': 'good'})
    assert (
        w.attr('lr_mult') == '2.0'
        and w.attr('mood') == 'good'
        and w.attr('__shape__') == '(2, 3)'
        and w.attr('nothing') is None
    )
    assert w.attr_dict()['w']['__init__'] == '["one", {}]'
    with mx.AttrScope(group='4', data='great'):
        v = mx.sym.Variable('v', attr={'dtype': 'data'})
        assert v.attr('group') == '4' and v.attr('dtype') == 'data'
    assert mlp().attr_dict()['fc1'] == {'num_hidden': '4'} and mlp().list_attr() == {}


def test_attributes_of_nodes():
    """lr_mult, wd_mult and their like are attributes of any operator, and of the parameters that it
    brings."""
    x = mx.sym.Variable('x')
    for made in (
        mx.sym.FullyConnected(x, num_hidden=3, name='fc', lr_mult=0.5, wd_mult=3.0),
        mx.sym.FullyConnected(x, num_hidden=3, name='fc', attr={'lr_mult': '0.5', 'wd_mult': '3.0'}),
        mx.sym.FullyConnected(x, num_hidden=3, name='fc', attr={'__lr_mult__': '0.5', '__wd_mult__': '3.0'}),
    ):
        wanted = {
            'num_hidden': '3',
            '__lr_mult__': '0.5',
            'lr_mult': '0.5',
            '__wd_mult__': '3.0',
            'wd_mult': '3.0',
        }
        assert made.attr_dict() == dict.fromkeys(('fc', 'fc_weight', 'fc_bias'), wanted)
        assert {n['name']: n.get('attrs') for n in json.loads(made.tojson())['nodes']} == {
            'x': None,
            **{
                name: {'__lr_mult__': '0.5', '__wd_mult__': '3.0', 'num_hidden': '3'}
                for name in ('fc_weight', 'fc_bias', 'fc')
            },
        }
        optimizer = mx.optimizer.create(
            'sgd', sym=made, param_idx2name={0: 'fc_weight', 1: 'fc_bias'}, learning_rate=1.0, wd=1.0
        )
        assert (optimizer._get_lr(0), optimizer._get_lr(1), optimizer._get_wd(0), optimizer._get_wd(1)) == (
            0.5,
            0.5,
            3.0,
            3.0,
        )
    assert mx.sym.exp(x, name='e', force_mirroring='True', __mood__='good').attr_dict() == {
        'e': {'__force_mirroring__': 'True', 'force_mirroring': 'True', '__mood__': 'good'}
    }
    assert x.expand_dims(0, inplace=True).infer_shape(x=(2, 3))[1] == [(1, 2, 3)] and x.squeeze(
        inplace=True
    ).infer_shape(x=(1, 3))[1] == [(3,)]
    with pytest.raises(mx.MXNetError, match="Cannot find argument 'lr_mult'"):
        mx.nd.FullyConnected(mx.nd.ones((1, 2)), mx.nd.ones((3, 2)), num_hidden=3, no_bias=True, lr_mult=0.5)


def test_composition():
    x = mx.sym.Variable('x')
    with mx.name.NameManager():
        inner = mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=4, name='fc')
        outer = inner(data=mx.sym.exp(x), name='again')
    assert (
        outer.list_arguments() == ['x', 'fc_weight', 'fc_bias']
        and outer.name == 'again'
        and inner.list_arguments()[0] == 'data'
    )
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
    assert graph['node_row_ptr'] == [0, 1, 2, 3, 4, 5, 8] and graph['nodes'][5]['inputs'] == [
        [0, 0, 0],
        [1, 0, 0],
        [2, 0, 0],
        [3, 0, 1],
        [4, 0, 1],
    ]
    assert bn.attr_dict() == {
        'bn_moving_mean': {'__init__': '["zero", {}]'},
        'bn_moving_var': {'__init__': '["one", {}]'},
    }
    assert [n['op'] for n in graph['nodes']] == ['null'] * 5 + ['BatchNorm']
    for wrong in (
        '{',
        '[]',
        '{"nodes": 3}',
        '{"nodes": [{"op": "null"}], "heads": []}',
        net.tojson().replace('[[0, 0, 0]', '[[99, 0, 0]'),
    ):
        with pytest.raises(mx.MXNetError):
            mx.sym.load_json(wrong)
    with pytest.raises(mx.MXNetError, match='Operator Nothing is not there'):
        mx.sym.load_json(net.tojson().replace('"Activation"', '"Nothing"'))
    with pytest.raises(mx.MXNetError, match='cannot read'):
        mx.sym.load(str(tmp_path / 'none.json'))


def test_damaged_json():
    """A symbol's file that is damaged is an MXNetError."""
    good = json.loads(
        mx.sym.BatchNorm(
            mx.sym.FullyConnected(mx.sym.Variable('x'), num_hidden=3, name='fc'), name='bn'
        ).tojson()
    )

    def damaged(change):
        graph = json.loads(json.dumps(good))
        change(graph)
        return mx.sym.load_json(json.dumps(graph))

    assert damaged(lambda g: None).list_arguments() == ['x', 'fc_weight', 'fc_bias', 'bn_gamma', 'bn_beta']
    changes = [
        lambda g: g.pop('nodes'),
        lambda g: g.pop('heads'),
        lambda g: g['nodes'][0].pop('name'),
        lambda g: g['nodes'][3].pop('inputs'),
        lambda g: g['nodes'][3].pop('op'),
        lambda g: g['nodes'][3].pop('attrs'),
        lambda g: g['nodes'][3]['attrs'].update(num_hidden='x'),
        lambda g: g['nodes'][3]['attrs'].update(foo='x'),
        lambda g: g['nodes'][3]['attrs'].update(num_hidden='1e400'),
        lambda g: g['nodes'][3]['attrs'].update(num_hidden='(1,'),
        lambda g: g['nodes'][3]['attrs'].update(no_bias='x'),
        lambda g: g['nodes'][3].update(op='Nope'),
        lambda g: g['nodes'][3].update(op=3),
        lambda g: g['nodes'][3].update(op=None),
        lambda g: g['nodes'][3].update(name=[1]),
        lambda g: g['nodes'][3].update(attrs=[1]),
        lambda g: g['nodes'][3].update(attrs='abc'),
        lambda g: g['nodes'][3].update(inputs=[[3, 0, 0]]),
        lambda g: g['nodes'][3].update(inputs=[[-1, 0, 0]]),
        lambda g: g['nodes'][3].update(inputs=[[0, 7, 0]]),
        lambda g: g['nodes'][3].update(inputs=[[0, -1, 0]]),
        lambda g: g['nodes'][3].update(inputs=[['x', 0, 0]]),
        lambda g: g['nodes'][3].update(inputs=[[]]),
        lambda g: g['nodes'][3].update(inputs=[[0, 0, 0]] * 5),
        lambda g: g['nodes'][3].update(inputs=3),
        lambda g: g['nodes'][0].update(inputs=[[0, 0, 0]]),
        lambda g: g.update(heads=[[99, 0, 0]]),
        lambda g: g.update(heads=[[True, 0, 0]]),
        lambda g: g.update(heads=None),
        lambda g: g.update(nodes=None),
        lambda g: g.update(nodes={}),
        lambda g: g.update(nodes=[3]),
    ]
    for i, change in enumerate(changes):
        with pytest.raises(mx.MXNetError):
            print(i, damaged(change))
    for text in (
        '',
        '[]',
        '3',
        'null',
        '{"nodes": null}',
        '[' * 100000,
        '{"a":' * 100000,
        json.dumps(good)[:-20],
        '\x00',
    ):
        with pytest.raises(mx.MXNetError, match='this is no symbol in JSON'):
            mx.sym.load_json(text)
    for other in (None, 3, b'{}'):
        with pytest.raises(TypeError):
            mx.sym.load_json(other)
    content, numbers = json.dumps(good), np.random.RandomState(0)
    for _ in range(1500):
        at = numbers.randint(len(content))
        changed = (
            content[:at]
            + chr(numbers.randint(32, 127)) * numbers.randint(0, 3)
            + content[at + numbers.randint(0, 4) :]
        )
        try:
            mx.sym.load_json(changed).tojson()
        except mx.MXNetError:
            pass


def test_damaged_files(tmp_path):
    for content in (b'\xff\xfe', b'', b'{}'):
        (tmp_path / 'a.json').write_bytes(content)
        with pytest.raises(mx.MXNetError, match='this is no symbol in JSON'):
            mx.sym.load(str(tmp_path / 'a.json'))
    with pytest.raises(mx.MXNetError, match='cannot read'):
        mx.sym.load(str(tmp_path / 'none.json'))


def test_backward_of_any_forward():
    """Gradients are those of the last forward, whether it was to train or not; without one, of the arrays as
    they are."""
    x = mx.sym.Variable('x')

    def bound(symbol, value, request='write'):
        return symbol.bind(mx.cpu(), {'x': mx.nd.array(value)}, {'x': mx.nd.zeros((len(value),))}, request)

    exe = bound(x * x, [2, 3])
    exe.forward()
    exe.backward(mx.nd.ones((2,)))
    np.testing.assert_array_equal(exe.grad_dict['x'].asnumpy(), [4, 6])
    exe = bound(x * x, [2, 3], 'add')
    for train in (False, True, False):
        exe.forward(is_train=train)
        exe.backward(mx.nd.array([1, 10]))
        exe.backward(mx.nd.array([1, 10]))
    np.testing.assert_array_equal(exe.grad_dict['x'].asnumpy(), [24, 360])
    exe = bound(x * x, [5, 7])
    exe.backward(mx.nd.ones((2,)))
    np.testing.assert_array_equal(exe.grad_dict['x'].asnumpy(), [10, 14])
    exe = bound(mx.sym.Dropout(x, p=0.9), [1] * 50)
    np.testing.assert_array_equal(
        exe.forward()[0].asnumpy(), 1
    )  # prediction drops nothing, and neither do its gradients
    exe.backward(mx.nd.ones((50,)))
    np.testing.assert_array_equal(exe.grad_dict['x'].asnumpy(), 1)
    exe.forward(is_train=True)
    exe.backward(mx.nd.ones((50,)))
    np.testing.assert_array_equal(exe.grad_dict['x'].asnumpy(), exe.outputs[0].asnumpy())
    loss = bound(mx.sym.MakeLoss(x * 3), [1, 2])
    loss.forward()
    loss.backward()
    np.testing.assert_array_equal(loss.grad_dict['x'].asnumpy(), [3, 3])
    none = (x * x).bind(mx.cpu(), {'x': mx.nd.ones((2,))}, grad_req='null')
    none.forward()
    none.backward(mx.nd.ones((2,)))  # nothing is wanted


def test_reshape_shares_arrays():
    net = mx.sym.FullyConnected(mx.sym.Variable('x'), num_hidden=3, name='fc')
    exe = net.simple_bind(mx.cpu(), x=(4, 5))
    small = exe.reshape(x=(2, 5))
    small.arg_dict['x'][:] = 7
    small.arg_dict['fc_weight'][:] = 3
    small.grad_dict['fc_weight'][:] = 9
    small.grad_dict['x'][:] = 8
    np.testing.assert_array_equal(exe.arg_dict['x'].asnumpy()[:, 0], [7, 7, 0, 0])
    np.testing.assert_array_equal(exe.grad_dict['x'].asnumpy()[:, 0], [8, 8, 0, 0])
    assert exe.arg_dict['fc_weight'].asnumpy()[0, 0] == 3 and exe.grad_dict['fc_weight'].asnumpy()[0, 0] == 9
    assert small.outputs[0].shape == (2, 3) and (small.forward()[0].asnumpy() == 105).all()
    assert (exe.forward()[0].asnumpy() == [[105] * 3] * 2 + [[0] * 3] * 2).all()
    with pytest.raises(mx.MXNetError, match='New shape of arg: x is larger than original'):
        exe.reshape(x=(8, 5))
    large = exe.reshape(allow_up_sizing=True, x=(8, 5))
    large.arg_dict['x'][:] = 1
    assert exe.arg_dict['x'].asnumpy()[0, 0] == 7 and large.arg_dict['fc_weight'].asnumpy()[0, 0] == 3
    with pytest.raises(mx.MXNetError, match='Shape of unspecified arg: fc_weight changed'):
        exe.reshape(x=(4, 4))
    other = exe.reshape(partial_shaping=True, x=(4, 4))
    assert other.arg_dict['fc_weight'].shape == (3, 4)
    other.arg_dict['fc_weight'][:] = 5
    np.testing.assert_array_equal(exe.arg_dict['fc_weight'].asnumpy().ravel(), [5] * 12 + [3] * 3)
    with pytest.raises(mx.MXNetError, match='Unknown argument y'):
        exe.reshape(y=(4, 4))


def test_whole_numbers_in_graphs():
    """What is cut off between operators, and gradients, are those of single calls."""
    a, b = mx.sym.Variable('a'), mx.sym.Variable('b')
    values = {'a': mx.nd.array([7, 9, -4], dtype='int32'), 'b': mx.nd.array([2, 4, 3], dtype='int32')}
    for f in (
        lambda a, b: (a / b) * b + a / 2 * 3,
        lambda a, b: a * a - b,
        lambda a, b: mx_of(a).cast(a, dtype='float32') * 0.5 + mx_of(a).cast(b, dtype='float32') * 1.7,
        lambda a, b: mx_of(a).cast(mx_of(a).cast(a, dtype='float32') * 0.7, dtype='int32') * b,
        lambda a, b: mx_of(a).sqrt(a * a) + a * 2.5 - b,
    ):
        exe = f(a, b).bind(mx.cpu(), values, {n: mx.nd.zeros((3,), dtype='int32') for n in values})
        made = exe.forward(is_train=True)[0]
        for x in values.values():
            x.attach_grad()
        with mx.autograd.record():
            wanted = f(values['a'], values['b'])
        weights = mx.nd.array([1, 2, 3], dtype=wanted.dtype)
        wanted.backward(weights)
        exe.backward(weights)
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made.asnumpy(), wanted.asnumpy())
        for name, x in values.items():
            assert exe.grad_dict[name].dtype == np.int32
            np.testing.assert_array_equal(exe.grad_dict[name].asnumpy(), x.grad.asnumpy())


def mx_of(x):
    return mx.sym if isinstance(x, mx.sym.Symbol) else mx.nd


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
    np.testing.assert_allclose(
        exe.grad_dict['fullyconnected0_bias'].asnumpy(), d.sum(0), rtol=1e-4, atol=1e-6
    )
    np.testing.assert_allclose(
        exe.grad_dict['fc1_weight'].asnumpy(),
        ((d @ values['fullyconnected0_weight']) * (hidden > 0)).T @ values['data'],
        rtol=1e-4,
        atol=1e-6,
    )
    assert (exe.grad_dict['softmax_label'].asnumpy() == 0).all()
    assert exe.output_dict['softmax_output'] is exe.outputs[0]
    with warnings.catch_warnings():
        warnings.simplefilter('error')  # the label, which prediction does not read, is not fed
        zeros = exe.forward(data=mx.nd.array(values['data'] * 0))[0].asnumpy()
    np.testing.assert_allclose(zeros[0], zeros[1])
    with pytest.raises(TypeError, match='Unknown argument foo'):
        exe.forward(foo=mx.nd.ones((1,)))
    with pytest.raises(ValueError, match='Shape not match'):
        exe.forward(data=mx.nd.ones((1, 5)))
    with pytest.raises(RuntimeError, match='simple_bind error'):
        net.simple_bind(mx.cpu())
    smaller = exe.reshape(data=(1, 5), partial_shaping=True)
    assert (
        smaller.forward()[0].shape == (1, 3) and smaller.arg_dict['fc1_weight'] is exe.arg_dict['fc1_weight']
    )


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
    net = mx.sym.BatchNorm(
        mx.sym.Convolution(data, kernel=(1, 1), num_filter=2, no_bias=True, name='c'),
        fix_gamma=False,
        momentum=0.5,
        name='bn',
    )
    exe = net.simple_bind(mx.cpu(), data=(3, 2, 4, 4))
    rs = np.random.RandomState(0)
    exe.arg_dict['data'][:] = rs.uniform(-1, 1, (3, 2, 4, 4))
    exe.arg_dict['c_weight'][:] = np.eye(2).reshape(2, 2, 1, 1)
    exe.arg_dict['bn_gamma'][:] = 1
    exe.aux_dict['bn_moving_var'][:] = 1
    y = exe.forward(is_train=True)[0].asnumpy()
    x = exe.arg_dict['data'].asnumpy()
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
    np.testing.assert_allclose(
        y, (x - mean[:, None, None]) / np.sqrt(var + 1e-3)[:, None, None], rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(exe.aux_dict['bn_moving_mean'].asnumpy(), mean / 2, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(exe.aux_dict['bn_moving_var'].asnumpy(), 0.5 + var / 2, rtol=1e-4)
    exe.forward(is_train=False)
    np.testing.assert_allclose(exe.aux_dict['bn_moving_mean'].asnumpy(), mean / 2, rtol=1e-4, atol=1e-6)


def test_two_batch_sizes_are_named():
    a, b = mx.sym.Variable('a'), mx.sym.Variable('b')
    both = mx.sym.Group([mx.sym.Pooling(v, kernel=(2, 2), pool_type='max') for v in (a, b)])
    with pytest.raises(mx.MXNetError, match='two batch sizes in one graph, 2 and 3'):
        both.simple_bind(mx.cpu(), a=(2, 1, 4, 4), b=(3, 1, 4, 4)).forward()
    rows = mx.sym.FullyConnected(
        mx.sym.reshape(a, shape=(-4, -1, 1, -2)), num_hidden=2, name='f'
    )  # products have any number of rows
    assert mx.sym.Group([rows, mx.sym.FullyConnected(b, num_hidden=2, name='g')]).simple_bind(
        mx.cpu(), a=(2, 4), b=(3, 4)
    ).forward()[1].shape == (3, 2)


def test_a_fixed_gamma_is_one():
    net = mx.sym.BatchNorm(mx.sym.Variable('data'), name='bn')
    exe = net.simple_bind(mx.cpu(), data=(4, 2))
    exe.arg_dict['bn_gamma'][:] = 3
    exe.forward(is_train=True)
    exe.backward(mx.nd.ones((4, 2)))
    assert (exe.arg_dict['bn_gamma'].asnumpy() == 1).all() and (
        exe.grad_dict['bn_gamma'].asnumpy() == 0
    ).all()


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
