"""Lines have at most 110 columns. Programs and texts that stand in strings may be wider."""

import io
import tokenize

from checks.sizes import is_generated
from checks.tree import name, text, with_suffix

MOST_COLUMNS = 110
# What stands before a statement.
STARTS = (None, tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE, tokenize.NL)


def strings_in(source):
    """The numbers of the lines of strings over several lines that are no documentation."""
    inside, before, depth = set(), None, 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.OP:
            depth += (token.string in '([{') - (token.string in ')]}')
        begins = depth == 0 and before in STARTS
        if token.type == tokenize.STRING and token.start[0] != token.end[0] and not begins:
            inside.update(range(token.start[0], token.end[0] + 1))
        if token.type != tokenize.COMMENT:
            before = token.type
    return inside


def problems():
    for file in with_suffix('.h', '.cc', '.py', '.pyi'):
        content = text(file)
        if file.suffix == '.pyi' and is_generated(content, file):
            continue
        wide = [n for n, line in enumerate(content.splitlines(), 1) if len(line) > MOST_COLUMNS]
        kept = strings_in(content) if wide and file.suffix == '.py' else ()
        for number in wide:
            if number not in kept:
                yield f'{name(file)}:{number}: wider than {MOST_COLUMNS} columns'
