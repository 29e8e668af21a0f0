"""Layers with unusual options, one after the other: shapes, parameters, sums of outputs and of
gradients."""

import numpy as np
import cntk as C
from cntk.layers import *

rng = np.random.RandomState(11)
I1, I2, I3, V = (
    C.input_variable((2, 9)),
    C.input_variable((2, 7, 8)),
    C.input_variable((1, 5, 6, 4)),
    C.input_variable((3, 4)),
)
S, Q = (C.sequence.input_variable(3), C.sequence.input_variable((2, 6)))
feeds = {
    I1: rng.randn(2, 2, 9).astype('f'),
    I2: rng.randn(2, 2, 7, 8).astype('f'),
    I3: rng.randn(2, 1, 5, 6, 4).astype('f'),
    V: rng.randn(2, 3, 4).astype('f'),
    S: [rng.randn(n, 3).astype('f') for n in (4, 2)],
    Q: [rng.randn(n, 2, 6).astype('f') for n in (3, 5)],
}
cases = [
    ('d1', I2, lambda: Dense((2, 3))),
    ('d2', V, lambda: Dense(2, map_rank=1)),
    ('d3', V, lambda: Dense(2, input_rank=1)),
    ('d4', I2, lambda: Dense(3, input_rank=2, bias=False)),
    ('d5', V, lambda: Dense((), init=0.1)),
    ('d6', V, lambda: Dense(2, init_bias=np.array([1, 2], 'f'), activation=C.relu)),
    ('d7', I2, lambda: Dense((1, 2), map_rank=1, activation=C.elu)),
    ('c1', I1, lambda: Convolution1D(3, 4)),
    ('c2', I1, lambda: Convolution((3,), 4, strides=2, pad=True)),
    ('c3', I2, lambda: Convolution((3, 2), 4, strides=(2, 1), pad=(True, False))),
    ('c5', I2, lambda: Convolution2D(3, 4, groups=2, pad=True)),
    ('c6', I2, lambda: Convolution2D((3, 3), 2, pad=True, bias=False, activation=C.softplus)),
    ('c7', I3, lambda: Convolution3D((2, 3, 2), 3, pad=True)),
    ('c8', I3, lambda: Convolution((2, 2, 2), 2, strides=2)),
    ('c9', I2, lambda: Convolution((3, 3), 4, pad=True, init_bias=0.5, max_temp_mem_size_in_samples=1)),
    ('c10', C.slice(I2, 0, 0, 1), lambda: Convolution2D((3, 3), 1, reduction_rank=1)),
    (
        'c11',
        C.reshape(C.slice(I2, 0, 0, 1), (7, 8)),
        lambda: Convolution2D((3, 3), 4, reduction_rank=0, pad=True),
    ),
    ('c12', C.reshape(C.slice(I2, 0, 0, 1), (7, 8)), lambda: Convolution2D((3, 3), reduction_rank=0)),
    ('t1', I1, lambda: ConvolutionTranspose1D(3, 4, strides=2)),
    ('t2', I2, lambda: ConvolutionTranspose2D((3, 3), 4, strides=2, pad=True)),
    ('t3', I2, lambda: ConvolutionTranspose((2, 3), 1, strides=(2, 3), bias=False)),
    ('t4', I3, lambda: ConvolutionTranspose3D((2, 2, 2), 2, strides=2)),
    ('t5', I2, lambda: ConvolutionTranspose2D((3, 3), 2, strides=2, pad=True, output_shape=(14, 16))),
    ('t6', I2, lambda: ConvolutionTranspose2D((3, 3), 2)),
    ('p1', I2, lambda: MaxPooling((2, 2))),
    ('p2', I2, lambda: MaxPooling((3, 3), 2, pad=True)),
    ('p3', I2, lambda: AveragePooling((2, 3), (2, 3), pad=True)),
    ('p4', I2, lambda: GlobalMaxPooling()),
    ('p5', I2, lambda: GlobalAveragePooling()),
    ('p6', I1, lambda: MaxPooling((2,), 2)),
    ('p7', I3, lambda: AveragePooling((2, 2, 2), 2)),
    ('p8', I2, lambda: AveragePooling((3, 3), 3, pad=False)),
    ('b1', I2, lambda: BatchNormalization()),
    ('b2', I2, lambda: BatchNormalization(map_rank=1, init_scale=2, epsilon=0.1)),
    ('b3', V, lambda: BatchNormalization(normalization_time_constant=10, blend_time_constant=5)),
    ('l1', V, lambda: LayerNormalization()),
    ('l2', I2, lambda: LayerNormalization(initial_scale=2, initial_bias=1)),
    ('s1', V, lambda: Stabilizer(steepness=2)),
    ('s2', S, lambda: Stabilizer()),
    ('dr', V, lambda: Dropout(0.5, seed=2)),
    ('dk', V, lambda: Dropout(keep_prob=0.8, seed=3)),
    ('e1', S, lambda: Embedding(2)),
    ('e2', S, lambda: Embedding(weights=np.arange(6).reshape(3, 2).astype('f'))),
    ('a1', V, lambda: Activation(C.sigmoid)),
    ('lb', V, lambda: Label('x')),
    ('r1', S, lambda: Recurrence(LSTM(2))),
    ('r2', S, lambda: Recurrence(LSTM(2, cell_shape=4))),
    ('r3', S, lambda: Recurrence(LSTM(2, use_peepholes=True, activation=C.relu))),
    ('r4', S, lambda: Recurrence(LSTM(3, init_bias=0.2, enable_self_stabilization=True), initial_state=0.5)),
    ('r5', S, lambda: Recurrence(GRU(2, activation=C.sigmoid, init=0.2))),
    ('r6', S, lambda: Recurrence(RNNStep(2, init_bias=0.1))),
    ('r7', S, lambda: Fold(GRU(2), go_backwards=True)),
    ('r8', S, lambda: Recurrence(RNNStep(2), go_backwards=True)),
    ('r9', S, lambda: Delay(T=-1)),
    ('r11', S, lambda: Recurrence(RNNStep(2, cell_shape=3))),
    ('q1', S, lambda: Convolution(3, 2, sequential=True, pad=True)),
    ('q2', S, lambda: Convolution((2,), 4, sequential=True, pad=True, activation=C.relu)),
    ('q3', Q, lambda: Convolution((2, 3), 4, sequential=True, pad=True)),
    ('q4', Q, lambda: Dense(2, map_rank=1)),
    ('q5', Q, lambda: MaxPooling((2,), 2)),
    ('q6', Q, lambda: Convolution((3,), 2, pad=True)),
    ('q7', Q, lambda: Recurrence(LSTM((2, 2)))),
    ('q8', C.sequence.reduce_sum(Q), lambda: Dense(2)),
    (
        'q9',
        S,
        lambda: SequentialConvolution((2,), 3, pad=False),
    ),
    ('g1', V, lambda: Sequential([For(range(3), lambda i: Dense(2 + i))])),
    ('g2', V, lambda: Sequential([Dense(4), [Dense(3), C.relu], (Dense(2), identity), C.splice])),
    ('g3', C.reshape(V, (12,)), lambda: ResNetBlock(Dense(12, C.tanh))),
    ('g4', V, lambda: SequentialClique([Dense((3, 4)), Dense((3, 4))])),
]
for name, inp, make in cases:
    C.cntk_py.set_fixed_random_seed(35)
    try:
        f = make()(inp)
        d = {a: feeds[a] for a in f.arguments}
        o = f.outputs[0]
        v = C.combine([o]).eval(d)
        s = '%.4f' % sum((np.abs(a).sum() for a in (v if isinstance(v, list) else [v])))
        r = C.reduce_sum(C.square(o), axis=C.Axis.all_static_axes()) if o.shape else C.square(o)
        g = r.grad(d, wrt=f.parameters) if f.parameters else {}
        if not isinstance(g, dict):
            g = {f.parameters[0]: g}
        print(
            name,
            o.shape,
            [(p.name, p.shape) for p in f.parameters],
            s,
            sorted(('%.3f' % np.abs(a.toarray() if hasattr(a, 'toarray') else a).sum() for a in g.values())),
        )
    except Exception as e:
        print(name, type(e).__name__)
