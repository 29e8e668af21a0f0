"""What editors and type checkers make of the package: every program of the documents and examples is clean,
results have types."""

import doctest
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cantik

ROOT = Path(__file__).resolve().parents[2]
TYPING = ROOT / 'tests' / 'typing'
PYTHON = Path(cantik.__file__).absolute().parents[1]

# An expression, and what an editor says that it is.
MEANINGS = [
    ('C.input_variable(2)', 'Variable'),
    ('C.sequence.input_variable(2)', 'Variable'),
    ('C.placeholder()', 'Variable'),
    ('C.parameter(2)', 'Parameter'),
    ('C.parameter(2).value', 'ndarray[tuple[Any, ...], dtype[Any]]'),
    ('C.constant(2)', 'Constant'),
    ("C.load_model('a.model')", 'Function'),
    ("C.Function.load('a.model')", 'Function'),
    ('C.layers.Dense(2)', 'Function'),
    ('C.layers.Dense(2)(x)', 'Function'),
    ('C.layers.Sequential([C.layers.Dense(2)])(x)', 'Function'),
    ('C.layers.Recurrence(C.layers.LSTM(2))(x)', 'Function'),
    ('x + 1', 'Function'),
    ('x[:2]', 'Function'),
    ('C.sequence.last(x)', 'Function'),
    ('C.combine([x, x])', 'Function'),
    ("z.clone('share')", 'Function'),
    ('z.output', 'Variable'),
    ('z.outputs', 'tuple[Variable, ...]'),
    ('z.parameters', 'tuple[Parameter, ...]'),
    ('z.parameters[0].name', 'str'),
    ('z.shape', 'tuple[int, ...]'),
    ('C.sgd(z.parameters, 0.1)', 'Learner'),
    ('C.learning_parameter_schedule(0.1)', 'TrainingParameterSchedule'),
    ('C.Trainer(z, (z, z), []).model', 'Function'),
    ('C.logging.ProgressPrinter()', 'ProgressPrinter'),
    ('C.glorot_uniform()', 'Initializer'),
    ('C.NDArrayView.from_dense(np.ones(2))', 'NDArrayView'),
]
HEAD = 'import cantik as C\nimport numpy as np\n'  # what the documents' tests give each program


def programs():
    """(name, text) of every program in a document, and of every example."""
    for page in [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]:
        blocks = re.findall(r'^```(?:python|pycon)\n(.*?)^```', page.read_text(), re.M | re.S)
        name = '_'.join(page.relative_to(ROOT).with_suffix('').parts)
        for i, block in enumerate(block for block in blocks if '>>>' not in block):
            yield f'{name}_{i}', HEAD + block
        session = ''.join(block for block in blocks if '>>>' in block)
        if session:
            yield (
                name,
                HEAD + ''.join(example.source for example in doctest.DocTestParser().get_examples(session)),
            )
    for path in sorted((ROOT / 'examples').rglob('*.py')):
        yield 'example_' + path.stem, path.read_text()


def public_names():
    """Every function and class of the package, as a program names it: C.logging.ProgressPrinter."""
    yield from (
        'C.' + name
        for name in cantik.__all__
        if inspect.isroutine(getattr(cantik, name)) and not is_helper(getattr(cantik, name))
    )
    for found in pkgutil.iter_modules(cantik.__path__):
        if found.name.startswith('_') or found.name in (
            'tests',
            'internal',
            'mxnet',
            'cntk_py',
            'cntk_py_init',
            'commands',
            'contrib',
        ):
            continue
        module = getattr(cantik, found.name)
        if inspect.ismodule(module):
            for name in dir(
                module
            ):  # star imports of CNTK's leave further names behind, which it does not show
                value = getattr(module, name)
                if (
                    not name.startswith('_')
                    and (inspect.isfunction(value) or inspect.isclass(value))
                    and not is_helper(value)
                ):
                    if (
                        value.__module__.startswith(module.__name__ + '.')
                        or value.__module__ == module.__name__
                    ):
                        yield f'C.{found.name}.{name}'


def is_helper(value):
    return not (value.__module__ or '').startswith('cantik') or (value.__module__ or '').startswith(
        'cantik.internal'
    )


def judged(folder, files):
    """What the type checker says of these programs: {name: [text, ...]}."""
    settings = {
        'typeCheckingMode': 'standard',
        'pythonVersion': '3.11',
        'extraPaths': [str(PYTHON)],
        'reportMissingImports': False,
    }
    (folder / 'pyrightconfig.json').write_text(json.dumps(settings))
    for name, text in files.items():
        (folder / (name + '.py')).write_text(text)
    done = subprocess.run(
        [
            sys.executable,
            '-m',
            'basedpyright',
            '--outputjson',
            '--pythonpath',
            sys.executable,
            '-p',
            str(folder),
        ],
        capture_output=True,
        text=True,
    )
    assert done.stdout, done.stderr  # make setup installs basedpyright
    said = {name: [] for name in files}
    for told in json.loads(done.stdout)['generalDiagnostics']:
        if told['severity'] == 'error':
            line = told['range']['start']['line'] + 1
            said[Path(told['file']).stem].append(
                'line {}: {} ({})'.format(line, told['message'], told.get('rule'))
            )
    return said


@pytest.fixture(scope='module')
def said(tmp_path_factory):
    """All of this in one run of the type checker, which takes seconds to begin."""
    files = dict(programs())
    files['meanings'] = (
        HEAD
        + 'x = C.input_variable(2)\nz = C.layers.Dense(2)(x)\n'
        + ''.join('reveal_type({}, expected_text={!r})\n'.format(*meaning) for meaning in MEANINGS)
    )
    files['names'] = 'import cantik as C\n' + ''.join(name + '\n' for name in public_names())
    files['face'] = '# pyright: strict\n' + (TYPING / 'face.py').read_text()
    files['wrong'] = (TYPING / 'wrong.py').read_text()
    return judged(tmp_path_factory.mktemp('types'), files)


@pytest.mark.parametrize('name', [name for name, _ in programs()])
def test_programs_are_clean(said, name):
    assert said[name] == []


def test_results_have_types(said):
    assert said['meanings'] == []


def test_public_names_are_seen(said):
    assert len(list(public_names())) > 200  # a collection that finds nothing would pass
    assert said['names'] == []


def test_mistakes_are_seen(said):
    assert len(said['wrong']) == 4


def test_a_strict_checker_knows_all_types_of_a_program(said):
    assert said['face'] == []


def test_a_strict_checker_sees_what_has_no_type(tmp_path):
    files = {'untyped': '# pyright: strict\nimport json\nprint(json.loads("1").x)\ndef f(x): return x\n'}
    assert any('reportUnknown' in line for line in judged(tmp_path, files)['untyped'])


def by_mypy(folder, *programs):
    command = [sys.executable, '-m', 'mypy', '--python-executable', sys.executable]
    options = ['--cache-dir', str(folder), '--follow-imports', 'silent', '--ignore-missing-imports']
    done = subprocess.run(
        [*command, *options, *map(str, programs)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, 'MYPYPATH': str(PYTHON)},
    )
    return done.stdout + done.stderr


def test_examples_are_clean_for_mypy(tmp_path):
    programs = [*sorted((ROOT / 'examples').rglob('*.py')), TYPING / 'face.py', TYPING / 'snippet.py']
    said = by_mypy(tmp_path, *programs)
    assert said == f'Success: no issues found in {len(programs)} source files\n'


def test_mypy_sees_mistakes(tmp_path):
    assert 'Found 4 errors' in by_mypy(tmp_path, TYPING / 'wrong.py')
