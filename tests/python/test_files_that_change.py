"""Data files that are cut, emptied, lengthened, replaced or removed while they are read: what comes is what
the file had when it was opened, or an error that names the file."""

import gzip
import importlib.util
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

import cantik as C

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'
ROWS, MOMENTS = 400, ('opened', 'begun')


def speech():
    spec = importlib.util.spec_from_file_location('speech_cntk', GOLDEN / 'speech_cntk.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text():
    return b''.join(b'%d |x %d %d\n' % (i // 2, i, -i) for i in range(ROWS))


def ctf(folder, name='data.ctf', contents=None):
    path = folder / name
    path.write_bytes(text() if contents is None else contents)
    return path, C.io.CTFDeserializer(path, C.io.StreamDefs(x=C.io.StreamDef('x', 2)))


def ctf_in_gzip(folder):
    return ctf(folder, 'data.ctf.gz', gzip.compress(text()))


def ctf_in_zip(folder):
    path = folder / 'data.zip'
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as z:
        z.writestr('data.ctf', text())
    return path, C.io.CTFDeserializer(f'{path}@/data.ctf', C.io.StreamDefs(x=C.io.StreamDef('x', 2)))


def cbf(folder):
    path = folder / 'data.cbf'
    C.io.write_cbf(path, ctf(folder)[1], chunk_size_in_bytes=500)
    return path, C.io.CBFDeserializer(path)


def csv(folder):
    path = folder / 'data.csv'
    path.write_text('x,y\n' + ''.join(f'{i},{-i}\n' for i in range(ROWS)))
    return path, C.io.CSVDeserializer(path, {'x': ['x', 'y']})


def npy(folder):
    path = folder / 'data.npy'
    np.save(path, np.arange(2 * ROWS, dtype=np.float32).reshape(ROWS, 2))
    return path, C.io.NpyDeserializer({'x': path})


def htk(folder):
    m = speech()
    path = folder / 'data.mfc'
    m.write_archive(str(path), np.arange(2 * ROWS).reshape(ROWS, 2) % 1000)
    script = m.write_script(
        str(folder / 'script'), [f'u{i}.mfc={path}[{4 * i},{4 * i + 3}]' for i in range(ROWS // 4)]
    )
    return path, C.io.HTKFeatureDeserializer(C.io.StreamDefs(x=C.io.StreamDef(shape=2, scp=script)))


def mlf(folder):
    m = speech()
    path = folder / 'data.mlf'
    m.write_mlf(str(path), [(f'u{i}', [(i % 3, 2), (1, 1)]) for i in range(ROWS // 4)])
    names = m.write_script(str(folder / 'names'), m.NAMES)
    return path, C.io.HTKMLFDeserializer(names, C.io.StreamDefs(x=C.io.StreamDef(shape=4, mlf=str(path))))


def pictures_in_zip(folder):
    path = folder / 'pictures.zip'
    names = ['rgb.png', 'square.png', 'grey.jpg', 'progressive.jpg'] * 5
    with zipfile.ZipFile(path, 'w') as z:
        for i, name in enumerate(names):
            z.write(GOLDEN / 'images' / name, f'{i}{name[-4:]}')
    (folder / 'list.txt').write_text(''.join(f'{path}@/{i}{n[-4:]}\t0\n' for i, n in enumerate(names)))
    scale = C.io.transforms.scale(width=5, height=4, channels=3)
    return path, C.io.ImageDeserializer(
        folder / 'list.txt', C.io.StreamDefs(x=C.io.StreamDef('image', transforms=[scale]))
    )


KINDS = [ctf, ctf_in_gzip, ctf_in_zip, cbf, csv, npy, htk, mlf, pictures_in_zip]


def rows(source, size):
    """Minibatches of the stream x, as lists of numbers."""
    x = source.streams.x
    while batch := source.next_minibatch(size):
        data = batch[x]
        yield [
            np.asarray(s.toarray() if x.storage_format == 'sparse' else s).tolist()
            for s in data.as_sequences(
                C.sequence.input_variable(x.sample_shape, is_sparse=x.storage_format == 'sparse')
            )
        ]


def change(path, how):
    data = path.read_bytes()
    if how == 'cut':
        os.truncate(path, len(data) // 2)
    elif how == 'emptied':
        os.truncate(path, 0)
    elif how == 'lengthened':
        with open(path, 'ab') as f:
            f.write(data[: len(data) // 3])
    elif how == 'replaced':
        other = path.with_suffix('.other')
        other.write_bytes(data[::-1])
        os.replace(other, path)
    elif how == 'written over':
        with open(path, 'r+b') as f:
            f.seek(len(data) // 3)
            f.write(bytes(255 - b for b in data[len(data) // 3 :]))
    else:
        assert how == 'removed'
        path.unlink()


@pytest.mark.parametrize('moment', MOMENTS)
@pytest.mark.parametrize('how', ['cut', 'emptied', 'lengthened', 'replaced', 'written over', 'removed'])
@pytest.mark.parametrize('kind', KINDS, ids=lambda k: k.__name__)
def test_a_file_that_changes(tmp_path, kind, how, moment):
    if (kind, how, moment) == (htk, 'written over', 'opened'):
        return  # an archive is opened with its first chunk: what was written before is what it has
    path, described = kind(tmp_path)
    described['chunkSizeInBytes'] = 500  # of those that ask for it
    options = dict(randomize=False, max_sweeps=1, multithreaded_deserializer=False)
    expected = [r for batch in rows(C.io.MinibatchSource(described, **options), 7) for r in batch]
    assert len(expected) >= 20
    source = C.io.MinibatchSource(described, **options)
    found = []
    try:
        batches = rows(source, 7)
        if moment == 'begun':
            found += next(batches)
        change(path, how)
        for batch in batches:
            found += batch
    except RuntimeError as e:
        assert path.name in str(e)
        assert found == expected[: len(found)]
    else:
        # whoever has the file open reads on in a file that was removed or replaced
        assert found == expected
        assert moment == 'begun' or how in ('removed', 'replaced', 'lengthened')


@pytest.mark.parametrize('how', ['cut', 'emptied', 'removed'])
@pytest.mark.parametrize('kind', KINDS, ids=lambda k: k.__name__)
def test_a_file_that_was_changed_before(tmp_path, kind, how):
    if how == 'cut' and kind in (ctf, csv, mlf):
        return  # what is left of a text is a text
    path, described = kind(tmp_path)
    change(path, how)
    with pytest.raises(RuntimeError, match=path.name):
        for _ in rows(C.io.MinibatchSource(described, max_sweeps=1), 7):
            pass
