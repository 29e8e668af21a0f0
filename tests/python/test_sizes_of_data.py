"""Inputs whose sizes are inferred: parameters that follow are made for the first data, as in CNTK."""

import threading

import numpy as np
import pytest

import cantik as C


def rows(*shape):
    return np.random.RandomState(1).standard_normal(shape).astype(np.float32)


def test_a_layer_is_made_for_the_first_data():
    x = C.input_variable(C.InferredDimension, name='x')
    z = C.layers.Dense(3, init=0.1)(x)
    assert str(z) == 'Dense(x: Tensor[-1]) -> Tensor[3]' and z.W.shape == (-1, 3)
    data = rows(2, 5)
    np.testing.assert_allclose(z.eval({x: data}), 0.1 * data.sum(1, keepdims=True).repeat(3, 1), rtol=1e-5)
    assert str(z) == 'Dense(x: Tensor[5]) -> Tensor[3]'  # CNTK 2.7 prints the same
    assert (z.W.shape, z.W.value.shape, str(x)) == ((5, 3), (5, 3), "Input('x', [#], [5])")
    with pytest.raises(
        ValueError, match=r"'\[2 x 6\]' do not match the Variable 'Input\('x', \[#\], \[5\]\)'"
    ):
        z.eval({x: rows(2, 6)})


def test_then_it_learns():
    x, y = C.input_variable(C.InferredDimension), C.input_variable(1)
    z = C.layers.Dense(1, init=0)(x)
    loss = C.squared_error(z, y)
    with pytest.raises(ValueError, match='unknown dimensions'):  # a learner needs its parameters, as in CNTK
        C.sgd(z.parameters, 0.1)
    data, labels = rows(8, 4), rows(8, 1)
    before = C.Evaluator(loss).test_minibatch({x: data, y: labels})
    trainer = C.Trainer(z, (loss, None), C.sgd(z.parameters, 0.02))
    for _ in range(30):
        trainer.train_minibatch({x: data, y: labels})
    assert trainer.previous_minibatch_loss_average < 0.8 * before


@pytest.mark.parametrize(
    'ask',
    [
        lambda f, feed, w: f.eval(feed),
        lambda f, feed, w: f.grad(feed, wrt=[w]),
        lambda f, feed, w: f.forward(feed, f.outputs, set(f.outputs)),
        lambda f, feed, w: f.forward(feed),
        lambda f, feed, w: C.Evaluator(C.reduce_sum(f)).test_minibatch(feed),
        lambda f, feed, w: C.combine([f, f + 1]).eval(feed),
    ],
    ids=['eval', 'grad', 'forward and state', 'forward', 'test', 'combine'],
)
def test_whatever_is_asked_first(ask):
    x = C.input_variable(C.InferredDimension)
    w = C.parameter((C.InferredDimension, 2), init=C.glorot_uniform())
    f = C.times(x, w)
    ask(f, {x: rows(2, 5)}, w)
    assert w.shape == (5, 2) and x.shape == (5,)


def test_sequences_pictures_and_sparse_data():
    s = C.sequence.input_variable(C.InferredDimension)
    h = C.layers.Recurrence(C.layers.LSTM(4))(s)
    assert [v.shape for v in h.eval({s: [rows(2, 5), rows(3, 5)]})] == [(2, 4), (3, 4)]
    assert sorted(p.shape for p in h.parameters) == [(4, 16), (5, 16), (16,)]

    picture = C.input_variable((C.InferredDimension, 6, 6))
    z = C.layers.Dense(2)(C.layers.Convolution((3, 3), 4, pad=True)(picture))
    assert z.eval({picture: rows(2, 3, 6, 6)}).shape == (2, 2)
    assert {(4, 3, 3, 3), (4, 6, 6, 2)} <= {p.shape for p in z.parameters}  # as in CNTK

    words = C.input_variable(C.InferredDimension, is_sparse=True)
    e = C.layers.Embedding(3)(words)
    assert e.eval({words: C.Value.one_hot([1, 4], 7)}).shape == (2, 3) and e.E.shape == (7, 3)


def test_data_that_do_not_suit_change_nothing():
    x = C.input_variable(C.InferredDimension)
    open_ = C.parameter((C.InferredDimension, 2), init=C.glorot_uniform())
    f = C.times(x, open_) + C.slice(x, 0, 2, 4)  # at least four numbers
    with pytest.raises(RuntimeError, match='takes nothing that lies in .* the size 3'):
        f.eval({x: rows(3, 3)})
    assert x.shape == (-1,) and open_.shape == (-1, 2)
    assert f.eval({x: rows(3, 4)}).shape == (3, 2) and open_.shape == (4, 2)


def test_without_parameters_sizes_stay_open():
    x = C.input_variable(C.InferredDimension)
    assert [(x + 1).eval({x: rows(2, n)}).shape for n in (5, 4)] == [(2, 5), (2, 4)]


def test_a_parameter_that_no_data_reach_is_an_error():
    w = C.parameter((C.InferredDimension, 2), init=C.glorot_uniform())
    for network, feed in ((w * 2, None), (C.input_variable(2) + C.reduce_sum(w), rows(1, 2))):
        with pytest.raises(ValueError, match='unknown dimensions'):
            network.eval(feed) if feed is not None else network.eval()


def test_threads_may_ask_first_together():
    for _ in range(20):
        x = C.input_variable(C.InferredDimension)
        z = C.layers.Dense(3)(x)
        shapes = []
        threads = [
            threading.Thread(target=lambda: shapes.append(z.eval({x: rows(2, 5)}).shape)) for _ in range(4)
        ]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert shapes == 4 * [(2, 3)]
