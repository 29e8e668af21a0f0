"""Public functions of the Python package say the types of their arguments and of their result.

A function is public where no part of its name, that of its class or of its module begins with an underscore;
the constructor and the call of a public class count too. Functions of a private module are public where a
public one offers them, and where they become methods of a class.
"""

import ast

from checks.tree import ROOT, name, text, with_suffix

PACKAGE = ROOT / 'python' / 'cantik'
CALLS = {'__init__', '__call__'}


def module_name(path):
    parts = path.relative_to(PACKAGE).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


def is_private(module):
    return any(part.startswith('_') for part in module.split('.'))


def offered(tree):
    """The names of a module's `__all__`; None where it has none that is written out."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], 'id', '') == '__all__':
            if isinstance(node.value, ast.List):
                return {ast.literal_eval(name) for name in node.value.elts}
    return None


def passed_on(path, tree):
    """(module, name) of what a public module has from private ones and offers as its own; '*' for all."""
    package = (
        module_name(path).split('.') if path.name == '__init__.py' else module_name(path).split('.')[:-1]
    )
    names = offered(tree)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level and node.module:
            home = '.'.join([*package[: len(package) - node.level + 1], node.module]).lstrip('.')
            for alias in node.names:
                is_own = path.name == '__init__.py' if names is None else alias.name in names
                if is_private(home) and (
                    alias.name == '*' or (is_own and alias.asname in (None, alias.name))
                ):
                    yield home, alias.name


def functions(body, prefix=''):
    """(qualified name, function) of those that are public; those inside of functions are nobody's."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not node.name.startswith('_') or (prefix and node.name in CALLS):
                yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith('_'):
            yield from functions(node.body, prefix + node.name + '.')
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from functions(node.body + getattr(node, 'orelse', []), prefix)


def is_overload_or_setter(function):
    names = [
        d.attr if isinstance(d, ast.Attribute) else getattr(d, 'id', '') for d in function.decorator_list
    ]
    return 'setter' in names


def becomes_a_method(function):
    return any(getattr(getattr(d, 'func', None), 'id', '') == 'method_of' for d in function.decorator_list)


def untyped(function, is_method):
    """What a function does not say: names of arguments, and 'the result'."""
    arguments = function.args
    named = arguments.posonlyargs + arguments.args
    is_static = any(getattr(d, 'id', '') == 'staticmethod' for d in function.decorator_list)
    if is_method and not is_static:
        named = named[1:]
    every = [*named, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    missing = [a.arg for a in every if a is not None and a.annotation is None]
    if function.returns is None and function.name != '__init__' and not is_overload_or_setter(function):
        missing.append('the result')
    return missing


def problems():
    paths = [f for f in with_suffix('.py', under=['python/cantik']) if 'tests' not in f.parts]
    trees = {path: ast.parse(text(path)) for path in paths}
    public = {path for path in paths if not is_private(module_name(path))}
    passed = {entry for path in public for entry in passed_on(path, trees[path])}
    for path, tree in trees.items():
        module = module_name(path)
        for qualified, function in functions(tree.body):
            offers = {(module, qualified.partition('.')[0]), (module, '*')} & passed
            missing = untyped(function, '.' in qualified)
            if missing and (path in public or offers or becomes_a_method(function)):
                where = f'{name(path)}:{function.lineno}: {qualified}'
                yield f'{where} has no types for ' + ', '.join(missing)
