"""Labels, indices and lengths with digits behind the point: MXNet 1.9.1 cuts these off. The figures are its
own."""

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


def test_coordinates_from_the_end():
    table = mx.nd.array([[1, 2], [3, 4]])
    assert mx.nd.gather_nd(table, mx.nd.array([[0, -1], [0, 1]])).asnumpy().tolist() == [1, 4]
    assert mx.nd.gather_nd(table, mx.nd.array([[0, -2], [0, -1]])).asnumpy().tolist() == [1, 2]
    column = mx.nd.unravel_index(mx.nd.array([[1], [7]]), shape=(2, 4))
    assert column.asnumpy().tolist() == [[0, 1], [1, 3]]
