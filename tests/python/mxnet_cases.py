"""What operators of MXNet give: each case once by the real MXNet 1.9.1 and once by ours.

MXNET_PYTHON tests/python/mxnet_cases.py tests/golden/mxnet_operators.npz     writes the figures of whichever
mxnet it imports
"""

import sys

import numpy as np


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    return np.random.RandomState(seed + sum(shape)).uniform(low, high, shape).astype(np.float32)


def places(*shape, below=3, seed=0):
    return np.random.RandomState(seed).randint(0, below, shape).astype(np.float32)


def cases():
    """Name, operator, operands, attributes."""
    x, y, positive = numbers(3, 4), numbers(3, 4, seed=1), numbers(3, 4, low=0.2)
    unit = numbers(3, 4, low=-0.9, high=0.9)
    for op in (
        'abs sign rint ceil floor exp square sin cos tan sinh cosh tanh arctan arcsinh relu sigmoid '
        'softsign negative zeros_like ones_like degrees radians fix trunc round '
        'expm1 logical_not identity BlockGrad softmax log_softmax softmin Flatten shape_array size_array '
        'argmax_channel cbrt'
    ).split():
        yield op, op, [x], {}
    for op in 'log sqrt rsqrt reciprocal log2 log10 log1p'.split():
        yield op, op, [positive], {}
    for op in 'arcsin arccos arctanh'.split():
        yield op, op, [unit], {}
    yield 'arccosh', 'arccosh', [positive + 1], {}
    edge = np.array([[0, -1, 1, 4]], np.float32)
    for op in 'log sqrt reciprocal rsqrt'.split():
        yield op + ' at the edges', op, [edge], {}
    yield 'division at the edges', 'broadcast_div', [edge, edge * 0], {}
    yield 'powers at the edges', '_power_scalar', [edge], {'scalar': -1.0}
    pairs = 'elemwise_add elemwise_sub elemwise_mul elemwise_div _maximum _minimum _hypot _equal _greater'
    for op in (pairs + ' _lesser_equal _mod').split():
        yield op, op, [x, y], {}
    yield '_power', '_power', [positive, y], {}
    row, column = numbers(1, 4), numbers(3, 1)
    compared = 'equal not_equal greater greater_equal lesser lesser_equal logical_and logical_or logical_xor'
    for op in ('add sub mul div maximum minimum ' + compared + ' mod hypot').split():
        yield 'broadcast_' + op, 'broadcast_' + op, [x, row], {}
        yield f'broadcast_{op} of both', 'broadcast_' + op, [column, row], {}
    for op in 'plus minus rminus mul div rdiv mod rmod maximum minimum equal greater lesser hypot'.split():
        yield f'_{op}_scalar', f'_{op}_scalar', [positive], {'scalar': 0.75}
    yield '_power_scalar', '_power_scalar', [positive], {'scalar': 2.5}
    yield '_rpower_scalar', '_rpower_scalar', [x], {'scalar': 2.5}
    yield 'add_n', 'add_n', [x, y, positive], {}
    yield 'clip', 'clip', [x], {'a_min': -0.5, 'a_max': 1.0}
    yield 'where', 'where', [(x > 0).astype(np.float32), x, y], {}
    yield 'where of rows', 'where', [np.array([1, 0, 1], np.float32), x, y], {}
    yield 'smooth_l1', 'smooth_l1', [x], {'scalar': 1.5}
    yield 'hard_sigmoid', 'hard_sigmoid', [x], {}
    for act in 'relu sigmoid tanh softrelu softsign'.split():
        yield 'Activation ' + act, 'Activation', [x], {'act_type': act}
    yield 'Cast', 'Cast', [x], {'dtype': 'int32'}

    cube = numbers(2, 3, 4)
    for op in 'sum mean prod max min nansum nanprod'.split():
        yield op, op, [cube], {}
        yield op + ' axis', op, [cube], {'axis': 1}
        yield op + ' axes', op, [cube], {'axis': (0, 2), 'keepdims': True}
        yield op + ' exclude', op, [cube], {'axis': 1, 'exclude': True}
    for order in (1, 2):
        yield f'norm {order}', 'norm', [cube], {'ord': order}
        yield f'norm {order} axis', 'norm', [cube], {'ord': order, 'axis': 2, 'keepdims': True}
    for op in 'argmax argmin'.split():
        yield op, op, [cube], {}
        yield op + ' axis', op, [cube], {'axis': 2}
        yield op + ' kept', op, [cube], {'axis': 0, 'keepdims': True}
    yield 'topk', 'topk', [cube], {'k': 2}
    yield 'topk both', 'topk', [cube], {'k': 2, 'ret_typ': 'both', 'axis': 1, 'is_ascend': True}
    yield 'topk value', 'topk', [cube], {'k': 2, 'ret_typ': 'value'}
    yield 'sort', 'sort', [cube], {}
    yield 'sort down', 'sort', [cube], {'axis': 1, 'is_ascend': False}
    yield 'argsort', 'argsort', [cube], {'axis': 0}

    for shape in [(4, 0, 2), (-1,), (0, -1), (-2,), (2, -2), (-3, 4), (-4, 1, 2, -2), (0, 0, -1)]:
        yield f'Reshape {shape}', 'Reshape', [cube], {'shape': shape}
    yield 'Reshape reverse', 'Reshape', [cube], {'shape': (-1, 0), 'reverse': True}
    yield 'expand_dims', 'expand_dims', [cube], {'axis': 1}
    yield 'squeeze', 'squeeze', [numbers(1, 3, 1)], {}
    yield 'transpose', 'transpose', [cube], {}
    yield 'transpose axes', 'transpose', [cube], {'axes': (1, 0, 2)}
    yield 'SwapAxis', 'SwapAxis', [cube], {'dim1': 0, 'dim2': 2}
    yield 'slice_axis', 'slice_axis', [cube], {'axis': 2, 'begin': 1, 'end': 3}
    yield 'slice_axis from behind', 'slice_axis', [cube], {'axis': -1, 'begin': -3, 'end': None}
    yield 'slice', 'slice', [cube], {'begin': (None, 0), 'end': (1, 2)}
    yield 'slice steps', 'slice', [cube], {'begin': (None, 2, 3), 'end': (None, 0, 0), 'step': (1, -1, -2)}
    yield 'slice_like', 'slice_like', [cube, numbers(1, 2, 2)], {}
    yield 'reverse', 'reverse', [cube], {'axis': 1}
    yield 'SliceChannel', 'SliceChannel', [cube], {'num_outputs': 2, 'axis': 2}
    yield 'SliceChannel squeezed', 'SliceChannel', [cube], {'num_outputs': 3, 'axis': 1, 'squeeze_axis': True}
    yield 'Concat', 'Concat', [x, y], {'dim': 1}
    yield 'Concat rows', 'Concat', [x, y], {'dim': 0}
    yield 'stack', 'stack', [x, y], {'axis': 1}
    yield 'tile', 'tile', [x], {'reps': (2, 3)}
    yield 'repeat', 'repeat', [x], {'repeats': 2, 'axis': 1}
    yield 'repeat flat', 'repeat', [x], {'repeats': 2}
    yield 'broadcast_to', 'broadcast_to', [row], {'shape': (3, 4)}
    yield 'broadcast_axis', 'broadcast_axis', [row], {'axis': 0, 'size': 5}
    yield 'broadcast_like', 'broadcast_like', [row, x], {}
    picture = numbers(2, 2, 4, 4)
    for mode in 'constant edge reflect'.split():
        yield (
            'Pad ' + mode,
            'Pad',
            [picture],
            {
                'mode': mode,
                'pad_width': (0, 0, 0, 0, 1, 2, 2, 1),
                'constant_value': 0.5 if mode == 'constant' else 0,
            },
        )
    yield 'depth_to_space', 'depth_to_space', [numbers(1, 8, 2, 3)], {'block_size': 2}
    yield 'space_to_depth', 'space_to_depth', [picture], {'block_size': 2}

    yield 'dot', 'dot', [x, numbers(4, 5)], {}
    yield 'dot transposed', 'dot', [x, numbers(3, 5)], {'transpose_a': True}
    yield 'dot both', 'dot', [x, numbers(5, 3)], {'transpose_a': True, 'transpose_b': True}
    yield 'dot of vectors', 'dot', [numbers(4), numbers(4, seed=2)], {}
    yield 'dot of a cube', 'dot', [cube, numbers(4, 5)], {}
    yield 'batch_dot', 'batch_dot', [cube, numbers(2, 4, 5)], {}
    yield (
        'batch_dot transposed',
        'batch_dot',
        [cube, numbers(2, 5, 3)],
        {'transpose_a': True, 'transpose_b': True},
    )
    yield 'linalg_gemm2', 'linalg_gemm2', [cube, numbers(2, 4, 5)], {'alpha': 0.5}
    yield 'FullyConnected', 'FullyConnected', [cube, numbers(5, 12), numbers(5)], {'num_hidden': 5}
    yield (
        'FullyConnected unflattened',
        'FullyConnected',
        [cube, numbers(5, 4)],
        {'num_hidden': 5, 'flatten': False, 'no_bias': True},
    )
    yield (
        'Embedding',
        'Embedding',
        [np.array([[0, 2, 1], [5, -1, 1]], np.float32), numbers(3, 4)],
        {'input_dim': 3, 'output_dim': 4},
    )
    for mode in 'clip wrap'.split():
        yield (
            'take ' + mode,
            'take',
            [cube, np.array([[1, -1, 3], [0, 5, 1]], np.float32)],
            {'axis': 1, 'mode': mode},
        )
    yield (
        'one_hot',
        'one_hot',
        [np.array([0, 2, 5, -1], np.float32)],
        {'depth': 3, 'on_value': 2.0, 'off_value': -1.0},
    )
    yield 'pick', 'pick', [x, places(3, below=4)], {}
    yield 'pick kept', 'pick', [cube, places(2, 4)], {'axis': 1, 'keepdims': True}
    yield 'gather_nd', 'gather_nd', [cube, np.array([[0, 1, 1], [2, 0, 1]], np.float32)], {}
    yield 'diag', 'diag', [x], {}
    yield 'diag of a vector', 'diag', [numbers(3)], {'k': 1}

    w = numbers(4, 2, 3, 3)
    yield 'Convolution', 'Convolution', [picture, w, numbers(4)], {'kernel': (3, 3), 'num_filter': 4}
    yield (
        'Convolution strided',
        'Convolution',
        [picture, w],
        {'kernel': (3, 3), 'num_filter': 4, 'stride': (2, 1), 'pad': (1, 0), 'no_bias': True},
    )
    yield (
        'Convolution dilated',
        'Convolution',
        [numbers(1, 2, 7, 7), w],
        {'kernel': (3, 3), 'num_filter': 4, 'dilate': (2, 2), 'pad': (2, 1), 'no_bias': True},
    )
    yield (
        'Convolution grouped',
        'Convolution',
        [picture, numbers(4, 1, 3, 3)],
        {'kernel': (3, 3), 'num_filter': 4, 'num_group': 2, 'no_bias': True},
    )
    yield (
        'Convolution 1d',
        'Convolution',
        [cube, numbers(5, 3, 2)],
        {'kernel': (2,), 'num_filter': 5, 'no_bias': True},
    )
    yield (
        'Deconvolution',
        'Deconvolution',
        [picture, numbers(2, 3, 3, 3)],
        {'kernel': (3, 3), 'num_filter': 3, 'stride': (2, 2), 'pad': (1, 1), 'adj': (1, 1)},
    )
    for kind in 'max avg sum'.split():
        for convention in 'valid full'.split():
            yield (
                f'Pooling {kind} {convention}',
                'Pooling',
                [numbers(2, 2, 5, 5)],
                {'kernel': (2, 2), 'stride': (2, 2), 'pool_type': kind, 'pooling_convention': convention},
            )
        yield (
            'Pooling padded full ' + kind,
            'Pooling',
            [numbers(1, 1, 6, 6)],
            {
                'kernel': (3, 3),
                'stride': (2, 2),
                'pad': (1, 1),
                'pool_type': kind,
                'pooling_convention': 'full',
            },
        )
        yield (
            'Pooling padded ' + kind,
            'Pooling',
            [picture],
            {'kernel': (3, 3), 'stride': (2, 2), 'pad': (1, 1), 'pool_type': kind},
        )
        yield (
            'Pooling global ' + kind,
            'Pooling',
            [picture],
            {'kernel': (1, 1), 'global_pool': True, 'pool_type': kind},
        )
    yield (
        'Pooling without padding',
        'Pooling',
        [picture],
        {'kernel': (3, 3), 'stride': (2, 2), 'pad': (1, 1), 'pool_type': 'avg', 'count_include_pad': False},
    )
    for act in 'leaky elu'.split():
        yield 'LeakyReLU ' + act, 'LeakyReLU', [x], {'act_type': act}
    yield 'LeakyReLU prelu', 'LeakyReLU', [picture, numbers(2)], {'act_type': 'prelu'}
    yield 'UpSampling', 'UpSampling', [picture], {'scale': 2, 'sample_type': 'nearest'}
    yield 'softmax axis', 'softmax', [cube], {'axis': 1, 'temperature': 2.0}
    yield 'SoftmaxActivation', 'SoftmaxActivation', [picture], {'mode': 'channel'}
    channel = [numbers(2), numbers(2, seed=1)]
    states = [numbers(2, seed=3), numbers(2, low=0.5, seed=4)]
    yield 'BatchNorm', 'BatchNorm', [picture, *channel, *states], {'fix_gamma': False}
    yield 'BatchNorm fixed', 'BatchNorm', [picture, *channel, *states], {'momentum': 0.5, 'eps': 0.01}
    yield (
        'BatchNorm global',
        'BatchNorm',
        [picture, *channel, *states],
        {'fix_gamma': False, 'use_global_stats': True},
    )
    yield 'BatchNorm of vectors', 'BatchNorm', [numbers(5, 2), *channel, *states], {'fix_gamma': False}
    yield 'LayerNorm', 'LayerNorm', [cube, numbers(4), numbers(4, seed=1)], {}
    yield 'InstanceNorm', 'InstanceNorm', [picture, *channel], {}
    for mode in 'instance channel spatial'.split():
        yield 'L2Normalization ' + mode, 'L2Normalization', [picture], {'mode': mode}
    yield 'LRN', 'LRN', [numbers(2, 5, 2, 2)], {'nsize': 3, 'alpha': 0.1}

    label = places(3, below=4)
    for normalization in 'null batch valid'.split():
        more = {'normalization': normalization, 'grad_scale': 2.0}
        yield 'SoftmaxOutput ' + normalization, 'SoftmaxOutput', [x, label], more
        yield (
            'SoftmaxOutput ignoring ' + normalization,
            'SoftmaxOutput',
            [x, label],
            {'use_ignore': True, 'ignore_label': float(label[0]), **more},
        )
        yield (
            'SoftmaxOutput of pixels ' + normalization,
            'SoftmaxOutput',
            [picture, places(2, 4, 4, below=2)],
            {'multi_output': True, **more},
        )
    yield 'SoftmaxOutput smoothed', 'SoftmaxOutput', [x, label], {'smooth_alpha': 0.1}
    yield 'SoftmaxOutput of probabilities', 'SoftmaxOutput', [x, np.abs(y)], {}
    yield 'SoftmaxOutput preserved', 'SoftmaxOutput', [cube, places(2, 3, below=4)], {'preserve_shape': True}
    for op in 'LinearRegressionOutput LogisticRegressionOutput MAERegressionOutput'.split():
        yield op, op, [x, y], {'grad_scale': 3.0}
    yield 'MakeLoss', 'MakeLoss', [x], {'grad_scale': 0.5}
    yield 'MakeLoss batch', 'MakeLoss', [x], {'normalization': 'batch'}
    yield 'SVMOutput', 'SVMOutput', [x, label], {'margin': 0.5, 'regularization_coefficient': 0.5}
    yield 'SVMOutput linear', 'SVMOutput', [x, label], {'use_linear': True}
    yield 'softmax_cross_entropy', 'softmax_cross_entropy', [x, label], {}
    length = np.array([1, 3, 2, 2], np.float32)
    steps = numbers(3, 4, 2)
    yield 'SequenceMask', 'SequenceMask', [steps, length], {'use_sequence_length': True, 'value': -1.0}
    yield 'SequenceLast', 'SequenceLast', [steps, length], {'use_sequence_length': True}
    yield 'SequenceReverse', 'SequenceReverse', [steps], {}


# Operands that are places, labels or states: no gradients are asked for.
UNDIFFERENTIABLE = {
    'Embedding': [0],
    'take': [1],
    'one_hot': [0],
    'pick': [1],
    'gather_nd': [1],
    'where': [0],
    'BatchNorm': [3, 4],
    'SequenceMask': [1],
    'SequenceLast': [1],
    'softmax_cross_entropy': [1],
    'broadcast_like': [1],
    'slice_like': [1],
}
WITHOUT_GRADIENT = {
    'sort',
    'argmax',
    'argmin',
    'argsort',
    'topk',
    'Cast',
    'shape_array',
    'size_array',
    'one_hot',
    'argmax_channel',
}


def run(mx, op, operands, attributes):
    """Values and gradients, as a list of arrays; of auxiliary states what is in them behind it."""
    arrays = [mx.nd.array(x, dtype=x.dtype) for x in operands]
    function = getattr(mx.nd, op, None) or getattr(mx.nd._internal, op)
    wanted = (
        []
        if op in WITHOUT_GRADIENT
        else [a for i, a in enumerate(arrays) if i not in UNDIFFERENTIABLE.get(op, [])]
    )
    for a in wanted:
        a.attach_grad()
    with mx.autograd.record():
        made = function(*arrays, **attributes)
        made = list(made) if isinstance(made, (list, tuple)) else [made]
    results = [m.asnumpy() for m in made]
    if wanted:
        weights = [mx.nd.array(np.cos(np.arange(m.size)).reshape(m.shape)) for m in made]
        mx.autograd.backward(made, weights)
        results += [a.grad.asnumpy() for a in wanted]
    if op == 'BatchNorm':
        results += [a.asnumpy() for a in arrays[3:]]
    return results


def main(path):
    import mxnet as mx

    figures = {}
    for name, op, operands, attributes in cases():
        for i, array in enumerate(run(mx, op, operands, attributes)):
            figures[f'{name}/{i}'] = array
    np.savez_compressed(path, **figures)


if __name__ == '__main__':
    main(sys.argv[1])
