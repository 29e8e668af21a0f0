"""Backends stand behind their walls: no file outside src/backends includes one of a backend's folder. What
operators, plans and learners ask for is declared in src/backends and src/backends/host."""

import re

from checks.tree import ROOT, name, text, with_suffix

INTERFACES = {'host'}  # folders that declare; the others implement


def problems():
    for file in with_suffix('.h', '.cc', under=['src', 'include', 'python', 'plugins', 'examples']):
        if file.is_relative_to(ROOT / 'src' / 'backends'):
            continue
        for number, line in enumerate(text(file).splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+["<](?:src/)?backends/(\w+)/', line)
            if match and match.group(1) not in INTERFACES:
                yield (
                    f'{name(file)}:{number}: includes a file of the backend {match.group(1)}; '
                    'ask backends/forms.h or backends/host/ instead'
                )
