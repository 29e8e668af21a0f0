"""Typed C++ calls of the operators: a header for each family, include/cantik/ops/FAMILY.h, and the bodies,
src/calls/FAMILY.cc."""

import textwrap
from pathlib import Path

import generate_python as python

ROOT = Path(__file__).resolve().parent.parent
BY_HAND = {'combine'}
# Modules whose operators stand in a namespace of their own.
NAMESPACES = {'cantik.ops.sequence': 'sequence', 'cantik.linalg': 'linalg'}
# More attributes than this make a struct of options, to be written with designated initializers.
FEW = 2
TITLES = {
    'control': 'What graphs are made of: names, types, gradients that stop, states',
    'linalg': "MXNet's operators on matrices and batches of them",
    'loss': 'Losses and metrics',
    'math': 'Arithmetic, functions of one number, comparisons, products of matrices',
    'nn': 'Parts of networks: convolutions, poolings, normalizations, softmax',
    'quantize': 'Networks of signs on packed bits',
    'random': 'Random numbers and dropout',
    'reduce': 'Sums, means, maxima along axes',
    'sequence': 'Along sequences: delays, gathering, first and last, reductions over steps',
    'shape': 'Shapes: slices, splices, transpositions, gathering, padding',
}

HEADER = """// {title}. Written by tools/generate from src/ops/{family}/: change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {{

"""
SOURCE = """// Bodies of <cantik/ops/{family}.h>. Written by tools/generate.
#include <cantik/ops/{family}.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {{

"""


# Defaults that stand for an axis, or for none, as C++ spells them.
ALL_STATIC, NO_AXIS = 2147483646, 2147483638
AXES = {ALL_STATIC: 'Axis::all_static()', NO_AXIS: 'AxisArgument::none()'}


def names_an_axis(field):
    return field['role'] == 'axis' or (field['kind'] == 'int' and field['default'] in AXES)


def type_of(field):
    if names_an_axis(field):
        return 'AxisArgument'
    return {
        'axes': 'std::vector<AxisArgument>',
        'shape': 'Shape',
        'dtype': 'DType',
        'seed': 'uint64_t',
    }.get(field['role']) or {
        'bool': 'bool',
        'int': 'int64_t',
        'real': 'double',
        'text': 'std::string',
        'ints': 'std::vector<int64_t>',
        'reals': 'std::vector<double>',
        'none': 'Attribute',
    }[field['kind']]


def literal(field):
    value = field['default']
    role, kind = field['role'], field['kind']
    if role == 'dtype':
        return 'DType::' + ('unknown', 'float32', 'float64')[value or 0]
    if role == 'seed':
        return 'kAutoSeed'
    if names_an_axis(field):
        return AXES.get(value, str(value))
    if role in ('shape', 'axes') or kind in ('ints', 'reals'):
        return '{' + ', '.join(AXES.get(v, str(v)) for v in value or []) + '}'
    if kind == 'bool':
        return 'true' if value else 'false'
    if kind == 'text':
        return f'"{value}"'
    return str(value if value is not None else '{}')


# Names that defaults have in Python's signatures, and in C++.
CONSTANTS = {'TIMES_NO_INFERRED_INPUT_RANK': 'kNoInferredInputRank'}


def default_of(parameter, field):
    return CONSTANTS.get(parameter['default']) or literal(field)


def passed(field, name):
    role = 'axis' if names_an_axis(field) else field['role']
    value = {'axes': 'codes({})', 'axis': '{}.code', 'seed': 'static_cast<int64_t>({})'}.get(
        role, '{}'
    ).format(name)
    return '{{"{}", {}}}'.format(field['name'], value)


def commented(text, indent=''):
    """Lines of a comment; an empty line stands between the paragraphs."""
    lines = []
    for paragraph in text.splitlines():
        lines += textwrap.wrap(paragraph, 110 - 3 - len(indent)) or ['']
    return ''.join(f'{indent}// {line}'.rstrip() + '\n' for line in lines)


class Call:
    """The typed call of an operator: operands in its order, attributes behind them or in options."""

    def __init__(self, op):
        self.op = op
        called = op['python_name'] if op['module'] in NAMESPACES else op['name']
        self.name = op['names'].get('cpp', called)
        self.operands = [p for p in op['parameters'] if p['field'] < 0 and not p['name'].startswith('*')]
        self.attributes = [(p, op['fields'][p['field']]) for p in op['parameters'] if p['field'] >= 0]
        self.optional = [p for p in self.operands if p['default']]
        self.required = [p for p in self.operands if not p['default']]
        self.is_variadic = len(self.operands) == 1 and self.operands[0]['variadic']
        self.has_options = len(self.attributes) > FEW

    def struct_name(self):
        return ''.join(part.capitalize() for part in self.op['name'].split('_')) + 'Options'

    def struct(self):
        """Its options, with what each of them is; empty where it has none."""
        if not self.has_options:
            return ''
        text = f'// Options of {self.name}().\nstruct {self.struct_name()} {{\n'
        for p, field in self.attributes:
            text += commented(field['doc'] or field['name'], '  ')
            text += f'  {type_of(field)} {p["name"]} = {default_of(p, field)};\n'
        for p in self.optional:
            text += f'  // the operand of that name; none: it is left out\n  Variable {p["name"]} = {{}};\n'
        return text + '  // of the function\n  std::string name = {};\n};\n\n'

    def parameters(self, declared):
        """The list of parameters; `declared`: with their defaults."""
        found = []
        if self.is_variadic:
            found.append(('const std::vector<Variable>&', self.operands[0]['name'], ''))
        else:
            found += [('const Variable&', p['name'], '') for p in self.required]
        if self.has_options:
            found.append((f'const {self.struct_name()}&', 'options', '{}'))
        else:
            found += [('const Variable&', p['name'], '{}') for p in self.optional]
            for p, field in self.attributes:
                type_name = type_of(field)
                by_reference = type_name.startswith('std::') or type_name == 'Shape'
                found.append(
                    (
                        f'const {type_name}&' if by_reference else type_name,
                        p['name'],
                        default_of(p, field) if p['default'] else '',
                    )
                )
            found.append(('const std::string&', 'name', '{}'))
        found.append(('SourceLocation', 'where', 'SourceLocation::current()'))
        return ', '.join(
            f'{kind} {name} = {default}' if declared and default else f'{kind} {name}'
            for kind, name, default in found
        )

    def comment(self):
        """What it computes, and what its attributes are where no struct says it."""
        text = commented('\n\n'.join(python.paragraphs(self.op)))
        if not self.has_options:
            for p, field in self.attributes:
                if field['doc'] and field['doc'] != p['name']:
                    text += commented(f'{p["name"]}: {field["doc"]}')
        return text

    def declaration(self):
        return (
            self.struct()
            + self.comment()
            + f'CANTIK_API Function {self.name}({self.parameters(declared=True)});\n'
        )

    def definition(self):
        text = f'Function {self.name}({self.parameters(declared=False)}) {{\n  OriginScope scope(where);\n'
        source = 'options.' if self.has_options else ''
        if self.is_variadic:
            operands = self.operands[0]['name']
        elif self.optional:
            operands = 'operands'
            required = ', '.join(p['name'] for p in self.required)
            text += f'  std::vector<Variable> operands{{{required}}};\n'
            for p in self.optional:
                text += '  if ({0}{1}) operands.push_back({0}{1});\n'.format(source, p['name'])
        else:
            operands = '{' + ', '.join(p['name'] for p in self.operands) + '}'
        attributes = ', '.join(passed(field, source + p['name']) for p, field in self.attributes)
        return text + f'  return call("{self.op["name"]}", {operands}, {{{attributes}}}, {source}name);\n}}\n'


def in_namespaces(calls, written):
    """The calls' texts, those of modules with a namespace of their own inside it."""
    text = ''.join(written(call) + '\n' for call in calls if call.op['module'] not in NAMESPACES)
    for module, namespace in NAMESPACES.items():
        inside = [call for call in calls if call.op['module'] == module]
        if inside:
            text += f'namespace {namespace} {{\n\n'
            text += ''.join(written(call) + '\n' for call in inside)
            text += f'}}  // namespace {namespace}\n\n'
    return text + '}  // namespace cantik\n'


def files(ops):
    """The text of every header and source by its path."""
    found = {}
    for family, title in TITLES.items():
        calls = [Call(op) for op in ops if op['family'] == family and op['name'] not in BY_HAND]
        header = HEADER.format(title=title, family=family)
        found[ROOT / 'include' / 'cantik' / 'ops' / (family + '.h')] = header + in_namespaces(
            calls, Call.declaration
        )
        found[ROOT / 'src' / 'calls' / (family + '.cc')] = SOURCE.format(family=family) + in_namespaces(
            calls, Call.definition
        )
    return found
