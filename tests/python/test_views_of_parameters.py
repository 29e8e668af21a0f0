"""Views of what is computed from parameters and constants alone: the values are made once for each version of
the parameters, and handed out as results, gradients, operands of a recurrence and parts of blocks."""

import numpy as np
import pytest

import cantik as C

VIEWS = {
    'alias': C.alias,
    'reshape': lambda v: C.reshape(v, (3, 2)),
    'reshape of a part': lambda v: C.reshape(v, (2, 1, 3), 0, 2),
    'flatten': lambda v: C.flatten(v, 1),
    'expand_dims': lambda v: C.expand_dims(v, 0),
    'squeeze': lambda v: C.squeeze(C.expand_dims(v, 1), -1),
    'squeeze of all': lambda v: C.squeeze(C.reshape(v, (1, 2, 1, 3))),
    'combine': lambda v: C.combine([v]),
    'stop_gradient': C.stop_gradient,
    'views of views': lambda v: C.flatten(C.alias(C.reshape(C.expand_dims(C.alias(v), 0), (6, 1)))),
    'dropout of nothing': lambda v: C.dropout(v, 0),
    'slice of all': lambda v: v[:, :],
    'transpose': lambda v: C.transpose(v, (1, 0)),
    'batch': lambda v: C.to_batch(v),
    'batch and back': lambda v: C.unpack_batch(C.to_batch(v)),
}
MAKERS = {
    'quotient': (lambda p, q: p / q, lambda p, q: p / q),
    'product of matrices': (
        lambda p, q: C.times(p, C.times(C.transpose(q, (1, 0)), q)),
        lambda p, q: p @ (q.T @ q),
    ),
    'chain': (lambda p, q: C.exp(C.tanh(p) - q) + 1, lambda p, q: np.exp(np.tanh(p) - q) + 1),
    'softmax': (
        lambda p, q: C.softmax(p * q, axis=1),
        lambda p, q: np.exp(p * q) / np.exp(p * q).sum(-1, keepdims=True),
    ),
    'splice': (lambda p, q: C.splice(p, q, axis=0)[1:3], lambda p, q: np.concatenate([p, q])[1:3]),
}
P = np.array([[1, -2, 3], [0.5, 4, -1]], np.float32)
Q = np.array([[2, 4, -1], [1, 0.5, 3]], np.float32)


def stored(kind):
    if kind == 'parameters':
        return C.parameter((2, 3), init=P, name='p'), C.parameter((2, 3), init=Q, name='q')
    if kind == 'constants':
        return C.constant(P), C.constant(Q)
    return C.parameter((2, 3), init=P, name='p'), C.constant(Q)


def close(got, expected):
    got = np.asarray(got)
    assert got.size == expected.size
    np.testing.assert_allclose(got.ravel(), expected.ravel(), 2e-5, 1e-6)


def shown(view, array):
    return array.T if view == 'transpose' else array


def test_as_in_the_report():
    p, q = C.Parameter((2,), init=3.0), C.Parameter((2,), init=2.0)
    np.testing.assert_array_equal(C.alias(p / q).eval(), [1.5, 1.5])


@pytest.mark.parametrize('maker', MAKERS)
@pytest.mark.parametrize('view', VIEWS)
@pytest.mark.parametrize('kind', ['parameters', 'constants', 'both'])
def test_as_a_result(kind, view, maker):
    p, q = stored(kind)
    make, expected = MAKERS[maker]
    v = VIEWS[view](make(p, q))
    for _ in range(2):
        close(v.eval(), shown(view, expected(P, Q)))
    if kind != 'constants':
        p.value = 2 * P  # what was made of the last version is not given
        close(v.eval(), shown(view, expected(2 * P, Q)))


@pytest.mark.parametrize('view', VIEWS)
def test_among_several_results(view):
    p, q = stored('parameters')
    x = C.input_variable(3)
    value = p / q
    v = VIEWS[view](value)
    n = {'x': np.array([[1, 2, 3], [-1, 0, 1]], np.float32)}
    several = C.combine([v, value, C.alias(v), C.alias(p), x * 2, C.reduce_sum(value) * x])
    for outputs in [several.outputs, several.outputs[::-1]]:
        got = C.combine(outputs).eval({x: n['x']})
        for o in outputs:
            at = several.outputs.index(o)
            expected = [shown(view, P / Q), P / Q, shown(view, P / Q), P, n['x'] * 2, (P / Q).sum() * n['x']][
                at
            ]
            close(got[o], expected)


@pytest.mark.parametrize('view', [v for v in VIEWS if 'batch' not in v])
def test_forward_and_gradients(view):
    p, q = stored('parameters')
    x = C.input_variable(1, needs_gradient=True)
    v = VIEWS[view](p / q)
    loss = C.reduce_sum(v * C.reduce_sum(x))
    f = C.combine([loss, v])
    a = np.array([[2], [3]], np.float32)
    state, values = f.forward({x: a}, f.outputs, [loss.output], as_numpy=True)
    close(values[v.output], shown(view, P / Q))
    close(values[loss.output], np.float32((P / Q).sum()) * a)
    close(
        f.backward(state, {loss.output: np.ones_like(a)}, [x])[x], np.full((2, 1), (P / Q).sum(), np.float32)
    )
    stops = view == 'stop_gradient'
    gradients, got = loss.grad({x: a}, wrt=[p, q], outputs=[v.output])
    close(got, shown(view, P / Q))
    close(gradients[p], 0 * P if stops else 5 / Q)
    close(gradients[q], 0 * P if stops else -5 * P / Q**2)


@pytest.mark.parametrize('view', [v for v in VIEWS if 'batch' not in v and v != 'stop_gradient'])
def test_training(view):
    p, q = stored('parameters')
    x = C.input_variable(1)
    v = VIEWS[view](p / q)
    loss = C.reduce_sum(C.square(v)) * C.reduce_sum(x)
    trainer = C.Trainer(C.combine([v]), (loss, loss), [C.sgd([p], 0.25)])
    value = P.astype(np.float64)
    for _ in range(3):
        _, outputs = trainer.train_minibatch({x: np.array([[0.5], [0.5]], np.float32)}, outputs=[v.output])
        close(outputs[v.output], shown(view, value / Q))
        value = value - 0.25 / 2 * 2 * value / Q.astype(np.float64) ** 2
        close(p.value, value)
    close(v.eval(), shown(view, value / Q))


@pytest.mark.parametrize('view', [v for v in VIEWS if 'batch' not in v])
def test_in_a_block_and_in_a_recurrence(view):
    p, q = stored('parameters')
    inside = C.placeholder()
    block = C.as_block(VIEWS[view](p / q) * C.reduce_sum(inside), [(inside, C.input_variable(1))], 'Views')
    x = block.arguments[0]
    close(block.eval({x: np.array([[2]], np.float32)}), 2 * shown(view, P / Q))

    s = C.sequence.input_variable(1)
    weight = VIEWS[view](p / q)
    states = C.layers.Recurrence(lambda h, x: 0.5 * h + C.reduce_sum(weight) * x)(s)
    f = C.combine([states, weight])
    got = f.eval({s: [np.ones((3, 1), np.float32)]})
    total = (P / Q).sum()
    close(got[states.output][0], np.array([total, 1.5 * total, 1.75 * total], np.float32))
    close(got[weight.output], shown(view, P / Q))


@pytest.mark.parametrize('view', [v for v in VIEWS if 'batch' not in v])
def test_beside_free_dimensions(view):
    p, q = stored('parameters')
    x = C.input_variable((C.FreeDimension, 2))
    v = VIEWS[view](p / q)
    f = C.combine([v, C.reduce_sum(x) + C.reduce_sum(v)])
    for n in (1, 4):
        got = f.eval({x: np.ones((1, n, 2), np.float32)})
        close(got[v.output], shown(view, P / Q))
        close(got[f.outputs[1]], np.float32(2 * n + (P / Q).sum()))


def test_a_batch_of_what_was_computed_is_worked_on_row_by_row():
    p, q = stored('parameters')
    rows = C.to_batch(p / q)
    close(C.exp(rows * 2).eval(), np.exp(2 * P / Q))
    close(C.reduce_sum(C.times(rows, C.constant(np.ones((3, 2), np.float32)))).eval(), (P / Q).sum(1) * 2)
    x = C.input_variable(3)
    close((rows + x).eval({x: P}), P / Q + P)
