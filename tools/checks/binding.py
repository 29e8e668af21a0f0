"""The Python binding stands on the public headers: a file of python/binding includes `<cantik/...>`, headers
from elsewhere and its own (`"binding/..."`), nothing of src. What Python can do, C++ can do."""

import re

from checks.tree import ROOT, name, text, with_suffix

ALLOWED = 'binding/'


def problems():
    private = {folder.name for folder in (ROOT / 'src').iterdir() if folder.is_dir()}
    for file in with_suffix('.h', '.cc', under=['python/binding']):
        for number, line in enumerate(text(file).splitlines(), 1):
            match = re.match(r'\s*#include\s+(["<])([^">]+)[">]', line)
            if not match:
                continue
            quote, header = match.groups()
            if header.split('/', 1)[0] in private or (quote == '"' and not header.startswith(ALLOWED)):
                yield f'{name(file)}:{number}: the binding includes {header}, which is private'
