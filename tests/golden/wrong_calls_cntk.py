"""CNTK 2.7's outcomes of wrong calls, as a table: wrong_calls.tsv.

    CNTK_PYTHON tests/python/wrong_calls/run.py OUTCOMES
    python3 tests/golden/wrong_calls_cntk.py OUTCOMES > tests/golden/wrong_calls.tsv

The first line names the wrong values. A call follows with the outcome of the right call. Then each of its
arguments has a line with a letter for each wrong value: '.' is ok, another letter begins the name of the
error's class, 'x' is a process that died, '~' is a call without an end, '-' was not tried.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python', 'wrong_calls'))
import run

MARKS = {'ok': '.', 'died': 'x', 'hangs': '~'}


def main():
    found = {}
    with open(sys.argv[1], encoding='utf-8') as f:
        for line in f:
            call, argument, value, outcome = line.rstrip('\n').split('\t')[:4]
            found[call, argument, value] = MARKS.get(outcome, outcome[0])
    values = [name for name, _ in run.wrong_values()]
    print(' '.join(values))
    for call in run.calls():
        right = found.get((call.text, '', ''))
        if right is None:
            continue
        print('{}\t{}'.format(call.text, right))
        if right == '.':
            for argument in call.arguments:
                print(
                    '\t{}\t{}'.format(
                        argument, ''.join(found.get((call.text, argument, value), '-') for value in values)
                    )
                )


if __name__ == '__main__':
    main()
