"""User functions inside recurrences: called once a step, with the rows of the sequences that go on."""

import numpy as np
import pytest

import cantik as C
from test_user_functions import Unary

LENGTHS = [3, 1, 4, 2]
ROWS = np.random.RandomState(4).uniform(-1, 1, (sum(LENGTHS), 2)).astype(np.float32)
DATA = np.split(ROWS, np.cumsum(LENGTHS)[:-1])
BATCH = np.random.RandomState(5).uniform(0.5, 1.5, (4, 2)).astype(np.float32)


class Scaled(C.UserFunction):
    """h * b: a state, and what has no steps (an array with a row for each sequence, or a parameter)."""

    def __init__(self, h, b, name='scaled', **more):
        self.calls = []
        super().__init__([h, b], name=name, **more)

    def infer_outputs(self):
        h = self.inputs[0]
        return [C.output_variable(h.shape, h.dtype, h.dynamic_axes)]

    def forward(self, arguments, device=None, outputs_to_retain=None):
        h, b = arguments
        assert isinstance(h, list) and isinstance(b, np.ndarray) and b.shape in ((len(h), 2), (2,))
        self.calls.append(len(h))
        rows = b if b.ndim == 2 else [b] * len(h)
        return (h, b), [s * row for s, row in zip(h, rows)]

    def backward(self, state, g, variables):
        h, b = state
        rows = b if b.ndim == 2 else [b] * len(h)
        for v in variables:
            if v == self.inputs[0]:
                variables[v] = [s * row for s, row in zip(g, rows)]
            else:
                parts = np.concatenate([s * t for s, t in zip(g, h)])
                variables[v] = parts if b.ndim == 2 else parts.sum(axis=0)


class ScaledValues(Scaled):
    def __init__(self, h, b):
        super().__init__(h, b, as_numpy=False)

    def forward(self, arguments, device=None, outputs_to_retain=None):
        h, b = (v.asarray() for v in arguments)
        self.calls.append(len(h))
        rows = b if b.ndim == 2 else [b] * len(h)
        return (h, b), C.Value.create(self.inputs[0], [s * row for s, row in zip(h, rows)])

    def backward(self, state, g, variables):
        arrays = dict.fromkeys(variables)
        super().backward(state, g.asarray(), arrays)
        for v, d in arrays.items():
            variables[v] = C.Value(np.ascontiguousarray(d)) if v != self.inputs[0] else C.Value.create(v, d)


@C.op
def scaled(h, b):
    return h * b


@scaled.gradient
def _(dy, y, h, b):
    return dy * b, dy * h if b.ndim == 2 else (dy * h).sum(axis=0)


WAYS = dict(
    arrays=lambda h, b: C.user_function(Scaled(h, b)),
    values=lambda h, b: C.user_function(ScaledValues(h, b)),
    slots=scaled,
)


def recurrence(f, x, b, look=C.sequence.past_value, through=lambda h: h):
    place = C.placeholder(2)
    y = f(through(look(place, 0.5)), b) + x
    return y.replace_placeholders({place: y.output})


def same(mine, theirs, feeds, wrt):
    for a, b in zip(mine.eval(feeds), theirs.eval(feeds)):
        np.testing.assert_allclose(a, b, atol=1e-6)
    mine, theirs = (f.grad(feeds, wrt=wrt) for f in (mine, theirs))
    for v in wrt:
        for a, b in zip(mine[v], theirs[v]):
            np.testing.assert_allclose(a, b, atol=1e-5)


def test_against_operators():
    import cantik.layers as L

    x = C.sequence.input_variable(2, needs_gradient=True)
    data = [np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]], np.float32), np.array([[-0.7, 0.8]], np.float32)]
    calls = []

    def cell(activation):
        W, R = (
            C.parameter((2, 2), init=np.array([[0.5, 0.1], [-0.2, 0.3]], np.float32)),
            C.parameter((2, 2), init=np.array([[0.2, -0.6], [0.4, 0.3]], np.float32)),
        )

        @C.Function
        def step(h, x):
            return activation(C.times(x, W) + C.times(h, R))

        return L.Recurrence(step)(x)

    mine = cell(
        lambda a: C.user_function(
            Unary(a, lambda v: calls.append(v.shape) or np.tanh(v), lambda v: 1 - np.tanh(v) ** 2)
        )
    )
    theirs = cell(C.tanh)
    for a, b in zip(mine.eval({x: data}), theirs.eval({x: data})):
        assert np.allclose(a, b, atol=1e-6)
    assert calls == [(1, 2)] * 4  # in each step a list with an array for each sequence that goes on
    for a, b in zip(mine.grad({x: data}, wrt=[x]), theirs.grad({x: data}, wrt=[x])):
        assert np.allclose(a, b, atol=1e-6)


@pytest.mark.parametrize('look', [C.sequence.past_value, C.sequence.future_value])
@pytest.mark.parametrize('way', WAYS)
def test_an_operand_of_the_batch_comes_with_the_rows_of_each_step(way, look):
    x, b = C.sequence.input_variable(2, needs_gradient=True), C.input_variable(2, needs_gradient=True)
    mine, theirs = (recurrence(f, x, b, look) for f in (WAYS[way], lambda h, b: h * b))
    same(mine, theirs, {x: DATA, b: BATCH}, [x, b])


@pytest.mark.parametrize('way', WAYS)
def test_the_gradient_of_an_operand_without_rows_is_summed_over_the_steps(way):
    x, w = (
        C.sequence.input_variable(2, needs_gradient=True),
        C.parameter(2, init=np.array([0.5, -1.5], np.float32)),
    )
    mine, theirs = (recurrence(f, x, w) for f in (WAYS[way], lambda h, b: h * b))
    same(mine, theirs, {x: DATA}, [x, w])
    same(mine, theirs, {x: DATA}, [x, w])  # sums begin anew


@pytest.mark.parametrize('way', WAYS)
def test_each_step_has_its_backward_where_no_gradient_goes_from_step_to_step(way):
    x, b, w = (
        C.sequence.input_variable(2, needs_gradient=True),
        C.input_variable(2, needs_gradient=True),
        C.parameter(2, init=np.array([0.5, -1.5], np.float32)),
    )

    def network(f):
        def both(h, operand):
            return f(f(h, operand), w)

        return recurrence(both, x, b, through=C.stop_gradient)

    same(network(WAYS[way]), network(lambda h, b: h * b), {x: DATA, b: BATCH}, [b, w])


def test_one_state_in_two_directions():
    x, b = C.sequence.input_variable(2, needs_gradient=True), C.input_variable(2, needs_gradient=True)

    def network(f):
        return recurrence(f, recurrence(f, x, b), b, C.sequence.future_value)

    same(network(WAYS['arrays']), network(lambda h, b: h * b), {x: DATA, b: BATCH}, [x, b])


def test_the_order_of_steps_is_that_of_forward():
    """The last recurrence reads one that looks ahead, and lies in its order; that of the user function looks
    back and has steps of its own."""
    x, b = C.sequence.input_variable(2, needs_gradient=True), C.input_variable(2, needs_gradient=True)

    def network(f):
        ahead = recurrence(lambda h, b: h * 0.5, C.tanh(x), b, C.sequence.future_value)
        mine = recurrence(f, x, b)
        return recurrence(lambda h, b: h * mine, ahead, b), recurrence(lambda h, b: h * ahead, mine, b)

    for mine, theirs in zip(network(WAYS['arrays']), network(lambda h, b: h * b)):
        same(mine, theirs, {x: DATA, b: BATCH}, [x, b])


def test_forward_and_backward_apart():
    x, b, w = (
        C.sequence.input_variable(2, needs_gradient=True),
        C.input_variable(2, needs_gradient=True),
        C.parameter(2, init=np.array([0.5, -1.5], np.float32)),
    )

    def gradients(f):
        y = recurrence(lambda h, b: f(f(h, b), w), x, b)
        state, _values = y.forward({x: DATA, b: BATCH}, [y.output], {y.output})
        seed = {y.output: [3 * np.ones_like(s) for s in DATA]}
        return y.backward(state, seed, {x, b, w}), y.backward(state, seed, {x, b, w})

    mine, again = gradients(WAYS['arrays'])
    theirs, _ = gradients(lambda h, b: h * b)
    for v in (x, b, w):
        for m, a, t in zip(mine[v], again[v], theirs[v]):
            np.testing.assert_allclose(m, t, atol=1e-5)
            np.testing.assert_array_equal(m, a)


def test_training_of_what_a_recurrence_reads():
    x, b = C.sequence.input_variable(2), C.input_variable(2)

    def weights(f):
        w = C.parameter(2, init=np.array([0.5, -1.5], np.float32))
        y = recurrence(lambda h, b: f(f(h, b), w), x, b)
        loss = C.reduce_sum(C.square(y - x))
        trainer = C.Trainer(y, loss, C.sgd([w], C.learning_parameter_schedule(0.05)))
        for _ in range(5):
            trainer.train_minibatch({x: DATA, b: BATCH})
        return w.value

    np.testing.assert_allclose(weights(WAYS['arrays']), weights(lambda h, b: h * b), rtol=1e-5)


def test_it_is_called_once_a_step():
    x, b = C.sequence.input_variable(2), C.input_variable(2)
    function = []

    def way(h, b):
        function.append(Scaled(h, b))
        return C.user_function(function[-1])

    recurrence(way, x, b).eval({x: DATA, b: BATCH})
    assert function[0].calls == [4, 3, 2, 1]


def test_sequences_of_another_axis_are_refused():
    x, other = (
        C.sequence.input_variable(2),
        C.sequence.input_variable(2, sequence_axis=C.Axis.new_unique_dynamic_axis('other')),
    )
    y = recurrence(WAYS['arrays'], x, other)
    with pytest.raises(
        NotImplementedError,
        match=r'(?s)reads a value on the axes \[#, other.*inside a recurrence.*sequence.unpack',
    ):
        y.eval({x: DATA, other: DATA})
