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
