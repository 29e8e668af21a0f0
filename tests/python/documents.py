"""Programs that are printed in CNTK's documents. The documents are not part of this tree: CANTIK_DOCUMENTS names the folder that has them
as text. Where a printed program has lost lines, or cannot run as it stands, it is mended: each file of tests has its mends in one place."""
import os
from pathlib import Path

import pytest


def document(name):
    """The text of a document."""
    folder = os.environ.get('CANTIK_DOCUMENTS')
    if not folder or not (Path(folder) / name).is_file():
        pytest.skip('CANTIK_DOCUMENTS names no folder with ' + name)
    return (Path(folder) / name).read_text()


def between(text, first, last):
    """From the line that begins with `first` to before the next one that begins with `last`."""
    lines = text.split('\n')
    begin = next(i for i, line in enumerate(lines) if line.startswith(first))
    end = next(i for i, line in enumerate(lines) if i > begin and line.startswith(last))
    return '\n'.join(lines[begin:end]) + '\n'


def mended(code, *mends):
    """The program with each (printed, meant) exchanged; what is printed has to be there once."""
    for printed, meant in mends:
        assert code.count(printed) == 1, '{} times: {}'.format(code.count(printed), printed)
        code = code.replace(printed, meant)
    return code


def run(code, names=None):
    """Runs a program; its names."""
    names = {'__name__': 'document'} if names is None else names
    exec(compile(code, 'document', 'exec'), names)
    return names
