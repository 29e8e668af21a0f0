"""Modules, data, metrics, callbacks and checkpoints of the MXNet layer; lines and figures are those of MXNet 1.9.1."""
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
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2, name='fc'), name='softmax')


def start(seed=1):
    rs = np.random.RandomState(seed)
    return {'fc_weight': mx.nd.array(rs.uniform(-1, 1, (2, 5))), 'fc_bias': mx.nd.zeros((2,))}


def test_batches():
    x, y = samples()
    it = mx.io.NDArrayIter(x, y, batch_size=8)
    assert [repr(d) for d in it.provide_data + it.provide_label] == ["DataDesc[data,(8, 5),<class 'numpy.float32'>,NCHW]", "DataDesc[softmax_label,(8,),<class 'numpy.float32'>,NCHW]"]
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
    assert [d.name for d in several.provide_data] == ['a', 'b'] and [d.name for d in mx.io.NDArrayIter([x, x], None, 10).provide_data] == ['_0_data', '_1_data']
    assert str(mx.io.DataBatch([mx.nd.ones((2, 3))], [mx.nd.ones((2,))])) == 'DataBatch: data shapes: [(2, 3)] label shapes: [(2,)]'
    assert len(list(mx.io.ResizeIter(mx.io.NDArrayIter(x, y, 10), 12))) == 12
    with pytest.raises(AssertionError, match='batch_size needs to be smaller'):
        mx.io.NDArrayIter(x, y, 60)
    with pytest.raises(ValueError, match='softmax_label has 3 samples'):
        mx.io.NDArrayIter(x, y[:3], 2)
    with pytest.raises(AttributeError, match='ImageRecordIter is not there'):
        mx.io.ImageRecordIter


def idx(array):
    return struct.pack('>HBB{}I'.format(array.ndim), 0, 8, array.ndim, *array.shape) + array.tobytes()


def test_mnist_iterator(tmp_path):
    pictures, labels = np.random.RandomState(0).randint(0, 256, (25, 28, 28)).astype(np.uint8), np.arange(25).astype(np.uint8) % 10
    (tmp_path / 'p').write_bytes(idx(pictures))
    (tmp_path / 'l.gz').write_bytes(gzip.compress(idx(labels)))
    it = mx.io.MNISTIter(image=str(tmp_path / 'p'), label=str(tmp_path / 'l'), batch_size=10, shuffle=False)
    batches = list(it)
    assert len(batches) == 2 and batches[0].data[0].shape == (10, 1, 28, 28) and batches[0].label[0].asnumpy().tolist() == list(range(10))
    np.testing.assert_allclose(batches[1].data[0].asnumpy()[:, 0], pictures[10:20] / 256, rtol=1e-6)
    assert next(mx.io.MNISTIter(str(tmp_path / 'p'), str(tmp_path / 'l'), 5, flat=True)).data[0].shape == (5, 784)
    (tmp_path / 'broken').write_bytes(idx(pictures)[:1000])
    (tmp_path / 'few').write_bytes(idx(labels[:20]))
    for image, label, text in (('none', 'l', 'there is no such file'), ('broken', 'l', 'its head says'), ('p', 'few', '25 pictures, .* has 20 labels'), ('l', 'none', 'no such file')):
        with pytest.raises(mx.MXNetError, match=text):
            mx.io.MNISTIter(str(tmp_path / image), str(tmp_path / label), 5)


LINES = [
    r'Epoch\[0\] Batch \[0-2\]\tSpeed: [\d.]+ samples/sec\taccuracy=[\d.]{8}', r'Epoch\[0\] Batch \[2-4\]\tSpeed: [\d.]+ samples/sec\taccuracy=[\d.]{8}',
    r'Epoch\[0\] Batch \[4-6\]\tSpeed: [\d.]+ samples/sec\taccuracy=[\d.]{8}', r'Epoch\[0\] Train-accuracy=[\d.]{8}', r'Epoch\[0\] Time cost=\d+\.\d{3}',
    r'Saved checkpoint to ".*model-0001.params"', r'Epoch\[0\] Validation-accuracy=[\d.]{8}']


def test_fit_and_its_lines(tmp_path, caplog):
    x, y = samples()
    it = mx.io.NDArrayIter(x, y, 8)
    module = mx.mod.Module(classifier())
    with caplog.at_level(logging.INFO):
        module.fit(it, eval_data=it, num_epoch=1, optimizer_params={'learning_rate': 0.5}, batch_end_callback=mx.callback.Speedometer(8, 2),
                   epoch_end_callback=mx.callback.do_checkpoint(str(tmp_path / 'model')))
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
            s = x[i:i + 10] @ w.T + b
            p = np.exp(s) / np.exp(s).sum(1, keepdims=True)
            d = (p - np.eye(2)[y[i:i + 10].astype(int)]) / 10
            mw = 0.9 * mw - 0.5 * (d.T @ x[i:i + 10] + 0.01 * w)
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
    np.testing.assert_array_equal(again.get_params()[0]['fc_weight'].asnumpy(), mx.nd.load(prefix + '-0002.params')['arg:fc_weight'].asnumpy())
    again.init_optimizer(optimizer='adam', optimizer_params={'learning_rate': 0.1})
    again._optimizer._index_update_count = dict(module._optimizer._index_update_count)
    symbol, args, aux = mx.model.load_checkpoint(prefix, 2)
    assert symbol.list_arguments() == module.symbol.list_arguments() and sorted(args) == ['fc_bias', 'fc_weight'] and aux == {}
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
    np.testing.assert_allclose(module.get_input_grads()[0].asnumpy(), (p - np.eye(2)) @ start()['fc_weight'].asnumpy(), rtol=1e-4)
    module.update()
    np.testing.assert_array_equal(module.get_params()[0]['fc_weight'].asnumpy(), start()['fc_weight'].asnumpy())
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
    assert figure('f1', label, pred)[1] == pytest.approx(2 / 3) and figure('mcc', label, pred)[1] == pytest.approx(0.5)
    assert figure('mse', [1, 2], [[2], [4]])[1] == 2.5 and figure('mae', [1, 2], [[2], [4]])[1] == 1.5 and figure('rmse', [1, 2], [[2], [4]])[1] == pytest.approx(2.5 ** 0.5)
    assert figure('loss', [0], [1, 2, 6]) == ('loss', 3.0) and figure('pearsonr', [1, 2, 3], [2, 4, 6])[1] == pytest.approx(1)
    assert figure(mx.metric.np(lambda a, b: float(abs(a - b).sum())), [1, 2], [2, 4]) == ('custom(<lambda>)', 3.0)
    both = mx.metric.create(['acc', 'ce'])
    both.update([mx.nd.array(label)], [mx.nd.array(pred)])
    assert both.get()[0] == ['accuracy', 'cross-entropy'] and str(mx.metric.create('acc')) == "EvalMetric: {'accuracy': nan}"
    both.reset_local()
    assert np.isnan(both.get()[1][0]) and both.get_global()[1][0] == 2 / 3
    with pytest.raises(AssertionError, match='foo is not registered'):
        mx.metric.create('foo')
    with pytest.raises(ValueError, match='does not match shape of predictions'):
        figure('acc', [0, 1], pred)


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
    assert scores['accuracy'] == 0.5535714285714286 and scores['cross-entropy'] == pytest.approx(0.601029349224908, rel=1e-6)
    assert symbol.list_arguments() == ['data', 'fc_weight', 'fc_bias', 'softmax_label'] and args['fc_bias'].shape == (2,)


def test_a_convolutional_network_as_mxnet_trains_it():
    """Fifteen steps lead to the parameters that MXNet 1.9.1 finds; the symbol's file is the same to the letter."""
    golden = Path(__file__).resolve().parents[1] / 'golden'
    assert mxnet_convnet.network(mx).tojson() == (golden / 'mxnet_convnet.json').read_text()
    found, wanted = mxnet_convnet.train(mx), np.load(golden / 'mxnet_convnet.npz')
    assert sorted(found) == sorted(wanted)
    for name in found:
        np.testing.assert_allclose(found[name], wanted[name], rtol=2e-4, atol=2e-5, err_msg=name)
