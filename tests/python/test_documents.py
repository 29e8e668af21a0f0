"""Every example in a docstring and every Python block in a document runs and shows what it says."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import cantik

ROOT = Path(__file__).resolve().parents[2]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def modules():
    yield cantik
    for found in pkgutil.walk_packages(cantik.__path__, 'cantik.'):
        if not found.name.rpartition('.')[2].startswith('_cantik'):
            yield importlib.import_module(found.name)


def examples():
    """Every docstring with an example, once, under the name of what it documents."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in modules():
        for test in finder.find(module, module.__name__):
            if test.examples:
                yield test


@pytest.fixture
def scratch(tmp_path):
    before, shown = os.getcwd(), np.get_printoptions()
    os.chdir(tmp_path)
    np.set_printoptions(precision=4, suppress=True, linewidth=120)
    yield tmp_path
    os.chdir(before)
    np.set_printoptions(**shown)


def run(test):
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=said.append)
    assert not runner.failures, ''.join(said)


@pytest.mark.parametrize('test', list(examples()), ids=lambda test: test.name)
def test_docstring(test, scratch):
    run(test)


def documents():
    """Blocks with prompts are one session on their page, in order; any other block is a program."""
    for path in [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]:
        blocks = re.findall(r'^```(?:python|pycon)\n(.*?)^```', path.read_text(), re.M | re.S)
        session = [block for block in blocks if '>>>' in block]
        name = str(path.relative_to(ROOT))
        if session:
            yield pytest.param(path, '\n'.join(session), id=name + '-session')
        for i, block in enumerate(blocks):
            if '>>>' not in block:
                yield pytest.param(path, block, id=f'{name}-{i}')


@pytest.mark.parametrize('path, block', list(documents()))
def test_document(path, block, scratch):
    if '>>>' in block:
        run(doctest.DocTestParser().get_doctest(block, {'C': cantik, 'np': np}, path.name, str(path), 0))
    else:
        exec(compile(block, path.name, 'exec'), {'__name__': 'document', 'C': cantik, 'np': np})


def test_the_reference_says_nothing_twice():
    pages = [p.read_text() for p in sorted((ROOT / 'docs' / 'reference' / 'operators').glob('*.md'))]
    entries = [entry for page in pages for entry in page.split('\n## ')[1:] if '```py' in entry]
    assert len(entries) > 100
    for entry in entries:
        paragraphs = [p.strip() for p in entry.split('\n\n') if p.strip() and not p.startswith('```')]
        said = [re.split(r'(?<=[.:])\s', p)[0] for p in paragraphs[1:]]
        assert len(said) == len(set(said)), entry.partition('\n')[0]


def public_functions():
    for name in cantik.__all__:
        value = getattr(cantik, name)
        if (inspect.isfunction(value) or inspect.isclass(value)) and (value.__module__ or '').startswith(
            'cantik'
        ):
            yield name, value


def test_public_names_are_documented():
    assert not [name for name, value in public_functions() if not (value.__doc__ or '').strip()]


def test_there_are_examples():
    assert len(list(examples())) > 100  # a collection that finds nothing would pass
