#!/usr/bin/env python3
"""Measures Cantik and its peers in one run, in turns, and writes a table into docs/benchmarks.md.

    benchmarks/bench.py [--peers FOLDER] [--torch PYTHON] [--cntk PYTHON] [--mxnet PYTHON] [--only
    WORKLOAD,...] [--rounds 2] [--threads 1,2] [--keep FILE] [--best]

Each workload is a program that prints one JSON line a variant. The programs of one workload run one after
another, the whole of it `--rounds` times, so that a drift of the machine's speed meets all of them. A figure
is the median over the rounds; of a peer the best variant counts. On a machine whose speed jumps, since others
compute on the same cores, `--best` takes the fastest repetition of each side instead. A peer that is missing,
or whose program fails, leaves its rows open, and the table says so. A run that keeps its figures (`--keep
FILE`) goes on where it was interrupted.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from report import write
from rows import ALONE, FILES, OURS, PEERS, PROGRAMS, ROWS

HERE = Path(__file__).resolve().parent
# The switches of peers that have one, so that all use the instructions that CANTIK_ISA asks for: PyTorch,
# oneDNN (OpenVINO's, too), MKL, OpenBLAS, XLA. ONNX Runtime and CNTK have none.
LIMITS = {
    'avx2': {
        'ATEN_CPU_CAPABILITY': 'avx2',
        'ONEDNN_MAX_CPU_ISA': 'AVX2',
        'MKL_ENABLE_INSTRUCTIONS': 'AVX2',
        'OPENBLAS_CORETYPE': 'Haswell',
        'XLA_FLAGS': '--xla_cpu_max_isa=AVX2',
    }
}
TCMALLOC = '/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4'


def programs(workload, options):
    """(side, command, environment) of everything that measures the workload."""
    file, arguments = PROGRAMS.get(workload, (workload, []))
    yield 'cantik', [sys.executable, str(HERE / 'workloads' / (file + '.py')), *arguments], {}
    for peer, theirs in PEERS.items():
        python = {'cntk': options.cntk, 'mxnet': options.mxnet}.get(peer, options.torch)
        for name, arguments in theirs:
            if name != workload or not python:
                continue
            named = FILES.get((peer, name), peer + '/' + name + '.py')
            file = HERE / 'peers' / named.replace('/', '_')
            if not file.exists():
                if not options.peers:
                    continue
                file = Path(options.peers) / named
            command = [python, str(file), *arguments]
            if peer in ('torch', 'misc'):  # an allocator that keeps freed memory would hide what a step needs
                yield (
                    peer,
                    command,
                    {'LD_PRELOAD': TCMALLOC}
                    if peer == 'torch' and workload != 'step_memory' and os.path.exists(TCMALLOC)
                    else {},
                )
            elif peer == 'cntk':
                yield peer, command, {}
                yield peer, command, {'MKL_DEBUG_CPU_TYPE': '5', 'BENCH_TAG': 'mkl_avx2'}
            else:
                yield peer, command, {}


def measure(workload, threads, options, figures, note):
    """Runs every program once and adds its figures."""
    for side, command, extra in programs(workload, options):
        begin = time.time()
        command = command + ['--threads', str(threads), '--reps', str(options.reps)]
        limits = LIMITS.get(os.environ.get('CANTIK_ISA', ''), {})
        environment = {**os.environ, **limits, 'BENCH_PATIENCE': '10', 'PYTHONWARNINGS': 'ignore', **extra}
        environment.pop(
            'PYTHONDONTWRITEBYTECODE', None
        )  # packages are compiled once, when they are installed
        if side in ('cntk', 'mxnet'):
            environment.pop('PYTHONPATH', None)
        try:
            run = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=options.timeout, check=False
            )
            output = run.stdout
            if run.returncode:
                note(
                    '%s %s, %d threads: exit status %d, %s'
                    % (
                        side,
                        workload,
                        threads,
                        run.returncode,
                        (run.stderr.strip().splitlines() or [''])[-1][:160],
                    )
                )
        except subprocess.TimeoutExpired as late:
            output = (late.stdout or b'').decode()
            note('%s %s, %d threads: stopped after %d s' % (side, workload, threads, options.timeout))
        for line in output.splitlines():
            if not line.startswith('{'):
                continue
            found = json.loads(line)
            if 'error' in found:
                note('%s %s/%s: %s' % (side, found['workload'], found['variant'], found['error']))
                continue
            what = found.get('metric', '').partition('us/call ')[
                2
            ]  # peers measure forward, and forward + backward, under one name
            if what:
                found['variant'] += '_both' if '+' in what else '_' + what
            peer = (
                'cantik'
                if side == 'cantik'
                else {'torch': 'torch', 'onnxruntime': 'onnxruntime'}.get(found['variant'], side)
                if side == 'misc'
                else side
            )
            key = (
                peer,
                found['workload']
                + '/'
                + found['variant']
                + ('' if 'tag' not in found else '@' + found['tag']),
                threads,
            )
            figures.setdefault(key, []).append(found)
        print(
            '  %-12s %-16s %d thread%s  %5.0f s'
            % (side, workload, threads, 's' if threads > 1 else '', time.time() - begin),
            file=sys.stderr,
            flush=True,
        )


def table(figures, threads):
    """One row for each of ROWS and each peer that has figures for it, or an open one."""
    median = {key: statistics.median(f['value'] for f in found) for key, found in figures.items()}
    rows = []
    for index, r in enumerate(ROWS):
        ours = median.get(('cantik', r.workload + '/' + r.variant, threads))
        for peer, pattern in r.peers.items():
            theirs = {
                name: value
                for (p, name, t), value in median.items()
                if p == peer and t == threads and re.match(pattern, name.split('@')[0])
            }
            best = (max if r.higher else min)(theirs, key=theirs.get) if theirs else None
            ratio = (
                None
                if best is None or ours is None
                else ours / theirs[best]
                if r.higher
                else theirs[best] / ours
            )
            rows.append(
                dict(
                    row=index,
                    workload=r.workload,
                    variant=r.variant,
                    threads=threads,
                    metric=r.metric,
                    cantik=ours,
                    peer=peer,
                    peer_variant=best and best.split('/', 1)[1],
                    peer_value=best and theirs[best],
                    ratio=ratio,
                )
            )
    return rows


def fastest(found):
    """The same figures, each that of its fastest repetition."""
    return {**found, 'value': found['max' if found['metric'].endswith('/s') else 'min']}


def measured(workload, threads, options):
    """All rounds of a workload: (peer, variant, what the program printed) of each, and what went wrong."""
    figures, notes = {}, []

    def note(text):
        if text not in notes:
            notes.append(text)
            print('  ' + text, file=sys.stderr, flush=True)

    for _ in range(options.rounds):
        measure(workload, threads, options, figures, note)
    return [(peer, variant, one) for (peer, variant, _), found in figures.items() for one in found], notes


def kept(file):
    """What an interrupted run has measured: {(workload, threads): (figures, notes)}."""
    if file is None or not file.exists():
        return {}
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return {(r['workload'], r['threads']): (r['figures'], r['notes']) for r in lines}


def keep(file, workload, threads, found):
    if file is not None:
        line = dict(workload=workload, threads=threads, figures=found[0], notes=found[1])
        with file.open('a') as out:
            out.write(json.dumps(line) + '\n')


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--peers', default=os.environ.get('PEERS'), help="folder with the peers' programs")
    parser.add_argument(
        '--torch',
        default=os.environ.get('PEER_TORCH'),
        help='python of the environment with PyTorch, JAX, ONNX Runtime and OpenVINO',
    )
    parser.add_argument('--cntk', default=os.environ.get('PEER_CNTK'), help='python of CNTK 2.7')
    parser.add_argument('--mxnet', default=os.environ.get('PEER_MXNET'), help='python of MXNet 1.9.1')
    parser.add_argument('--only', help='workloads, separated by commas')
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('--reps', type=int, default=3)
    parser.add_argument('--threads', default='1,2')
    parser.add_argument('--timeout', type=int, default=420)
    parser.add_argument(
        '--keep', type=Path, help='file of figures, workload by workload; what it has is not measured again'
    )
    parser.add_argument('--best', action='store_true', help='the fastest repetition of each side counts')
    options = parser.parse_args()

    figures, notes = {}, []
    counts = [int(n) for n in options.threads.split(',')]
    done = kept(options.keep)
    for workload in options.only.split(',') if options.only else OURS:
        for threads in counts:
            if workload in ALONE and threads > 1:
                continue
            if (workload, threads) not in done:
                done[workload, threads] = measured(workload, threads, options)
                keep(options.keep, workload, threads, done[workload, threads])
            found, said = done[workload, threads]
            for peer, variant, value in found:
                chosen = fastest(value) if options.best and 'min' in value else value
                figures.setdefault((peer, variant, threads), []).append(chosen)
            notes += [text for text in said if text not in notes]
    rows = [
        r
        for threads in counts
        for r in table(figures, threads)
        if not (threads > 1 and r['workload'] in ALONE)
    ]
    write(HERE.parent, rows, figures, notes, bool(options.only), options.best)


if __name__ == '__main__':
    main()
