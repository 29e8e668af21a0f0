"""C.ctc_loss against the sum over all alignments, and what it refuses."""

import itertools

import numpy as np
import pytest

import cantik as C


def collapsed(path, blank):
    return tuple(k for k, _ in itertools.groupby(path) if k != blank)


def all_alignments(x, labels, blank=0):
    """Minus the logarithm of the probability, path by path."""
    p = np.exp(x - x.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    total = sum(
        np.prod([p[t, k] for t, k in enumerate(path)])
        for path in itertools.product(range(x.shape[1]), repeat=len(x))
        if collapsed(path, blank) == tuple(labels)
    )
    return -np.log(total) if total else np.inf


def padded(lists, most):
    return np.array([list(one) + [0] * (most - len(one)) for one in lists])


X = np.random.default_rng(5).normal(size=(6, 4, 3)) * 2
LABELS = [[1, 2], [1, 1], [2], [], [1, 2], [2, 2]]
STEPS = [4, 3, 4, 3, 2, 4]


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize('blank', [0, 2])
def test_every_alignment(dtype, blank):
    """Lengths of all kinds: repetitions, no labels, just as many steps as needed; the blank first or last."""
    labels = [[l if blank == 0 else l - 1 for l in one] for one in LABELS]
    wanted = [all_alignments(x[:n], one, blank) for x, one, n in zip(X, labels, STEPS)]
    x = C.input_variable((4, 3), dtype=dtype, needs_gradient=True)
    y, n, m = (C.input_variable(shape, dtype=dtype) for shape in ((2,), (), ()))
    loss = C.ctc_loss(x, y, n, m, blank)
    feeds = {x: X.astype(dtype), y: padded(labels, 2), n: STEPS, m: [len(one) for one in labels]}
    np.testing.assert_allclose(loss.eval(feeds), wanted, rtol=1e-5 if dtype == np.float32 else 1e-12)
    if dtype == np.float64:
        assert C.check_gradient(loss, feeds, wrt=[x], samples=80)


def test_labels_that_do_not_fit():
    """The loss is infinite, its gradient 0: no change of the outputs would help."""
    x = C.input_variable((4, 3), dtype=np.float64, needs_gradient=True)
    y, n, m = (C.input_variable(shape, dtype=np.float64) for shape in ((3,), (), ()))
    loss = C.ctc_loss(x, y, n, m)
    feeds = {x: X[:4], y: [[1, 1, 0], [1, 2, 1], [1, 0, 0], [0, 0, 0]], n: [2, 2, 0, 0], m: [2, 3, 1, 0]}
    np.testing.assert_array_equal(loss.eval(feeds), [np.inf, np.inf, np.inf, 0])
    assert not loss.grad(feeds, [x]).any()


def test_steps_behind_the_end_do_not_matter():
    x = C.input_variable((4, 3), needs_gradient=True)
    loss = C.ctc_loss(x, [1, 2], 2, 2)
    broken = X[:1].astype(np.float32).copy()
    broken[0, 2:] = np.nan
    np.testing.assert_array_equal(loss.eval({x: broken}), loss.eval({x: X[:1]}))
    grad = loss.grad({x: broken}, [x])
    assert np.isfinite(grad).all() and not grad[0, 2:].any()


def test_sure_of_itself():
    """Outputs so far apart that probabilities are 0 in their type."""
    x = np.full((5, 3), -2000.0)
    for t, k in enumerate([1, 0, 1, 2, 2]):
        x[t, k] = 2000
    assert C.ctc_loss(C.constant(x, dtype=np.float64), [1, 1, 2], 5, 3).eval() == 0
    assert np.isfinite(C.ctc_loss(C.constant(x, dtype=np.float64), [2, 1, 2], 5, 3).eval())


@pytest.mark.parametrize(
    'feeds, says',
    [
        (dict(y=[0, 2], n=4, m=2), 'label 0'),
        (dict(y=[1, 3], n=4, m=2), 'label 3'),
        (dict(y=[1, -1], n=4, m=2), 'label -1'),
        (dict(y=[1, np.nan], n=4, m=2), 'label'),
        (dict(y=[1, 1e30], n=4, m=2), 'label'),
        (dict(y=[1, 2], n=5, m=2), 'steps'),
        (dict(y=[1, 2], n=4, m=3), 'labels'),
        (dict(y=[1, 2], n=-1, m=2), 'steps'),
        (dict(y=[1, 2], n=np.nan, m=2), 'steps'),
    ],
)
def test_wrong_numbers(feeds, says):
    with pytest.raises(ValueError, match=says) as error:
        C.ctc_loss(X[0], feeds['y'], feeds['n'], feeds['m'], name='reading').eval()
    assert 'reading' in str(error.value)


@pytest.mark.parametrize(
    'wrong',
    [
        lambda: C.ctc_loss([1, 2], [1], 1, 1),
        lambda: C.ctc_loss(X[0], [[1, 2]], 4, 2),
        lambda: C.ctc_loss(X[0], [1, 2], [4, 4], 2),
        lambda: C.ctc_loss(X[0], [1, 2], 4, 2, blank=3),
        lambda: C.ctc_loss(X[0], [1, 2], 4, 2, blank=-1),
    ],
)
def test_wrong_shapes(wrong):
    with pytest.raises(ValueError):
        wrong()


def test_learns():
    """A layer learns to say one label after the other."""
    steps, labels = 6, np.array([[1, 2, 1], [2, 1, 2]], np.float32)
    data = np.eye(6, dtype=np.float32).reshape(1, 6, 6).repeat(2, 0) * np.array([1, -1], np.float32).reshape(
        2, 1, 1
    )
    x, y = C.input_variable((steps, 6)), C.input_variable(3)
    z = C.times(x, C.parameter((6, 3), init=C.glorot_uniform(seed=1)), output_rank=1)
    loss = C.ctc_loss(z, y, steps, 3)
    learner = C.adam(
        z.parameters, C.learning_rate_schedule(0.1, C.UnitType.minibatch), C.momentum_schedule(0.9)
    )
    trainer = C.Trainer(z, (loss, None), [learner])
    for _ in range(120):
        trainer.train_minibatch({x: data, y: labels})
    assert trainer.previous_minibatch_loss_average < 0.5
    assert [collapsed(one, 0) for one in z.eval({x: data}).argmax(2).tolist()] == [(1, 2, 1), (2, 1, 2)]
