"""What `import cantik` brings in, how long it takes, and that cntk is the same package."""

import importlib
import operator
import os
import re
import subprocess
import sys
import traceback

import pytest

import cantik as C
from cantik import _other_names

FORBIDDING = '''
import os, sys
import numpy
folder = os.path.dirname(os.__file__)
files = os.listdir(folder) + os.listdir(os.path.join(folder, 'lib-dynload')) + list(sys.builtin_module_names)
standard = getattr(sys, 'stdlib_module_names', {f.partition('.')[0] for f in files})  # a name of Python 3.10
class Forbid:
    def find_spec(self, name, path=None, target=None):
        top = name.partition('.')[0]
        if top not in standard and top not in ('numpy', 'cantik', 'cntk'):
            raise ModuleNotFoundError(name + ' is not NumPy', name=name)
sys.meta_path.insert(0, Forbid())
'''


def run(code, *flags, **variables):
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(p for p in sys.path if p), **variables}
    return subprocess.run(
        [sys.executable, *flags, '-c', code], capture_output=True, text=True, env=environment
    )


def test_needs_numpy_alone():
    done = run(
        FORBIDDING
        + '''
import cantik as C, numpy as np
x = C.input_variable(3)
z = C.layers.Dense(2)(x)
assert z.eval({x: np.ones((1, 3), np.float32)}).shape == (1, 2)
for name in dir(C):
    if name != 'sparse':  # CNTK's users find SciPy's module under this name
        getattr(C, name)
'''
    )
    assert done.returncode == 0, done.stderr


def test_the_guard_forbids():
    done = run(FORBIDDING + 'import pytest')
    assert 'pytest is not NumPy' in done.stderr


def test_cntk_is_cantik():
    done = run('''
import cntk, cantik
assert cntk is cantik
import cntk.layers.blocks as a, cantik.layers.blocks as b
assert a is b
from cntk.ops.functions import Function
assert Function is cantik.Function
import cntk.learners
assert sorted(n for n in __import__('sys').modules if n.startswith('cntk.learners')) == ['cntk.learners', 'cntk.learners.user']
try:
    import cntk.no_such_module
except ModuleNotFoundError as error:
    assert error.name == 'cntk.no_such_module'
else:
    raise AssertionError('found')
''')
    assert done.returncode == 0, done.stderr


def test_names_are_listed():
    names = dir(C)
    assert {'Trainer', 'layers', 'sgd', 'times', 'input_variable', 'cross_entropy_with_softmax'} <= set(names)
    assert C.__all__ and all(not n.startswith('_') for n in C.__all__)


def test_unknown_name():
    try:
        C.no_such_name
    except AttributeError as error:
        assert str(error) == "module 'cantik' has no attribute 'no_such_name'"
    else:
        raise AssertionError('found')


FIRST = '''
import importlib, os, pathlib, cantik
folder = pathlib.Path(cantik.__file__).parent
for path in sorted(folder.glob('**/*.py')) + sorted(p for d in folder.iterdir() if d.is_dir() for p in d.rglob('*.py')):
    parts = path.relative_to(folder).with_suffix('').parts
    if {'tests', 'mxnet', 'contrib', '__main__'} & set(parts):
        continue
    name = '.'.join(('cantik', *(parts[:-1] if parts[-1] == '__init__' else parts)))
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException as error:
            print(name, repr(error), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print('tried', name)
'''


def test_each_module_can_be_the_first_one_that_is_imported():
    done = subprocess.run([sys.executable, '-c', FIRST], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith('tried')] == []
    assert {'tried cantik.io.readers', 'tried cantik.cntk_py', 'tried cantik.layers.blocks'} <= set(lines)


@pytest.mark.parametrize(
    'module, name, meant',
    [
        ('cantik', 'rleu', 'relu'),
        ('cantik', 'matmul', 'times'),
        ('cantik', 'Dense', 'layers.Dense'),
        ('cantik.layers', 'Linear', 'Dense'),
        ('cantik.layers', 'Embeding', 'Embedding'),
        ('cntk.layers', 'Conv2d', 'Convolution2D'),
    ],
)
def test_names_of_other_programs(module, name, meant):
    module = importlib.import_module(module)
    with pytest.raises(AttributeError, match=f'remedy   did you mean {re.escape(meant)}\\?$') as found:
        getattr(module, name)
    said = ''.join(traceback.format_exception(found.type, found.value, None))
    assert said.count('mean') == 1  # Python adds no guess of its own
    assert not hasattr(module, name)


def test_names_that_errors_name_are_there():
    for module, names in _other_names._HERE.items():
        home = importlib.import_module(module)
        for name, meant in names.items():
            assert operator.attrgetter(meant)(home) is not None
            assert not hasattr(home, name), name
