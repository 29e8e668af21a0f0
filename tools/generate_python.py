"""Python functions of the operators, with docstrings and examples that run."""
import json
import subprocess
import sys
import textwrap

# Operators whose Python function has a shape of its own, written by hand in cantik/ops.
BY_HAND = {'combine'}
# CNTK lets these take any number of operands.
ASSOCIATIVE = {'plus', 'element_times', 'element_max', 'element_min', 'log_add_exp'}

TYPES = {'axis': 'AxisLike', 'axes': 'AxesLike', 'shape': 'ShapeLike', 'dtype': 'DTypeLike', 'seed': 'int', 'flags': 'Sequence[bool]'}
KINDS = {'bool': 'bool', 'int': 'int', 'real': 'float', 'text': 'str', 'ints': 'Sequence[int]', 'reals': 'Sequence[float]', 'none': 'object'}
WORDS = {'axis': 'Axis or int', 'axes': 'Axis, int or a list of them', 'shape': 'tuple', 'dtype': "NumPy's type", 'seed': 'int', 'flags': 'list of bool'}

HEADER = '''"""Functions of the operators. Written by tools/generate from the registry: change the operators' files, then run it."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call

if TYPE_CHECKING:
    from typing import Sequence

    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from .functions import Function

'''

EXAMPLES = '''
import json, sys
import numpy as np
import cantik as C
from cantik import _cantik
np.set_printoptions(precision=4, suppress=True, linewidth=120)

def numbers(shape, low, high):
    n = int(np.prod(shape, dtype=int))
    a = np.linspace(low, high, n) if n > 1 else np.array([high])
    return np.round(a, 1).reshape(shape).tolist()

def attributes(op, values):
    text = []
    for field, value in zip(op['fields'], values):
        if value == field['default'] or not any(p['name'] == field['name'] for p in op['parameters']):
            continue
        text.append('{}={!r}'.format(field['name'], tuple(value) if field['role'] == 'shape' else value))
    return text

made = {}
for op in json.load(sys.stdin):
    for sample in op['samples']:
        shapes = sample['inputs']
        if sum(int(np.prod(s, dtype=int)) for s in shapes) > 16:
            continue
        arguments = [repr(numbers(s, sample['low'], sample['high'])) for s in shapes] + attributes(op, sample['attributes'])
        namespace = op['module'].split('.')[1:] if op['module'] != 'cantik.ops' else []
        call = '{}({})'.format('.'.join(['C'] + namespace + [op['python_name']]), ', '.join(arguments))
        try:
            values = [_cantik.operand(numbers(s, sample['low'], sample['high']), 'float32') for s in shapes]
            order = [sample['attributes'][i] for i in range(len(op['fields']))]
            result = _cantik.call(op['name'], tuple(values), tuple(order)).eval()
        except Exception as error:
            continue
        if isinstance(result, dict):
            continue
        result = np.asarray(result)
        result = np.where(result == 0, 0, result)  # no negative zeros
        if result.size > 12:
            made[op['name']] = ['>>> ' + call + '.shape', repr(tuple(int(d) for d in result.shape))]
        else:
            made[op['name']] = ['>>> ' + call + '.eval().round(4)'] + repr(result.round(4).astype('float32')).splitlines()
        break
json.dump(made, sys.stdout)
'''


def module_of(op):
    """The Python module that shows the operator."""
    return {'cross_entropy_with_softmax': 'cantik.losses', 'classification_error': 'cantik.metrics'}.get(op['name'], op.get('module', 'cantik.ops'))


def add_examples(ops, build):
    """Runs each operator's sample and writes down what comes out."""
    for op in ops:
        op['module'] = module_of(op)
        op['python_name'] = op['names'].get('python', op['name'])
    done = subprocess.run([sys.executable, '-c', EXAMPLES], input=json.dumps(ops), capture_output=True, text=True, check=True,
                          env={**__import__('os').environ, 'PYTHONPATH': str(build / 'python')})
    examples = json.loads(done.stdout)
    for op in ops:
        op['example'] = examples.get(op['name'])


def field_of(op, parameter):
    return op['fields'][parameter['field']] if parameter['field'] >= 0 else None


def type_of(op, parameter):
    field = field_of(op, parameter)
    kind = 'Operand' if field is None else TYPES.get(field['role']) or KINDS[field['kind']]
    return 'Optional[{}]'.format(kind) if parameter['default'] == 'None' else kind


def signature(op, typed=True):
    parts = []
    for p in op['parameters']:
        name = ('*' if p['variadic'] else '') + p['name']
        if p['name'].startswith('*'):
            continue  # **kw_name: the name, spelled out below
        kind = type_of(op, p).replace('Optional[', '').replace(']', '', type_of(op, p).startswith('Optional[') and 1) if False else type_of(op, p)
        if kind.startswith('Optional['):
            kind = kind[9:-1] + ' | None'
        part = '{}: {}'.format(name, kind) if typed else name
        if p['default']:
            part += (' = ' if typed else '=') + p['default']
        parts.append(part)
    parts.append("name: str = ''" if typed else "name=''")
    return ', '.join(parts)


def summary(op):
    return op['doc'] or op['comment'] or op['name']


def sentence(text):
    text = ' '.join(text.split())
    return text if text.endswith('.') else text + '.'


def argument_lines(op):
    lines = []
    for p in op['parameters']:
        if p['name'].startswith('*'):
            continue
        field = field_of(op, p)
        if field is None:
            what = 'operands' if p['variadic'] else 'operand'
            lines.append('{}: the {}: variables, functions, numbers or arrays'.format(p['name'], what) if p['variadic'] else
                         '{}: a variable, function, number or array'.format(p['name']))
        else:
            words = WORDS.get(field['role']) or {'real': 'float', 'text': 'str', 'ints': 'list of int', 'reals': 'list of float'}.get(field['kind'], field['kind'])
            lines.append('{} ({}): {}'.format(p['name'], words, field['doc'] or field['name']))
    lines.append('name (str): of the function')
    return lines


def docstring(op):
    text = [sentence(summary(op))]
    if op['doc'] and op['comment'] and '=' in op['comment']:
        text += ['', sentence(op['comment'])]
    text += ['', 'Args:'] + ['    ' + line for line in argument_lines(op)]
    outputs = 'a function of one output' if op['outputs'] == 1 else 'a function of {} outputs'.format(op['outputs']) if op['outputs'] else 'a function'
    text += ['', 'Returns:', '    ' + outputs]
    if op['example']:
        text += ['', 'Example:', '    >>> import cantik as C'] + ['    ' + line for line in op['example']]
    return text


def wrapped(lines):
    out = []
    for line in lines:
        indent = ' ' * (len(line) - len(line.lstrip()))
        if len(line) <= 150 or '>>>' in line:
            out.append(line)
        else:
            out += textwrap.wrap(line, 150, initial_indent='', subsequent_indent=indent + '    ')
    return out


def function(op):
    doc = wrapped(docstring(op))
    inputs = [p for p in op['parameters'] if p['field'] < 0 and not p['name'].startswith('*')]
    variadic = len(inputs) == 1 and inputs[0]['variadic']
    operands = inputs[0]['name'] if variadic else '({}{})'.format(', '.join(p['name'] for p in inputs), ',' if len(inputs) == 1 else '')
    known = {p['name'] for p in op['parameters']}
    values = [f['name'] if f['name'] in known else 'None' for f in op['fields']]
    while values and values[-1] == 'None':
        values.pop()
    attributes = '({}{})'.format(', '.join(values), ',' if len(values) == 1 else '')
    body = ["def {}({}) -> Function:".format(op['python_name'], signature(op)), '    """' + doc[0]]
    body += [('    ' + line).rstrip() for line in doc[1:]] + ['    """']
    body += ["    return _call('{}', {}, {}, name)".format(op['name'], operands, attributes)]
    return '\n'.join(body)


def functions(ops):
    chosen = [op for op in ops if op['name'] not in BY_HAND]
    names = [op['python_name'] for op in chosen]
    return HEADER + '__all__ = [\n' + textwrap.fill(', '.join(repr(n) for n in names), 150, initial_indent='    ', subsequent_indent='    ') + ',\n]\n\n\n' + \
        '\n\n\n'.join(function(op) for op in chosen) + '\n'
