"""Examples of operators whose samples are too large to show. The results are added by tools/generate, which runs them
in the package as it stands: give a new operator its example once its function is there."""
import json
import os
import subprocess
import sys

EXAMPLES = {
    'convolution': ['x = C.input_variable((3, 8, 8))', 'W = C.parameter((16, 3, 3, 3), init=C.he_normal())', 'C.convolution(W, x, strides=(1, 2, 2), auto_padding=[False, True, True]).shape'],
    'convolution_transpose': ['x = C.input_variable((3, 8, 8))', 'W = C.parameter((3, 16, 2, 2), init=C.he_normal())',
                              'C.convolution_transpose(W, x, strides=(2, 2), auto_padding=[False]).shape'],
    'crop_manual': ['x, like = C.input_variable((1, 4, 4)), C.input_variable((1, 2, 2))', 'C.crop_manual(x, like, 1, 1).shape'],
    'depth_to_space': ['C.depth_to_space(C.input_variable((8, 2, 3)), 2).shape'],
    'space_to_depth': ['C.space_to_depth(C.input_variable((2, 4, 6)), 2).shape'],
    'eye_like': ['C.eye_like([[1, 2], [3, 4]], sparse_output=False).eval()'],
    'flatten': ['C.flatten(C.input_variable((2, 3, 4)), axis=1).shape'],
    'gather': ['C.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).eval()'],
    'pooling': ['x = C.input_variable((1, 2, 2))', 'C.pooling(x, C.AVG_POOLING, (2, 2)).eval({x: np.array([[[[1, 2], [3, 6]]]], np.float32)})'],
    'unpooling': ['x = C.input_variable((1, 4, 4))', 'C.unpooling(C.pooling(x, C.MAX_POOLING, (2, 2), (2, 2)), x, C.MAX_UNPOOLING, (2, 2), (2, 2)).shape'],
    'roipooling': ['x, rois = C.input_variable((16, 8, 8)), C.input_variable((5, 4))', 'C.roipooling(x, rois, C.MAX_POOLING, (2, 2), 0.5).shape'],
    'custom_proxy_op': ["z = C.custom_proxy_op('quantized_times', (4,), np.int16, C.input_variable(3), C.parameter((3, 4), dtype=np.int16))", 'z.shape, z.dtype'],
    'random_sample': ['C.random_sample([1, 2, 3], 2, True).shape'],
    'random_sample_inclusion_frequency': ['C.random_sample_inclusion_frequency([1, 1, 2], 4, True).eval()'],
    'to_batch': ['z = C.to_batch(C.parameter((4, 2)))', 'z.shape, z.dynamic_axes'],
    'unpack_batch': ['x = C.input_variable(2)', 'C.unpack_batch(x).eval({x: np.array([[1, 2], [3, 4]], np.float32)})'],
    'top_k': ['z = C.top_k([1, 4, 2], 2)', 'values, places = (C.combine([v]) for v in z.outputs)', 'values.eval(), places.eval()'],
    'bernoulli': ['C.random.bernoulli((2, 3), mean=0.5).shape'],
    'gumbel': ['C.random.gumbel((2, 3)).shape'],
    'normal': ['C.random.normal((2, 3), mean=1, scale=2).shape'],
    'uniform': ['C.random.uniform((2, 3), low=-1, high=1).shape'],
    'weighted_binary_cross_entropy': ['C.weighted_binary_cross_entropy([0.5, 0.5], [1, 0], [1, 2]).eval().round(4)'],
}

RUN = '''
import contextlib, io, json, sys
import numpy as np
import cantik as C
np.set_printoptions(precision=4, suppress=True, linewidth=120)
made = {}
for name, lines in json.load(sys.stdin).items():
    said, names = io.StringIO(), {'C': C, 'np': np}
    C.cntk_py.reset_random_seed(0)
    with contextlib.redirect_stdout(said):
        for line in lines:
            exec(compile(line + chr(10), name, 'single'), names)
    made[name] = ['>>> ' + line for line in lines] + [line or '<BLANKLINE>' for line in said.getvalue().splitlines()]
json.dump(made, sys.stdout)
'''


def shown(build):
    """{name: lines of the example, with what it prints}."""
    done = subprocess.run([sys.executable, '-c', RUN], input=json.dumps(EXAMPLES), capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': str(build / 'python')})
    if done.returncode:
        raise RuntimeError('an example in tools/operator_examples.py does not run:\n' + done.stderr)
    return json.loads(done.stdout)
