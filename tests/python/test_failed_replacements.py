"""A replacement that fails leaves the function as it was: the next one can succeed."""

import numpy as np
import pytest

import cantik as C


def ones(*shape):
    return np.ones(shape, np.float32)


def product(p):
    return C.times(p, C.parameter((3, 2), init=1))


def dense_of_several(p):
    """The layer's weights follow from what p becomes, and the sum does not take it."""
    return C.layers.Dense(2, init=1)(p) + 0 * C.times(p, C.parameter((3, 2), init=1))


def inside_a_block(p):
    @C.BlockFunction('Twice', 'twice')
    def twice(x):
        return 2 * C.times(x, C.parameter((3, 2), init=0.5))

    return twice(p)


def pooled(p):
    return C.reduce_sum(C.squared_error(p, C.constant(ones(3)))) + C.times(p, C.parameter((3, 2), init=1))


@pytest.mark.parametrize('make', [product, dense_of_several, inside_a_block, pooled])
@pytest.mark.parametrize('typed', [False, True])
def test_another_variable_takes_the_place(make, typed):
    p = C.placeholder(3 if typed else None)
    f = make(p)
    due = make(C.constant(ones(3))).eval()
    for wrong in (C.input_variable(5), C.sequence.input_variable((4, 4))):
        with pytest.raises(ValueError):
            f.replace_placeholders({p: wrong})
        assert f.placeholders == (p,) and f.arguments == (p,)
    x = C.input_variable(3)
    f.replace_placeholders({p: x})
    assert f.placeholders == ()
    np.testing.assert_allclose(f.eval({x: ones(1, 3)}), np.reshape(due, (1, -1)), rtol=1e-6)


def test_of_two_placeholders_none_is_replaced():
    p, q = C.placeholder(), C.placeholder()
    f = C.times(p, C.parameter((3, 2), init=1)) + q
    with pytest.raises(ValueError):
        f.replace_placeholders({p: C.input_variable(3), q: C.input_variable(7)})
    assert set(f.placeholders) == {p, q}
    x, y = C.input_variable(3), C.input_variable(2)
    f.replace_placeholders({p: x, q: y})
    np.testing.assert_array_equal(f.eval({x: ones(1, 3), y: ones(1, 2)}), [[4, 4]])


def test_a_loop_that_does_not_fit_stays_open():
    x = C.sequence.input_variable(2)
    p = C.placeholder()
    h = C.sequence.past_value(p) + x
    with pytest.raises(ValueError):
        h.replace_placeholders({p: C.splice(h, x)})
    assert h.placeholders == (p,)
    h.replace_placeholders({p: h.output})
    np.testing.assert_array_equal(h.eval({x: ones(1, 3, 2)})[0], [[1, 1], [2, 2], [3, 3]])
