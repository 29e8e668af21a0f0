"""Folders are layers: a file includes only its own folder and those before it; public headers include no
private one."""

import re

from checks.tree import ROOT, name, text, with_suffix

LAYERS = [
    'base',
    'tensor',
    'graph',
    'calls',
    'backends',
    'ops',
    'compile',
    'plan',
    'execute',
    'runtime',
    'session',
    'layers',
    'learners',
    'io',
    'onnx',
    'formats',
    'distributed',
    'train',
    'inspect',
    'c_api',
    'serve',
]
# A file of the operators may use the kernels under it; a kernel knows expressions and types (graph), not
# operators.


def layer_of(path):
    first = str(path).split('/', 1)[0]
    return LAYERS.index(first) if first in LAYERS else None


def problems():
    for file in with_suffix('.h', '.cc', under=['src']):
        mine = layer_of(file.relative_to(ROOT / 'src'))
        for number, line in enumerate(text(file).splitlines(), 1):
            match = re.match(r'\s*#include "([^"]+)"', line)
            if not match:
                continue
            theirs = layer_of(match.group(1))
            if theirs is None:
                yield f'{name(file)}:{number}: includes {match.group(1)}, which is in no layer'
            elif mine is not None and theirs > mine:
                arrow = f'{LAYERS[mine]} includes {match.group(1)} of the later layer {LAYERS[theirs]}'
                yield f'{name(file)}:{number}: {arrow}'
    for file in with_suffix('.h', under=['include']):
        for number, line in enumerate(text(file).splitlines(), 1):
            if re.match(r'\s*#include "', line):
                yield f'{name(file)}:{number}: a public header includes a private one'
