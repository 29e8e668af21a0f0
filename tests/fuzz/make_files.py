"""Writes the files from which the fuzzers of readers start, and which a unit test damages: small ones of each
kind, behind a byte that says how they are read.

    python3 tests/fuzz/make_files.py
"""

import importlib.util
from pathlib import Path

HERE = Path(__file__).resolve().parent


def golden(name):
    """The module of tests/golden that writes files of a format."""
    spec = importlib.util.spec_from_file_location(name, HERE.parent / 'golden' / f'{name}.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def keep(folder, name, options, data):
    path = HERE / 'corpus' / folder
    path.mkdir(parents=True, exist_ok=True)
    (path / name).write_bytes(bytes([options]) + data)


def binary_format():
    cbf = golden('cbf_cntk')
    doubles = [('x', False, True, 2), ('words', True, True, 7)]
    files = {
        'samples': (0, cbf.XY, cbf.in_chunks([1] * 6, 4)),
        'sequences': (1, cbf.XY, cbf.in_chunks([2, 1, 3, 2], 2)),
        'parts': (2, [('x', False, False, 1)], [[[[[1.5]] * n] for n in (3, 1, 4)]]),
        'doubles': (3, doubles, [[], [cbf.sequence(1, 2)]]),
        'lengths': (0, cbf.XY, [[cbf.sequence(1, 3, 1), cbf.sequence(2, 1, 2)]]),
    }
    for name, (options, streams, chunks) in files.items():
        scratch = HERE / 'corpus' / 'scratch'
        cbf.write(scratch, streams, chunks)
        keep('binary_format', name, options, scratch.read_bytes())
        scratch.unlink()


def speech():
    speech = golden('speech_cntk')
    scratch = HERE / 'corpus' / 'scratch'

    def write(folder, name, options, write, *arguments, **more):
        write(str(scratch), *arguments, **more)
        keep(folder, name, options, scratch.read_bytes())
        scratch.unlink()

    rows = [[t, 2 * t + 1, 0.5 - t] for t in range(4)]
    for name, options, more in (
        ('plain', 0, {}),
        ('context', 0x30, dict(order='<')),
        ('compressed', 0x11, dict(compressed=True)),
        ('frames', 4, dict(crc=True, compressed=True)),
        ('parts', 2, dict(kind=speech.MFCC_E)),
    ):
        write('htk_archive', name, options, speech.write_archive, rows, **more)
    for name, options, lines in (
        ('ranges', 0, ['a=.../901[0,2]', 'b.x=.../901[3,3]', 'c=.../901[4,9]']),
        ('whole', 1, ['a.b.mfc=.../901', '', '7=.../901[1,1]']),
        ('twice', 4, ['a=.../901[0,2]', 'a=.../901[3,4]', 'b=.../901[0,0]']),
        ('path', 2, ['.../901[2,5]', '/proc/self/fd/901']),
    ):
        write('htk_script', name, options, speech.write_script, lines)
    few = speech.UTTERANCES[:3]
    for name, options, more in (
        ('plain', 0, {}),
        ('frames', 4 | 16, dict(prefix='*/', columns=' -1 w')),
        ('chunks', 1 | 32, dict(scale=1)),
        ('errors', 2 | 64, dict(end='\r\n')),
    ):
        write('htk_text_labels', name, options, speech.write_mlf, few, **more)
    numbered = [(u, runs) for u, (_, runs) in enumerate(few)]
    for name, options, utterances, version in (
        ('names', 0, few, 2),
        ('numbers', 1, numbered, 1),
        ('frames', 4 | 32, few, 2),
        ('errors', 2 | 64, [('a', [(9, 1)]), *few], 2),
    ):
        write('htk_binary_labels', name, options, speech.write_binary_mlf, utterances, version)

    for name, options, contents in (
        ('plain', 0, b'a=/proc/self/fd/902[4]\nb=[28]\n'),
        ('backwards', 1, b'a=/proc/self/fd/902[50]\nb=/proc/self/fd/902[2]\r\n\nc=[97]'),
        ('twice', 2, b'a=/proc/self/fd/902[0]\na=[28]\nb=[40]\n'),
        ('frames', 4, b'a=/proc/self/fd/902[4]\nb=[28]\n'),
    ):
        keep('htk_lattices', name, options, contents)


def tables():
    import io
    import zipfile

    import numpy as np

    for name, options, text in (
        ('plain', 0, '1,Bonn,2.5\n3,Kiel,-1e3\n'),
        ('header', 8 | 32, 'x,y,town\n1,2,Kiel\n,3,"Bonn"\n'),
        ('quotes', 1 | 8, '"x","to""wn",town,y\r\n"1","a\nb",Kiel,2\r\n\r\n4,",",Bonn,0\r\n'),
        ('classes', 2 | 16 | 64, '1;Bonn;2\n2;Kiel;0'),
    ):
        keep('csv', name, options, text.encode())

    def array(values):
        file = io.BytesIO()
        np.save(file, values)
        return file.getvalue()

    for name, options, values in (
        ('floats', 0, np.arange(6, dtype='f').reshape(2, 3)),
        ('doubles', 32, np.arange(4.0)),
        ('labels', 16 | 1, np.array([3, 0, 4], np.int64)),
        ('order', 2, np.asfortranarray(np.arange(6, dtype='>i2').reshape(3, 2))),
        ('halves', 0, np.ones((2, 1, 2), np.float16)),
    ):
        keep('npy', name, options, array(values))
    for name, options, packing in (
        ('stored', 0, zipfile.ZIP_STORED),
        ('packed', 1, zipfile.ZIP_DEFLATED),
        ('truncated', 2, zipfile.ZIP_DEFLATED),
        ('frames', 4, zipfile.ZIP_STORED),
    ):
        file = io.BytesIO()
        with zipfile.ZipFile(file, 'w', packing) as archive:
            for key, values in (('x', np.arange(4, dtype='f')), ('y', np.ones((4, 2), np.uint8))):
                archive.writestr(zipfile.ZipInfo(key + '.npy'), array(values), packing)
        keep('npz', name, options, file.getvalue())


def lists():
    for name, text in (
        ('plain', 'a.jpg\t3\nb.png\t0\n'),
        ('keys', '7\t.../a.jpg\t3\r\n9\t/tmp/b.png\t9'),
        ('blank', '\n\na b.jpg\t1\n\n'),
        ('classes', 'a.jpg\t10\nb.jpg\t-1\n'),
    ):
        keep('image_list', name, 0, text.encode())


def indexes():
    """Lists of indexes of the text that the fuzzer has: eight sequences, as ctf_index_file.h says."""
    import struct

    def listed(code, *numbers):
        return struct.pack('<Q', len(numbers)) + struct.pack(f'<{len(numbers)}{code}', *numbers)

    def packed(numbers, blocks=(), data=b''):
        """Numbers behind the blocks; without any, all are one."""
        size = 128 * len(blocks) + (len(numbers) if len(set(numbers)) > 1 else 0)
        head = struct.pack('<Qq', size or len(numbers), numbers[0] if numbers else blocks[0][0])
        rest = numbers if size > 128 * len(blocks) else []
        places = b''.join(struct.pack('<qqQ', *block) for block in blocks)
        return head + struct.pack('<Q', len(blocks)) + places + listed('q', *rest) + listed('B', *data)

    def texts(*all):
        return struct.pack('<Q', len(all)) + b''.join(struct.pack('<qqq', *t) for t in all)

    for name, contents in (
        ('one', listed('I', 0) + packed([2, 1, 2]) + packed([0, 0, 3]) + texts((0, 28, 0))),
        ('chunks', listed('I', 0, 2) + packed([1, 1, 1]) + packed([0] * 3) + texts((0, 14, 0), (14, 40, 2))),
        ('gaps', listed('I', 0) + packed([1, 2]) + packed([5, -255]) + texts((3, 7, 0), (10, 14, 1))),
        (
            'blocks',
            listed('I', 0) + packed([], [(1, 0, 1)], bytes(128)) + packed([7] * 128) + texts((0, 60, 0)),
        ),
        (
            'wide',
            listed('I', 0) + packed([1], [(1, 0, 2)], bytes(256)) + packed([7] * 129) + texts((0, 60, 0)),
        ),
    ):
        path = HERE / 'corpus' / 'ctf_index'
        path.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(contents)


if __name__ == '__main__':
    binary_format()
    speech()
    tables()
    lists()
    indexes()
