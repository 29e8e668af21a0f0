"""Star imports bring what they bring in CNTK 2.7: `from cntk.layers import *` gives `np` and `splice` too.

_star_names.py lists these names for each module. A module has them by attribute and in its `__all__`; they
are looked up when they are first used, and `dir` of the module shows its public names alone.
"""

import importlib
import sys
import threading
import types

from ._star_names import HOMES, MODULES, NAMES, OTHERS

_PACKAGE = __name__.partition('.')[0]
_MADE = {'__all__', '__dir__', '__getattr__'}
_HOME = {name: home + '/' + name for home, names in HOMES.items() for name in names}
_HOME.update(zip(MODULES, MODULES), **OTHERS)


class _Finder:
    """Finds the modules that _star_names.py lists, with a loader around their own."""

    def find_spec(self, fullname, path=None, target=None):
        package, _, name = fullname.partition('.')
        if package != _PACKAGE or name not in NAMES:
            return None
        others = (f for f in sys.meta_path if not _is_finder(f) and hasattr(f, 'find_spec'))
        spec = next(filter(None, (finder.find_spec(fullname, path, target) for finder in others)), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def _is_finder(finder):
    """Whether it is a _Finder, also one of this file's class before the file was reloaded."""
    return (type(finder).__module__, type(finder).__name__) == (__name__, _Finder.__name__)


class _Loader:
    def __init__(self, own):
        self.own = own

    def create_module(self, spec):
        return self.own.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.own
        self.own.exec_module(module)
        complete(module)


def complete(module):
    """Gives a module the names of star imports, and a `dir` of its public names."""
    own = vars(module)
    star = dict(map(_named, NAMES[module.__name__.partition('.')[2] or _PACKAGE]))
    shown = set(own.get('__all__', ())) - set(star)
    find, listed = (_uncompleted(own.get(name)) for name in ('__getattr__', '__dir__'))

    def __getattr__(name):
        if name in star:
            value = _at_home(star[name])
            own[name] = value
            return value
        if find is not None:
            return find(name)
        raise AttributeError(f"module '{module.__name__}' has no attribute '{name}'")

    def __dir__():
        public = shown or {name for name, value in own.items() if _is_public(module, name, value)}
        later = listed() if listed is not None else ()
        special = {name for name in own if name.startswith('__')}
        return sorted((special | public | set(later)) - _MADE - set(star))

    __getattr__.completes, __dir__.completes = find, listed
    own.update(__getattr__=__getattr__, __dir__=__dir__)
    brought = (shown or set(__dir__())) | set(star)
    own['__all__'] = sorted(name for name in brought if not name.startswith('_'))


def _uncompleted(function):
    """A module's own function: `complete` may have put another in its place when the module ran before."""
    return getattr(function, 'completes', function)


# Modules that need one another are brought by one thread: two that begin at different ends would wait for
# each other, which Python answers by an error.
one_at_a_time = threading.RLock()


def _named(name):
    """(name, where it lives) of an entry of the table: `name`, or `name=home` where it differs from the usual
    one."""
    name, _, home = name.partition('=')
    return name, home or _HOME[name]


def _at_home(home):
    """The module `os`, or the attribute `slice` of `.ops/slice`."""
    module, _, attribute = home.partition('/')
    with one_at_a_time:
        found = importlib.import_module(module, _PACKAGE)
    return getattr(found, attribute) if attribute else found


def is_for_annotations(name, value):
    """Whether a name of a module is there for its annotations."""
    return name == 'TYPE_CHECKING' or type(value).__module__ in ('typing', '__future__')


def _is_public(module, name, value):
    """Whether a name of a module is one that it offers, and not one that its file needs itself."""
    if name.startswith('_') or is_for_annotations(name, value):
        return False
    if isinstance(value, types.ModuleType):
        return value.__name__ == module.__name__ + '.' + name
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return (value.__module__ or '').partition('.')[0] in (_PACKAGE, 'cntk')
    return True


def install():
    """Completes the modules of the package, those that are there and those that are imported from here on."""
    for name in NAMES:
        module = sys.modules.get(_PACKAGE + '.' + name)
        if module is not None:
            complete(module)
    complete(sys.modules[_PACKAGE])
    others = [finder for finder in sys.meta_path if not _is_finder(finder)]
    sys.meta_path[:] = [_Finder(), *others]  # one of them, however often the package is reloaded
