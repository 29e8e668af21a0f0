"""Checks of the Python package find what they are there for.

Each fault is written into a small package.
"""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tools'))

from checks import lint, python_order, python_types, ternaries

SOUND = {
    '__init__.py': 'from .ops import relu\n',
    'tensor.py': 'import numpy as np\n',
    'ops/__init__.py': 'from ..tensor import np\nfrom ._leaves import leaf\ndef relu(): pass\n',
    'ops/_leaves.py': 'from .. import tensor\n',
    'train/__init__.py': '',
    'train/loops.py': 'from ..ops import relu\n',
    'mxnet/__init__.py': '',
}


@pytest.fixture
def problems(tmp_path, monkeypatch):
    """What the check says of the small package with some files of other contents."""
    package = tmp_path / 'cantik'
    monkeypatch.setattr(python_order, 'PACKAGE', package)

    def of(**files):
        for name, content in {**SOUND, **{k.replace('__of__', '/'): v for k, v in files.items()}}.items():
            path = package / (name if name.endswith('.py') else name + '.py')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        monkeypatch.setattr(python_order, 'with_suffix', lambda *_, **__: sorted(package.rglob('*.py')))
        return list(python_order.problems())

    return of


def test_a_package_in_order_has_no_problem(problems):
    assert problems() == []


@pytest.mark.parametrize(
    ('file', 'content', 'said'),
    [
        ('tensor', 'from .ops import relu\n', 'a circle of imports'),
        ('tensor', 'from . import ops\n', 'a circle of imports'),
        ('tensor', 'import cantik.ops\n', 'a circle of imports'),
        ('ops__of___leaves', 'from . import relu\n', 'a circle of imports'),
        ('tensor', 'def f():\n    from .ops import relu\n', 'a circle of imports'),
        ('tensor', 'def f():\n    from .ops import relu\n', 'imports cantik.ops in a function'),
        ('tensor', 'class A:\n    def f(self):\n        import warnings\n', 'imports warnings in a function'),
        ('ops__of___leaves', 'from ..train import loops\n', 'of a later layer, training'),
        ('mxnet__of__lower2', 'from .. import _cantik\n', 'the public names are in cantik'),
    ],
)
def test_a_fault_is_found(problems, file, content, said):
    assert any(said in problem for problem in problems(**{file: content}))


@pytest.mark.parametrize(
    ('file', 'content'),
    [
        ('tensor', 'from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .ops import relu\n'),
        ('tensor', 'def f():\n    import scipy.sparse\n'),
        ('ops__of__late', 'import cantik.tensor\n'),
        ('mxnet__of__other', 'import cantik as C\nfrom cantik.ops import relu\n'),
        ('training', 'def f():\n    from .train import loops\n'),
    ],
)
def test_what_is_allowed_is_no_problem(problems, file, content):
    assert problems(**{file: content}) == []


@pytest.fixture
def untyped(tmp_path, monkeypatch):
    """What the check of types says of a small package."""
    monkeypatch.setattr(python_types, 'PACKAGE', tmp_path)

    def of(files):
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)
        monkeypatch.setattr(python_types, 'with_suffix', lambda *_, **__: sorted(tmp_path.rglob('*.py')))
        return list(python_types.problems())

    return of


@pytest.mark.parametrize(
    ('files', 'said'),
    [
        ({'a.py': 'def f(x): pass\n'}, 'f has no types for x, the result'),
        ({'a.py': 'def f(*x: int, **y) -> None: pass\n'}, 'f has no types for y'),
        ({'a.py': 'class A:\n    def f(self, x: int): pass\n'}, 'A.f has no types for the result'),
        ({'a.py': 'class A:\n    def __init__(self, x): pass\n'}, 'A.__init__ has no types for x'),
        ({'a/__init__.py': 'from ._b import f\n', 'a/_b.py': 'def f() : pass\n'}, 'f has no types'),
        ({'a/__init__.py': 'from ._b import *\n', 'a/_b.py': 'def f() : pass\n'}, 'f has no types'),
        ({'a.py': '__all__ = ["f"]\nfrom ._b import f\n', '_b.py': 'def f() : pass\n'}, 'f has no types'),
        ({'_b.py': '@method_of(A)\ndef f(self) -> None: pass\n'}, 'f has no types for self'),
    ],
)
def test_a_function_without_types_is_found(untyped, files, said):
    (problem,) = untyped(files)
    assert said in problem


def test_private_functions_need_no_types(untyped):
    private = 'def _f(x): pass\nclass _A:\n    def f(self): pass\nclass A:\n    def _f(self): pass\n'
    assert untyped({'a.py': private, '_b.py': 'def f(): pass\n', 'c.py': 'from ._b import f\n'}) == []


@pytest.mark.parametrize(
    ('text', 'lines'),
    [
        ('a if b else c if d else e', [1]),
        ('(a if b else c) if d else e', [1]),
        ('a if (b if c else d) else e', [1]),
        ('a if b else f(c if d else e)', []),
        ('[a if b else c for d in e]', []),
    ],
)
def test_nested_conditional_expressions_are_found(text, lines):
    assert list(ternaries.nested(ast.parse(text))) == lines


def test_ruff_is_asked_for_where_it_is_not_there(monkeypatch):
    monkeypatch.setattr(lint.importlib.util, 'find_spec', lambda name: None)
    (problem,) = lint.problems()
    assert 'ruff is not installed' in problem


def test_ruff_finds_a_name_that_is_not_there(monkeypatch, tmp_path):
    (tmp_path / 'pyproject.toml').write_text((ROOT / 'pyproject.toml').read_text())
    (tmp_path / 'a.py').write_text('print(missing)\n')
    monkeypatch.setattr(lint, 'ROOT', tmp_path)
    (problem,) = lint.problems()
    assert 'a.py:1' in problem and 'F821' in problem
