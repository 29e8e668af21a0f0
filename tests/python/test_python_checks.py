"""Checks of the Python package find what they are there for.

Each fault is written into a small package.
"""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tools'))

from checks import python_order

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
