"""cold_start: a new process until the package is imported, and until a first result; milliseconds. Sizes on
disk; megabytes."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import arguments, emit, wanted

args = arguments()
PROGRAMS = dict(
    python='pass',
    numpy='import numpy',
    cantik='import cantik',
    first_forward='import cantik as C, numpy as np; x = C.input_variable(784); '
    'C.layers.Dense(10)(x).eval({x: np.zeros((1, 784), np.float32)})',
)
found = {}
for _ in range(args.reps + 1):
    for name, program in PROGRAMS.items():
        begin = time.perf_counter()
        subprocess.run([sys.executable, '-c', program], check=True)
        found.setdefault(name, []).append((time.perf_counter() - begin) * 1e3)
for name, times in found.items():
    if wanted(args, name):
        emit('cold_start', name, 'ms', times[1:], args.threads, first=times[0])
emit(
    'cold_start',
    'beyond_numpy',
    'ms',
    [a - b for a, b in zip(found['cantik'][1:], found['numpy'][1:])],
    args.threads,
)

import cantik  # noqa: F401  so that its library is loaded

loaded = next(line.split()[-1] for line in open('/proc/self/maps') if 'libcantik.so' in line)
with tempfile.TemporaryDirectory() as folder:
    stripped = Path(folder) / 'libcantik.so'  # as it is installed
    subprocess.run(['strip', '-o', str(stripped), loaded], check=True)
    emit('cold_start', 'library', 'MB', [stripped.stat().st_size / 1e6], args.threads)
for wheel in sorted((Path(__file__).resolve().parents[2] / 'dist').glob('cantik-*.whl')):
    emit('cold_start', 'wheel', 'MB', [wheel.stat().st_size / 1e6], args.threads)
