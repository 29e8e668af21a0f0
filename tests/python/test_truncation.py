"""Sequences in parts: recurrences go on where the last minibatch stopped, gradients stay inside."""

import importlib.util
import json
import threading
from pathlib import Path

import numpy as np
import pytest

import cantik as C

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'


def accumulator(x, initial_state=0, time_step=1, delay=C.sequence.past_value):
    state = C.placeholder()
    z = delay(state, initial_state, time_step) + x
    return z.replace_placeholders({state: z.output})


def in_turn(z, x, *parts):
    return [
        [
            s.ravel().tolist()
            for s in z.eval({x: (list(map(column, data)), flags)} if flags else {x: list(map(column, data))})
        ]
        for data, flags in parts
    ]


def column(numbers):
    return np.array(numbers, np.float32).reshape(-1, 1)


# ---- values; those that CNTK 2.7 gives


def test_states_go_on():
    x = C.sequence.input_variable(1)
    assert in_turn(
        accumulator(x, 5), x, ([[1, 2]], [True]), ([[3]], [False]), ([[1, 1]], [False]), ([[1, 1]], [True])
    ) == [[[6, 8]], [[11]], [[12, 13]], [[6, 7]]]
    assert in_turn(accumulator(x, 5), x, ([[1, 2]], None), ([[3]], [False])) == [
        [[6, 8]],
        [[11]],
    ]  # whole sequences are gone on with, too
    assert in_turn(
        accumulator(x, 5),
        x,
        ([[1, 2], [10, 20]], [True, True]),
        ([[3, 3], [30, 30]], [False, True]),
        ([[3], [30]], [False, False]),
    ) == [[[6, 8], [15, 35]], [[11, 14], [35, 65]], [[17], [95]]]
    assert in_turn(
        accumulator(x, 5), x, ([[1, 2, 3], [10]], [True, True]), ([[3], [30, 30, 30]], [False, False])
    ) == [[[6, 8, 11], [15]], [[14], [45, 75, 105]]]


def test_delays_outside_of_loops_go_on():
    x = C.sequence.input_variable(1)
    assert in_turn(C.sequence.past_value(x, 7), x, ([[1, 2]], [True]), ([[3, 4]], [False])) == [
        [[7, 1]],
        [[2, 3]],
    ]
    assert in_turn(
        C.sequence.past_value(x, 7, 3),
        x,
        ([[1]], [True]),
        ([[2]], [False]),
        ([[3, 4, 5]], [False]),
        ([[6]], [False]),
    ) == [[[7]], [[7]], [[7, 1, 2]], [[3]]]


def test_delays_of_several_steps_and_short_parts():
    x = C.sequence.input_variable(1)
    whole = in_turn(accumulator(x, 5, 3), x, ([[1, 2, 3, 4, 5, 6, 7]], None))[0][0]
    for cuts in ([1, 1, 1, 1, 1, 1, 1], [2, 1, 4], [1, 5, 1], [3, 3, 1], [0, 2, 0, 5]):
        at, parts = 0, []
        for n in cuts:
            parts.append(([list(range(at + 1, at + n + 1))], [not parts]))
            at += n
        assert sum((r[0] for r in in_turn(accumulator(x, 5, 3), x, *parts)), []) == whole, cuts


def test_a_part_ends_as_a_sequence_does():
    x = C.sequence.input_variable(1)
    ahead = accumulator(x, 5, 1, C.sequence.future_value)
    assert in_turn(ahead, x, ([[1, 2]], [True]), ([[3, 4]], [False])) == [[[8, 7]], [[12, 9]]]
    assert in_turn(C.sequence.future_value(x, 7), x, ([[1, 2]], [True]), ([[3, 4]], [False])) == [
        [[2, 7]],
        [[4, 7]],
    ]


def test_only_sequences_that_begin_have_a_first_step():
    x = C.sequence.input_variable(1)
    parts = ([[1, 2]], [True]), ([[3, 4]], [False])
    assert in_turn(C.sequence.is_first(x), x, *parts) == [[[1, 0]], [[0, 0]]]
    assert in_turn(C.sequence.is_last(x), x, *parts) == [[[0, 1]], [[0, 1]]]


def test_initial_states_count_where_sequences_begin():
    x, s = C.sequence.input_variable(1), C.input_variable(1)
    z = accumulator(x, s)
    first = z.eval({x: ([column([1, 2]), column([1])], [True, True]), s: [[10], [20]]})
    then = z.eval({x: ([column([1, 2]), column([1])], [False, True]), s: [[30], [40]]})
    assert [v.ravel().tolist() for v in first + then] == [[11, 13], [21], [14, 16], [41]]
    y = C.sequence.input_variable(1, sequence_axis=C.Axis('other'))
    z = accumulator(x, y, 2)
    first = z.eval({x: ([column([1, 1, 1])], [True]), y: [column([100, 200, 300])]})
    then = z.eval({x: ([column([1, 1, 1])], [False]), y: [column([100, 200, 300])]})
    assert [v.ravel().tolist() for v in first + then] == [[201, 301, 202], [302, 203, 303]]
    wide = C.sequence.input_variable((2, 3))
    z = C.sequence.past_value(wide, C.constant([[1.0], [2.0]]))
    data = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    assert z.eval({wide: ([data], [True])})[0][0].tolist() == [[1, 1, 1], [2, 2, 2]]
    assert z.eval({wide: ([data], [False])})[0].tolist() == data[::-1].tolist()


def test_states_of_one_request_are_not_those_of_another():
    x = C.sequence.input_variable(1)
    z = accumulator(x)
    assert in_turn(z, x, ([[1]], [True])) == [[[1]]]
    assert in_turn(C.reduce_sum(z, axis=0), x, ([[100]], [True])) == [[[100]]]
    assert in_turn(z, x, ([[1]], [False])) == [[[2]]]


def test_runs_of_several_threads():
    x = C.sequence.input_variable(1)
    z = accumulator(x)
    feed = {x: ([column([0, 0]), column([0])], [False, False])}
    z.eval({x: ([column([1, 2]), column([4])], [True, True])})
    wrong = []

    def run():
        # Each goes on with what came last, here the same.
        seen = ([v.ravel().tolist() for v in z.eval(feed)] for _ in range(200))
        wrong.extend(found for found in seen if found != [[3, 3], [4]])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_flags_of_several_inputs():
    x, y = C.sequence.input_variable(1), C.sequence.input_variable(1)
    z = accumulator(x + y)
    feed = lambda a, b: z.eval({x: a, y: b})[0].ravel().tolist()
    one = [column([1])]
    assert feed((one, [True]), one) == [2]
    assert feed((one, [False]), one) == [4]  # who says it says it for all
    assert feed(one, (one, [False])) == [6]
    assert feed((one, [False]), (one, [False])) == [8]
    with pytest.raises(ValueError, match='differ in how sequence 0 begins'):
        feed((one, [True]), (one, [False]))
    assert z.eval(({x: one, y: one}, [False]))[0] == 10


# ---- what cannot be


def test_sequences_that_nobody_kept():
    x = C.sequence.input_variable(1)
    z = accumulator(x)
    with pytest.raises(
        RuntimeError,
        match='sequence 1 is flagged as a continuation of sequence 1 .* there is no earlier',
    ):
        in_turn(z, x, ([[1], [2]], [True, False]))
    in_turn(z, x, ([[1]], [True]))
    with pytest.raises(
        RuntimeError,
        match='sequence 1 is flagged as a continuation of sequence 1 .* which had 1 sequence\n',
    ):
        in_turn(z, x, ([[1], [2]], [False, False]))
    assert in_turn(z, x, ([[1]], [False])) == [[[2]]]  # what failed has changed nothing


def test_operators_that_look_at_whole_sequences():
    x = C.sequence.input_variable(1)
    for z in (
        C.sequence.first(x),
        C.sequence.last(x),
        C.sequence.reduce_sum(x),
        C.sequence.reduce_max(x),
        C.sequence.softmax(x),
        C.sequence.slice(x, 0, 1),
        C.sequence.where(C.greater(x, 0)),
        C.sequence.unpack(x, 0).outputs[0],
    ):
        assert len(C.as_composite(z).eval({x: ([column([1, 2])], [True])})) == 1
        with pytest.raises(RuntimeError, match='looks at whole sequences, but sequence 0 is flagged'):
            C.as_composite(z).eval({x: ([column([1, 2])], [False])})


def test_a_run_that_fails_keeps_the_states():
    x, y = C.sequence.input_variable(1), C.sequence.input_variable(1, sequence_axis=C.Axis('other'))
    z = accumulator(x) + C.sequence.broadcast_as(y, x)
    feed = lambda a, b, begins: z.eval({x: ([column(a)], [begins]), y: [column(b)]})[0].ravel().tolist()
    assert feed([1, 2], [0, 0], True) == [1, 3]
    with pytest.raises(ValueError, match='has 3 steps'):
        feed([100, 100], [0, 0, 0], False)
    assert feed([1], [0], False) == [4]


# ---- parts are the whole

CELLS = {
    'lstm': lambda x: C.layers.Recurrence(C.layers.LSTM(6, use_peepholes=True))(x),
    'gru': lambda x: C.layers.Recurrence(C.layers.GRU(6), initial_state=0.1)(x),
    'layers': lambda x: C.layers.Sequential(
        [
            C.layers.Recurrence(C.layers.LSTM(5)),
            C.layers.Dense(4, activation=C.relu),
            C.layers.Recurrence(C.layers.GRU(6)),
        ]
    )(x),
    'delay': lambda x: C.layers.Sequential(
        [C.layers.Delay(2), C.layers.Recurrence(C.layers.RNNStep(5)), C.layers.Delay(1, initial_state=0.5)]
    )(x),
    'delays': lambda x: C.splice(C.sequence.past_value(x), C.sequence.past_value(x, time_step=4), x),
}


@pytest.mark.parametrize('name', CELLS)
def test_parts_make_the_whole(name):
    rs = np.random.RandomState(1)
    x = C.sequence.input_variable(3)
    z = CELLS[name](x)
    for p in z.parameters:
        p.value = rs.uniform(-0.7, 0.7, p.shape).astype(np.float32)
    data = [rs.randn(n, 3).astype(np.float32) for n in (17, 1, 30, 8, 2)]
    whole = z.eval({x: data})
    for _ in range(5):
        at, made = [0] * len(data), [[] for _ in data]
        while any(a < len(d) for a, d in zip(at, data)):
            parts, flags = [], [a == 0 for a in at]
            for i, d in enumerate(data):
                n = min(rs.randint(0, 6), len(d) - at[i])
                parts.append(d[at[i] : at[i] + n])
                at[i] += n
            flags = [f or a == 0 for f, a in zip(flags, at)]
            for m, r in zip(made, z.eval({x: (parts, flags)})):
                m.append(r)
        assert all(np.array_equal(np.concatenate(m), w) for m, w in zip(made, whole))


def random_cell(rs, x, speaker):
    """One or two states of their own widths, each looking back once or twice, from numbers, parameters or
    values of the batch."""
    widths = rs.randint(1, 6, rs.randint(1, 3))
    states = [C.placeholder(shape=(int(n),)) for n in widths]

    def weight(*shape):
        return C.parameter(shape, init=rs.uniform(-0.6, 0.6, shape).astype(np.float32))

    def initial(n):
        kind = rs.randint(4)
        return [0, 0.3, weight(n), C.times(speaker, weight(2, n))][kind]

    looks = [
        C.sequence.past_value(s, initial(n), int(rs.randint(1, 5)))
        for n, s in zip(widths, states)
        for _ in range(rs.randint(1, 3))
    ]
    new = []
    for n in map(int, widths):
        total = C.times(x, weight(x.shape[0], n)) + weight(n)
        for l in looks:
            total += (
                C.times(l, weight(l.shape[0], n)) if rs.rand() < 0.7 or l.shape != (n,) else l * weight(n)
            )
        new.append([C.tanh, C.sigmoid, C.relu][rs.randint(3)](total) * 0.7)
    if len(new) > 1 and rs.rand() < 0.5:
        new[0] = new[0] * C.slice(
            C.times(new[1], weight(int(widths[1]), int(widths[0]))), 0, 0, int(widths[0])
        )
    z = C.splice(*new) if len(new) > 1 else new[0]
    z = C.as_composite(z + 0)
    return z.replace_placeholders({s: v.output for s, v in zip(states, new)})


@pytest.mark.parametrize('seed', range(30))
def test_random_networks_in_parts(seed):
    rs = np.random.RandomState(seed)
    x, speaker = C.sequence.input_variable(3), C.input_variable(2)
    z = x
    for _ in range(rs.randint(1, 4)):
        z = random_cell(rs, z, speaker)
        if rs.rand() < 0.3:
            z = C.sequence.past_value(z, 0.1, int(rs.randint(1, 4))) + z
    z = C.as_composite(z)
    data, who = [rs.randn(n, 3).astype(np.float32) for n in (9, 1, 14)], rs.randn(3, 2).astype(np.float32)

    def feed(sequences):
        return {v: d for v, d in ((x, sequences), (speaker, who)) if v in z.arguments}

    whole = z.eval(feed(data))
    session, at, made = z.session(streams=3), [0] * 3, [[[] for _ in data] for _ in range(2)]
    while any(a < len(d) for a, d in zip(at, data)):
        flags, parts = [a == 0 for a in at], []
        for i, d in enumerate(data):
            n = min(rs.randint(0, 5), len(d) - at[i])
            parts.append(d[at[i] : at[i] + n])
            at[i] += n
        for results, found in zip(made, (z.eval(feed((parts, flags))), session(feed(parts)))):
            for m, r in zip(results, found):
                m.append(r)
    for results in made:
        for m, w in zip(results, whole):
            assert np.array_equal(np.concatenate(m), w)


# ---- gradients


def test_gradients_stay_inside_their_part():
    x = C.sequence.input_variable(2, dtype=np.float64)
    rs = np.random.RandomState(2)
    w, r, first = (
        C.parameter(s, init=rs.uniform(-0.5, 0.5, s), dtype=np.float64) for s in ((2, 3), (3, 3), (3,))
    )
    h = C.placeholder(shape=(3,))
    z = C.tanh(
        C.times(x, w) + C.times(C.sequence.past_value(h, first), r) + C.sequence.past_value(h, first, 2)
    )
    z = z.replace_placeholders({h: z.output})
    parts = [[rs.randn(n, 2) for n in lengths] for lengths in ((3, 2, 1), (1, 4, 2), (5, 1, 3))]
    flags = [[True] * 3, [False, True, False], [False, False, False]]
    session = C.combine([z]).session(streams=3)
    for data, begins in zip(parts, flags):
        for i in np.flatnonzero(begins):
            session.reset(int(i))
        found = z.grad({x: (data, begins)}, wrt=[w, r, first])
        for p in (w, r, first):
            value, difference = p.value.copy(), np.zeros(p.shape)
            for i in np.ndindex(*p.shape):
                sums = []
                for step in (1e-5, -1e-5):
                    moved = value.copy()
                    moved[i] += step
                    p.value = moved
                    sums.append(sum(s.sum() for s in session.copy()(data)))
                difference[i] = (sums[0] - sums[1]) / 2e-5
            p.value = value
            if p is first and not any(begins):
                assert not found[p].any()
            else:
                np.testing.assert_allclose(found[p], difference, rtol=1e-7, atol=1e-9)
        session(data)


def test_forward_and_backward_go_on():
    x = C.sequence.input_variable(1)
    w = C.parameter((1,), init=2.0)
    z = accumulator(x * w)
    for data, flags, expected in (([1, 2], [True], [[2, 6], 4]), ([3], [False], [[12], 3])):
        state, values = z.forward({x: ([column(data)], flags)}, [z.output], {z.output})
        assert values[z.output][0].ravel().tolist() == expected[0]
        gradient = z.backward(state, {z.output: [np.ones((len(data), 1), np.float32)]}, {w})[w]
        assert gradient.tolist() == [expected[1]]


# ---- training


def golden_script():
    spec = importlib.util.spec_from_file_location('truncation_cntk', GOLDEN / 'truncation_cntk.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize('way', ['flags', 'file'])
@pytest.mark.parametrize('name', ['lstm', 'two_delays'])
def test_losses_are_those_of_cntk(name, way):
    expected = json.loads((GOLDEN / 'truncation_golden.json').read_text())[name][way]
    script = golden_script()
    found = {'flags': script.by_flags, 'file': script.by_file}[way](name)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_restored_training_goes_on_bit_for_bit(tmp_path):
    script = golden_script()
    t, one = script.text(3, 60), np.eye(script.SYMBOLS)

    def minibatch(x, y, k):
        at = slice(5 * k, 5 * k + 5)
        return {x: [one[s[at]] for s in t], y: [one[s[1:][at]] for s in t]}, [k == 0] * 3

    x, y, trainer = script.training('two_delays')
    x2, y2, other = script.training('two_delays')
    for k in range(4):
        trainer.train_minibatch(minibatch(x, y, k))
    trainer.save_checkpoint(str(tmp_path / 'checkpoint'))
    with pytest.raises(RuntimeError, match='but there is no earlier minibatch'):
        other.train_minibatch(minibatch(x2, y2, 4))
    other.restore_from_checkpoint(str(tmp_path / 'checkpoint'))
    for k in range(4, 10):
        for m, i, o in ((trainer, x, y), (other, x2, y2)):
            m.train_minibatch(minibatch(i, o, k))
        assert trainer.previous_minibatch_loss_average == other.previous_minibatch_loss_average
    for p, q in zip(trainer.model.parameters, other.model.parameters):
        assert np.array_equal(p.value, q.value)


def trained(path, sessions, checkpoint):
    """Parameters after training sessions over parts of sequences in a file; each but the first goes on from
    the checkpoint of the one before."""
    script = golden_script()
    for number, samples in enumerate(sessions):
        x, y, trainer = script.training('two_delays', np.float32)
        for p in trainer.loss_function.parameters:
            p.value = p.value * (number == 0)  # what is not restored is lost
        streams = C.io.StreamDefs(
            x=C.io.StreamDef(field='x', shape=script.SYMBOLS),
            y=C.io.StreamDef(field='y', shape=script.SYMBOLS),
        )
        source = C.io.MinibatchSource(
            C.io.CTFDeserializer(str(path), streams), randomize=False, truncation_length=4
        )
        C.training_session(
            trainer=trainer,
            mb_source=source,
            mb_size=12,
            model_inputs_to_streams={x: source.streams.x, y: source.streams.y},
            max_samples=samples,
            checkpoint_config=C.CheckpointConfig(str(checkpoint), restore=True),
        ).train()
    return [p.value for p in trainer.loss_function.parameters]


def test_training_sessions_over_parts(tmp_path):
    script = golden_script()
    t = script.text(6, 30)
    with open(tmp_path / 'text.ctf', 'w') as f:
        for number, row in enumerate(t):
            for i in range(10 + 3 * number):
                f.write(f'{number} |x {script.one_hot(row[i])} |y {script.one_hot(row[i + 1])}\n')

    whole = trained(tmp_path / 'text.ctf', [200], tmp_path / 'a')
    again = trained(
        tmp_path / 'text.ctf', [60, 84, 200], tmp_path / 'b'
    )  # stopped in the middle of sequences
    assert all(np.array_equal(p, q) for p, q in zip(whole, again))


def test_tests_between_minibatches_disturb_nothing():
    x = C.sequence.input_variable(1)
    z = accumulator(x * C.parameter((1,), init=1.0))
    loss = C.reduce_sum(z)
    trainer = C.Trainer(z, (loss, loss), [C.sgd(z.parameters, C.learning_parameter_schedule(0))])

    def train(numbers, begins, **arguments):
        _, outputs = trainer.train_minibatch({x: ([column(numbers)], [begins])}, outputs=[z.output])
        return outputs[z.output][0].ravel().tolist()

    assert train([1, 2], True) == [1, 3]
    assert trainer.test_minibatch({x: ([column([100])], [True])}) == 100
    z.eval({x: ([column([1000])], [True])})
    assert train([1], False) == [4]
    assert trainer.test_minibatch({x: ([column([1])], [False])}) == 101  # a test goes on with the last test
    trainer.train_minibatch({x: ([column([1])], [False])})
    assert trainer.previous_minibatch_loss_average == 5  # whatever outputs are asked for
    assert train([1], False) == [6]


def test_markers_for_inputs_without_steps_are_errors():
    """As in CNTK 2.7: of any input that gets them."""
    x, s, y = C.input_variable(1), C.sequence.input_variable(1), C.input_variable(1)
    z = C.times(x, C.parameter((1, 1), init=1))
    loss = C.squared_error(z, y)
    trainer = C.Trainer(z, loss, C.sgd(z.parameters, 0.1))
    data = np.ones((2, 1), np.float32)
    both, mixed = {x: data, y: data}, {x: data, s: [data, data]}
    steps = x + C.sequence.past_value(s, 0)
    for run, at in (
        (trainer.train_minibatch, both),
        (trainer.test_minibatch, both),
        (loss.eval, both),
        (loss.forward, both),
        (z.eval, data),
        (steps.eval, mixed),
    ):
        with pytest.raises(ValueError, match='does not contain a sequence axis'):
            run((at, [True, False]))
    assert len(steps.eval({x: data, s: ([data, data], [True, True])})) == 2
