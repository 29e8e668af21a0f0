"""Python functions of the operators, with docstrings and examples that run."""

import ast
import json
import os
import re
import subprocess
import sys
import textwrap

import operator_examples
from cntk_names import SIGNATURES

# Operators whose Python function has a shape of its own, written by hand in cantik/ops.
BY_HAND = {'combine', 'convolution_transpose', 'nce_loss', 'hierarchical_softmax_layer'}
# Names in the registry of a module's operators begin with this: they share theirs with another module's, or
# belong together.
PREFIXES = {'cantik.ops.sequence': 'sequence_', 'cantik.linalg': 'linalg_'}
MODULES = {
    'cantik.ops': 'ops',
    'cantik.ops.sequence': 'ops/sequence',
    'cantik.linalg': 'linalg',
    'cantik.losses': 'losses',
    'cantik.metrics': 'metrics',
    'cantik.random': 'random',
}
# How programs spell a module's operators; those of the others stand in `cantik` itself.
SPELLED = {'cantik.ops.sequence': 'C.sequence', 'cantik.linalg': 'C.linalg', 'cantik.random': 'C.random'}
# Operators beyond CNTK's that do not stand in cantik.ops.
OWN_HOMES = dict.fromkeys(
    ('binary_cross_entropy_with_logits', 'ctc_loss', 'focal_loss', 'huber', 'mae', 'mse'), 'cantik.losses'
)

TYPES = {
    'axis': 'AxisLike',
    'axes': 'AxesLike',
    'shape': 'ShapeLike',
    'dtype': 'DTypeLike',
    'seed': 'int',
    'flags': 'Sequence[bool]',
}
KINDS = {
    'bool': 'bool',
    'int': 'int',
    'real': 'float',
    'text': 'str',
    'ints': 'int | Sequence[int]',
    'reals': 'Sequence[float]',
    'none': 'object',
}
WORDS = {
    'axis': 'Axis or int',
    'axes': 'Axis, int or a list of them',
    'shape': 'tuple',
    'dtype': "NumPy's type",
    'seed': 'int',
    'flags': 'list of bool',
}

HEADER = (
    '"""Functions of the operators. Written by tools/generate from the operators\' files: change those."""'
)
# Where the names that calls need come from; then those that only types need.
CALLS = [
    ('_cantik', {'call': '_call'}),
    ('_waiting', {'not_there': '_not_there'}),
    ('default_options', {'default_dtype': '_default_dtype'}),
]
TYPES_FROM = [
    ('collections.abc', ['Sequence']),
    ('typing', ['Any']),
    ('{up}_types', ['AxesLike', 'AxisLike', 'DTypeLike', 'Operand', 'ShapeLike']),
    ('{up}ops.functions', ['Function']),
]


def header(body, up):
    """The file's first lines: its imports are those that its text needs."""
    words = set(re.findall(r'\w+', body))
    lines = [HEADER, 'from __future__ import annotations', '', 'from typing import TYPE_CHECKING', '']
    for module, names in CALLS:
        lines += [f'from {up}{module} import {n} as {as_}' for n, as_ in names.items() if as_ in words]
    lines += ['', 'if TYPE_CHECKING:']
    for module, names in TYPES_FROM:
        used = [n for n in names if n in words]
        if used:
            lines.append(f'    from {module.format(up=up)} import ' + ', '.join(used))
    return '\n'.join(lines) + '\n\n'


EXAMPLES = '''
import json, sys
import numpy as np
import _cantik
np.set_printoptions(precision=4, suppress=True, linewidth=120)

def numbers(shape, low, high):
    n = int(np.prod(shape, dtype=int))
    a = np.linspace(low, high, n) if n > 1 else np.array([high])
    return np.round(a, 1).reshape(shape).tolist()

def shown(field, value):
    if field['role'] == 'dtype':
        return 'np.' + np.dtype(_cantik.dtype(value)).name
    return repr(tuple(value) if field['role'] == 'shape' else value)

# The arguments as a call spells them: in their order while nothing is left out, by name from there on.
def arguments(op, operands, values):
    text, by_name, operands = [], False, list(operands)
    for p in op['parameters']:
        if p['name'].startswith('*'):
            continue
        if p['field'] < 0:
            chosen = operands if p['variadic'] else operands[:1]
            operands = operands[len(chosen):]
            if not chosen:
                by_name = True
        else:
            field, value = op['fields'][p['field']], values[p['field']]
            if value == field['default'] and p['default']:
                by_name = True
                continue
            chosen = [shown(field, value)]
            by_name = by_name or bool(p['default'])
        text += [p['name'] + '=' + c if by_name else c for c in chosen]
    return text

made = {}
for op in json.load(sys.stdin):
    for sample in op['samples']:
        shapes = sample['inputs']
        if sum(int(np.prod(s, dtype=int)) for s in shapes) > 16:
            continue
        operands = [repr(numbers(s, sample['low'], sample['high'])) for s in shapes]
        given = arguments(op, operands, sample['attributes'])
        call = '{}.{}({})'.format(op['spelled'], op['python_name'], ', '.join(given))
        try:
            values = [_cantik.operand(numbers(s, sample['low'], sample['high']), 'float32') for s in shapes]
            order = [sample['attributes'][i] for i in range(len(op['fields']))]
            result = _cantik.call(op['name'], tuple(values), tuple(order)).eval()
        except Exception as error:
            continue
        if isinstance(result, dict):
            continue
        result = np.asarray(result)
        if result.size > 12 or any(f['role'] == 'seed' for f in op['fields']):
            made[op['name']] = ['>>> ' + call + '.shape', repr(tuple(int(d) for d in result.shape))]
        else:
            printed = [line or '<BLANKLINE>' for line in repr(result.round(4)).splitlines()]
            made[op['name']] = ['>>> ' + call + '.eval().round(4)'] + printed
        break
json.dump(made, sys.stdout)
'''


def homes():
    """Module and Python name of each name in the registry."""
    found = {}
    for module, signatures in SIGNATURES.items():
        for signature in signatures:
            name = signature.split('(')[0]
            found[PREFIXES.get(module, '') + name] = module, name
    return found


def own_home(name):
    """Module and Python name of an operator that CNTK has not."""
    for module, prefix in PREFIXES.items():
        if name.startswith(prefix):
            return module, name[len(prefix) :]
    return OWN_HOMES.get(name, 'cantik.ops'), name


def add_homes(ops):
    """Where each operator stands in Python, and as what; without an example so far."""
    known = homes()
    for op in ops:
        op['module'], op['python_name'] = known.get(op['name']) or own_home(op['name'])
        op['spelled'] = SPELLED.get(op['module'], 'C')
        op['example'] = None


def add_examples(ops, build):
    """Runs each operator's sample and writes down what comes out."""
    done = subprocess.run(
        [sys.executable, '-c', EXAMPLES],
        input=json.dumps(ops),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, 'PYTHONPATH': str(build / 'python' / 'cantik')},
    )
    examples = {**json.loads(done.stdout), **operator_examples.shown(build)}
    for op in ops:
        op['example'] = examples.get(op['name'])


def field_of(op, parameter):
    return op['fields'][parameter['field']] if parameter['field'] >= 0 else None


def default_of(parameter):
    """As Python takes it; a name of CNTK's for "chosen automatically" is None."""
    text = parameter['default']
    try:
        ast.literal_eval(text)
    except ValueError:
        return 'None'
    return text


def beyond_cntk(op):
    """The first parameter that CNTK's function has not: the name stands before it, where CNTK's users expect
    it."""
    for text in SIGNATURES.get(op['module'], ()):
        if text.split('(')[0] == op['python_name'] and 'name=' in text:
            theirs = re.findall(r'[(,]\s*(\w+)', text)
            return next(
                (p['name'] for p in op['parameters'] if p['default'] and p['name'] not in theirs), None
            )
    return None


def signature(op, typed=True):
    parts = []
    own = beyond_cntk(op)
    for p in op['parameters']:
        if p['name'].startswith('*'):
            continue  # **kw_name: the name, spelled out below
        if own and p['name'] == own:
            parts.append("name: str = ''" if typed else "name=''")
        name = ('*' if p['variadic'] else '') + p['name']
        field = field_of(op, p)
        kind = 'Operand' if field is None else TYPES.get(field['role']) or KINDS[field['kind']]
        default = default_of(p) if p['default'] else ''
        if default == 'None':
            kind += ' | None'
        parts.append(
            f'{name}: {kind}' + (' = ' + default if default else '')
            if typed
            else name + ('=' + default if default else '')
        )
    if not own:
        parts.append("name: str = ''" if typed else "name=''")
    return ', '.join(parts)


def summary(op):
    return op['doc'] or op['comment'] or op['name']


def sentence(text):
    text = ' '.join(text.split())
    return text if text.endswith('.') else text + '.'


def paragraphs(op):
    """What the operator's documentation says; then the comment of its file, the formula mostly, where that
    says something else."""
    first = sentence(summary(op))
    more = sentence(op['comment']) if op['doc'] and '=' in op['comment'] else first
    if more.removeprefix('y = ').lower() == first.removeprefix('The ').lower():
        return [first]
    return [more] if more.startswith(first) else [first, more]


def argument_lines(op):
    lines = []
    for p in op['parameters']:
        if p['name'].startswith('*'):
            continue
        field = field_of(op, p)
        if field is None:
            what = 'operands' if p['variadic'] else 'operand'
            lines.append(
                '{}: the {}: variables, functions, numbers or arrays'.format(p['name'], what)
                if p['variadic']
                else '{}: a variable, function, number or array'.format(p['name'])
            )
        else:
            words = WORDS.get(field['role']) or {
                'real': 'float',
                'text': 'str',
                'ints': 'list of int',
                'reals': 'list of float',
            }.get(field['kind'], field['kind'])
            lines.append('{} ({}): {}'.format(p['name'], words, field['doc'] or field['name']))
    lines.append('name (str): of the function')
    return lines


def docstring(op):
    text = []
    for paragraph in paragraphs(op):
        text += [paragraph, '']
    text += ['Args:'] + ['    ' + line for line in argument_lines(op)]
    outputs = {0: '', 1: ' of one output'}.get(op['outputs'], f" of {op['outputs']} outputs")
    text += ['', 'Returns:', '    a function' + outputs]
    if op['example']:
        text += [
            '',
            'Example:',
            '    >>> import cantik as C'
            + (
                ', numpy as np'
                if any('np.' in line for line in op['example'] if line.startswith('>>>'))
                else ''
            ),
        ] + ['    ' + line for line in op['example']]
    return text


def wrapped(lines):
    """The lines of a docstring, which stands four columns in, the first one behind its quotation marks."""
    out = []
    for line in lines:
        width = 106 if out else 103
        indent = ' ' * (len(line) - len(line.lstrip()))
        if len(line) <= width or '>>>' in line:
            out.append(line)
        else:
            out += textwrap.wrap(
                line, width, initial_indent='', subsequent_indent=indent + '    ' * bool(indent)
            )
    return out


def function(op):
    doc = wrapped(docstring(op))
    inputs = [p for p in op['parameters'] if p['field'] < 0 and not p['name'].startswith('*')]
    variadic = len(inputs) == 1 and inputs[0]['variadic']
    operands = (
        inputs[0]['name']
        if variadic
        else '({}{})'.format(', '.join(p['name'] for p in inputs), ',' if len(inputs) == 1 else '')
    )
    known = {p['name'] for p in op['parameters']}
    values = [f['name'] if f['name'] in known else 'None' for f in op['fields']]
    overridden = [p['name'] for p in op['parameters'] if p['default'].startswith('default_override_or')]
    values = ['_default_dtype({}, {})'.format(op['python_name'], v) if v in overridden else v for v in values]
    while values and values[-1] == 'None':
        values.pop()
    attributes = '({}{})'.format(', '.join(values), ',' if len(values) == 1 else '')
    body = ["def {}({}) -> Function:".format(op['python_name'], signature(op)), '    """' + doc[0]]
    body += [('    ' + line).rstrip() for line in doc[1:]] + ['    """']
    body += ["    return _call('{}', {}, {}, name)".format(op['name'], operands, attributes)]
    return '\n'.join(body)


def waiting(signature):
    """The function of an operator that is not there yet."""
    name, _, arguments = signature.replace('**kw_name', "name=''").partition('(')
    typed = re.sub(r'(\w+)(=[^,)]*)?([,)])', lambda m: m[1] + ': Any' + (m[2] or '') + m[3], arguments)
    doc = '"""Not there yet, see docs/status.md."""'
    return f"def {name}({typed} -> Function:\n    {doc}\n    raise _not_there('{name}')"


def functions(ops, module):
    """The file of a module: its operators, then those that wait."""
    chosen = [op for op in ops if op['module'] == module and op['name'] not in BY_HAND]
    there = {op['python_name'] for op in chosen}
    absent = [s for s in SIGNATURES.get(module, ()) if s.split('(')[0] not in there | BY_HAND]
    names = [op['python_name'] for op in chosen] + [s.split('(')[0] for s in absent]
    up = '...' if module.count('.') == 2 else '..'
    listed = textwrap.fill(', '.join(map(repr, names)), 106, initial_indent='    ', subsequent_indent='    ')
    body = '\n\n\n'.join([function(op) for op in chosen] + [waiting(s) for s in absent]) + '\n'
    return header(body, up) + f'__all__ = [\n{listed},\n]\n\n\n' + body
