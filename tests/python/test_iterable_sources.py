"""IterableSource: iterables and tables of every kind as sources, minibatches of the asked size, sweeps,
shares, checkpoints."""

import numpy as np
import pytest
import scipy.sparse

import cantik as C
from cantik.io import IterableSource

X = np.arange(20, dtype=np.float32).reshape(10, 2)
DIGITS = np.arange(10) % 4


def values(source, size, stream='x', **request):
    """A list with the numbers of each minibatch."""
    return [
        batch[source[stream]].asarray() for batch in iter(lambda: source.next_minibatch(size, **request), {})
    ]


def dicts():
    for row, digit in zip(X, DIGITS):
        yield {'x': row, 'digit': int(digit)}


def tables():
    for begin, end in ((0, 4), (4, 5), (5, 5), (5, 10)):
        yield {'x': X[begin:end], 'digit': DIGITS[begin:end]}


class ByNumber:
    """A data set that is asked for its samples by number, as PyTorch's."""

    def __init__(self):
        self.asked = []

    def __len__(self):
        return len(X)

    def __getitem__(self, i):
        self.asked.append(i)
        return {'x': X[i], 'digit': DIGITS[i]}


class Tensor:
    """What a tensor of PyTorch's shows of itself."""

    def __init__(self, numbers):
        self.numbers = numbers

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.numbers


class Column:
    """A column of pandas or polars."""

    def __init__(self, numbers):
        self.numbers = numbers

    def to_numpy(self):
        return np.array(self.numbers)


class Frame:
    """A table of pandas."""

    columns = ['x', 'digit']

    def __getitem__(self, name):
        cells = np.empty(10, object)
        cells[:] = list(X)
        return Column(cells if name == 'x' else DIGITS)


class ArrowColumn:
    def __init__(self, numbers):
        self.numbers = numbers

    def to_pylist(self):
        return list(self.numbers)

    def to_numpy(self, zero_copy_only=True):
        if zero_copy_only:
            raise ValueError('Needed to copy 1 chunks with 0 nulls, but zero_copy_only was True')
        cells = np.empty(len(self.numbers), object)
        cells[:] = list(self.numbers)
        return cells


class ArrowTable:
    column_names = ['x', 'digit']

    def column(self, i):
        return ArrowColumn([X, DIGITS][i])


structured = np.zeros(10, [('x', np.float32, 2), ('digit', np.int64)])
structured['x'], structured['digit'] = X, DIGITS
WAYS = {
    'a function that makes dictionaries': dict(data=dicts),
    'a list of dictionaries': dict(data=list(dicts())),
    'tuples': dict(data=[(x, d) for x, d in zip(X, DIGITS)], names=['x', 'digit']),
    'tensors': dict(data=[{'x': Tensor(x), 'digit': Tensor(np.array(d))} for x, d in zip(X, DIGITS)]),
    'a data set by number': dict(data=ByNumber()),
    'tables': dict(data=tables, batches=True),
    'tuples of tensors of batches': dict(
        data=[[Tensor(X[:7]), Tensor(DIGITS[:7])], [Tensor(X[7:]), Tensor(DIGITS[7:])]],
        batches=True,
        names=['x', 'digit'],
    ),
    'a dictionary of arrays': dict(data={'x': X, 'digit': DIGITS}),
    'a dictionary of lists': dict(data={'x': X.tolist(), 'digit': DIGITS.tolist()}),
    'a tuple of arrays': dict(data=(X, DIGITS), names=['x', 'digit']),
    'a structured array': dict(data=structured),
    'a frame': dict(data=Frame()),
    'an arrow table': dict(data=ArrowTable()),
}


@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('size', [1, 3, 10, 25])
def test_everything_is_a_source(way, size):
    source = IterableSource(**WAYS[way], one_hot={'digit': 4}, max_sweeps=2)
    x, digit = source.stream_infos()
    assert (
        x.name,
        x.sample_shape,
        x.storage_format,
        digit.name,
        digit.sample_shape,
        digit.storage_format,
    ) == ('x', (2,), 'dense', 'digit', (4,), 'sparse')
    found = []
    for batch in iter(lambda: source.next_minibatch(size), {}):
        rows, hot = batch[x].asarray(), batch[digit].data.asarray()
        assert batch[x].end_of_sweep == ((sum(map(len, found)) + len(rows)) % 10 == 0)
        np.testing.assert_array_equal(
            hot.toarray() if hasattr(hot, 'toarray') else hot, np.eye(4)[(rows[:, 0] / 2).astype(int) % 4]
        )
        assert rows.dtype == np.float32 and batch[digit].num_samples == len(rows) <= size
        found.append(rows)
    np.testing.assert_array_equal(np.concatenate(found), np.concatenate([X, X]))
    assert [len(rows) for rows in found] == ([size] * (10 // size) + ([10 % size] if 10 % size else [])) * 2


@pytest.mark.parametrize('way', WAYS)
def test_checkpoints(way):
    source = IterableSource(**WAYS[way], max_sweeps=3)
    for _ in range(5):
        source.next_minibatch(3)
    state = source.get_checkpoint_state()
    assert state == {'sweep': 1, 'sample': 3}
    rest = values(source, 3)
    other = IterableSource(**WAYS[way], max_sweeps=3)
    other.restore_from_checkpoint(state)
    assert all(np.array_equal(a, b) for a, b in zip(rest, values(other, 3))) and len(rest) == 7
    other.restore_from_checkpoint({'sweep': 2, 'sample': 10})
    assert other.next_minibatch(3) == {}


def test_a_data_set_by_number_is_not_read_from_its_beginning():
    data = ByNumber()
    source = IterableSource(data)
    data.asked.clear()
    source.restore_from_checkpoint({'sweep': 0, 'sample': 8})
    assert source.next_minibatch(5)[source['x']].asarray()[0, 0] == 16 and min(data.asked) == 8


def test_a_generator_is_gone_through_once():
    source = IterableSource(dicts(), max_sweeps=2)
    source.next_minibatch(4)[source['x']].asarray()
    state = source.get_checkpoint_state()
    source.restore_from_checkpoint(state)  # where it stands
    np.testing.assert_array_equal(source.next_minibatch(4)[source['x']].asarray(), X[4:8])
    with pytest.raises(RuntimeError, match='cannot go back to sample 4: give a function'):
        source.restore_from_checkpoint(state)
    other = IterableSource(dicts())
    other.restore_from_checkpoint({'sweep': 0, 'sample': 7})  # forward
    np.testing.assert_array_equal(values(other, 5)[0], X[7:])
    source = IterableSource(dicts(), max_sweeps=2)
    with pytest.raises(RuntimeError, match='only once'):
        values(source, 4)


def test_shares_of_workers():
    for size in (4, 5):
        shares = [
            np.concatenate(values(IterableSource({'x': X}), size, number_of_workers=3, worker_rank=r))
            for r in range(3)
        ]
        for r, share in enumerate(shares):
            np.testing.assert_array_equal(share, X[r::3])


def test_rows_of_one_table_are_not_copied():
    big = np.random.RandomState(0).randn(100, 8).astype(np.float32)
    source = IterableSource({'x': big})
    assert np.shares_memory(np.asarray(source.next_minibatch(10)[source['x']].data), big)


def test_sequences_and_sparse_rows():
    lengths = [2, 1, 3, 4]
    samples = [
        {
            's': np.full((n, 2), n, np.float32),
            'w': np.arange(n),
            'c': scipy.sparse.csr_matrix(np.eye(5, dtype=np.float32)[n : n + 1]),
            'y': float(n),
        }
        for n in lengths
    ]
    source = IterableSource(samples, sequences=['s', 'w'], one_hot={'w': 6})
    s, w, c, y = source.stream_infos()
    assert [i.storage_format for i in (s, w, c, y)] == [
        'dense',
        'sparse',
        'sparse',
        'dense',
    ] and y.sample_shape == (1,)
    first, second, third = list(iter(lambda: source.next_minibatch(4), {}))
    assert (
        [len(first[s]), len(second[s]), len(third[s])] == [2, 1, 1]
        and first[s].num_samples == 3
        and third[s].end_of_sweep
        and not second[s].end_of_sweep
    )
    assert [a.tolist() for a in first[s].as_sequences()] == [[[2, 2], [2, 2]], [[1, 1]]]
    np.testing.assert_array_equal(first[c].data.asarray().toarray(), np.eye(5)[[2, 1]])
    words, sound, sparse, target = (
        C.sequence.input_variable(6, is_sparse=True),
        C.sequence.input_variable(2),
        C.input_variable(5, is_sparse=True),
        C.input_variable(1),
    )
    table = C.parameter((6, 1), init=1)
    z = C.sequence.reduce_sum(C.times(words, table) + C.reduce_sum(sound)) + C.reduce_sum(sparse) * target
    found = []
    source.restore_from_checkpoint({'sweep': 0, 'sample': 0})
    for batch in iter(lambda: source.next_minibatch(4), {}):
        found += (
            z.eval({words: batch[w], sound: batch[s], sparse: batch[c], target: batch[y]}).ravel().tolist()
        )
    assert found == [n + 2 * n * n + n for n in lengths]


def test_training_from_a_generator(tmp_path):
    def rows():
        rs = np.random.RandomState(0)
        for _ in range(50):
            x = rs.randn(3)
            yield x, x.sum(keepdims=True)

    def train(make, samples, ahead=False, path=None):
        C.cntk_py.reset_random_seed(2)
        x, y = C.input_variable(3), C.input_variable(1)
        z = C.layers.Dense(1)(x)
        loss = C.squared_error(z, y)
        source = make(ahead)
        loss.train(
            source,
            minibatch_size=8,
            max_samples=samples,
            streams=(source['x0'], source['x1']),
            parameter_learners=[C.sgd(z.parameters, 0.1)],
            callbacks=[C.CheckpointConfig(str(path), 16)] if path else [],
        )
        return z.W.value

    make = lambda ahead: IterableSource(rows, max_sweeps=C.io.INFINITELY_REPEAT, read_ahead=ahead)
    reference = train(make, 96)
    np.testing.assert_array_equal(train(make, 96, ahead=True), reference)
    train(make, 32, True, tmp_path / 'm')
    np.testing.assert_array_equal(train(make, 96, True, tmp_path / 'm'), reference)
    assert make(False).is_infinite() and not IterableSource(rows).is_infinite()


def test_wrong_use():
    for data, text in (
        (3, 'a table, an iterable'),
        (lambda: iter(['a']), 'has no numbers'),
        (lambda: iter([{'x': 'word'}]), 'has no numbers'),
    ):
        with pytest.raises(TypeError, match=text):
            IterableSource(data)
    with pytest.raises(ValueError, match='empty'):
        IterableSource([])
    with pytest.raises(ValueError, match='different numbers of samples: 10 of x, 3 of y'):
        IterableSource({'x': X, 'y': X[:3]})
    with pytest.raises(RuntimeError, match='stopped at sample 12 of a sweep, there are 10'):
        IterableSource({'x': X}).restore_from_checkpoint({'sweep': 0, 'sample': 12})
    with pytest.raises(TypeError, match='a sample is a dictionary'):
        IterableSource([object()])


def test_the_packages_themselves():
    pandas = pytest.importorskip('pandas')
    frame = pandas.DataFrame({'a': [1.0, 2.0, 3.0], 'b': [4, 5, 6]})
    source = IterableSource(frame)
    np.testing.assert_array_equal(values(source, 3, 'b')[0], [[4], [5], [6]])


def test_arrow():
    arrow = pytest.importorskip('pyarrow')
    table = arrow.table(
        {
            'a': [1.0, 2.0, 3.0],
            's': [[1.0], [2.0, 3.0], [4.0]],
            'v': arrow.array([[1.0, 2.0]] * 3, arrow.list_(arrow.float64(), 2)),
        }
    )
    source = IterableSource(table, sequences=['s'])
    batch = source.next_minibatch(9)
    assert [a.tolist() for a in batch[source['s']].as_sequences()] == [[[1]], [[2], [3]], [[4]]]
    np.testing.assert_array_equal(batch[source['v']].asarray(), [[1, 2]] * 3)
    reader = arrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))
    np.testing.assert_array_equal(
        np.concatenate(values(IterableSource(reader, batches=True, sequences=['s']), 3, 'a')), [[1], [2], [3]]
    )


def test_pytorch():
    torch = pytest.importorskip('torch')
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.tensor(X), torch.tensor(DIGITS))
    for source in (
        IterableSource(data, one_hot={'x1': 4}),
        IterableSource(DataLoader(data, batch_size=3), batches=True, one_hot={'x1': 4}),
    ):
        np.testing.assert_array_equal(np.concatenate(values(source, 4, 'x0')), X)


def test_polars():
    polars = pytest.importorskip('polars')
    source = IterableSource(polars.DataFrame({'a': [1.0, 2.0], 'v': [[1.0, 2.0], [3.0, 4.0]]}))
    batch = source.next_minibatch(2)
    np.testing.assert_array_equal(batch[source['a']].asarray(), [[1], [2]])
    np.testing.assert_array_equal(batch[source['v']].asarray(), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    'data, options, said',
    [
        ([{'x': 1.0}, {'y': 2.0}], {}, 'first sample has the stream x, and a later one has only y'),
        ([{'x': np.ones((2, 1))}, {'y': 2.0}], {'sequences': ['x']}, 'a later one has only y'),
        ([{'x': [1.0]}, {'x': [2.0, 3]}], {}, r'stream x has samples of the shape \(1,\), and one of'),
        ({'x': [[1.0], [2, 3]]}, {}, r'one of the shape \(2,\)(.|\n)*name it in `sequences`'),
        ([{'x': np.ones((1, 1))}, {'x': np.ones((1, 2))}], {'batches': True}, 'stream x has samples of'),
        ([{'x': 1}, {'x': [1, 2]}], {'one_hot': {'x': 3}}, r'shape \(1,\), and one of the shape \(2,\)'),
        ([{'x': 1.0}, {'x': 1.7}], {'one_hot': {'x': 3}}, 'has 1.7, which is no whole number'),
        ([{'x': np.nan}], {'one_hot': {'x': 3}}, 'has nan, which is no whole number'),
        ([{'x': -1.0}], {'one_hot': {'x': 3}}, 'must not be negative, and is -1'),
        ([{'x': [0, 1.5]}], {'one_hot': {'x': 3}, 'sequences': ['x']}, 'has 1.5, which is no whole number'),
    ],
)
def test_samples_that_differ(data, options, said):
    with pytest.raises(ValueError, match=said):
        C.io.IterableSource(data, **options).next_minibatch(8)
