"""Words have one meaning: docs/dev/glossary.md lists them, with words that are not used beside them. A public
header's comment or a document that has such a word is found here; so is the name of a type that is defined in
two layers."""

import importlib.util
import re
from collections import defaultdict
from itertools import islice

from checks.layers import LAYERS
from checks.tree import ROOT, name, text, with_suffix

GLOSSARY = 'docs/dev/glossary.md'
# Pages that explain other toolkits' words, and those that are written from code.
OTHERS_WORDS = ('docs/from_pytorch.md', 'docs/mxnet.md', 'docs/reference/operators/', 'CHANGELOG.md')
# A kernel in an operator's file, and the inner loop that it calls, share the operation's name.
OF_THE_OPERATION = {'Convolve', 'ConvolveBits', 'Multibit', 'Pool', 'Product', 'RowProduct'}
# The compiler's graph has the nodes of the user's.
MIRRORED = {'Node'}


def forbidden():
    """The words of the glossary's last columns, as patterns, with the words to use."""
    words = []
    for line in text(ROOT / GLOSSARY).splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if len(cells) != 3 or cells[2] in ('', 'not', '---'):
            continue
        for word in cells[2].split(', '):
            pattern = re.compile(r'\b' + re.escape(word).replace(r'\ ', r'\s+') + r's?\b', re.IGNORECASE)
            words.append((pattern, word, cells[0].strip('`')))
    return words


def without_code(document):
    """The document with its programs blanked, line for line."""

    def blank(match):
        return '\n' * match[0].count('\n')

    return re.sub(r'^ *```.*?^ *```|`[^`\n]*`', blank, document, flags=re.M | re.S)


def comments(source):
    """The comments of a C++ file, line for line."""
    lines = []
    inside = False
    for line in source.splitlines():
        start = 0 if inside else max(line.find('//'), line.find('/*'))
        lines.append(line[start:].lstrip('/* ') if start >= 0 else '')
        inside = ('/*' in line or inside) and '*/' not in line
    return '\n'.join(lines)


def texts():
    """What people read of the public headers and the documents."""
    for file in with_suffix('.h', under=['include']):
        if not name(file).startswith('include/cantik/mxnet/'):
            yield file, comments(text(file))
    for file in with_suffix('.md'):
        if not name(file).startswith((*OTHERS_WORDS, GLOSSARY)):
            yield file, without_code(text(file))


def types():
    """For each name of a type at the scope of a namespace: the layers and files that define it."""
    from clang import cindex

    kinds = cindex.CursorKind
    scopes = {kinds.NAMESPACE, kinds.LINKAGE_SPEC, kinds.UNEXPOSED_DECL}
    defined = {
        kinds.CLASS_DECL,
        kinds.STRUCT_DECL,
        kinds.UNION_DECL,
        kinds.CLASS_TEMPLATE,
        kinds.ENUM_DECL,
    }
    parser = cindex.Index.create()
    arguments = ['-x', 'c++', '-std=c++20', '-DCANTIK_API=']
    single_file = 0x400  # CXTranslationUnit_SingleFileParse: nothing is included
    options = single_file | cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
    found = defaultdict(set)

    def is_new(cursor):
        """Whether a name begins here: a specialization of a template has the template's."""
        if not cursor.is_definition() or not cursor.spelling.isidentifier():
            return False
        kind_name_and_next = [token.spelling for token in islice(cursor.get_tokens(), 3)]
        return kind_name_and_next[1:] != [cursor.spelling, '<']

    def visit(cursor, file):
        for child in cursor.get_children():
            if child.kind in scopes:
                visit(child, file)
            elif child.kind in defined and is_new(child):
                found[child.spelling].add((layer_of(file), file))

    for path in with_suffix('.h', '.cc', under=['src', 'include', 'python']):
        if not name(path).startswith('include/cantik/mxnet/'):
            visit(parser.parse(str(path), args=arguments, options=options).cursor, name(path))
    return found


def layer_of(file):
    folders = file.split('/')
    return folders[1] if folders[0] == 'src' and folders[1] in LAYERS else folders[0]


def problems():
    words = forbidden()
    for file, read in texts():
        for pattern, word, instead in words:
            for match in pattern.finditer(read):
                line = read.count('\n', 0, match.start()) + 1
                yield f'{name(file)}:{line}: "{word}": the glossary says "{instead}"'
    if importlib.util.find_spec('clang') is None:
        yield 'words: libclang is missing: make setup installs it in .venv'
        return
    twice = {
        word: sorted(file for _, file in places)
        for word, places in types().items()
        if len({layer for layer, _ in places}) > 1
    }
    for word, files in sorted(twice.items()):
        if word not in {*OF_THE_OPERATION, *MIRRORED}:
            yield f'the type {word} is defined in several layers: {", ".join(files)}'
