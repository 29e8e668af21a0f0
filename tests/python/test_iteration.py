"""`for` over sources: sweeps of minibatches as arrays, and how many there are."""

import numpy as np
import pytest
from scipy.sparse import issparse

import cantik as C


@pytest.fixture
def text(tmp_path):
    path = tmp_path / 'data.ctf'
    path.write_text(
        ''.join(
            f'{i} |x {i} {t} |w {t}:1' + (f' |y {i % 2}:1\n' if t == 0 else '\n')
            for i in range(10)
            for t in range(1 + i % 3)
        )
    )
    return C.io.CTFDeserializer(
        path,
        C.io.StreamDefs(
            x=C.io.StreamDef('x', 2), w=C.io.StreamDef('w', 3, is_sparse=True), y=C.io.StreamDef('y', 2, True)
        ),
    )


def first(batch):
    return [int(np.asarray(x)[0, 0]) for x in batch['x']]


def test_a_loop_is_a_sweep(text):
    source = C.io.MinibatchSource(text, randomize=False, minibatch_size=6)
    for _ in range(3):  # an endless source has as many sweeps as there are loops
        assert [first(batch) for batch in source] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    source = C.io.MinibatchSource(text, randomize=False, minibatch_size=6, max_sweeps=1)
    assert len(list(source)) == 4 and list(source) == [] and bool(source)


def test_arrays_lists_and_sparse_matrices(text):
    batch = next(iter(C.io.MinibatchSource(text, randomize=False, minibatch_size=3)))
    assert [x.shape for x in batch['x']] == [(1, 2), (2, 2)]
    assert all(issparse(w) for w in batch['w']) and [w.shape for w in batch['w']] == [(1, 3), (2, 3)]
    assert batch['y'].shape == (2, 2) and batch['y'].toarray().tolist() == [[1, 0], [0, 1]]
    # a stream whose sequences may be longer is a list also where they are not
    single = next(C.io.MinibatchSource(text, randomize=False).batches(1))
    assert isinstance(single['x'], list) and not isinstance(single['y'], list)
    single['x'][0][:] = 7  # the caller's own
    values = next(C.io.MinibatchSource(text, randomize=False).batches(3, values=True))
    assert isinstance(values['x'], C.Value) and values['x'].shape[0] == 2


@pytest.mark.parametrize('size', [1, 2, 4, 6, 7, 100])
@pytest.mark.parametrize('randomize', [False, True])
def test_how_many_there_are(text, size, randomize):
    source = C.io.MinibatchSource(text, randomize=randomize, minibatch_size=size)
    for _ in range(3):
        said = len(source)
        batches = list(source)
        assert said == len(batches)
        assert sorted(sum(map(first, batches), [])) == list(range(10))


def test_counting_changes_nothing(text):
    with_len, without = (C.io.MinibatchSource(text, randomization_seed=3, minibatch_size=4) for _ in 'ab')
    found = []
    for batch in with_len:
        len(with_len)
        found.append(first(batch))
    assert found == [first(batch) for batch in without]
    assert with_len.get_checkpoint_state() == without.get_checkpoint_state()


def test_where_it_is_not_known(text):
    class Chunks(C.io.UserDeserializer):
        def stream_infos(self):
            return [C.io.StreamInformation('x', 0, 'dense', np.float32, (1,))]

        def num_chunks(self):
            return 2

        def get_chunk(self, chunk_id):
            return {'x': np.ones((3, 1), np.float32)}

    steps = C.io.CTFDeserializer(text['file'], C.io.StreamDefs(x=C.io.StreamDef('x', 2)))
    for source in (
        C.io.MinibatchSource([Chunks()]),
        C.io.MinibatchSource(steps, truncation_length=2),
        C.io.MinibatchSource(text, max_sweeps=0),
    ):
        with pytest.raises(TypeError, match='not known before the data are read'):
            len(source)
        list(zip(range(3), source))  # goes on without it
    with pytest.raises(TypeError, match='has no len'):
        len(C.io.MinibatchSourceFromData({'x': np.ones((3, 1), np.float32)}))


def test_goes_on_where_it_stands(text):
    source = C.io.MinibatchSource(text, randomize=False, minibatch_size=6)
    for _ in source:
        break
    assert [first(batch) for batch in source] == [[3, 4, 5], [6, 7, 8], [9]]
    state = source.get_checkpoint_state()
    list(source)
    source.restore_from_checkpoint(state)
    assert first(next(iter(source))) == [0, 1, 2]


def test_sources_of_arrays_and_iterables():
    data = {'x': np.arange(5, dtype=np.float32).reshape(5, 1)}
    for source in (C.io.MinibatchSourceFromData(data), C.io.IterableSource(data, max_sweeps=3)):
        for _ in range(2):
            assert [batch['x'].ravel().tolist() for batch in source.batches(2)] == [[0, 1], [2, 3], [4]]
    steps = [np.ones((n, 2), np.float32) for n in (1, 3, 1)]
    source = C.io.IterableSource({'x': steps}, sequences=['x'])
    assert [len(x) for batch in source.batches(1) for x in batch['x']] == [1, 3, 1]


@pytest.mark.parametrize('size', [0, -1, 'a', 1.5])
def test_wrong_sizes(text, size):
    with pytest.raises((ValueError, TypeError), match='minibatch_size'):
        C.io.MinibatchSource(text).batches(size)
    with pytest.raises((ValueError, TypeError), match='minibatch_size'):
        C.io.MinibatchSource(text, minibatch_size=size)
