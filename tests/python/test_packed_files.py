"""Text files that are compressed: gzip by what the file begins with, zip by a path into the archive."""

import gzip
import random
import zipfile
import zlib

import numpy as np
import pytest

import cantik as C

STREAMS = C.io.StreamDefs(x=C.io.StreamDef('x', 3), w=C.io.StreamDef('w', 50, is_sparse=True))


def text(sequences=400, seed=0):
    draw = random.Random(seed)
    return ''.join(
        f'{i} |x {draw.random():.6f} {draw.gauss(0, 1):.6f} {t} |w {draw.randrange(50)}:1\n'
        for i in range(sequences)
        for t in range(1 + i % 3)
    ).encode()


def everything(path, size=50, **options):
    options = {'randomize': False, 'max_sweeps': 1, **options}
    description = C.io.CTFDeserializer(path, STREAMS)
    description['chunkSizeInBytes'] = 3000
    source = C.io.MinibatchSource(description, **options)
    found = []
    for batch in source.batches(size):
        found += [x.tobytes() for x in batch['x']] + [w.toarray().tobytes() for w in batch['w']]
    return found


def flushed(data):
    """gzip with many small blocks."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [
        packer.compress(data[i : i + 997]) + packer.flush(zlib.Z_SYNC_FLUSH) for i in range(0, len(data), 997)
    ]
    return b''.join(parts) + packer.flush()


FORMS = {
    'fast': lambda data: gzip.compress(data, 1),
    'small': lambda data: gzip.compress(data, 9),
    'stored': lambda data: gzip.compress(data, 0),
    'blocks': flushed,
    'several streams': lambda data: b''.join(
        gzip.compress(data[i : i + 5000]) for i in range(0, len(data), 5000)
    ),
    'an empty stream': lambda data: gzip.compress(b'') + gzip.compress(data),
    'zeros behind it': lambda data: gzip.compress(data) + bytes(512),
}


@pytest.mark.parametrize('form', FORMS)
@pytest.mark.parametrize('randomize', [False, True])
def test_gzip(tmp_path, form, randomize):
    plain, packed = tmp_path / 'a.ctf', tmp_path / 'a.ctf.gz'
    plain.write_bytes(text())
    packed.write_bytes(FORMS[form](text()))
    found = everything(packed, randomize=randomize)
    assert found == everything(plain, randomize=randomize) and len(found) == 800


def test_gzip_of_many_megabytes(tmp_path):
    """Longer than the distance of the places where unpacking can begin, and read from all of them."""
    plain, packed = tmp_path / 'a.ctf', tmp_path / 'a.ctf.gz'
    line = '|x ' + ' '.join(['0.12345678'] * 3) + ' |w 7:1 9:2\n'
    data = ''.join(f'{i} {line}' for i in range(400_000)).encode()
    assert len(data) > 4 * (4 << 20)
    plain.write_bytes(data)
    with gzip.open(packed, 'wb', 1) as file:
        file.write(data)
    for seed in range(2):
        options = {'randomization_seed': seed, 'randomization_window_in_chunks': 2, 'max_sweeps': 1}
        found = []
        for path in (plain, packed):
            description = C.io.CTFDeserializer(path, STREAMS)
            description['chunkSizeInBytes'] = 1 << 20
            source = C.io.MinibatchSource(description, **options)
            state, numbers = None, []
            for k in range(40):
                batch = source.next_minibatch(5000)
                numbers.append(batch[source.streams.x].asarray().sum())
                state = source.get_checkpoint_state() if k == 20 else state
            source.restore_from_checkpoint(state)
            again = [source.next_minibatch(5000)[source.streams.x].asarray().sum() for _ in range(19)]
            assert again == numbers[21:]
            found.append(numbers)
        assert found[0] == found[1]


@pytest.mark.parametrize('method', [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_zip(tmp_path, method):
    plain, packed = tmp_path / 'a.ctf', tmp_path / 'a.zip'
    plain.write_bytes(text())
    with zipfile.ZipFile(packed, 'w', method) as archive:
        archive.writestr('other.txt', 'x' * 1000)
        archive.writestr('in/a.ctf', text())
    assert everything(f'{packed}@/in/a.ctf') == everything(plain)
    with pytest.raises(RuntimeError, match='the zip archive has no file in/b.ctf'):
        everything(f'{packed}@/in/b.ctf')


@pytest.mark.parametrize('keep', [2, 5, 20, 0.3, 0.9, -9, -1])
def test_gzip_that_ends_too_early(tmp_path, keep):
    data = gzip.compress(text())
    end = int(len(data) * keep) if 0 < keep < 1 else keep
    path = tmp_path / 'a.gz'
    path.write_bytes(data[:end])
    with pytest.raises(RuntimeError, match=r'a\.gz cannot be read: its compressed data end too early'):
        everything(path)


def test_damaged_gzip(tmp_path):
    data, path, refused = gzip.compress(text()), tmp_path / 'a.gz', 0
    whole = text()
    for seed in range(60):
        draw = random.Random(seed)
        bad = bytearray(data)
        at = draw.randrange(10, len(bad))
        bad[at] ^= 1 << draw.randrange(8)
        path.write_bytes(bad)
        try:
            right = gzip.decompress(bad) == whole
        except Exception:
            right = False
        if right:
            continue
        refused += 1
        with pytest.raises(RuntimeError, match='cannot be read'):
            everything(path)
    assert refused > 40


def test_an_error_names_the_line(tmp_path):
    path = tmp_path / 'a.ctf.gz'
    path.write_bytes(gzip.compress(text() + b'1000 |x 1 2 3 4\n'))
    with pytest.raises(RuntimeError, match=r'a\.ctf\.gz, line 800, column'):
        everything(path)


def test_labels_of_speech(tmp_path):
    mlf = '#!MLF!#\n' + ''.join(f'"u{i}.lab"\n0 {i + 1}00000 s{i % 3}\n.\n' for i in range(20))
    (tmp_path / 'a.mlf').write_text(mlf)
    (tmp_path / 'a.mlf.gz').write_bytes(gzip.compress(mlf.encode()))
    (tmp_path / 'names').write_text('s0\ns1\ns2\n')
    found = []
    for name in ('a.mlf', 'a.mlf.gz'):
        streams = C.io.StreamDefs(y=C.io.StreamDef(shape=3, mlf=str(tmp_path / name)))
        source = C.io.MinibatchSource(C.io.HTKMLFDeserializer(tmp_path / 'names', streams), randomize=False)
        found.append([y.toarray().tolist() for batch in source for y in batch['y']])
    assert found[0] == found[1] and len(found[0]) == 20


def test_an_empty_one(tmp_path):
    path = tmp_path / 'a.gz'
    path.write_bytes(gzip.compress(b''))
    with pytest.raises(RuntimeError, match='is empty'):
        everything(path)


def test_it_changes_while_it_is_read(tmp_path):
    path = tmp_path / 'a.gz'
    path.write_bytes(gzip.compress(text(4000)))
    description = C.io.CTFDeserializer(path, STREAMS)
    description['chunkSizeInBytes'] = 3000
    source = C.io.MinibatchSource(description, randomize=False)
    source.next_minibatch(10)
    path.write_bytes(gzip.compress(text(4000, seed=1)))
    with pytest.raises(RuntimeError, match='cannot be read'):
        for _ in range(100):
            assert np.isfinite(source.next_minibatch(100)[source.streams.x].asarray()).all()
