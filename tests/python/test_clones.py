"""Clones in which a variable is exchanged for a function of itself, as in CNTK 2.7: a probe behind a
layer."""

import numpy as np
import pytest

import cantik as C

X = np.array([[1, 2]], np.float32)


@pytest.fixture(params=['share', 'clone', 'freeze'])
def method(request):
    return request.param


def check(f, due, **feeds):
    assert set(feeds) == {v.name for v in f.arguments}
    made = f.eval({v: feeds[v.name] for v in f.arguments})
    np.testing.assert_allclose(made, [due], rtol=1e-4)


@pytest.mark.parametrize(
    'by, due',
    [
        (lambda k, x: k + 1, [2, 10]),
        (lambda k, x: C.alias(k), [1, 8]),
        (lambda k, x: k + x, [2, 12]),
        (lambda k, x: C.exp(k * 0.1) * k, [1.1052, 11.9346]),
        (lambda k, x: C.layers.Dense(2, init=1)(k), [5, 10]),
    ],
)
def test_a_result_below_a_skip_connection(method, by, due):
    x = C.input_variable(2, name='x')
    k = C.square(x)
    check((k * x).clone(method, {k.output: by(k, x)}), due, x=X)


def test_with_what_lies_between(method):
    x = C.input_variable(2, name='x')
    k = C.square(x)
    q = C.exp(0.1 * k)
    check((q * k * x).clone(method, {q.output: q * 2}), [2.2103, 23.8692], x=X)
    check((q * k).clone(method, {k.output: k + 1, q.output: q + k}), [4.2103, 27.4591], x=X)


def test_a_function_of_the_network_and_a_function_of_it(method):
    """A loop without a delay, on which CNTK 2.7 crashes."""
    x = C.input_variable(2, name='x')
    k = C.square(x)
    for g in C.exp(k * 0.1), C.layers.Dense(2, init=0.1, activation=C.exp)(k):
        with pytest.raises(RuntimeError):
            f = (g * k).clone(method, {k.output: g + 1})
            f.eval(dict.fromkeys(f.arguments, X))


def test_parameters_and_inputs(method):
    x, z = C.input_variable(2, name='x'), C.input_variable(2, name='z')
    w = C.parameter(2, init=2)
    check((x * w).clone(method, {w: w + 1}), [3, 6], x=X)
    check((x * w).clone(method, {w: w * x}), [2, 8], x=X)
    check((x * z).clone(method, {x: x + z}), [6, 24], x=X, z=2 * X)


def test_states_still_become_recurrences():
    x = C.sequence.input_variable(1, name='x')
    state = C.placeholder(1, x.dynamic_axes, name='state')
    h = C.plus(C.sequence.past_value(state), x)
    f = h.clone('share', {state: h.output})
    np.testing.assert_array_equal(
        f.eval({f.arguments[0]: np.ones((1, 3, 1), np.float32)})[0].ravel(), [1, 2, 3]
    )


def test_a_network_with_a_probe_learns():
    x, y = C.input_variable(2, name='x'), C.input_variable(2)
    h = C.layers.Dense(2, init=0.5)(x)
    z = h + C.layers.Dense(2, init=0.1)(h)
    g = z.clone('share', {h.output: C.dropout(h, 0.0) * 1})
    trainer = C.Trainer(g, C.squared_error(g, y), [C.sgd(g.parameters, 0.05)])
    feeds = {g.arguments[0]: np.eye(2, dtype=np.float32), y: np.ones((2, 2), np.float32)}
    losses = []
    for _ in range(50):
        trainer.train_minibatch(feeds)
        losses.append(trainer.previous_minibatch_loss_average)
    assert losses[-1] < 0.01 * losses[0]


def test_no_substitutions():
    """However they are spelled."""
    x = C.input_variable(1)
    f = C.sin(x)
    for none in (None, {}, [], ()):
        assert f.clone('share', none).arguments[0].shape == (1,)
