"""User functions whose results have another number of samples than their operands, as in CNTK 2.7.

`infer_outputs` does not say so: the first run finds out, and asks the function again.
"""

import numpy as np
import pytest

import cantik as C

X = np.arange(24).reshape(4, 2, 3).astype(np.float32)


class Fold(C.ops.functions.UserFunction):
    """The numbers of a batch as samples of another shape."""

    def __init__(self, x, shape, axes=None, as_numpy=True):
        super().__init__([x], as_numpy=as_numpy, name='fold')
        self.to, self.was, self.axes, self.calls = shape, x.shape, axes, 0

    def infer_outputs(self):
        return [C.output_variable(self.to, self.inputs[0].dtype, self.axes or self.inputs[0].dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        self.calls += 1
        return None, argument.reshape((-1,) + self.to)

    def backward(self, state, root_gradients):
        return root_gradients.reshape((-1,) + self.was)

    @staticmethod
    def deserialize(inputs, name, state):
        return Fold(inputs[0], (3,))


AXES = {
    'the same axis': lambda: None,
    'an axis of its own': lambda: [C.Axis('folded', False)],
}


@pytest.fixture(params=AXES)
def axes(request):
    return AXES[request.param]()


def fold(x, shape=(3,), axes=None):
    return C.user_function(Fold(x, shape, axes))


@pytest.fixture
def x():
    return C.input_variable((2, 3), needs_gradient=True, name='x')


def test_values(x, axes):
    f = fold(x, axes=axes) * 2
    for rows in (4, 1, 3):  # of one graph
        np.testing.assert_array_equal(f.eval({x: X[:rows]}), 2 * X[:rows].reshape(-1, 3))


def test_fewer_samples(x, axes):
    np.testing.assert_array_equal(fold(x, (2, 2, 3), axes).eval({x: X}), X.reshape(2, 2, 2, 3))


def test_gradients(x, axes):
    w = C.parameter(3, init=2, name='w')
    g = (fold(x, axes=axes) * w).grad({x: X}, wrt=[x, w])
    np.testing.assert_array_equal(g[x], np.full_like(X, 2))
    np.testing.assert_array_equal(g[w], X.sum((0, 1)))


def test_forward_and_backward(x):
    f = fold(x) * fold(x)
    state, y = f.forward({x: X}, f.outputs, {f.output})
    np.testing.assert_array_equal(y[f.output], np.square(X).reshape(-1, 3))
    dx = f.backward(state, {f.output: np.ones((8, 3), np.float32)}, {x})
    np.testing.assert_array_equal(dx[x], 2 * X)


def test_over_the_batch(x, axes):
    total = C.reduce_sum(fold(x, axes=axes), C.Axis.default_batch_axis())
    np.testing.assert_array_equal(np.ravel(total.eval({x: X})), X.sum((0, 1)))
    assert C.unpack_batch(fold(x, axes=axes)).eval({x: X}).shape == (8, 3)


def test_back_to_the_old_batch(x):
    f = fold(fold(x) * 2, (2, 3)) + x
    np.testing.assert_array_equal(f.eval({x: X}), 3 * X)
    np.testing.assert_array_equal(f.grad({x: X}, [x]), np.full_like(X, 3))


def test_together_with_results_of_the_old_batch(x):
    folded, twice = fold(x), x * 2
    made = C.combine([folded, twice]).eval({x: X})
    np.testing.assert_array_equal(made[folded.output], X.reshape(-1, 3))
    np.testing.assert_array_equal(made[twice.output], 2 * X)


def test_training(axes):
    x, w = C.input_variable((2, 3)), C.parameter(3, init=1)
    loss = C.reduce_sum(C.square(fold(x, axes=axes) * w))
    trainer = C.Trainer(None, loss, [C.sgd([w], C.learning_parameter_schedule_per_sample(0.001))])
    losses = []
    for rows in (4, 2, 4, 4):
        trainer.train_minibatch({x: X[:rows] / 10})
        losses.append(trainer.previous_minibatch_loss_average)
        assert trainer.previous_minibatch_sample_count == 2 * rows
    due = np.square(X / 10).sum() / 8
    assert losses[0] == pytest.approx(due, rel=1e-5) and losses[3] < losses[2] < losses[0]


def test_the_function_is_asked_twice_in_the_first_run_alone(x):
    mine = Fold(x, (3,))
    f = C.user_function(mine) + 1
    f.eval({x: X})
    assert mine.calls == 2
    f.eval({x: X})
    assert mine.calls == 3
    f.eval({x: X[:1]})
    assert mine.calls == 4


def test_values_in_place_of_arrays(x):
    class Values(Fold):
        def forward(self, argument, device=None, outputs_to_retain=None):
            data = argument.data()
            return None, C.cntk_py.Value(data.as_shape((8, 3)))

        def backward(self, state, root_gradients):
            return C.cntk_py.Value(root_gradients.data().as_shape((4, 2, 3)))

    f = C.user_function(Values(x, (3,), as_numpy=False)) * 2
    np.testing.assert_array_equal(f.eval({x: X}), 2 * X.reshape(-1, 3))
    np.testing.assert_array_equal(f.grad({x: X}, [x]), np.full_like(X, 2))


def test_numbers_of_samples_that_do_not_go_together(x):
    with pytest.raises((ValueError, RuntimeError)):
        (fold(x) + C.reduce_sum(x, 0)).eval({x: X})


def test_a_gradient_for_another_number_of_samples(x):
    class Wrong(Fold):
        def backward(self, state, root_gradients):
            return root_gradients  # 8 samples of 3

    with pytest.raises(ValueError, match='backward'):
        C.user_function(Wrong(x, (3,))).grad({x: X}, [x])
