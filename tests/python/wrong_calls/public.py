"""The public functions of the package, and which of them calls.txt calls."""

import ast
import importlib
import inspect
import pkgutil

import cantik

from run import calls
from world import World

# Other tests check these: MXNet's interface and the command line.
OTHERS = ('cantik.mxnet', 'cantik.commands', 'cantik.tests', 'cantik.__main__')


def _modules():
    names = [m.name for m in pkgutil.walk_packages(cantik.__path__, 'cantik.')]
    public = [
        n
        for n in names
        if not any(part.startswith('_') for part in n.split('.')) and not n.startswith(OTHERS)
    ]
    return [cantik] + [importlib.import_module(n) for n in public]


def _is_ours(item):
    module = getattr(item, '__module__', None) or ''
    return module.partition('.')[0] in ('cantik', '_cantik') and not module.startswith(OTHERS)


def _is_helper(item, module):
    """Whether it comes from a module whose name begins with _."""
    return (
        module is not cantik
        and any(part.startswith('_') for part in item.__module__.split('.'))
        and item.__module__ != 'cantik._cantik'
    )


def _methods(cls):
    """The public methods that a class or one of ours below it defines, by name."""
    found = {}
    for base in reversed(cls.__mro__):
        if _is_ours(base):
            found.update({name: item for name, item in vars(base).items() if not name.startswith('_')})
    for name, item in found.items():
        item = item.__func__ if isinstance(item, (staticmethod, classmethod)) else item
        if callable(item) and not inspect.isclass(item):
            yield name, item


def public_functions():
    """{function: name} of all that take arguments: functions, methods, classes. The shortest name counts."""
    found = {}
    for module in _modules():
        for name in dir(module):
            item = getattr(module, name, None)
            if name.startswith('_') or not callable(item) or not _is_ours(item) or _is_helper(item, module):
                continue
            if inspect.isclass(item) and issubclass(item, BaseException):
                continue
            full = module.__name__ + '.' + name
            try:
                if full.count('.') < found.get(item, full + '.').count('.'):
                    found[item] = full
            except TypeError:  # what cannot be a key is no function
                continue
    for cls, full in [(item, full) for item, full in found.items() if inspect.isclass(item)]:
        for name, method in _methods(cls):
            found.setdefault(method, full + '.' + name)
    return {function: name for function, name in found.items() if takes_arguments(function)}


def _made_by(cls):
    """The constructor of a class, where one of our classes defines it."""
    names = {name for base in cls.__mro__ if _is_ours(base) for name in vars(base)}
    return cls.__init__ if '__init__' in names else cls.__new__ if '__new__' in names else None


def takes_arguments(function):
    if inspect.isclass(function):
        made = _made_by(function)
        return made is not None and takes_arguments(made)
    if hasattr(function, '__nb_signature__'):
        return bool(parameters(function))
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return bool(set(found) - {'self', 'cls'})


def parameters(function):
    """The names of a function's parameters, without self and *args; None where they are not known."""
    signatures = getattr(function, '__nb_signature__', None)
    if signatures is not None:
        from cantik._refusals import _parameters

        return [p.name for s in signatures for p in _parameters(s[0])[0]]
    if inspect.isclass(function):
        return parameters(_made_by(function))
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [
        p.name
        for p in found
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in ('self', 'cls')
    ]


def called():
    """{function: (most arguments by place, names of arguments)} over all calls."""
    found = {}
    for call in calls():
        node = ast.parse(call.text, mode='eval').body
        while isinstance(node, ast.Call):
            target = eval(compile(ast.Expression(node.func), '<function>', 'eval'), World())
            if inspect.ismethod(target):
                target = target.__func__
            elif type(target).__name__ == 'nb_bound_method':
                target = getattr(type(target.__self__), target.__name__)
            places, names = found.setdefault(target, [0, set()])
            found[target] = [max(places, len(node.args)), names | {k.arg for k in node.keywords}]
            node = node.func
    return found
