"""Types while a placeholder is open, as CNTK 2.7 tells them: an elementwise function has the shape of the
operand that is known, and its axes if it is a sequence, until the placeholder is replaced."""

import numpy as np
import pytest

import cantik as C

X = C.input_variable(3, name='x')
S = C.sequence.input_variable(4, name='s')
W, H = np.full((4, 3), 0.1, np.float32), np.full((3, 3), 0.2, np.float32)
BATCH, STEPS = X.dynamic_axes, S.dynamic_axes
UNKNOWN = C.Axis.unknown_dynamic_axes()


def told(f):
    return f.shape, f.dynamic_axes


@pytest.mark.parametrize(
    'make',
    [
        C.plus, C.minus, C.element_times, C.less, C.pow, C.log_add_exp, C.element_max,
        lambda x, p: C.element_select(p, x, x),
        lambda x, p: C.clip(x, p, p),
        lambda x, p: C.relu(p + x),
    ],
)  # fmt: skip
def test_elementwise_functions(make):
    assert told(make(S, C.placeholder())) == ((4,), STEPS)
    assert told(make(X, C.placeholder())) == ((3,), UNKNOWN)  # it might still meet a sequence


def test_what_is_not_told():
    p = C.placeholder()
    one = C.sequence.input_variable(1)
    assert told(one + p) == ((-2,), one.dynamic_axes)  # one number may be as many as the other has
    assert (C.input_variable(()) + p).shape == (-2,)
    assert told(C.parameter(3) + p)[0] == (-2,) and told(p + C.placeholder())[0] == (-2,)
    assert C.splice(X, p).shape == (-2,)
    assert ((X + p) * C.parameter((2, 3))).shape == (2, 3)


def test_a_loop_may_be_closed_behind_what_was_told():
    past = C.placeholder()
    h = C.times(S, C.parameter(init=W)) + C.times(C.sequence.past_value(past), C.parameter(init=H))
    assert told(h) == ((3,), STEPS)
    assert str(C.tanh(h)) == 'Composite(s: Sequence[Tensor[4]], Sequence[tensor]) -> Sequence[Tensor[3]]'
    assert C.layers.Dense(2)(h).W.shape == (3, 2)
    state = C.tanh(h + C.parameter(h.shape, init=0.1))
    state = state.replace_placeholders({past: state.output})
    h0, by_hand = np.zeros(3, np.float32), []
    for _ in range(2):
        h0 = np.tanh(np.ones(4) @ W + h0 @ H + 0.1)
        by_hand.append(h0)
    np.testing.assert_allclose(state.eval({S: [np.ones((2, 4), np.float32)]})[0], by_hand, rtol=1e-6)


@pytest.mark.parametrize('wrap', [lambda f: f, C.relu, lambda f: C.layers.Label('l')(f) + 1])
def test_the_placeholder_has_the_last_word(wrap):
    def made():
        p = C.placeholder()
        return p, wrap(X + p)

    p, f = made()
    assert told(f.replace_placeholders({p: C.parameter((2, 3))})) == ((2, 3), BATCH)
    p, f = made()
    assert told(f.replace_placeholders({p: C.sequence.input_variable(3)})) == ((3,), STEPS)
    p, f = made()
    assert told(f.clone('clone', {p: C.sequence.input_variable((2, 3))})) == ((2, 3), STEPS)
    p, f = made()
    with pytest.raises(RuntimeError, match='do not broadcast'):
        f.replace_placeholders({p: C.input_variable(7)})


def test_one_of_two_placeholders():
    p, q = C.placeholder(), C.placeholder()
    f = C.relu(p + q)
    assert f.shape == (-2,)
    f.replace_placeholders({p: X})
    assert told(f) == ((3,), UNKNOWN)
    f.replace_placeholders({q: C.sequence.input_variable((2, 3))})
    assert told(f) == ((2, 3), STEPS)


def test_a_block_learns_what_it_gets():
    p = C.placeholder()

    @C.BlockFunction('Twice', 'twice')
    def twice(x, y):
        return 2 * (x + y)

    f = twice(X, p)
    assert f.replace_placeholders({p: C.parameter((2, 3))}).shape == (2, 3)
    q = C.placeholder()
    g = twice(X + q, X)
    assert g.replace_placeholders({q: C.sequence.input_variable((2, 3))}).shape == (2, 3)


def test_what_cannot_broadcast_is_refused_at_once():
    with pytest.raises(RuntimeError, match='do not broadcast'):
        X + C.placeholder() + C.input_variable(7)


def test_a_state_that_grows():
    one, past = C.sequence.input_variable(1), C.placeholder()
    h = (one + C.sequence.past_value(past)) + C.parameter((2, 3), init=1)
    h = h.replace_placeholders({past: h.output})
    assert told(h) == ((2, 3), one.dynamic_axes)
    three, past = C.sequence.input_variable(3), C.placeholder()
    h = (three + C.sequence.past_value(past)) + C.parameter((2, 3), init=1)
    h = h.replace_placeholders({past: h.output})
    assert told(h) == ((2, 3), three.dynamic_axes)
    assert h.eval({three: [np.ones((2, 3), np.float32)]})[0].tolist() == [[[2] * 3] * 2, [[4] * 3] * 2]


def test_axes_that_are_not_known_are_of_no_kind():
    (axis,) = C.placeholder().dynamic_axes
    assert axis == C.Axis.unknown_dynamic_axes()[0]
    assert not (axis.is_batch_axis or axis.is_dynamic_axis() or axis.is_sequence_axis or axis.is_ordered)
    assert C.input_variable(2).dynamic_axes[0].is_batch_axis
