"""Programs that are printed in CNTK's documents. The documents are not part of this tree: CANTIK_DOCUMENTS
names the folder that has them as text. Where a printed program has lost lines, or cannot run as it stands, it
is mended: each file of tests has its mends in one place. The pythons of CNTK (3.6) and MXNet read this file
too, without pytest."""

import os
import unittest
from pathlib import Path


def document(name):
    """The text of a document. A test without it is skipped."""
    folder = os.environ.get('CANTIK_DOCUMENTS')
    if not folder or not (Path(folder) / name).is_file():
        raise unittest.SkipTest('set CANTIK_DOCUMENTS to the folder that has ' + name)
    return (Path(folder) / name).read_text(encoding='utf-8')


def between(text, first, last=None):
    """From the line that begins with `first` to before the next one that begins with `last`, or to the
    end."""
    lines = text.split('\n')
    begin = next(i for i, line in enumerate(lines) if line.startswith(first))
    end = (
        len(lines)
        if last is None
        else next(i for i, line in enumerate(lines) if i > begin and line.startswith(last))
    )
    return '\n'.join(lines[begin:end]) + '\n'


def mended(code, *mends):
    """The program with each (printed, meant) exchanged; what is printed has to be there once."""
    for printed, meant in mends:
        assert code.count(printed) == 1, f'{code.count(printed)} times: {printed}'
        code = code.replace(printed, meant)
    return code


def run(code, names=None):
    """Runs a program; its names."""
    names = {'__name__': 'document'} if names is None else names
    exec(compile(code, 'document', 'exec'), names)
    return names
