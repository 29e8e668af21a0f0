"""Files stay small: a file that grows past 800 lines is two ideas. What is generated may be longer."""

from checks.tree import name, text, with_suffix

MOST_LINES = 800


def is_generated(content, file):
    return 'Written by tools/generate' in content[:300] or 'generated' in file.name


def problems():
    for file in with_suffix('.h', '.cc', '.py', '.cmake'):
        content = text(file)
        lines = len(content.splitlines())
        if lines > MOST_LINES and not is_generated(content, file):
            yield f'{name(file)}: {lines} lines, two ideas in one room?'
