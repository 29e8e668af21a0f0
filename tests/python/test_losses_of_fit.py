"""The losses that fit knows by name, as functions: against NumPy and torch's figures, gradients, trainers."""

import numpy as np
import pytest

import cantik as C

Z = np.array([[0.5, -2.0, 1.5], [3.0, 0.0, -0.25]])
Y = np.array([[0.0, 0.5, 1.5], [1.0, 2.0, 0.0]])
ONE_HOT = np.eye(3)[[2, 0]]


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def huber(z, y, delta):
    d = abs(z - y)
    return np.where(d <= delta, d * d / 2, delta * (d - delta / 2)).mean(axis=1)


def focal(z, y, gamma):
    p = (softmax(z) * y).sum(axis=1)
    return -((1 - p) ** gamma) * np.log(p)


CASES = {
    'mae': (C.losses.mae, Y, lambda z: abs(z - Y).mean(axis=1)),
    'mse': (C.losses.mse, Y, lambda z: ((z - Y) ** 2).mean(axis=1)),
    'huber': (C.losses.huber, Y, lambda z: huber(z, Y, 1.0)),
    'huber 0.4': (lambda z, y: C.losses.huber(z, y, delta=0.4), Y, lambda z: huber(z, Y, 0.4)),
    'focal': (C.losses.focal_loss, ONE_HOT, lambda z: focal(z, ONE_HOT, 2)),
    'focal 0.5': (
        lambda z, y: C.losses.focal_loss(z, y, gamma=0.5),
        ONE_HOT,
        lambda z: focal(z, ONE_HOT, 0.5),
    ),
    'with_logits': (
        C.losses.binary_cross_entropy_with_logits,
        ONE_HOT,
        lambda z: (np.logaddexp(0, z) - z * ONE_HOT).mean(axis=1),
    ),
}


@pytest.mark.parametrize('name', CASES)
def test_value_and_gradient_are_those_of_the_formula(name):
    loss, target, formula = CASES[name]
    z = C.input_variable(3, dtype=np.float64, needs_gradient=True)
    y = C.input_variable(3, dtype=np.float64)
    f = loss(z, y)
    feeds = {z: Z, y: target}
    assert np.allclose(np.reshape(f.eval(feeds), 2), formula(Z), rtol=1e-12)
    slopes = np.zeros_like(Z)
    for i in range(3):
        step = np.eye(3)[i] * 1e-6
        slopes[:, i] = (formula(Z + step) - formula(Z - step)) / 2e-6
    assert np.allclose(f.grad(feeds, wrt=[z]), slopes, atol=1e-7)


# torch.nn.functional's l1_loss, mse_loss, huber_loss (delta 1 and 0.4) and binary_cross_entropy_with_logits.
TORCH = {
    'mae': [1.0, 1.416666666667],
    'mse': [2.166666666667, 2.6875],
    'huber': [0.708333333333, 1.010416666667],
    'huber 0.4': [0.346666666667, 0.490416666667],
    'with_logits': [0.434139424402, 0.439224650671],
}


@pytest.mark.parametrize('name', TORCH)
def test_value_is_that_of_torch(name):
    loss, target, _ = CASES[name]
    z, y = C.input_variable(3, dtype=np.float64), C.input_variable(3, dtype=np.float64)
    assert np.allclose(np.reshape(loss(z, y).eval({z: Z, y: target}), 2), TORCH[name], atol=1e-11)


@pytest.mark.parametrize('gamma', [0.0, 0.5, 1.0, 2.0])
def test_focal_loss_of_scores_of_any_size_is_finite(gamma):
    z, y = C.input_variable(3, needs_gradient=True), C.input_variable(3)
    f = C.losses.focal_loss(z, y, gamma=gamma)
    feeds = {z: np.float32([[1000, -1000, 0], [-1000, 1000, 0], [0, 0, 30]]), y: np.eye(3)[[0, 0, 2]]}
    assert np.allclose(np.reshape(f.eval(feeds), 3), [0, 2000, 0], atol=1e-6)
    slopes = f.grad(feeds, wrt=[z])
    assert np.allclose(slopes, [[0, 0, 0], [-1, 1, 0], [0, 0, 0]], atol=1e-6)


def test_focal_loss_takes_sparse_labels_and_gamma_0_is_cross_entropy():
    z, y = C.input_variable(3), C.input_variable(3, is_sparse=True)
    feeds = {z: Z, y: C.Value.one_hot([2, 0], 3)}
    assert np.allclose(np.reshape(C.losses.focal_loss(z, y).eval(feeds), 2), focal(Z, ONE_HOT, 2), rtol=1e-5)
    plain = C.cross_entropy_with_softmax(z, y).eval(feeds)
    assert np.allclose(C.losses.focal_loss(z, y, gamma=0).eval(feeds), plain, rtol=1e-6)


def test_losses_of_sequences_have_a_value_for_each_step():
    z, y = C.sequence.input_variable(3), C.sequence.input_variable(3)
    values = C.losses.huber(z, y).eval({z: [Z, Z[:1]], y: [Y, Y[:1]]})
    assert [v.shape for v in values] == [(2,), (1,)]
    assert np.allclose(values[0], huber(Z, Y, 1.0), rtol=1e-6)


@pytest.mark.parametrize('name', CASES)
def test_losses_train_and_are_saved(name, tmp_path):
    loss, target, _ = CASES[name]
    x, y = C.input_variable(3), C.input_variable(3)
    f = loss(C.layers.Dense(3)(x), y)
    trainer = C.Trainer(f, (f,), [C.adam(f.parameters, 0.05, 0.9, use_mean_gradient=True)])
    feeds = {x: Z.astype(np.float32), y: target.astype(np.float32)}
    before = np.sum(f.eval(feeds))
    for _ in range(20):
        trainer.train_minibatch(feeds)
    after = np.sum(f.eval(feeds))
    assert after < before
    f.save(tmp_path / 'loss.model')
    again = C.load_model(tmp_path / 'loss.model')
    assert np.sum(again.eval(dict(zip(again.arguments, feeds.values())))) == pytest.approx(after, rel=1e-6)


@pytest.mark.parametrize('delta', [0, -1, float('inf'), float('nan')])
def test_huber_needs_a_distance(delta):
    with pytest.raises(ValueError, match='delta must be a number greater than 0'):
        C.losses.huber(C.input_variable(2), C.input_variable(2), delta=delta)


@pytest.mark.parametrize('gamma', [-1, float('inf'), float('nan')])
def test_focal_loss_needs_a_power(gamma):
    with pytest.raises(ValueError, match='gamma must be a number of at least 0'):
        C.losses.focal_loss(C.input_variable(2), C.input_variable(2), gamma=gamma)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError):
        C.losses.mae(C.input_variable(2), C.input_variable(3))
