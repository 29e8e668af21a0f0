"""Calls of the layers in C++ and Python, and their page of the reference, from what their files state."""

import functools
import re
import textwrap
from pathlib import Path

import generate_options as options
from layout import laid_out

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / 'python' / 'cantik' / 'layers'

# The headers of C++, in the order of the reference, and what they hold.
FAMILIES = {
    'feed_forward': 'Layers that see each sample, or each step, alone',
    'images': 'Convolutions and poolings',
    'normalization': 'Normalizations',
    'sequences': 'Layers along sequences',
    'cells': 'Steps of recurrences',
}
# More options than this behind those that lead make a struct, to be written with designated initializers.
FEW = 2

# The modules of Python, with their files and their first lines.
MODULES = {
    'layers': (
        'layers.py',
        'Layers of feed-forward networks. Each makes a function of one argument, whose parameters it shares '
        'however often it is applied.',
    ),
    'blocks': ('_cells.py', 'Small layers, and the steps of recurrences.'),
    'sequence': ('sequence.py', 'Recurrences: steps carried along sequences.'),
    'models.attention': ('models/attention.py', 'Attention: where to look in another sequence.'),
}


def layers(build):
    """The layers that the built library has."""
    found = options.described(build, 'dump_layers')
    for layer in found:
        layer['struct'] = layer['struct'] or options.struct_name(layer['name'])
    return found


def add_examples(found, build):
    """Runs the example of each layer and writes down what comes out."""
    examples = {}
    for layer in found:
        if layer['example']:
            numpy = ', numpy as np' if 'np.' in layer['example'] else ''
            examples[layer['name']] = [f'import cantik as C{numpy}', *layer['example'].split('\n')]
    printed = options.run_examples(examples, build)
    for layer in found:
        layer['printed'] = printed.get(layer['name'], [])


# ---- C++

CPP_HEADER = """\
// {title}. Written by tools/generate from src/layers/{family}/: change those files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/layers/argument.h>
#include <cantik/layers/step.h>
#include <cantik/source_location.h>

namespace cantik::layers {{

"""
CPP_SOURCE = """\
// Bodies of <cantik/layers/{family}.h>. Written by tools/generate.
#include <cantik/layers/{family}.h>

#include <optional>
#include <string>
#include <vector>

#include <cantik/layer_registry.h>

namespace cantik::layers {{

"""


class Call:
    """The typed call of a layer: what leads, then the other options, in a struct where they are more than a
    few."""

    def __init__(self, layer):
        self.layer = layer
        self.options = [o for o in layer['options'] if o['in_cpp']]
        self.leading = [o for o in self.options if o['leading']]
        self.rest = [o for o in self.options if not o['leading']]
        self.has_struct = len(self.rest) > FEW

    def struct(self):
        text = f'// Options of {{}}.\nstruct {self.layer["struct"]} {{{{\n'
        return (
            text
            + ''.join(map(options.cpp_member, self.rest)).replace('{', '{{').replace('}', '}}')
            + '}};\n\n'
        )

    def parameters(self, declared):
        found = []
        for o in self.leading + ([] if self.has_struct else self.rest):
            default = ' = ' + options.cpp_default(o) if declared and not o['required'] else ''
            found.append(f'{options.cpp_parameter(o)} {o["name"]}{default}')
        if self.has_struct:
            found.append(f'const {self.layer["struct"]}& options' + (' = {}' if declared else ''))
        found.append('SourceLocation where' + (' = SourceLocation::current()' if declared else ''))
        return ', '.join(found)

    def declaration(self):
        text = options.comment(self.layer['doc'])
        if self.layer['returns']:
            text += '//\n' + options.comment('Gives ' + self.layer['returns'] + '.')
        about = [o for o in self.leading + ([] if self.has_struct else self.rest) if o['name'] != 'name']
        for o in about:
            text += options.comment(f'{o["name"]}: {o["doc"]}{options.range_text(o)}')
        return text + f'CANTIK_API Function {self.layer["name"]}({self.parameters(declared=True)});\n'

    def definition(self):
        def value(o):
            return o['name'] if o['leading'] or not self.has_struct else 'options.' + o['name']

        values = ', '.join(f'{{"{o["name"]}", {value(o)}}}' for o in self.options)
        name = self.layer['name']
        return (
            f'Function {name}({self.parameters(declared=False)}) {{\n'
            f'  return make_layer("{name}", {{{values}}}, where);\n}}\n'
        )


def listed(names):
    *first, last = [name + '()' for name in names]
    return ', '.join(first) + (' and ' if first else '') + last


def header(family, calls):
    text = CPP_HEADER.format(title=FAMILIES[family], family=family)
    users = {}
    for call in calls:
        if call.has_struct:
            users.setdefault(call.layer['struct'], []).append(call)
    written = set()
    for call in calls:
        struct = call.layer['struct']
        if call.has_struct and struct not in written:
            written.add(struct)
            shapes = {other.struct() for other in users[struct]}
            assert len(shapes) == 1, f'{struct} has different members in different layers'
            text += call.struct().format(listed(other.layer['name'] for other in users[struct]))
        text += call.declaration() + '\n'
    return text + '}  // namespace cantik::layers\n'


def source(family, calls):
    text = CPP_SOURCE.format(family=family)
    return text + ''.join(call.definition() + '\n' for call in calls) + '}  // namespace cantik::layers\n'


# ---- Python

# For annotations, and for the lines of help.
ANNOTATIONS = {
    'flag': 'bool',
    'whole': 'int',
    'number': 'float',
    'text': 'str',
    'seed': 'int',
    'shape': 'ShapeLike',
    'extents': 'ShapeLike',
    'flags': 'FlagsLike',
    'counts': 'ShapeLike',
    'activation': 'ActivationLike',
    'initializer': 'InitLike',
    'step': 'Callable[..., Any]',
}
HINTS = {
    'flag': 'bool',
    'whole': 'int',
    'number': 'float',
    'text': 'str',
    'seed': 'int',
    'shape': 'tuple',
    'extents': 'int or tuple',
    'flags': 'bool or tuple',
    'counts': 'int or tuple',
}
# Where names come from that a module may use: at run time, and for annotations alone.
IMPORTS = {
    'default_override_or': '..default_options import default_override_or',
    'glorot_uniform': '..initializer import glorot_uniform',
    'Function': '..ops.functions import Function',
    'sigmoid': '..ops import sigmoid',
    'tanh': '..ops import tanh',
    'SentinelValueForAutoSelectRandomSeed': '.._cantik import SentinelValueForAutoSelectRandomSeed',
    'identity': '.blocks import identity',
    'made': '._options import made',
    'traced': '._steps import traced',
}
TYPES = ('ActivationLike', 'FlagsLike', 'InitLike', 'ShapeLike')


def python_options(layer):
    """The options in the order of Python's call."""
    there = [o for o in layer['options'] if o['in_python']]
    return [
        *(o for o in there if not o['behind']),
        *(o for o in there if o['behind'] and not o['keyword']),
        *(o for o in there if o['keyword']),
    ]


def python_default(option):
    value, kind = option['default'], option['kind']
    if kind == 'activation':
        text = value or 'identity'
    elif option['default_call']:
        text = option['default_call']
    elif kind == 'initializer' and isinstance(value, str):
        text = value + '()'
    elif kind == 'seed':
        text = 'SentinelValueForAutoSelectRandomSeed'
    elif isinstance(value, float) and value == int(value):
        text = repr(int(value))
    else:
        text = repr(value)
    return f'default_override_or({text})' if option['scoped'] else text


def parameters(layer, typed):
    found, keyword = [], False
    for o in python_options(layer):
        if o['keyword'] and not keyword:
            keyword = True
            found.append('*')
        text = o['name']
        if typed:
            kind = ANNOTATIONS.get(o['kind'], 'Any')
            text += (
                ': '
                + kind
                + (' | None' if o['may_be_left'] and kind not in ('Any', 'ActivationLike') else '')
            )
        if not o['required']:
            text += (' = ' if typed else '=') + python_default(o)
        found.append(text)
    return found


def argument_lines(layer):
    for o in python_options(layer):
        hint = f' ({HINTS[o["kind"]]})' if o['kind'] in HINTS else ''
        yield f'{o["name"]}{hint}: {o["doc"]}{options.range_text(o)}'


wrapped = functools.partial(textwrap.wrap, break_on_hyphens=False)


def docstring(layer):
    lines = []
    for paragraph in layer['doc'].split('\n\n'):
        lines += [*wrapped(paragraph, 103), '']
    lines.append('Args:')
    for line in argument_lines(layer):
        lines += wrapped(line, 102, initial_indent='    ', subsequent_indent='        ')
    lines += [
        '',
        'Returns:',
        *wrapped(layer['returns'], 102, initial_indent='    ', subsequent_indent='    '),
    ]
    if layer['raises']:
        lines += ['', 'Raises:']
        lines += wrapped(layer['raises'], 102, initial_indent='    ', subsequent_indent='        ')
    return [*lines, '', 'Example:', *('    ' + line for line in layer['printed'])]


def function(layer):
    name = layer['python']
    first, *rest = docstring(layer)
    lines = [f'def {name}({", ".join(parameters(layer, typed=True))}) -> Function:']
    lines += ['    """' + first, *(('    ' + line).rstrip() for line in rest), '    """']
    for o in python_options(layer):
        if o['kind'] == 'step' and o['required']:
            lines.append(f"    {o['name']} = traced({o['name']}, '{name}')")
        elif o['kind'] == 'step':
            lines.append(
                f"    if {o['name']} is not None:\n        {o['name']} = traced({o['name']}, '{name}')"
            )
    return '\n'.join([*lines, f"    return made('{layer['name']}', {name}, locals())"])


def module(title, members, depth):
    """The text of a module of Python; `depth`: how many packages it is below cantik."""
    body = '\n\n\n'.join(map(function, members)) + '\n'
    code = re.sub(r'""".*?"""', '', body, flags=re.DOTALL)

    def used(name):
        return re.search(rf'\b{name}\b', code)

    def placed(line):
        """The import as it is written in a package further down."""
        return 'from ' + '.' * (depth - 2) + line

    first = f'"""{title} Written by tools/generate from src/layers: change those files."""'
    text = '\n'.join(textwrap.wrap(first, 110)) + '\n\n'
    text += 'from __future__ import annotations\n\n'
    types = [name for name in TYPES if used(name)]
    has_checked = types or used('Callable')
    typing = ['TYPE_CHECKING'] * bool(has_checked) + ['Any'] * bool(used('Any'))
    text += f'from typing import {", ".join(typing)}\n\n' if typing else ''
    text += ''.join(placed(line) + '\n' for name, line in IMPORTS.items() if used(name))
    if has_checked:
        text += '\nif TYPE_CHECKING:\n'
        if used('Callable'):
            text += '    from collections.abc import Callable\n\n'
        if types:
            text += '    ' + placed('.._types import ' + ', '.join(types)) + '\n'
    names = ''.join(f"    '{layer['python']}',\n" for layer in members)
    return f'{text}\n__all__ = [\n{names}]\n\n\n{body}'


def modules(found):
    """The text of each module by its path."""
    files = {}
    for name, (path, title) in MODULES.items():
        members = [layer for layer in found if layer['python'] and layer['module'] == name]
        files[PACKAGE / path] = module(title, members, 2 + path.count('/'))
    return files


# ---- the reference

PAGE = """\
# Layers

Written by `tools/generate` from the layers' files. `C` is `cantik`. In C++ each has a name in small letters in
[layers.h](../../include/cantik/layers.h) or [recurrence.h](../../include/cantik/recurrence.h), with its options in a
struct: `layers::dense(10, {.activation = "relu"})`. `Sequential`, `For` and their like: [python.md](../python.md).
A layer's file: [add_a_layer.md](../dev/add_a_layer.md).

"""


def entry(layer):
    call = ', '.join(parameters(layer, typed=False))
    text = f'### {layer["python"]}\n\n```py\nC.layers.{layer["python"]}({call})\n```\n\n{layer["doc"]}\n\n'
    text += f'Returns {layer["returns"]}.\n\n'
    for line in argument_lines(layer):
        argument, rest = line.split(': ', 1)
        argument, _, kind = argument.partition(' (')
        text += f'- `{argument}`: {rest}' + (f' ({kind}' if kind else '') + '\n'
    if layer['raises']:
        text += f'\nRaises {layer["raises"]}\n'
    text += '\n```pycon\n' + '\n'.join(layer['printed']) + '\n```\n\n'
    return text + f'In C++: `layers::{layer["name"]}`.\n\n'


def page(found):
    text = PAGE
    for family, title in FAMILIES.items():
        text += f'## {title}\n\n'
        text += ''.join(entry(layer) for layer in found if layer['family'] == family and layer['python'])
    return text


def write_calls(found):
    """Writes Python's functions of layers that have none, so that their examples can run."""
    for layer in found:
        layer['printed'] = []
    for path, text in modules(found).items():
        known = path.read_text() if path.exists() else ''
        text = laid_out(path, text)
        calls = {line for line in text.splitlines() if line.startswith('def ')}
        if not calls <= set(known.splitlines()):
            path.write_text(text)


def files(found):
    """All that is written of the layers, by path."""
    written = {ROOT / 'docs' / 'reference' / 'layers.md': page(found), **modules(found)}
    for family in FAMILIES:
        calls = [Call(layer) for layer in found if layer['family'] == family]
        written[ROOT / 'include' / 'cantik' / 'layers' / f'{family}.h'] = header(family, calls)
        written[ROOT / 'src' / 'calls' / 'layers' / f'{family}.cc'] = source(family, calls)
    return written
