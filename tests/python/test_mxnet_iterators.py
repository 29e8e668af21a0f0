"""mx.io's iterators as MXNet 1.9.1 has them: element types, the last batch, the protocol of iter_next."""

import numpy as np
import pytest

import cantik.mxnet as mx

A, L = np.arange(5).reshape(5, 1), np.arange(5)


@pytest.mark.parametrize(
    'dtype', ['uint8', 'int8', 'int32', 'int64', 'float16', 'float32', 'float64', 'bool']
)
def test_numbers_of_numpy_are_float32_and_arrays_keep_their_type(dtype):
    numbers, labels = np.ones((4, 3)).astype(dtype), np.zeros(4, np.int64)
    for data, wanted in ((numbers, 'float32'), (mx.nd.array(numbers, dtype=dtype), dtype)):
        it = mx.io.NDArrayIter(data, labels, 2)
        batch = it.next()
        assert np.dtype(it.provide_data[0].dtype) == batch.data[0]._np.dtype == wanted
        assert np.dtype(it.provide_label[0].dtype) == batch.label[0]._np.dtype == 'float32'


def test_pictures_of_bytes_train():
    rs = np.random.RandomState(0)
    x, y = rs.randint(0, 255, (64, 6)).astype(np.uint8), rs.randint(0, 2, 64)
    x[y == 1, 0] = 255
    x[y == 0, 0] = 0
    s = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.Variable('data') / 255, num_hidden=2), name='softmax'
    )
    module = mx.mod.Module(s)
    it = mx.io.NDArrayIter(x, y, 16)
    module.fit(it, num_epoch=30, optimizer_params={'learning_rate': 1.0})
    assert module.score(it, 'acc')[0][1] > 0.95


def rounds(size, handle, count=3):
    it = mx.io.NDArrayIter(A, L, size, last_batch_handle=handle)
    found = []
    for _ in range(count):
        found.append([(b.data[0].asnumpy().ravel().tolist(), b.pad) for b in it])
        it.reset()
    return found


@pytest.mark.parametrize(
    'size, handle, wanted',  # on MXNet 1.9.1
    [
        (2, 'pad', [[([0, 1], 0), ([2, 3], 0), ([4, 0], 1)]] * 3),
        (8, 'pad', [[([0, 1, 2, 3, 4, 0, 1, 2], 3)]] * 3),
        (13, 'pad', [[([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2], 8)]] * 3),
        (2, 'discard', [[([0, 1], 0), ([2, 3], 0)]] * 3),
        (8, 'discard', [[], [], []]),
        (
            2,
            'roll_over',
            [
                [([0, 1], 0), ([2, 3], 0)],
                [([4, 0], 1), ([1, 2], 0), ([3, 4], 0)],
                [([0, 1], 0), ([2, 3], 0)],
            ],
        ),
        (13, 'roll_over', [[]]),
    ],
)
def test_rounds(size, handle, wanted):
    assert rounds(size, handle, len(wanted)) == wanted


def test_a_reset_in_between_begins_anew():
    for handle in ('pad', 'discard', 'roll_over'):
        it = mx.io.NDArrayIter(A, L, 2, last_batch_handle=handle)
        it.next()
        it.reset()
        assert it.next().data[0].asnumpy().ravel().tolist() == [0, 1]
        it.hard_reset()
        assert it.next().data[0].asnumpy().ravel().tolist() == [0, 1]


def protocol(it):
    found = []
    while it.iter_next():
        found.append(
            (it.getdata()[0].asnumpy().ravel().tolist(), it.getlabel()[0].asnumpy().tolist(), it.getpad())
        )
    return found


@pytest.mark.parametrize(
    'make, wanted',
    [
        (lambda it: it, [([0, 1], [0, 1], 0), ([2, 3], [2, 3], 0), ([4, 0], [4, 0], 1)]),
        (
            lambda it: mx.io.ResizeIter(it, 4),
            [([0, 1], [0, 1], 0), ([2, 3], [2, 3], 0), ([4, 0], [4, 0], 1), ([0, 1], [0, 1], 0)],
        ),
        (mx.io.PrefetchingIter, [([0, 1], [0, 1], 0), ([2, 3], [2, 3], 0), ([4, 0], [4, 0], 1)]),
    ],
    ids=['arrays', 'resized', 'read ahead'],
)
def test_the_protocol_of_iter_next(make, wanted):
    assert protocol(make(mx.io.NDArrayIter(A, L, 2))) == wanted


def test_before_the_first_batch_there_are_no_data():
    it = mx.io.NDArrayIter(A, L, 2)
    for ask in (it.getdata, it.getlabel):
        with pytest.raises(mx.MXNetError, match='before its first batch'):
            ask()


@pytest.mark.parametrize('handle', ['pad', 'roll_over'])
def test_orders_of_later_rounds(handle):
    """MXNet mixes what it has mixed."""
    found, order = [], np.arange(6)
    np.random.seed(3)
    it = mx.io.NDArrayIter(np.arange(6), None, 2, shuffle=True, last_batch_handle=handle)
    for _ in range(3):
        found.append(np.concatenate([b.data[0].asnumpy() for b in it]).tolist())
        it.reset()
    np.random.seed(3)
    places, wanted = np.arange(6), []
    for _ in range(3):
        np.random.shuffle(places)
        order = order[places]
        wanted.append(order.tolist())
    assert found == wanted
