"""Options and states of learners that make little sense, as in CNTK 2.7."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import cantik as C


@pytest.mark.parametrize(
    'threshold, truncates, expected',
    [
        (-1, True, [1.1, 1.1]),
        (-1, False, [0.95527864, 0.91055727]),
        (0.5, True, [1.05, 1.05]),
        (0.5, False, [1.0223607, 1.0447214]),
        (float('nan'), True, [1.4, 1.8]),
        (float('inf'), False, [1.4, 1.8]),
    ],
)
def test_thresholds_of_clipping(threshold, truncates, expected):
    """The figures are CNTK 2.7's, also where the threshold makes no sense."""
    x, w = C.input_variable(2), C.parameter((2, 1), init=1.0)
    loss = C.squared_error(C.times(x, w), C.constant([5.0]))
    learner = C.sgd(
        [w],
        0.1,
        gradient_clipping_threshold_per_sample=threshold,
        gradient_clipping_with_truncation=truncates,
    )
    C.Trainer(loss, loss, [learner]).train_minibatch({x: np.array([[1, 2]], np.float32)})
    np.testing.assert_allclose(w.value.ravel(), expected, rtol=1e-6)


def test_a_learner_without_states_refuses_those_of_another_kind(tmp_path):
    x, w = C.input_variable(2), C.parameter((2, 1), init=1.0)
    loss = C.squared_error(C.times(x, w), C.constant([5.0]))
    feeds, path = {x: np.array([[1, 2]], np.float32)}, str(tmp_path / 'model')
    trainer = C.Trainer(loss, loss, [C.momentum_sgd([w], 0.1, 0.9)])
    trainer.train_minibatch(feeds)
    trainer.save_checkpoint(path)
    with pytest.raises(RuntimeError, match='but the learner needs none'):
        C.Trainer(loss, loss, [C.sgd([w], 0.1)]).restore_from_checkpoint(path)


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize('limit', [0.5, 1e6])
@pytest.mark.parametrize('mean', [None, True])
def test_the_norm_of_all_gradients(limit, mean, dtype):
    """Of the mean gradient, as in other toolkits, whatever a rate is meant for; an embedding has few rows."""
    rs = np.random.RandomState(0)
    rows = np.eye(5)[rs.randint(0, 4, 6)].astype(dtype)
    y = 3 * rs.randn(6, 1).astype(dtype)
    E0, W0, b0 = rs.randn(5, 3).astype(dtype), rs.randn(3, 1).astype(dtype), rs.randn(1).astype(dtype)
    # by hand: the mean gradient
    h = rows @ E0
    d = 2 * (h @ W0 + b0 - y) / 6
    gradients = [rows.T @ (d @ W0.T), h.T @ d, d.sum(0)]
    norm = np.sqrt(sum((g**2).sum() for g in gradients))
    assert 0.5 < norm < 1e6
    x = C.input_variable(5, dtype=dtype, is_sparse=True)
    E, W, b = (C.parameter(init=a, dtype=dtype) for a in (E0, W0, b0))
    label = C.input_variable(1, dtype=dtype)
    loss = C.squared_error(C.times(C.times(x, E), W) + b, label)
    learner = C.sgd([E, W, b], 0.1, use_mean_gradient=mean, gradient_clipping_global_norm=limit)
    feeds = {x: csr_matrix(rows), label: y}
    C.Trainer(loss, (loss, None), [learner]).train_minibatch(feeds)
    for parameter, start, g in zip((E, W, b), (E0, W0, b0), gradients):
        expected = start - 0.1 * g * min(1, limit / norm)
        np.testing.assert_allclose(parameter.value, expected, rtol=1e-5, atol=1e-6)


def test_the_norm_of_all_before_that_of_each():
    x, w, v = C.input_variable(1), C.parameter(init=np.float32([1, 1])), C.parameter(init=np.float32([1]))
    loss = C.reduce_sum(x * [3, 4] * w) + C.reduce_sum(x * 12 * v)  # norms 5 and 12: 13 together
    clip = dict(gradient_clipping_threshold_per_sample=2.5, gradient_clipping_with_truncation=False)
    learner = C.sgd([w, v], 1.0, gradient_clipping_global_norm=6.5, **clip)
    C.Trainer(loss, (loss, None), [learner]).train_minibatch({x: np.ones((1, 1), np.float32)})
    np.testing.assert_allclose(w.value, [1 - 1.5, 1 - 2], rtol=1e-5)
    np.testing.assert_allclose(v.value, [1 - 2.5], rtol=1e-5)
    for wrong in 0, -1, float('nan'):
        with pytest.raises(ValueError, match='gradient_clipping_global_norm must be above 0'):
            C.sgd([w], 0.1, gradient_clipping_global_norm=wrong)
