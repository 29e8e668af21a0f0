"""Sessions: models fed step by step give the bits of whole sequences; streams come and go by themselves."""

import threading

import numpy as np
import pytest

import cantik as C

RS = np.random.RandomState


def own_cell(x, n=6):
    """A cell that nobody has seen, with two delays."""
    w, r = C.parameter((x.shape[0], n), init=C.glorot_uniform()), C.parameter((n, n), init=C.glorot_uniform())
    state = C.placeholder(shape=(n,))
    before, long_before = C.sequence.past_value(state, 0.25), C.sequence.past_value(state, time_step=3)
    f = C.sigmoid(C.times(x, w) + C.times(before, r))
    new = f * before + (1 - f) * C.tanh(C.times(x, w) + long_before)
    return new.replace_placeholders({state: new.output})


MODELS = {
    'lstm': lambda x: C.layers.Recurrence(C.layers.LSTM(6))(x),
    'gru': lambda x: C.layers.Recurrence(C.layers.GRU(6), initial_state=0.1)(x),
    'own_cell': own_cell,
    'layers': lambda x: C.layers.Sequential(
        [
            C.layers.Recurrence(C.layers.LSTM(5, enable_self_stabilization=True)),
            C.layers.Dense(4, activation=C.relu),
            C.layers.LayerNormalization(),
            C.layers.Dropout(0.5),
            C.layers.Delay(2),
            C.layers.Recurrence(C.layers.GRU(6)),
            C.layers.Dense(3),
            C.softmax,
        ]
    )(x),
    'no recurrence': lambda x: C.layers.Dense(3)(x),
}


def model(name, dim=3):
    x = C.sequence.input_variable(dim, name='x')
    return x, C.as_composite(MODELS[name](x))


def sequences(lengths, dim=3, seed=0):
    rs = RS(seed)
    return [rs.randn(n, dim).astype(np.float32) for n in lengths]


@pytest.mark.parametrize('name', MODELS)
def test_steps_make_the_whole(name):
    x, z = model(name)
    (data,) = sequences([23])
    whole = z.eval({x: [data]})[0]
    s = z.session()
    assert np.array_equal([s.step(row) for row in data], whole)
    s.reset()
    assert np.array_equal([s.step(row[None])[0] for row in data], whole)
    for cuts in ([5, 5, 13], [1, 21, 1], [0, 23], [20, 0, 3]):
        s.reset()
        assert np.array_equal(
            np.concatenate([s(part) for part in np.split(data, np.cumsum(cuts)[:-1])]), whole
        )


@pytest.mark.parametrize('name', MODELS)
def test_streams_come_and_go(name):
    x, z = model(name)
    rs, s = RS(4), z.session(streams=4)
    waiting, at, made = sequences(rs.randint(1, 12, 12)), [0] * 4, [[] for _ in range(4)]
    current = [waiting.pop() for _ in range(4)]
    checked = 0
    while any(c is not None for c in current):
        live = [i for i in range(4) if current[i] is not None]
        fed = sorted(
            rs.choice(live, rs.randint(1, len(live) + 1), replace=False).tolist(), key=lambda i: rs.rand()
        )
        if rs.rand() < 0.5:
            results = s.step(np.stack([current[i][at[i]] for i in fed]), streams=fed)[:, None]
            counts = [1] * len(fed)
        else:
            counts = [min(rs.randint(0, 4), len(current[i]) - at[i]) for i in fed]
            results = s(
                [current[i][at[i] : at[i] + n] if n else None for i, n in zip(fed, counts)], streams=fed
            )
        for i, n, r in zip(fed, counts, results):
            made[i].append(r)
            at[i] += n
            if at[i] == len(current[i]):
                assert np.array_equal(np.concatenate(made[i]), z.eval({x: [current[i]]})[0])
                checked += 1
                current[i], at[i], made[i] = (waiting.pop() if waiting else None), 0, []
                s.reset(i)
    assert checked == 12


def test_forms_of_data():
    x, z = model('gru')
    data = sequences([4, 4])
    whole = z.eval({x: data})
    s = z.session(streams=2)
    assert len(s) == s.streams == 2
    stacked = s(np.stack(data))
    assert stacked.shape == (2, 4, 6) and np.array_equal(stacked, whole)
    s.reset()
    first = s({x: [data[0][:3], None]})
    assert [r.shape for r in first] == [(3, 6), (0, 6)]
    rest = s({'x': [data[0][3:], data[1]]})
    assert np.array_equal(np.concatenate([first[0], rest[0]]), whole[0]) and np.array_equal(rest[1], whole[1])
    one = z.session()
    assert (
        one.step(data[0][0]).shape == (6,)
        and one.step(data[0][:1]).shape == (1, 6)
        and one(data[0][1:3]).shape == (2, 6)
    )
    assert one.step(data[0][0].astype(np.float64).tolist()).dtype == np.float32


def test_several_inputs_and_outputs():
    x, speaker = C.sequence.input_variable(3, name='x'), C.input_variable(2, name='speaker')
    h = C.layers.Recurrence(C.layers.GRU(4))(C.splice(x, C.sequence.broadcast_as(speaker, x)))
    z = C.combine([h, C.softmax(h)])
    data, who = sequences([5, 3]), RS(0).randn(2, 2).astype(np.float32)
    whole = z.eval({x: data, speaker: who})
    s = z.session(streams=2)
    parts = [s({x: [d[at : at + 2] for d in data], speaker: who}) for at in (0, 2, 4)]
    for output in z.outputs:
        for i in range(2):
            assert np.array_equal(np.concatenate([p[output][i] for p in parts]), whole[output][i])
    only = z.session(outputs=[h.output])
    assert only.step({x: data[0][0], speaker: who[0]}).shape == (4,)


def test_sparse_and_symbols():
    x = C.sequence.input_variable(5, is_sparse=True)
    z = C.layers.Sequential([C.layers.Embedding(4), C.layers.Recurrence(C.layers.LSTM(3))])(x)
    symbols = [1, 4, 0, 2]
    whole = z.eval({x: C.Value.one_hot([symbols], 5)})[0]
    s = z.session()
    assert np.array_equal(np.concatenate([s(C.Value.one_hot([[i]], 5))[0] for i in symbols]), whole)
    s.reset()
    assert np.array_equal(
        [s.step(np.eye(5, dtype=np.float32)[i]) for i in symbols[:0]]
        + [s.step(C.Value.one_hot([[i]], 5))[0] for i in symbols],
        whole,
    )


def test_a_search_forks():
    x, z = model('lstm')
    prefix, a, b = sequences([4, 3, 2])
    s = z.session()
    s(prefix)
    other = s.copy()
    s.select([0, 0, None])
    assert len(s) == 3
    s([a, b, b])
    s.select([1, 2])
    (tail,) = sequences([1], seed=9)
    found = s.step(np.concatenate([tail, tail]))
    for row, whole in zip(found, ([prefix, b, tail], [b, tail])):
        assert np.array_equal(row, z.eval({x: [np.concatenate(whole)]})[0][-1])
    assert np.array_equal(
        other(a), z.eval({x: [np.concatenate([prefix, a])]})[0][4:]
    )  # the copy has stayed where it was


def test_a_copy_and_its_original_go_separate_ways():
    x, z = model('own_cell')
    data = sequences([6, 6])
    s = z.session(streams=2)
    s([d[:3] for d in data])
    other = s.copy()
    other.step(data[0][3:4], streams=0)
    s.step(data[1][3:4], streams=[1])
    other([d[n:] for d, n in zip(data, (4, 3))])
    result = s([d[n:] for d, n in zip(data, (3, 4))])
    whole = z.eval({x: data})
    assert np.array_equal(result[0], whole[0][3:]) and np.array_equal(result[1], whole[1][4:])


@pytest.mark.parametrize(
    'make, message',
    [
        (lambda x: C.sequence.future_value(x), 'cannot look ahead'),
        (lambda x: C.layers.Recurrence(C.layers.GRU(4), go_backwards=True)(x), 'cannot look ahead'),
        (lambda x: C.sequence.is_last(x), 'cannot look ahead'),
        (lambda x: C.sequence.last(x), 'cannot look at whole sequences'),
        (lambda x: C.sequence.first(x), 'cannot look at whole sequences'),
        (lambda x: C.sequence.reduce_sum(x), 'cannot look at whole sequences'),
        (lambda x: C.sequence.softmax(x), 'cannot look at whole sequences'),
        (lambda x: C.layers.Fold(C.layers.GRU(4))(x), 'cannot look at whole sequences'),
        (lambda x: C.sequence.gather(x, C.sequence.is_first(x)), 'cannot look at whole sequences'),
        (lambda x: C.reduce_sum(x, axis=C.Axis.all_axes()), 'cannot look at whole sequences'),
    ],
)
def test_models_that_are_refused(make, message):
    z = C.as_composite(make(C.sequence.input_variable(3)))
    with pytest.raises(ValueError, match=message) as e:
        z.session()
    assert 'node' in str(e.value) and 'test_sessions.py' in str(e.value) and 'remedy' in str(e.value)


def test_wrong_use():
    x, z = model('gru')
    with pytest.raises(ValueError, match='a session needs at least 1 stream, and was given 0'):
        z.session(streams=0)
    with pytest.raises(ValueError, match='no input with a sequence axis'):
        C.layers.Dense(2)(C.input_variable(3)).session()
    s, data = z.session(streams=2), sequences([2, 2])
    whole = z.eval({x: data})
    s([d[:1] for d in data])
    for wrong, message in (
        (lambda: s.step(np.ones((3, 3))), 'the data have 3 sequences for 2 streams'),
        (lambda: s.step(np.ones(3)), 'the data have 1 sequence for 2 streams'),
        (lambda: s.step(np.ones((2, 4))), 'a step of .* for each stream, but the data have the shape'),
        (lambda: s(np.ones(3)), 'one step is for step'),
        (lambda: s.step(np.ones((1, 3)), streams=2), 'there is no stream 2 to feed'),
        (lambda: s.step(np.ones((2, 3)), streams=[1, 1]), 'fed twice'),
        (lambda: s.step(np.ones((0, 3)), streams=[]), 'the list of streams is empty'),
        (lambda: s.reset(5), 'there is no stream 5'),
        (lambda: s.select([7]), 'there is no stream 7'),
        (lambda: s.select([]), 'a session needs at least 1 stream, and 0 were selected'),
        (lambda: s.select([-1]), 'None for a stream that begins'),
        (lambda: s({'y': 1}), 'variable with name "y" does not exist.*: x'),
        (lambda: s({}), 'function expects 1 arguments(.|\n)*give data for x'),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
    assert np.array_equal(
        s(np.stack([d[1:] for d in data]))[:, 0], [w[1] for w in whole]
    )  # what failed has changed nothing


def test_sessions_of_several_threads():
    x, z = model('lstm')
    data = sequences([40] * 4)
    whole, found = z.eval({x: data}), [None] * 4

    def follow(i):
        s = z.session()
        found[i] = np.array([s.step(row) for row in data[i]])

    threads = [threading.Thread(target=follow, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert np.array_equal(found, whole)


def test_parameters_may_change_meanwhile():
    _x, z = model('gru')
    s, data = z.session(), sequences([1])[0]
    before = s.step(data[0])
    for p in z.parameters:
        p.value = p.value * 2 + 0.1
    s.reset()
    assert not np.array_equal(s.step(data[0]), before)


def test_a_checkpoint_of_a_session_read_by_a_trainer(tmp_path):
    """It gives the state of the source, as CNTK's does, and nothing that the session keeps for itself."""
    x, y = C.input_variable(2), C.input_variable(1)
    z = C.layers.Dense(1)(x)
    loss = C.squared_error(z, y)
    data = dict(x=np.ones((8, 2), np.float32), y=np.ones((8, 1), np.float32))
    source = C.io.MinibatchSourceFromData(data, max_samples=16)
    path = str(tmp_path / 'model')
    C.training_session(
        C.Trainer(z, (loss, None), [C.sgd(z.parameters, 0.1)]),
        source,
        4,
        {x: source.streams.x, y: source.streams.y},
        max_samples=16,
        checkpoint_config=C.CheckpointConfig(path, frequency=8),
    ).train()
    other = C.Trainer(z, (loss, None), [C.sgd(z.parameters, 0.1)])
    assert list(other.restore_from_checkpoint(path)) == ['TrainingMinibatchSource']
