"""Models in the format of CNTK 1, as CNTK 2.7 writes them, and what it computes with them when it reads them
again: `python legacy_cntk.py` with the real CNTK's Python writes legacy_cntk.zip.

Left out are models that CNTK 2.7 cannot read again.
"""

import json
import os
import tempfile
import zipfile

import cntk as C
import numpy as np
import scipy.sparse
from cntk.debugging import save_as_legacy_model

C.cntk_py.set_fixed_random_seed(1)
x, y = C.input_variable(3, name='x'), C.input_variable(3, name='y')
image = C.input_variable((2, 8, 8), name='image')
s, t = C.sequence.input_variable(3, name='s'), C.sequence.input_variable(4, name='t')
chosen = C.input_variable(5, is_sparse=True, name='chosen')
boxes = C.input_variable((2, 4), name='boxes')


def numbers(*shape):
    return C.parameter(shape, init=C.normal(0.1, seed=len(shape)), name='w')


def part(v, i):
    return C.slice(v, 0, i, i + 1)


def condition():
    return C.sequence.is_first(s)


def maxima(v):
    return C.pooling(v, C.MAX_POOLING, (2, 2), (2, 2))


MODELS = {
    'plus': lambda: x + y,
    'minus': lambda: x - y,
    'element_times': lambda: x * y,
    'element_divide': lambda: x / y,
    'dense': lambda: C.times(x, numbers(3, 4)) + numbers(4),
    'relu': lambda: C.relu(x),
    'tanh': lambda: C.tanh(x),
    'sigmoid': lambda: C.sigmoid(x),
    'exp': lambda: C.exp(x),
    'log': lambda: C.log(x),
    'sqrt': lambda: C.sqrt(x),
    'abs': lambda: C.abs(x),
    'negate': lambda: C.negate(x),
    'reciprocal': lambda: C.reciprocal(x),
    'square': lambda: C.square(x),
    'sin': lambda: C.sin(x),
    'cos': lambda: C.cos(x),
    'floor': lambda: C.floor(x),
    'softplus': lambda: C.softplus(x),
    'leaky_relu': lambda: C.leaky_relu(x),
    'softmax': lambda: C.softmax(x),
    'log_softmax': lambda: C.log_softmax(x),
    'hardmax': lambda: C.hardmax(x),
    'cross_entropy': lambda: C.cross_entropy_with_softmax(x, y),
    'error': lambda: C.classification_error(x, y),
    'error_of_two': lambda: C.classification_error(x, y, topN=2),
    'squared_error': lambda: C.squared_error(x, y),
    'binary_cross_entropy': lambda: C.binary_cross_entropy(x, y),
    'lambda_rank': lambda: C.lambda_rank(part(x, 0), part(y, 0), part(x, 1)),
    'ndcg': lambda: C.ndcg_at_1(part(x, 0), part(y, 0), part(x, 1)),
    'reshape': lambda: C.reshape(image, (8, 16)),
    'reshape_axes': lambda: C.reshape(image, (16,), 0, 2),
    'slice': lambda: C.slice(x, 0, 1, 3),
    'slice_from_end': lambda: C.slice(image, 1, -3, -1),
    'slice_axes': lambda: C.slice(image, [1, 2], [1, 2], [4, 6]),
    'splice': lambda: C.splice(x, y, axis=0),
    'splice_axis': lambda: C.splice(image, image, axis=1),
    'swapaxes': lambda: C.swapaxes(image, 0, 2),
    'convolution': lambda: C.convolution(
        numbers(4, 2, 3, 3), image, (1, 1, 1), auto_padding=[False, True, True]
    ),
    'convolution_strides': lambda: C.convolution(
        numbers(4, 2, 3, 3), image, (2, 2, 2), auto_padding=[False, False, False]
    ),
    'convolution_transpose': lambda: C.convolution_transpose(
        numbers(2, 3, 3, 3), image, (1, 2, 2), auto_padding=[False, True, True]
    ),
    'max_pooling': lambda: maxima(image),
    'mean_pooling': lambda: C.pooling(image, C.AVG_POOLING, (3, 3), (1, 1), auto_padding=[True, True]),
    'unpooling': lambda: C.unpooling(maxima(image), image, C.MAX_UNPOOLING, (2, 2), (2, 2)),
    'batch_normalization': lambda: C.layers.BatchNormalization(map_rank=1)(image),
    'dropout': lambda: C.dropout(x, 0.3, seed=5),
    'embedding': lambda: C.times(chosen, numbers(5, 2)),
    'reduce_sum': lambda: C.reduce_sum(image, axis=1),
    'reduce_max': lambda: C.reduce_max(x, axis=0),
    'reduce_mean': lambda: C.reduce_mean(image),
    'argmin': lambda: C.argmin(x),
    'past_value': lambda: C.sequence.past_value(s),
    'past_value_of_two': lambda: C.sequence.past_value(s, C.constant(0.5), 2),
    'future_value': lambda: C.sequence.future_value(s),
    'first': lambda: C.sequence.first(s),
    'last': lambda: C.sequence.last(s),
    'broadcast': lambda: C.sequence.broadcast_as(C.sequence.last(s), s),
    'where': lambda: C.sequence.where(condition()),
    'gather': lambda: C.sequence.gather(s, condition()),
    'scatter': lambda: C.sequence.scatter(C.sequence.first(s), condition()),
    'element_select': lambda: C.element_select(C.less(x, y), x, y),
    'clip': lambda: C.clip(x, 0.3, 0.7),
    'element_min': lambda: C.element_min(x, y),
    'times_transpose': lambda: C.times_transpose(x, numbers(4, 3)),
    'cosine_distance': lambda: C.cosine_distance(x, y),
    'log_add_exp': lambda: C.log_add_exp(x, y),
    'lstm': lambda: C.layers.Recurrence(C.layers.LSTM(4, init=C.normal(0.1, seed=6)))(s),
    'gru_backwards': lambda: C.layers.Recurrence(
        C.layers.GRU(4, init=C.normal(0.1, seed=7)), go_backwards=True
    )(s),
    'fold': lambda: C.layers.Fold(C.layers.RNNStep(4, init=C.normal(0.1, seed=8)))(s),
    'constant': lambda: C.constant([1, 3]) * 5,
    'combine': lambda: C.combine([C.relu(x), C.tanh(x)]),
    'roipooling': lambda: C.roipooling(image, boxes, C.MAX_POOLING, (2, 2), 1.0),
    'local_response_normalization': lambda: C.local_response_normalization(image, 1, 1.0, 1.0, 0.5),
    'layer_normalization': lambda: C.layers.LayerNormalization()(x),
    'ctc': lambda: C.forward_backward(
        C.labels_to_graph(C.sequence.input_variable(4, name='labels')), t, 3, -1
    ),
    'double': lambda: (
        C.tanh(C.input_variable(3, dtype=np.float64, name='d')) + C.parameter(3, dtype=np.float64, init=1.5)
    ),
}


def value_for(v):
    """Minibatches of two samples, or of two sequences of 3 and 4 steps."""
    random = np.random.RandomState(len(v.name) + len(v.shape))
    if v.name == 'chosen':
        return np.eye(5, dtype=np.float32)[[1, 4]]
    if v.name == 'labels':
        return [np.eye(4, dtype=np.float32)[[0, 3, 1, 3, 2, 3]] * 1.0 for _ in range(2)]
    if v.name == 't':
        return [random.rand(6, 4).astype(np.float32) for _ in range(2)]
    if v.name == 'boxes':
        return np.array([[[0, 0, 5, 5], [2, 1, 7, 6]]] * 2, np.float32)
    if len(v.dynamic_axes) > 1:
        return [random.rand(n, *v.shape).astype(v.dtype) + 0.1 for n in (3, 4)]
    return (random.rand(2, *v.shape) + 0.1).astype(v.dtype)


def as_lists(value):
    return [part.tolist() for part in value] if isinstance(value, list) else np.asarray(value).tolist()


def main():
    found = {}
    folder = tempfile.mkdtemp()
    with zipfile.ZipFile(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), 'legacy_cntk.zip'), 'w'
    ) as archive:
        for name in sorted(MODELS):
            path = os.path.join(folder, name)
            save_as_legacy_model(MODELS[name](), path)
            model = C.load_model(path)
            feeds = {a: value_for(a) for a in model.arguments}
            given = {a: scipy.sparse.csr_matrix(v) if a.is_sparse else v for a, v in feeds.items()}
            results = model.eval(given)
            if not isinstance(results, dict):
                results = {model.output: results}
            found[name] = {
                'arguments': {a.name: as_lists(v) for a, v in feeds.items()},
                'outputs': [as_lists(results[o]) for o in model.outputs],
            }
            archive.write(path, name, zipfile.ZIP_DEFLATED)
        archive.writestr('values.json', json.dumps(found), zipfile.ZIP_DEFLATED)


main()
