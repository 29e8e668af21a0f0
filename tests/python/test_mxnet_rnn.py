"""mx.rnn: cells unroll to the graphs of MXNet 1.9.1, weights go between fused layers and cells, sentences go
into buckets."""

import gzip
import json
import random
import warnings
from pathlib import Path

import numpy as np
import pytest

import cantik.mxnet as mx
from mxnet_rnn_graphs import figures

rnn = mx.rnn
KEPT = json.loads(
    gzip.decompress(
        (Path(__file__).resolve().parents[1] / 'golden' / 'mxnet_rnn_graphs.json.gz').read_bytes()
    )
)


@pytest.fixture(scope='module')
def found():
    return json.loads(json.dumps(figures(mx)))


def test_the_same_cells(found):
    assert sorted(found) == sorted(KEPT)


@pytest.mark.parametrize('name', KEPT)
def test_graphs_of_mxnet(found, name):
    """Names, attributes and operands of every operator; shapes of states and results; weights gate by
    gate."""
    assert found[name] == KEPT[name]


# ---- values

STEPS, BATCH, FEATURES, SIZE = 4, 3, 2, 5


def values_of(outputs, states, weights, data, grad=None):
    """Outputs, last states and the gradient of the sum of the outputs with respect to the data."""
    whole = mx.sym.Group([outputs] + [mx.sym.BlockGrad(s) for s in states])
    exe = whole.simple_bind(mx.cpu(), data=data.shape)
    exe.copy_params_from(weights)
    made = [o.asnumpy() for o in exe.forward(is_train=True, data=mx.nd.array(data))]
    exe.backward([mx.nd.ones(o.shape) for o in made])
    return made + [exe.grad_dict['data'].asnumpy()]


def random_weights(symbol, seed=0, **shapes):
    numbers = np.random.RandomState(seed)
    shapes = zip(symbol.list_arguments(), symbol.infer_shape(**shapes)[0])
    return {n: mx.nd.array(numbers.uniform(-1, 1, s)) for n, s in shapes if n != 'data'}


@pytest.mark.parametrize('mode', ['rnn_relu', 'rnn_tanh', 'lstm', 'gru'])
@pytest.mark.parametrize('both', [False, True])
@pytest.mark.parametrize('layout', ['NTC', 'TNC'])
def test_fused_layers_and_their_cells(mode, both, layout):
    """The operator RNN and the cells that unfuse gives compute the same with the same weights, apart or in
    one vector."""
    shape = (BATCH, STEPS, FEATURES) if layout == 'NTC' else (STEPS, BATCH, FEATURES)
    data = np.random.RandomState(1).uniform(-1, 1, shape).astype('f')
    fused = rnn.FusedRNNCell(
        SIZE, num_layers=2, mode=mode, bidirectional=both, prefix='f_', get_next_state=True
    )
    apart = fused.unfuse()
    outputs, states = fused.unroll(STEPS, mx.sym.Variable('data'), layout=layout, merge_outputs=True)
    weights = random_weights(outputs, data=shape)
    made = values_of(outputs, states, weights, data)
    more, after = apart.unroll(STEPS, mx.sym.Variable('data'), layout=layout, merge_outputs=True)
    flat = [s for way in after for s in (way if isinstance(way, list) else [way])]
    of_cells = values_of(more, flat, apart.pack_weights(fused.unpack_weights(weights)), data)
    np.testing.assert_allclose(of_cells[0], made[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(of_cells[-1], made[-1], rtol=1e-4, atol=1e-5)
    of_layers = [made[1][i] for i in range(len(made[1]))]  # hidden states by layer and direction
    of_steps = of_cells[1:-1][::2] if mode == 'lstm' else of_cells[1:-1]
    for one, other in zip(of_steps, of_layers):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    back = fused.pack_weights(apart.unpack_weights(apart.pack_weights(fused.unpack_weights(weights))))
    assert list(back) == ['f_parameters']
    np.testing.assert_array_equal(back['f_parameters'].asnumpy(), weights['f_parameters'].asnumpy())


def test_states_go_on():
    """Two parts, the second from the states behind the first, are the whole."""
    cell = rnn.LSTMCell(SIZE, prefix='l_')
    data = np.random.RandomState(1).uniform(-1, 1, (BATCH, STEPS, FEATURES)).astype('f')
    whole, _ = cell.unroll(STEPS, mx.sym.Variable('data'), merge_outputs=True)
    weights = random_weights(whole, data=data.shape)
    wanted = values_of(whole, [], weights, data)[0]
    names = ['h', 'c']
    part, after = cell.unroll(
        2, mx.sym.Variable('data'), begin_state=[mx.sym.Variable(n) for n in names], merge_outputs=True
    )
    exe = mx.sym.Group([part, *after]).simple_bind(
        mx.cpu(), data=(BATCH, 2, FEATURES), h=(BATCH, SIZE), grad_req='null'
    )
    exe.copy_params_from(weights)
    for first in (0, 2):
        outputs, *states = exe.forward(data=mx.nd.array(data[:, first : first + 2]))
        np.testing.assert_allclose(outputs.asnumpy(), wanted[:, first : first + 2], rtol=1e-5, atol=1e-6)
        for name, state in zip(names, [s.copy() for s in states]):
            exe.arg_dict[name][:] = state


@pytest.mark.parametrize('outputs, states', [(0.4, 0.0), (0.0, 0.4), (0.4, 0.4)])
def test_zoneout(outputs, states):
    """In training each number is the new one or the one of the step before; to predict, the cell's own."""
    plain, zoned = (
        rnn.RNNCell(SIZE, prefix='l_'),
        rnn.ZoneoutCell(rnn.RNNCell(SIZE, prefix='l_'), outputs, states),
    )
    data = np.random.RandomState(1).uniform(-1, 1, (BATCH * 40, STEPS, FEATURES)).astype('f')
    made = {}
    for name, cell in ('plain', plain), ('zoned', zoned):
        symbol, _ = cell.unroll(STEPS, mx.sym.Variable('data'), merge_outputs=True)
        weights = random_weights(symbol, data=data.shape)
        exe = symbol.simple_bind(mx.cpu(), data=data.shape)
        exe.copy_params_from(weights)
        made[name] = [
            exe.forward(is_train=train, data=mx.nd.array(data))[0].asnumpy() for train in (False, True)
        ]
    np.testing.assert_allclose(made['zoned'][0], made['plain'][0], rtol=1e-5, atol=1e-6)
    first, wanted = made['zoned'][1][:, 0], made['plain'][0][:, 0]
    if outputs:
        assert abs((first == 0).mean() - outputs) < 0.06  # before the first step there are zeros
        kept = (made['zoned'][1][:, 1:] == made['zoned'][1][:, :-1]).mean()
        assert abs(kept - outputs) < 0.06
        np.testing.assert_allclose(first[first != 0], wanted[first != 0], rtol=1e-5, atol=1e-6)
    else:
        np.testing.assert_allclose(first, wanted, rtol=1e-5, atol=1e-6)
        assert np.abs(made['zoned'][1] - made['plain'][1])[:, 2:].max() > 1e-3


def test_dropout_and_residuals():
    data = np.random.RandomState(1).uniform(0.5, 1, (50, STEPS, FEATURES)).astype('f')
    symbol, states = rnn.DropoutCell(0.5).unroll(STEPS, mx.sym.Variable('data'), merge_outputs=True)
    assert states == []
    exe = symbol.simple_bind(mx.cpu(), data=data.shape)
    np.testing.assert_array_equal(exe.forward(data=mx.nd.array(data))[0].asnumpy(), data)
    dropped = exe.forward(is_train=True)[0].asnumpy()
    assert abs((dropped == 0).mean() - 0.5) < 0.1
    np.testing.assert_allclose(dropped[dropped != 0], 2 * data[dropped != 0], rtol=1e-6)
    plain, around = rnn.GRUCell(FEATURES, prefix='g_'), rnn.ResidualCell(rnn.GRUCell(FEATURES, prefix='g_'))
    made = []
    for cell in plain, around:
        symbol, _ = cell.unroll(STEPS, mx.sym.Variable('data'), merge_outputs=True)
        made.append(values_of(symbol, [], random_weights(symbol, data=data.shape), data))
    np.testing.assert_allclose(made[1][0], made[0][0] + data, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(made[1][1], made[0][1] + 1, rtol=1e-4, atol=1e-5)


def test_initial_weights():
    """Forget gates have biases of their own, the rest what the module's initializer gives."""
    for cell, name, rows in (
        (rnn.LSTMCell(3, prefix='l_', forget_bias=2.0), 'l_i2h_bias', slice(3, 6)),
        (rnn.FusedRNNCell(3, mode='lstm', prefix='l_', forget_bias=2.0), 'l_parameters', None),
    ):
        symbol, _ = cell.unroll(2, mx.sym.Variable('data'), merge_outputs=True)
        module = mx.mod.Module(symbol, label_names=None)
        module.bind([('data', (2, 2, 2))])
        module.init_params(mx.init.Constant(0.25))
        weights = module.get_params()[0]
        if rows is not None:
            assert weights[name].asnumpy().tolist() == [0, 0, 0, 2, 2, 2] + [0] * 6
        apart = cell.unpack_weights(weights)
        for part, array in apart.items():
            wanted = (
                2.0
                if part == 'l_i2h_f_bias' or (part.endswith('_f_bias') and rows is None)
                else 0.0
                if 'bias' in part
                else 0.25
            )
            assert set(array.asnumpy().ravel()) == {wanted}, part
    with pytest.raises(AssertionError, match='nosuch is not registered'):
        mx.init.create('nosuch')
    with pytest.raises(AssertionError, match='must be of string type, not int'):
        mx.init.create(3)
    for init in ('one', mx.init.One()):
        assert (
            mx.init.create('fusedrnn', init=init, num_hidden=3, num_layers=1, mode='gru')
            .dumps()
            .startswith('["fusedrnn", {')
        )
    array = mx.nd.zeros((3 * 3 * (2 + 3 + 2),))
    mx.init.FusedRNN(mx.init.One(), num_hidden=3, num_layers=1, mode='gru')._init_weight(
        mx.init.InitDesc('parameters'), array
    )
    assert array.asnumpy().sum() == 3 * 3 * (2 + 3)


def test_checkpoints(tmp_path):
    fused = rnn.FusedRNNCell(4, num_layers=2, mode='lstm', prefix='l_', bidirectional=True)
    symbol, _ = fused.unroll(3, mx.sym.Variable('data'), merge_outputs=True)
    weights = random_weights(symbol, data=(2, 3, 5))
    prefix = str(tmp_path / 'r')
    rnn.save_rnn_checkpoint(fused, prefix, 1, symbol, weights, {})
    kept = mx.nd.load(prefix + '-0001.params')
    assert (
        len(kept) == 2 * 2 * 2 * 2 * 4
        and kept['arg:l_l0_h2h_c_weight'].shape == (4, 4)
        and kept['arg:l_r1_i2h_o_bias'].shape == (4,)
    )
    again, args, aux = rnn.load_rnn_checkpoint([fused], prefix, 1)
    assert again.tojson() == symbol.tojson() and aux == {} and list(args) == ['l_parameters']
    np.testing.assert_array_equal(args['l_parameters'].asnumpy(), weights['l_parameters'].asnumpy())
    _, args, _ = rnn.load_rnn_checkpoint(fused.unfuse(), prefix, 1)
    assert {k: v.shape for k, v in args.items() if 'r1' in k} == {
        'l_r1_i2h_weight': (16, 8),
        'l_r1_h2h_weight': (16, 4),
        'l_r1_i2h_bias': (16,),
        'l_r1_h2h_bias': (16,),
    }
    callback = rnn.do_rnn_checkpoint(fused, str(tmp_path / 'z'), 2)
    for epoch in range(4):
        callback(epoch, symbol, weights, {})
    assert sorted(p.name for p in tmp_path.glob('z*')) == ['z-0002.params', 'z-0004.params', 'z-symbol.json']


def test_wrong_use():
    x, base = mx.sym.Variable('x'), rnn.RNNCell(3)
    around = rnn.ResidualCell(base)
    with pytest.raises(AssertionError, match='base cell cannot be called directly'):
        base.begin_state()
    assert len(around.begin_state()) == 1 and around.params is base.params
    both = rnn.BidirectionalCell(rnn.RNNCell(3), rnn.RNNCell(3, prefix='r_'))
    for cell, text in (
        (both, 'Bidirectional cannot be stepped'),
        (rnn.FusedRNNCell(3), 'FusedRNNCell cannot be stepped'),
    ):
        with pytest.raises(NotImplementedError, match=text):
            cell(x, [])
        with pytest.raises(AssertionError, match="doesn't support zoneout"):
            rnn.ZoneoutCell(cell)
    stack = rnn.SequentialRNNCell()
    stack.add(both)
    with pytest.raises(AssertionError, match="doesn't support zoneout"):
        rnn.ZoneoutCell(stack)
    with pytest.raises(AssertionError, match='make the inputs first'):
        rnn.RNNCell(3).unroll(2, None)
    with pytest.raises(AssertionError, match='1 steps were given, 3 are to be unrolled'):
        rnn.RNNCell(3).unroll(3, [x])
    with pytest.raises(AssertionError, match='grouped symbol'):
        rnn.RNNCell(3).unroll(2, mx.sym.Group([x, x]))
    with pytest.raises(AssertionError, match='a number'):
        rnn.DropoutCell('much')
    shared = rnn.SequentialRNNCell(params=rnn.RNNParams('s_'))
    with pytest.raises(AssertionError, match='not both'):
        shared.add(rnn.RNNCell(3, params=rnn.RNNParams('t_')))
    with pytest.raises(AttributeError, match='ConvLSTMCell is not there'):
        rnn.ConvLSTMCell
    with pytest.raises(AttributeError, match="no attribute 'Cell'"):
        rnn.Cell


# ---- sentences


def test_encoding():
    texts = [['a', 'b'], ['b', 'c', 'a']]
    assert rnn.encode_sentences(texts, invalid_label=0, start_label=1) == (
        [[1, 2], [2, 3, 1]],
        {'\n': 0, 'a': 1, 'b': 2, 'c': 3},
    )
    assert rnn.encode_sentences(texts, invalid_label=0) == rnn.encode_sentences(
        texts, invalid_label=0, start_label=1
    )
    assert rnn.encode_sentences(texts, invalid_label=1, invalid_key='?') == (
        [[0, 2], [2, 3, 0]],
        {'?': 1, 'a': 0, 'b': 2, 'c': 3},
    )
    coded, vocabulary = rnn.encode_sentences(texts)
    assert rnn.encode_sentences(texts[::-1], vocabulary)[0] == coded[::-1]
    with pytest.raises(AssertionError, match='Unknown token q'):
        rnn.encode_sentences([['a', 'q']], vocabulary)
    # an unknown word is that of unknown_token, each time (MXNet gives it a new number each time, and loses
    # the old one)
    assert rnn.encode_sentences([['a', 'q', 'r']], {'a': 3, '?': 4}, unknown_token='?') == (
        [[3, 4, 4]],
        {'a': 3, '?': 4},
    )
    assert rnn.encode_sentences([['a', 'q', 'r']], {'a': 0}, unknown_token='?') == (
        [[0, 1, 1]],
        {'a': 0, '?': 1},
    )


def test_buckets():
    random.seed(1)
    np.random.seed(1)
    sentences = [[int(v) for v in np.random.randint(1, 6, n)] for n in np.random.randint(2, 5, 40)]
    batches = rnn.BucketSentenceIter(sentences, 4, buckets=[4, 2, 3], invalid_label=0)
    assert (batches.buckets, batches.default_bucket_key, batches.batch_size) == ([2, 3, 4], 4, 4)
    assert [repr(d) for d in batches.provide_data + batches.provide_label] == [
        "DataDesc[data,(4, 4),<class 'numpy.float32'>,NT]",
        "DataDesc[softmax_label,(4, 4),<class 'numpy.float32'>,NT]",
    ]
    first = next(batches)  # its order is that of MXNet with these seeds
    assert first.bucket_key == 3 and first.data[0].asnumpy().tolist() == [
        [1, 5, 2],
        [5, 1, 4],
        [2, 1, 1],
        [5, 2, 1],
    ]
    assert first.label[0].asnumpy().tolist() == [
        [5, 2, 0],
        [1, 4, 0],
        [1, 1, 0],
        [2, 1, 0],
    ] and first.provide_data[0].shape == (4, 3)
    batches.reset()
    seen = [tuple(int(v) for v in row if v) for b in batches for row in b.data[0].asnumpy()]
    assert len(seen) == 4 * len(batches.idx) and set(seen) <= {tuple(s) for s in sentences}
    with pytest.raises(StopIteration):
        next(batches)
    by_steps = next(rnn.BucketSentenceIter([[1, 2, 3], [3, 4]], 2, buckets=[3], layout='TN', dtype='int32'))
    assert by_steps.data[0].shape == (3, 2) and by_steps.data[0].dtype == np.int32
    assert sorted(map(tuple, by_steps.label[0].asnumpy().T.tolist())) == [(2, 3, -1), (4, -1, -1)]
    with pytest.warns(UserWarning, match='discarded 1'):
        assert rnn.BucketSentenceIter([[1, 2], [3, 4], [1, 2, 3], [5]], 2).buckets == [
            2
        ]  # lengths that fill a batch


def test_wrong_buckets():
    with pytest.raises(ValueError, match='no length has the 4 sentences'):
        rnn.BucketSentenceIter([[1, 2, 3]], 4)
    with pytest.raises(ValueError, match='Invalid layout XY'):
        rnn.BucketSentenceIter([[1, 2, 3]], 1, buckets=[3], layout='XY')
    with pytest.warns(UserWarning, match='discarded 1 sentences longer than the largest bucket'):
        rnn.BucketSentenceIter([[1, 2, 3], [1, 2]], 1, buckets=[2])
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        rnn.BucketSentenceIter([[1, 2]], 1, buckets=[2])
