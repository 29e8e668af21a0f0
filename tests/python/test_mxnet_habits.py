"""What programs of MXNet do beside the operators, as MXNet 1.9.1 takes it: attributes of scopes, batches of
one's own, parameters that the symbol has not, asking whether there is a method, paths of modules."""

import logging
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest

import cantik.mxnet as mx

HIDDEN = ('lr_mult', 'wd_mult', 'ctx_group', 'force_mirroring', 'mirror_stage')


@pytest.mark.parametrize('name', HIDDEN)
@pytest.mark.parametrize('bare', [True, False])
def test_attributes_of_nodes_in_a_scope(name, bare):
    with mx.AttrScope(**{name if bare else f'__{name}__': '2'}):
        v = mx.sym.Variable('v')
        f = mx.sym.FullyConnected(v, num_hidden=2, name='f')
    both = {name: '2', f'__{name}__': '2'}
    assert v.list_attr() == both and v.attr_dict() == {'v': both}
    assert v.attr(name) == v.attr(f'__{name}__') == '2'
    for node in ('f', 'f_weight', 'f_bias'):
        assert both.items() <= f.attr_dict()[node].items()
    assert mx.sym.load_json(f.tojson()).attr_dict() == f.attr_dict()


def test_a_layer_that_a_scope_freezes_rests():
    with mx.AttrScope(__lr_mult__='0'):
        hidden = mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=3, name='frozen')
    s = mx.sym.LinearRegressionOutput(mx.sym.FullyConnected(hidden, num_hidden=1, name='free'), name='l')
    m = mx.mod.Module(s, label_names=['l_label'])
    it = mx.io.NDArrayIter(np.ones((4, 2)), np.ones((4, 1)), 2, label_name='l_label')
    m.bind(it.provide_data, it.provide_label)
    m.init_params(mx.init.One())
    m.init_optimizer()
    m.forward_backward(it.next())
    m.update()
    args, _ = m.get_params()
    assert (args['frozen_weight'].asnumpy() == 1).all() and (args['free_weight'].asnumpy() != 1).any()


def test_attributes_of_ones_own():
    with mx.AttrScope(__mood__='good', __place__='outer'):
        with mx.AttrScope(__place__='inner'):
            v = mx.sym.Variable('v', attr={'__mood__': 'bad'})
    assert v.attr_dict() == {'v': {'__place__': 'inner', '__mood__': 'bad'}}
    with mx.AttrScope(mood='x'):
        assert mx.sym.Variable('v').attr('mood') == 'x'
        with pytest.raises(mx.MXNetError, match="Cannot find argument 'mood'"):
            mx.sym.relu(mx.sym.Variable('v'))
    with pytest.raises(mx.MXNetError, match="Cannot find argument 'mood'"):
        mx.sym.FullyConnected(mx.sym.Variable('v'), num_hidden=2, attr={'mood': 'x'})
    f = mx.sym.relu(mx.sym.Variable('v'))
    f._set_attr(lr_mult='3', __own__='y')
    assert f.attr('lr_mult') == '3' and f.attr('__own__') == 'y'
    with pytest.raises(mx.MXNetError, match="Cannot find argument 'z'"):
        f._set_attr(z='1')
    assert f.attr('z') is None


def test_old_files_say_attributes_of_nodes_without_underscores():
    json = (
        '{"nodes": [{"op": "null", "name": "v", "inputs": []}, {"op": "Activation", "name": "a", "param": '
        '{"act_type": "relu"}, "attr": {"lr_mult": "2", "ctx_group": "g"}, "inputs": [[0, 0]]}], '
        '"arg_nodes": [0], "heads": [[1, 0]]}'
    )
    assert mx.sym.load_json(json).attr('__lr_mult__') == '2'


W = {'fc_weight': mx.nd.ones((2, 3)), 'fc_bias': mx.nd.zeros((2,))}
X = mx.nd.ones((2, 3))
Batch = namedtuple('Batch', ['data'])


def module():
    m = mx.mod.Module(
        mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2, name='fc'), label_names=None
    )
    m.bind([('data', (2, 3))], for_training=False)
    return m


def test_batches_of_ones_own():
    m = module()
    m.init_params(arg_params=W, aux_params={})
    for batch, rows in ((Batch([X]), 2), ([Batch([X])], 2), (Batch([mx.nd.ones((5, 3))]), 5)):
        m.forward(batch)
        assert m.get_outputs()[0].asnumpy().tolist() == [[3, 3]] * rows
    with pytest.raises(mx.MXNetError, match='one device, and 2 batches'):
        m.forward([Batch([X]), Batch([X])])
    with pytest.raises(mx.MXNetError, match=r'fc_weight has the shape \(2, 7\)'):
        m.forward(Batch([mx.nd.ones((2, 7))]))


def test_parameters_that_the_symbol_has_not():
    more = {**W, 'other': mx.nd.ones((1,))}
    for fill in (
        lambda m: m.init_params(arg_params=more, aux_params={'q': X}),
        lambda m: m.set_params(more, {'q': X}),
        lambda m: m.set_params(more, {}, allow_missing=True, allow_extra=True),
    ):
        m = module()
        fill(m)
        assert set(m.get_params()[0]) == set(W)
    with pytest.raises(ValueError, match='Find name "other" that is not in the arguments'):
        module().set_params(more, {}, allow_missing=True)
    with pytest.raises(RuntimeError, match='fc_bias is not presented'):
        module().set_params({'fc_weight': X}, {})
    with pytest.raises(mx.MXNetError, match=r'fc_weight has the shape \(4, 3\)'):
        module().init_params(arg_params={**W, 'fc_weight': mx.nd.ones((4, 3))})
    s = mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2, name='fc')
    assert s.simple_bind(mx.cpu(), data=(2, 3), softmax_label=(2,)).arg_dict['fc_weight'].shape == (2, 3)


def test_asking_for_methods():
    v = mx.sym.Variable('x')
    for kind in (v, mx.sym.Symbol):
        assert hasattr(kind, 'asnumpy') and hasattr(kind, 'exp') and hasattr(kind, 'reshape_like')
        assert not hasattr(kind, 'attach_grad') and not hasattr(kind, 'copyto') and not hasattr(kind, 'zzz')
    assert hasattr(mx.nd.NDArray, 'sum') and 'sum' in dir(X) and not hasattr(X, 'zzz')
    assert mx.nd.NDArray.sum(X).asscalar() == 6
    with pytest.raises(mx.MXNetError, match='Function asnumpy is not implemented for Symbol'):
        v.asnumpy()
    assert np.allclose(mx.nd.array([8.0]).rcbrt().asnumpy(), 0.5)


def test_names_of_operators_in_name_spaces():
    v = mx.sym.Variable('x')
    with mx.name.NameManager():
        assert mx.sym.linalg.gemm2(v, v).name == 'gemm20'
        assert mx.sym.contrib.div_sqrt_dim(v).name == 'div_sqrt_dim0'
        assert mx.sym.linalg_gemm2(v, v).name == 'linalg_gemm20'


def test_an_updater_takes_lists():
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=0.5))
    weights = [mx.nd.ones(2), mx.nd.ones(3)]
    updater([0, 1], [mx.nd.ones(2), mx.nd.ones(3)], weights)
    assert [w.asnumpy().tolist() for w in weights] == [[0.5] * 2, [0.5] * 3]


def test_gradients_of_one_array_are_a_list():
    x = mx.nd.array([1, 2, 3])
    x.attach_grad()
    with mx.autograd.record():
        y = x * x
    found = mx.autograd.grad(y, x)
    assert isinstance(found, list) and found[0].asnumpy().tolist() == [2, 4, 6]
    x.attach_grad('null')
    assert x.grad is None


S = mx.sym.Variable('x')
BOUNDS = {
    'hidden': (lambda: mx.sym.FullyConnected(S, num_hidden=0), 'num_hidden should be greater equal to 1'),
    'filters': (lambda: mx.sym.Convolution(S, kernel=(3, 3), num_filter=0), 'num_filter should be greater'),
    'words': (lambda: mx.sym.Embedding(S, input_dim=0, output_dim=3), 'input_dim should be greater'),
    'vectors': (lambda: mx.sym.Embedding(S, input_dim=3, output_dim=-1), 'output_dim should be greater'),
    'parts': (lambda: mx.sym.split(S, num_outputs=-1), 'num_outputs should be greater'),
    'dropped': (lambda: mx.sym.Dropout(S, p=1.5), 'p should be smaller equal to 1'),
    'kept': (lambda: mx.sym.Dropout(S, p=-0.1), 'p should be greater equal to 0'),
    'scale': (lambda: mx.sym.UpSampling(S, scale=0, sample_type='nearest'), 'scale should be greater'),
    'operands': (lambda: mx.sym.Concat(num_args=0), 'num_args should be greater'),
    'tiles': (lambda: mx.nd.tile(X, reps=(0,)), 'dim size must be positive'),
    'steps': (lambda: mx.nd.arange(0, 3, 0), 'does not support step=0'),
    'size': (lambda: mx.nd.zeros((-1, 2)), 'negative size'),
    'coordinates': (
        lambda: mx.nd.gather_nd(mx.nd.ones((2, 3)), mx.nd.zeros((3, 2))),
        'Number of indices exceeds',
    ),
}


@pytest.mark.parametrize('name', BOUNDS)
def test_numbers_out_of_bounds(name):
    call, text = BOUNDS[name]
    with pytest.raises(mx.MXNetError, match=text):
        call()


def test_keys_that_are_no_places():
    for key in ('x', 1.0):
        with pytest.raises(ValueError, match='does not support slicing with key'):
            X[key]
    with pytest.raises(AssertionError, match='a list of at least one'):
        mx.lr_scheduler.MultiFactorScheduler([])


PROGRAM = """
import mxnet as mx
from mxnet.module.base_module import BaseModule
from mxnet.module.bucketing_module import BucketingModule
from mxnet.module.sequential_module import SequentialModule
from mxnet.io.io import DataIter, DataBatch
from mxnet.ndarray.ndarray import NDArray
from mxnet.ndarray.utils import load
from mxnet.rnn.rnn_cell import BaseRNNCell, LSTMCell
from mxnet.rnn.io import BucketSentenceIter
from mxnet.optimizer.optimizer import SGD
from mxnet.base import string_types, numeric_types, integer_types, py_str, mx_real_t
assert BaseModule is mx.mod.BaseModule and DataIter is mx.io.DataIter and NDArray is mx.nd.NDArray
assert LSTMCell is mx.rnn.LSTMCell and SGD is mx.optimizer.SGD and mx.rnd is mx.random
assert py_str(b'a') == py_str('a') == 'a' and isinstance('a', string_types) and isinstance(1.5, numeric_types)
from mxnet.rnn import rnn_cell
assert mx.rnn.rnn_cell is rnn_cell and mx.rnn.rnn_cell.LSTMCell is mx.rnn.rnn.LSTMCell is LSTMCell
assert mx.module.base_module.BaseModule is BaseModule and mx.mod.bucketing_module.BucketingModule is BucketingModule
assert mx.ndarray.ndarray.NDArray is NDArray and mx.io.io.DataBatch is DataBatch
assert mx.optimizer.optimizer.SGD is SGD and mx.kvstore.kvstore.KVStore is mx.kvstore.KVStore
print('well')
"""


def test_paths_of_modules(tmp_path):
    script = tmp_path / 'program.py'
    script.write_text(PROGRAM)
    run = subprocess.run(
        [sys.executable, '-m', 'cantik', 'run', str(script)], capture_output=True, text=True, check=False
    )
    assert run.stdout == 'well\n', run.stderr


def test_axes_as_numbers_of_numpy():
    for axis in (1, np.int64(1), np.int32(1)):
        assert X.sum(axis=axis).asnumpy().tolist() == [3, 3]
        assert X.max(axis=axis).shape == (2,) and mx.nd.argmax(X, axis=axis).shape == (2,)
        assert X.norm(axis=axis).shape == (2,) and X.repeat(repeats=2, axis=axis).shape == (2, 6)


def bound(data, label):
    d = mx.sym.Variable('data')
    m = mx.mod.Module(mx.sym.LinearRegressionOutput(d, name='l'), label_names=['l_label'])
    m.bind([mx.io.DataDesc('data', (5, 4), layout=data)], [mx.io.DataDesc('l_label', (5, 4), layout=label)])
    m.init_params()
    m.init_optimizer()
    return m


@pytest.mark.parametrize('layout, size', [('TN', 4), ('NT', 5), ('NCHW', 5), ('N', 5), (None, 5)])
def test_gradients_are_divided_by_the_batch_of_the_layout(layout, size):
    m = bound(layout, layout)
    assert m._optimizer.rescale_grad == 1 / size and m._exec_group.batch_size == size


def test_layouts_that_disagree():
    with pytest.raises(AssertionError, match='batches of different sizes'):
        bound('NT', 'TN')


@pytest.mark.parametrize(
    'request_, trained',
    [
        ({'fc_weight': 'write'}, {'fc_weight', 'fc_bias'}),
        (['null', 'write', 'null', 'null'], {'fc_weight'}),
        ('write', {'fc_weight', 'fc_bias'}),
        ('null', set()),
    ],
)
def test_which_parameters_have_gradients(request_, trained):
    s = mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=1, name='fc')
    m = mx.mod.Module(mx.sym.LinearRegressionOutput(s, name='l'), label_names=['l_label'])
    m.bind([('data', (2, 3))], [('l_label', (2, 1))], grad_req=request_)
    m.init_params(mx.init.One())
    m.init_optimizer()
    before = {k: v.asnumpy() for k, v in m.get_params()[0].items()}
    m.forward_backward(mx.io.DataBatch([mx.nd.ones((2, 3))], [mx.nd.ones((2, 1))]))
    m.update()
    after = m.get_params()[0]
    assert {k for k in before if not np.array_equal(before[k], after[k].asnumpy())} == trained


def test_a_batch_without_some_of_its_data():
    m = mx.mod.Module(mx.sym.Variable('a') + mx.sym.Variable('b'), ['a', 'b'], None)
    m.bind([('a', (2,)), ('b', (2,))], for_training=False)
    m.init_params()
    with pytest.raises(ValueError, match=r"1 arrays of data were given for \['a', 'b'\]"):
        m.forward(mx.io.DataBatch([mx.nd.ones(2)]))


def test_layers_without_names_are_one_in_all_buckets():
    def network(length):
        words = mx.sym.Embedding(mx.sym.Variable('data'), input_dim=4, output_dim=3)
        scores = mx.sym.FullyConnected(mx.sym.sum(words, axis=1), num_hidden=2)
        return mx.sym.SoftmaxOutput(scores, name='softmax'), ('data',), ('softmax_label',)

    mx.sym.Embedding(mx.sym.Variable('x'), input_dim=4, output_dim=3)  # the names around do not count
    b = mx.mod.BucketingModule(network, 5)
    b.bind([('data', (2, 5))], [('softmax_label', (2,))])
    b.init_params()
    b.switch_bucket(3, [('data', (2, 3))], [('softmax_label', (2,))])
    assert sorted(b.get_params()[0]) == [
        'embedding0_weight',
        'fullyconnected0_bias',
        'fullyconnected0_weight',
    ]


class Named(mx.metric.EvalMetric):
    def update(self, labels, preds):
        self.sum_metric += 5
        self.num_inst += 1

    def get_name_value(self):
        return [('own', 5.0)]


class Counting(mx.metric.EvalMetric):
    def reset(self):
        self.num_inst, self.sum_metric, self.mine = 0, 0, 0

    def update(self, labels, preds):
        self.mine += 1

    def get(self):
        return 'n', self.mine


@pytest.mark.parametrize(
    'metric, callback, wanted',
    [
        (Named('m'), None, [('own', 5.0)]),
        (Counting('n'), None, [('n', 3)]),
        (Counting('n'), mx.callback.Speedometer(2, 2), [('n', 3)]),
    ],
)
def test_metrics_of_ones_own(metric, callback, wanted):
    m = mx.mod.Module(
        mx.sym.LinearRegressionOutput(mx.sym.Variable('data'), name='l'), label_names=['l_label']
    )
    it = mx.io.NDArrayIter(np.ones((6, 2)), np.zeros((6, 2)), 2, label_name='l_label')
    m.bind(it.provide_data, it.provide_label)
    m.init_params()
    assert m.score(it, metric, batch_end_callback=callback) == wanted


def test_gradients_of_inputs_are_added_up():
    net = mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2)
    module = mx.mod.Module(net, label_names=None)
    module.bind([('data', (1, 2))], inputs_need_grad=True, grad_req='add')
    module.init_params(mx.init.One())
    for _ in range(2):
        module.forward(mx.io.DataBatch([mx.nd.ones((1, 2))]), is_train=True)
        module.backward([mx.nd.ones((1, 2))])
    assert module.get_input_grads()[0].asnumpy().tolist() == [[4, 4]]


def test_attributes_of_custom_operators_are_texts_as_python_writes_them():
    seen = []

    @mx.operator.register('texts_of_attributes')
    class Prop(mx.operator.CustomOpProp):
        def __init__(self, **attributes):
            seen.append(attributes)
            super().__init__(True)

        def create_operator(self, context, shapes, types):
            return mx.operator.CustomOp()

    mx.sym.Custom(mx.sym.Variable('x'), op_type='texts_of_attributes', scales=[8, 16], nothing=None)
    assert seen[0] == {'scales': '[8, 16]', 'nothing': 'None'}


def test_schedulers_tell_of_new_rates(caplog):
    with caplog.at_level(logging.INFO):
        scheduler = mx.lr_scheduler.FactorScheduler(step=2, factor=0.5, stop_factor_lr=0.2, base_lr=1.0)
        assert [scheduler(i) for i in (2, 3, 5, 7)] == [1, 0.5, 0.25, 0.2]
    assert caplog.messages == [
        'Update[3]: Change learning rate to 5.00000e-01',
        'Update[5]: Change learning rate to 2.50000e-01',
        'Update[7]: now learning rate arrived at 2.00000e-01, will not change in the future',
    ]


def test_scores_are_pythons_numbers():
    metric = mx.metric.create('f1')
    metric.update([mx.nd.array([0, 1, 1])], [mx.nd.array([[0.2, 0.8], [0.1, 0.9], [0.9, 0.1]])])
    assert repr(metric.get()) == "('f1', 0.5)"


def test_products_of_batches_of_any_rank():
    rs = np.random.RandomState(0)
    a, b = rs.randn(2, 3, 4, 5).astype(np.float32), rs.randn(2, 3, 5, 6).astype(np.float32)
    np.testing.assert_allclose(mx.nd.batch_dot(mx.nd.array(a), mx.nd.array(b)).asnumpy(), a @ b, rtol=1e-5)
    turned = [mx.nd.array(np.swapaxes(v, 2, 3)) for v in (a, b)]
    found = mx.nd.batch_dot(*turned, transpose_a=True, transpose_b=True)
    np.testing.assert_allclose(found.asnumpy(), a @ b, rtol=1e-5)
    made = mx.sym.batch_dot(mx.sym.Variable('a', shape=a.shape), mx.sym.Variable('b', shape=b.shape))
    assert made.infer_shape()[1] == [(2, 3, 4, 6)]
    for left, right in ((a, b[0]), (a, b[:, :2]), (a[0, 0], b[0, 0])):
        with pytest.raises(mx.MXNetError, match='batch_dot'):
            mx.nd.batch_dot(mx.nd.array(left), mx.nd.array(right))


def test_softmax_activation_is_over_the_last_axis():
    """What MXNet 1.9.1 computes on a CPU; its documents say all of a sample."""
    x = mx.nd.array(np.arange(16).reshape(1, 2, 2, 4) % 5)
    np.testing.assert_allclose(mx.nd.SoftmaxActivation(x).asnumpy().sum(-1), np.ones((1, 2, 2)), rtol=1e-6)
    channels = mx.nd.SoftmaxActivation(x, mode='channel').asnumpy().sum(1)
    np.testing.assert_allclose(channels, np.ones((1, 2, 4)), rtol=1e-6)


def test_an_element_beside_the_rest_of_the_axes():
    x, y = mx.nd.arange(4), mx.nd.arange(9).reshape((3, 3))
    for array, key, value in (
        (x, (1, ...), 1),
        (x, (..., 1), 1),
        (y, (1, 2, ...), 5),
        (y, (1, ..., 2), 5),
        (y, (..., 1, 2), 5),
    ):
        assert array[key].shape == (1,) and array[key].asscalar() == value
    assert y[1, ...].shape == (3,)


def test_a_module_that_is_not_for_training_has_no_backward():
    network = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2), name='softmax'
    )
    assert network.attr('name') == 'softmax' and mx.sym.Variable('q').attr('name') == 'q'
    module = mx.mod.Module(network)
    module.bind([('data', (2, 3))], [('softmax_label', (2,))], for_training=False)
    module.init_params()
    module.forward(mx.io.DataBatch([mx.nd.ones((2, 3))], [mx.nd.ones(2)]), is_train=True)
    with pytest.raises(AssertionError, match='re-bind with for_training=True'):
        module.backward()
