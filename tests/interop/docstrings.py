"""What the examples in CNTK's docstrings print:  python docstrings.py FOLDER, that of CNTK 2.7's package,
whose docstrings are read when this runs. What CNTK 2.7 prints and what this prints are the same but for
NumPy's manner of printing, which is taken out."""

import ast
import contextlib
import doctest
import importlib
import io
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import cntk

DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef)
SCALAR = re.compile(r'np\.\w+\(([^()]*)\)')
MINUS_ZERO = re.compile(r'-0\.(?!\d)')
UID = re.compile(r'(\b[A-Z]\w*[A-Za-z])\d+\b')
NUMBER = re.compile(r'-?\d+\.\d*(?:e[+-]?\d+)?')


def examples(node, place):
    """All docstrings with examples of a module, by the place of what they document."""
    for child in ast.walk(node):
        if isinstance(child, DEFINITIONS):
            text = ast.get_docstring(child)
            if text and '>>>' in text:
                yield '.'.join(filter(None, [place, getattr(child, 'name', '')])), text


def plain(text):
    """Without spaces, signs of zeros, names of types and numbers of names; five digits of each number."""
    text = UID.sub(r'\1', text)
    text = MINUS_ZERO.sub('0.', SCALAR.sub(r'\1', re.sub(r'\s+', '', text)))
    return NUMBER.sub(lambda number: f'{float(number.group()):.5g}', text)


def printed(place, text, names):
    """Of each statement, or the class of the error that it ends in."""
    np.random.seed(1)
    for example in doctest.DocTestParser().get_examples(text):
        if example.options.get(doctest.SKIP):  # needs a GPU in CNTK
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                exec(compile(example.source, place, 'single'), names)
            except Exception as e:
                print(type(e).__name__)
        yield plain(out.getvalue())


def main(folder):
    warnings.simplefilter('ignore')
    if not hasattr(np, 'float'):  # a name that NumPy had in CNTK's time
        np.float = float
    os.chdir(tempfile.mkdtemp())  # some of them save
    for path in sorted(folder.rglob('*.py')):
        if {'tests', 'test', 'contrib'} & set(path.parts):
            continue
        place = '.'.join(['cntk', *path.relative_to(folder).with_suffix('').parts])
        place = place[: -len('.__init__')] if place.endswith('.__init__') else place
        for name, text in examples(ast.parse(path.read_text(encoding='utf-8-sig')), place):
            names = dict(vars(importlib.import_module(place)), np=np, C=cntk, cntk=cntk)
            for line in printed(name, text, names):
                print(name, line)


if __name__ == '__main__':
    main(Path(sys.argv[1]).resolve())
