"""Ctrl-C ends calls that wait for a drive which does not answer, whatever the format."""

import os
import signal
import subprocess
import sys
import time

import pytest

from building import PACKAGE, SOURCES, compiled, needs_compiler

pytestmark = needs_compiler

WRITE = '''
import os, signal, struct, sys, zlib
import numpy as np
import cantik as C

signal.signal(signal.SIGINT, signal.default_int_handler)
folder, kind, moment = sys.argv[1:]
path = f'{folder}/data.{kind}'
ROWS = 3000

def png(value):
    part = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    size = struct.pack('>IIBBBBB', 2, 2, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes([0] + [value] * 6) * 2)
    return b'\\x89PNG\\r\\n\\x1a\\n' + part(b'IHDR', size) + part(b'IDAT', rows) + part(b'IEND', b'')

def ctf():
    with open(path, 'w') as f:
        f.writelines(f'|x {i} {-i}\\n' for i in range(ROWS))
    return lambda: C.io.CTFDeserializer(path, C.io.StreamDefs(x=C.io.StreamDef('x', 2)))

def cbf():
    text = f'{folder}/text.ctf'
    with open(text, 'w') as f:
        f.writelines(f'|x {i} {-i}\\n' for i in range(ROWS))
    plain = C.io.CTFDeserializer(text, C.io.StreamDefs(x=C.io.StreamDef('x', 2)))
    C.io.write_cbf(path, plain, chunk_size_in_bytes=1000)
    return lambda: C.io.CBFDeserializer(path)

def csv():
    with open(path, 'w') as f:
        f.writelines(f'{i},{-i}\\n' for i in range(ROWS))
    return lambda: C.io.CSVDeserializer(path, {'x': [0, 1]}, header=False)

def npy():
    np.save(path, np.ones((ROWS, 2), np.float32))
    return lambda: C.io.NpyDeserializer({'x': path})

def htk():
    with open(path, 'wb') as f:
        f.write(struct.pack('>iihh', ROWS, 100000, 8, 9) + np.ones((ROWS, 2), '>f4').tobytes())
    with open(f'{folder}/script', 'w') as f:
        f.writelines(f'u{i}.mfc={path}[{3 * i},{3 * i + 2}]\\n' for i in range(ROWS // 3))
    streams = C.io.StreamDefs(x=C.io.StreamDef(shape=2, context=(0, 0), scp=f'{folder}/script'))
    return lambda: C.io.HTKFeatureDeserializer(streams)

def mlf():
    with open(path, 'w') as f:
        f.write('#!MLF!#\\n')
        f.writelines(f'"u{i}.lab"\\n0 100000 a\\n.\\n' for i in range(ROWS))
    with open(f'{folder}/names', 'w') as f:
        f.write('a\\n')
    return lambda: C.io.HTKMLFDeserializer(f'{folder}/names', C.io.StreamDefs(x=C.io.StreamDef(shape=1, mlf=path)))

def pictures():
    with open(f'{folder}/list', 'w') as f:
        for i in range(50):
            with open(f'{folder}/data{i}.png', 'wb') as picture:
                picture.write(png(i))
            f.write(f'{folder}/data{i}.png\\t0\\n')
    streams = C.io.StreamDefs(x=C.io.StreamDef(field='image', transforms=[]))
    return lambda: C.io.ImageDeserializer(f'{folder}/list', streams)

describe = dict(ctf=ctf, cbf=cbf, csv=csv, npy=npy, htk=htk, mlf=mlf, pictures=pictures)[kind]()
stall = lambda: open(os.environ['STALLED'], 'w').close()
'''

RUN = (
    WRITE
    + '''
def reached(now):
    if moment == now:
        stall()
        print('waits', flush=True)

reached('opened')
source = C.io.MinibatchSource(describe(), max_sweeps=C.io.INFINITELY_REPEAT, minibatch_size=10)
reached('begun')
assert source.next_minibatch(1)
reached('read')
while True:  # what has been read comes still
    assert source.next_minibatch(10)
'''
)
KINDS = ['ctf', 'cbf', 'csv', 'npy', 'htk', 'mlf', 'pictures']
CASES = [(kind, moment) for kind in KINDS for moment in ('opened', 'begun')]
CASES += [('cbf', 'read'), ('pictures', 'read')]  # of several chunks


@pytest.mark.parametrize(('kind', 'moment'), CASES)
def test_ctrl_c(tmp_path, kind, moment):
    shim = compiled(tmp_path / 'stalled_drive.so', SOURCES / 'stalled_drive.c')
    environment = {
        **os.environ,
        'PYTHONPATH': PACKAGE,
        'LD_PRELOAD': shim,
        'STALLED': str(tmp_path / 'stalled'),
    }
    with subprocess.Popen(
        [sys.executable, '-c', RUN, str(tmp_path), kind, moment],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline() == 'waits\n', process.stderr.read()
            time.sleep(0.5)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGINT and said.rstrip().endswith('KeyboardInterrupt'), said
