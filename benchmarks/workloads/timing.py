"""What the workloads share: arguments, data, timing with repetitions, one JSON line per variant.

Definitions: docs/benchmarks.md. A repetition during which other processes took more than 5 % of a core is
repeated, for up to 20 s.
"""

import argparse
import gc
import gzip
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

_threads = sys.argv[sys.argv.index('--threads') + 1] if '--threads' in sys.argv[:-1] else '1'
for _name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'):  # before NumPy loads its BLAS
    os.environ[_name] = _threads

import numpy as np

EXAMPLES_DATA = Path(__file__).resolve().parents[2] / 'examples' / 'data'
MNIST = EXAMPLES_DATA / 'mnist'
DATA = Path(__file__).resolve().parents[1] / 'data'


def arguments(**more):
    """The command line: --threads, --reps, --seconds, --variant; further options by name with their
    defaults."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--reps', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=0.5, help='least work of a repetition')
    parser.add_argument('--variant', default='all', help='names, separated by commas')
    for name, default in more.items():
        parser.add_argument('--' + name, type=type(default), default=default)
    return parser.parse_args()


def cantik_with(threads):
    """The package, with this many threads and reproducible initial values."""
    import cantik as C

    C.cntk_py.set_max_num_cputhreads(threads)
    C.cntk_py.set_fixed_random_seed(1)
    return C


def wanted(args, name):
    return args.variant == 'all' or name in args.variant.split(',')


def _ticks():
    """Seconds that all processes, and this one, have spent on the processor."""
    numbers = [int(n) for n in Path('/proc/stat').read_text().split('\n', 1)[0].split()[1:9]]
    everybody = sum(numbers[i] for i in (0, 1, 2, 5, 6, 7)) / os.sysconf('SC_CLK_TCK')
    own = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return everybody, own


def undisturbed(measure, repetitions, patience=20):
    """Results of measure() from times when the machine was ours, and the share of a core that others took all
    the same."""
    results, deadline = [], time.perf_counter() + patience
    while True:
        (all0, own0), start = _ticks(), time.perf_counter()
        result = measure()
        wall, (all1, own1) = time.perf_counter() - start, _ticks()
        results.append((max(0.0, (all1 - all0 - (own1 - own0)) / wall), result))
        quiet = [r for r in results if r[0] < 0.05]
        if len(quiet) >= repetitions or (len(results) >= repetitions and time.perf_counter() > deadline):
            break
    chosen = quiet if len(quiet) >= repetitions else results
    return [r for _, r in chosen], float(np.mean([f for f, _ in chosen]))


def seconds_per_call(call, args, warmup=2, seconds=None):
    """(seconds per call of each repetition, seconds of the first call, foreign share)."""
    start = time.perf_counter()
    call()
    first = time.perf_counter() - start
    for _ in range(warmup):
        call()
    start = time.perf_counter()
    call()
    count = max(
        1,
        int(np.ceil((args.seconds if seconds is None else seconds) / max(time.perf_counter() - start, 1e-9))),
    )

    def repetition():
        begin = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - begin) / count

    times, foreign = undisturbed(repetition, args.reps)
    return times, first, foreign


def emit(workload, variant, metric, values, threads, **extra):
    """Prints one line: the median of the values, and their spread."""
    values = sorted(values)
    line = dict(
        workload=workload,
        variant=variant,
        metric=metric,
        value=float(np.median(values)),
        n=len(values),
        threads=threads,
        min=values[0],
        max=values[-1],
    )
    line.update(extra)
    if os.environ.get('BENCH_TAG'):
        line['tag'] = os.environ['BENCH_TAG']
    print(
        json.dumps({k: float('%.5g' % v) if isinstance(v, float) else v for k, v in line.items()}), flush=True
    )


def rate(workload, variant, metric, call, amount, args, warmup=2, seconds=None, **extra):
    """Amount per second, where one call does `amount`."""
    times, first, foreign = seconds_per_call(call, args, warmup, seconds)
    emit(
        workload,
        variant,
        metric,
        [amount / s for s in times],
        args.threads,
        warm_s=first,
        foreign=foreign,
        **extra,
    )


def cost(workload, variant, metric, call, scale, args, warmup=2, seconds=None, **extra):
    """Seconds per call times `scale`."""
    times, first, foreign = seconds_per_call(call, args, warmup, seconds)
    emit(
        workload,
        variant,
        metric,
        [s * scale for s in times],
        args.threads,
        warm_s=first,
        foreign=foreign,
        **extra,
    )


nanoseconds = getattr(
    time, 'perf_counter_ns', lambda: time.perf_counter() * 1e9
)  # Python 3.6, in which CNTK runs, has none


def latency(workload, variant, call, args, calls=2000, warm=200, **extra):
    """Median and 99th percentile of single calls, in microseconds; the medians over repetitions."""

    def repetition():
        for _ in range(warm):
            call()
        times = np.empty(calls)
        for i in range(calls):
            begin = nanoseconds()
            call()
            times[i] = nanoseconds() - begin
        return float(np.median(times)) / 1e3, float(np.percentile(times, 99)) / 1e3

    results, foreign = undisturbed(repetition, args.reps, 10)
    results.sort()
    emit(
        workload,
        variant,
        'us p50',
        [r[0] for r in results],
        args.threads,
        p99=results[len(results) // 2][1],
        foreign=foreign,
        **extra,
    )


def lengths_twice(args, variants, repetitions=5):
    """new_length. variants: {name: make}; make() gives a function of [8, steps, 32] sequences and 8 labels,
    whose result is a training step.

    40 steps, every one with a length not seen before, then the same lengths again. Each repetition is a
    process of its own, since what was compiled once is kept; of each length the median over the repetitions
    counts. Options: once=0."""
    if args.once:
        rs, step = np.random.RandomState(0), variants[args.variant]()
        lengths = rs.permutation(40) + 10
        data = [(rs.randn(8, n, 32).astype(np.float32), rs.randint(0, 10, 8)) for n in lengths]
        gc.disable()  # it comes at any time
        print(json.dumps([[timed(step(*batch)) for batch in data] for _ in range(2)]), flush=True)
        return
    for name in variants:
        if not wanted(args, name):
            continue

        def run(name=name):
            command = [
                sys.executable,
                sys.argv[0],
                '--once',
                '1',
                '--variant',
                name,
                '--threads',
                str(args.threads),
            ]
            return json.loads(
                subprocess.check_output(command, stderr=subprocess.DEVNULL).decode().strip().splitlines()[-1]
            )

        often = 1
        if repetitions > 1:  # quick ones up to 25 times: single steps of half a millisecond are timed
            often = max(repetitions, min(25, int(8 / timed(run))))
        runs, foreign = undisturbed(run, often, 10)
        first, again = np.median(np.array(runs), axis=0) * 1e3
        emit(
            'new_length',
            name,
            'first/again',
            [float(np.max(first[1:] / again[1:]))],
            args.threads,
            foreign=foreign,
            first_ms=float(first[0]),
            worst_first_ms=float(np.max(first[1:])),
            median_again_ms=float(np.median(again)),
        )


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def mnist(split='train'):
    """Images from 0 to 1, [n, 28, 28], and digits."""

    def read(name, header):
        with gzip.open(MNIST / name) as file:
            return np.frombuffer(file.read(), np.uint8)[header:]

    return (
        read(split + '-images-idx3-ubyte.gz', 16).reshape(-1, 28, 28).astype(np.float32) / 255,
        read(split + '-labels-idx1-ubyte.gz', 8).astype(np.int64),
    )


def one_hot(labels, classes):
    return np.eye(classes, dtype=np.float32)[labels]
