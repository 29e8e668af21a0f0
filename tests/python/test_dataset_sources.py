"""DatasetDeserializer and its like: tables, data sets asked for by number, files of Arrow and Parquet."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse

import cantik as C


class Squares:
    """A data set as PyTorch's are."""

    def __init__(self, size=50):
        self.size, self.asked = size, []

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        if not 0 <= i < self.size:
            raise IndexError(i)
        self.asked.append(i)
        return np.full((2, 3), i, np.float64), i % 4


def squares(**options):
    return C.io.DatasetDeserializer(Squares(), names=['x', 'kind'], one_hot={'kind': 4}, **options)


def numbers(source, size=7):
    return [int(x) for batch in source.batches(size) for x in batch['x'].reshape(len(batch['x']), -1)[:, 0]]


def test_a_data_set_by_number():
    source = C.io.MinibatchSource(squares(), randomize=False, minibatch_size=20)
    assert len(source) == 3
    batch = next(iter(source))
    assert batch['x'].shape == (20, 2, 3) and batch['x'].dtype == np.float32
    assert issparse(batch['kind']) and batch['kind'].indices.tolist() == [i % 4 for i in range(20)]


@pytest.mark.parametrize('chunk', [None, 1, 3, 100])
def test_orders(chunk):
    def make(**options):
        return C.io.MinibatchSource(squares(chunk_size=chunk), **options)

    assert numbers(make(randomize=False)) == list(range(50))
    source = make(randomization_seed=5)
    first, second = numbers(source), numbers(source)
    assert sorted(first) == sorted(second) == list(range(50)) and first != second != list(range(50))
    assert numbers(make(randomization_seed=5)) == first


def test_every_sweep_asks_anew():
    data = Squares(10)
    source = C.io.MinibatchSource(C.io.DatasetDeserializer(data, names=['x', 'kind']), max_sweeps=2)
    for _ in range(2):
        data.asked.clear()
        numbers(source)
        assert sorted(data.asked) == list(range(10))


def test_workers_and_checkpoints():
    shares = []
    for rank in range(2):
        source = C.io.MinibatchSource(squares(), randomization_seed=1, max_sweeps=1)
        x = source.streams.x
        found = []
        for batch in iter(
            lambda s=source: s.next_minibatch(10, num_data_partitions=2, partition_index=rank), {}
        ):
            found += batch[x].asarray()[:, 0, 0, 0].astype(int).tolist()
        shares.append(found)
    assert sorted(sum(shares, [])) == list(range(50)) and all(shares)
    source = C.io.MinibatchSource(squares(), randomization_seed=1)
    whole = numbers(source, 10)
    source = C.io.MinibatchSource(squares(), randomization_seed=1)
    begun = source.batches(10)
    next(begun), next(begun)
    again = C.io.MinibatchSource(squares(), randomization_seed=1)
    again.restore_from_checkpoint(source.get_checkpoint_state())
    assert numbers(again, 10) == whole[20:]


@pytest.mark.parametrize('read_ahead', [False, True])
def test_trains(read_ahead):
    rs = np.random.RandomState(0)
    table = {'x': rs.randn(512, 2).astype(np.float32)}
    table['kind'] = (table['x'].sum(1) > 0).astype(int)
    data = C.io.DatasetDeserializer(table, one_hot={'kind': 2}, read_ahead=read_ahead)
    source = C.io.MinibatchSource(data)
    assert source.read_ahead is read_ahead
    x, y = C.input_variable(2), C.input_variable(2, is_sparse=True)
    z = C.layers.Dense(2, init=0)(x)
    criterion = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
    progress = C.combine(list(criterion)).train(
        source,
        minibatch_size=32,
        max_epochs=3,
        epoch_size=512,
        parameter_learners=[C.sgd(z.parameters, 1.0)],
        model_inputs_to_streams={x: source.streams.x, y: source.streams.kind},
    )
    assert progress.epoch_summaries[-1].metric < 0.05


def test_joined_with_a_file(tmp_path):
    path = tmp_path / 'labels.ctf'
    path.write_text(''.join(f'{i} |y {i}\n' for i in range(50)))
    labels = C.io.CTFDeserializer(path, C.io.StreamDefs(y=C.io.StreamDef('y', 1)))
    source = C.io.MinibatchSource([squares(), labels])
    for batch in source:
        assert (batch['x'][:, 0, 0] == np.ravel(batch['y'])).all()


def test_tables_with_sequences():
    steps = [np.full((1 + i % 3, 2), i) for i in range(6)]
    words = [[1, 2, 3][: 1 + i % 3] for i in range(6)]
    table = {'steps': steps, 'words': words, 'sparse': csr_matrix(np.eye(6, dtype=np.float32))}
    data = C.io.DatasetDeserializer(table, sequences=['steps', 'words'], one_hot={'words': 5}, chunk_size=4)
    source = C.io.MinibatchSource(data, randomize=False, minibatch_size=6)
    assert len(source) == 2
    batch = next(iter(source))
    assert [len(s) for s in batch['steps']] == [1, 2, 3]
    assert [w.indices.tolist() for w in batch['words']] == [[1], [1, 2], [1, 2, 3]]
    assert batch['sparse'].toarray().tolist() == np.eye(6)[:3].tolist()
    parts = C.io.MinibatchSource(
        C.io.DatasetDeserializer({'s': steps}, sequences=['s']),
        randomize=False,
        truncation_length=2,
        max_sweeps=1,
    )
    assert sum(part.size for b in parts.batches(2) for part in b['s']) == 24


def test_what_lists_and_tables_of_other_packages_are():
    samples = [{'x': np.array([i, i + 1]), 'y': i} for i in range(5)]  # a list of samples is a data set
    source = C.io.MinibatchSource(C.io.DatasetDeserializer(samples), randomize=False)
    assert next(iter(source))['x'].tolist() == [[i, i + 1] for i in range(5)]
    structured = np.array([(1, 2.5), (3, 4.5)], dtype=[('a', 'i4'), ('b', 'f4')])
    source = C.io.MinibatchSource(C.io.DatasetDeserializer(structured), randomize=False)
    assert {k: v.ravel().tolist() for k, v in next(iter(source)).items()} == {'a': [1, 3], 'b': [2.5, 4.5]}


@pytest.mark.parametrize('package', ['pandas', 'polars', 'pyarrow', 'datasets'])
def test_tables_of(package):
    module = pytest.importorskip(package, reason=f'{package} is not installed here')
    columns = {'a': [1.0, 2.0, 3.0], 'kind': [2, 0, 1]}
    if package == 'pyarrow':
        table = module.table(columns)
    elif package == 'datasets':
        table = module.Dataset.from_dict(columns)
    else:
        table = module.DataFrame(columns)
    data = C.io.DatasetDeserializer(table, one_hot={'kind': 3})
    source = C.io.MinibatchSource(data, randomize=False, minibatch_size=2)
    found = list(source)
    assert len(source) == len(found) == 2
    assert np.concatenate([b['a'].ravel() for b in found]).tolist() == columns['a']
    assert np.concatenate([b['kind'].indices for b in found]).tolist() == columns['kind']


def arrow_files(tmp_path, table, size):
    pa = pytest.importorskip('pyarrow', reason='pyarrow is not installed here')
    parquet = pytest.importorskip('pyarrow.parquet', reason='pyarrow is not installed here')
    made = pa.table(table)
    parquet.write_table(made, tmp_path / 'data.parquet', row_group_size=size)
    with pa.ipc.new_file(str(tmp_path / 'data.arrow'), made.schema) as file:
        file.write_table(made, max_chunksize=size)
    return {
        C.io.ParquetDeserializer: tmp_path / 'data.parquet',
        C.io.ArrowDeserializer: tmp_path / 'data.arrow',
    }


def test_files_of_arrow(tmp_path):
    table = {
        'x': [[i, i + 0.5] for i in range(10)],
        'kind': [i % 3 for i in range(10)],
        'words': [[1] * (1 + i % 2) for i in range(10)],
        'name': ['a'] * 10,
    }
    for kind, path in arrow_files(tmp_path, table, 4).items():
        data = kind(path, columns=['x', 'kind'], one_hot={'kind': 3})
        assert data.num_chunks() == 3
        source = C.io.MinibatchSource(data, randomize=False, minibatch_size=4)
        assert len(source) == 3
        found = list(source)
        assert np.concatenate([b['x'] for b in found]).tolist() == table['x']
        assert np.concatenate([b['kind'].indices for b in found]).tolist() == table['kind']
        twice = C.io.MinibatchSource(kind([path, path], columns=['x']), minibatch_size=5)
        assert len(twice) == 4 and sorted(numbers(twice)) == sorted(list(range(10)) * 2)
        words = C.io.MinibatchSource(kind(path, columns=['words'], sequences=['words']), randomize=False)
        assert [len(w) for b in words for w in b['words']] == [1, 2] * 5
        with pytest.raises(TypeError, match='the column name has no numbers'):
            C.io.MinibatchSource(kind(path))
        with pytest.raises(ValueError, match='no column z; it has x, kind, words, name'):
            C.io.MinibatchSource(kind(path, columns=['z']))
        missing = tmp_path / 'missing'
        with pytest.raises(OSError):
            kind(missing)


def test_values_that_are_missing(tmp_path):
    for kind, path in arrow_files(tmp_path, {'x': [1.0, None, 3.0]}, 3).items():
        with pytest.raises(ValueError, match='the column x has 1 values that are missing'):
            C.io.MinibatchSource(kind(path))


@pytest.mark.parametrize('kind', [C.io.ParquetDeserializer, C.io.ArrowDeserializer])
def test_without_pyarrow(kind, monkeypatch):
    monkeypatch.setitem(__import__('sys').modules, 'pyarrow', None)
    with pytest.raises(ImportError, match='pip install pyarrow'):
        kind('a')


@pytest.mark.parametrize(
    'make, error, said',
    [
        (lambda: C.io.DatasetDeserializer(5), TypeError, 'a table, or a data set'),
        (lambda: C.io.DatasetDeserializer('abc'), TypeError, 'a table, or a data set'),
        (lambda: C.io.DatasetDeserializer({'x': []}), ValueError, 'the data are empty'),
        (lambda: C.io.DatasetDeserializer({'x': [1], 'y': [1, 2]}), ValueError, '1 of x, 2 of y'),
        (lambda: squares(chunk_size=0), ValueError, 'chunk_size'),
        (
            lambda: C.io.MinibatchSource(squares(sequences=['z'])),
            ValueError,
            'no column z; they have x, kind',
        ),
        (lambda: C.io.MinibatchSource(C.io.DatasetDeserializer({'x': ['a']})), TypeError, 'has no numbers'),
    ],
)
def test_wrong_data(make, error, said):
    with pytest.raises(error, match=said):
        make()


def test_errors_of_the_data_set_reach_the_caller():
    class Broken(Squares):
        def __getitem__(self, i):
            if i == 3:
                raise OSError('the disk is gone')
            return super().__getitem__(i)

    source = C.io.MinibatchSource(C.io.DatasetDeserializer(Broken()), randomize=False)
    with pytest.raises(Exception, match='the disk is gone'):
        source.next_minibatch(5)


def test_lengths_that_do_not_fit():
    class Wrong(C.io.UserDeserializer):
        lengths = [[1, 1]]

        def stream_infos(self):
            return [C.io.StreamInformation('x', 0, 'dense', np.float32, (1,))]

        def num_chunks(self):
            return 2

        def get_chunk(self, chunk_id):
            return {'x': np.ones((3, 1), np.float32)}

        def sequence_lengths(self):
            return self.lengths

    with pytest.raises(ValueError, match='has 1 chunks, num_chunks.. says 2'):
        C.io.MinibatchSource([Wrong()])
    wrong = Wrong()
    wrong.lengths = [[1, 1], [1, 1]]
    with pytest.raises(ValueError, match='it has 3 sequences, its index has 2'):
        C.io.MinibatchSource([wrong]).next_minibatch(1)
