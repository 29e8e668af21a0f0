#!/usr/bin/env python3
"""Runs the benchmarks of the kernels on every instruction set and writes the table of
docs/dev/cpu_kernels.md.

    cmake --preset release -DCANTIK_BUILD_BENCHMARKS=ON && cmake --build --preset release
    benchmarks/kernel_table.py [build/release/benchmarks/kernel_benchmarks]

A figure is GFLOP/s and, behind it, the share of what multiply-adds in registers reach, measured in turns with
the kernel. The time is the thread's own, so that other processes disturb little.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / 'docs' / 'dev' / 'cpu_kernels.md'
BEGIN, END = '<!-- table: written by benchmarks/kernel_table.py -->', '<!-- end of table -->'
LEVELS = ('avx512', 'avx2', 'baseline')


def measured(program, level):
    """{case: (GFLOP/s, share of the peak)} of one instruction set; empty where the processor lacks it."""
    command = [
        program,
        '--benchmark_format=json',
        '--benchmark_min_time=0.02',
        '--benchmark_filter=.*(float32|weights|forward|operand|kernel)/',
    ]
    output = subprocess.run(
        command, env={**os.environ, 'CANTIK_ISA': level}, capture_output=True, text=True, check=True
    ).stdout
    found = {}
    for run in json.loads(output)['benchmarks']:
        if run.get('label') == level and run['run_type'] == 'iteration':
            found[run['run_name'].replace('/manual_time', '')] = run['GFLOP/s'], run['of_peak']
    return found


def processor():
    lines = Path('/proc/cpuinfo').read_text().splitlines()
    return next(
        (line.split(':', 1)[1].strip() for line in lines if line.startswith('model name')),
        'an unknown processor',
    )


def main():
    program = (
        sys.argv[1]
        if len(sys.argv) > 1
        else str(ROOT / 'build' / 'release' / 'benchmarks' / 'kernel_benchmarks')
    )
    figures = {level: measured(program, level) for level in LEVELS}
    names = list(dict.fromkeys(name for level in LEVELS for name in figures[level]))
    peaks = ', '.join(
        '%s %.0f' % (level, max(g / p for g, p in figures[level].values()))
        for level in LEVELS
        if figures[level]
    )
    lines = [
        'Measured on %s, float32, one thread. GFLOP/s of multiply-adds in registers, at best: %s.'
        % (processor(), peaks),
        '',
        '| shape | ' + ' | '.join(LEVELS) + ' |',
        '|---|' + '---|' * len(LEVELS),
    ]
    for name in names:
        cells = [
            '%.0f (%.0f %%)' % (figures[level][name][0], 100 * figures[level][name][1])
            if name in figures[level]
            else ''
            for level in LEVELS
        ]
        lines.append('| ' + name + ' | ' + ' | '.join(cells) + ' |')
    text = PAGE.read_text()
    head, rest = text.split(BEGIN)
    PAGE.write_text(head + BEGIN + '\n' + '\n'.join(lines) + '\n' + END + rest.split(END)[1])


if __name__ == '__main__':
    main()
