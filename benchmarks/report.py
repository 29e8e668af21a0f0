"""Writes what a run of the benchmarks found: the table of its instruction set in docs/benchmarks.md, and all
figures in benchmarks/."""

import json
import os
import platform
import re
import statistics
from pathlib import Path

from rows import ROWS

BEGIN, END = '<!-- table %s: written by make bench -->', '<!-- end of table -->'
LEVELS = {'avx512': 'AVX-512', 'avx2': 'AVX2', 'baseline': 'neither AVX2 nor AVX-512'}


def cpuinfo(key):
    found = re.search(key + r'\s*:\s*(.*)', Path('/proc/cpuinfo').read_text())
    return found.group(1).strip() if found else ''


def level():
    """The instruction set that Cantik uses: the one that CANTIK_ISA names, or the processor's best."""
    flags = cpuinfo('flags').split()
    return os.environ.get('CANTIK_ISA') or (
        'avx512' if 'avx512f' in flags else 'avx2' if 'avx2' in flags else 'baseline'
    )


def machine():
    return '%s, %d cores, %s' % (
        cpuinfo('model name') or platform.machine(),
        len(os.sched_getaffinity(0)),
        LEVELS[level()],
    )


def short(x):
    return '-' if x is None else '%.3g' % x if abs(x) < 1000 else format(int(round(x, -1)), ',')


def spread(figures, side, name, threads):
    values = [v for f in figures.get((side, name, threads), []) for v in (f['min'], f['max']) if v]
    middle = statistics.median(f['value'] for f in figures[(side, name, threads)])
    return '%.0f %%' % (100 * (max(values) - min(values)) / middle / 2)


def markdown(rows, figures, notes, best):
    """`best`: whether figures are those of the fastest repetitions."""
    lines = [
        'Machine: %s.' % machine()
        + (
            ' Its speed jumps, since others compute on the same cores: the fastest repetition of each side '
            'counts.'
            if best
            else ''
        ),
        '',
        '| workload | threads | Cantik | ± | best peer | its figure | ratio | must | goal | |',
        '|---|---|---|---|---|---|---|---|---|---|',
    ]
    groups = {}
    for r in rows:
        groups.setdefault((r['row'], r['workload'], r['variant'], r['threads'], r['metric']), []).append(r)
    for (row, workload, variant, threads, metric), group in groups.items():
        target = ROWS[row]
        found = [r for r in group if r['ratio'] is not None]
        next_to = min(found, key=lambda r: r['ratio']) if found else None
        ours = group[0]['cantik']
        reached = (
            'not measured'
            if next_to is None
            else 'goal'
            if next_to['ratio'] >= target.goal
            else 'must'
            if next_to['ratio'] >= target.must
            else '**missed**'
        )
        if threads > 1 and reached == '**missed**':
            reached = 'below'
        lines.append(
            '| `%s` %s | %d | %s %s | %s | %s | %s | %s | %.3g | %.3g | %s |'
            % (
                workload,
                variant,
                threads,
                short(ours),
                metric,
                spread(figures, 'cantik', workload + '/' + variant, threads) if ours is not None else '-',
                '%s %s' % (next_to['peer'], next_to['peer_variant']) if next_to else '-',
                short(next_to and next_to['peer_value']),
                '%.2f' % next_to['ratio'] if next_to else '-',
                target.must,
                target.goal,
                reached,
            )
        )
    lines += scaling(figures) + new_lengths(figures) + absolute(figures)
    lines += [
        '',
        'All peers:',
        '',
        '| workload | threads | peer | variant | figure | ratio |',
        '|---|---|---|---|---|---|',
    ]
    lines += [
        '| `%s` %s | %d | %s | %s | %s | %s |'
        % (
            r['workload'],
            r['variant'],
            r['threads'],
            r['peer'],
            r['peer_variant'] or 'missing',
            short(r['peer_value']),
            '%.2f' % r['ratio'] if r['ratio'] else '-',
        )
        for r in rows
    ]
    if notes:
        lines += ['', 'What did not run:', ''] + ['- ' + n for n in notes]
    return '\n'.join(lines)


SCALED = ('mnist_convnet', 'lstm_skewed')  # where a second thread has to pay


def scaling(figures):
    """Two threads over one."""
    lines = []
    for workload in SCALED:
        for side, name in sorted(
            {
                (s, n)
                for s, n, _ in figures
                if n.startswith(workload + '/') and s in ('cantik', 'torch', 'cntk')
            }
        ):
            values = [
                statistics.median(f['value'] for f in figures[side, name, t])
                for t in (1, 2)
                if (side, name, t) in figures
            ]
            if len(values) == 2:
                lines.append('| %s %s | %.2f |' % (side, name, values[1] / values[0]))
    return (
        ['', 'Training, two threads over one (must 1.7, goal 1.9):', '', '| | ratio |', '|---|---|', *lines]
        if lines
        else []
    )


def new_lengths(figures):
    """What a length costs the first time, over the second."""
    lines = [
        '| %s %s | %.2f | %s ms | %s ms |'
        % (
            side,
            name.split('/')[1],
            statistics.median(f['value'] for f in found),
            short(max(f['worst_first_ms'] for f in found)),
            short(statistics.median(f['median_again_ms'] for f in found)),
        )
        for (side, name, threads), found in sorted(figures.items())
        if name.startswith('new_length/') and threads == 1
    ]
    return (
        [
            '',
            '`new_length`: a training step with a length not seen before over the same step again, the '
            'worst of 39 lengths (must at most 1.3, goal 1.05):',
            '',
            '| | first/again | slowest first | median again |',
            '|---|---|---|---|',
            *lines,
        ]
        if lines
        else []
    )


def absolute(figures):
    """Figures with an absolute limit: start of the package, sizes, compilation."""
    lines = [
        '| %s | %s %s |' % (name, short(statistics.median(f['value'] for f in found)), found[0]['metric'])
        for (side, name, threads), found in sorted(figures.items())
        if side == 'cantik'
        and name.startswith(('cold_start/', 'compile/', 'plugin_op/configure'))
        and threads == 1
    ]
    return (
        [
            '',
            'Start and size (must: 25 ms beyond NumPy, 15 MB; goal: 10 ms, 5 MB), compilation (must: 100 us '
            'for ten nodes, 20,000 us for ResNet-20), a library of operators (must: 5 s; goal: 2 s):',
            '',
            '| | |',
            '|---|---|',
            *lines,
        ]
        if lines
        else []
    )


def write(root, rows, figures, notes, partial, best):
    results = root / 'benchmarks' / 'results.{}.json'.format(level())
    if partial:  # a look at some workloads; what is kept comes from complete runs alone
        print(markdown([r for r in rows if r['cantik'] is not None], figures, notes, best))
        return
    results.write_text(
        '[\n'
        + ',\n'.join(' ' + json.dumps({k: v for k, v in r.items() if k != 'row'}) for r in rows)
        + '\n]\n'
    )
    page = root / 'docs' / 'benchmarks.md'
    text = page.read_text()
    begin = BEGIN % level()
    head, rest = text.split(begin)
    page.write_text(
        head + begin + '\n' + markdown(rows, figures, notes, best) + '\n' + END + rest.split(END, 1)[1]
    )
