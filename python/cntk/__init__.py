"""CNTK's name for cantik: the same modules, the same objects."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys

import cantik


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds cntk.a.b as cantik.a.b: one module, entered under both names."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname == '_cntk_py':  # the name of CNTK's own binding
            return importlib.machinery.ModuleSpec(fullname, self)
        if not fullname.startswith('cntk.'):
            return None
        ours = 'cantik.' + fullname[5:]
        try:
            known = ours in sys.modules or importlib.util.find_spec(ours) is not None
        except ModuleNotFoundError:
            known = False
        return importlib.machinery.ModuleSpec(fullname, self) if known else None

    def create_module(self, spec):
        module = importlib.import_module('cantik.cntk_py' if spec.name == '_cntk_py' else 'cantik.' + spec.name[5:])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = module.__spec__.loader_state  # its own again


sys.meta_path.insert(0, _Alias())
sys.modules['cntk'] = cantik
