"""Labels, indices and lengths with digits behind the point: MXNet 1.9.1 cuts these off. The figures are its
own."""

import logging

import numpy as np

import cantik.mxnet as mx

ROW = mx.nd.array([[1, 2, 3]])
STEPS = mx.nd.arange(12).reshape((3, 2, 2))
LENGTHS = mx.nd.array([1.7, 2.2])


def test_places():
    assert mx.nd.pick(ROW, mx.nd.array([1.9])).asnumpy().tolist() == [2]
    assert mx.nd.one_hot(mx.nd.array([0.5, 0.9, 1.2]), 3).asnumpy().argmax(1).tolist() == [0, 0, 1]
    np.testing.assert_allclose(
        mx.nd.softmax_cross_entropy(ROW, mx.nd.array([1.9])).asnumpy(), [1.4076059], rtol=1e-5
    )


def test_labels_of_a_softmax():
    x = ROW.copy()
    x.attach_grad()
    with mx.autograd.record():
        z = mx.nd.SoftmaxOutput(x, mx.nd.array([1.9]))
    z.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [[0.09003057, -0.75527155, 0.66524094]], rtol=1e-5)


def test_lengths():
    last = mx.nd.SequenceLast(STEPS, LENGTHS, use_sequence_length=True)
    assert last.asnumpy().tolist() == [[0, 1], [6, 7]]
    masked = mx.nd.SequenceMask(STEPS, LENGTHS, use_sequence_length=True).asnumpy()
    assert masked[:, 0].any(axis=1).tolist() == [True, False, False]
    assert masked[:, 1].any(axis=1).tolist() == [True, True, False]
    turned = mx.nd.SequenceReverse(STEPS, LENGTHS, use_sequence_length=True).asnumpy()
    assert turned[:, 1].tolist() == [[6, 7], [2, 3], [10, 11]]


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
