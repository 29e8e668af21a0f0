"""Options in calls of C++: what the generators of learners and of layers have in common."""

import json
import os
import subprocess
import sys
import textwrap

# The types of members, and of parameters, by the kind of the option.
CPP_TYPES = {
    'flag': 'bool',
    'whole': 'int64_t',
    'number': 'double',
    'text': 'std::string',
    'seed': 'uint64_t',
    'dtype': 'DType',
    'schedule': 'TrainingParameterSchedule',
    'shape': 'Shape',
    'extents': 'Extents',
    'flags': 'PerAxis<bool>',
    'counts': 'PerAxis<int64_t>',
    'activation': 'Activation',
    'activations': 'std::vector<Activation>',
    'initializer': 'Initializer',
    'tensor': 'Tensor',
    'variable': 'Variable',
    'step': 'Step',
    'state': 'InitialState',
    'states': 'std::vector<InitialState>',
}
# Passed by value; others by reference.
SMALL = {'flag', 'whole', 'number', 'seed', 'dtype'}

RUN = """
import contextlib, io, json, sys
printed = {}
for name, lines in json.load(sys.stdin).items():
    names, shown = {}, []
    for line in lines:
        shown.append('>>> ' + line)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            try:
                value = eval(line, names)
            except SyntaxError:
                value = exec(line, names)
        shown += said.getvalue().splitlines()
        shown += [] if value is None else repr(value).splitlines()
    printed[name] = shown
json.dump(printed, sys.stdout)
"""


def run_examples(examples, build):
    """Runs lines of Python, by name: the lines of a session with what comes out."""
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', RUN],
        input=json.dumps(examples),
        capture_output=True,
        text=True,
        env={**os.environ, 'PYTHONPATH': str(build / 'python')},
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def described(build, program):
    """What a program of the developers' prints as JSON."""
    text = subprocess.run([str(build / 'tools' / program)], check=True, capture_output=True, text=True).stdout
    return json.loads(text)


def comment(text, indent=''):
    """A comment of C++; paragraphs stay apart."""
    lines = []
    for paragraph in text.split('\n'):
        lines += textwrap.wrap(paragraph, 105 - len(indent)) or ['']
    return ''.join(f'{indent}// {line}'.rstrip() + '\n' for line in lines)


def struct_name(name):
    return ''.join(part.capitalize() for part in name.split('_')) + 'Options'


def cpp_type(option):
    kind = CPP_TYPES[option['kind']]
    return f'std::optional<{kind}>' if option['optional'] else kind


def cpp_parameter(option):
    """The type of a parameter."""
    kind = cpp_type(option)
    return kind if option['kind'] in SMALL and not option['optional'] else f'const {kind}&'


def cpp_schedule(value):
    size = value['minibatch_size']
    return f'{value["value"]:g}' if size is None else f'{{{value["value"]:g}, {size}}}'


def cpp_default(option):
    """The default as C++ spells it."""
    value, kind = option['default'], option['kind']
    if option['default_call'] and not option['may_be_left']:
        return option['default_call']
    if value is None:
        return 'Shape::unknown()' if kind in ('shape', 'extents') and not option['optional'] else '{}'
    if isinstance(value, dict):
        return cpp_schedule(value)
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if kind == 'dtype':
        return 'DType::' + value
    if kind == 'seed':
        return 'kAutoSeed' if value == 'auto' else str(value)
    if kind == 'initializer':
        return value + '()' if isinstance(value, str) else repr(float(value))
    if kind == 'states':
        return f'{{{value:g}}}'
    if kind in ('text', 'activation'):
        return '{}' if value == '' else f'"{value}"'
    if value == 'inf':
        return 'std::numeric_limits<double>::infinity()'
    return str(value)


def range_text(option):
    return f'; {option["range"]}' if option['range'] else ''


def cpp_member(option):
    """A member of a struct of options, with its comment."""
    text = comment(option['doc'] + range_text(option), '  ')
    if option['required']:
        return f'{text}  Required<{cpp_type(option)}> {option["name"]};\n'
    return f'{text}  {cpp_type(option)} {option["name"]} = {cpp_default(option)};\n'
