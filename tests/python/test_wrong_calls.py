"""Every public function, called with one wrong argument at a time.

wrong_calls/calls.txt has a right call of each function, wrong_calls/wrong.txt the wrong values. A call that
CNTK 2.7 refuses is refused; wrong_calls/lenient.txt lists the others. No error has an internal word. Every
process comes to an end by itself. A public function without a right call fails the first test.
"""

import fnmatch
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent / 'wrong_calls'
GOLDEN = HERE.parents[1] / 'golden' / 'wrong_calls.tsv'
sys.path.insert(0, str(HERE))
import run

# Words of C++, of the binding and of Python's own machinery. An error with such a word tells the caller
# nothing.
WORDS = r"""std:: bad_cast bad_alloc nanobind nb_func _cantik\b <lambda> __init__ __new__ PyCapsule 0x[0-9a-f]{6,} __index__
    unhashable vector:: ufunc""".split()
PHRASES = r"""incompatible function|object has no attribute|has no attribute '(?!as_)|is not (iterable(?!:)|callable|subscriptable)
    unsupported operand type|not supported between|cannot be interpreted as|must be real number|argument after \*|bytes-like
    list index|tuple index|cannot unpack|values to unpack|can only concatenate|must be str\b|expected str, bytes
    object of type|invalid literal|could not convert string|has no len|format (string|code)|dictionary update sequence
    C long|scalar index|to Python scalars|int too big|returned a result|larger than max_size"""
INTERNAL = re.compile('|'.join(WORDS + [line.strip() for line in PHRASES.splitlines()]))
CLASSES = set(
    """ArgumentError ValueError TypeError RuntimeError ShapeError NotImplementedError MissingError IndexError
    OutOfMemoryError AttributeError SyntaxError MemoryError ImportError FileNotFoundError IsADirectoryError
    PermissionError OSError FileExistsError""".split()
)


@pytest.fixture(scope='session')
def outcomes(tmp_path_factory):
    """{(call, argument, value): (outcome, text)}; two processes share the calls."""
    folder = tmp_path_factory.mktemp('wrong_calls')
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    parts = [
        subprocess.Popen(
            [sys.executable, str(HERE / 'run.py'), str(folder / str(k)), f'--part={k}/2'],
            env=env,
            stderr=subprocess.PIPE,
        )
        for k in range(2)
    ]
    found = {}
    for k, part in enumerate(parts):
        _, errors = part.communicate()
        assert part.returncode == 0, errors.decode()
        for line in (folder / str(k)).read_text(encoding='utf-8').splitlines():
            call, argument, value, outcome, *text = line.split('\t')
            found[call, argument, value] = outcome, text[0] if text else ''
    return found


def listed(name):
    """Lines 'a | b | ...' of a file, taken apart."""
    return [[part.strip() for part in line.split(' | ')] for line in run.read(name)]


def shown(bad):
    """The first of many, a line each."""
    return '\n'.join('{}\n    {} = {}: {}'.format(*item) for item in bad[:40]) + f'\n{len(bad)} in all'


def test_every_public_function_has_a_call():
    from public import called, parameters, public_functions

    patterns = [pattern for pattern, _ in listed('exempt.txt')]

    def is_exempt(name):
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)

    calls, functions = called(), public_functions()
    missing, unnamed = [], []
    for function, name in sorted(functions.items(), key=lambda item: item[1]):
        if function not in calls:
            missing += [] if is_exempt(name) else [name]
            continue
        by_place, by_name = calls[function]
        rest = [name + '.' + p for p in (parameters(function) or [])[by_place:] if p not in by_name]
        unnamed += [p for p in rest if not is_exempt(p) and not is_exempt(name)]
    assert not missing, 'no call in calls.txt of: ' + ', '.join(missing)
    assert not unnamed, 'no call in calls.txt gives: ' + ', '.join(unnamed)


def test_right_calls_work(outcomes):
    bad = []
    for call in run.calls():
        outcome, text = outcomes[call.text, '', '']
        if outcome != call.outcome:
            bad.append((call.text, '', outcome, text))
    assert not bad, shown(bad)


def test_no_process_dies_and_all_come_to_an_end(outcomes):
    bad = [key + (outcome,) for key, (outcome, _) in outcomes.items() if outcome in ('died', 'hangs')]
    assert not bad, shown(bad)


def test_errors_are_of_classes_that_programs_catch(outcomes):
    bad = [
        key + (outcome + ' ' + text,)
        for key, (outcome, text) in outcomes.items()
        if outcome not in CLASSES | {'ok', 'died', 'hangs'}
    ]
    assert not bad, shown(bad)


def test_errors_speak_of_what_was_given(outcomes):
    bad = []
    for (call, argument, value), (outcome, text) in outcomes.items():
        if outcome == 'ok' or not INTERNAL.search(text):
            continue
        if value in ('type', 'builtin') and 'cantik' not in text and 'std::' not in text:
            continue  # int and len are functions: what they say of their arguments is theirs
        if ' is not a valid ' in text:
            continue  # a choice's: the text is Python's own
        bad.append((call, argument, value, text))
    assert not bad, shown(bad)


def golden():
    """{(call, argument, value): the letter of what CNTK 2.7 did}."""
    found, call = {}, None
    lines = GOLDEN.read_text(encoding='utf-8').splitlines()
    values = lines[0].split()
    for line in lines[1:]:
        if not line.startswith('\t'):
            call = line.rpartition('\t')[0]
        else:
            _, argument, letters = line.split('\t')
            found.update({(call, argument, value): letter for value, letter in zip(values, letters)})
    return found


def test_what_cntk_refuses_is_refused(outcomes):
    lenient = listed('lenient.txt')

    def is_meant(call, argument, value):
        return any(
            fnmatch.fnmatchcase(call, pattern)
            and fnmatch.fnmatchcase(argument, arguments)
            and (values == 'all' or value in values.split())
            for pattern, arguments, values, _ in lenient
        )

    bad = [
        key + (f'CNTK refuses it ({letter})',)
        for key, letter in golden().items()
        if letter not in '.-~' and key in outcomes and outcomes[key][0] == 'ok' and not is_meant(*key)
    ]
    assert not bad, shown(bad)


def test_what_is_lenient_is_so(outcomes):
    """Each line of lenient.txt is needed."""
    refused = golden()
    for pattern, arguments, values, _reason in listed('lenient.txt'):
        assert any(
            letter not in '.-~'
            and outcomes.get(key, ('',))[0] == 'ok'
            and fnmatch.fnmatchcase(key[0], pattern)
            and fnmatch.fnmatchcase(key[1], arguments)
            and (values == 'all' or key[2] in values.split())
            for key, letter in refused.items()
        ), (pattern, arguments, values)
