"""The names in the calls of calls.txt. Each is made when a call asks for it."""

import io
import operator
import os
import tempfile

import numpy as np

try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None

import cntk as C
import cntk.contrib.netopt.factorization
import cntk.contrib.netopt.quantization

FOLDER = tempfile.mkdtemp()
os.chdir(FOLDER)


def _one_hot(*rows):
    return np.eye(3, dtype=np.float32)[list(rows)]


class _Source(C.io.UserMinibatchSource):
    def __init__(self):
        self.info = C.io.StreamInformation('x', 0, 'dense', np.float32, (2,))
        super().__init__()

    def stream_infos(self):
        return [self.info]

    def next_minibatch(self, num_samples, number_of_workers=1, worker_rank=0, device=None):
        data = np.ones((2, 2), np.float32)
        return {self.info: C.io.MinibatchData(C.Value(data), 2, 2, False)}


class _Deserializer(C.io.UserDeserializer):
    def stream_infos(self):
        return [C.io.StreamInformation('x', 0, 'dense', np.float32, (2,))]

    def num_chunks(self):
        return 2

    def get_chunk(self, chunk_id):
        return {'x': np.ones((3, 2), np.float32)}


class _Twice(C.ops.functions.UserFunction):
    def __init__(self, x, name='twice'):
        super().__init__([x], name=name)

    def forward(self, x, device=None, outputs_to_retain=None):
        return None, 2 * x

    def backward(self, state, root_gradients):
        return 2 * root_gradients

    def infer_outputs(self):
        x = self.inputs[0]
        return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]


def _ctf(text='|x 1 2 |y 1\n|x 3 4 |y 0\n'):
    path = os.path.join(FOLDER, 'data.ctf')
    with open(path, 'w') as f:
        f.write(text)
    return path


def _streams():
    return C.io.StreamDefs(x=C.io.StreamDef('x', 2), y=C.io.StreamDef('y', 1))


def _saved(w):
    w['z'].save('saved.model')
    return 'saved.model'


def _saved_weights(w):
    C.save_weights(w['z'], 'weights.safetensors')
    return 'weights.safetensors'


def _checkpoint(w):
    w['trainer'].save_checkpoint('saved.ckp')
    return 'saved.ckp'


def _csr(w):
    return sparse.csr_matrix(np.eye(3, dtype=np.float32))


def _block_pairs(w):
    return [(w['p'], w['x'])]


MAKERS = dict(
    C=lambda w: C,
    np=lambda w: np,
    operator=lambda w: operator,
    x=lambda w: C.input_variable(4, name='x', needs_gradient=True),
    y=lambda w: C.input_variable(4, name='y', needs_gradient=True),
    x2=lambda w: C.input_variable((2, 3), name='x2', needs_gradient=True),
    image=lambda w: C.input_variable((2, 6, 6), name='image', needs_gradient=True),
    volume=lambda w: C.input_variable((1, 4, 4, 4), name='volume', needs_gradient=True),
    line=lambda w: C.input_variable((2, 8), name='line', needs_gradient=True),
    s=lambda w: C.sequence.input_variable(3, name='s', needs_gradient=True),
    t=lambda w: C.sequence.input_variable(3, name='t'),
    flag=lambda w: C.sequence.input_variable(1, name='flag'),
    p=lambda w: C.placeholder(name='p'),
    one=lambda w: C.input_variable(1, name='one'),
    label=lambda w: C.input_variable(3, name='label'),
    kernel=lambda w: C.parameter((3, 2, 3, 3), init=1, name='kernel'),
    W=lambda w: C.parameter((4, 3), init=1, name='W'),
    c=lambda w: C.constant(np.ones(4, np.float32)),
    scale=lambda w: C.parameter(2, init=1),
    bias=lambda w: C.parameter(2, init=0),
    mean=lambda w: C.constant(0, shape=(2,)),
    variance=lambda w: C.constant(1, shape=(2,)),
    count=lambda w: C.constant(0),
    z=lambda w: C.layers.Dense(3, name='dense')(w['x']),
    loss=lambda w: C.cross_entropy_with_softmax(w['z'], w['label']),
    metric=lambda w: C.classification_error(w['z'], w['label']),
    criterion=lambda w: C.combine([w['loss'], w['metric']]),
    data=lambda w: np.ones((2, 4), np.float32),
    labels=lambda w: _one_hot(0, 2),
    feeds=lambda w: {w['x']: w['data'], w['label']: w['labels']},
    learner=lambda w: C.sgd(w['z'].parameters, C.learning_parameter_schedule(0.1)),
    trainer=lambda w: C.Trainer(w['z'], (w['loss'], w['metric']), [w['learner']]),
    evaluator=lambda w: C.Evaluator(w['metric']),
    view=lambda w: C.NDArrayView.from_dense(np.ones((2, 3), np.float32)),
    value=lambda w: C.Value(np.ones((2, 3), np.float32)),
    csr=_csr,
    source=lambda w: C.io.MinibatchSourceFromData(
        dict(x=np.ones((10, 4), np.float32), label=_one_hot(*[0] * 10))
    ),
    own_source=lambda w: _Source(),
    deserializer=lambda w: _Deserializer(),
    ctf=lambda w: _ctf(),
    saved_weights=_saved_weights,
    streams=lambda w: _streams(),
    reader=lambda w: C.io.MinibatchSource(C.io.CTFDeserializer(_ctf(), _streams()), max_sweeps=1),
    inputs=lambda w: {w['x']: w['source'].streams.x, w['label']: w['source'].streams.label},
    printer=lambda w: C.logging.ProgressPrinter(freq=1),
    board=lambda w: C.logging.TensorBoardProgressWriter(log_dir='log'),
    twice=lambda w: _Twice(w['x']),
    Twice=lambda w: _Twice,
    saved=_saved,
    checkpoint=_checkpoint,
    recurrent=lambda w: C.layers.Recurrence(C.layers.LSTM(2))(w['s']),
    axis=lambda w: C.Axis.default_batch_axis(),
    pairs=_block_pairs,
    schedule=lambda w: C.learning_parameter_schedule(0.1),
    session=lambda w: w['recurrent'].session(),
    step=lambda w: lambda h, symbol: (C.times(symbol, C.constant(np.ones((3, 3), np.float32))) + h, h),
    iterable=lambda w: C.io.IterableSource({'x': w['data']}),
    commands=lambda w: io.StringIO('c\nc\nc\n'),
    nowhere=lambda w: io.StringIO(),
)


class World(dict):
    """The names of a call; each is made once."""

    def __missing__(self, name):
        if name not in MAKERS:
            raise KeyError(name)
        self[name] = MAKERS[name](self)
        return self[name]


def _ones(variable):
    shape = tuple(variable.shape)
    if any(d < 0 or d > 1000 for d in shape):
        raise Unusable()
    if any(axis.is_sequence_axis for axis in variable.dynamic_axes if hasattr(axis, 'is_sequence_axis')):
        return [np.ones((2,) + shape, np.float32)]
    return np.ones((1,) + shape, np.float32)


class Unusable(Exception):
    """The result cannot be used by itself."""


def use(result):
    """A function is evaluated, a learner steps: errors may show themselves there first."""
    try:
        if isinstance(result, C.Function):
            result = result if result.is_composite else C.combine(result.outputs)
            if any(v.is_placeholder for v in result.inputs):
                return
            result.eval({v: _ones(v) for v in result.arguments})
        elif isinstance(result, C.learners.Learner):
            result.update({p: np.ones(p.shape, np.float32) for p in result.parameters}, 2)
    except Unusable:
        pass
