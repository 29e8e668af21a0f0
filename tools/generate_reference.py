"""The reference page of the operators: docs/reference/operators.md."""

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


def entry(op):
    text = '### {}\n\n'.format(op['python_name'])
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
    files = ['CNTK `{}`'.format(op['names']['cntk'])] if 'cntk' in op['names'] else []
    files += ['ONNX `{}`'.format(op['names']['onnx'])] if 'onnx' in op['names'] else []
    if files:
        text += 'In files: ' + ', '.join(files) + '.\n\n'
    return text


def page(ops):
    text = (
        '# Operators\n\nWritten by `tools/generate` from the operators\' files. `C` is `cantik`. '
        'Operands are variables, functions, numbers or arrays.\n\n'
    )
    for family, title in FAMILIES.items():
        members = [op for op in ops if op['family'] == family]
        if not members:
            continue
        text += f'## {title}\n\n'
        text += ''.join(entry(op) for op in members)
    return text
