"""plugin_op: an operator from a library outside the tree, in a chain of 20 on a 1 x 10 tensor, beyond a
built-in one of the same work; microseconds a call.

Also seconds to configure and to build a library of operators, and what an operator with a loop of its own
costs, which nothing built in stands against."""

import subprocess
import tempfile
import time
from pathlib import Path

from timing import arguments, cantik_with, emit, np, seconds_per_call, wanted

from cantik.commands import config

CHAIN = 20
HERE = Path(__file__).resolve().parent
args = arguments()
C = cantik_with(args.threads)


def built(source, folder):
    """(seconds to configure, to build) of a library from nothing."""
    begin = time.perf_counter()
    subprocess.run(
        [
            'cmake',
            '-S',
            str(source),
            '-B',
            str(folder),
            '-DCMAKE_BUILD_TYPE=Release',
            '-DCMAKE_PREFIX_PATH=' + str(config.folders()['cmake']),
        ],
        check=True,
        capture_output=True,
    )
    configured = time.perf_counter()
    subprocess.run(['cmake', '--build', str(folder), '-j2'], check=True, capture_output=True)
    return configured - begin, time.perf_counter() - configured


x = C.input_variable(10, needs_gradient=True)
w = C.constant(np.linspace(-1, 1, 10).astype(np.float32))
row = np.linspace(0, 1, 10, dtype=np.float32)[None]


def chain(f, length):
    v = x * w
    for _ in range(length):
        v = f(v)
    return C.reduce_sum(v)


def calls(f, length):
    graph = chain(f, length)
    return {
        'forward': lambda: graph.eval({x: row}, as_numpy=False),
        'both': lambda: graph.grad({x: row}, wrt=[x], as_numpy=False),
    }


def per_call(theirs, ours, what):
    """Differences of the chains' times, repetition by repetition."""
    for call in (theirs[what], ours[what]):
        for _ in range(200):
            call()
    differences = []
    for _ in range(max(args.reps, 3)):
        a, b = (min(seconds_per_call(c[what], args, seconds=0.1)[0]) for c in (theirs, ours))
        differences.append((a - b) / CHAIN * 1e6)
    return sorted(differences)


with tempfile.TemporaryDirectory() as folder:
    times = [built(HERE.parent / 'plugin', Path(folder) / str(i)) for i in range(max(2, min(args.reps, 3)))]
    library = C.load_operators(str(Path(folder) / '0' / 'bench_operators.so'))
    if args.threads == 1 and wanted(args, 'build'):
        emit('plugin_op', 'configure', 's', [t[0] for t in times], 1)
        emit('plugin_op', 'configure_and_build', 's', [sum(t) for t in times], 1)
    none = calls(C.tanh, 0)
    for what in ('forward', 'both'):
        if wanted(args, what):
            beyond = per_call(calls(library.bench_tanh, CHAIN), calls(C.tanh, CHAIN), what)
            emit(
                'plugin_op', what, 'us/call', [max(b, 0.001) for b in beyond], args.threads, beyond=beyond
            )  # the clock does not tell less apart
            emit(
                'plugin_op',
                what + '_formula',
                'us/call',
                [max(b, 0.001) for b in per_call(calls(library.bench_affine, CHAIN), none, what)],
                args.threads,
            )
            emit(
                'plugin_op',
                what + '_loop',
                'us/call',
                per_call(calls(library.bench_affine_loop, CHAIN), none, what),
                args.threads,
            )
