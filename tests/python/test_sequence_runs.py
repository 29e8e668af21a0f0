"""Whole runs on sequences: lists in, operators that look along the sequence axis, lists out; trainings on
lists."""

import numpy as np
import pytest

import cantik as C
from sequences import ragged, same, steps


def test_several_axes_are_inputs_of_their_own():
    x = C.sequence.input_variable(3)
    y = C.sequence.input_variable(3, sequence_axis=C.Axis('others'))
    a, b = ragged(2, 1), ragged(1, 4)
    out = C.combine([2 * x, 3 * y])
    results = out.eval({x: a, y: b})
    assert same(results[out.outputs[0]], [2 * d for d in a]) and same(
        results[out.outputs[1]], [3 * d for d in b]
    )


def test_inputs_on_one_axis_have_the_same_lengths():
    x, y = C.sequence.input_variable(3, name='x'), C.sequence.input_variable(3, name='y')
    with pytest.raises(ValueError) as raised:
        (x + y).eval({x: ragged(2, 3, 1), y: ragged(2, 1, 3)})  # as many steps together
    assert "sequence 1 of Input('x', [#, *], [3]) has 3 steps, of Input('y', [#, *], [3]) 1" in str(
        raised.value
    )
    with pytest.raises(ValueError, match=r"Input\('x'.* has 2, Input\('y'.* has 1"):
        (x + y).eval({x: ragged(2, 3), y: ragged(5)})
    b = C.input_variable(3, name='b')
    with pytest.raises(ValueError, match="different numbers of samples.*'b'"):
        (x + b).eval({x: ragged(2, 3), b: steps(3)})
    assert same(
        (x + b).eval({x: ragged(2, 3), b: steps(2)}), [d + steps(2)[i] for i, d in enumerate(ragged(2, 3))]
    )


def test_whole_round_trip():
    x, b = C.sequence.input_variable(3, name='x'), C.input_variable(3, name='b')
    data, samples = ragged(2, 4, 1), steps(3)
    last = C.sequence.last(x)
    assert last.axes == b.axes
    result = last.eval({x: data})
    assert isinstance(result, np.ndarray) and np.array_equal(result, np.stack([d[-1] for d in data]))
    assert np.array_equal(C.sequence.reduce_sum(x).eval({x: data}), np.stack([d.sum(0) for d in data]))
    assert same(
        C.sequence.broadcast_as(b, x).eval({x: data, b: samples}),
        [np.tile(s, (len(d), 1)) for s, d in zip(samples, data)],
    )
    before = [np.vstack([np.zeros((1, 3), np.float32), d[:-1]]) for d in data]
    assert same(C.sequence.past_value(x).eval({x: data}), before)


def test_sparse_round_trip_through_operators():
    x = C.sequence.input_variable(3, is_sparse=True)
    value = C.Value.one_hot([[0, 2], [1]], 3)
    w = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert np.array_equal(C.sequence.last(C.times(x, w)).eval({x: value}), w[[2, 1]])


def test_lengths_made_by_data():
    x = C.sequence.input_variable(1)
    data = [np.array([[1], [0], [1]], np.float32), np.array([[0]], np.float32), np.array([[1]], np.float32)]
    result = C.sequence.gather(x, x).eval({x: data})
    assert [len(r) for r in result] == [2, 0, 1]  # an empty sequence comes out


def test_training_on_lists_of_sequences():
    """An epoch is a sweep; a minibatch has as many sequences as have at most so many steps."""

    def model():
        x, y = C.sequence.input_variable(3), C.input_variable(1)
        w = C.parameter((3, 1), init=0.01)
        return x, y, w, C.squared_error(C.times(C.sequence.reduce_sum(x), w), y)

    lengths = (4, 1, 3, 7, 2, 2, 1, 9)
    data, labels = [d / 500 for d in ragged(*lengths)], np.arange(8, dtype=np.float32).reshape(8, 1)
    x, y, w, loss = model()
    seen = loss.train((data, labels), minibatch_size=5, parameter_learners=[C.sgd(w, 0.01)], max_epochs=2)
    assert [e.samples for e in seen.epoch_summaries] == [8, 8]

    x, y, by_hand, loss = model()
    trainer = C.Trainer(None, loss, C.sgd(by_hand, 0.01))
    for _ in range(2):
        for begin, end in ((0, 2), (2, 3), (3, 4), (4, 7), (7, 8)):
            trainer.train_minibatch({x: data[begin:end], y: labels[begin:end]})
    assert np.array_equal(w.value, by_hand.value) and not np.array_equal(
        w.value, np.full((3, 1), 0.01, np.float32)
    )
    tested = loss.test((data, labels), minibatch_size=5)
    assert tested.samples == 8
    assert np.isclose(
        tested.metric, np.mean((np.stack([d.sum(0) for d in data]) @ w.value - labels) ** 2), rtol=1e-5
    )


def test_something_has_to_say_how_long_sequences_are():
    x, b, state = (
        C.sequence.input_variable(3, name='x'),
        C.parameter(3, init=1),
        C.placeholder(3, dynamic_axes=C.sequence.input_variable(1).dynamic_axes),
    )
    alone = C.tanh(C.sequence.past_value(state) + b)
    alone.replace_placeholders({state: alone.output})
    with pytest.raises(ValueError, match='the lengths of the sequences on the axes .* are unknown') as raised:
        alone.eval()
    assert 'reconcile_dynamic_axes(x, like)' in str(raised.value)
    assert [len(r) for r in C.reconcile_dynamic_axes(alone + 0 * x, x).eval({x: ragged(2, 1)})] == [2, 1]


def test_lengths_are_read_where_they_come_from():
    """An operand of which only the lengths count is not computed: it may have no meaning, or depend on the
    result."""
    x, b = C.sequence.input_variable(1, name='x'), C.input_variable(2, name='b')
    refused = C.sequence.past_value(
        x, initial_state=x, time_step=7
    )  # sequences of 3 steps have no seventh from the end
    with pytest.raises(ValueError, match='but time_step is'):
        refused.eval({x: [np.ones((3, 1))]})
    assert same(
        C.sequence.broadcast_as(b, refused).eval({x: [np.ones((3, 1))], b: [[1, 2]]}),
        [np.tile([[1, 2]], (3, 1)).astype(np.float32)],
    )

    state = C.placeholder()
    y = (
        C.sequence.broadcast_as(b, C.sequence.past_value(state)) * 2 + x
    )  # no recurrence: nothing but lengths is taken from y
    y.replace_placeholders({state: y.output})
    z = y - C.reduce_sum(C.tanh(y))
    want = 2 * np.array([[1, 2]]) + np.ones((3, 1))
    assert np.allclose(
        z.eval({x: [np.ones((3, 1))], b: [[1, 2]]})[0], want - np.tanh(want).sum(1, keepdims=True)
    )


def test_a_loop_over_lengths_made_in_the_run_with_more_sequences_than_rows():
    x, w = C.sequence.input_variable(1), C.parameter((6, 3), init=0.1)
    part = C.sequence.slice(x, -2, 0)
    state = C.placeholder(3, part.dynamic_axes)
    before = C.sequence.past_value(state, time_step=7)
    z = C.tanh(C.times(C.splice(before, before), w) + part)
    z.replace_placeholders({state: z.output})
    for lengths in ([0, 0, 1, 0], [0, 0, 0], [3, 0, 1]):
        data = [np.ones((n, 1), np.float32) for n in lengths]
        result = z.eval({x: data})
        assert [len(r) for r in result] == [min(n, 2) for n in lengths]
        assert all(np.allclose(r, np.tanh(1)) for r in result)
        assert z.grad({x: data}, wrt=[w]).shape == (6, 3)


def test_axes_made_anew_compile_nothing():
    """A structure seen before has a plan, whatever numbers its axes have."""

    def model():
        words = C.sequence.input_variable(4, sequence_axis=C.Axis.new_unique_dynamic_axis('words'))
        h = C.layers.Recurrence(C.layers.LSTM(3))(words)
        chosen = C.sequence.gather(h, C.greater(C.reduce_sum(words), 0))
        return words, C.layers.Dense(2)(C.layers.Fold(C.layers.GRU(3))(C.sequence.slice(chosen, 1, 0)))

    data, before = [np.ones((n, 4), np.float32) for n in (3, 5)], None
    for _ in range(3):
        x, z = model()
        value, gradients = z.eval({x: data}), z.grad({x: data}, wrt=z.parameters)
        assert before is None or C._cantik.plans_compiled() == before
        before = C._cantik.plans_compiled()
        assert value.shape == (2, 2) and len(gradients) == len(z.parameters)


def carried(f):
    """A loop whose state goes through f."""
    x, state = (
        C.sequence.input_variable(2, name='x'),
        C.placeholder(2, C.sequence.input_variable(2).dynamic_axes),
    )
    h = f(C.sequence.past_value(state), x) + x
    h.replace_placeholders({state: h.output})
    return h.eval({x: [np.ones((3, 2))]})


@pytest.mark.parametrize(
    'f,message',
    [
        (lambda h, x: C.sequence.softmax(h), 'Sequence::Softmax'),
        (lambda h, x: C.sequence.broadcast_as(C.sequence.reduce_sum(h), x), 'Sequence::ReduceElements'),
        (lambda h, x: C.sequence.slice(h, 1, 0), 'Sequence::Slice'),
        (lambda h, x: C.sequence.gather(h, C.reduce_sum(h)), 'Sequence::Gather'),
        (lambda h, x: C.sequence.future_value(h), 'contains past_value and future_value'),
    ],
)
def test_what_cannot_stand_in_a_recurrence_is_named(f, message):
    with pytest.raises(ValueError, match=message) as raised:
        carried(f)
    assert 'remedy' in str(raised.value) and 'test_sequence_runs.py' in str(raised.value)


def test_delays_that_are_none():
    x = C.sequence.input_variable(2)
    data = ragged(3, 1, width=2)
    for delay in (C.sequence.past_value, C.sequence.future_value):
        assert same(delay(x, time_step=0).eval({x: data}), data)  # as CNTK has it
        with pytest.raises(ValueError, match='time_step must not be negative, and is -2'):
            delay(x, time_step=-2)
    assert same(C.sequence.delay(x, time_step=-1).eval({x: data}), C.sequence.future_value(x).eval({x: data}))


def test_nothing_of_an_empty_sequence_has_no_meaning():
    x = C.sequence.input_variable(2)
    data = ragged(2, 0, width=2)
    for first in (C.sequence.first, C.sequence.last, lambda v: C.sequence.slice(v, 1, 2)):
        with pytest.raises(RuntimeError, match='sequence 1 has no .*step.*: it has 0 steps'):
            first(x).eval({x: data})
    assert np.array_equal(C.sequence.reduce_sum(x).eval({x: data})[1], [0, 0])


WITHOUT_AXES = {
    'a number': lambda: 2.0,
    'an array': lambda: np.ones((1, 2), np.float32),
    'a constant': lambda: C.constant([[1.0, 2.0]]),
    'a parameter': lambda: C.parameter((2,)),
    'an input': lambda: C.input_variable(2, dynamic_axes=[]),
}


@pytest.mark.parametrize('what', WITHOUT_AXES)
@pytest.mark.parametrize('name', ['first', 'last', 'is_first', 'is_last', 'slice', 'scatter'])
def test_functions_of_steps_need_a_dynamic_axis(name, what):
    more = {'slice': lambda: (0, 1), 'scatter': lambda: (C.sequence.input_variable(1),)}.get(name, tuple)()
    with pytest.raises(ValueError, match='the operand has no dynamic axis'):
        getattr(C.sequence, name)(WITHOUT_AXES[what](), *more)


def test_no_axes_to_sum_over():
    with pytest.raises(RuntimeError, match='the list of axes is empty'):  # CNTK's class
        C.reduce_sum(C.input_variable(3), [])
