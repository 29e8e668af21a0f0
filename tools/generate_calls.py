"""Calls of Python around a training, and their page of the reference, from the structs of options in the
public headers and from what the files of the library describe (src/base/calls.h)."""

import re
import textwrap
from pathlib import Path

import generate_options as options
from layout import laid_out

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / 'python' / 'cantik'
INCLUDE = ROOT / 'include' / 'cantik'

# The headers whose comments are read.
HEADERS = [
    'schedule.h',
    'schedules.h',
    'train.h',
    'callbacks.h',
    'rate_finder.h',
    'progress.h',
    'tensorboard.h',
    'distributed.h',
]

# The modules of Python: their files, their first lines, and how programs reach what is in them.
MODULES = {
    'learners': ('learners/_schedules.py', 'Schedules by formula.', 'C.learners.'),
    'train': ('train/_generated.py', 'What is configured around a training.', 'C.train.'),
    'train.distributed': (
        'train/_distributed.py',
        'Learners of workers that train together.',
        'C.train.distributed.',
    ),
    'logging': ('logging/_generated.py', 'Writers of progress.', 'C.logging.'),
    'functions': (
        '_training_methods.py',
        'Function.train and Function.test. Training is imported when it begins.',
        'criterion.',
    ),
}
# The modules of names that are used: at run time, and for annotations alone.
IMPORTS = {
    '_cantik': '',
    'method_of': '_bases',
    '_configs': 'train',
    '_rates': 'learners',
    '_printers': 'logging',
    'curve_of': 'train._rate_curve',
}
CHECKED_IMPORTS = {
    'Callable': 'collections.abc',
    'Sequence': 'collections.abc',
    'DistributedLearner': '_cantik',
    'Function': 'ops.functions',
    'Learner': '_cantik',
    'TrainingParameterSchedule': '_cantik',
    'PathLike': '_types',
    'RateLike': '_types',
    'Record': 'variables',
    'Progress': 'train.progress',
    'RateCurve': 'train._rate_curve',
    'Trainer': 'train.trainer',
    'Communicator': 'train.distributed',
}
# Imported when a method is called.
LATE = {'loops': 'train'}

KINDS = {'flag': 'bool', 'whole': 'int', 'number': 'float', 'text': 'str'}


# ---- the comments of C++


class Comments:
    """Comments of classes, functions and members of the public headers."""

    def __init__(self):
        import cpp_headers

        self.of, self.members = {}, {}
        for header in cpp_headers.headers([f'cantik/{name}' for name in HEADERS]):
            for name in header.all_names():
                self.of.setdefault(name.full_name.removeprefix('cantik::'), name.comment)
        for name in HEADERS:
            text = (INCLUDE / name).read_text()
            for struct, body in re.findall(r'^struct (\w+) \{\n(.*?)^\};', text, re.DOTALL | re.MULTILINE):
                for option, member in re.findall(r'option\("(\w+)",\s*&\w+::(\w+)\)', body):
                    self.members[struct, option] = f'{struct}::{member}'

    def paragraphs(self, name):
        """The first paragraph of the comment of a class or a function; what follows is for readers of C++."""
        return [' '.join(self.of[name].split('\n\n')[0].split())] if name else []

    def line(self, argument):
        """The comment of the member that an option is in; nothing where Python alone has the argument."""
        if not argument['owner']:
            return ''
        return ' '.join(self.of[self.members[argument['owner'], argument['option']['name']]].split())


def calls(build):
    """The calls that the built library describes, with the comments of C++."""
    found, comments = options.described(build, 'dump_calls'), Comments()
    for call in found:
        call['paragraphs'] = comments.paragraphs(call['cpp'])
        call['paragraphs'] += call['doc'].split('\n\n') if call['doc'] else []
        for argument in call['arguments']:
            argument['doc'] = comments.line(argument) + argument['option']['doc']
    return found


def add_examples(found, build):
    """Runs the example of each call and writes down what comes out."""
    examples = {}
    for call in found:
        numpy = ', numpy as np' if 'np.' in call['example'] else ''
        examples[call['name']] = [f'import cantik as C{numpy}', *statements(call['example'])]
    printed = options.run_examples(examples, build)
    for call in found:
        call['printed'] = [part for line in printed[call['name']] for part in continued(line)]


def statements(example):
    """The statements of an example: a line that is indented, or a closing bracket, goes on with the one
    before."""
    found = []
    for line in example.split('\n'):
        if found and line[:1] in (' ', ')'):
            found[-1] += '\n' + line
        else:
            found.append(line)
    return found


def continued(line):
    """The lines of a statement as Python's prompt shows them."""
    first, *rest = line.split('\n')
    return [first, *('... ' + part for part in rest)]


# ---- Python


def annotation(argument):
    option = argument['option']
    if argument['annotation']:
        return argument['annotation']
    return KINDS[option['kind']] + (' | None' if option['may_be_left'] else '')


def default(argument):
    """The default as Python spells it; None where there is none."""
    option = argument['option']
    if argument['spelled'] or option['required']:
        return argument['spelled'] or None
    value = option['default']
    return repr(float(value) if option['kind'] == 'number' and value is not None else value)


def parameters(call, typed):
    found = []
    for argument in call['arguments']:
        text, value = argument['option']['name'], default(argument)
        if typed:
            text += ': ' + annotation(argument)
        if value is not None:
            text += (' = ' if typed else '=') + value
        found.append(text)
    return found


def argument_lines(call):
    for argument in call['arguments']:
        option = argument['option']
        is_spelled = argument['annotation'] and argument['annotation'].split(' ')[0] not in KINDS.values()
        hint = '' if is_spelled else f' ({annotation(argument).removesuffix(" | None")})'
        yield f'{option["name"]}{hint}: {argument["doc"]}{options.range_text(option)}'


def docstring(call):
    wrap = textwrap.TextWrapper(103, break_on_hyphens=False)
    lines = []
    for paragraph in call['paragraphs']:
        lines += [*wrap.wrap(paragraph), '']
    inner = textwrap.TextWrapper(
        102, break_on_hyphens=False, initial_indent='    ', subsequent_indent='        '
    )
    sections = {
        'Args': list(argument_lines(call)),
        'Returns': [call['returns'] or call['result']] if call['result'] else [],
        'Raises': [call['raises']] if call['raises'] else [],
    }
    for title, texts in sections.items():
        if texts:
            lines += [title + ':', *(line for text in texts for line in inner.wrap(text)), '']
    return [*lines, 'Example:', *('    ' + line for line in call['printed'])]


def passed(call):
    """What the body gets: the arguments that only Python has, and a dictionary of the options."""
    own = [a['option']['name'] for a in call['arguments'] if not a['owner']]
    known = [a['option']['name'] for a in call['arguments'] if a['owner']]
    return own + ([f'{{{", ".join(f"{name!r}: {name}" for name in known)}}}'] if known else [])


def indented(lines, margin):
    return [(margin + line).rstrip() for line in lines]


def function(call):
    is_method = call['form'] == 'method'
    own = ['self: Function'] if is_method else []
    first, *rest = docstring(call)
    lines = ['@method_of(Function)'] if is_method else []
    lines += [
        f'def {call["name"]}({", ".join(own + parameters(call, typed=True))}) -> {call["result"]}:',
        '    """' + first,
        *indented(rest, '    '),
        '    """',
    ]
    first_word = call['body'].partition('.')[0]
    if first_word in LATE:
        lines += ['    ' + imported(first_word, LATE[first_word], MODULES[call['module']][0]), '']
    return '\n'.join(
        [*lines, f'    return {call["body"]}({", ".join((["self"] if is_method else []) + passed(call))})']
    )


def class_(call):
    first, *rest = docstring(call)
    typed = parameters(call, typed=True)
    result = '' if typed else ' -> None'
    return '\n'.join(
        [
            f'class {call["name"]}({call["body"]}):',
            '    """' + first,
            *indented(rest, '    '),
            '    """',
            '',
            f'    def __init__({", ".join(["self", *typed])}){result}:',
            f'        super().__init__({", ".join(passed(call))})',
        ]
    )


def imported(name, home, path):
    """The import of a name of another module of the package, in the module at this path."""
    if home.startswith('collections'):
        return f'from {home} import {name}'
    package = path.rpartition('/')[0].replace('/', '.')
    if package and (home == package or home.startswith(package + '.')):
        return f'from {"." + home.removeprefix(package).removeprefix(".")} import {name}'
    return f'from {"." * (2 if package else 1)}{home} import {name}'


def module(name, members):
    """The text of a module."""
    path, title, _ = MODULES[name]
    body = '\n\n\n'.join((class_ if call['form'] == 'class' else function)(call) for call in members) + '\n'
    code = without_help(body)

    def used(imports):
        return [
            imported(name, home, path)
            for name, home in imports.items()
            if re.search(rf'(?<!\.)\b{name}\b', code)
        ]

    typing = 'TYPE_CHECKING, Any' if re.search(r'\bAny\b', code) else 'TYPE_CHECKING'
    first = f'"""{title} Written by tools/generate from what the library describes: change that."""'
    text = '\n'.join(textwrap.wrap(first, 110)) + '\n\n'
    text += f'from __future__ import annotations\n\nfrom typing import {typing}\n\n'
    needed, checked = used(IMPORTS), used(CHECKED_IMPORTS)
    if '@method_of(Function)' in code:  # what a decorator is given is read at run time
        method_class = imported('Function', CHECKED_IMPORTS['Function'], path)
        needed, checked = [*needed, method_class], [line for line in checked if line != method_class]
    text += ''.join(line + '\n' for line in needed)
    outside = [line for line in checked if 'collections' in line]
    text += '\nif TYPE_CHECKING:\n' + ''.join(f'    {line}\n' for line in outside)
    text += '\n' * bool(outside) + ''.join(f'    {line}\n' for line in checked if line not in outside)
    if name != 'functions':
        names = ''.join(f"    '{call['name']}',\n" for call in members)
        text += f'\n__all__ = [\n{names}]\n'
    return f'{text}\n\n{body}'


def modules(found):
    """The text of each module by its path."""
    return {
        PACKAGE / path: module(name, [call for call in found if call['module'] == name])
        for name, (path, _, _) in MODULES.items()
    }


# ---- the reference

PAGE = """\
# Schedules and training

Written by `tools/generate` from the headers' comments and from what the library describes. `C` is `cantik`. How a
training goes on: [training.md](../training.md). In C++ the options are structs: [schedules.h](../../include/cantik/schedules.h),
[train.h](../../include/cantik/train.h), [callbacks.h](../../include/cantik/callbacks.h),
[rate_finder.h](../../include/cantik/rate_finder.h), [progress.h](../../include/cantik/progress.h),
[tensorboard.h](../../include/cantik/tensorboard.h), [distributed.h](../../include/cantik/distributed.h).

"""


def entry(call):
    _, _, where = MODULES[call['module']]
    name, given = call['name'], ', '.join(parameters(call, typed=False))
    text = f'## {name}\n\n```py\n{where}{name}({given})\n```\n\n'
    text += '\n\n'.join(call['paragraphs']) + '\n\n'
    for line in argument_lines(call):
        argument, rest = line.split(': ', 1)
        argument, _, kind = argument.partition(' (')
        text += f'- `{argument}`: {rest}' + (f' ({kind}' if kind else '') + '\n'
    if call['returns']:
        text += f'\nReturns {call["returns"]}.\n'
    if call['raises']:
        text += f'\nRaises {call["raises"]}.\n'
    return text + '\n```pycon\n' + '\n'.join(call['printed']) + '\n```\n\n'


def page(found):
    return PAGE + ''.join(map(entry, found))


def without_help(text):
    return re.sub(r'""".*?"""', '', text, flags=re.DOTALL)


def write_calls(found):
    """Writes Python's calls that are new or changed, so that their examples can run."""
    for call in found:
        call['printed'] = []
    for path, text in modules(found).items():
        known = path.read_text() if path.exists() else ''
        text = laid_out(path, text)
        if without_help(text) != without_help(known):
            path.write_text(text)


def files(found):
    """All that is written of the calls, by path."""
    return {ROOT / 'docs' / 'reference' / 'training.md': page(found), **modules(found)}
