"""The public names of the headers with their comments, as libclang reads them.

A comment belongs to the declaration under it, or before it on the same line. An overload without a comment
shares that of the overload above it, and so do functions that one macro makes. A line like `// ---- files`
begins a section of a class.
"""

import re
import subprocess
from bisect import bisect_left
from dataclasses import dataclass, field
from pathlib import Path

from clang import cindex
from clang.cindex import AccessSpecifier, CursorKind, TokenKind

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / 'include'

KINDS = {
    CursorKind.FUNCTION_DECL: 'function',
    CursorKind.FUNCTION_TEMPLATE: 'function',
    CursorKind.CXX_METHOD: 'function',
    CursorKind.CONSTRUCTOR: 'function',
    CursorKind.CONVERSION_FUNCTION: 'function',
    CursorKind.CLASS_DECL: 'class',
    CursorKind.STRUCT_DECL: 'class',
    CursorKind.UNION_DECL: 'class',
    CursorKind.CLASS_TEMPLATE: 'class',
    CursorKind.TYPE_ALIAS_DECL: 'alias',
    CursorKind.TYPE_ALIAS_TEMPLATE_DECL: 'alias',
    CursorKind.TYPEDEF_DECL: 'alias',
    CursorKind.VAR_DECL: 'constant',
    CursorKind.ENUM_DECL: 'enum',
    CursorKind.CONCEPT_DECL: 'concept',
    CursorKind.FIELD_DECL: 'field',
}
SCOPES = {CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL, CursorKind.FRIEND_DECL}
# Operators that say what they do, and what every container of the standard library has.
CLEAR = {
    f'operator{sign}' for sign in ('==', '!=', '<=>', '+', '-', '*', '/', '<', '<=', '>', '>=', '[]', ' bool')
}
CLEAR |= {'begin', 'end', 'size', 'empty', 'data', 'push_back', 'back'}
# Namespaces whose names are nobody's to use, or not ours.
HIDDEN_NAMESPACES = {'detail', 'std', ''}


@dataclass
class Name:
    """A declaration: `text` is as it stands in the header, without a body."""

    kind: str
    name: str
    scope: str
    line: int
    text: str
    comment: str
    section: str = ''
    members: list = field(default_factory=list)

    @property
    def full_name(self):
        return f'{self.scope}::{self.name}' if self.scope else self.name

    def with_members(self):
        yield self
        for member in self.members:
            yield from member.with_members()


@dataclass
class Header:
    """A public header: `path` is that of its #include, `comment` the one that it begins with."""

    path: str
    comment: str
    names: list

    def all_names(self):
        for name in self.names:
            yield from name.with_members()


@dataclass(frozen=True)
class Token:
    """A token of code: where it begins, its lines, its text."""

    offset: int
    line: int
    last: int
    text: str


@dataclass
class Comment:
    """Comments that stand together, in lines `first` to `last`."""

    first: int
    last: int
    column: int
    beside_code: bool
    lines: list

    @property
    def text(self):
        return '\n'.join(self.lines).strip('\n')

    @property
    def is_section(self):
        return self.lines[0].startswith('---- ')


def public_headers():
    return sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob('*.h'))


def parsed(paths):
    """One translation unit that includes all headers."""
    # stddef.h and its like come with a compiler, and libclang comes alone.
    done = subprocess.run(['g++', '-print-file-name=include'], capture_output=True, text=True, check=True)
    arguments = ['-std=c++20', f'-I{INCLUDE}', '-isystem', done.stdout.strip()]
    program = ''.join(f'#include <{path}>\n' for path in paths)
    unit = cindex.Index.create().parse(
        'headers.cc',
        args=arguments,
        unsaved_files=[('headers.cc', program)],
        options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES,
    )
    errors = [str(d) for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if errors:
        raise RuntimeError('the public headers do not parse:\n' + '\n'.join(errors))
    return unit


def without_marks(comment):
    """The lines of a comment's token without its slashes and stars."""
    if not comment.startswith('/*'):
        return [comment[2:].removeprefix(' ').rstrip()]
    lines = comment[2:-2].rstrip().split('\n')
    return [lines[0].strip(), *(line.strip().removeprefix('*').removeprefix(' ') for line in lines[1:])]


class Source:
    """The bytes of a header, its tokens and its comments by line."""

    def __init__(self, unit, path):
        file = cindex.File.from_name(unit, str(path))
        self.bytes = path.read_bytes()
        begin, end = (
            cindex.SourceLocation.from_offset(unit, file, offset) for offset in (0, len(self.bytes))
        )
        tokens = list(unit.get_tokens(extent=cindex.SourceRange.from_locations(begin, end)))
        self.code = [
            Token(t.extent.start.offset, t.extent.start.line, t.extent.end.line, t.spelling)
            for t in tokens
            if t.kind != TokenKind.COMMENT
        ]
        self.offsets = [token.offset for token in self.code]
        self.last_of_line = {token.last: token.text for token in self.code}
        self.above, self.beside, self.sections = {}, {}, []
        comments = self.together([t for t in tokens if t.kind == TokenKind.COMMENT])
        for comment in comments:
            if comment.beside_code:
                self.beside[comment.first] = comment
                continue
            if comment.is_section:
                self.sections.append((comment.first, comment.lines.pop(0)[5:]))
            if comment.lines:
                self.above[comment.last] = comment
        self.comment = comments[0].text if comments and comments[0].first == 1 else ''

    def code_between(self, begin, end):
        return self.code[bisect_left(self.offsets, begin) : bisect_left(self.offsets, end)]

    def code_at(self, offset):
        """The first token at or after a place; an empty one at the end."""
        i = bisect_left(self.offsets, offset)
        return self.code[i] if i < len(self.code) else Token(len(self.bytes), 0, 0, '')

    def together(self, tokens):
        """Comments in lines that follow one another, as one."""
        lines_with_code = {line for token in self.code for line in (token.line, token.last)}
        found = []
        for token in tokens:
            first, last, column = token.extent.start.line, token.extent.end.line, token.extent.start.column
            beside = first in lines_with_code
            lines = without_marks(token.spelling)
            before = found[-1] if found else None
            if before and not beside and first == before.last + 1 and column == before.column:
                before.lines += lines
                before.last = last
            else:
                found.append(Comment(first, last, column, beside, lines))
        return found

    def comment_of(self, first, last, opens):
        """The comment of a declaration in these lines; `opens`: a body or a list of members begins in the
        last one, whose comment may be about its inside."""
        parts = [self.above[first - 1]] if first - 1 in self.above else []
        if last in self.beside and not opens:
            parts.append(self.beside[last])
        return '\n'.join(part.text for part in parts)

    def section_at(self, line, after):
        titles = [title for first, title in self.sections if after < first < line]
        return titles[-1] if titles else ''


class Reader:
    """Goes through what a translation unit declares in the public headers."""

    def __init__(self, unit, paths):
        self.sources = {str(INCLUDE / path): Source(unit, INCLUDE / path) for path in paths}
        self.names = {file: [] for file in self.sources}
        for cursor in unit.cursor.get_children():
            self.visit(cursor, '')

    def visit(self, cursor, scope):
        file = cursor.location.file.name if cursor.location.file else None
        if file not in self.sources:
            return
        if cursor.kind == CursorKind.NAMESPACE:
            if cursor.spelling in HIDDEN_NAMESPACES:
                return
            inner = f'{scope}::{cursor.spelling}' if scope else cursor.spelling
            for child in cursor.get_children():
                self.visit(child, inner)
        elif cursor.kind in SCOPES:
            for child in cursor.get_children():
                self.visit(child, scope)
        elif cursor.kind in KINDS and is_wanted(cursor):
            self.add(self.names[file], self.sources[file], cursor, scope, 0)

    def add(self, names, source, cursor, scope, after):
        """Adds a declaration, with its public members, to `names`."""
        first, last, text, opens = declaration(source, cursor)
        kind = KINDS[cursor.kind]
        name = Name(kind, cursor.spelling, scope, first, text, source.comment_of(first, last, opens))
        name.section = source.section_at(first, after) if after else ''
        if not name.comment and names and goes_together(names[-1], name):
            name.comment = names[-1].comment
        names.append(name)
        if kind != 'class':
            return
        for child in cursor.get_children():
            if child.kind == CursorKind.FRIEND_DECL:
                child = next(child.get_children(), child)
            elif child.access_specifier != AccessSpecifier.PUBLIC:
                continue
            if child.kind in KINDS and is_wanted(child):
                self.add(name.members, source, child, name.full_name, first)


def goes_together(first, second):
    """Whether two neighbours are overloads, or made by the same macro: they share a comment."""
    if second.kind != 'function':
        return False
    macro = re.match(r'[A-Z_]+\(', second.text)
    return first.name == second.name or (bool(macro) and first.text.startswith(macro[0]))


def is_wanted(cursor):
    """Whether a declaration is one that readers use: no forward declaration, no specialization, nothing that
    the language gives every class, no private name."""
    kind, name = KINDS[cursor.kind], cursor.spelling
    if not name or name.endswith('_') or ('(' in name and kind != 'function') or name.startswith('<'):
        return False
    if kind in ('class', 'enum') and not cursor.is_definition():
        return False
    if kind == 'alias' and any(c.spelling == name for c in cursor.get_children()):
        return False  # C's typedef of a struct under its own name
    if cindex.conf.lib.clang_getSpecializedCursorTemplate(cursor):
        return False
    if kind != 'function':
        return True
    if (
        cursor.semantic_parent.kind != CursorKind.NAMESPACE
        and cursor.semantic_parent != cursor.lexical_parent
    ):
        return cursor.lexical_parent.kind in KINDS  # of a friend; a member's body outside is none
    given = (
        cursor.is_default_method()
        or cursor.is_deleted_method()
        or cursor.is_copy_constructor()
        or cursor.is_move_constructor()
        or cursor.is_copy_assignment_operator_method()
    )
    return not given and not overrides(cursor)


def overrides(cursor):
    return any(child.kind == CursorKind.CXX_OVERRIDE_ATTR for child in cursor.get_children())


def declaration(source, cursor):
    """First and last line of a declaration, its text without a body, and whether a body begins in its last
    line and ends later."""
    begin, end = cursor.extent.start, cursor.extent.end
    stop = end.offset
    if KINDS[cursor.kind] in ('function', 'class'):
        stop = before_body(source.code_between(begin.offset, end.offset), KINDS[cursor.kind]) or stop
    text = source.bytes[begin.offset : stop].decode().rstrip()
    last = end.line
    opens = source.code_at(stop).text in ('{', ':')
    if opens:
        last = begin.line + text.count('\n')
        opens = source.last_of_line[last] not in ('}', ';')
    margin = begin.column - 1
    lines = [line[margin:] if not line[:margin].strip() else line for line in text.split('\n')]
    text = '\n'.join(lines).replace('CANTIK_API ', '')
    return begin.line, last, text + ('' if text.endswith(';') else ';'), opens


def before_body(tokens, kind):
    """Where a body, a list of initializers or of members begins; None where there is none."""
    depth, seen_parameters = 0, False
    for token in tokens:
        if token.text in '([':
            depth += 1
        elif token.text in ')]':
            depth -= 1
            seen_parameters |= depth == 0 and token.text == ')'
        elif depth == 0 and token.text == '{':
            return token.offset
        elif depth == 0 and token.text == ':' and kind == 'function' and seen_parameters:
            return token.offset
    return None


def headers(paths=None):
    """All public headers with their names."""
    paths = paths or public_headers()
    reader = Reader(parsed(paths), paths)
    return [
        Header(path, reader.sources[str(INCLUDE / path)].comment, reader.names[str(INCLUDE / path)])
        for path in paths
    ]


def is_undocumented(name):
    """Whether a name lacks its comment. The structs of C that cross the boundary of operator libraries are
    told of as a whole."""
    if name.kind == 'field' and name.scope.rpartition('::')[2].startswith('cantik_'):
        return False
    return not name.comment and name.name not in CLEAR
