"""Pages of the C++ reference, one for each public header, from the comments of the headers themselves."""

import re

import cpp_headers

# Names that a comment sets in backticks stay as they are; the rest is text in which Markdown has no say.
SPECIAL = re.compile(r'([\\*_\[\]<>#|])')
TITLES = {'': 'Headers', 'op': 'For files of operators', 'mxnet': "MXNet's registrations"}


def escaped(line):
    parts = line.split('`')
    return '`'.join(part if i % 2 else SPECIAL.sub(r'\\\1', part) for i, part in enumerate(parts))


def paragraphs(comment):
    """A comment as Markdown: lines that are indented are a program."""
    text, program = [], []
    for line in [*comment.split('\n'), '']:
        if line.startswith('  ') and (program or not text or not text[-1]):
            program.append(line[2:])
            continue
        if program:
            text += ['```cpp', *program, '```', '']
            program = []
        text.append(escaped(line.strip()))
    return '\n'.join(text).strip()


def code(text):
    return f'```cpp\n{text}\n```'


def groups(names):
    """Names that stand under one heading: overloads."""
    found = []
    for name in names:
        if found and found[-1][0].name == name.name and found[-1][0].kind == name.kind:
            found[-1].append(name)
        else:
            found.append([name])
    return found


def body(group):
    """Declarations with their comments; those that share a comment stand together."""
    parts, shown = [], []
    for i, name in enumerate(group):
        shown.append(name.text)
        if i + 1 == len(group) or group[i + 1].comment != name.comment:
            parts += [code('\n'.join(shown)), paragraphs(name.comment)]
            shown = []
    return parts


def class_page(name, level):
    """A class: its fields as they stand, its functions one by one, under the sections of the header."""
    parts = [code(name.text), paragraphs(name.comment)]
    fields = [m for m in name.members if m.kind == 'field']
    if fields:
        lines = []
        for m in fields:
            lines += [f'// {line}' for line in m.comment.split('\n') if line] + [m.text]
        parts.append(code('\n'.join(lines)))
    section = ''
    for group in groups([m for m in name.members if m.kind != 'field']):
        if group[0].section != section:
            section = group[0].section
            parts.append(f'**{escaped(section[:1].upper() + section[1:])}**')
        parts += entry(group, level + 1)
    return parts


def entry(group, level):
    first = group[0]
    heading = first.full_name.removeprefix('cantik::')
    parts = ['#' * level + ' ' + escaped(heading)]
    if first.kind == 'class':
        return parts + class_page(first, min(level, 3))
    return parts + body(group)


def page(header):
    parts = [f'# {escaped("<" + header.path + ">")}', paragraphs(header.comment)]
    for group in groups(header.names):
        parts += entry(group, 2)
    return '\n\n'.join(part for part in parts if part) + '\n'


def first_sentence(comment):
    text = re.split(r'\n\s*\n', comment)[0].replace('\n', ' ')
    return re.split(r'(?<=[.])\s(?=[A-Z])', text)[0]


def index(headers):
    parts = [
        '# C++ reference',
        'Every public header with its names and their comments. `#include <cantik/cantik.h>` brings all of '
        'the first table; a file with operators includes `<cantik/op.h>`. All names stand in the namespace '
        '`cantik`, unless they say another one. A program from data to a saved file: [C++](../../cpp.md).',
    ]
    for folder, title in TITLES.items():
        rows = [h for h in headers if h.path.split('/')[1:-1] == ([folder] if folder else [])]
        parts.append(f'## {title}')
        lines = [f'| [`{h.path}`]({page_of(h)}) | {escaped(first_sentence(h.comment))} |' for h in rows]
        parts.append('\n'.join(['| header | what it has |', '|---|---|', *lines]))
    return '\n\n'.join(parts) + '\n'


def page_of(header):
    return header.path.removeprefix('cantik/').replace('/', '_').removesuffix('.h') + '.md'


def pages():
    """The text of each page by its name in docs/reference/cpp."""
    headers = cpp_headers.headers()
    return {'index.md': index(headers), **{page_of(header): page(header) for header in headers}}
