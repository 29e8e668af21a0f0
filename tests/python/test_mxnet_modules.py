"""Modules, data, metrics, callbacks and checkpoints of the MXNet layer; lines and figures are those of MXNet
1.9.1."""

import gzip
import logging
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import cantik.mxnet as mx
import mxnet_convnet


def samples(n=50):
    rs = np.random.RandomState(0)
    x = rs.rand(n, 5).astype(np.float32)
    return x, (x.sum(1) > 2.5).astype(np.float32)


def classifier():
    return mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2, name='fc'), name='softmax'
    )


def start(seed=1):
    rs = np.random.RandomState(seed)
    return {'fc_weight': mx.nd.array(rs.uniform(-1, 1, (2, 5))), 'fc_bias': mx.nd.zeros((2,))}


def test_batches():
    x, y = samples()
    it = mx.io.NDArrayIter(x, y, batch_size=8)
    assert [repr(d) for d in it.provide_data + it.provide_label] == [
        "DataDesc[data,(8, 5),<class 'numpy.float32'>,NCHW]",
        "DataDesc[softmax_label,(8,),<class 'numpy.float32'>,NCHW]",
    ]
    batches = list(it)
    assert [b.pad for b in batches] == [0] * 6 + [6] and it.num_data == 50
    np.testing.assert_array_equal(np.concatenate([b.data[0].asnumpy() for b in batches])[:50], x)
    np.testing.assert_array_equal(batches[-1].data[0].asnumpy()[2:], x[:6])  # filled up from the beginning
    it.reset()
    assert next(it).label[0].asnumpy().tolist() == y[:8].tolist()
    assert len(list(mx.io.NDArrayIter(x, y, 8, last_batch_handle='discard'))) == 6
    rolling = mx.io.NDArrayIter(x, y, 8, last_batch_handle='roll_over')
    assert len(list(rolling)) == 6
    rolling.reset()
    np.testing.assert_array_equal(next(rolling).data[0].asnumpy(), np.concatenate([x[48:], x[:6]]))
    np.random.seed(0)
    mixed = np.concatenate([b.data[0].asnumpy() for b in mx.io.NDArrayIter(x, y, 10, shuffle=True)])
    assert not np.array_equal(mixed, x) and np.array_equal(np.sort(mixed, 0), np.sort(x, 0))
    several = mx.io.NDArrayIter({'a': x, 'b': x * 2}, {'l': y}, 10)
    assert [d.name for d in several.provide_data] == ['a', 'b'] and [
        d.name for d in mx.io.NDArrayIter([x, x], None, 10).provide_data
    ] == ['_0_data', '_1_data']
    assert (
        str(mx.io.DataBatch([mx.nd.ones((2, 3))], [mx.nd.ones((2,))]))
        == 'DataBatch: data shapes: [(2, 3)] label shapes: [(2,)]'
    )
    assert len(list(mx.io.ResizeIter(mx.io.NDArrayIter(x, y, 10), 12))) == 12
    with pytest.raises(ValueError, match='softmax_label has 3 samples'):
        mx.io.NDArrayIter(x, y[:3], 2)
    for wrong in [0, 1, 1], 'abc', ['abc'], {'a': 3}, [None]:
        with pytest.raises(
            TypeError, match="Invalid type '<class '(int|str|NoneType)'>' for|Input must be NDArray"
        ):
            mx.io.NDArrayIter(x[:3], wrong, 3)
    with pytest.raises(AttributeError, match='ImageRecordIter is not there'):
        mx.io.ImageRecordIter


def idx(array):
    return struct.pack(f'>HBB{array.ndim}I', 0, 8, array.ndim, *array.shape) + array.tobytes()


def test_mnist_iterator(tmp_path):
    pictures, labels = (
        np.random.RandomState(0).randint(0, 256, (25, 28, 28)).astype(np.uint8),
        np.arange(25).astype(np.uint8) % 10,
    )
    (tmp_path / 'p').write_bytes(idx(pictures))
    (tmp_path / 'l.gz').write_bytes(gzip.compress(idx(labels)))
    it = mx.io.MNISTIter(image=str(tmp_path / 'p'), label=str(tmp_path / 'l'), batch_size=10, shuffle=False)
    batches = list(it)
    assert (
        len(batches) == 2
        and batches[0].data[0].shape == (10, 1, 28, 28)
        and batches[0].label[0].asnumpy().tolist() == list(range(10))
    )
    np.testing.assert_allclose(batches[1].data[0].asnumpy()[:, 0], pictures[10:20] / 256, rtol=1e-6)
    assert next(mx.io.MNISTIter(str(tmp_path / 'p'), str(tmp_path / 'l'), 5, flat=True)).data[0].shape == (
        5,
        784,
    )
    (tmp_path / 'broken').write_bytes(idx(pictures)[:1000])
    (tmp_path / 'few').write_bytes(idx(labels[:20]))
    for image, label, text in (
        ('none', 'l', 'there is no such file'),
        ('broken', 'l', 'its head says'),
        ('p', 'few', '25 pictures, .* has 20 labels'),
        ('l', 'none', 'no such file'),
    ):
        with pytest.raises(mx.MXNetError, match=text):
            mx.io.MNISTIter(str(tmp_path / image), str(tmp_path / label), 5)


LINES = [
    r'Epoch\[0\] Batch \[0-2\]\tSpeed: [\d.]+ samples/sec\taccuracy=[\d.]{8}',
    r'Epoch\[0\] Batch \[2-4\]\tSpeed: [\d.]+ samples/sec\taccuracy=[\d.]{8}',
    r'Epoch\[0\] Batch \[4-6\]\tSpeed: [\d.]+ samples/sec\taccuracy=[\d.]{8}',
    r'Epoch\[0\] Train-accuracy=[\d.]{8}',
    r'Epoch\[0\] Time cost=\d+\.\d{3}',
    r'Saved checkpoint to ".*model-0001.params"',
    r'Epoch\[0\] Validation-accuracy=[\d.]{8}',
]


def test_fit_and_its_lines(tmp_path, caplog):
    x, y = samples()
    it = mx.io.NDArrayIter(x, y, 8)
    module = mx.mod.Module(classifier())
    with caplog.at_level(logging.INFO):
        module.fit(
            it,
            eval_data=it,
            num_epoch=1,
            optimizer_params={'learning_rate': 0.5},
            batch_end_callback=mx.callback.Speedometer(8, 2),
            epoch_end_callback=mx.callback.do_checkpoint(str(tmp_path / 'model')),
        )
    assert len(caplog.messages) == len(LINES)
    for line, wanted in zip(caplog.messages, LINES):
        assert re.fullmatch(wanted, line), line
    module.fit(it, num_epoch=30, optimizer='adam', optimizer_params={'learning_rate': 0.1}, begin_epoch=1)
    assert dict(module.score(it, ['acc', 'ce']))['accuracy'] > 0.9
    assert module.predict(it).shape == (50, 2) and len(list(module.iter_predict(it))) == 7
    assert module.predict(x).shape == (50, 2)


def trained(module, x, y, steps, optimizer='sgd', **params):
    it = mx.io.NDArrayIter(x, y, 10)
    if not module.binded:
        module.bind(it.provide_data, it.provide_label)
    if not module.optimizer_initialized:
        module.init_params(arg_params=start()) if not module.params_initialized else None
        module.init_optimizer(optimizer=optimizer, optimizer_params=params)
    for _ in range(steps):
        it.reset()
        for batch in it:
            module.forward_backward(batch)
            module.update()
    return {k: v.asnumpy() for k, v in module.get_params()[0].items()}


def test_steps_against_numpy():
    x, y = samples()
    found = trained(mx.mod.Module(classifier()), x, y, 3, learning_rate=0.5, momentum=0.9, wd=0.01)
    w, b = start()['fc_weight'].asnumpy().astype(float), np.zeros(2)
    mw, mb = np.zeros_like(w), np.zeros_like(b)
    for _ in range(3):
        for i in range(0, 50, 10):
            s = x[i : i + 10] @ w.T + b
            p = np.exp(s) / np.exp(s).sum(1, keepdims=True)
            d = (p - np.eye(2)[y[i : i + 10].astype(int)]) / 10
            mw = 0.9 * mw - 0.5 * (d.T @ x[i : i + 10] + 0.01 * w)
            mb = 0.9 * mb - 0.5 * d.sum(0)  # biases do not decay
            w, b = w + mw, b + mb
    np.testing.assert_allclose(found['fc_weight'], w, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found['fc_bias'], b, rtol=1e-4, atol=1e-5)


def test_checkpoints_go_on(tmp_path):
    x, y = samples()
    module = mx.mod.Module(classifier())
    trained(module, x, y, 2, 'adam', learning_rate=0.1)
    prefix = str(tmp_path / 'model')
    module.save_checkpoint(prefix, 2, save_optimizer_states=True)
    wanted = trained(module, x, y, 2)
    again = mx.mod.Module.load(prefix, 2, load_optimizer_states=True)
    it = mx.io.NDArrayIter(x, y, 10)
    again.bind(it.provide_data, it.provide_label)
    np.testing.assert_array_equal(
        again.get_params()[0]['fc_weight'].asnumpy(),
        mx.nd.load(prefix + '-0002.params')['arg:fc_weight'].asnumpy(),
    )
    again.init_optimizer(optimizer='adam', optimizer_params={'learning_rate': 0.1})
    again._optimizer._index_update_count = dict(module._optimizer._index_update_count)
    symbol, args, aux = mx.model.load_checkpoint(prefix, 2)
    assert (
        symbol.list_arguments() == module.symbol.list_arguments()
        and sorted(args) == ['fc_bias', 'fc_weight']
        and aux == {}
    )
    for n in again._optimizer._index_update_count:
        again._optimizer._index_update_count[n] = 10  # as many updates as the states have seen
    found = trained(again, x, y, 2)
    for name in wanted:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-5)


def test_other_batch_sizes_and_wrong_use():
    x, y = samples()
    module = mx.mod.Module(classifier())
    with pytest.raises(AssertionError):
        module.forward(mx.io.DataBatch([mx.nd.ones((8, 5))]))
    module.bind([('data', (8, 5))], [('softmax_label', (8,))])
    with pytest.raises(AssertionError):
        module.forward(mx.io.DataBatch([mx.nd.ones((8, 5))]))
    module.init_params()
    module.forward(mx.io.DataBatch([mx.nd.ones((3, 5))]), is_train=False)
    assert module.get_outputs()[0].shape == (3, 2) and module.output_shapes == [('softmax_output', (3, 2))]
    with pytest.raises(AssertionError, match='init_optimizer'):
        module.update()
    with pytest.raises(ValueError, match='You created Module with Module\\(..., data_names=\\[\'foo\'\\]\\)'):
        mx.mod.Module(classifier(), data_names=['foo'])
    with pytest.raises(ValueError, match="don't match names specified by data_names"):
        mx.mod.Module(classifier()).bind([('other', (8, 5))])
    with pytest.raises(RuntimeError, match='fc_weight is not presented'):
        module.init_params(arg_params={'fc_bias': mx.nd.zeros((2,))}, force_init=True)
    with pytest.raises(mx.MXNetError, match='several devices'):
        mx.mod.Module(classifier(), context=[mx.cpu(0), mx.cpu(1)])
    with pytest.raises(AssertionError, match='number of epochs'):
        module.fit(mx.io.NDArrayIter(x, y, 8))


def test_gradients_of_data_and_fixed_parameters():
    module = mx.mod.Module(classifier(), fixed_param_names=['fc_weight'])
    module.bind([('data', (2, 5))], [('softmax_label', (2,))], inputs_need_grad=True)
    module.init_params(arg_params=start())
    module.init_optimizer(optimizer_params={'learning_rate': 1.0})
    module.forward_backward(mx.io.DataBatch([mx.nd.ones((2, 5))], [mx.nd.array([0, 1])]))
    p = module.get_outputs()[0].asnumpy()
    np.testing.assert_allclose(
        module.get_input_grads()[0].asnumpy(), (p - np.eye(2)) @ start()['fc_weight'].asnumpy(), rtol=1e-4
    )
    module.update()
    np.testing.assert_array_equal(
        module.get_params()[0]['fc_weight'].asnumpy(), start()['fc_weight'].asnumpy()
    )
    assert (module.get_params()[0]['fc_bias'].asnumpy() != 0).any()


def figure(name, label, pred, **more):
    m = mx.metric.create(name, **more)
    assert np.isnan(m.get()[1])
    m.update([mx.nd.array(label)], [mx.nd.array(pred)])
    return m.get()


def test_metrics():
    label, pred = [0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]
    assert figure('acc', label, pred) == ('accuracy', 2 / 3)
    assert figure('top_k_accuracy', label, pred, top_k=2) == ('top_k_accuracy_2', 1.0)
    name, value = figure('ce', label, pred)
    assert name == 'cross-entropy' and value == pytest.approx(-np.log([0.9, 0.4, 0.8]).mean(), rel=1e-6)
    assert figure('perplexity', label, pred, ignore_label=None)[1] == pytest.approx(np.exp(value), rel=1e-6)
    assert figure('f1', label, pred)[1] == pytest.approx(2 / 3) and figure('mcc', label, pred)[
        1
    ] == pytest.approx(0.5)
    assert (
        figure('mse', [1, 2], [[2], [4]])[1] == 2.5
        and figure('mae', [1, 2], [[2], [4]])[1] == 1.5
        and figure('rmse', [1, 2], [[2], [4]])[1] == pytest.approx(2.5**0.5)
    )
    assert figure('loss', [0], [1, 2, 6]) == ('loss', 3.0) and figure('pearsonr', [1, 2, 3], [2, 4, 6])[
        1
    ] == pytest.approx(1)
    assert figure(mx.metric.np(lambda a, b: float(abs(a - b).sum())), [1, 2], [2, 4]) == (
        'custom(<lambda>)',
        3.0,
    )
    both = mx.metric.create(['acc', 'ce'])
    both.update([mx.nd.array(label)], [mx.nd.array(pred)])
    assert (
        both.get()[0] == ['accuracy', 'cross-entropy']
        and str(mx.metric.create('acc')) == "EvalMetric: {'accuracy': nan}"
    )
    both.reset_local()
    assert np.isnan(both.get()[1][0]) and both.get_global()[1][0] == 2 / 3
    with pytest.raises(AssertionError, match='foo is not registered'):
        mx.metric.create('foo')
    with pytest.raises(ValueError, match='does not match shape of predictions'):
        figure('acc', [0, 1], pred)


def test_metrics_from_their_configurations():
    """What get_config gives makes the same metric again, also by way of JSON and as MXNet 1.9.1 writes it."""
    import json

    for name, more in [
        ('acc', {}),
        ('top_k_accuracy', {'top_k': 2}),
        ('f1', {}),
        ('mcc', {}),
        ('pcc', {}),
        ('perplexity', {'ignore_label': None}),
        ('mae', {}),
        ('mse', {}),
        ('rmse', {}),
        ('ce', {}),
        ('nll_loss', {}),
        ('pearsonr', {}),
        ('loss', {}),
        ('torch', {}),
        ('caffe', {}),
    ]:
        first = mx.metric.create(name, **more)
        config = first.get_config()
        assert config['metric'] == type(first).__name__ and config['name'] == first.name
        for again in (
            mx.metric.create(config),
            mx.metric.create(json.dumps(config)),
            mx.metric.create(
                json.dumps([config['metric'], {k: v for k, v in config.items() if k != 'metric'}])
            ),
        ):
            assert type(again) is type(first) and again.get_config() == config and again.name == first.name
    both = mx.metric.create(['acc', mx.metric.create('top_k_accuracy', top_k=2)])
    again = mx.metric.create(json.dumps(both.get_config()))
    assert again.get()[0] == ['accuracy', 'top_k_accuracy_2']
    assert (
        mx.metric.create(
            {'axis': 1, 'metric': 'Accuracy', 'name': 'accuracy', 'output_names': None, 'label_names': None}
        ).axis
        == 1
    )
    assert (
        mx.metric.create({'metric': 'F1', 'name': 'f1', 'output_names': None, 'label_names': None}).get()[0]
        == 'f1'
    )
    with pytest.raises(NotImplementedError, match='CustomMetric cannot be serialized'):
        mx.metric.np(lambda a, b: 1.0).get_config()
    for wrong in ('{"name": "x"}', '[3]', {}, {'metric': 3}):
        with pytest.raises(ValueError, match='is no configuration of a metric'):
            mx.metric.create(wrong)
    with pytest.raises(AssertionError, match='nosuch is not registered'):
        mx.metric.create({'metric': 'nosuch'})
    assert figure('pcc', [0, 1, 1, 2], [[0.9, 0.1, 0], [0.6, 0.4, 0], [0.2, 0.8, 0], [0.1, 0.2, 0.7]])[
        1
    ] == pytest.approx(0.7)


def test_a_file_of_mxnets_own():
    """A checkpoint that MXNet 1.9.1 wrote."""
    folder = Path(__file__).resolve().parents[1] / 'golden'
    symbol, args, _ = mx.model.load_checkpoint(str(folder / 'mxnet_checkpoint'), 5)
    module = mx.mod.Module.load(str(folder / 'mxnet_checkpoint'), 5)
    rs = np.random.RandomState(0)
    x = rs.rand(50, 5).astype(np.float32)
    it = mx.io.NDArrayIter(x, (x.sum(1) > 2.5).astype(np.float32), 8)
    module.bind(it.provide_data, it.provide_label)
    scores = dict(module.score(it, ['acc', 'ce']))
    assert scores['accuracy'] == 0.5535714285714286 and scores['cross-entropy'] == pytest.approx(
        0.601029349224908, rel=1e-6
    )
    assert symbol.list_arguments() == ['data', 'fc_weight', 'fc_bias', 'softmax_label'] and args[
        'fc_bias'
    ].shape == (2,)


def test_a_convolutional_network_as_mxnet_trains_it():
    """Fifteen steps lead to the parameters that MXNet 1.9.1 finds; the symbol's file is the same to the
    letter."""
    golden = Path(__file__).resolve().parents[1] / 'golden'
    assert mxnet_convnet.network(mx).tojson() == (golden / 'mxnet_convnet.json').read_text()
    found, wanted = mxnet_convnet.train(mx), np.load(golden / 'mxnet_convnet.npz')
    assert sorted(found) == sorted(wanted)
    for name in found:
        np.testing.assert_allclose(found[name], wanted[name], rtol=2e-4, atol=2e-5, err_msg=name)


def row(loss=None):
    """A layer, and behind it one with a loss, or one and a loss in Python."""
    data = mx.sym.Variable('data')
    last = mx.sym.FullyConnected(data, num_hidden=2, name='b')
    made = mx.mod.SequentialModule()
    made.add(
        mx.mod.Module(
            mx.sym.Activation(mx.sym.FullyConnected(data, num_hidden=4, name='a'), act_type='tanh'),
            label_names=None,
        )
    )
    if loss is None:
        return made.add(
            mx.mod.Module(mx.sym.SoftmaxOutput(last, name='softmax')), take_labels=True, auto_wiring=True
        )
    return made.add(mx.mod.Module(last, label_names=None), auto_wiring=True).add(
        loss, take_labels=True, auto_wiring=True
    )


PAIR = mx.io.DataBatch([mx.nd.array([[1, 2, 3], [4, 5, 6]])], [mx.nd.array([0, 1])])


def softmax_slope(scores, labels):
    p = mx.nd.softmax(scores).asnumpy()
    return p - np.eye(2)[labels.asnumpy().astype(int)]


@pytest.mark.parametrize('loss', [None, lambda: mx.mod.PythonLossModule(grad_func=softmax_slope)])
def test_modules_in_a_row(loss):
    module = row(loss and loss())
    assert (module.data_names, module.output_names) == (
        ['data'],
        ['pyloss_output' if loss else 'softmax_output'],
    )
    module.bind([('data', (2, 3))], [('softmax_label', (2,))], inputs_need_grad=True)
    assert module.data_shapes[0].shape == (2, 3) and module.label_shapes == [('softmax_label', (2,))]
    assert module.output_shapes == [('pyloss_output' if loss else 'softmax_output', (2, 2))]
    module.init_params(mx.init.Constant(0.1))
    module.init_optimizer(optimizer_params={'learning_rate': 1.0, 'rescale_grad': 0.5})
    shown = []
    for _ in range(2):
        module.forward_backward(PAIR)
        module.update()
        scores = module.get_outputs()[0]
        shown.append((mx.nd.softmax(scores) if loss else scores).asnumpy())
    np.testing.assert_allclose(
        shown, [[[0.5, 0.5], [0.5, 0.5]], [[0.4024242, 0.5975758], [0.3393106, 0.6606894]]], rtol=1e-5
    )
    params = {k: v.asnumpy() for k, v in module.get_params()[0].items()}
    assert sorted(params) == ['a_bias', 'a_weight', 'b_bias', 'b_weight']
    np.testing.assert_allclose(params['a_weight'], [[0.0834393, 0.0499510, 0.0164627]] * 4, rtol=1e-4)
    np.testing.assert_allclose(params['b_bias'], [0.1291326, -0.1291326], rtol=1e-5)
    # the gradient of the data, against that of one network
    whole = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(
            mx.sym.Activation(
                mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=4, name='a'), act_type='tanh'
            ),
            num_hidden=2,
            name='b',
        ),
        name='softmax',
    ).simple_bind(mx.cpu(), data=(2, 3))
    whole.copy_params_from(module.get_params()[0])
    whole.forward(is_train=True, data=PAIR.data[0], softmax_label=PAIR.label[0])
    whole.backward()
    module.forward_backward(PAIR)
    np.testing.assert_allclose(
        module.get_input_grads()[0].asnumpy(), whole.grad_dict['data'].asnumpy(), rtol=1e-4, atol=1e-7
    )


def test_a_metric_and_a_score_of_modules_in_a_row():
    x, y = samples()
    train = mx.io.NDArrayIter(x[:, :3], y, 10)
    module = row()
    mx.random.seed(2)
    module.fit(
        train,
        num_epoch=20,
        optimizer='adam',
        optimizer_params={'learning_rate': 0.1},
        initializer=mx.init.Xavier(),
    )
    assert dict(module.score(train, ['acc']))['accuracy'] > 0.75 and module.predict(train).shape == (50, 2)


def test_wrong_rows():
    with pytest.raises(AssertionError, match='Unknown meta "take_lables", a typo'):
        mx.mod.SequentialModule().add(None, take_lables=True)
    with pytest.raises(AssertionError, match='bind an empty SequentialModule'):
        mx.mod.SequentialModule().bind([('data', (2, 3))])
    with pytest.raises(AssertionError, match='bound'):
        row().data_shapes
    layer = mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=4, name='a')
    twice = (
        mx.mod.SequentialModule()
        .add(mx.mod.Module(layer, label_names=None))
        .add(mx.mod.Module(layer, label_names=None), auto_wiring=True)
    )
    twice.bind([('data', (2, 3))])
    with pytest.raises(
        AssertionError,
        match='Duplicated parameter names: name "a_weight" in layer 1 is already used in layer 0',
    ):
        twice.init_params()
    unwired = (
        mx.mod.SequentialModule()
        .add(mx.mod.Module(layer, label_names=None))
        .add(mx.mod.Module(layer, label_names=None))
    )
    with pytest.raises(ValueError, match="don't match names specified by data_names"):
        unwired.bind([('data', (2, 3))])
    module = row()
    module.bind([('data', (2, 3))], [('softmax_label', (2,))])
    with pytest.raises(ValueError, match='Find name "q" that is not in the arguments'):
        module.init_params(mx.init.One(), arg_params={'q': mx.nd.ones((1,))}, allow_missing=True)


def test_modules_in_python():
    class Doubled(mx.mod.PythonModule):
        def _compute_output_shapes(self):
            return [('doubled_output', self.data_shapes[0].shape)]

        def forward(self, data_batch, is_train=None):
            self.made = data_batch.data[0] * 2

        def get_outputs(self, merge_multi_context=True):
            return [self.made]

        def backward(self, out_grads=None):
            self.slope = out_grads[0] * 2

        def get_input_grads(self, merge_multi_context=True):
            return [self.slope]

    module = Doubled(['data'], ['softmax_label'], ['doubled_output'])
    data = mx.io.NDArrayIter(np.arange(8).reshape(4, 2), np.array([0, 1, 1, 0]), 2)
    module.bind(data.provide_data, data.provide_label)
    module.init_params()
    module.init_optimizer()
    assert module.get_params() == ({}, {}) and module.output_shapes == [('doubled_output', (2, 2))]
    assert module.predict(data).asnumpy().tolist() == [[0, 2], [4, 6], [8, 10], [12, 14]]
    assert dict(module.score(data, 'acc'))['accuracy'] == 0.5
    module.backward([mx.nd.ones((2, 2))])
    assert module.get_input_grads()[0].asnumpy().tolist() == [[2, 2], [2, 2]]
    with pytest.raises(RuntimeError, match='presliced'):
        module.update_metric(mx.metric.create('acc'), [], pre_sliced=True)
    with pytest.raises(NotImplementedError):
        mx.mod.PythonModule(['a'], ['b'], ['c']).bind([('a', (2,))])
    with pytest.raises(AssertionError, match=r"takes \['a'\] and \['b'\], not \['x'\] and \[\]"):
        mx.mod.PythonModule(['a'], ['b'], ['c']).bind([('x', (2,))])
    with pytest.raises(AssertionError, match='one value and one label'):
        mx.mod.PythonLossModule(data_names=['a', 'b'])
    with pytest.raises(AssertionError, match='a function of scores and labels'):
        mx.mod.PythonLossModule(grad_func=3)
    loss = mx.mod.PythonLossModule()
    with pytest.raises(AssertionError, match='only support write'):
        loss.bind([('data', (2, 2))], [('softmax_label', (2,))], grad_req='add')
    loss.bind([('data', (2, 2))], [('softmax_label', (2,))])
    loss.init_params()
    loss.forward(mx.io.DataBatch([mx.nd.ones((2, 2))], [mx.nd.ones((2,))]))
    with pytest.raises(AssertionError, match='out_grads should be None'):
        loss.backward([mx.nd.ones((2, 2))])
    with pytest.raises(NotImplementedError):  # there is no gradient to take
        loss.backward()


def test_states_of_a_module():
    """Inputs that are neither data nor parameters keep their values from batch to batch."""
    total = mx.sym.Variable('data') + mx.sym.Variable('before')
    module = mx.mod.Module(mx.sym.BlockGrad(total), label_names=None, state_names=['before'])
    module.bind(
        [
            ('data', (2, 2)),
        ],
        for_training=False,
    )
    module.init_params()
    assert module.get_params() == ({}, {})
    module.set_states(value=3)
    for wanted in (4, 5, 6):
        module.forward(mx.io.DataBatch([mx.nd.ones((2, 2))]))
        assert (module.get_outputs()[0].asnumpy() == wanted).all()
        module.set_states(states=module.get_outputs(merge_multi_context=False))
    assert (module.get_states()[0].asnumpy() == 6).all()
    for wrong in {}, dict(states=[[]], value=1):
        with pytest.raises(AssertionError, match='Only one of states & value'):
            module.set_states(**wrong)


# ---- monitors


def watched(monitor):
    module = mx.mod.Module(classifier())
    module.bind([('data', (2, 5))], [('softmax_label', (2,))])
    module.init_params(mx.init.One())
    module.install_monitor(monitor)
    found = []
    for _ in range(3):
        monitor.tic()
        module.forward_backward(
            mx.io.DataBatch([mx.nd.array([[1, 2, 3, 4, 5], [4, 5, 6, 7, 8]])], [mx.nd.array([0, 1])])
        )
        found.append(monitor.toc())
    return found


def test_what_a_monitor_sees():
    first, second, third = watched(mx.mon.Monitor(2))
    assert (
        second == []
        and [entry[1:] for entry in first] == [entry[1:] for entry in third]
        and [e[0] for e in first + third] == [1] * 6 + [3] * 6
    )
    assert [name for _, name, _ in first] == [
        'fc_output',
        'softmax_output',
        'data',
        'fc_weight',
        'fc_bias',
        'softmax_label',
    ]
    sizes = {name: float(figure) for _, name, figure in first}
    assert sizes == pytest.approx(
        {
            'fc_output': (2 * (15**2 + 30**2) / 4) ** 0.5,
            'softmax_output': 0.5,
            'data': (245 / 10) ** 0.5,
            'fc_weight': 1,
            'fc_bias': 0,
            'softmax_label': 0.5**0.5,
        },
        rel=1e-6,
    )
    assert all(figure.endswith('\t') for _, _, figure in first)
    ends = watched(mx.mon.Monitor(1, stat_func=lambda a: [a.max(), a.min()], pattern='fc_(out|w)', sort=True))
    assert ends[1] == [(2, 'fc_output', '30.0\t15.0\t'), (2, 'fc_weight', '1.0\t1.0\t')]
    names = [name for _, name, _ in watched(mx.mon.Monitor(1, monitor_all=True))[0]]
    assert set(names) == {
        'data',
        'fc_data',
        'fc_weight',
        'fc_bias',
        'fc_output',
        'softmax_data',
        'softmax_label',
        'softmax_output',
    }
    with pytest.raises(AssertionError, match='stat_func gives NDArrays, not float'):
        watched(mx.mon.Monitor(1, stat_func=lambda a: 1.0))


def test_a_monitor_in_training(caplog):
    x, y = samples(16)
    seen = mx.mon.Monitor(2, pattern='.*weight')
    with caplog.at_level(logging.INFO):
        mx.mod.Module(classifier()).fit(
            mx.io.NDArrayIter(x, y, 8), num_epoch=2, monitor=seen, initializer=mx.init.One()
        )
    lines = [m for m in caplog.messages if m.startswith('Batch:')]
    assert [re.sub(r'[\d.]+\t$', '#', m) for m in lines] == [
        'Batch:       1 fc_weight                      #',
        'Batch:       3 fc_weight                      #',
    ]
