"""What a training step takes is reported, and nothing grows however often something runs."""

import gc
import os

import numpy as np
import pytest
import scipy.sparse

import cantik as C
from cantik import _cantik

FLAT = 1 << 20  # eleven bytes a step would be more


def resident():
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def network(is_sparse=False):
    x, y = C.input_variable(4), C.input_variable(3, is_sparse=is_sparse)
    z = C.layers.Dense(3)(x)
    return x, y, z, C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)


@pytest.mark.alone  # the peak is the process's, and threads that earlier tests left behind would change it
def test_a_training_step_is_reported():
    C.cntk_py.set_max_num_cputhreads(1)  # a thread that comes late begins its memory in a later step
    x, y = C.input_variable(200), C.input_variable(100)
    z = C.layers.Dense(100)(x)
    trainer = C.Trainer(z, C.squared_error(z, y), [C.sgd(z.parameters, 0.01)])
    feeds = {x: np.ones((10, 200), np.float32), y: np.ones((10, 100), np.float32)}
    for _ in range(3):  # until what is kept from step to step is there
        trainer.train_minibatch(feeds)
    peaks = []
    for _ in range(2):
        with C.profile() as p:
            trainer.train_minibatch(feeds)
        peaks.append(p.memory)
    assert peaks[0] == peaks[1]
    assert peaks[1] >= 2 * 4 * 200 * 100
    assert str(p).splitlines()[-2] == f'memory at its peak: {p.memory / 1e6:.3f} MB'


@pytest.mark.alone
def test_training_is_flat_over_a_hundred_thousand_steps():
    x, y, z, loss, metric = network()
    trainer = C.Trainer(z, (loss, metric), [C.adam(z.parameters, 0.001, 0.9)])
    X = np.random.RandomState(0).rand(16, 4).astype(np.float32)
    Y = np.eye(3, dtype=np.float32)[np.arange(16) % 3]

    def steps(count):
        for i in range(count):
            trainer.train_minibatch({x: X[: 1 + i % 16], y: Y[: 1 + i % 16]})

    steps(10000)
    early, held = resident(), C._cantik.memory_in_use()
    steps(90000)
    assert resident() - early < FLAT
    assert C._cantik.memory_in_use() == held


@pytest.mark.alone
def test_one_training_call_is_flat():
    _x, _y, z, loss, _ = network(is_sparse=True)
    X = np.random.RandomState(0).rand(32000, 4).astype(np.float32)
    Y = scipy.sparse.csr_matrix(
        (np.ones(32000, np.float32), (np.arange(32000), np.arange(32000) % 3)), shape=(32000, 3)
    )

    def sweeps(count):
        loss.train((X, Y), parameter_learners=[C.sgd(z.parameters, 0.01)], minibatch_size=4, max_epochs=count)

    sweeps(1)
    early = resident()
    sweeps(10)  # 80,000 steps
    assert resident() - early < FLAT


@pytest.mark.alone
def test_evaluation_and_gradients_in_batches_of_all_sizes():
    x, y, z, loss, _ = network()
    X = np.random.RandomState(0).rand(200, 4).astype(np.float32)
    Y = np.eye(3, dtype=np.float32)[np.arange(200) % 3]

    def evaluate(count):
        for i in range(count):
            rows = 1 + i * 37 % 200
            assert z.eval({x: X[:rows]}).shape == (rows, 3)
            assert z(X[:rows]).shape == (rows, 3)
            assert len(loss.grad({x: X[:rows], y: Y[:rows]}, wrt=z.parameters)) == 2
            state, _ = z.forward({x: X[:rows]}, [z.output], {z.output})
            assert len(z.backward(state, {z.output: np.ones((rows, 3), np.float32)}, {z.parameters[0]})) == 1

    evaluate(1000)
    early, held = resident(), C._cantik.memory_in_use()
    evaluate(5000)
    assert resident() - early < FLAT
    assert C._cantik.memory_in_use() == held


@pytest.mark.alone
def test_functions_leave_nothing_behind():
    def build(count):
        for _i in range(count):
            x, y, z, loss, _ = network()
            loss.grad({x: np.ones((2, 4), np.float32), y: np.ones((2, 3), np.float32)}, wrt=z.parameters)
            z.clone('clone').eval(np.ones((1, 4), np.float32))

    build(200)
    early, held = resident(), C._cantik.memory_in_use()
    build(600)
    assert resident() - early < FLAT
    assert C._cantik.memory_in_use() == held


def test_programs_for_many_lengths_share_their_memory():
    """The steps as a static axis: a program for each longest length. They take turns with one block of
    memory."""
    x = C.sequence.input_variable(256)
    steps = C.sequence.unpack(C.exp(x), 0, no_mask_output=True)
    f = C.reduce_max(C.softmax(steps, axis=0) * steps, axis=C.Axis.all_static_axes())

    def peak(lengths):
        with C.profile() as p:
            for n in lengths:
                assert f.eval({x: [np.ones((n, 256), np.float32)] * 64}).shape[0] == 64
        return p.memory

    longest = peak([60])
    assert peak(range(30, 60)) < 2.5 * longest


@pytest.fixture
def small_budget():
    """Of what is kept from run to run: a megabyte."""
    _, budget, _ = _cantik.cache_use()
    _cantik.set_cache_budget(1 << 20)
    yield 1 << 20
    _cantik.set_cache_budget(budget)


@pytest.mark.alone
def test_ten_thousand_lengths_keep_memory_flat(small_budget):
    """Each makes a program of its own; those used longest ago go."""
    x = C.sequence.input_variable(2)
    f = C.reduce_sum(C.sequence.unpack(C.tanh(x), 0, no_mask_output=True))
    data = np.zeros((10001, 2), np.float32)
    f.eval({x: [data]})  # the longest has its memory
    before, dropped = None, _cantik.cache_use()[2]
    for length in range(1, 10001):
        f.eval({x: [data[:length]]})
        if length == 2000:
            before = resident()
    assert resident() < before + 8 * FLAT
    assert _cantik.cache_use()[2] > dropped + 9000


@pytest.mark.alone
def test_ten_thousand_graphs_keep_memory_flat(small_budget):
    """Made and dropped, none of a structure that was there before."""
    before = None
    plans = _cantik.plans_compiled()
    for size in range(1, 10001):
        x = C.input_variable(size)
        C.tanh(x * x).eval({x: np.zeros((1, size), np.float32)})
        if size == 3000:
            gc.collect()
            before = resident()
    gc.collect()
    assert _cantik.plans_compiled() == plans + 10000
    assert resident() < before + 8 * FLAT


def test_what_is_kept_is_reported():
    x = C.input_variable(3)
    f = C.tanh(x)
    data = np.zeros((2, 3), np.float32)
    f.eval({x: data})
    with C.profile() as p:
        f.eval({x: data})
    kept, budget, _ = _cantik.cache_use()
    assert (p.kept, p.budget) == (kept, budget)
    assert f'kept for further runs: {kept / 1e6:.3f} MB of {budget / 1e6:.0f} MB' in str(p)


def gradients_of_pictures(body):
    """Steps of a training in which every picture has another size."""
    free = C.FreeDimension
    x = C.input_variable((4, free, free))
    loss = C.reduce_sum(C.square(body(x * C.parameter((4, 1, 1), init=1.0))))
    trainer = C.Trainer(loss, loss, C.sgd(loss.parameters, 1e-9))
    return lambda height, width: trainer.train_minibatch({x: np.zeros((1, 4, height, width), np.float32)})


L = C.layers
NETWORKS_OF_PICTURES = {
    'average': lambda: L.GlobalAveragePooling(),
    'max': lambda: L.GlobalMaxPooling(),
    'windows': lambda: L.MaxPooling((3, 3), 2, pad=True),
    'normalized': lambda: L.Sequential([L.Convolution((1, 1), 8), L.BatchNormalization(map_rank=1)]),
    'mean': lambda: lambda x: C.reduce_mean(x, axis=(1, 2)),
    'mixed': lambda: L.Sequential(
        [
            L.Convolution((3, 3), 4, pad=True, activation=C.relu),
            L.BatchNormalization(map_rank=1),
            L.AveragePooling((2, 2), 2),
            L.GlobalAveragePooling(),
        ]
    ),
}


@pytest.mark.alone
@pytest.mark.parametrize('name', list(NETWORKS_OF_PICTURES))
def test_tables_of_kernels_are_no_larger_than_pictures(name):
    """A program for each size is kept; one for pictures of 60000 pixels had tables of 20 MB."""
    step = gradients_of_pictures(NETWORKS_OF_PICTURES[name]())
    step(200, 300)
    kept = _cantik.cache_use()[0]
    for i in range(10):
        step(199 - i, 300)
    assert _cantik.cache_use()[0] - kept < 10 * (3 << 20)


@pytest.mark.alone
@pytest.mark.parametrize('name', ['max', 'normalized', 'mixed'])
def test_three_hundred_sizes_of_pictures_keep_memory_flat(name, small_budget):
    """Programs that were made longest ago go, with their tables, whatever frames hold them."""
    step = gradients_of_pictures(NETWORKS_OF_PICTURES[name]())
    sizes = [(160 - i % 20, 160 - i // 20) for i in range(300)]
    for size in sizes[:60]:
        step(*size)
    gc.collect()
    early, dropped = resident(), _cantik.cache_use()[2]
    for size in sizes[60:]:
        step(*size)
    assert resident() < early + 24 * FLAT
    assert _cantik.cache_use()[2] > dropped + 200
    assert _cantik.cache_use()[0] < 32 * FLAT
