"""Sources of the user's own in every loop: what they are asked for, checkpoints, reading ahead on another
thread, errors."""

import threading
import time
import traceback

import numpy as np
import pytest
import scipy.sparse

import cantik as C
from cantik.io import MinibatchData, StreamInformation, UserMinibatchSource


class Rows(UserMinibatchSource):
    """Rows of a random array in their order, sweep after sweep."""

    def __init__(self, rows=40, infinite=True):
        rs = np.random.RandomState(0)
        self.data = rs.randn(rows, 3).astype(np.float32)
        self.x, self.y = (
            StreamInformation('x', 0, 'dense', np.float32, (3,)),
            StreamInformation('y', 1, 'dense', np.float32, (1,)),
        )
        self.at, self.infinite, self.asked, self.threads = 0, infinite, [], set()
        super().__init__()

    def stream_infos(self):
        return [self.x, self.y]

    def next_minibatch(self, num_samples, number_of_workers=1, worker_rank=0, device=None):
        self.asked.append((num_samples, number_of_workers, worker_rank, device))
        self.threads.add(threading.current_thread())
        if self.at >= len(self.data) and not self.infinite:
            return {}
        begin = self.at % len(self.data)
        part = self.data[begin : begin + num_samples]
        self.at += len(part)
        end = begin + len(part) == len(self.data)
        part = part[worker_rank::number_of_workers]
        target = part.sum(1, keepdims=True)
        return {
            self.x: MinibatchData(C.Value(part), len(part), len(part), end),
            self.y: MinibatchData(C.Value(target), len(part), len(part), end),
        }

    def get_checkpoint_state(self):
        return {'at': self.at}

    def restore_from_checkpoint(self, state):
        self.at = state['at']


class Ahead(Rows):
    read_ahead = True


def network(**rate):
    C.cntk_py.reset_random_seed(1)
    x, y = C.input_variable(3), C.input_variable(1)
    z = C.layers.Dense(1)(x)
    learner = C.momentum_sgd(z.parameters, C.learning_parameter_schedule(0.05), C.momentum_schedule(0.9))
    return x, y, z, C.squared_error(z, y), learner


def weights(z):
    return np.concatenate([p.value.ravel() for p in z.parameters])


def by_hand(samples, size=8, source=None):
    x, y, z, loss, learner = network()
    trainer, source = C.Trainer(z, loss, [learner]), source or Rows()
    while trainer.total_number_of_samples_seen < samples:
        batch = source.next_minibatch(min(size, samples - trainer.total_number_of_samples_seen))
        trainer.train_minibatch({x: batch[source.x], y: batch[source.y]})
    return weights(z)


@pytest.mark.parametrize('make', [Rows, Ahead])
def test_the_same_training_in_every_loop(make):
    reference = by_hand(100)
    source = make()
    x, y, z, loss, learner = network()
    C.training_session(
        C.Trainer(z, loss, [learner]), source, 8, {x: source.x, y: source.y}, max_samples=100
    ).train()
    np.testing.assert_array_equal(weights(z), reference)
    assert source.at == 100
    source = make()
    x, y, z, loss, learner = network()
    loss.train(
        source,
        minibatch_size=8,
        parameter_learners=[learner],
        model_inputs_to_streams={x: source.x, y: source.y},
        max_samples=100,
    )
    np.testing.assert_array_equal(weights(z), reference)
    source = make()
    x, y, z, loss, learner = network()
    C.Function.train(
        loss,
        source,
        minibatch_size=8,
        parameter_learners=[learner],
        streams=(source.x, source.y),
        max_samples=100,
    )  # by the order of the inputs
    np.testing.assert_array_equal(weights(z), reference)
    with C.io.ReadAhead(make()) as ahead:
        np.testing.assert_array_equal(by_hand(100, source=ahead), reference)


def test_what_a_source_is_asked_for():
    source = Rows()
    x, y, z, loss, learner = network()
    C.training_session(
        C.Trainer(z, loss, [learner]),
        source,
        C.minibatch_size_schedule([16, 8], 32),
        {x: source.x, y: source.y},
        max_samples=50,
    ).train()
    assert [n for n, *_ in source.asked] == [16, 16, 8, 8, 2]
    assert all(rest == [1, 0, C.cpu()] for _, *rest in source.asked)


def test_reading_ahead_asks_for_the_same_on_another_thread():
    source = Ahead()
    x, y, z, loss, learner = network()
    C.training_session(
        C.Trainer(z, loss, [learner]),
        source,
        C.minibatch_size_schedule([16, 8], 32),
        {x: source.x, y: source.y},
        max_samples=50,
    ).train()
    assert [n for n, *_ in source.asked] == [16, 16, 8, 8, 2]
    assert source.threads and threading.current_thread() not in source.threads
    assert not any(t.name.startswith('cantik-read-ahead') and t.is_alive() for t in threading.enumerate())


def test_a_source_works_while_the_network_trains():
    begun, overlaps = [], []

    class Slow(Ahead):
        def next_minibatch(self, *request):
            begun.append(time.perf_counter())
            return super().next_minibatch(*request)

    class Watching(C.learners.UserLearner):
        def update(self, gradient_values, training_sample_count, sweep_end):
            deadline, n = time.perf_counter() + 5, len(begun)
            while (
                len(begun) == n
                and self.total_number_of_samples_seen() < 24
                and time.perf_counter() < deadline
                and len(begun) * 8 <= self.total_number_of_samples_seen() + 8
            ):
                time.sleep(0.001)
            overlaps.append(len(begun) * 8 > self.total_number_of_samples_seen() + 8)
            return True

    source = Slow()
    x, y, z, loss, _ = network()
    C.training_session(
        C.Trainer(z, loss, [Watching(z.parameters, 0.1)]),
        source,
        8,
        {x: source.x, y: source.y},
        max_samples=32,
    ).train()
    assert overlaps == [
        True,
        True,
        True,
        False,
    ]  # the next minibatch was under way before the update; behind the last there is none


@pytest.mark.parametrize('make', [Rows, Ahead])
def test_checkpoints_resume_exactly(make, tmp_path):
    def session(samples):
        source = make()
        x, y, z, loss, learner = network()
        C.training_session(
            C.Trainer(z, loss, [learner]),
            source,
            8,
            {x: source.x, y: source.y},
            max_samples=samples,
            checkpoint_config=C.CheckpointConfig(str(tmp_path / 'm'), frequency=24),
        ).train()
        return weights(z)

    session(50)
    resumed = session(100)
    x, y, z, loss, learner = network()
    trainer, source = C.Trainer(z, loss, [learner]), Rows()
    for end in (50, 100):  # where the first session ends it asks for less
        while trainer.total_number_of_samples_seen < end:
            batch = source.next_minibatch(min(8, end - trainer.total_number_of_samples_seen))
            trainer.train_minibatch({x: batch[source.x], y: batch[source.y]})
    assert trainer.total_number_of_samples_seen == 100
    np.testing.assert_array_equal(weights(z), resumed)


def test_a_session_that_is_ended_gives_back_what_was_read_ahead():
    source = Ahead()
    x, y, z, loss, learner = network()
    stop = C.CrossValidationConfig(frequency=16, callback=lambda *a: False)
    C.training_session(
        C.Trainer(z, loss, [learner]), source, 8, {x: source.x, y: source.y}, max_samples=80, cv_config=stop
    ).train()
    assert source.at == 16


def test_cross_validation_and_a_test_leave_a_source_where_it_was():
    source, valid, final, seen = Rows(), Ahead(infinite=False), Ahead(16, infinite=False), []
    x, y, z, loss, learner = network()
    streams = {x: source.x, y: source.y}
    C.training_session(
        C.Trainer(z, (loss, loss), [learner]),
        source,
        8,
        streams,
        max_samples=40,
        test_config=C.TestConfig(final, 8),
        cv_config=C.CrossValidationConfig(
            valid, frequency=20, minibatch_size=8, callback=lambda *a: seen.append(a[2:])
        ),
    ).train()
    assert seen == [(40, 5)] * len(seen) and len(seen) == 2 and valid.at == 0 and final.at == 0
    assert loss.test(Ahead(16, infinite=False), 8, model_inputs_to_streams=streams)['samples'] == 16


def test_a_test_goes_to_the_end_of_its_source(tmp_path):
    """As in CNTK: over as many sweeps as there are; of arrays without an end it takes one."""
    draw = np.random.RandomState(0)
    data = dict(x=draw.randn(20, 3).astype(np.float32), y=draw.randn(20, 1).astype(np.float32))
    path = tmp_path / 'rows.ctf'
    rows = zip(*(data[name].tolist() for name in 'xy'))
    path.write_text(''.join('|x {} {} {} |y {}\n'.format(*x, *y) for x, y in rows))

    def file(**limit):
        streams = C.io.StreamDefs(x=C.io.StreamDef('x', 3), y=C.io.StreamDef('y', 1))
        return C.io.MinibatchSource(C.io.CTFDeserializer(str(path), streams), randomize=False, **limit)

    class Hasty(Rows):  # says with every minibatch that a sweep has ended
        def next_minibatch(self, *args):
            batch = super().next_minibatch(*args)
            return {s: MinibatchData(m.data, m.num_sequences, m.num_samples, True) for s, m in batch.items()}

    for make, tested in (
        (lambda: file(max_sweeps=2), (40, 7)),
        (lambda: file(max_samples=50), (50, 9)),
        (lambda: file(max_samples=10), (10, 2)),
        (lambda: C.io.MinibatchSourceFromData(data, max_samples=50), (50, 10)),
        (lambda: C.io.MinibatchSourceFromData(data), (20, 4)),
        (lambda: Hasty(20, infinite=False), (20, 4)),
    ):
        source, valid, seen = Rows(), make(), []
        x, y, z, loss, learner = network()
        printer = C.logging.ProgressPrinter(log_to_file=str(tmp_path / 'log'))
        C.training_session(
            C.Trainer(z, (loss, loss), [learner], [printer]),
            source,
            8,
            {x: source.x, y: source.y},
            max_samples=16,
            cv_config=C.CrossValidationConfig(
                valid,
                frequency=8,
                minibatch_size=6,
                callback=lambda *a, seen=seen: seen.append(a[2:]),
                model_inputs_to_streams={x: valid['x'], y: valid['y']},
            ),
            test_config=C.TestConfig(valid, 6, {x: valid['x'], y: valid['y']}),
        ).train()
        assert seen == [tested, tested] and not valid.is_infinite()
        last = (tmp_path / 'log').read_text().split('Finished Evaluation')[-1]
        assert f'Minibatch[1-{tested[1]}]' in last and f'* {tested[0]};' in last


def test_endless_sources_need_a_limit():
    class Endless(Rows):
        def is_infinite(self):
            return True

    source = Endless()
    x, y, z, loss, learner = network()
    streams = {x: source.x, y: source.y}
    with pytest.raises(ValueError, match='limited number of samples'):
        C.training_session(C.Trainer(z, loss, [learner]), source, 8, streams)
    with pytest.raises(ValueError, match='limited number of samples'):
        loss.test(source, 8, model_inputs_to_streams=streams)
    C.training_session(C.Trainer(z, loss, [learner]), source, 8, streams, max_samples=8).train()


class Sequences(UserMinibatchSource):
    """Sparse and dense sequences of different lengths, and one label each."""

    def __init__(self, sparse_as):
        self.infos = [
            StreamInformation('words', 0, 'sparse', np.float32, (6,)),
            StreamInformation('sound', 1, 'dense', np.float32, (2,)),
            StreamInformation('label', 2, 'dense', np.float32, (1,)),
        ]
        self.sparse_as = sparse_as
        super().__init__()

    def stream_infos(self):
        return self.infos

    def next_minibatch(self, num_samples, number_of_workers=1, worker_rank=0, device=None):
        words, sound = [[1, 5], [2], [0, 0, 3]], [np.full((n, 2), n, np.float32) for n in (2, 1, 3)]
        if self.sparse_as == 'one_hot':
            sparse = C.Value.one_hot(words, 6)
        else:
            sparse = C.Value.create(
                C.sequence.input_variable(6, is_sparse=True),
                [scipy.sparse.csr_matrix(np.eye(6, dtype=np.float32)[w]) for w in words],
            )
        data = [
            sparse,
            C.Value.create(C.sequence.input_variable(2), sound),
            C.Value(np.array([[[1]], [[2]], [[3]]], np.float32)),
        ]
        return {info: MinibatchData(value, 3, 6, True) for info, value in zip(self.infos, data)}


@pytest.mark.parametrize('sparse_as', ['one_hot', 'csr'])
def test_sparse_and_dense_sequences(sparse_as):
    words, sound, label = (
        C.sequence.input_variable(6, is_sparse=True),
        C.sequence.input_variable(2),
        C.input_variable(1),
    )
    table = C.parameter((6, 2), init=np.arange(12, dtype=np.float32).reshape(6, 2))
    z = C.sequence.reduce_sum(C.reduce_sum(C.times(words, table) + sound)) + label
    source = Sequences(sparse_as)
    tested = C.reduce_sum(z)
    streams = {words: source.streams.words, sound: source.streams.sound, label: source.streams.label}
    trainer = C.Trainer(z, tested, [C.sgd([table], C.learning_parameter_schedule_per_sample(1))])
    C.training_session(trainer, source, 6, streams, max_samples=3).train()
    counts = np.bincount([1, 5, 2, 0, 0, 3], minlength=6)
    np.testing.assert_array_equal(table.value, np.arange(12).reshape(6, 2) - counts[:, None])
    E = np.arange(12).reshape(6, 2)
    expected = sum(E[w].sum() for w in ([1, 5], [2], [0, 0, 3])) + 2 * (4 + 1 + 9) + 6
    assert trainer.previous_minibatch_loss_average == pytest.approx(expected / 3)
    assert trainer.total_number_of_units_seen(C.train.DataUnit.sweep) == 1


@pytest.mark.parametrize('make', [Rows, Ahead])
@pytest.mark.parametrize('loop', ['session', 'train', 'by hand'])
def test_errors_keep_their_traceback_and_harm_nothing(make, loop):
    class Broken(make):
        broken = True

        def next_minibatch(self, num_samples, *rest):
            if self.broken and self.at >= 16:
                raise LookupError('no such row')
            return super().next_minibatch(num_samples, *rest)

    source = Broken()
    x, y, z, loss, learner = network()
    streams, trainer = {x: source.x, y: source.y}, C.Trainer(z, loss, [learner])
    session = C.training_session(trainer, source, 8, streams, max_samples=40)
    with pytest.raises(RuntimeError if loop != 'by hand' else LookupError, match='no such row') as caught:
        if loop == 'session':
            session.train()
        elif loop == 'train':
            loss.train(
                source,
                minibatch_size=8,
                parameter_learners=[learner],
                model_inputs_to_streams=streams,
                max_samples=40,
            )
        else:
            by_hand(40, source=source)
    error = caught.value if loop == 'by hand' else caught.value.__cause__
    assert (
        type(error) is LookupError
        and 'no such row' in str(error)
        and 'in next_minibatch' in ''.join(traceback.format_tb(error.__traceback__))
    )
    if loop != 'by hand':
        assert str(caught.value) == 'Broken.next_minibatch raised LookupError: no such row'
        assert learner.total_number_of_samples_seen() == 16
    source.broken = False
    session.train()
    assert trainer.total_number_of_samples_seen == 40


def test_wrong_minibatches_are_errors():
    x, y, z, loss, learner = network()

    class Wrong(Rows):
        answer = None

        def next_minibatch(self, *request):
            return self.answer(super().next_minibatch(*request))

    source = Wrong()
    session = C.training_session(
        C.Trainer(z, loss, [learner]), source, 8, {x: source.x, y: source.y}, max_samples=8
    )
    for answer, error, text in (
        (lambda m: [1, 2], ValueError, r'Wrong.next_minibatch: it returned list[\s\S]*remedy'),
        (lambda m: {source.x: m[source.x]}, ValueError, r'no stream y'),
        (lambda m: {source.x: m[source.y], source.y: m[source.x]}, ValueError, 'do not match'),
    ):
        source.answer = answer
        with pytest.raises(error, match=text):
            session.train()
    source.answer = lambda m: {
        'x': m[source.x].data,
        'y': np.asarray(m[source.y].data),
    }  # by name, and without MinibatchData
    session.train()
    with pytest.raises(TypeError, match='a source of minibatches'):
        C.training_session(C.Trainer(z, loss, [learner]), 3, 8, {x: source.x}, max_samples=8)
    with pytest.raises(NotImplementedError, match='stream_infos'):
        UserMinibatchSource()


def test_a_session_of_ones_own(tmp_path):
    told = []

    class Session(C.train.TrainingSession):
        def on_minibatch_start(self):
            told.append('start')

        def on_minibatch_end(self):
            told.append('end')
            return self.trainer.total_number_of_samples_seen < 24

        def on_checkpoint_start(self, index):
            told.append(f'checkpoint {index}')

        def on_checkpoint_end(self, index):
            told.append('written')

        def on_cross_validation_start(self, index):
            told.append(f'validation {index}')

        def on_cross_validation_end(self, index, average_error, num_samples, num_minibatches):
            told.append(num_samples)
            return super().on_cross_validation_end(index, average_error, num_samples, num_minibatches)

    source, called = Rows(), []
    x, y, z, loss, learner = network()
    streams = {x: source.x, y: source.y}
    valid = C.CrossValidationConfig(
        Rows(16, infinite=False), frequency=16, minibatch_size=8, callback=lambda *a: called.append(a)
    )
    Session(
        C.Trainer(z, (loss, loss), [learner]),
        source,
        8,
        streams,
        80,
        None,
        C.CheckpointConfig(str(tmp_path / 'm'), 16),
        valid,
        None,
    ).train()
    assert (
        told
        == [
            'start',
            'end',
            'start',
            'end',
            'validation 0',
            16,
            'checkpoint 0',  # behind the validation: what its callback has changed is in it
            'written',
            'start',
            'end',
            'start',
            'end',
            'validation 1',
            16,
            'checkpoint 1',
            'written',
        ]
        and len(called) == 2
    )

    class Failing(Session):
        def on_minibatch_end(self):
            raise LookupError('in a hook')

    with pytest.raises(LookupError, match='in a hook'):
        Failing(C.Trainer(z, (loss, loss), [learner]), source, 8, streams, 80, None, None, None, None).train()


@pytest.mark.parametrize(
    'rows, most, size, counts',
    [  # samples, and whether a sweep ends, as CNTK 2.7 says
        (300, 100, 40, [(40, False), (40, False), (20, True)]),
        (
            50,
            120,
            20,
            [(20, False), (20, False), (10, True), (20, False), (20, False), (10, True), (20, True)],
        ),
        (50, 100, 25, [(25, False), (25, True), (25, False), (25, True)]),
        (50, 110, 60, [(50, True), (50, True), (10, True)]),
        (40, 40, 40, [(40, True)]),
    ],
)
def test_where_sweeps_of_arrays_end(rows, most, size, counts):
    source = C.io.MinibatchSourceFromData(dict(x=np.zeros((rows, 1), np.float32)), max_samples=most)
    seen = []
    for _ in counts:
        data = source.next_minibatch(size)[source.streams.x]
        seen.append((data.num_samples, data.end_of_sweep))
    assert seen == counts and source.next_minibatch(size) == {}


def test_values_and_sequences_of_open_types_as_data():
    from cantik.layers.typing import Sequence, tensor

    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    source = C.io.MinibatchSourceFromData(dict(x=C.Value(x), y=x))
    batch = source.next_minibatch(2)
    np.testing.assert_array_equal(batch[source.streams.x].data.asarray(), x[:2])
    lists = [np.array([1, 3, 2], np.float32), np.array([4, 1], np.float32)]
    sparse = [
        scipy.sparse.csr_matrix(np.eye(3, 2, dtype=np.float32)),
        scipy.sparse.csr_matrix(np.eye(2, dtype=np.float32)),
    ]
    source = C.io.MinibatchSourceFromData(dict(xx=(lists, Sequence[tensor]), yy=(sparse, Sequence[tensor])))
    batch = source.next_minibatch(5)
    assert (
        batch[source.streams.yy].data.shape == (2, 3, 2) and batch[source.streams.yy].number_of_samples == 5
    )
    np.testing.assert_array_equal(batch[source.streams.xx].data.asarray(), [[1, 3, 2], [4, 1, 0]])
    with pytest.raises(TypeError, match='several lengths'):
        C.io.MinibatchSourceFromData(dict(x=batch[source.streams.xx].data))


def test_the_sample_layout_of_a_stream_is_a_shape_of_the_core():
    info = C.io.StreamInformation('x', 0, 'dense', np.float32, (2, 3))
    layout = info.m_sample_layout
    assert isinstance(layout, C.cntk_py.NDShape)
    assert (layout.dimensions(), layout.rank(), layout.total_size()) == ((2, 3), 2, 6)
    assert info.sample_shape == (2, 3) and str(info) == 'x([2 x 3])'
    stream = C.io.MinibatchSourceFromData(dict(x=np.ones((4, 2, 3), np.float32))).streams.x
    assert stream.m_sample_layout.dimensions() == stream.sample_shape == (2, 3)


def _sizes_of(streams, max_samples, num_samples):
    """Sequences, samples and ends of sweeps, minibatch by minibatch."""
    source = C.io.MinibatchSourceFromData(streams, max_samples=max_samples)
    found = []
    while minibatch := source.next_minibatch(num_samples):
        found.append([(d.num_sequences, d.num_samples, d.end_of_sweep) for d in minibatch.values()])
    return found


class TestSequencesInMemory:
    """A source over lists of sequences counts their steps, in the stream that has most; figures of CNTK
    2.7."""

    X = (
        [np.ones((n, 2), np.float32) for n in (1, 3, 2, 4)],
        C.layers.typing.Sequence[C.layers.typing.Tensor[2]],
    )
    Y = (
        [np.ones((n, 1), np.float32) for n in (2, 1, 2, 1)],
        C.layers.typing.Sequence[C.layers.typing.Tensor[1]],
    )

    @pytest.mark.parametrize(
        'max_samples, num_samples, expected',
        [
            (4, 3, [(1, 1, False), (1, 3, True)]),
            (4, 20, [(2, 4, True)]),
            (6, 4, [(2, 4, False), (1, 2, True)]),
            (10, 7, [(3, 6, False), (1, 4, True)]),
            (11, 20, [(4, 10, True), (1, 1, True)]),
            (21, 7, [(3, 6, False), (1, 4, True), (3, 6, False), (1, 4, True), (1, 1, True)]),
        ],
    )
    def test_steps_are_counted(self, max_samples, num_samples, expected):
        assert _sizes_of({'x': self.X}, max_samples, num_samples) == [[e] for e in expected]

    def test_each_stream_by_itself(self):
        assert _sizes_of({'x': self.X, 'y': self.Y}, 7, 3) == [
            [(1, 1, False), (1, 2, False)],
            [(1, 3, False), (1, 1, False)],
            [(1, 2, True), (1, 2, True)],
        ]
        assert _sizes_of({'x': self.X, 'y': self.Y}, 4, 4) == [[(2, 4, True), (2, 3, True)]]

    def test_beside_samples(self):
        samples = np.ones((4, 2), np.float32)
        assert _sizes_of({'x': self.X, 'y': samples}, 6, 7) == [[(3, 6, True), (3, 3, True)]]

    def test_positions(self):
        source = C.io.MinibatchSourceFromData({'x': self.X})
        source.next_minibatch(4)
        assert source.get_checkpoint_state() == {'cursor': 2, 'total_num_samples': 4}

    def test_a_sequence_longer_than_the_minibatch_comes_alone(self):
        assert _sizes_of({'x': self.X}, 10, 2)[1] == [(1, 3, False)]

    def test_a_sequence_behind_the_end_does_not_come(self):
        assert _sizes_of({'x': self.X}, 5, 20) == [[(2, 4, False)]]
