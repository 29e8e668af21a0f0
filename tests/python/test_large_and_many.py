"""Every reader of files with a million tiny sequences, and with one of 100 MB."""

import struct

import numpy as np
import pytest

import cantik as C

MANY = 1_000_000
LONG = 100 << 20  # bytes


def tiny(tmp_path, kind):
    path = tmp_path / f'data.{kind}'
    if kind == 'ctf':
        path.write_bytes(b''.join(b'|x %d\n' % (i % 10) for i in range(MANY)))
        return C.io.CTFDeserializer(path, C.io.StreamDefs(x=C.io.StreamDef('x', 1)), cache_index=True)
    if kind == 'csv':
        path.write_bytes(b'x\n' + b''.join(b'%d\n' % (i % 10) for i in range(MANY)))
        return C.io.CSVDeserializer(path, ['x'])
    if kind == 'npy':
        np.save(path, (np.arange(MANY) % 10).astype(np.float32))
        return C.io.NpyDeserializer({'x': path})
    assert kind == 'cbf'
    text = tmp_path / 'text.ctf'
    text.write_bytes(b''.join(b'|x %d\n' % (i % 10) for i in range(MANY)))
    C.io.write_cbf(path, C.io.CTFDeserializer(text, C.io.StreamDefs(x=C.io.StreamDef('x', 1))))
    return C.io.CBFDeserializer(path)


@pytest.mark.parametrize('kind', ['ctf', 'csv', 'npy', 'cbf'])
@pytest.mark.parametrize('randomize', [False, True])
def test_a_million_tiny_sequences(tmp_path, kind, randomize):
    source = C.io.MinibatchSource(tiny(tmp_path, kind), randomize=randomize, minibatch_size=100_000)
    assert len(source) == 10
    found = np.concatenate([batch['x'].ravel() for batch in source])
    assert found.size == MANY and (np.bincount(found.astype(int)) == MANY // 10).all()
    assert (found[:20].tolist() == [i % 10 for i in range(20)]) is not randomize


def long(tmp_path, kind):
    path = tmp_path / f'data.{kind}'
    if kind == 'ctf':
        line = b'0 |x 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7\n'
        path.write_bytes(line * (LONG // len(line)))
        return C.io.CTFDeserializer(path, C.io.StreamDefs(x=C.io.StreamDef('x', 16))), LONG // len(line), 16
    if kind == 'csv':  # one row, in one stream
        count = LONG // 1000
        path.write_bytes(b','.join([b'1' + b' ' * 998] * count) + b'\n')
        return C.io.CSVDeserializer(path, {'x': list(range(count))}, header=False), 1, count
    if kind == 'npy':
        np.save(path, np.ones((1, LONG // 4), np.float32))
        return C.io.NpyDeserializer({'x': path}), 1, LONG // 4
    assert kind == 'htk'
    frames, dim = LONG // 400, 100
    header = struct.pack('>iihh', frames, 100000, 4 * dim, 9)
    path.write_bytes(header + np.ones((frames, dim), '>f4').tobytes())
    (tmp_path / 'a.scp').write_text(f'one={path}[0,{frames - 1}]\n')
    streams = C.io.StreamDefs(x=C.io.StreamDef(shape=dim, context=(0, 0), scp=str(tmp_path / 'a.scp')))
    return C.io.HTKFeatureDeserializer(streams), frames, dim


@pytest.mark.parametrize('kind', ['ctf', 'csv', 'npy', 'htk'])
def test_a_sequence_of_100_megabytes(tmp_path, kind):
    description, steps, dim = long(tmp_path, kind)
    source = C.io.MinibatchSource(description, max_sweeps=1)
    (batch,) = list(source.batches(10))  # at least one sequence
    (x,) = batch['x']
    assert x.size == steps * dim and x.ravel()[0] == 1


@pytest.mark.parametrize('kind', ['ctf', 'csv', 'npy', 'cbf', 'htk'])
def test_no_bytes_and_no_file(tmp_path, kind):
    path = tmp_path / 'data'
    script = tmp_path / 'a.scp'
    script.write_text(f'one={path}[0,1]\n')

    def opened():
        return C.io.MinibatchSource(
            {
                'ctf': lambda: C.io.CTFDeserializer(path, C.io.StreamDefs(x=C.io.StreamDef('x', 1))),
                'csv': lambda: C.io.CSVDeserializer(path, ['x']),
                'npy': lambda: C.io.NpyDeserializer({'x': path}),
                'cbf': lambda: C.io.CBFDeserializer(path),
                'htk': lambda: C.io.HTKFeatureDeserializer(
                    C.io.StreamDefs(x=C.io.StreamDef(shape=2, context=(0, 0), scp=str(script)))
                ),
            }[kind]()
        )

    with pytest.raises(RuntimeError, match='data'):
        opened()
    path.write_bytes(b'')
    with pytest.raises(RuntimeError, match='data'):
        opened()
    path.unlink()
    path.mkdir()
    with pytest.raises(RuntimeError, match='it is not a regular file'):
        opened()
