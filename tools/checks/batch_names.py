"""Files of a folder are compiled several at a time (cmake/batches.cmake): names of their unnamed namespaces
are unique in the folder, and macros that a file defines end with it."""

import re
from collections import defaultdict

from checks.tree import name, text, with_suffix

PLACES = ['src', 'python/binding', 'tests/unit', 'tests/ops', 'plugins/naive']
# Compiled one by one.
ALONE = ['kernels', 'codec', 'mpi', 'numpy.cc']
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    r'|#(?:\\\n|[^\n])*|[A-Za-z_]\w*|\d[\w.\']*|::|\S',
    re.S,
)
# Words that begin what declares nothing of the file's own.
NO_NAMES = (
    'friend',
    'namespace',
    'static_assert',
    'extern',
    'TEST',
    'TEST_F',
    'TEST_P',
    'INSTANTIATE_TEST_SUITE_P',
)
CLASSES = ('struct', 'class', 'union', 'enum')


def tokens(source):
    for match in TOKEN.finditer(source):
        token = match.group()
        if not token.startswith(('//', '/*', '#')):
            yield '"' if token[-1] in '"\'' else token


def without_template(words):
    """The declaration behind `template <...>`."""
    depth = 0
    for i, word in enumerate(words):
        depth += (word == '<') - (word == '>')
        if word == '>' and not depth:
            return words[i + 1 :]
    return words


def declared(words):
    """The names that a declaration, up to its body or semicolon, adds to its namespace."""
    words = without_template(words) if words[0] == 'template' else words
    head = words[0]
    if head == 'using':  # the same alias may stand in several files
        return [f'{words[1]} = {" ".join(words[3:-1])}'] if words[2] == '=' else []
    if not head.isidentifier() or head in NO_NAMES:
        return []
    if head in CLASSES:
        word = next(w for w in words[1:] if w not in CLASSES)
        return [word] if word.isidentifier() and words[words.index(word) + 1] not in ('<', ';') else []
    found, depth = [], 0
    for i, word in enumerate(words):
        is_end = depth == 0 and word in ('(', '=', '[', '{', ';', ',')
        depth += (word in '(<[{') - (word in ')>]}')
        before = words[i - 1] if i else ''
        if not is_end or not before.isidentifier() or words[i - 2] == '=':
            continue
        if words[i - 2] == '::':  # a member of a class
            return []
        found.append(before)
        if word == '(':
            break
    return found


def in_unnamed_namespaces(source):
    """(namespace, name) of each declaration in an unnamed namespace, which is written *."""
    scopes, words, brackets = [], [], 0
    for token in tokens(source):
        if 'body' in scopes:
            if token == '{':
                scopes.append('body')
            elif token == '}':
                scopes.pop()
            continue
        brackets += (token == '(') - (token == ')')
        if token == '{' and words[:1] == ['namespace']:
            scopes.append('namespace ' + (''.join(words[1:]) or '*'))
            words = []
        elif token == '}':
            scopes.pop()
        elif token == '{' and brackets:
            scopes.append('body')
        elif token in '{;':
            if words and 'namespace *' in scopes:
                for word in declared([*words, token]):
                    yield '::'.join(s.split()[1] for s in scopes), word
            if token == '{':
                scopes.append('body')
            words = []
        else:
            words.append(token)


def macros_left(source):
    """The macros that a file defines and does not undefine."""
    named = [set(re.findall(rf'^ *# *{word} (\w+)', source, re.M)) for word in ('define', 'undef')]
    return named[0] - named[1]


def problems():
    folders = defaultdict(dict)  # folder: {(namespace, name): file}
    for file in with_suffix('.cc', under=PLACES):
        if any(part in file.parts for part in ALONE):
            continue
        for macro in sorted(macros_left(text(file))):
            yield f'{name(file)}: {macro} would be defined in the next file of its batch; #undef it'
        known = folders[file.parent]
        for namespace, word in sorted(set(in_unnamed_namespaces(text(file)))):
            word, _, alias = word.partition(' = ')
            other, theirs = known.setdefault((namespace, word), (file, alias))
            if other != file and not (alias and alias == theirs):
                yield f'{name(file)}: {word} is a name of {name(other)} too, with which it is compiled'
