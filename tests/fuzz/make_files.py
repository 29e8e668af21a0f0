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


if __name__ == '__main__':
    binary_format()
