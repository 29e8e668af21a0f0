"""Runs a script as `python` does; in it `import cntk` and `import mxnet` are Cantik's."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import sys
import types
from typing import TYPE_CHECKING, Any

import click

from ._program import ScriptCommand, command as command_of

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


def _elsewhere(package):
    """Modules of a package whose names are in another one here."""
    if package != 'mxnet':  # whose modules a program for CNTK need not load
        return {}
    return importlib.import_module('cantik.mxnet.inner_modules').MODULES


class Finder(importlib.abc.MetaPathFinder):
    """Gives modules of Cantik under the names of the packages they stand for: the same module, not a copy."""

    def __init__(self, names: Sequence[str]):
        self.names = names

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        package, dot, rest = fullname.partition('.')
        if package not in self.names:
            return None
        own = _elsewhere(package).get(fullname, self.names[package] + dot + rest)
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


def run_script(script: str, arguments: Sequence[str]) -> None:
    """Runs a file as `python` does."""
    install()
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    if os.path.isdir(script) or os.path.isfile(script):
        runpy.run_path(script, run_name='__main__')
    else:
        _run_stream(script)


def _run_stream(script: str) -> None:
    """Runs a program that can be read but once: of a pipe, or `-`, the standard input."""
    if script == '-':
        text = sys.stdin.read()
    else:
        with open(script, encoding='utf-8') as file:
            text = file.read()
    module = types.ModuleType('__main__')
    module.__dict__['__file__'] = script
    sys.modules['__main__'] = module
    exec(compile(text, '<stdin>' if script == '-' else script, 'exec'), module.__dict__)


@command_of(
    'cantik run train.py --epochs 3',
    ScriptCommand,
    ignore_unknown_options=True,
    allow_interspersed_args=False,
)
@click.option('-m', 'is_module', is_flag=True, help='SCRIPT is the name of a module.')
@click.argument('script')
@click.argument('arguments', nargs=-1, type=click.UNPROCESSED)
def command(is_module: bool, script: str, arguments: tuple[str, ...]) -> None:
    """Runs a SCRIPT as `python` does; in it `import cntk` and `import mxnet` are Cantik's."""
    if is_module:
        if not _is_module(script):
            raise click.UsageError(f"there is no module '{script}'")
        install()
        sys.argv = [script, *arguments]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(script, run_name='__main__', alter_sys=True)
        return
    if script != '-' and not os.path.exists(script):
        raise click.UsageError(f"there is no file '{script}'")
    if os.path.isdir(script) and not os.path.exists(os.path.join(script, '__main__.py')):
        raise click.UsageError(f"the folder '{script}' has no __main__.py")
    run_script(script, arguments)


def _is_module(name: str) -> bool:
    """Whether there is such a module. The packages around it are imported to find out."""
    sys.path.insert(0, os.getcwd())
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
    finally:
        del sys.path[0]
