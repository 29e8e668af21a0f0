"""Functions that are saved before they are applied: Cantik writes them with what they give, CNTK 2.7 loads,
applies and compares.

python tests/interop/saved_early.py write FOLDER      # with Cantik
python tests/interop/saved_early.py check FOLDER      # with CNTK 2.7
"""

import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python'))

R = np.random.RandomState(0)
STATIC = R.randn(2, 3, 4).astype(np.float32)
ONES = np.eye(3, 4, dtype=np.float32)[None].repeat(2, 0)
SEQUENCES = [R.randn(3, 4).astype(np.float32), R.randn(2, 4).astype(np.float32)]
KINDS = {'static': [STATIC], 'along': [SEQUENCES], 'two': [STATIC, ONES]}
# CNTK cannot clone a block that reads the same operand twice, its own neither.
NOT_CLONED = {'static mean'}


def inputs(C, kind):
    if kind == 'along':
        return [C.sequence.input_variable(4)]
    return [C.input_variable((3, 4)) for _ in KINDS[kind]]


def values(function, variables, kind):
    result = function.eval(dict(zip(variables, KINDS[kind])))
    return [np.asarray(v) for v in (result if isinstance(result, list) else [result])]


def write(folder):
    import cantik as C
    import test_saving_early as cases

    os.makedirs(folder, exist_ok=True)
    expected = {}
    for kind, table in (('static', cases.STATIC), ('along', cases.ALONG), ('two', cases.LOSSES)):
        for name, make in table.items():
            case = kind + ' ' + name
            function = C.Function(lambda a, b: make(a, b)) if kind == 'two' else C.Function(lambda a: make(a))
            function.save(os.path.join(folder, case + '.model'))
            variables = inputs(C, kind)
            expected[case] = [
                [v.shape, v.astype(float).ravel().tolist()]
                for v in values(function(*variables), variables, kind)
            ]
    with open(os.path.join(folder, 'expected.json'), 'w') as f:
        json.dump(expected, f)


def check(folder):
    import cntk as C

    with open(os.path.join(folder, 'expected.json')) as f:
        expected = json.load(f)
    for case, arrays in sorted(expected.items()):
        if case in NOT_CLONED:
            continue
        kind = case.partition(' ')[0]
        variables = inputs(C, kind)
        function = C.load_model(os.path.join(folder, case + '.model'))(*variables)
        found = values(function, variables, kind)
        assert len(found) == len(arrays), case
        for have, (shape, numbers) in zip(found, arrays):
            np.testing.assert_allclose(have, np.reshape(numbers, shape), rtol=1e-5, atol=1e-6, err_msg=case)
    print(
        '{} functions that were saved before they were applied: CNTK loads them and gives the same'.format(
            len(expected) - len(NOT_CLONED)
        )
    )


if __name__ == '__main__':
    {'write': write, 'check': check}[sys.argv[1]](sys.argv[2])
