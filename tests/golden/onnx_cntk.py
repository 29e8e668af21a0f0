"""Writes onnx_cntk.npz: ONNX's files of CNTK 2.7, values to feed them, and the values of the networks there.

python onnx_cntk.py       run by a Python that has CNTK 2.7
"""

import os
import tempfile

import cntk as C
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
draws = np.random.RandomState(0)
C.cntk_py.set_fixed_random_seed(1)


def normalized(x, **options):
    """With running values, a scale and a bias that differ from element to element."""
    f = C.layers.BatchNormalization(**options)(x)
    for v in (*f.parameters, *f.constants):
        if v.shape:
            v.value = draws.uniform(0.5, 2, v.shape).astype(np.float32)
    return f


x = C.input_variable((4, 5, 6), name='x')
v = C.input_variable(4, name='v')
s = C.sequence.input_variable(4, name='s')
CASES = {
    'from': x[1:],
    'last': x[-2:],
    'from_and_up_to': x[:, 2:, :-1],
    'between': x[1:3],
    'two_parts': C.splice(x[:2], x[2:] * 2, axis=0),
    'a_sum_of_a_part': C.reduce_sum(x[:, :, 2:], axis=2) + C.reduce_sum(x, axis=2),
    'several_axes': C.slice(x, [0, 1], [1, 2], [0, 0]),
    'one': x[-1],
    'part_of_steps': s[1:],
    'later_steps': C.sequence.slice(s, 1, 0),
    'elements': normalized(x),
    'channels': normalized(x, map_rank=1),
    'vector': normalized(v),
    'log': C.log(v),
    'sqrt': C.sqrt(v),
    'quotient': 1 / C.relu(v),
    'root_of_a_product': C.sqrt(C.reduce_sum(v) * C.log(v)),
}
FED = {
    'x': draws.uniform(-1, 1, (1, 4, 5, 6)),
    'v': np.array([[0.5, -2, 0, 3]]),
    's': draws.uniform(-1, 1, (1, 3, 4)),
}

kept = {}
with tempfile.TemporaryDirectory() as folder:
    for name, f in CASES.items():
        path = os.path.join(folder, name)
        f.save(path, format=C.ModelFormat.ONNX)
        kept[name + '/file'] = np.fromfile(path, np.uint8)
        value = FED[f.arguments[0].name].astype(np.float32)
        kept[name + '/fed'] = value
        kept[name + '/made'] = np.asarray(f.eval({f.arguments[0]: value}), np.float32)
np.savez_compressed(os.path.join(HERE, 'onnx_cntk.npz'), **kept)
