"""Figures of many cases in one small file: their arrays one behind the other, and a list of names, shapes and
types.

    MXNET_PYTHON tests/python/mxnet_figures.py     writes tests/golden/mxnet_*.npz anew, from the real MXNet
    1.9.1

MXNet's own kernels make the figures (MXNET_MKLDNN_ENABLED=0): oneDNN's lose what is not a number. RNN runs
with oneDNN alone.
"""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'
FAMILIES = ['linalg', 'losses', 'whole_numbers', 'more', 'edges', 'networks', 'recurrent']


def save(path, figures):
    layout = [[name, [[list(a.shape), a.dtype.name] for a in arrays]] for name, arrays in figures.items()]
    numbers = [a.astype(np.float64).ravel() for arrays in figures.values() for a in arrays]
    np.savez_compressed(
        path, layout=np.frombuffer(json.dumps(layout).encode(), np.uint8), numbers=np.concatenate(numbers)
    )


def load(family):
    kept = np.load(GOLDEN / f'mxnet_{family}.npz')
    numbers, at, figures = kept['numbers'], 0, {}
    for name, arrays in json.loads(kept['layout'].tobytes()):
        figures[name] = []
        for shape, dtype in arrays:
            size = int(np.prod(shape))
            figures[name].append(numbers[at : at + size].reshape(shape).astype(dtype))
            at += size
    return figures


def cases_of(family):
    return importlib.import_module(f'mxnet_{family}_cases').cases()


def run(mx, op, operands, attributes, without=(), types=None):
    """Values of an operator and gradients with respect to its operands, but for those of the numbers in
    `without` (all: True).

    op: a name, or a function of mx and the operands.
    """
    arrays = [mx.nd.array(x, dtype=x.dtype) for x in operands]
    if callable(op):

        def function(*arrays, **attributes):
            return op(mx, *arrays, **attributes)
    else:
        function = getattr(mx.nd, op, None) or getattr(mx.nd._internal, op)
    wanted = [] if without is True else [a for i, a in enumerate(arrays) if i not in without]
    for a in wanted:
        a.attach_grad()
    with mx.autograd.record():
        made = function(*arrays, **attributes)
        made = list(made) if isinstance(made, (list, tuple)) else [made]
    results = [m.asnumpy() for m in made]
    if wanted:
        weights = [
            mx.nd.array(
                np.round(4 * np.cos(np.arange(m.size))).reshape(m.shape) / 4
                if m.dtype not in (np.int32, np.int64, np.int8, np.uint8)
                else np.arange(1, m.size + 1).reshape(m.shape),
                dtype=m.dtype,
            )
            for m in made
        ]
        mx.autograd.backward(made, weights)
        results += [a.grad.asnumpy() for a in wanted]
    return results


def main(families):
    if not families:
        for family in FAMILIES:
            subprocess.run([sys.executable, __file__, family], check=True)
        return
    os.environ['MXNET_MKLDNN_ENABLED'] = str(int('recurrent' in families))
    os.environ['MXNET_STORAGE_FALLBACK_LOG_VERBOSE'] = '0'
    import mxnet as mx

    for family in families:
        figures = {}
        for name, *case in cases_of(family):
            try:
                figures[name] = run(mx, *case)
            except Exception as e:
                print(
                    '{}: {}: {}'.format(
                        family,
                        name,
                        ' '.join(line for line in str(e).splitlines() if line and not line.startswith('  '))[
                            -300:
                        ],
                    )
                )
        if figures:
            save(GOLDEN / f'mxnet_{family}.npz', figures)


if __name__ == '__main__':
    main(sys.argv[1:])
