"""What sequences promise: their values do not depend on the batch they came in, nor on threads; a new length
costs nothing; nothing grows."""

import numpy as np
import pytest

import cantik as C
from cantik._cantik import plans_compiled, programs_made
from test_memory import FLAT, resident
from test_sessions import own_cell


def both_ways(x):
    forward, backward = (
        C.layers.Recurrence(C.layers.LSTM(5)),
        C.layers.Recurrence(C.layers.GRU(6), go_backwards=True),
    )
    return C.splice(forward(x), backward(x))


MODELS = {
    'lstm': lambda x: C.layers.Recurrence(C.layers.LSTM(19, use_peepholes=True))(x),
    'gru': lambda x: C.layers.Recurrence(C.layers.GRU(33))(x),
    'own cell': lambda x: own_cell(x, 21),
    'several layers': lambda x: C.layers.Sequential(
        [
            C.layers.Recurrence(C.layers.LSTM(16)),
            C.layers.Dense(9, activation=C.tanh),
            C.layers.Recurrence(C.layers.GRU(24)),
            C.layers.Dense(4),
        ]
    )(x),
    'both ways': both_ways,
    'attention': lambda x: (
        C.sequence.softmax(C.layers.Dense(1)(x)) * C.layers.Recurrence(C.layers.RNNStep(7))(x)
    ),
}


@pytest.fixture
def threads():
    yield C.cntk_py.set_max_num_cputhreads
    C.cntk_py.set_max_num_cputhreads(0)


@pytest.mark.parametrize('name', MODELS)
def test_values_do_not_depend_on_the_batch(name, threads):
    rs = np.random.RandomState(len(name))
    x = C.sequence.input_variable(11)
    z = C.as_composite(MODELS[name](x))
    pool = [
        rs.randn(n, 11).astype(np.float32) for n in np.r_[1, 2, 40, np.minimum(rs.geometric(1 / 12, 37), 40)]
    ]
    threads(1)
    alone = [z.eval({x: [d]})[0] for d in pool]
    for count in range(100):
        threads(1 + count % 4)
        chosen = rs.randint(0, len(pool), rs.randint(1, 33))
        for i, found in zip(chosen, z.eval({x: [pool[i] for i in chosen]})):
            assert np.array_equal(found, alone[i])
    if name in ('both ways', 'attention'):
        return
    session = z.session()
    for data, whole in zip(pool, alone):
        session.reset()
        assert np.array_equal([session.step(row) for row in data], whole)
    session = z.session(streams=len(pool))  # and as streams side by side
    made = [[] for _ in pool]
    for t in range(40):
        live = [i for i, d in enumerate(pool) if len(d) > t]
        for i, row in zip(live, session.step(np.stack([pool[i][t] for i in live]), streams=live)):
            made[i].append(row)
    assert all(np.array_equal(m, whole) for m, whole in zip(made, alone))


@pytest.mark.parametrize('name', ['lstm', 'several layers', 'both ways'])
def test_gradients_do_not_depend_on_threads(name, threads):
    rs = np.random.RandomState(3)
    x = C.sequence.input_variable(11)
    z = C.as_composite(MODELS[name](x))
    data = [rs.randn(n, 11).astype(np.float32) for n in np.minimum(rs.geometric(1 / 30, 64), 100)]
    found = []
    for count in range(1, 5):
        threads(count)
        found.append(z.grad({x: data}, wrt=z.parameters))
    for other in found[1:]:
        assert all(np.array_equal(found[0][p], other[p]) for p in z.parameters)


def training(hidden=8, batch=4):
    x, y = C.sequence.input_variable(5), C.input_variable(3)
    z = C.layers.Dense(3)(C.sequence.last(both_ways(x)))
    trainer = C.Trainer(z, C.cross_entropy_with_softmax(z, y), [C.adam(z.parameters, 0.001, 0.9)])
    rs = np.random.RandomState(0)
    numbers, labels = rs.randn(50, 5).astype(np.float32), np.eye(3, dtype=np.float32)[rs.randint(0, 3, batch)]

    def step(lengths):
        trainer.train_minibatch({x: [numbers[:n] for n in lengths], y: labels[: len(lengths)]})

    return step


def test_new_lengths_compile_nothing():
    step, rs = training(), np.random.RandomState(1)
    step([3, 1])
    before = plans_compiled(), programs_made()
    for _ in range(200):
        step(rs.randint(1, 50, rs.randint(1, 5)))
    assert (plans_compiled(), programs_made()) == before
    C.sequence.input_variable(4)
    training()([2])
    assert plans_compiled() == before[0]  # the same structure once more
    C.layers.Recurrence(C.layers.LSTM(6))(x := C.sequence.input_variable(2)).eval(
        {x: [np.ones((1, 2), np.float32)]}
    )
    assert plans_compiled() == before[0] + 1 and programs_made() == before[1] + 1  # the counters do count


def test_memory_is_flat_over_ten_thousand_steps_of_ever_changing_lengths():
    step, rs = training(), np.random.RandomState(2)
    step([50] * 4)
    for _ in range(1000):
        step(rs.randint(1, 51, rs.randint(1, 5)))
    before = resident()
    for _ in range(10000):
        step(rs.randint(1, 51, rs.randint(1, 5)))
    assert resident() - before < FLAT


def test_memory_of_a_session_is_flat():
    x = C.sequence.input_variable(4)
    session = C.layers.Recurrence(C.layers.GRU(8))(x).session(streams=3)
    row = np.ones((3, 4), np.float32)
    for _ in range(1000):
        session.step(row)
    before = resident()
    for i in range(10000):
        session.step(row[: 1 + i % 3], streams=list(range(1 + i % 3)))
        if i % 100 == 0:
            session.select([2, 0, 1])
            session = session.copy()
    assert resident() - before < FLAT
