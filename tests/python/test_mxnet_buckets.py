"""Modules over buckets of several lengths.

The figures are those of MXNet 1.9.1; tests/programs/mxnet/buckets.py trains all of them.
"""

import numpy as np
import pytest

import cantik.mxnet as mx


def words(length):
    """Of each word the next one: an embedding, a recurrent cell, scores."""
    cell = mx.rnn.RNNCell(4, prefix='l_')
    outputs, _ = cell.unroll(
        length,
        mx.sym.Embedding(mx.sym.Variable('data'), input_dim=6, output_dim=3, name='e'),
        merge_outputs=True,
    )
    scores = mx.sym.FullyConnected(mx.sym.reshape(outputs, shape=(-1, 4)), num_hidden=6, name='scores')
    return (
        mx.sym.SoftmaxOutput(
            scores, mx.sym.reshape(mx.sym.Variable('softmax_label'), shape=(-1,)), name='softmax'
        ),
        ('data',),
        ('softmax_label',),
    )


def bucket(length, seed=0, batch=4):
    numbers = np.random.RandomState(seed).randint(0, 6, (2, batch, length)).astype('f')
    return mx.io.DataBatch(
        [mx.nd.array(numbers[0])],
        [mx.nd.array(numbers[1])],
        bucket_key=length,
        provide_data=[('data', (batch, length))],
        provide_label=[('softmax_label', (batch, length))],
    )


def bound(length=4, **more):
    module = mx.mod.BucketingModule(words, default_bucket_key=length)
    module.bind([('data', (4, length))], [('softmax_label', (4, length))], **more)
    mx.random.seed(1)
    module.init_params(mx.init.Xavier())
    return module


def test_buckets_share_parameters_and_optimizer():
    """Each step, whatever its bucket, is that of a module of its length alone that has the same parameters
    and states."""
    module = bound()
    module.init_optimizer(optimizer='adam', optimizer_params={'learning_rate': 0.1, 'rescale_grad': 0.5})
    alone = {n: mx.mod.Module(*words(n)) for n in (2, 3, 4)}
    for n, m in alone.items():
        m.bind([('data', (4, n))], [('softmax_label', (4, n))])
        m.init_params(arg_params=module.get_params()[0])
        m.init_optimizer(optimizer='adam', optimizer_params={'learning_rate': 0.1, 'rescale_grad': 0.5})
        m._updater = alone[2]._updater
    for step, length in enumerate([4, 2, 3, 2, 4, 3]):
        for m in module, alone[length]:
            m.forward_backward(bucket(length, step))
            m.update()
        args, _ = alone[length].get_params()
        for m in alone.values():
            m.set_params(args, {})
        for name, value in module.get_params()[0].items():
            np.testing.assert_allclose(
                value.asnumpy(),
                args[name].asnumpy(),
                rtol=1e-5,
                atol=1e-6,
                err_msg='{} {}'.format(step, name),
            )
        assert module.output_shapes == [('softmax_output', (4 * length, 6))] and module.data_shapes[
            0
        ].shape == (4, length)


def test_a_buckets_parameters_in_another_order():
    """A bucket may have fewer parameters, and those in another order: an optimizer's state belongs to a
    name."""

    def network(key):
        x = mx.sym.Variable('data')
        a, b = (mx.sym.FullyConnected(x, num_hidden=2, no_bias=True, name=n) for n in 'ab')
        return mx.sym.LinearRegressionOutput({2: a + b, 3: b + a, 4: b}[key], name='l'), ['data'], ['l_label']

    module = mx.mod.BucketingModule(network, default_bucket_key=2)
    module.bind([('data', (1, 3))], [('l_label', (1, 2))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={'learning_rate': 0.1, 'momentum': 0.5, 'rescale_grad': 1.0})
    wanted, speed = {n: np.ones((2, 3)) for n in ('a_weight', 'b_weight')}, {'a_weight': 0, 'b_weight': 0}
    x = np.array([[1, 2, -1]], 'f')
    for key in (2, 3, 4, 3, 2):
        module.forward_backward(
            mx.io.DataBatch(
                [mx.nd.array(x)],
                [mx.nd.zeros((1, 2))],
                bucket_key=key,
                provide_data=[('data', (1, 3))],
                provide_label=[('l_label', (1, 2))],
            )
        )
        module.update()
        names = ['b_weight'] if key == 4 else ['a_weight', 'b_weight']
        slope = (sum(wanted[n] for n in names) @ x.T) @ x / 2
        for n in names:
            speed[n] = 0.5 * speed[n] - 0.1 * slope
            wanted[n] = wanted[n] + speed[n]
        for n, value in module.get_params()[0].items():
            np.testing.assert_allclose(value.asnumpy(), wanted[n], rtol=1e-5, err_msg=n)


def test_files_of_buckets(tmp_path):
    module = bound()
    for length in (2, 3):
        module.forward(bucket(length), is_train=False)
    wanted = {
        n: (module.forward(bucket(n), is_train=False), module.get_outputs()[0].asnumpy())[1]
        for n in (2, 3, 4)
    }
    prefix = str(tmp_path / 'm')
    module.save_checkpoint(prefix, 7)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        'm-0007.params',
        'm-2-symbol.json',
        'm-3-symbol.json',
        'm-4-symbol.json',
        'm.buckets',
    ]
    for generator in words, None:
        again = mx.mod.BucketingModule.load(prefix, 7, generator, 4)
        again.bind([('data', (4, 4))], [('softmax_label', (4, 4))], for_training=False)
        assert again.params_initialized
        for length, value in wanted.items():
            again.forward(bucket(length))
            np.testing.assert_array_equal(again.get_outputs()[0].asnumpy(), value)
    named = mx.mod.BucketingModule(lambda key: words({'short': 2, 'long': 4}[key]), default_bucket_key='long')
    named.bind([('data', (4, 4))], [('softmax_label', (4, 4))])
    named.init_params()
    with pytest.raises(AssertionError, match='keys that are whole numbers'):
        named.save_checkpoint(prefix, 8)


def test_buckets_bound_again_and_prepared():
    module = bound(for_training=True, inputs_need_grad=False)
    args = module.get_params()[0]
    module.prepare(bucket(2))
    assert sorted(module._buckets) == [2, 4] and module.data_shapes[0].shape == (4, 4)
    module.bind([('data', (6, 4))], [('softmax_label', (6, 4))], force_rebind=True)
    assert module.params_initialized and sorted(module._buckets) == [4]
    for name, value in module.get_params()[0].items():
        np.testing.assert_array_equal(value.asnumpy(), args[name].asnumpy())


def test_wrong_use_of_buckets():
    with pytest.raises(AssertionError, match='default_bucket_key'):
        mx.mod.BucketingModule(words)
    module = mx.mod.BucketingModule(words, default_bucket_key=4)
    assert (list(module.data_names), module.output_names) == (['data'], ['softmax_output'])
    for wrong in (
        lambda: module.symbol,
        module.get_params,
        lambda: module.forward(bucket(4)),
        lambda: module.data_shapes,
        module.update,
    ):
        with pytest.raises(AssertionError, match='bound'):
            wrong()
    with pytest.raises(AssertionError, match='not supported'):
        module.bind([('data', (4, 4))], shared_module=module)
    sizes = mx.mod.BucketingModule(
        lambda n: (mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2, name='fc'), ['data'], None),
        default_bucket_key=2,
    )
    names = mx.mod.BucketingModule(
        lambda n: (
            mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2, name='fc%d' % n),
            ['data'],
            None,
        ),
        default_bucket_key=2,
    )
    for module, text in (
        (sizes, r'fc_weight has the shape \(2, 3\) here, \(2, 2\) in the module'),
        (names, 'the module to share with has no fc3_weight, fc3_bias'),
    ):
        module.bind([('data', (4, 2))])
        module.init_params()
        with pytest.raises(RuntimeError, match=text):
            module.forward(
                mx.io.DataBatch([mx.nd.ones((4, 3))], bucket_key=3, provide_data=[('data', (4, 3))]),
                is_train=False,
            )
