"""Runs a script as `python` does; in it `import cntk` and `import mxnet` are Cantik's."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# The packages whose names resolve to ours.
NAMES = {'cntk': 'cantik', 'mxnet': 'cantik.mxnet'}


class _Alias(importlib.abc.Loader):
    def __init__(self, name):
        self.name = name

    def create_module(self, spec):
        return importlib.import_module(self.name)

    def exec_module(self, module):
        """It is imported already, under its own name."""


class Finder(importlib.abc.MetaPathFinder):
    """Gives modules of Cantik under the names of the packages they stand for: the same module, not a copy."""

    def __init__(self, names: Sequence[str]):
        self.names = names

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        package, dot, rest = fullname.partition('.')
        if package not in self.names:
            return None
        own = self.names[package] + dot + rest
        if dot and importlib.util.find_spec(own) is None:
            parent, _, last = own.rpartition('.')
            found = getattr(
                importlib.import_module(parent), last, None
            )  # mxnet.sym is a name of mxnet.symbol
            if not hasattr(found, '__spec__'):
                return None
            own = found.__name__
        return importlib.machinery.ModuleSpec(fullname, _Alias(own), is_package=True)


def install(names: Sequence[str] | None = None) -> None:
    """From now on these names import Cantik's packages."""
    sys.meta_path.insert(0, Finder(names or NAMES))


def main(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in ('-h', '--help'):
        print(
            'usage: cantik run SCRIPT [ARGUMENT ...]   or   cantik run -m MODULE [ARGUMENT ...]\n\n' + __doc__
        )
        return 0 if arguments else 2
    install()
    if arguments[0] == '-m':
        if len(arguments) < 2:
            print('cantik run: -m needs the name of a module', file=sys.stderr)
            return 2
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name='__main__', alter_sys=True)
        return 0
    if not os.path.exists(arguments[0]):
        print(f"cantik run: there is no file '{arguments[0]}'", file=sys.stderr)
        return 2
    sys.argv = list(arguments)
    sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
    runpy.run_path(arguments[0], run_name='__main__')
    return 0
