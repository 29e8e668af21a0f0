"""Stubs: of the compiled module, of names that the package imports when they are first used, and of cntk's
modules."""

import ast
import json
import os
import re
import subprocess
import sys

from stub_types import RESULTS

HEAD = '# Written by tools/generate: {}.\n'
PACKAGES = ('cantik', 'cntk')

# What cantik/__init__.py makes at run time, and the modules that cntk has under the same names.
NAMES = '''
import json, pkgutil, cantik
modules = [(m.name.partition('.')[2], m.ispkg) for m in pkgutil.walk_packages(cantik.__path__, 'cantik.')
           if not any(part.startswith('_') for part in m.name.split('.'))]
errors = {e.__name__: [b.__name__ for b in e.__bases__]
          for e in (cantik.ArgumentError, cantik.MissingError, cantik.OutOfMemoryError, cantik.ShapeError)}
print(json.dumps({'errors': errors, 'submodules': sorted(cantik._SUBMODULES), 'names': cantik._NAMES,
                  'modules': modules}))
'''


def asked(build, *command):
    environment = {**os.environ, 'PYTHONPATH': str(build / 'python')}
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def compiled(build, target, scratch, known):
    """The stubs of the compiled module, by nanobind from its signatures: {path: text}."""
    asked(build, '-m', 'nanobind.stubgen', '-q', '-r', '-m', 'cantik._cantik', '-O', str(scratch))
    head = HEAD.format('signatures of the compiled module')
    # The errors say cantik in their texts, so nanobind looks for them there; they are made here.
    errors = ''.join(
        'class {}({}):\n    pass\n\n'.format(name, ', '.join(bases))
        for name, bases in known['errors'].items()
    )
    text = (scratch / '_cantik.pyi').read_text()
    text = meant(re.sub(r'from cantik import \([^)]*\)\n', lambda _: errors, text))
    return {target / 'cantik' / '_cantik' / '__init__.pyi': head + text}


IMPORTS = (
    ''.join(
        f'import {module}\n'
        for module in (
            'typing',
            'numpy',
            'cantik.axis',
            'cantik.core',
            'cantik.ops.functions',
            'cantik.variables',
        )
    )
    + '\n'
)


def meant(text):
    """The stub with the results that stub_types.py knows in place of those that nanobind shows."""
    left, lines, inside = dict(RESULTS), [], ''
    for line in text.splitlines():
        opened = re.match(r'class (\w+)', line)
        if opened or (line and not line[0].isspace()):
            inside = opened.group(1) + '.' if opened else ''
        found = re.match(r'\s*def (\w+)\(.*\) -> ([^:]+):', line)
        if found and inside + found.group(1) in RESULTS:
            name = inside + found.group(1)
            left.pop(name, None)
            line = line[: found.start(2)] + RESULTS[name] + line[found.end(2) :]
        if found:  # what a method takes does not bind those that override it
            line = line.replace(': object', ': typing.Any')
        lines.append(line)
    assert not left, 'tools/stub_types.py: the compiled module has no ' + ', '.join(left)
    return IMPORTS + '\n'.join(lines) + '\n'


def package(source, known):
    """cantik/__init__.pyi: what __init__.py imports at once, and what it finds later, all as imports."""
    lines = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and not any(re.match('_[^_]', a.name) for a in node.names):
            module = '.' * node.level + (node.module or '')
            lines += [
                'from {} import {}'.format(module, a.name if a.name == '*' else f'{a.name} as {a.name}')
                for a in node.names
            ]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            lines.append(f'{node.targets[0].id}: {type(ast.literal_eval(node.value)).__name__}')
    later = dict(known['names'])
    modules = {name for name, _ in known['modules']}
    imported = {line.rpartition(' as ')[2] for line in lines}
    lines += [
        f'from . import {name} as {name}'
        for name in known['submodules']
        if name not in imported and name != 'default_options'
    ]
    for name, home in sorted(later.items()):
        if (
            name in ('training_session', 'auto_select', '_cntk_py')
            or name in imported
            or home.partition('.')[0] == 'internal'
        ):
            continue  # helpers of CNTK's own, there for star imports, are nothing to complete
        lines.append(f'from .{home} import {name} as {name}')
    assert 'train.training_session' in modules
    lines += [
        'from .train.training_session import training_session as training_session',
        'from ._cantik import SentinelValueForAutoSelectRandomSeed as auto_select',
    ]
    return (
        HEAD.format('the names of the package, those too that are imported when they are first used')
        + '\n'.join(lines)
        + '\n'
    )


def is_of_cntk(module):
    """Whether cntk has stubs of this module of cantik: not of what CNTK never had, nor of tests."""
    parts = module.split('.')
    return parts[0] not in ('mxnet', 'fitting', 'plots', 'sklearn', 'weights') and 'tests' not in parts


def aliases(target, known):
    """A stub for each module of cntk: that of cantik."""
    head = HEAD.format("cantik's module under CNTK's name")
    files = {target / 'cntk' / '__init__.pyi': head + 'from cantik import *\n'}
    for name, is_package in known['modules']:
        if not is_of_cntk(name):
            continue
        path = target / 'cntk' / name.replace('.', '/')
        files[path / '__init__.pyi' if is_package else path.with_suffix('.pyi')] = (
            head + f'from cantik.{name} import *\n'
        )
    return files


def stubs(root, build, scratch):
    target = root / 'python'
    known = json.loads(asked(build, '-c', NAMES))
    files = {**compiled(build, target, scratch, known), **aliases(target, known)}
    files[target / 'cantik' / '__init__.pyi'] = package(
        (target / 'cantik' / '__init__.py').read_text(), known
    )
    for name in PACKAGES:
        files[target / name / 'py.typed'] = ''
    return files
