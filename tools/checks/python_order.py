"""The Python package is in order.

No circle is among its modules, none imports one of a later layer, and imports stand at the top of files. What
only type checkers read, under `if TYPE_CHECKING:`, is no import. One that stands in a function counts as all
others do for circles, so it breaks none; it may stand there for the reasons in LATE and LATE_MODULES alone.
"""

import ast
from graphlib import CycleError, TopologicalSorter

from checks.tree import ROOT, name, text, with_suffix

PACKAGE = ROOT / 'python' / 'cantik'

# Packages that a program may do without: they are imported where they are needed.
LATE = {
    'scipy',
    'matplotlib',
    'IPython',
    'PIL',
    'pytest',
    'pandas',
    'pyarrow',
    'yaml',
    'onnxruntime',
    'tomllib',
    'tomli',
}
# Modules that are slow to load, and that not every program needs.
LATE_MODULES = {
    'html': 'its table of all entities takes a twentieth of the time of `import cantik`',
    'shutil': 'with all that it imports, a tenth',
    'subprocess': 'with all that it imports, a tenth',
    'cantik.train.loops': 'training and data sources take a quarter of the time of `import cantik`',
}
# MXNet's interface stands on the public names of the package, but for these modules.
MXNET = 'cantik.mxnet'
PRIVATE_FOR_MXNET = {
    'cantik.mxnet.lower': "the binding's `call` takes attributes by position, as tables have them",
    'cantik.mxnet.files': 'arrays and symbols are written as everything else is: whole or not at all',
}
# A module imports those of its own layer and of those before. What is not named is of the last layer.
LAYERS = [
    (
        'the binding',
        [
            '_cantik',
            '_version',
            '_waiting',
            '_types',
            '_bases',
            '_refusals',
            '_checks',
            '_limits',
            '_seeds',
            '_html',
            '_network_picture',
            '_files',
            '_other_names',
            'summaries',
        ],
    ),
    (
        'tensors, axes, variables',
        [
            'tensor',
            'axis',
            'default_options',
            'variables',
            'core',
            '_native_values',
            '_masks',
            '_lent_values',
            'device',
        ],
    ),
    ('operators and functions', ['initializer', 'ops', 'linalg', 'losses', 'metrics', 'random']),
    ('layers', ['layers', 'decoding']),
    ('learners', ['learners']),
    ('data', ['internal', 'io']),
    ('training', ['plots', 'logging', 'train', 'eval']),
    ('all of it', ['debugging', 'cntk_py', 'internal.switches', 'ops.tests']),
]


class Module:
    def __init__(self, path):
        parts = path.relative_to(PACKAGE.parent).with_suffix('').parts
        self.path = path
        self.is_package = parts[-1] == '__init__'
        self.name = '.'.join(parts[:-1] if self.is_package else parts)

    def absolute(self, node):
        """The module that a `from ... import` names."""
        if not node.level:
            return node.module
        parts = self.name.split('.')
        above = node.level - self.is_package
        parts = parts[: len(parts) - above] if above else parts
        return '.'.join(parts + ([node.module] if node.module else []))


def is_for_type_checkers(node):
    test = node.test
    return (test.attr if isinstance(test, ast.Attribute) else getattr(test, 'id', None)) == 'TYPE_CHECKING'


def imports(node, inside=False):
    """(statement, whether it stands in a function) of every import below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child, inside
        elif isinstance(child, ast.If) and is_for_type_checkers(child):
            for other in child.orelse:
                yield from imports(ast.Module([other], []), inside)
        else:
            is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from imports(child, inside or is_function)


def named(module, node, known):
    """The modules that an import statement names: those of the package by their names, of others the first
    word."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        home = module.absolute(node)
        names = [home + '.' + a.name if home + '.' + a.name in known else home for a in node.names]
    return [n if n.partition('.')[0] == PACKAGE.name else n.partition('.')[0] for n in names]


def with_packages(module, found):
    """A module that is imported, and the packages around it, which are imported before it; but those that the
    importing module is in have begun already."""
    parts = found.split('.')
    around = ['.'.join(parts[:i]) for i in range(1, len(parts))]
    return {found, *(n for n in around if not module.name.startswith(n + '.'))} - {module.name}


def layer_of(module_name):
    """The number of its layer: that of the longest name in the list that it begins with; without one, that
    of the last layer."""
    numbers = {f'{PACKAGE.name}.{m}': n for n, (_, members) in enumerate(LAYERS) for m in members}
    parts = module_name.split('.')
    names = ('.'.join(parts[:i]) for i in range(len(parts), 0, -1))
    return next((numbers[n] for n in names if n in numbers), len(LAYERS) - 1)


def title(module_name):
    return LAYERS[layer_of(module_name)][0]


def graph(modules):
    """{module: {module it imports: line}}, and what is wrong with imports that stand in functions."""
    known = {m.name for m in modules} | {PACKAGE.name + '._cantik'}
    arrows, complaints = {}, []
    for module in modules:
        mine = arrows.setdefault(module.name, {})
        for node, inside in imports(ast.parse(text(module.path))):
            for found in named(module, node, known):
                if inside and found not in LATE and found not in LATE_MODULES:
                    where = f'{name(module.path)}:{node.lineno}'
                    complaints.append(
                        f'{where}: imports {found} in a function; the top of the file is the place'
                    )
                if found in known:
                    for target in with_packages(module, found):
                        mine.setdefault(target, node.lineno)
    return arrows, complaints


def is_private(module_name):
    return any(part.startswith('_') for part in module_name.split('.'))


def circle(arrows):
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return None


def problems():
    modules = [Module(path) for path in with_suffix('.py', under=['python/cantik'])]
    paths = {m.name: name(m.path) for m in modules}
    arrows, complaints = graph(modules)
    yield from complaints
    found = circle(arrows)
    if found:
        yield 'python/cantik: a circle of imports: ' + ' -> '.join(found)
    for module, targets in arrows.items():
        for target, line in targets.items():
            if module.startswith(MXNET + '.') and is_private(target) and module not in PRIVATE_FOR_MXNET:
                yield f'{paths[module]}:{line}: imports {target}; the public names are in cantik'
            if layer_of(target) > layer_of(module) and target != PACKAGE.name:
                theirs, mine = title(target), title(module)
                yield f'{paths[module]}:{line}: {mine} import {target} of a later layer, {theirs}'
