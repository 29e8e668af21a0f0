"""Blocks that programs make of their own graphs: C.as_block."""

import numpy as np
import pytest

import cntk as C

AXES = C.Axis.default_batch_axis(), C.Axis.default_dynamic_axis()


def block(body, name, shape=2):
    """A block whose placeholder stands inside and outside, as programs write it."""
    x = C.placeholder(shape, name='x')
    return C.as_block(body(x), [(x, x)], name, name)


class TestPlaceholderOnBothSides:
    def test_loop_inside(self):
        """The types inside a loop are asked for as soon as the block is made."""
        f = block(lambda x: C.layers.Recurrence(C.plus)(C.ones_like(x)), 'counting', 1)
        x = C.sequence.input_variable(1)
        np.testing.assert_array_equal(f(x).eval({x: np.zeros((1, 3, 1))})[0], [[1], [2], [3]])

    def test_blocks_in_blocks(self):
        x = C.placeholder(2)
        f = C.exp(x)
        for name in 'abc':
            f = C.as_block(f, [(x, x)], name, name)
        y = C.input_variable(2)
        np.testing.assert_allclose(f(y).eval({y: [[0, 1]]}), [[1, np.e]], rtol=1e-6)

    def test_nothing_known(self):
        f = block(C.exp, 'e', shape=C.FreeDimension)
        assert f.output.dtype is None
        x = C.placeholder(name='x')
        f = C.as_block(C.exp(x), [(x, x)], 'e', 'e')
        assert f.output.dtype is None  # and the question comes back
        assert repr(f.inputs) == "(Placeholder('x', [???], [???]),)"

    def test_the_caller_keeps_its_placeholder(self):
        """What reads it outside is another reader."""
        x, y = C.placeholder(2, name='x'), C.input_variable(2)
        f = C.as_block(C.exp(x), [(x, x)], 'e', 'e') + x
        assert f.placeholders == (x,)
        np.testing.assert_allclose(f(y).eval({y: [[0, 1]]}), [[1, np.e + 1]], rtol=1e-6)
        f.replace_placeholders({x: y})
        np.testing.assert_allclose(f.eval({y: [[0, 1]]}), [[1, np.e + 1]], rtol=1e-6)

    def test_two_blocks_of_one_placeholder(self):
        x, a, b = C.placeholder(2), C.input_variable(2), C.input_variable(2)
        f = C.as_block(C.exp(x), [(x, x)], 'e', 'e')
        g = C.as_block(C.square(x), [(x, x)], 's', 's')
        f.replace_placeholders({x: a})
        g.replace_placeholders({x: b})
        np.testing.assert_array_equal(g.eval({b: [[3, 1]]}), [[9, 1]])
        np.testing.assert_allclose(f.eval({a: [[0, 1]]}), [[1, np.e]], rtol=1e-6)


def test_placeholders_that_change_places():
    x, y = C.placeholder(2, name='x'), C.placeholder(2, name='y')
    f = C.as_block(x - y, [(x, y), (y, x)], 'swapped', 'swapped')
    assert f.placeholders == (y, x)
    a, b = C.input_variable(2), C.input_variable(2)
    f.replace_placeholders({x: a, y: b})
    np.testing.assert_array_equal(f.eval({a: [[1, 2]], b: [[5, 7]]}), [[4, 5]])


def test_refused_arguments_leave_the_composite_alone():
    x, y = C.placeholder(2), C.placeholder(2)
    f = x - y
    with pytest.raises(ValueError, match='have not been mapped'):
        C.as_block(f, [(x, x)], 'half')
    assert f.placeholders == (x, y)


def test_a_placeholder_without_a_value_is_a_value_error():
    x, y = C.placeholder(2), C.input_variable(2, needs_gradient=True)
    f = C.exp(x) + y
    for run in f.eval, f.grad, f.forward:
        with pytest.raises(ValueError):
            run({y: [[1, 2]]})


BATCH, SAID, GIVEN = C.Axis.default_batch_axis(), C.Axis('said'), C.Axis('given')
PUT_IN = {
    'block': lambda f, p, x: C.as_block(f, [(p, x)], 'block', 'block'),
    'replaced': lambda f, p, x: f.replace_placeholders({p: x}),
    'called': lambda f, p, x: f(x),
    'cloned': lambda f, p, x: f.clone('share', {p: x}),
}


@pytest.mark.parametrize('put_in', PUT_IN.values(), ids=PUT_IN.keys())
class TestTypesOfWhatIsPutIn:
    """They count, and not what a placeholder was said to be (CNTK)."""

    @staticmethod
    def made(body, put_in, shape=(3,), axes=(BATCH, GIVEN), **options):
        p = C.placeholder((3,), dynamic_axes=[BATCH, SAID])
        x = C.input_variable(shape, dynamic_axes=axes, **options)
        return x, put_in(body(p), p, x)

    def test_axes(self, put_in):
        x, f = self.made(lambda p: p + C.sequence.past_value(p), put_in)
        assert f.dynamic_axes == (BATCH, GIVEN)
        np.testing.assert_array_equal(f.eval({x: [np.ones((2, 3))]})[0], [[1, 1, 1], [2, 2, 2]])

    def test_one_block_inside_another(self, put_in):
        def body(p):
            inner = C.as_block(C.layers.Dense(2, init=1)(p), [(p, p)], 'inner', 'inner')
            return C.sequence.softmax(inner)

        x, f = self.made(body, put_in)
        assert f.dynamic_axes == (BATCH, GIVEN)
        np.testing.assert_allclose(f.eval({x: [np.ones((2, 3))]})[0], np.full((2, 2), 0.5))

    def test_no_sequence(self, put_in):
        _, f = self.made(C.exp, put_in, axes=[BATCH])
        assert f.dynamic_axes == (BATCH,)
        with pytest.raises(RuntimeError):
            self.made(C.sequence.last, put_in, axes=[BATCH])

    def test_shape(self, put_in):
        x, f = self.made(C.exp, put_in, shape=(4,))
        assert f.shape == (4,)
        np.testing.assert_array_equal(f.eval({x: [np.zeros((1, 4))]})[0], [[1, 1, 1, 1]])
        x, f = self.made(C.layers.Dense(2, init=1), put_in, shape=(2, 3))
        assert f.shape == (2, 2)
        np.testing.assert_array_equal(f.eval({x: [np.ones((1, 2, 3))]})[0], [[[3, 3], [3, 3]]])

    def test_weights_keep_their_shape(self, put_in):
        with pytest.raises(ValueError, match='4 and 3'):
            self.made(C.layers.Dense(2), put_in, shape=(4,))

    def test_element_type(self, put_in):
        _, f = self.made(C.exp, put_in, dtype=np.float64)
        assert f.dtype == np.float64

    def test_recurrence(self, put_in):
        x, f = self.made(C.layers.Recurrence(C.plus), put_in)
        assert f.dynamic_axes == (BATCH, GIVEN)
        np.testing.assert_array_equal(f.eval({x: [np.ones((2, 3))]})[0], [[1, 1, 1], [2, 2, 2]])

    def test_own_functions_are_asked_again(self, put_in):
        class Twice(C.ops.functions.UserFunction):
            def __init__(self, x, name='twice'):
                super().__init__([x], name=name)

            def infer_outputs(self):
                (x,) = self.inputs
                return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]

            def forward(self, argument, device=None, outputs_to_retain=None):
                return None, [2 * sequence for sequence in argument]

            def backward(self, state, root_gradients):
                return [2 * sequence for sequence in root_gradients]

            def clone(self, cloned_inputs):
                return Twice(*cloned_inputs)

        x, f = self.made(lambda p: C.user_function(Twice(p)) + 1, put_in, shape=(4,))
        assert (f.shape, f.dynamic_axes) == ((4,), (BATCH, GIVEN))
        np.testing.assert_array_equal(f.eval({x: [np.ones((1, 4))]})[0], [[3, 3, 3, 3]])
