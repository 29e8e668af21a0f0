"""The reference of the operators: a page for each family in docs/reference/operators, and their index."""

import re
from pathlib import Path

import generate_python as python

FAMILIES = {
    'math': 'Arithmetic',
    'reduce': 'Reductions',
    'linalg': 'Linear algebra',
    'shape': 'Shapes',
    'nn': 'Networks',
    'loss': 'Losses and metrics',
    'sequence': 'Sequences',
    'random': 'Random numbers',
    'quantize': 'Quantised numbers',
    'control': 'Graphs',
}
FOLDER = Path(__file__).resolve().parent.parent / 'docs' / 'reference' / 'operators'


def entry(op):
    text = '## {}\n\n'.format(op['python_name'])
    text += '```py\n{}.{}({})\n```\n\n'.format(
        op['spelled'], op['python_name'], python.signature(op, typed=False)
    )
    text += ''.join(paragraph + '\n\n' for paragraph in python.paragraphs(op))
    for line in python.argument_lines(op):
        name, rest = line.split(': ', 1)
        text += '- `{}`: {}\n'.format(
            name.split(' (')[0], rest + (' ({})'.format(name.split(' (')[1][:-1]) if ' (' in name else '')
        )
    text += '\n'
    if op['example']:
        text += (
            '```pycon\n>>> import cantik as C'
            + (', numpy as np' if 'np.' in op['example'][0] else '')
            + '\n'
            + '\n'.join(op['example'])
            + '\n```\n\n'
        )
    if 'cntk' in op['names']:
        text += 'In CNTK\'s files: `{}`.\n\n'.format(op['names']['cntk'])
    if 'onnx' in op['names']:
        text += 'In ONNX\'s files: `{}`.\n\n'.format(op['names']['onnx'])
    return text


def page(title, members):
    text = (
        f'# {title}\n\nWritten by `tools/generate` from the operators\' files. `C` is `cantik`. '
        'Operands are variables, functions, numbers or arrays. All families: [index.md](index.md).\n\n'
    )
    return text + ''.join(entry(op) for op in members)


def first_sentence(op):
    said = python.paragraphs(op)[0] if python.paragraphs(op) else ''
    return re.split(r'(?<=[.])\s(?=[A-Z])', said.replace('\n', ' '))[0].replace('|', '\\|')


def index(families):
    text = (
        '# Operators\n\nWritten by `tools/generate` from the operators\' files. In Python each is a '
        'function, and `help(cantik.softmax)` says the same as these pages; in C++ it has the same name, in '
        'a header for each family that [ops.h](../../../include/cantik/ops.h) includes.\n\n'
    )
    for family, members in families.items():
        text += f'## [{FAMILIES[family]}]({family}.md)\n\n| operator | |\n|---|---|\n'
        for op in members:
            place = '{}.md#{}'.format(family, op['python_name'].lower())
            name = '{}.{}'.format(op['spelled'], op['python_name'])
            text += f'| [`{name}`]({place}) | {first_sentence(op)} |\n'
        text += '\n'
    return text


def pages(ops):
    """The text of every page by its path."""
    families = {family: [op for op in ops if op['family'] == family] for family in FAMILIES}
    families = {family: members for family, members in families.items() if members}
    texts = {FOLDER / f'{f}.md': page(FAMILIES[f], members) for f, members in families.items()}
    return {FOLDER / 'index.md': index(families), **texts}


def entries():
    """The operators that the pages tell of: page, name, how programs spell it."""
    for path in sorted(FOLDER.glob('*.md')):
        for name, call in re.findall(r'^## (\S+)\n\n```py\n([\w.]+)\(', path.read_text(), re.M):
            yield path.name, name, call
