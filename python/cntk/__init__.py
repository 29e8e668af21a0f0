"""CNTK's name for cantik: the same modules, the same objects."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys

import cantik
from cantik._star_imports import one_at_a_time


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds cntk.a.b as cantik.a.b: one module, entered under both names."""

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith('cntk.'):
            return None
        ours = 'cantik.' + fullname[5:]
        try:
            known = ours in sys.modules or importlib.util.find_spec(ours) is not None
        except ModuleNotFoundError:
            known = False
        return importlib.machinery.ModuleSpec(fullname, self) if known else None

    def create_module(self, spec):
        with one_at_a_time:
            module = importlib.import_module('cantik.' + spec.name[5:])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = module.__spec__.loader_state  # its own again
        _enter()


def _enter():
    """Enters all modules that are there under cntk's names, so that importing one changes no attribute of its
    parent: what cntk.layers has as `sequence` are the operators, beside a module cntk.layers.sequence."""
    for name, module in list(sys.modules.items()):
        if (
            name.startswith('cantik.')
            and '._' not in name
            and not getattr(module.__spec__, '_initializing', False)
        ):
            sys.modules.setdefault('cntk.' + name[7:], module)


sys.meta_path.insert(0, _Alias())
sys.modules['cntk'] = cantik
_enter()
