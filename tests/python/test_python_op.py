"""Operators of plain functions of arrays: cantik.op, the mechanism under it, and check_gradient."""

import numpy as np
import pytest

import cantik as C
from cantik.ops.python_functions import PythonOperator

X = np.array([[1, -2, 3], [0.5, 4, -1]], np.float32)


@C.op
def swish(x, beta=1.0):
    return x / (1 + np.exp(-beta * x))


@swish.gradient
def swish_gradient(dy, y, x, beta=1.0):
    s = 1 / (1 + np.exp(-beta * x))
    return dy * (s + beta * y * (1 - s))


def test_one_function_of_arrays():
    x = C.input_variable(3, needs_gradient=True)
    f = swish(x * 1, beta=2.0, name='s')
    assert (
        f.shape == (3,)
        and f.dynamic_axes == x.dynamic_axes
        and np.allclose(f.eval({x: X}), X / (1 + np.exp(-2 * X)))
    )
    assert str(f.root_function) == 's: swish(Tensor[3]) -> Tensor[3]' and f.root_function.attributes == {
        'beta': 2.0
    }
    assert np.allclose(swish(X, beta=2.0), f.eval({x: X}))  # of arrays it is the function itself
    ours = C.element_times(x, C.sigmoid(2 * x)).grad({x: X})
    assert np.allclose(f.grad({x: X}), ours, atol=1e-6)


def test_gradient_is_checked_on_request():
    assert C.check_gradient(swish, X)
    wrong = C.op(lambda x: x**3, gradient=lambda dy, y, x: 2 * x * dy, name='wrong')
    assert not C.check_gradient(wrong, X)
    x = C.input_variable(3, np.float64, needs_gradient=True)
    with C.default_options(dtype=np.float64):
        dense = C.layers.Dense(3)
    assert C.check_gradient(
        C.reduce_sum(swish(dense(x), beta=0.5)), {x: X.astype(np.float64)}, tolerance=1e-5
    )


def test_several_inputs_and_outputs():
    @C.op
    def polar(x, y):
        return np.hypot(x, y), np.arctan2(y, x)

    @polar.gradient
    def _(dy, out, x, y):
        r, _ = out
        dr, da = dy
        return dr * x / r - da * y / r**2, dr * y / r + da * x / r**2

    a, b = C.input_variable(3, needs_gradient=True), C.input_variable(3, needs_gradient=True)
    f = polar(a, b)
    values = f.eval({a: X, b: X + 3})
    assert np.allclose(values[f.outputs[0]], np.hypot(X, X + 3)) and np.allclose(
        values[f.outputs[1]], np.arctan2(X + 3, X)
    )
    assert C.check_gradient(polar, [X, X + 3])
    g = (f.outputs[1] * 2).grad({a: X, b: X + 3}, wrt=[a])  # one of the outputs
    assert np.allclose(g, -2 * (X + 3) / np.hypot(X, X + 3) ** 2, atol=1e-6)


def test_shapes_are_found_by_running():
    total = C.op(lambda x: x.sum(axis=1, keepdims=True), name='total')
    x, free = C.input_variable((4, 5)), C.input_variable((C.FreeDimension, 2))
    assert total(x).shape == (1, 5) and total(free).shape == (1, 2)
    double = C.op(lambda x: np.concatenate([x, x], axis=1), name='double')
    f = double(free)
    assert f.shape == (C.FreeDimension, 2) and f.eval({free: np.ones((2, 3, 2), np.float32)}).shape == (
        2,
        6,
        2,
    )
    p = C.parameter((2, 3), init=1)
    assert C.op(lambda w: w.T @ w, name='gram')(p).shape == (3, 3) and np.array_equal(
        C.op(lambda w: w.T @ w, name='gram2')(p).eval(), np.full((3, 3), 2)
    )
    with pytest.raises(RuntimeError, match='there has to be a row for each row'):
        C.op(lambda x: x.sum(), name='scalar')(x)
    assert C.op(lambda x: x[:, :1] * 0, shape=lambda s: (1,) + s[1:], name='stated')(x).shape == (1, 5)


def test_sequences_are_rows():
    x = C.sequence.input_variable(3, needs_gradient=True)
    f = swish(x)
    data = [X, X[:1]]
    for got, d in zip(f.eval({x: data}), data):
        assert np.allclose(got, d / (1 + np.exp(-d)))
    for got, d in zip(f.grad({x: data}), C.element_times(x, C.sigmoid(x)).grad({x: data})):
        assert np.allclose(got, d, atol=1e-6)


def test_saved_cloned_and_in_a_recurrence(tmp_path):
    x = C.input_variable(3, name='x')
    f = swish(x, beta=3.0) + 1
    f.save(str(tmp_path / 'm'))
    assert np.allclose(C.Function.load(str(tmp_path / 'm')).eval({'x': X}), X / (1 + np.exp(-3 * X)) + 1)
    g = f.clone('clone')
    assert np.allclose(g.eval({g.arguments[0]: X}), f.eval({x: X}))
    s = C.sequence.input_variable(2, needs_gradient=True)

    def network(activation):
        h = C.placeholder(2)
        y = activation(s + C.sequence.past_value(h))
        return y.replace_placeholders({h: y.output})

    data = [X[:, :2], X[:1, :2]]
    mine, theirs = network(swish), network(lambda a: C.element_times(a, C.sigmoid(a)))
    for a, b in zip(
        mine.eval({s: data}) + mine.grad({s: data}), theirs.eval({s: data}) + theirs.grad({s: data})
    ):
        assert np.allclose(a, b, atol=1e-6)


def test_errors():
    x = C.input_variable(3, needs_gradient=True)
    mute = C.op(lambda x: x + 1, name='mute')
    with pytest.raises(NotImplementedError, match='(?s)mute has no gradient.*@mute.gradient.*stop_gradient'):
        mute(x).grad({x: X})
    assert np.array_equal(C.stop_gradient(mute(x)).eval({x: X}), X + 1)
    short = C.op(lambda x: x, gradient=lambda dy, y, x: dy[:1], name='short')
    with pytest.raises(
        RuntimeError, match=r'short.gradient gave an array of shape \(1, 3\), and \(2, 3\) was expected'
    ):
        short(x).grad({x: X})
    writes = C.op(lambda x: x.__setitem__(0, 1) or x, name='writes', shape=lambda s: s)
    with pytest.raises(RuntimeError, match='read-only'):
        writes(x).eval({x: X})


class Slots(PythonOperator):
    """Writes into the network's own memory; backward reads what it asks for."""

    reads_inputs = (True, False)
    reads_outputs = (False, True)

    def __init__(self, a, b, name='slots'):
        self.notes = []
        super().__init__([a, b], name)

    def infer_outputs(self):
        a = self.inputs[0]
        return [C.output_variable(a.shape, a.dtype, a.dynamic_axes)] * 2

    def forward(self, training, inputs, outputs):
        self.notes.append((training, inputs, outputs))
        np.add(*inputs, out=outputs[0])
        np.multiply(*inputs, out=outputs[1])
        return 'state'

    def backward(self, state, gradients, inputs, outputs, input_gradients):
        self.notes.append((state, gradients, inputs, outputs, input_gradients))
        for d in input_gradients:
            if d is not None:
                d[...] = 1 if gradients[0] is None else gradients[0]


def test_slots():
    a, b = C.input_variable(3), C.input_variable(3, needs_gradient=True)
    m = Slots(a + 1, b * 2)
    f = C.user_function(m)
    values = f.eval({a: X, b: X})
    assert np.allclose(values[f.outputs[0]], 3 * X + 1) and np.allclose(values[f.outputs[1]], (X + 1) * 2 * X)
    training, inputs, outputs = m.notes[0]
    assert (
        training is False
        and not inputs[0].flags.writeable
        and outputs[0].flags.writeable
        and not outputs[0].flags.owndata
    )
    for _ in range(10):
        f.eval({a: 0 * X, b: X})
    assert np.allclose(inputs[0], X + 1) and np.allclose(
        outputs[0], 3 * X + 1
    )  # whoever keeps them, keeps their numbers
    m.notes.clear()
    g = (f.outputs[1] * 5).grad({a: X, b: X}, wrt=[b])
    assert np.array_equal(g, np.full_like(X, 2))
    (training, _, _), (state, dy, x, y, dx) = m.notes
    assert (
        training is True and state == 'state' and dy[0] is None and np.array_equal(dy[1], np.full_like(X, 5))
    )
    assert (
        np.allclose(x[0], X + 1)
        and x[1] is None
        and y[0] is None
        and np.allclose(y[1], (X + 1) * 2 * X)
        and dx[0] is None
        and dx[1].shape == (2, 3)
    )
