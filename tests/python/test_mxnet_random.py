"""Random numbers of the MXNet layer: shapes, types, moments, names. Figures and texts are those of MXNet
1.9.1; the streams are Cantik's."""

import numpy as np
import pytest

import cantik.mxnet as mx

nd, sym, autograd = mx.nd, mx.sym, mx.autograd


@pytest.fixture(autouse=True)
def seed():
    mx.random.seed(7)


TWO, SQUARE = nd.array([1, 2]), nd.array([[1, 2], [3, 4]])


@pytest.mark.parametrize(
    'draw, shape, dtype',
    [
        (lambda: nd.random.normal(TWO, TWO), (2,), np.float32),
        (lambda: nd.random.normal(TWO, TWO, shape=3), (2, 3), np.float32),
        (lambda: nd.random.uniform(TWO, TWO, shape=(2, 3)), (2, 2, 3), np.float32),
        (lambda: nd.random.uniform(SQUARE, SQUARE + 1), (2, 2), np.float32),
        (lambda: nd.random.exponential(TWO, shape=2), (2, 2), np.float32),
        (lambda: nd.random.normal(TWO, TWO, dtype='float16'), (2,), np.float16),
        (lambda: nd.sample_uniform(TWO, TWO, (2,)), (2, 2), np.float32),
        (lambda: nd.sample_exponential(TWO, shape=3, dtype='float64'), (2, 3), np.float64),
        (lambda: nd.random.normal_like(SQUARE), (2, 2), np.float32),
        (lambda: nd.random.uniform_like(SQUARE, low=5, high=6), (2, 2), np.float32),
        (lambda: nd.random.exponential_like(SQUARE), (2, 2), np.float32),
    ],
)
def test_shapes_and_types(draw, shape, dtype):
    made = draw()
    assert (made.shape, made.dtype) == (shape, dtype)


def test_moments_of_draws_with_parameters_of_their_own():
    mu, sigma = nd.array([10, -10]), nd.array([0.1, 2])
    x = nd.random.normal(mu, sigma, shape=20000).asnumpy()
    np.testing.assert_allclose(x.mean(1), [10, -10], atol=0.1)
    np.testing.assert_allclose(x.std(1), [0.1, 2], rtol=0.05)
    scale = nd.array([0.5, 2])
    np.testing.assert_allclose(
        nd.random.exponential(scale, shape=20000).asnumpy().mean(1), [0.5, 2], rtol=0.05
    )
    np.testing.assert_allclose(
        nd.sample_exponential(scale, shape=20000).asnumpy().mean(1), [2, 0.5], rtol=0.05
    )
    x = nd.random.uniform(nd.array([0, 5]), nd.array([1, 7]), shape=20000).asnumpy()
    np.testing.assert_allclose([x.min(1), x.max(1)], [[0, 5], [1, 7]], atol=0.01)


def test_gradients_come_back_to_the_parameters():
    """What a variational network draws."""
    mu, sigma = nd.array([1, 2]), nd.array([3, 4])
    mu.attach_grad(), sigma.attach_grad()
    with autograd.record():
        x = nd.sample_normal(mu, sigma)
    x.backward()
    np.testing.assert_allclose(mu.grad.asnumpy(), [1, 1])
    np.testing.assert_allclose(sigma.grad.asnumpy() * sigma.asnumpy() + mu.asnumpy(), x.asnumpy(), rtol=1e-5)


def test_numbers_beside_arrays():
    with pytest.raises(AssertionError, match='Distribution parameters must all have the same type'):
        nd.random.normal(TWO, 1.0)
    with pytest.raises(AssertionError, match='Distribution parameters must all have the same type'):
        sym.random.uniform(sym.Variable('low'), 1.0)


def test_probabilities_of_what_was_drawn():
    p = nd.array([[0, 1, 0], [0.5, 0, 0.5]])
    for shape in ((), 2, (2, 2)):
        drawn, logs = nd.random.multinomial(p, shape=shape, get_prob=True)
        assert drawn.shape == logs.shape and (drawn.dtype, logs.dtype) == (np.int32, np.float32)
        wanted = np.array([p.asnumpy()[i, k] for i in range(2) for k in drawn.asnumpy()[i].ravel()])
        np.testing.assert_allclose(logs.asnumpy().ravel(), np.log(wanted), atol=1e-6)
    p.attach_grad()
    rewards = np.array([[1, 2, 3], [1, 1, 1]], np.float32)
    with autograd.record():
        drawn, logs = nd.random.multinomial(p, shape=3, get_prob=True)
        total = (logs * nd.array(rewards)).sum()
    total.backward()
    wanted = np.zeros((2, 3))
    for i in range(2):
        for k, reward in zip(drawn.asnumpy()[i], rewards[i]):
            wanted[i, k] += reward / p.asnumpy()[i, k]
    np.testing.assert_allclose(p.grad.asnumpy(), wanted, rtol=1e-5)


def test_a_policy_learns():
    """REINFORCE on a bandit with three arms, of which the last one pays."""
    weight = nd.zeros((1, 3))
    weight.attach_grad()
    for _ in range(60):
        with autograd.record():
            chosen, logs = nd.random.multinomial(nd.softmax(weight), shape=16, get_prob=True)
            loss = -(logs * (chosen.astype('float32') == 2)).mean()
        loss.backward()
        weight -= weight.grad
    assert nd.softmax(weight).asnumpy()[0, 2] > 0.9


def test_shuffled_rows():
    x = nd.array(np.arange(20).reshape(10, 2))
    for made in (nd.shuffle(x), nd.random.shuffle(x)):
        assert made.shape == (10, 2) and not np.array_equal(made.asnumpy(), x.asnumpy())
        np.testing.assert_array_equal(np.sort(made.asnumpy(), 0), x.asnumpy())


X, Y = sym.Variable('x'), sym.Variable('y')


@pytest.mark.parametrize(
    'node, known, arguments, outputs, shapes',
    [
        (
            lambda: sym.random.normal(X, Y, shape=(2,)),
            dict(x=(3,), y=(3,)),
            ['x', 'y'],
            ['_sample_normal0_output'],
            [(3, 2)],
        ),
        (
            lambda: sym.random.uniform(X, Y),
            dict(x=(3,), y=(3,)),
            ['x', 'y'],
            ['_sample_uniform0_output'],
            [(3,)],
        ),
        (
            lambda: sym.random.exponential(2.0, shape=(2, 3)),
            {},
            [],
            ['_random_exponential0_output'],
            [(2, 3)],
        ),
        (lambda: sym.random.exponential(X), dict(x=(3,)), ['x'], ['_sample_exponential0_output'], [(3,)]),
        (lambda: sym.random.randint(0, 5, shape=(2,)), {}, [], ['_random_randint0_output'], [(2,)]),
        (lambda: sym.random.randn(2, 3), {}, [], ['_random_normal0_output'], [(2, 3)]),
        (lambda: sym.random.shuffle(X), dict(x=(3, 2)), ['x'], ['_shuffle0_output'], [(3, 2)]),
        (
            lambda: sym.random.multinomial(X, shape=2),
            dict(x=(3, 4)),
            ['x'],
            ['_sample_multinomial0_output0', '_sample_multinomial0_output1'],
            [(3, 2), (3, 2)],
        ),
        (lambda: sym.random.normal_like(X), dict(x=(3, 4)), ['x'], ['normal_like0_output'], [(3, 4)]),
    ],
)
def test_symbols(node, known, arguments, outputs, shapes):
    with mx.name.NameManager():
        made = node()
    assert (made.list_arguments(), made.list_outputs()) == (arguments, outputs)
    assert made.infer_shape(**known)[1] == shapes
