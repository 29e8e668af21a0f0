"""Unit tests of C++ mirror the source: tests/unit/FOLDER/NAME_test.cc tests src/FOLDER/NAME, or is a theme
that tests/README.md lists. Every pass of the compiler has a test by the graph's text."""

import re

from checks.tree import ROOT, name, text, with_suffix

UNIT = ROOT / 'tests' / 'unit'
README = ROOT / 'tests' / 'README.md'
PIPELINE = ROOT / 'src' / 'compile' / 'pipeline.cc'
# A pass that decides where values lie, and changes no text: stores_test.cc.
WITHOUT_TEXT = {'stores_in_place'}


def themes():
    """The tests that belong to no single file, from the table of tests/README.md."""
    return set(re.findall(r'^\| `unit/([\w/]+)_test\.cc` \|', text(README), re.M))


def passes():
    """The passes by the names of their first runs: what runs again is tested once."""
    names = re.findall(r'^    \{"(\w+)",', text(PIPELINE), re.M)
    return [n for n in names if not n.endswith('_again') and n not in WITHOUT_TEXT]


def problems():
    listed, found = themes(), set()
    tests = [f for f in with_suffix('.cc', under=['tests/unit']) if f.parent.name != 'support']
    for file in tests:
        if not file.stem.endswith('_test'):
            yield f'{name(file)}: a unit test ends with _test.cc; what tests share is in tests/unit/support'
            continue
        tested = file.relative_to(UNIT).with_name(file.stem.removesuffix('_test'))
        if str(tested) in listed:
            found.add(str(tested))
        elif not any((ROOT / 'src' / tested).with_suffix(end).is_file() for end in ('.cc', '.h')):
            yield f'{name(file)}: there is no src/{tested}, and tests/README.md lists no such theme'
    for theme in sorted(listed - found):
        yield f'{name(README)}: there is no tests/unit/{theme}_test.cc'
    written = '\n'.join(text(f) for f in tests if f.parent == UNIT / 'compile')
    for each in passes():
        if not re.search(rf'\bafter\("{each}"|\btext_after\(ir::{each}\b|\bir::{each}\(', written):
            yield f'{name(PIPELINE)}: no test in tests/unit/compile has the text after the pass {each}'
