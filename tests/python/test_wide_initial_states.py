"""Initial states with more numbers than a step: both broadcast, as in CNTK 2.7."""

import numpy as np
import pytest

import cantik as C


def delayed(steps, state, k, ahead):
    """What stands k steps before (behind) each step, in the shape of both."""
    whole = np.broadcast_shapes(steps.shape[1:], state.shape)
    rows = [np.broadcast_to(s, whole) for s in steps]
    border = [np.broadcast_to(state, whole)] * min(k, len(rows))
    return np.array(rows[k:] + border if ahead else border + rows[: len(rows) - min(k, len(rows))])


@pytest.mark.parametrize('k', [1, 2, 5])
@pytest.mark.parametrize('ahead', [False, True])
@pytest.mark.parametrize(
    'step, state',
    [
        ((4,), (3, 4)),
        ((4,), (2, 1)),
        ((4,), (2, 3, 1)),
        ((1,), (4,)),
        ((2, 1), (3,)),
        ((4,), (1, 4)),
        ((), (2, 2)),
    ],
)
def test_delays(step, state, ahead, k):
    rs = np.random.RandomState(k)
    x = C.sequence.input_variable(step, dtype=np.float64, needs_gradient=True)
    begin = C.parameter(init=rs.uniform(-1, 1, state), dtype=np.float64)
    delay = C.sequence.future_value if ahead else C.sequence.past_value
    z = delay(x, begin, k)
    data = [rs.uniform(-1, 1, (n, *step)) for n in (3, 1, 4)]
    assert z.shape == np.broadcast_shapes(step, state)
    for mine, sequence in zip(z.eval({x: data}), data):
        np.testing.assert_array_equal(mine, delayed(sequence, begin.value, k, ahead))
    assert C.check_gradient(z * z, {x: data})


def test_a_state_of_the_batch():
    x, h = C.sequence.input_variable(2), C.input_variable((3, 2))
    data = [np.arange(4, dtype=np.float32).reshape(2, 2), np.ones((1, 2), np.float32)]
    begin = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    for mine, sequence, state in zip(C.sequence.past_value(x, h).eval({x: data, h: begin}), data, begin):
        np.testing.assert_array_equal(mine, delayed(sequence, state, 1, False))


def test_parts_of_sequences():
    """What goes on from minibatch to minibatch has the shape of both, however short the parts are."""
    x = C.sequence.input_variable(2)
    state = np.arange(6, dtype=np.float32).reshape(3, 2)
    z = C.sequence.past_value(x, C.constant(state), 3)
    sequence = np.arange(10, dtype=np.float32).reshape(5, 2) + 10
    wanted, begin = delayed(sequence, state, 3, False), 0
    for n in (1, 1, 3):
        value = C.Value.create(x, [sequence[begin : begin + n]], [begin == 0])
        np.testing.assert_array_equal(z.eval({x: value})[0], wanted[begin : begin + n])
        begin += n


def test_a_loop_whose_state_is_wider_than_its_result():
    x = C.sequence.input_variable(2, dtype=np.float64, needs_gradient=True)
    begin = C.parameter(init=np.arange(6.0).reshape(3, 2), dtype=np.float64)
    h = C.placeholder()
    last = C.sequence.past_value(h, begin)
    now = C.reduce_sum(last * 0.5, axis=0) + C.reshape(x, (1, 2))
    z = now.replace_placeholders({h: now.output})
    data = np.array([[1.0, 2], [3, 4], [5, 6]])
    state, wanted = begin.value, []
    for step in data:
        state = np.broadcast_to((state * 0.5).sum(0, keepdims=True) + step.reshape(1, 2), (3, 2))
        wanted.append(state[:1])
    np.testing.assert_allclose(z.eval({x: [data]})[0], wanted)
    assert C.check_gradient(z, {x: [data]})


def test_scatter_with_lengths_that_are_told():
    """The result lies on the condition's axis, whatever the numbers say, as in CNTK 2.7."""
    x = C.sequence.input_variable(2)
    condition = C.input_variable(1, dynamic_axes=[C.Axis.default_batch_axis(), C.Axis('places')])
    numbers = {
        x: [np.array([[1, 2], [3, 4]], np.float32), np.array([[5, 6]], np.float32)],
        condition: [np.array([[0], [1], [0], [1]], np.float32), np.array([[1], [0]], np.float32)],
    }
    for told in ((1, 0), (0, 3), (2, 1), (0, 1), None):
        z = C.sequence.scatter(x, condition, new_sequence_axis_typeinfo=told)
        assert z.dynamic_axes == condition.dynamic_axes
        first, second = z.eval(numbers)
        assert first.tolist() == [[0, 0], [1, 2], [0, 0], [3, 4]] and second.tolist() == [[5, 6], [0, 0]]


def test_unfold_from_a_state_of_any_size():
    x = C.sequence.input_variable(C.FreeDimension)
    like = C.input_variable(1, dynamic_axes=[C.Axis.default_batch_axis(), C.Axis('like')])
    z = C.layers.UnfoldFrom(lambda s: s * 2)(C.sequence.last(x), like)
    for width in (2, 3):
        first, second = z.eval(
            {
                x: [np.ones((2, width), np.float32), np.full((1, width), 3, np.float32)],
                like: [np.zeros((2, 1), np.float32), np.zeros((3, 1), np.float32)],
            }
        )
        np.testing.assert_array_equal(first, np.outer([2, 4], np.ones(width)))
        np.testing.assert_array_equal(second, np.outer([6, 12, 24], np.ones(width)))
