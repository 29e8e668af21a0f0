"""cache_index: the index of a text file in a file beside it, and whatever may happen to that file."""

import os
import random
import shutil
import struct
import zlib
from pathlib import Path

import pytest

import cantik as C

STREAMS = C.io.StreamDefs(x=C.io.StreamDef('x', 2), w=C.io.StreamDef('w', 50, is_sparse=True))


def write(path, sequences=3000, ids=True, seed=0):
    draw = random.Random(seed)
    with open(path, 'w') as file:
        for i in range(sequences):
            for t in range(1 + draw.randrange(3)):
                head = f'{i * 3} ' if ids else ''
                file.write(f'{head}|x {draw.random():.3f} {t} |w {draw.randrange(50)}:1\n')


@pytest.fixture
def path(tmp_path):
    write(tmp_path / 'a.ctf')
    return tmp_path / 'a.ctf'


def index_of(path):
    found = list(path.parent.glob(path.name + '.*.index'))
    assert len(found) == 1
    return found[0]


def source(path, cache_index=True, streams=STREAMS, **entries):
    description = C.io.CTFDeserializer(path, streams, cache_index=cache_index)
    description.update({'chunkSizeInBytes': 4000, **entries})
    return C.io.MinibatchSource(description, randomization_seed=1)


def everything(opened):
    return [part.tobytes() for batch in opened.batches(100) for part in batch['x']]


@pytest.mark.parametrize('ids', [True, False])
def test_the_same_data(tmp_path, ids):
    path = tmp_path / 'a.ctf'
    write(path, ids=ids)
    expected = everything(source(path, False))
    assert not list(tmp_path.glob('*.index'))
    assert everything(source(path)) == expected
    made = index_of(path).stat()
    assert everything(source(path)) == expected
    kept = index_of(path).stat()
    assert (kept.st_mtime_ns, kept.st_ino) == (made.st_mtime_ns, made.st_ino)


def test_it_is_taken_from_the_file(path):
    """A right index of other borders, with a right check sum, shows that nothing else is looked at."""
    source(path)
    index = index_of(path)
    data = index.read_bytes()
    # a text of the same size, time and samples would be needed to see another one: here one key is changed
    header = 64 + 8
    assert data[:8] == b'cantikix' and len(data) > header
    changed = bytearray(data)
    chunks = struct.unpack_from('<q', data, 56)[0]
    width = data[header + 8]
    keys = header + 9 + width * min(chunks, 256)
    low = struct.unpack_from('<q', changed, keys)[0]
    struct.pack_into('<q', changed, keys, low + 1000)
    changed[-8:] = struct.pack('<Q', crc64(changed[:-8]))
    index.write_bytes(changed)
    key = crc64(b'123456789')
    assert key == 0x995DC9BBDF1939FA
    assert everything(source(path)) == everything(source(path, False))
    assert index.read_bytes() == changed  # it holds


def crc64(data):
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0xC96C5795D7870F42 if byte & 1 else 0)
        table.append(byte)
    state = 2**64 - 1
    for byte in data:
        state = state >> 8 ^ table[(state ^ byte) & 255]
    return state ^ 2**64 - 1


def test_of_another_text(path):
    source(path)
    index = index_of(path)
    old, stat = index.read_bytes(), path.stat()
    # longer; of the same size, later; of the same size and time
    with open(path, 'a') as file:
        file.write('99999 |x 1 2 |w 3:1\n')
    assert everything(source(path)) == everything(source(path, False)) and index.read_bytes() != old
    text = path.read_text()
    path.write_text(text[: text.index('\n') + 1].replace('0 |x', '1 |x', 1) + text[text.index('\n') + 1 :])
    assert everything(source(path)) == everything(source(path, False))
    write(path)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    source(path)
    kept = index.read_bytes()
    first = path.read_bytes()
    path.write_bytes(b'7' + first[1:])  # in the first sample of the text
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert everything(source(path)) == everything(source(path, False)) and index.read_bytes() != kept


def test_options_have_indexes_of_their_own(path):
    source(path)
    one = index_of(path).read_bytes()
    assert everything(source(path, chunkSizeInBytes=9000)) == everything(
        source(path, False, chunkSizeInBytes=9000)
    )
    assert index_of(path).read_bytes() != one
    counted = C.io.StreamDefs(x=C.io.StreamDef('x', 2, defines_mb_size=True))
    source(path, streams=counted)
    source(path, skipSequenceIds=True)
    names = {p.name for p in path.parent.glob('*.index')}
    assert names == {'a.ctf._.0.index', 'a.ctf.x.0.index', 'a.ctf._.1.index'}


@pytest.mark.parametrize('how', ['cut', 'flip', 'sum', 'noise', 'longer', 'empty', 'other'])
def test_damaged(path, how):
    """Nothing but the index itself is taken for it; what is wrong is made anew."""
    expected = everything(source(path))
    index = index_of(path)
    right = index.read_bytes()
    for seed in range(40 if how in ('cut', 'flip', 'sum') else 2):
        draw = random.Random(seed)
        bad = bytearray(right)
        at = draw.randrange(len(bad))
        if how == 'cut':
            del bad[at:]
        elif how == 'flip':
            bad[at] ^= 1 << draw.randrange(8)
        elif how == 'sum':  # with a right check sum: what is in it is looked at
            at = draw.randrange(48, len(bad) - 8)
            bad[at] ^= 1 << draw.randrange(8)
            bad[-8:] = struct.pack('<Q', crc64(bad[:-8]))
        elif how == 'noise':
            bad[72:-8] = draw.randbytes(len(bad) - 80)
            bad[-8:] = struct.pack('<Q', crc64(bad[:-8]))
        elif how == 'longer':
            bad += bytes(100)
        elif how == 'other':
            bad = bytearray(zlib.compress(bytes(bad)))
        else:
            bad = bytearray()
        index.write_bytes(bad)
        try:
            found = everything(source(path))
        except (RuntimeError, ValueError):
            assert how == 'sum'  # borders that are none: the text is not as they say
            continue
        assert found == expected or how == 'sum'
        if how != 'sum':
            assert index.read_bytes() == right
    index.unlink()
    assert everything(source(path)) == expected


def test_where_it_cannot_be_kept(path):
    folder = path.with_name(path.name + '._.0.index')
    folder.mkdir()
    with pytest.warns(RuntimeWarning, match='is not kept in .*index'):
        opened = source(path)
    assert everything(opened) == everything(source(path, False))


def test_of_gzip(path):
    import gzip

    packed = path.with_suffix('.gz')
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for _ in range(2):
        assert everything(source(packed)) == everything(source(path, False))
    shutil.copy(index_of(packed), Path(str(path) + '._.0.index'))
    assert everything(source(path)) == everything(source(path, False))


def test_empty_and_wrong_texts_have_none(tmp_path):
    path = tmp_path / 'a.ctf'
    for text in ('', 'abc\n'):
        path.write_text(text)
        with pytest.raises(RuntimeError):
            source(path)
    assert not list(tmp_path.glob('*.index'))
    with pytest.raises(TypeError, match='cache_index'):
        C.io.CTFDeserializer(path, STREAMS, cache_index='yes')
