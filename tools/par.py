#!/usr/bin/env python3
"""CNTK's own Python tests against this package: which pass, which did and no longer do.

    tools/par.py [--cntk FOLDER] [--update] [--status] [--timeout 120] [PATH ...]

FOLDER holds CNTK 2.7's Python package with its tests: a site-packages folder, or one above it (the variable
CNTK names it too). It is read only; each test file runs in a process of its own, from a temporary folder.
PATHs limit the run to files or folders below the package, such as cntk/ops/tests.

tests/par.tsv keeps a row for each case: file, case, what CNTK 2.7 itself does with it, what we do. Exit
status 1 when a case that passed no longer does, 2 where the tests cannot be run. --update writes what came
out into the table, --status the sums of the table into docs/status.md.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / 'tests' / 'par.tsv'
HEAD = 'file\tcase\tcntk\tcantik\n'
BEGIN, END = '<!-- suite -->\n', '<!-- end of suite -->'

# Run as Python starts: what stands between tests of 2019 and today's NumPy; and the folders of tests enter
# our modules' paths.
PLUGIN = '''
import importlib, os
from pathlib import Path
import numpy as np
root = Path(os.environ['CANTIK_PAR'])
for name, value in dict(int=int, float=float, bool=bool, object=object, product=np.prod, alltrue=np.all, sometrue=np.any,
                        float_=np.float64, Inf=np.inf, NaN=np.nan, in1d=np.isin).items():
    if name not in np.__dict__:
        setattr(np, name, value)

def ragged(make):
    def call(value, *args, **kwargs):
        try:
            return make(value, *args, **kwargs)
        except ValueError as error:
            if 'inhomogeneous' not in str(error) or args or 'dtype' in kwargs:
                raise
            return make(value, dtype=object, **kwargs)
    return call

np.array, np.asarray = ragged(np.array), ragged(np.asarray)
atleast_1d, almost_equal = np.atleast_1d, np.testing.assert_array_almost_equal

def numbers(value):
    value = np.asarray(value)
    return value if value.dtype != object or not all(np.size(x) == 1 for x in value.flat) else np.array([float(np.squeeze(x)) for x in value.flat]).reshape(value.shape)

np.atleast_1d = lambda *values: atleast_1d(*[np.asarray(v) if isinstance(v, list) else v for v in values])
np.testing.assert_array_almost_equal = lambda x, y, *args, **kwargs: almost_equal(numbers(x), numbers(y), *args, **kwargs)
if not hasattr(np.random, 'random_integers'):
    np.random.random_integers = lambda low, high=None, size=None: np.random.randint(1 if high is None else low, (low if high is None else high) + 1, size)

np.lib.pad = np.pad

if 'CANTIK_PAR_WHOLE' in os.environ:
    import builtins

    plain_open = builtins.open

    class Whole:
        """A file that others see when it is whole: all workers of such a test write the same one at once."""
        def __init__(self, path):
            self.path, self.part = path, f'{path}.{os.getpid()}'
            self.file = plain_open(self.part, 'w')
        def __enter__(self):
            return self.file
        def __exit__(self, *error):
            self.file.close()
            os.replace(self.part, self.path)

    builtins.open = lambda path, mode='r', *more, **named: (
        Whole(path) if mode == 'w' and str(path).endswith('2seqtest.txt') else plain_open(path, mode, *more, **named)
    )

import sys
import cntk
for folder in sorted({p.parent for p in (root / 'cntk').rglob('*') if p.is_dir() and p.name in ('tests', 'test')}):
    package = '.'.join(folder.relative_to(root).parts)
    try:
        module = importlib.import_module(package)
    except ImportError:
        continue
    module.__path__ = [*getattr(module, '__path__', []), str(folder)]
    sys.modules[package] = module
'''

# CNTK runs these on Windows alone, whose launcher says in front of each line which worker has written it
# (`mpiexec -l`). Ours does, too.
LABELLED = ('distributed_multi_learner_test.py', 'bmuf_metrics_aggregation_test.py')
LAUNCHER = '''#!/bin/bash
arguments=() labelled=
while [ "${1#-}" != "$1" ]; do
  if [ "$1" = -l ]; then labelled=1; shift; else arguments+=("$1" "$2"); shift 2; fi
done
[ -z "$labelled" ] || set -- bash -o pipefail -c \
  '"$@" 2>&1 | sed -u "s/^/[${OMPI_COMM_WORLD_RANK:-$PMI_RANK}]/"' -- "$@"
exec "$MPIEXEC" "${arguments[@]}" "$@"
'''
ON_WINDOWS = '''
import platform

def pytest_runtest_setup(item):
    platform.system = lambda: 'Windows'
'''

# CNTK's script that makes binary files of text files is no part of its Python package. Ours is a function;
# the tests call it in the script's way.
CONVERTER = '''
from enum import Enum
import cntk.io as io

class ElementType(Enum):
    FLOAT = 0
    DOUBLE = 1

def process(text, binary, header, element_type):
    streams = {}
    for name, field, storage, dim in (line.split() for line in header):
        streams[field] = io.StreamDef(field=field, shape=int(dim), is_sparse=storage == 'sparse')
    assert element_type is ElementType.FLOAT
    io.write_cbf(binary, io.CTFDeserializer(text, io.StreamDefs(**streams)))
'''


def package_of(folder):
    """The folder that holds `cntk` with its tests."""
    folder = Path(folder)
    for candidate in (folder, folder / 'bindings' / 'python', *sorted(folder.glob('**/site-packages'))):
        if (candidate / 'cntk' / 'ops' / 'tests').is_dir():
            return candidate
    return None


def copied(source, target):
    """The folders of tests alone, every folder a package so that pytest names modules as CNTK does."""
    for folder in sorted(
        p for p in (source / 'cntk').rglob('*') if p.is_dir() and p.name in ('tests', 'test')
    ):
        place = target / folder.relative_to(source)
        if place.exists():
            continue
        shutil.copytree(folder, place)
        for file in place.glob('*.py'):  # NumPy takes a list for an index of several axes no longer
            text = file.read_text(encoding='utf-8', errors='surrogateescape')
            if '[ax_slices]' in text:
                file.write_text(
                    text.replace('[ax_slices]', '[tuple(ax_slices)]'),
                    encoding='utf-8',
                    errors='surrogateescape',
                )
        for parent in (place, *place.parents):
            if parent == target:
                break
            (parent / '__init__.py').touch()
    for name in ('conftest.py', 'pytest.ini'):
        shutil.copy(source / 'cntk' / name, target / 'cntk' / name)
    (target / 'plugin').mkdir()
    (target / 'plugin' / 'sitecustomize.py').write_text(PLUGIN)  # workers that tests start have it too
    (target / 'plugin' / 'ctf2bin.py').write_text(CONVERTER)
    (target / 'plugin' / 'on_windows.py').write_text(ON_WINDOWS)
    launcher = target / 'launcher' / 'mpiexec'
    launcher.parent.mkdir()
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)


def example_library(root):
    """Our example of an operator library, under the name that CNTK's tests of native user functions ask
    for."""
    folder = root / 'operators'
    folder.mkdir()
    ours = os.environ.get('PYTHONPATH') or str(ROOT / 'build' / 'release' / 'python')
    flags = subprocess.run(
        [sys.executable, '-m', 'cantik', 'config', '--cflags'],
        env={**os.environ, 'PYTHONPATH': ours},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    sources = [str(p) for p in sorted((ROOT / 'plugins' / 'example').glob('*.cc'))]
    subprocess.run(
        ['c++', *flags, '-O1', '-shared', *sources, '-o', str(folder / 'Cntk.ExtensibilityExamples-2.7.so')],
        check=True,
    )


def stable(case):
    """Its name without random numbers: some cases are named after operands that are drawn anew in each
    run."""
    return re.sub(r'\d\.\d{12,}', '#', case)


def run(path, root, timeout):
    """{case: outcome} of one file."""
    report = root / (str(path.relative_to(root)).replace(os.sep, '.') + '.xml')
    ours = os.environ.get('PYTHONPATH') or str(ROOT / 'build' / 'release' / 'python')
    environment = {
        **os.environ,
        'CANTIK_PAR': str(root),
        'CANTIK_OPERATOR_PATH': str(root / 'operators'),
        'PYTHONPATH': os.pathsep.join([str(root / 'plugin'), ours]),
        # Tests of several workers start `mpiexec -n 4 python`: this one, on a machine of any size.
        'PATH': os.pathsep.join([os.path.dirname(sys.executable), os.environ['PATH']]),
        'OMPI_ALLOW_RUN_AS_ROOT': '1',
        'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
        'OMPI_MCA_rmaps_base_oversubscribe': '1',
    }
    start = (
        'import sys; sys.path[:] = [p for p in sys.path if p]; '
        'import pytest; sys.exit(pytest.main(sys.argv[1:]))'
    )
    flags = [
        '-q',
        '-p',
        'no:cacheprovider',
        '-c',
        str(root / 'cntk' / 'pytest.ini'),
        '--rootdir',
        str(root / 'cntk'),
        '-o',
        'addopts=',
        '--junitxml',
        str(report),
        '--deviceid=cpu',
        '--assert=plain',  # the hook that rewrites assertions would load modules of ours a second time
    ]
    if path.name in LABELLED:
        flags += ['-p', 'on_windows']
        environment['CANTIK_PAR_WHOLE'] = '1'
        environment['MPIEXEC'] = shutil.which('mpiexec', path=environment['PATH']) or 'mpiexec'
        environment['PATH'] = os.pathsep.join([str(root / 'launcher'), environment['PATH']])
    try:
        subprocess.run(
            [sys.executable, '-c', start, *flags, str(path)],
            cwd=root,
            env=environment,
            timeout=timeout,
            capture_output=True,
        )
    except subprocess.TimeoutExpired:
        return {'(file)': 'timeout'}
    if not report.exists():
        return {'(file)': 'error'}
    outcomes = {}
    for case in ElementTree.parse(report).getroot().iter('testcase'):
        kinds = [child.tag for child in case]
        outcomes[stable(case.get('name'))] = next(
            (k for k in ('error', 'failure', 'skipped') if k in kinds), 'passed'
        )
    return outcomes or {'(file)': 'error'}


def read_table():
    rows = {}
    if TABLE.exists():
        for line in TABLE.read_text().splitlines()[1:]:
            file, case, theirs, ours = line.split('\t')
            rows[file, case] = [theirs, ours]
    return rows


def write_table(rows):
    TABLE.write_text(HEAD + ''.join('\t'.join((*key, *rows[key])) + '\n' for key in sorted(rows)))


def sums(rows):
    """A Markdown table: for each file that the package has, cases, how many CNTK passes, how many of those we
    pass."""
    count = {}
    for (file, _), (theirs, ours) in rows.items():
        if ours == 'unknown':  # a file that only the sources of CNTK have
            continue
        c = count.setdefault(file, [0, 0, 0])
        c[0] += 1
        c[1] += theirs == 'passed'
        c[2] += theirs == ours == 'passed'
    total = [sum(c[i] for c in count.values()) for i in range(3)]
    lines = ['| file | cases | CNTK 2.7 passes | Cantik passes of these |', '|---|---|---|---|']
    lines += [
        '| {} | {} | {} | {} |'.format(file.replace('cntk/', '', 1), *count[file]) for file in sorted(count)
    ]
    return '\n'.join(lines + ['| **all** | **{}** | **{}** | **{}** |'.format(*total)]) + '\n'


def write_status(rows):
    path = ROOT / 'docs' / 'status.md'
    text = path.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    path.write_text(text[:begin] + '\n' + sums(rows) + '\n' + text[end:])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--cntk', default=os.environ.get('CNTK'))
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--status', action='store_true')
    parser.add_argument('--timeout', type=int, default=120)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('paths', nargs='*')
    options = parser.parse_args()
    rows = read_table()
    if options.status and not options.cntk:
        return write_status(rows)
    source = package_of(options.cntk) if options.cntk else None
    if source is None:
        print("no Python package of CNTK with tests: name its folder by --cntk FOLDER", file=sys.stderr)
        return 2
    started, lost, won, seen = time.time(), [], [], {}
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        copied(source, root)
        example_library(root)
        files = sorted(
            p
            for p in (root / 'cntk').rglob('*.py')
            if p.parent.name in ('tests', 'test')
            and 'def test_' in p.read_text(encoding='utf-8', errors='replace')
        )
        if options.paths:
            files = [
                f
                for f in files
                if any(str(f.relative_to(root)).startswith(p.rstrip('/')) for p in options.paths)
            ]
        with ThreadPoolExecutor(options.jobs) as pool:
            for path, outcomes in zip(files, pool.map(lambda f: run(f, root, options.timeout), files)):
                file = str(path.relative_to(root))
                known = {case for f, case in rows if f == file}
                for case in known | set(outcomes):
                    theirs, before = rows.get((file, case), ('unknown', 'unknown'))
                    ours = outcomes.get(case, 'absent')
                    if before == 'passed' and ours != 'passed':
                        lost.append(f'{file}  {case}: {ours}')
                    if before != 'passed' and ours == theirs == 'passed':
                        won.append((file, case))
                    seen[file, case] = [theirs, ours]
    rows.update(seen)
    reached = [theirs == ours for theirs, ours in seen.values() if theirs == 'passed']
    print(
        f'{len(seen)} cases in {len(files)} files, {time.time() - started:.0f} s: '
        f'of {len(reached)} that CNTK 2.7 passes, {sum(reached)} pass; {len(won)} are new'
    )
    if options.update:
        write_table(rows)
    if options.status:
        write_status(rows)
    if lost:
        print('passed before and no longer do:\n  ' + '\n  '.join(sorted(lost)))
    return 1 if lost and not options.update else 0


if __name__ == '__main__':
    sys.exit(main())
