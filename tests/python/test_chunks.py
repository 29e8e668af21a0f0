"""UserDeserializer: data that a program brings a chunk at a time."""

import importlib.util
import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import cantik as C
from cantik.io import StreamInformation

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'


class Chunks(C.io.UserDeserializer):
    """Chunk c: sequences whose numbers are c, of different lengths, and a label each."""

    def __init__(self, chunks=6, sequences=5, counted=False):
        super().__init__()
        self.chunks, self.sequences, self.loaded = chunks, sequences, []
        self.infos = [
            StreamInformation('x', 0, 'dense', np.float32, (2,)),
            StreamInformation('y', 1, 'dense', np.float32, (1,), counted),
        ]

    def stream_infos(self):
        return self.infos

    def num_chunks(self):
        return self.chunks

    def get_chunk(self, chunk_id):
        self.loaded.append(chunk_id)
        return {
            'x': [np.full((1 + i % 3, 2), 10 * chunk_id + i, np.float32) for i in range(self.sequences)],
            'y': np.array([[10 * chunk_id + i] for i in range(self.sequences)], np.float32),
        }


def labels(source, size=6, **request):
    return [
        batch[source.streams.y].asarray().ravel().astype(int).tolist()
        for batch in iter(lambda: source.next_minibatch(size, **request), {})
    ]


def test_chunks_in_order_and_in_a_random_one():
    everything = [10 * c + i for c in range(6) for i in range(5)]
    source = C.io.MinibatchSource(Chunks(), randomize=False, max_sweeps=1)
    found = labels(source)
    assert (
        sum(found, []) == everything and found[0] == [0, 1, 2] and not source.is_infinite()
    )  # 1 + 2 + 3 steps
    for window in (1, 2, 6):
        deserializer = Chunks()
        source = C.io.MinibatchSource(
            [deserializer], randomization_window_in_chunks=window, max_sweeps=2, randomization_seed=4
        )
        once = sum(labels(source), [])
        assert (
            sorted(once) == sorted(everything * 2)
            and once[:30] != everything
            and sorted(once[:30]) == everything
            and once[:30] != once[30:]
        )
        assert sorted(deserializer.loaded) == sorted(list(range(6)) * 2)
        assert once == sum(
            labels(
                C.io.MinibatchSource(
                    [Chunks()], randomization_window_in_chunks=window, max_sweeps=2, randomization_seed=4
                )
            ),
            [],
        )
    counted = C.io.MinibatchSource(Chunks(counted=True), randomize=False, max_sweeps=1)
    assert [len(found) for found in labels(counted)] == [6] * 5
    limited = C.io.MinibatchSource(Chunks(counted=True), randomize=False, max_samples=13)
    assert sum(map(len, labels(limited))) >= 13


def test_chunks_of_several_workers():
    shares = [
        sum(
            labels(
                C.io.MinibatchSource(Chunks(), randomization_window_in_chunks=2, max_sweeps=1),
                num_data_partitions=3,
                partition_index=r,
            ),
            [],
        )
        for r in range(3)
    ]
    assert sorted(sum(shares, [])) == [10 * c + i for c in range(6) for i in range(5)] and all(shares)


@pytest.mark.parametrize('randomize', [False, True])
def test_chunks_go_on_where_a_checkpoint_stood(randomize):
    make = lambda: C.io.MinibatchSource(
        Chunks(),
        randomize=randomize,
        max_sweeps=2,
        **(dict(randomization_window_in_chunks=2) if randomize else {}),
    )
    source = make()
    for _ in range(7):
        source.next_minibatch(6)
    state = source.get_checkpoint_state()
    other = make()
    other.restore_from_checkpoint(state)
    rest = labels(source)
    assert labels(other) == rest and rest
    source.restore_from_checkpoint(state)
    assert labels(source) == rest


def test_chunks_train_a_network():
    x, y = C.sequence.input_variable(2), C.input_variable(1)
    z = C.layers.Dense(1)(C.sequence.last(x))
    loss = C.squared_error(z, y)
    source = C.io.MinibatchSource(Chunks(), max_sweeps=3)
    trainer = C.Trainer(z, loss, [C.sgd(z.parameters, C.learning_parameter_schedule(1e-4))])
    C.training_session(trainer, source, 12, {x: source['x'], y: source['y']}).train()
    assert (
        trainer.total_number_of_samples_seen == 90
        and trainer.total_number_of_units_seen(C.train.DataUnit.sweep) == 3
    )


def test_wrong_chunks_are_errors():
    class Odd(Chunks):
        def get_chunk(self, chunk_id):
            chunk = super().get_chunk(chunk_id)
            return {**chunk, 'y': chunk['y'][:3]} if chunk_id else {'x': chunk['x']}

    with pytest.raises(ValueError, match='no stream y'):
        C.io.MinibatchSource(Odd(), randomize=False).next_minibatch(4)
    source = C.io.MinibatchSource(Odd(chunks=2), randomize=False)
    with pytest.raises(ValueError, match='the stream x has 5 sequences, the stream y has 3'):
        # the first chunk lacks y: read the second
        source.restore_from_checkpoint({**source.get_checkpoint_state(), 'chunk': 1})


@pytest.mark.parametrize(
    'column, said',
    [
        (None, 'an array, a CSR matrix, a list of them or a Value, not None'),
        (np.zeros((5, 3)), r'the shape \[5, 3\]'),
        (np.float32(1), 'not float32'),
        ([np.zeros((2, 3))] * 5, 'x'),
    ],
)
def test_columns_that_are_no_samples(column, said):
    class Odd(Chunks):
        def get_chunk(self, chunk_id):
            return {**super().get_chunk(chunk_id), 'x': column}

    with pytest.raises(Exception, match=said):
        C.io.MinibatchSource(Odd(), randomize=False).next_minibatch(4)


def test_what_get_chunk_raises_reaches_the_caller_and_nothing_is_lost():
    class Odd(Chunks):
        fails = True

        def get_chunk(self, chunk_id):
            if chunk_id == 1 and self.fails:
                raise OSError('the disk is away')
            return super().get_chunk(chunk_id)

    data = Odd()
    source = C.io.MinibatchSource(data, randomize=False, max_sweeps=1)
    first = [source.next_minibatch(9)[source.streams.y].asarray().ravel().tolist()]
    for _ in range(2):
        with pytest.raises(RuntimeError, match='Odd.get_chunk raised OSError: the disk is away') as e:
            source.next_minibatch(9)
        assert isinstance(e.value.__cause__, OSError)
    data.fails = False
    assert sum(first + labels(source), []) == [10 * c + i for c in range(6) for i in range(5)]


# ---- what sources of files have, chunks have too ----


def test_the_order_is_cntks():
    spec = importlib.util.spec_from_file_location('chunks_cntk', GOLDEN / 'chunks_cntk.py')
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    expected = json.loads((GOLDEN / 'chunks_cntk.json').read_text())
    found = cases.run(C)
    for name in expected:
        assert found[name] == expected[name], name


class Long(C.io.UserDeserializer):
    """Sequences 10 c + i of i % 4 + 1 steps, with a label for each step."""

    def __init__(self, chunks=3, sequences=4):
        super().__init__()
        self.chunks, self.sequences = chunks, sequences

    def stream_infos(self):
        return [
            StreamInformation('x', 0, 'dense', np.float64, (2,)),
            StreamInformation('y', 1, 'sparse', np.float32, (40,)),
        ]

    def num_chunks(self):
        return self.chunks

    def get_chunk(self, chunk_id):
        numbers = [10 * chunk_id + i for i in range(self.sequences)]
        lengths = [n % 4 + 1 for n in numbers]
        return {
            'x': [np.arange(2 * k).reshape(k, 2) + 100.0 * n for n, k in zip(numbers, lengths)],
            'y': [csr_matrix(np.eye(40, dtype=np.float32)[[n] * k]) for n, k in zip(numbers, lengths)],
        }


@pytest.mark.parametrize('randomize', [False, True])
def test_sequences_come_in_parts(randomize):
    data = Long()
    whole = {}
    for c in range(3):
        for x, y in zip(*data.get_chunk(c).values()):
            whole[int(y.indices[0])] = x
    source = C.io.MinibatchSource(data, randomize=randomize, max_sweeps=2, truncation_length=2)
    state, found, rest = None, {}, []
    for count, batch in enumerate(iter(lambda: source.next_minibatch(6), {})):
        x = batch[source.streams.x].data.data.asarray()
        y = batch[source.streams.y]
        assert x.dtype == np.float64 and x.shape[1] <= 2
        if count >= 4:
            rest.append(x.tolist())
        if count == 3:
            state = source.get_checkpoint_state()
        for steps in x:
            for step in steps:
                if step.any() or 0 not in found:
                    number = int(step[0] // 100) if step.any() else 0
                    found.setdefault(number, []).append(step.tolist())
        assert y.num_samples == batch[source.streams.x].num_samples
    assert {n: sorted(map(tuple, s)) for n, s in found.items() if n} == {
        n: sorted(list(map(tuple, x.tolist())) * 2) for n, x in whole.items() if n
    }
    other = C.io.MinibatchSource(Long(), randomize=randomize, max_sweeps=2, truncation_length=2)
    other.restore_from_checkpoint(state)
    again = [
        b[other.streams.x].data.data.asarray().tolist() for b in iter(lambda: other.next_minibatch(6), {})
    ]
    assert again == rest and rest


def test_values_of_all_kinds_arrive():
    class Kinds(C.io.UserDeserializer):
        def stream_infos(self):
            return [
                StreamInformation('matrix', 0, 'dense', np.float32, (2, 3)),
                StreamInformation('csr', 1, 'sparse', np.float64, (4,)),
                StreamInformation('from_csr', 2, 'dense', np.float32, (4,)),
                StreamInformation('whole', 3, 'dense', np.float32, (1,)),
            ]

        def num_chunks(self):
            return 2

        def get_chunk(self, chunk_id):
            rows = csr_matrix(np.diag(np.arange(1.0, 5)) + chunk_id)
            return {
                'matrix': np.arange(24).reshape(4, 2, 3) + 100 * chunk_id,
                'csr': rows,
                'from_csr': rows,
                'whole': np.arange(4, dtype=np.int64) + 10 * chunk_id,
            }

    source = C.io.MinibatchSource(Kinds(), randomize=False, max_sweeps=1)
    batches = list(iter(lambda: source.next_minibatch(3), {}))
    get = lambda name: [np.asarray(b[source.streams[name]].asarray()) for b in batches]
    rows = np.concatenate([np.diag(np.arange(1.0, 5)), np.diag(np.arange(1.0, 5)) + 1])
    assert [len(m) for m in get('matrix')] == [3, 3, 2] and get('matrix')[0].dtype == np.float32
    pixels = np.arange(24).reshape(4, 6)
    np.testing.assert_array_equal(np.concatenate(get('matrix')).reshape(8, 6), [*pixels, *(pixels + 100)])
    np.testing.assert_array_equal(np.concatenate(get('from_csr')).reshape(8, 4), rows)
    np.testing.assert_array_equal(np.concatenate(get('whole')).ravel(), [0, 1, 2, 3, 10, 11, 12, 13])
    sparse = np.concatenate(
        [
            b[source.streams.csr]
            .as_sequences(C.sequence.input_variable(4, np.float64, is_sparse=True))[i]
            .toarray()
            for b in batches
            for i in range(b[source.streams.csr].num_sequences)
        ]
    )
    np.testing.assert_array_equal(sparse, rows)


def test_frames():
    source = C.io.MinibatchSource(Chunks(counted=True), randomize=False, frame_mode=True, max_sweeps=1)
    assert len(sum(labels(source), [])) == 30
    source = C.io.MinibatchSource(Long(), randomize=False, frame_mode=True)
    with pytest.raises(RuntimeError, match='Detected a non-frame sequence of size 2 in frame mode'):
        source.next_minibatch(4)


def test_chunks_join_with_files_and_with_chunks(tmp_path):
    with open(tmp_path / 'more.ctf', 'w') as f:
        for n in range(30):
            if n != 7:
                f.write(f'{n} |more {n}\n')
    streams = C.io.StreamDefs(more=C.io.StreamDef('more', 1))
    numbers = [10 * c + i for c in range(6) for i in range(5)]
    expected = {numbers[n]: n for n in range(30) if n != 7}
    for randomize in (False, True):
        for chunks_first in (True, False):
            parts = [Chunks(), C.io.CTFDeserializer(str(tmp_path / 'more.ctf'), streams)]
            with (
                pytest.warns(RuntimeWarning, match='sequences of Chunks are left out')
                if chunks_first
                else nullcontext()
            ):
                source = C.io.MinibatchSource(
                    parts if chunks_first else parts[::-1], randomize=randomize, max_sweeps=1
                )
            found = {}
            for batch in iter(lambda: source.next_minibatch(7), {}):
                for y, more in zip(
                    batch[source.streams.y].asarray().ravel(), batch[source.streams.more].asarray().ravel()
                ):
                    found[int(y)] = int(more)
            assert found == expected

    class Other(Chunks):
        def stream_infos(self):
            return [StreamInformation('z', 0, 'dense', np.float32, (1,))]

        def get_chunk(self, chunk_id):
            return {'z': -super().get_chunk(chunk_id)['y']}

    source = C.io.MinibatchSource([Chunks(), Other()], max_sweeps=1)
    for batch in iter(lambda: source.next_minibatch(7), {}):
        np.testing.assert_array_equal(
            batch[source.streams.y].asarray(), -np.asarray(batch[source.streams.z].asarray())
        )
    with pytest.raises(RuntimeError, match="Two streams with the same name 'x'"):
        C.io.MinibatchSource([Chunks(), Chunks()])


def test_a_worker_without_a_chunk_gets_nothing():
    source = C.io.MinibatchSource(Chunks(chunks=1), max_sweeps=2)
    assert labels(source, num_data_partitions=2, partition_index=1) == []
    assert sum(map(len, labels(source, num_data_partitions=2, partition_index=0))) == 10


def test_empty_chunks_are_passed_over():
    class Sparse(Chunks):
        def get_chunk(self, chunk_id):
            self.sequences = 5 if chunk_id % 3 == 0 else 0
            return super().get_chunk(chunk_id)

    for options in (dict(randomize=False), dict(randomization_window_in_chunks=1)):
        found = sum(labels(C.io.MinibatchSource(Sparse(), max_sweeps=2, **options)), [])
        assert sorted(found) == sorted([10 * c + i for c in (0, 3) for i in range(5)] * 2)

    class Empty(Chunks):
        def get_chunk(self, chunk_id):
            self.sequences = 0
            return super().get_chunk(chunk_id)

    assert C.io.MinibatchSource(Empty()).next_minibatch(4) == {}  # no end is near, and it comes back


def test_damaged_checkpoints_are_errors():
    source = C.io.MinibatchSource(Chunks(), randomize=False)
    source.next_minibatch(4)
    state = source.get_checkpoint_state()
    for key in state:
        damaged = {k: v for k, v in state.items() if k != key}
        with pytest.raises(ValueError, match=key):
            source.restore_from_checkpoint(damaged)
    for key, value in (('chunk', 7), ('place', 6)):
        with pytest.raises(ValueError, match=f'{key} {value}'):
            source.restore_from_checkpoint({**state, key: value})
    assert source.get_checkpoint_state() == state


class Told(Chunks):
    """Says how long its sequences are; `more` steps too many of one of them."""

    def __init__(self, more=0, counted=False):
        super().__init__(counted=counted)
        self.more = more

    def sequence_lengths(self):
        lengths = [[1 if self.infos[1].m_defines_mb_size else 1 + i % 3 for i in range(5)] for _ in range(6)]
        lengths[4][1] += self.more
        return lengths


@pytest.mark.parametrize('counted', [False, True])
def test_lengths_that_are_not_those_of_the_chunks(counted):
    source = C.io.MinibatchSource(Told(counted=counted), randomize=False, max_sweeps=1)
    assert sum(labels(source), []) == [10 * c + i for c in range(6) for i in range(5)]
    source = C.io.MinibatchSource(Told(more=2, counted=counted), randomize=False, max_sweeps=1)
    found, promised = (1, 3) if counted else (2, 4)
    said = rf'sequence 1 of chunk 4 has {found} samples, and sequence_lengths\(\) says {promised}'
    with pytest.raises(ValueError, match=said):
        labels(source)
