#!/usr/bin/env python3
"""Models of one operator on sequences each, written by one toolkit and evaluated by the other. Runs under
CNTK 2.7 and under Cantik.

    PYTHON tests/interop/sequences.py write FOLDER      # saves models, and what they give
    PYTHON tests/interop/sequences.py check FOLDER      # loads them and compares: numbers, lengths, axes and
    the names of operators

Run `write` with one Python and `check` with the other, both ways. (`import cntk` is CNTK or Cantik.)
"""

import json
import os
import sys
import warnings

import numpy as np

warnings.simplefilter('ignore')
import cntk as C

S = C.sequence
LENGTHS = (4, 3, 5)


def data():
    random = np.random.RandomState(0)
    return {
        'x': [random.randn(n, 2).astype(np.float32) for n in LENGTHS],
        'm': [np.array(m, np.float32) for m in ([1, 0, 1, 1], [1, 1, 0], [0, 1, 0, 0, 1])],
        'b': random.randn(3, 2).astype(np.float32),
        'f': random.randn(3, 4, 2).astype(np.float32),
        'g': random.randn(3, 5, 2).astype(np.float32),
        'n': np.array([2, 4, 1], np.float32),
    }


def cases():
    x, m = S.input_variable(2, name='x'), S.input_variable((), name='m')
    b, f, g, n = (
        C.input_variable(2, name='b'),
        C.input_variable((4, 2), name='f'),
        C.input_variable((5, 2), name='g'),
        C.input_variable((), name='n'),
    )
    p = C.parameter((2,), init=0.5, name='p')
    return {
        'past_value': S.past_value(x, p, 2),
        'future_value': S.future_value(x, b, 2),
        'state_of_steps': S.past_value(x, x, 3),
        'delay': S.delay(x, 1, -2),
        'first': S.first(x),
        'last': S.last(x * p),
        'slice_from_1': S.slice(x, 1, 0),
        'slice_last_2': S.slice(x, -2, 0),
        'slice_inner': S.slice(x, 1, -1),
        'slice_of_one': S.slice(x, 2, 3),
        'is_first': S.is_first(x),
        'is_last': S.is_last(x),
        'where': S.where(m),
        'gather': S.gather(x, m),
        'gather_greater': S.gather(x, C.greater(m, 0)) + 1,
        'scatter': S.scatter(S.gather(x, m), m),
        'broadcast_as': S.broadcast_as(b, x),
        'reduce_sum': S.reduce_sum(x),
        'reduce_max': S.reduce_max(x),
        'reduce_min': C.reduce_min(x, axis=C.Axis.default_dynamic_axis()),
        'softmax': S.softmax(x),
        'unpack': S.unpack(x, -1, True),
        'to_sequence': C.to_sequence(f),
        'to_sequence_lengths': C.to_sequence(f, n),
        'to_sequence_like': C.to_sequence_like(g, x),
        'reconcile': C.reconcile_dynamic_axes(p, x),
        'edit_distance': C.edit_distance_error(x, x * p),
        'convolution': C.convolution(
            C.parameter(init=np.random.RandomState(1).randn(4, 2, 3).astype(np.float32)),
            x,
            auto_padding=[False, True],
            sequential=True,
        ),
        'times_over_steps': C.times(x, S.past_value(C.reshape(x, (2, 1))), infer_input_rank_to_map=-2),
    }


FACTS = ('axes', 'shape', 'operator')


def result(f):
    d = data()
    y = f.eval({v: d[v.name] for v in f.arguments})
    rows = [np.asarray(s) for s in y] if isinstance(y, list) else [np.asarray(y)]
    return {
        'rows': rows,
        'axes': [a.name for a in f.output.dynamic_axes],
        'shape': list(f.output.shape),
        'operator': f.root_function.op_name,
    }


def main():
    mode, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    wrong = []
    if mode == 'write':
        for name, f in cases().items():
            f.save(os.path.join(folder, name + '.model'))
            y = result(f)
            np.savez(os.path.join(folder, name + '.npz'), *y['rows'])
            with open(os.path.join(folder, name + '.json'), 'w') as out:
                json.dump({k: y[k] for k in FACTS}, out)
        return 0
    names = sorted(n[:-6] for n in os.listdir(folder) if n.endswith('.model'))
    for name in names:
        have = result(C.Function.load(os.path.join(folder, name + '.model')))
        with open(os.path.join(folder, name + '.json')) as kept:
            want = json.load(kept)
        with np.load(os.path.join(folder, name + '.npz')) as kept:
            want['rows'] = [kept['arr_%d' % i] for i in range(len(kept.files))]
        same = (
            all(have[k] == want[k] for k in FACTS)
            and len(have['rows']) == len(want['rows'])
            and all(
                a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-6)
                for a, b in zip(have['rows'], want['rows'])
            )
        )
        if not same:
            wrong.append(name)
            print('differs:', name, {k: (have[k], want[k]) for k in FACTS + ('rows',)})
    print('%d of %d models of sequences agree' % (len(names) - len(wrong), len(names)))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
