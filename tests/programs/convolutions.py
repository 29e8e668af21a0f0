"""Convolutions and poolings of all kinds, forward and gradients, by operators and layers."""

import numpy as np
import cntk as C
from cntk.layers import *

C.cntk_py.set_fixed_random_seed(1)
rng = np.random.RandomState(0)


def run(name, make, shape):
    C.cntk_py.set_fixed_random_seed(1)
    rng.seed(3)
    try:
        x = C.input_variable(shape, needs_gradient=True)
        f = make(x)
        data = rng.randn(2, *[d if d > 0 else 5 for d in shape]).astype('f')
        v = f.eval({x: data})
        g = f.grad({x: data}, [x])
        print(name, f.shape, v.shape, '%.4f %.4f %.4f' % (np.abs(v).sum(), np.abs(g).sum(), v.ravel()[-1]))
    except Exception as e:
        print(name, type(e).__name__)


def K(*s):
    return C.parameter(s, init=rng.randn(*s).astype('f') * 0.3)


run('conv', lambda x: C.convolution(K(4, 3, 3, 3), x, auto_padding=[False, True, True]), (3, 6, 6))
run(
    'strides',
    lambda x: C.convolution(K(4, 3, 3, 3), x, auto_padding=[False, True, True], strides=(2, 2)),
    (3, 7, 6),
)
run(
    'stride1',
    lambda x: C.convolution(K(4, 3, 3, 3), x, auto_padding=[False, True, True], strides=2),
    (3, 7, 6),
)
run(
    'strides3',
    lambda x: C.convolution(K(4, 3, 3, 3), x, auto_padding=[False, True, True], strides=(3, 2, 1)),
    (3, 7, 6),
)
run('nopad', lambda x: C.convolution(K(4, 3, 3, 3), x, auto_padding=[False]), (3, 6, 6))
run('pad1', lambda x: C.convolution(K(4, 3, 3, 3), x, auto_padding=[False, True, False]), (3, 6, 6))
run('even', lambda x: C.convolution(K(4, 3, 2, 4), x, auto_padding=[False, True, True]), (3, 6, 6))
run('red0', lambda x: Convolution2D((3, 3), 2, reduction_rank=0)(x), (5, 6))
run('transpose', lambda x: C.convolution_transpose(K(3, 4, 3, 3), x), (3, 4, 4))
run(
    'transpose s',
    lambda x: C.convolution_transpose(K(3, 4, 3, 3), x, strides=(2, 2), auto_padding=[False]),
    (3, 4, 4),
)
run('transpose o2', lambda x: ConvolutionTranspose2D((4, 4), 2, strides=2, pad=True)(x), (3, 4, 5))
run('max', lambda x: C.pooling(x, C.MAX_POOLING, (2, 2), (2, 2)), (3, 6, 6))
run('max o', lambda x: C.pooling(x, C.MAX_POOLING, (3, 3), (2, 2), [False, True, True]), (3, 6, 6))
run('max ceil', lambda x: C.pooling(x, C.MAX_POOLING, (3, 3), (2, 2), ceil_out_dim=True), (3, 6, 6))
run('avg', lambda x: C.pooling(x, C.AVG_POOLING, (3, 2), (1, 2), [False, True, True]), (3, 6, 6))
run(
    'avg inc',
    lambda x: C.pooling(x, C.AVG_POOLING, (3, 2), (1, 2), [True, True], include_pad=True),
    (3, 6, 6),
)
run('pool1d', lambda x: MaxPooling((2,), 2)(x), (3, 6))
run('pool3d', lambda x: AveragePooling((2, 2, 2), 2)(x), (2, 4, 4, 4))
run('global', lambda x: GlobalMaxPooling()(x), (3, 6, 5))
run('layer pads', lambda x: Convolution((3, 3), 4, pad=(True, False))(x), (3, 6, 6))
run('layer 1x1', lambda x: Convolution2D((1, 1), 4, bias=False)(x), (3, 6, 6))
run('layer scalar', lambda x: Convolution2D(3, 4)(x), (3, 6, 6))
run('layer1d', lambda x: Convolution1D(3, 4, pad=True)(x), (3, 8))
run('layer1d none', lambda x: Convolution1D(3, 4, reduction_rank=0)(x), (8,))
run('layer3d', lambda x: Convolution3D((2, 3, 3), 2)(x), (2, 3, 5, 5))
run('free', lambda x: Convolution2D((3, 3), 2, pad=True)(x), (3, C.FreeDimension, C.FreeDimension))
run('free pool', lambda x: MaxPooling((2, 2), 2)(x), (3, C.FreeDimension, C.FreeDimension))
run(
    'unpool',
    lambda x: C.unpooling(C.pooling(x, C.MAX_POOLING, (2, 2), (2, 2)), x, C.MAX_UNPOOLING, (2, 2), (2, 2)),
    (3, 6, 6),
)
run('d2s', lambda x: C.depth_to_space(x, 2), (8, 3, 2))
run('s2d', lambda x: C.space_to_depth(x, 2), (2, 4, 6))
run('lrn', lambda x: C.local_response_normalization(x, 2, 1.0, 0.1, 0.75), (5, 3, 3))
run('bn spatial', lambda x: BatchNormalization(map_rank=1)(x), (3, 4, 4))
run('seq conv', lambda x: x * 1, (3,))
q = C.sequence.input_variable((2, 4))
rng.seed(5)
d = [rng.randn(n, 2, 4).astype('f') for n in (5, 3)]
for n, f in (
    ('a', lambda: SequentialConvolution((2, 3), 3)(q)),
    ('b', lambda: SequentialConvolution((3, 3), 3, pad=True, strides=(2, 1))(q)),
    ('c', lambda: SequentialConvolution(3, 3, reduction_rank=1)(C.sequence.input_variable(4))),
    ('d', lambda: Convolution2D((1, 3), 2)(q)),
    (
        'e',
        lambda: SequentialMaxPooling((2, 2), strides=2)(q) if 'SequentialMaxPooling' in globals() else q * 1,
    ),
    ('f', lambda: SequentialAveragePooling((2, 2))(q) if 'SequentialAveragePooling' in globals() else q * 1),
):
    C.cntk_py.set_fixed_random_seed(1)
    try:
        g = f()
        a = g.arguments[0]
        v = g.eval({a: d if a is q or a.shape == (2, 4) else [e[:, 0] for e in d]})
        print(n, g.shape, [w.shape for w in v], '%.4f' % sum((np.abs(w).sum() for w in v)))
    except Exception as e:
        print(n, type(e).__name__)
