#!/usr/bin/env python3
"""Models of one operator each, written by one toolkit and evaluated by the other. Runs under CNTK 2.7 and
under Cantik.

    PYTHON tests/interop/operators.py write FOLDER      # saves models, the data they are fed with, and what
    they give PYTHON tests/interop/operators.py check FOLDER      # loads them and compares

Run `write` with one Python and `check` with the other, both ways. (`import cntk` is CNTK or Cantik.)
"""

import os
import sys
import warnings

import numpy as np

warnings.simplefilter('ignore')
import cntk as C

BATCH = 3


def data(shape, seed=0, low=-1.3, high=1.7, dtype=np.float32):
    return (np.random.RandomState(seed).rand(*((BATCH,) + shape)) * (high - low) + low).astype(dtype)


def parameter(shape, seed=7):
    return C.parameter(shape, init=np.random.RandomState(seed).randn(*shape).astype(np.float32))


def cases():
    """(name, inputs' shapes, function of the input variables, options)."""
    one = (4,)
    for name in (
        'abs',
        'acos',
        'asin',
        'atan',
        'ceil',
        'cos',
        'cosh',
        'elu',
        'exp',
        'floor',
        'negate',
        'reciprocal',
        'relu',
        'selu',
        'sigmoid',
        'sin',
        'sinh',
        'softplus',
        'softsign',
        'square',
        'tan',
        'tanh',
        'hardmax',
        'softmax',
        'log_softmax',
        'reduce_log_sum_exp',
        'stop_gradient',
        'alias',
        'straight_through_impl',
    ):
        if hasattr(C, name):
            small = dict(low=-0.9, high=0.9) if name in ('acos', 'asin') else {}
            yield name, [one], getattr(C, name), small
    for name in ('log', 'sqrt'):
        yield name, [one], getattr(C, name), dict(low=0.1, high=2.0)
    for name in (
        'plus',
        'minus',
        'element_times',
        'element_divide',
        'element_max',
        'element_min',
        'log_add_exp',
        'equal',
        'greater',
        'greater_equal',
        'less',
        'less_equal',
        'not_equal',
        'squared_error',
        'cosine_distance',
    ):
        yield name, [one, one], getattr(C, name), {}
    yield 'pow', [one, one], C.pow, dict(low=0.2, high=1.8)
    yield 'broadcast', [(2, 3), (3,)], C.plus, {}
    yield 'leaky_relu', [one], lambda x: C.leaky_relu(x, 0.1), {}
    yield 'hard_sigmoid', [one], lambda x: C.hard_sigmoid(x, 0.3, 0.4), {}
    yield 'param_relu', [one], lambda x: C.param_relu(parameter(one), x), {}
    yield 'clip', [one], lambda x: C.clip(x, -0.5, 0.5), {}
    yield 'element_select', [one, one, one], lambda a, b, c: C.element_select(C.greater(a, 0), b, c), {}
    yield 'softmax_axis', [(2, 3, 4)], lambda x: C.softmax(x, axis=1), {}
    yield 'log_softmax_axis', [(2, 3)], lambda x: C.log_softmax(x, axis=0), {}
    for name in (
        'reduce_sum',
        'reduce_mean',
        'reduce_max',
        'reduce_min',
        'reduce_log_sum_exp',
        'reduce_prod',
        'reduce_l1',
        'reduce_l2',
        'reduce_sum_square',
        'argmax',
        'argmin',
    ):
        for axis in (None, 0, 1, -1) + (() if name.startswith('arg') else ((0, 2),)):
            yield '%s_%s' % (name, axis), [(2, 3, 4)], lambda x, f=getattr(C, name), a=axis: f(x, axis=a), {}
    yield 'reduce_no_keepdims', [(2, 3, 4)], lambda x: C.reduce_sum(x, axis=1, keepdims=False), {}
    if hasattr(C, 'binary_convolve'):  # operators of ours, which CNTK reads as what they are made of
        for bits in (1, 3):
            yield (
                'multibit_%d' % bits,
                [(2, 3)],
                lambda x, b=bits: C.multibit(x, C.constant(float(b)), levels=b),
                {},
            )
            yield (
                'binary_convolve_%d' % bits,
                [(3, 6, 5)],
                lambda x, b=bits: C.binary_convolve(
                    parameter((4, 3, 3, 3)), x, bits=b, map_bits=2, map_scale='filter', strides=(2, 1)
                ),
                {},
            )
        yield (
            'binary_convolve_signs',
            [(3, 6, 5)],
            lambda x: C.binary_convolve(parameter((4, 3, 3, 3)), x, scale='none', map_scale='none'),
            {},
        )
    yield 'times', [(3,)], lambda x: C.times(x, parameter((3, 2))), {}
    yield 'times_rank2', [(2, 3)], lambda x: C.times(x, parameter((2, 3, 4)), output_rank=1), {}
    yield 'times_output_rank', [(3,)], lambda x: C.times(x, parameter((3, 2, 2)), output_rank=2), {}
    yield 'times_map', [(2, 3)], lambda x: C.times(x, parameter((3, 4)), infer_input_rank_to_map=1), {}
    yield 'times_transpose', [(3,)], lambda x: C.times_transpose(x, parameter((4, 3))), {}
    yield 'reshape', [(2, 3, 4)], lambda x: C.reshape(x, (6, 4)), {}
    yield 'reshape_inferred', [(2, 3, 4)], lambda x: C.reshape(x, (-1, 2)), {}
    yield 'reshape_begin_end', [(2, 3, 4)], lambda x: C.reshape(x, (12,), 1, 3), {}
    yield 'reshape_begin', [(2, 3, 4)], lambda x: C.reshape(x, (2, 2), 2), {}
    yield 'reshape_end', [(2, 3, 4)], lambda x: C.reshape(x, (6,), None, 2), {}
    yield 'reshape_insert', [(2, 3)], lambda x: C.reshape(x, (1,), 1, 1), {}
    yield 'reshape_append', [(2, 3)], lambda x: C.reshape(x, (1,), 2, 2), {}
    yield 'expand_dims', [(2, 3)], lambda x: C.expand_dims(x, 0), {}
    yield 'expand_dims_last', [(2, 3)], lambda x: C.expand_dims(x, -1), {}
    yield 'squeeze', [(1, 3, 1)], lambda x: C.squeeze(x), {}
    yield 'flatten', [(2, 3, 4)], lambda x: C.flatten(x, 1), {}
    yield 'transpose', [(2, 3, 4)], lambda x: C.transpose(x, (2, 0, 1)), {}
    yield 'swapaxes', [(2, 3, 4)], lambda x: C.swapaxes(x, 0, 2), {}
    yield 'slice', [(4, 5)], lambda x: C.slice(x, 1, 1, 4), {}
    yield 'slice_back', [(4, 5)], lambda x: C.slice(x, 0, 0, 4, -1), {}
    yield 'slice_many', [(4, 5)], lambda x: C.slice(x, [0, 1], [1, 0], [3, -1]), {}
    yield 'splice', [(2, 3), (2, 2)], lambda a, b: C.splice(a, b, axis=1), {}
    yield 'splice_first', [(2, 3), (1, 3)], lambda a, b: C.splice(a, b, axis=0), {}
    yield 'pad', [(2, 3)], lambda x: C.pad(x, [(1, 2), (0, 3)], mode=0, constant_value=0.5), {}
    yield 'pad_reflect', [(3, 4)], lambda x: C.pad(x, [(1, 1), (2, 0)], mode=1), {}
    yield 'one_hot', [(3,)], lambda x: C.one_hot(C.floor(x + 2), 5), {}
    yield 'gather', [(3,)], lambda x: C.gather(parameter((5, 2)), C.floor(x + 2)), {}
    yield (
        'mean',
        [one, one],
        lambda a, b: C.mean([a, b]) if not hasattr(C, 'cantik_version') else C.mean(a, b),
        {},
    )
    yield 'cast', [one], lambda x: C.cast(x, np.float64), {}
    yield 'ones_like', [one], C.ones_like, {}
    yield 'constant', [one], lambda x: x + C.constant(np.arange(4, dtype=np.float32)), {}
    yield 'combine', [one, one], lambda a, b: C.combine([a + b]), {}
    for name in (
        'cross_entropy_with_softmax',
        'classification_error',
        'binary_cross_entropy',
        'lambda_rank',
        'ndcg_at_1',
    ):
        if name in ('lambda_rank', 'ndcg_at_1'):
            continue  # they compare the samples of a minibatch with each other
        low = dict(low=0.05, high=0.95)
        yield name, [(4,), (4,)], getattr(C, name), low
    yield (
        'convolution',
        [(3, 6, 5)],
        lambda x: C.convolution(parameter((4, 3, 3, 3)), x, auto_padding=[False, True, True]),
        {},
    )
    yield (
        'convolution_valid',
        [(3, 6, 5)],
        lambda x: C.convolution(parameter((4, 3, 3, 2)), x, strides=(1, 2, 1), auto_padding=[False]),
        {},
    )
    yield (
        'convolution_groups',
        [(4, 6, 5)],
        lambda x: C.convolution(parameter((4, 2, 3, 3)), x, auto_padding=[False, True, True], groups=2),
        {},
    )
    yield (
        'convolution_transpose',
        [(3, 4, 4)],
        lambda x: C.convolution_transpose(parameter((3, 2, 2, 2)), x, strides=(2, 2), auto_padding=[False]),
        {},
    )
    yield 'max_pooling', [(2, 6, 6)], lambda x: C.pooling(x, C.MAX_POOLING, (2, 2), (2, 2)), {}
    yield (
        'max_pooling_padded',
        [(2, 5, 5)],
        lambda x: C.pooling(x, C.MAX_POOLING, (3, 3), (2, 2), auto_padding=[True]),
        {},
    )
    yield (
        'average_pooling',
        [(2, 5, 5)],
        lambda x: C.pooling(x, C.AVG_POOLING, (3, 3), (2, 2), auto_padding=[True, True]),
        {},
    )
    yield (
        'unpooling',
        [(1, 4, 4)],
        lambda x: C.unpooling(
            C.pooling(x, C.MAX_POOLING, (2, 2), (2, 2)), x, C.MAX_UNPOOLING, (2, 2), (2, 2)
        ),
        {},
    )
    yield (
        'batch_normalization',
        [(3, 4, 4)],
        lambda x: C.batch_normalization(
            x,
            parameter((3,)),
            parameter((3,), 8),
            C.constant(0.2, (3,)),
            C.constant(0.7, (3,)),
            True,
            epsilon=1e-3,
        ),
        {},
    )
    yield 'mean_variance_normalization', [(2, 3)], lambda x: C.mean_variance_normalization(x), {}
    yield (
        'local_response_normalization',
        [(5, 3, 2)],
        lambda x: C.local_response_normalization(x, 1, 1.5, 0.4, 0.75),
        {},
    )
    yield 'image_scaler', [(3, 2, 2)], lambda x: C.image_scaler(x, 0.5, [1, 2, 3]), {}
    yield 'crop_manual', [(2, 4, 5), (1, 2, 2)], lambda a, b: C.crop_manual(a, b, 1, 2), {}
    yield (
        'crop_automatic',
        [(1, 6, 6)],
        lambda x: C.crop_automatic(
            C.convolution_transpose(
                parameter((1, 1, 4, 4)),
                C.pooling(x, C.MAX_POOLING, (2, 2), (2, 2)),
                strides=(2, 2),
                auto_padding=[False],
            ),
            x,
        ),
        {},
    )
    yield (
        'crop_automatic_with_ancestors',
        [(1, 6, 6), (1, 6, 6)],
        lambda a, b: C.crop_automatic_with_ancestors(
            a * 2, C.convolution(parameter((1, 1, 3, 3)), b, auto_padding=[False]), a, b
        ),
        {},
    )
    yield (
        'reshaped_batch',
        [(2, 3)],
        lambda x: C.to_batch(
            C.reshape(
                C.unpack_batch(C.times(C.to_batch(C.reshape(C.unpack_batch(x), (-1, 3))), parameter((3, 2)))),
                (-1, 2, 2),
            )
        ),
        {},
    )
    yield 'dropout', [one], lambda x: C.dropout(x, 0.5), {}
    L = C.layers
    yield 'dense', [(2, 3)], lambda x: L.Dense((2, 2), activation=C.tanh)(x), {}
    yield 'dense_map_rank', [(2, 3)], lambda x: L.Dense(4, map_rank=1)(x), {}
    yield 'embedding', [(5,)], lambda x: L.Embedding(3)(x), {}
    yield (
        'layer_convolution',
        [(1, 7, 7)],
        lambda x: L.Convolution2D((3, 3), 2, activation=C.relu, pad=True, strides=2)(x),
        {},
    )
    yield 'layer_convolution_bare', [(7, 7)], lambda x: L.Convolution2D((3, 3), 2, reduction_rank=0)(x), {}
    yield (
        'layer_convolution_transpose',
        [(2, 4, 4)],
        lambda x: L.ConvolutionTranspose2D((3, 3), 3, strides=2, pad=True)(x),
        {},
    )
    yield 'layer_pooling', [(2, 5, 5)], lambda x: L.MaxPooling((2, 2), strides=2)(x), {}
    yield 'layer_average_pooling', [(2, 5, 5)], lambda x: L.AveragePooling((2, 2), strides=2, pad=True)(x), {}
    yield 'layer_global_pooling', [(2, 5, 5)], lambda x: L.GlobalAveragePooling()(x), {}
    yield 'layer_batch_normalization', [(2, 3, 3)], lambda x: L.BatchNormalization(map_rank=1)(x), {}
    yield 'layer_layer_normalization', [(6,)], lambda x: L.LayerNormalization()(x), {}
    yield 'layer_stabilizer', [(6,)], lambda x: L.Stabilizer()(x), {}
    yield 'layer_resnet_block', [(4,)], lambda x: L.ResNetBlock(L.Dense(4))(x), {}


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for name, shapes, make, options in cases():
        try:
            inputs = [C.input_variable(shape, name='x%d' % i) for i, shape in enumerate(shapes)]
            fed = [data(shape, i, **options) for i, shape in enumerate(shapes)]
            f = make(*inputs)
            result = f.eval({v: d for v, d in zip(inputs, fed) if v in f.arguments})
            f.save(os.path.join(folder, name + '.model'))
            np.savez(
                os.path.join(folder, name + '.npz'),
                result=np.asarray(result),
                **{'x%d' % i: d for i, d in enumerate(fed)},
            )
        except Exception as error:
            print('%-34s not written: %s' % (name, str(error).strip().split('\n')[0][:140]))


def check(folder):
    wrong = right = 0
    for file in sorted(f for f in os.listdir(folder) if f.endswith('.model')):
        name = file[:-6]
        kept = np.load(os.path.join(folder, name + '.npz'))
        try:
            f = C.Function.load(os.path.join(folder, file))
            result = np.asarray(f.eval({v: kept[v.name] for v in f.arguments}))
            if result.shape != kept['result'].shape:
                raise ValueError('shape %s, not %s' % (result.shape, kept['result'].shape))
            difference = (
                float(np.max(np.abs(result - kept['result']) / (1 + np.abs(kept['result']))))
                if result.size
                else 0
            )
            if not difference < 2e-6:
                raise ValueError('differs by %g' % difference)
            right += 1
        except Exception as error:
            wrong += 1
            print('%-34s %s' % (name, str(error).strip().split('\n')[0][:180]))
    print('%d models agree, %d do not' % (right, wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    what, where = sys.argv[1:]
    sys.exit(write(where) if what == 'write' else check(where))
