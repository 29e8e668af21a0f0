"""Examples of operators whose samples are too large to show. The results are added by tools/generate, which
runs them in the package as it stands: give a new operator its example once its function is there."""

import json
import os
import subprocess
import sys

# Two sequences, of three steps and of two.
SEQUENCES = [
    'x = C.sequence.input_variable(())',
    'data = {x: [np.array([1, 2, 3], np.float32), np.array([4, 5], np.float32)]}',
]

EXAMPLES = {
    'sequence_past_value': SEQUENCES + ['C.sequence.past_value(x).eval(data)'],
    'sequence_future_value': SEQUENCES + ['C.sequence.future_value(x, initial_state=9).eval(data)'],
    'sequence_delay': SEQUENCES + ['C.sequence.delay(x, time_step=2).eval(data)'],
    'sequence_is_first': SEQUENCES + ['C.sequence.is_first(x).eval(data)'],
    'sequence_is_last': SEQUENCES + ['C.sequence.is_last(x).eval(data)'],
    'sequence_first': SEQUENCES + ['C.sequence.first(x).eval(data)'],
    'sequence_last': SEQUENCES + ['C.sequence.last(x).eval(data)'],
    'sequence_slice': SEQUENCES + ['C.sequence.slice(x, 1, 0).eval(data)'],
    'sequence_where': SEQUENCES + ['C.sequence.where(C.greater(x, 2)).eval(data)'],
    'sequence_gather': SEQUENCES + ['C.sequence.gather(x, C.greater(x, 2)).eval(data)'],
    'sequence_scatter': SEQUENCES
    + [
        'odd = C.equal(x, 1) + C.equal(x, 5)',
        'C.sequence.scatter(C.sequence.gather(x, odd), odd).eval(data)',
    ],
    'sequence_broadcast_as': SEQUENCES + ['C.sequence.broadcast_as(C.sequence.last(x), x).eval(data)'],
    'sequence_reduce_sum': SEQUENCES + ['C.sequence.reduce_sum(x).eval(data)'],
    'sequence_reduce_max': SEQUENCES + ['C.sequence.reduce_max(x).eval(data)'],
    'sequence_softmax': SEQUENCES + ['C.sequence.softmax(x).eval(data)'],
    'optimized_rnnstack': [
        'W = C.parameter((C.InferredDimension, 2), init=C.glorot_uniform())',
        'f = C.optimized_rnnstack(C.sequence.input_variable(3), W, 2, 1, bidirectional=True)',
        'f.shape, W.shape',
    ],
    'to_sequence': [
        'x, n = C.input_variable(3), C.input_variable(())',
        'C.to_sequence(x, '
        'n).eval({x: np.array([[1, 2, 3], [4, 5, 6]], np.float32), n: np.array([2, 3], np.float32)})',
    ],
    'to_sequence_like': [
        'x, like = C.input_variable(3), C.sequence.input_variable(1)',
        'C.to_sequence_like(x, '
        'like).eval({x: np.array([[1, 2, 3]], np.float32), like: [np.zeros((2, 1), np.float32)]})',
    ],
    'edit_distance_error': [
        'x, y = C.sequence.input_variable(3), C.sequence.input_variable(3)',
        'words = np.eye(3, dtype=np.float32)',
        'C.edit_distance_error(x, y).eval({x: [words[[0, 1, 2]]], y: [words[[0, 2, 2]]]})',
    ],
    'convolution': [
        'x = C.input_variable((3, 8, 8))',
        'W = C.parameter((16, 3, 3, 3), init=C.he_normal())',
        'C.convolution(W, x, strides=(1, 2, 2), auto_padding=[False, True, True]).shape',
    ],
    'convolution_transpose': [
        'x = C.input_variable((3, 8, 8))',
        'W = C.parameter((3, 16, 2, 2), init=C.he_normal())',
        'C.convolution_transpose(W, x, strides=(2, 2), auto_padding=[False]).shape',
    ],
    'binary_convolve': [
        'x = C.input_variable((64, 8, 8))',
        'W = C.parameter((16, 64, 3, 3), init=C.he_normal())',
        'C.binary_convolve(W, x, bits=2, strides=(1, 2, 2)).shape',
    ],
    'crop_automatic': [
        'x = C.input_variable((1, 6, 6))',
        'wide = C.convolution_transpose(np.ones((1, 1, 4, 4), np.float32), C.pooling(x, C.MAX_POOLING, (2, '
        '2), (2, 2)), strides=(2, 2), auto_padding=[False])',
        'wide.shape, C.crop_automatic(wide, x).shape',
    ],
    'crop_automatic_with_ancestors': [
        'x, labels = C.input_variable((1, 6, 6)), C.input_variable((1, 6, 6))',
        'inner = C.pooling(labels, C.MAX_POOLING, (3, 3))',
        'C.crop_automatic_with_ancestors(C.relu(x), inner, x, labels).shape',
    ],
    'native_binary_convolve': [
        'x = C.input_variable((64, 8, 8))',
        'W = C.parameter((16, 64, 3, 3), init=C.he_normal())',
        'C.native_binary_convolve(W, x, stride=2, padding=True).shape',
    ],
    'crop_manual': [
        'x, like = C.input_variable((1, 4, 4)), C.input_variable((1, 2, 2))',
        'C.crop_manual(x, like, 1, 1).shape',
    ],
    'depth_to_space': ['C.depth_to_space(C.input_variable((8, 2, 3)), 2).shape'],
    'space_to_depth': ['C.space_to_depth(C.input_variable((2, 4, 6)), 2).shape'],
    'eye_like': ['C.eye_like([[1, 2], [3, 4]], sparse_output=False).eval()'],
    'flatten': ['C.flatten(C.input_variable((2, 3, 4)), axis=1).shape'],
    'gather': ['C.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).eval()'],
    'pooling': [
        'x = C.input_variable((1, 2, 2))',
        'C.pooling(x, C.AVG_POOLING, (2, 2)).eval({x: np.array([[[[1, 2], [3, 6]]]], np.float32)})',
    ],
    'unpooling': [
        'x = C.input_variable((1, 4, 4))',
        'C.unpooling(C.pooling(x, C.MAX_POOLING, (2, 2), (2, 2)), x, C.MAX_UNPOOLING, (2, 2), (2, 2)).shape',
    ],
    'roipooling': [
        'x, rois = C.input_variable((16, 8, 8)), C.input_variable((5, 4))',
        'C.roipooling(x, rois, C.MAX_POOLING, (2, 2), 0.5).shape',
    ],
    'custom_proxy_op': [
        "z = C.custom_proxy_op('quantized_times', (4,), np.int16, C.input_variable(3), C.parameter((3, 4), "
        "dtype=np.int16))",
        'z.shape, z.dtype',
    ],
    'random_sample': ['C.random_sample([1, 2, 3], 2, True).shape'],
    'random_sample_inclusion_frequency': ['C.random_sample_inclusion_frequency([1, 1, 2], 4, True).eval()'],
    'to_batch': ['z = C.to_batch(C.parameter((4, 2)))', 'z.shape, z.dynamic_axes'],
    'unpack_batch': [
        'x = C.input_variable(2)',
        'C.unpack_batch(x).eval({x: np.array([[1, 2], [3, 4]], np.float32)})',
    ],
    'top_k': [
        'z = C.top_k([1, 4, 2], 2)',
        'values, places = (C.combine([v]) for v in z.outputs)',
        'values.eval(), places.eval()',
    ],
    'bernoulli': ['C.random.bernoulli((2, 3), mean=0.5).shape'],
    'gumbel': ['C.random.gumbel((2, 3)).shape'],
    'normal': ['C.random.normal((2, 3), mean=1, scale=2).shape'],
    'uniform': ['C.random.uniform((2, 3), low=-1, high=1).shape'],
    'binary_cross_entropy_with_logits': [
        'C.binary_cross_entropy_with_logits([2, -1], [1, 0]).eval().round(4)'
    ],
    'focal_loss': ['C.focal_loss([2, 0, -1], [1, 0, 0]).eval().round(4)'],
    'huber': ['C.huber([0.5, 3], [0, 0]).eval().round(4)'],
    'mae': ['C.mae([0.5, 3], [0, 0]).eval().round(4)'],
    'mse': ['C.mse([0.5, 3], [0, 0]).eval().round(4)'],
    'ctc_loss': ["C.ctc_loss([[2, 0, 1], [1, 3, 0], [0, 1, 2]], [1, 2], 3, 2).eval().round(4)"],
    'forward_backward': [
        'x, labels = C.sequence.input_variable(3), C.sequence.input_variable(3)',
        'f = C.forward_backward(C.labels_to_graph(labels), x, blankTokenId=2)',
        'begins = np.array([[2, 0, 0], [1, 0, 0], [0, 2, 0]], np.float32)',
        'f.eval({x: [np.zeros((3, 3), np.float32)], labels: [begins]}).round(4)',
    ],
    'einsum': ["C.einsum('ij,jk->ik', [[1, 2], [3, 4]], [[1, 0], [1, 1]]).eval()"],
    'linalg_cholesky': ['C.linalg.cholesky([[4, 2], [2, 5]]).eval()'],
    'linalg_determinant': ['C.linalg.determinant([[1, 2], [3, 4]]).eval().round(4)'],
    'linalg_eigh': [
        'vectors, values = C.linalg.eigh([[2, 1], [1, 2]]).outputs',
        'C.combine([vectors]).eval().round(4), C.combine([values]).eval().round(4)',
    ],
    'linalg_inverse': ['C.linalg.inverse([[2, 1], [1, 1]]).eval()'],
    'linalg_lq': [
        'lower, rows = C.linalg.lq([[3, 4], [1, 2]]).outputs',
        'C.combine([lower]).eval().round(4), C.combine([rows]).eval().round(4)',
    ],
    'linalg_matmul': ['C.linalg.matmul(C.input_variable((5, 2, 3)), C.input_variable((5, 3, 4))).shape'],
    'linalg_slogdet': [
        'sign, logarithm = C.linalg.slogdet([[1, 2], [3, 4]]).outputs',
        'C.combine([sign]).eval(), C.combine([logarithm]).eval().round(4)',
    ],
    'weighted_binary_cross_entropy': [
        'C.weighted_binary_cross_entropy([0.5, 0.5], [1, 0], [1, 2]).eval().round(4)'
    ],
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
    shown = [line or '<BLANKLINE>' for line in said.getvalue().splitlines()]
    made[name] = ['>>> ' + line for line in lines] + shown
json.dump(made, sys.stdout)
'''


def shown(build):
    """{name: lines of the example, with what it prints}."""
    done = subprocess.run(
        [sys.executable, '-c', RUN],
        input=json.dumps(EXAMPLES),
        capture_output=True,
        text=True,
        env={**os.environ, 'PYTHONPATH': str(build / 'python')},
    )
    if done.returncode:
        raise RuntimeError('an example in tools/operator_examples.py does not run:\n' + done.stderr)
    return json.loads(done.stdout)
