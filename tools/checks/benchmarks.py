"""The benchmarks of the kernels compile: they use private parts of the library, and no test builds them."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from checks.tree import ROOT, name, with_suffix

COMMAND = ['g++', '-std=c++20', '-fsyntax-only', *(f'-I{ROOT / f}' for f in ('include', 'src', 'benchmarks'))]


def complaint(file):
    """What the compiler says of a file; nothing where it is content."""
    done = subprocess.run([*COMMAND, file], capture_output=True, text=True, check=False)
    return f'{name(file)} does not compile:\n{done.stderr[:800]}' if done.returncode else ''


def problems():
    files = with_suffix('.cc', under=['benchmarks/kernels'])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(complaint, files))
