"""NumPy's files and texts with columns: what is in them, in any form, and whatever may be wrong with them."""

import csv
import gzip
import io
import random
import zipfile

import numpy as np
import pytest

import cantik as C


def read(description, chunk=None, size=7, **options):
    """{stream: all of its samples}, in the order of the file."""
    if chunk:
        description['chunkSizeInBytes'] = chunk
    source = C.io.MinibatchSource(description, randomize=False, max_sweeps=1, **options)
    batches = list(source.batches(size))
    dense = [{k: v.toarray() if hasattr(v, 'toarray') else v for k, v in b.items()} for b in batches]
    return {name: np.concatenate([b[name] for b in dense]) for name in dense[0]}


# ---- NumPy ----

TYPES = ['f2', 'f4', 'f8', '>f4', '>f8', '>f2', 'i1', 'u1', 'i2', '>u2', 'i4', 'u4', 'i8', '>i8', 'u8', '?']


@pytest.mark.parametrize('dtype', TYPES)
def test_every_type_of_numbers(tmp_path, dtype):
    x = (np.random.RandomState(0).rand(40, 3, 2) * 100).astype(dtype)
    np.save(tmp_path / 'x.npy', x)
    found = read(C.io.NpyDeserializer({'x': tmp_path / 'x.npy'}), chunk=100)['x']
    expected = {'f2': np.float16, 'f8': np.float64}.get(dtype[-2:], np.float32)
    assert found.dtype == expected and (found == x.astype(expected)).all() and found.shape == x.shape


@pytest.mark.parametrize('chunk', [1, 50, 1 << 20])
def test_several_arrays(tmp_path, chunk):
    x, k = np.arange(60.0, dtype=np.float32).reshape(20, 3), np.arange(20) % 4
    np.save(tmp_path / 'x.npy', x)
    np.save(tmp_path / 'k.npy', k)
    np.savez(tmp_path / 'both.npz', x=x, k=k)
    np.savez_compressed(tmp_path / 'small.npz', x=x, k=k)
    (tmp_path / 'x.npy.gz').write_bytes(gzip.compress((tmp_path / 'x.npy').read_bytes()))
    for files in (
        {'x': tmp_path / 'x.npy', 'k': tmp_path / 'k.npy'},
        {'x': tmp_path / 'x.npy.gz', 'k': f'{tmp_path}/both.npz@/k.npy'},
        tmp_path / 'both.npz',
        tmp_path / 'small.npz',
    ):
        found = read(C.io.NpyDeserializer(files, one_hot={'k': 4}), chunk)
        assert (found['x'] == x).all() and (found['k'] == np.eye(4)[k]).all()


def test_numbers_a_sample_and_a_random_order(tmp_path):
    np.save(tmp_path / 'x.npy', np.arange(100, dtype=np.float32))
    description = C.io.NpyDeserializer({'x': tmp_path / 'x.npy'})
    description['chunkSizeInBytes'] = 40
    source = C.io.MinibatchSource(description, randomization_window_in_chunks=3, minibatch_size=9)
    assert len(source) == 12
    for _ in range(2):
        found = np.concatenate([b['x'] for b in source])
        assert found.shape == (100, 1) and sorted(found.ravel()) == list(range(100))
        assert found.ravel().tolist() != list(range(100))


def npy_bytes(x, **options):
    out = io.BytesIO()
    np.lib.format.write_array(out, x, **options)
    return out.getvalue()


X = np.arange(6, dtype=np.float32).reshape(3, 2)
WRONG_ARRAYS = {
    'nothing': (b'', 'it has 0 bytes'),
    'text': (b'hello, world! this is text', 'it looks like a text'),
    'other': (b'\1\2\3\4' * 5, 'does not begin as such a file'),
    'parquet': (b'PAR1' + bytes(20), 'it looks like a Parquet table'),
    'version': (b'\x93NUMPY\x09\x00' + npy_bytes(X)[8:], 'it has version 9'),
    'fortran': (npy_bytes(np.asfortranarray(X)), 'fortran_order'),
    'objects': (
        npy_bytes(np.array([[1], 'a'], object), allow_pickle=True),
        'objects of Python, which are never loaded',
    ),
    'complex': (npy_bytes(X.astype(complex)), 'of the type <c16'),
    'structured': (npy_bytes(np.zeros(3, [('a', 'f4')])), 'no single type of numbers'),
    'texts': (npy_bytes(np.array(['a', 'b'])), 'of the type <U1'),
    'a number': (npy_bytes(np.float32(3)), 'it is a single number'),
    'no samples': (npy_bytes(X[:0]), 'has no samples'),
    'no numbers': (npy_bytes(np.zeros((3, 0), np.float32)), 'its samples have no numbers'),
    'cut': (npy_bytes(X)[:-4], 'it has 20 bytes for 3 samples of 2 numbers'),
    'cut header': (npy_bytes(X)[:40], 'its header has'),
    'negative': (npy_bytes(X).replace(b'(3, 2)', b'(3,-2)'), 'damaged shape'),
    'too large': (npy_bytes(X).replace(b'(3, 2), }', b'(9999999999999999999,)}'), 'damaged shape|too large'),
}


@pytest.mark.parametrize('kind', WRONG_ARRAYS)
def test_wrong_arrays(tmp_path, kind):
    data, said = WRONG_ARRAYS[kind]
    (tmp_path / 'x.npy').write_bytes(data)
    with pytest.raises((RuntimeError, ValueError), match=said):
        read(C.io.NpyDeserializer({'x': tmp_path / 'x.npy'}))


def test_an_archive_of_arrays_is_named(tmp_path):
    np.savez(tmp_path / 'd.npz', x=X, y=np.arange(3))
    with pytest.raises(
        RuntimeError, match=r'archive of several files.*(?s:.*)remedy.*d.npz@/x.npy, .*d.npz@/y.npy'
    ):
        C.io.MinibatchSource(C.io.NpyDeserializer({'x': tmp_path / 'd.npz'}))
    np.testing.assert_array_equal(read(C.io.NpyDeserializer({'x': f'{tmp_path / "d.npz"}@/x.npy'}))['x'], X)


def test_any_bytes_as_an_array(tmp_path):
    right, path = npy_bytes(X), tmp_path / 'x.npy'
    for seed in range(300):
        draw = random.Random(seed)
        bad = bytearray(right)
        for _ in range(draw.randrange(1, 4)):
            bad[draw.randrange(len(bad))] = draw.randrange(256)
        path.write_bytes(bad[: draw.randrange(len(bad) + 1)] if seed % 3 == 0 else bad)
        try:
            read(C.io.NpyDeserializer({'x': path}))
        except (RuntimeError, ValueError):
            pass


def test_arrays_that_do_not_go_together(tmp_path):
    np.save(tmp_path / 'x.npy', np.zeros((3, 2), np.float32))
    np.save(tmp_path / 'k.npy', np.array([0, 1, 2, 3]))
    np.save(tmp_path / 'f.npy', np.zeros(3, np.float32))
    files = {'x': tmp_path / 'x.npy', 'k': tmp_path / 'k.npy'}
    with pytest.raises(ValueError, match='different numbers of samples: .*x.npy has 3, .*k.npy has 4'):
        read(C.io.NpyDeserializer(files))
    with pytest.raises(RuntimeError, match='sample 2 of .*k.npy is not a class from 0 to 1 but 2'):
        read(C.io.NpyDeserializer({'k': tmp_path / 'k.npy'}, one_hot={'k': 2}))
    for name in 'xf':
        with pytest.raises(ValueError, match='has no classes'):
            read(C.io.NpyDeserializer({name: tmp_path / f'{name}.npy'}, one_hot={name: 2}))
    with pytest.raises(ValueError, match='there is no stream z; there are x'):
        C.io.NpyDeserializer({'x': 'a.npy'}, one_hot={'z': 2})
    with pytest.raises(RuntimeError, match='No such file'):
        read(C.io.NpyDeserializer({'x': tmp_path / 'missing.npy'}))
    with zipfile.ZipFile(tmp_path / 'empty.npz', 'w') as archive:
        archive.writestr('a.txt', 'a')
    with pytest.raises(RuntimeError, match='has no arrays'):
        C.io.NpyDeserializer(tmp_path / 'empty.npz')


def test_an_array_that_changes(tmp_path):
    path = tmp_path / 'x.npy'
    for change, said in (
        (lambda: path.write_bytes(b'short'), 'shorter'),
        (lambda: np.save(path, X + 1), 'changed'),
    ):
        np.save(path, X)
        source = C.io.MinibatchSource(C.io.NpyDeserializer({'x': path}), randomize=False)
        change()
        with pytest.raises(RuntimeError, match=said):
            source.next_minibatch(2)
    np.save(path, X)
    source = C.io.MinibatchSource(C.io.NpyDeserializer({'x': path}), randomize=False)
    path.unlink()
    assert (next(source.batches(3))['x'] == X).all()


# ---- texts with columns ----


def table(rows=200, seed=0):
    draw = random.Random(seed)
    return [
        [
            draw.gauss(0, 10),
            draw.randrange(5),
            draw.choice(['red', 'green', 'dark, blue', 'a "b"', 'two\nlines']),
        ]
        for _ in range(rows)
    ]


COLOURS = ['red', 'green', 'dark, blue', 'a "b"', 'two\nlines']


def written(rows, header=('x', 'k', 'colour'), **form):
    out = io.StringIO()
    writer = csv.writer(out, **form)
    if header:
        writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize(
    'form', [{}, {'lineterminator': '\n'}, {'delimiter': ';'}, {'quoting': csv.QUOTE_ALL}]
)
@pytest.mark.parametrize('header', [True, False])
@pytest.mark.parametrize('chunk', [1, 300, 1 << 20])
def test_columns(tmp_path, form, header, chunk):
    rows = table()
    path = tmp_path / 'a.csv'
    path.write_bytes(written(rows, ('x', 'k', 'colour') if header else None, **form).encode())
    names = ('x', 'k', 'colour') if header else (0, 1, 2)
    streams = {'x': [names[0], names[1]], 'k': names[1], 'colour': names[2]}
    description = C.io.CSVDeserializer(
        path, streams, {'k': 5, 'colour': COLOURS}, separator=form.get('delimiter', ','), header=header
    )
    found = read(description, chunk)
    assert (found['x'] == np.array([row[:2] for row in rows], np.float32)).all()
    assert (found['k'].argmax(1) == [row[1] for row in rows]).all()
    assert [COLOURS[i] for i in found['colour'].argmax(1)] == [row[2] for row in rows]


def test_forms_of_texts(tmp_path):
    path = tmp_path / 'a.csv'
    expected = [[1.5, -2], [3, 4e-5]]
    for text in (
        'a,b\n1.5,-2\n3,4e-5\n',
        'a,b\n1.5,-2\n3,4e-5',
        '\ufeffa,b\r\n1.5,-2\r\n3,4e-5\r\n',
        ' a , b \n\n 1.5 , -2\n\r\n"3"\t,+4E-05\n\n',
        'z,b,a\nx,-2,1.5\n"",.00004,3.\n',
    ):
        path.write_text(text, newline='')
        assert (
            read(C.io.CSVDeserializer(path, {'x': ['a', 'b']}))['x'].tolist() == np.float32(expected).tolist()
        )
    path.write_text('\ufeff1.5,-2\n3,4e-5\n')
    found = read(C.io.CSVDeserializer(path, {'x': [0, 1]}, header=False))['x']
    assert found.tolist() == np.float32(expected).tolist()
    path.write_text('a\n1e300\n-1e300\nnan\ninf\n1e-300\n')
    found = read(C.io.CSVDeserializer(path, ['a']))['a'].ravel()
    assert np.isnan(found[2]) and found[[0, 1, 3, 4]].tolist() == [np.inf, -np.inf, np.inf, 0]
    path.write_text('a,b\n1,\n,2\n')
    assert read(C.io.CSVDeserializer(path, {'x': ['a', 'b']}, missing=-1))['x'].tolist() == [[1, -1], [-1, 2]]


def test_packed_texts_and_a_random_order(tmp_path):
    text = written(table()).encode()
    (tmp_path / 'a.csv.gz').write_bytes(gzip.compress(text))
    with zipfile.ZipFile(tmp_path / 'a.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('a.csv', text)
    found = []
    for path in (tmp_path / 'a.csv.gz', f'{tmp_path}/a.zip@/a.csv'):
        description = C.io.CSVDeserializer(path, ['x', 'k'])
        description['chunkSizeInBytes'] = 400
        source = C.io.MinibatchSource(description, randomization_window_in_chunks=2, minibatch_size=30)
        assert len(source) == 7
        found.append(np.concatenate([b['x'] for b in source]).ravel())
        assert sorted(found[-1]) == sorted(np.float32([row[0] for row in table()]))
    assert (found[0] == found[1]).all()


@pytest.mark.parametrize(
    'text, streams, options, said',
    [
        ('', ['a'], {}, 'has no rows'),
        ('a,b\n', ['a'], {}, 'has no rows'),
        ('a,b\n1,2\n', ['c'], {}, r'the column c, which is not there(.|\n)*columns +a, b'),
        ('a,b\n1,2\n3\n', ['a'], {}, r'it has 1 fields for 2 columns(.|\n)*row 2 behind the header'),
        ('a,b\n1,2\n3,4,5\n', ['a'], {}, 'it has 3 fields for 2 columns'),
        ('a,b\n1,2\nx,4\n', ['a'], {}, r"'x' is no number(.|\n)*column +a"),
        ('a,b\n1,2\n+-3,4\n', ['a'], {}, r"'\+-3' is no number(.|\n)*column +a"),
        ('a,b\n1,\n', ['b'], {}, 'a number is missing'),
        ('a\n0x10\n', ['a'], {}, "'0x10' is no number"),
        ('a\n1 2\n', ['a'], {}, "'1 2' is no number"),
        ('a\n7\n', ['a'], {'one_hot': {'a': 7}}, "'7' is no class from 0 to 6"),
        ('a\n1.5\n', ['a'], {'one_hot': {'a': 7}}, "'1.5' is no class"),
        ('a\n-1\n', ['a'], {'one_hot': {'a': 7}}, "'-1' is no class"),
        ('a\nblue\n', ['a'], {'one_hot': {'a': ['red']}}, "'blue' is none of the labels"),
        ('a,b\n1,2\n', {'x': ['a', 'b']}, {'one_hot': {'x': 7}}, 'in 2 columns, not in one'),
        ('a\n1\n', ['a'], {'one_hot': {'a': ['r', 'r']}}, 'label r of the stream a comes twice'),
        ('a\n"1\n', ['a'], {}, 'is no number|is missing'),
    ],
)
def test_wrong_texts(tmp_path, text, streams, options, said):
    path = tmp_path / 'a.csv'
    path.write_text(text)
    with pytest.raises((RuntimeError, ValueError), match=said) as error:
        read(C.io.CSVDeserializer(path, streams, **options))
    assert 'a.csv' in str(error.value) or 'stream' in str(error.value)


def test_any_bytes_as_a_text(tmp_path):
    path = tmp_path / 'a.csv'
    right = written(table(20)).encode()
    for seed in range(300):
        draw = random.Random(seed)
        bad = bytearray(right)
        for _ in range(draw.randrange(1, 6)):
            bad[draw.randrange(len(bad))] = draw.choice(b'",\n\r\0a1 ')
        path.write_bytes(bad)
        try:
            read(C.io.CSVDeserializer(path, ['x', 'k']), chunk=draw.choice([1, 100, 10000]))
        except (RuntimeError, ValueError):
            pass


def test_a_text_that_changes(tmp_path):
    path = tmp_path / 'a.csv'
    for change, said in (
        (lambda: path.write_text('x'), 'shorter'),
        (lambda: path.open('a').write('1,2,3\n'), 'changed'),
    ):
        path.write_text(written(table()))
        source = C.io.MinibatchSource(C.io.CSVDeserializer(path, ['x']), randomize=False)
        change()
        with pytest.raises(RuntimeError, match=said):
            source.next_minibatch(2)


@pytest.mark.parametrize(
    'call, said',
    [
        (lambda: C.io.CSVDeserializer('a', {}), 'streams'),
        (lambda: C.io.CSVDeserializer('a', {'x': [True]}), 'a column'),
        (lambda: C.io.CSVDeserializer('a', ['x'], separator=''), 'separator'),
        (lambda: C.io.CSVDeserializer('a', ['x'], separator='\u20ac'), 'separator'),
        (lambda: C.io.CSVDeserializer('a', ['x'], one_hot={'y': 2}), 'there is no stream y'),
        (lambda: C.io.CSVDeserializer('a', ['x'], header=3), 'header'),
        (lambda: C.io.NpyDeserializer({}), 'files'),
        (lambda: C.io.NpyDeserializer({'x': 3}), 'stream x'),
    ],
)
def test_wrong_calls(call, said):
    with pytest.raises((TypeError, ValueError), match=said):
        call()
