"""What `import cantik` brings in, how long it takes, and that cntk is the same package."""

import os
import subprocess
import sys

import cantik as C

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
