"""Operators of every kind: name, operator, operands, attributes, operands without gradients."""

import numpy as np


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    return np.random.RandomState(seed + sum(shape)).uniform(low, high, shape).astype(np.float32)


def places(*shape, below=3, seed=0):
    return np.random.RandomState(seed).randint(0, below, shape).astype(np.float32)


def cases():
    x, positive, cube, picture = numbers(3, 4), numbers(3, 4, low=0.2), numbers(2, 3, 4), numbers(2, 4, 5, 5)
    for op in ('gamma', 'gammaln', 'rcbrt'):
        yield op, op, [positive], {}
    yield 'gamma below 0', 'gamma', [np.array([-0.5, -1.5, -2.3, 0.5, 3.0, 5.0], np.float32)], {}
    yield 'gammaln below 0', 'gammaln', [np.array([-0.5, -1.5, -2.3, 0.5, 3.0, 50.0], np.float32)], {}
    yield 'erf', 'erf', [np.array([-3, -1, -0.3, 0, 0.1, 0.7, 2, 5], np.float32)], {}
    yield 'erfinv', 'erfinv', [np.array([-0.999, -0.5, -0.01, 0, 0.3, 0.9, 0.9999], np.float32)], {}
    for axis in (None, 0, 1, 2):
        yield f'cumsum {axis}', 'cumsum', [cube], {} if axis is None else {'axis': axis}
    yield (
        'cumsum in another type',
        'cumsum',
        [np.array([[1, 2], [3, 4]], np.int32)],
        {'axis': 0, 'dtype': 'float32'},
        True,
    )
    for axes, keep in (((0, 1, 2), False), ((0,), False), ((0, 2), True)):
        yield f'moments {axes}', 'moments', [cube], {'axes': axes, 'keepdims': keep} if axes else {}
    for groups in (1, 2, 4):
        yield (
            f'GroupNorm {groups}',
            'GroupNorm',
            [picture, numbers(groups), numbers(groups, seed=1)],
            {'num_groups': groups, 'eps': 1e-3},
        )
    yield (
        'GroupNorm of lines',
        'GroupNorm',
        [numbers(2, 4, 3), numbers(2), numbers(2, seed=1)],
        {'num_groups': 2},
    )
    yield (
        'GroupNorm with moments',
        'GroupNorm',
        [picture, numbers(2), numbers(2, seed=1)],
        {'num_groups': 2, 'output_mean_var': True},
        True,
    )
    yield (
        'LayerNorm with moments',
        'LayerNorm',
        [cube, numbers(4), numbers(4, seed=1)],
        {'output_mean_var': True},
        True,
    )
    yield 'LayerNorm of an axis', 'LayerNorm', [cube, numbers(3), numbers(3, seed=1)], {'axis': 1}
    yield (
        'BatchNorm with moments',
        'BatchNorm',
        [picture, numbers(4), numbers(4, seed=1), numbers(4, seed=2), numbers(4, low=0.5, seed=3)],
        {'output_mean_var': True, 'fix_gamma': False},
        True,
    )
    yield (
        'BatchNorm of the last axis',
        'BatchNorm',
        [picture, numbers(5), numbers(5, seed=1), numbers(5, seed=2), numbers(5, low=0.5, seed=3)],
        {'axis': 3, 'fix_gamma': False},
        [3, 4],
    )
    yield (
        'BatchNorm of the last axis from behind',
        'BatchNorm',
        [numbers(4, 3), numbers(3), numbers(3, seed=1), numbers(3, seed=2), numbers(3, low=0.5, seed=3)],
        {'axis': -1},
        [3, 4],
    )
    yield 'InstanceNorm of lines', 'InstanceNorm', [cube, numbers(3), numbers(3, seed=1)], {}

    for op in (
        'add',
        'sub',
        'mul',
        'div',
        'maximum',
        'minimum',
        'power',
        'hypot',
        'mod',
        'equal',
        'greater',
        'lesser_equal',
        'logical_and',
    ):
        gradients = () if op in ('add', 'sub', 'mul', 'div', 'maximum', 'minimum', 'power', 'hypot') else True
        yield (
            f'broadcast_{op} of more axes on the left',
            'broadcast_' + op,
            [positive, numbers(4, low=0.3)],
            {},
            gradients,
        )
        yield (
            f'broadcast_{op} of more axes on the right',
            'broadcast_' + op,
            [numbers(1, low=0.3), numbers(2, 3, 1, low=0.2)],
            {},
            gradients,
        )
    yield 'broadcast_add of outer axes', 'broadcast_add', [numbers(3, 1), numbers(2, 1, 1, 4)], {}

    at = np.array([[0, 1, 1], [2, 0, 3]], np.float32)
    yield 'scatter_nd', 'scatter_nd', [numbers(3), at], {'shape': (3, 4)}, [1]
    yield (
        'scatter_nd rows',
        'scatter_nd',
        [numbers(2, 4), np.array([[2, 0]], np.float32)],
        {'shape': (3, 4)},
        [1],
    )
    yield 'gather_nd rows', 'gather_nd', [x, np.array([[2, 0]], np.float32)], {}, [1]
    yield 'gather_nd of a cube', 'gather_nd', [cube, np.array([[1, 0], [2, 1], [3, 3]], np.float32)], {}, [1]
    yield 'ravel_multi_index', 'ravel_multi_index', [at], {'shape': (3, 4)}, True
    yield 'unravel_index', 'unravel_index', [np.array([0, 5, 11], np.float32)], {'shape': (3, 4)}, True
    yield 'fill_element_0index', 'fill_element_0index', [x, numbers(3), places(3, below=4)], {}, True
    yield 'choose_element_0index', 'choose_element_0index', [x, places(3, below=4)], {}, True
    yield 'batch_take', 'batch_take', [x, places(3, below=4).astype(np.int32)], {}, True
    yield 'topk mask', 'topk', [cube], {'k': 2, 'ret_typ': 'mask'}, True
    yield 'topk mask along the first axis', 'topk', [cube], {'k': 1, 'ret_typ': 'mask', 'axis': 0}, True
    yield 'topk flat', 'topk', [x], {'k': 3, 'axis': None, 'ret_typ': 'both'}, True
    yield 'topk value', 'topk', [x], {'k': 2, 'ret_typ': 'value'}
    yield 'topk both', lambda mx, x: mx.nd.topk(x, k=2, ret_typ='both')[0], [x], {}
    yield 'sort', 'sort', [x], {'axis': 1, 'is_ascend': False}
    yield 'argsort flat', 'argsort', [x], {'axis': None}, True
    for k in (-1, 0, 1):
        yield f'diag {k}', 'diag', [x], {'k': k}
        yield f'diag of a vector {k}', 'diag', [numbers(3)], {'k': k}
        yield f'diag of a cube {k}', 'diag', [cube], {'k': k, 'axis1': 1, 'axis2': 2}
    yield 'diag of outer axes', 'diag', [cube], {'axis1': 2, 'axis2': 0}
    yield (
        'softmax with lengths',
        'softmax',
        [cube, np.array([[1, 2, 3, 1], [3, 2, 1, 2]], np.int32)],
        {'axis': 1, 'use_length': True},
        [1],
    )
    yield (
        'softmax with lengths of rows',
        'softmax',
        [x, np.array([1, 4, 2], np.int32)],
        {'use_length': True},
        [1],
    )
    yield 'softmin', 'softmin', [x], {'axis': 0}
    yield 'log_softmax tempered', 'log_softmax', [x], {'temperature': 3.0}
    yield 'LeakyReLU gelu', 'LeakyReLU', [x], {'act_type': 'gelu'}
    yield (
        'LeakyReLU selu',
        'LeakyReLU',
        [x],
        {'act_type': 'selu'},
        True,
    )  # MXNet's gradient has a factor too much
    yield 'LeakyReLU prelu of one', 'LeakyReLU', [picture, numbers(1)], {'act_type': 'prelu'}
    yield (
        'SequenceReverse with lengths',
        'SequenceReverse',
        [numbers(4, 3, 2), np.array([1, 4, 3], np.float32)],
        {'use_sequence_length': True},
        [1],
    )
    yield (
        'SequenceMask by the second axis',
        'SequenceMask',
        [numbers(3, 4, 2), np.array([1, 4, 3], np.float32)],
        {'use_sequence_length': True, 'axis': 1, 'value': 2.0},
        [1],
    )
    yield (
        'SequenceLast by the second axis',
        'SequenceLast',
        [numbers(3, 4, 2), np.array([1, 4, 3], np.float32)],
        {'use_sequence_length': True, 'axis': 1},
        True,
    )
    yield 'SequenceLast without lengths', 'SequenceLast', [numbers(3, 4, 2)], {}, True
    yield 'norm of some axes', 'norm', [cube], {'ord': 2, 'axis': (0, 2)}
    yield 'norm of one', 'norm', [cube], {'ord': 1, 'axis': (0, 1)}
    yield 'broadcast_power', 'broadcast_power', [positive, numbers(1, 4)], {}
    yield 'reshape_like', 'reshape_like', [x, numbers(2, 6)], {}, [1]
    yield (
        'reshape_like parts',
        'reshape_like',
        [numbers(6, 4), numbers(2, 3, 5)],
        {'lhs_begin': 0, 'lhs_end': 1, 'rhs_begin': 0, 'rhs_end': 2},
        [1],
    )
    yield 'split_v2', lambda mx, x: mx.nd.split_v2(x, (1, 3), axis=1), [x], {}
    yield 'split_v2 equal', lambda mx, x: mx.nd.split_v2(x, 2, axis=1, squeeze_axis=False), [x], {}
    yield 'depth_to_space', 'depth_to_space', [numbers(1, 4, 2, 3)], {'block_size': 2}
    yield 'slice_like axes', 'slice_like', [x, numbers(2, 2)], {'axes': (0,)}, [1]
    yield (
        'Crop',
        lambda mx, x, y: mx.nd.Crop(x, y, offset=(1, 2), num_args=2),
        [picture, numbers(1, 1, 3, 2)],
        {},
        [1],
    )
    yield (
        'Crop to a size',
        lambda mx, x: mx.nd.Crop(x, h_w=(2, 3), center_crop=True, num_args=1),
        [picture],
        {},
    )
    yield 'all_finite', 'all_finite', [np.array([1, np.inf], np.float32)], {}, True
    yield 'multi_sum_sq', lambda mx, x, y: mx.nd.multi_sum_sq(x, y, num_arrays=2), [x, cube], {}, True
    yield (
        'amp_multicast',
        lambda mx, x, y: mx.nd.amp_multicast(x, y, num_outputs=2),
        [x, x.astype(np.float16)],
        {},
        True,
    )
    yield 'smooth_l1', 'smooth_l1', [x], {}
    yield '_linspace', '_linspace', [], {'start': 0, 'stop': 1, 'num': 5}, True
    yield '_identity_with_attr_like_rhs', '_identity_with_attr_like_rhs', [x, x], {}, [1]
    yield '_slice_assign', '_slice_assign', [x, numbers(1, 2)], {'begin': (0, 1), 'end': (1, 3)}, True
    yield (
        '_slice_assign_scalar',
        '_slice_assign_scalar',
        [x],
        {'begin': (0, 1), 'end': (2, 3), 'scalar': 5.0},
        True,
    )
    yield '_onehot_encode', lambda mx, i, out: mx.nd.onehot_encode(i, out), [places(3, below=4), x], {}, True
    yield 'histogram', lambda mx, x: mx.nd.histogram(x, bins=4, range=(-2, 2)), [x], {}, True
    yield 'moveaxis', lambda mx, x: mx.nd.moveaxis(x, 0, 2), [cube], {}
    for op in (
        '_contrib_div_sqrt_dim',
        '_contrib_isnan',
        '_contrib_isinf',
        '_contrib_isfinite',
        '_contrib_round_ste',
        '_contrib_sign_ste',
    ):
        yield (
            op,
            lambda mx, x, op=op: getattr(mx.nd.contrib, op[len('_contrib_') :])(x),
            [np.array([[1.5, -0.3], [np.inf, np.nan]] if 'is' in op else [[1.5, -0.3], [2, 7]], np.float32)],
            {},
            *([True] if 'is' in op else []),
        )
    yield '_contrib_quadratic', lambda mx, x: mx.nd.contrib.quadratic(x, a=1, b=2, c=3), [x], {}
    yield (
        '_contrib_index_copy',
        lambda mx, x, i, y: mx.nd.contrib.index_copy(x, i, y),
        [x, np.array([2, 0], np.int32), numbers(2, 4)],
        {},
        [1],
    )
    yield (
        '_contrib_boolean_mask',
        lambda mx, x, m: mx.nd.contrib.boolean_mask(x, m),
        [x, np.array([1, 0, 1], np.float32)],
        {},
        [1],
    )
    yield (
        '_contrib_AdaptiveAvgPooling2D',
        lambda mx, x: mx.nd.contrib.AdaptiveAvgPooling2D(x, output_size=(2, 3)),
        [picture],
        {},
    )
    yield (
        '_contrib_BilinearResize2D',
        lambda mx, x: mx.nd.contrib.BilinearResize2D(x, height=7, width=3),
        [picture],
        {},
    )
    yield '_contrib_arange_like', lambda mx, x: mx.nd.contrib.arange_like(x, axis=1, start=2), [x], {}, True
    grid = np.random.RandomState(5).uniform(-1.3, 1.3, (2, 2, 3, 4)).astype(np.float32)
    yield 'BilinearSampler', 'BilinearSampler', [picture, grid], {}
    affine = np.array([[0.9, 0.1, 0.2, -0.1, 0.8, 0.1], [1.1, 0, -0.3, 0.2, 1, 0]], np.float32)
    yield (
        'GridGenerator affine',
        'GridGenerator',
        [affine],
        {'transform_type': 'affine', 'target_shape': (3, 4)},
    )
    yield 'GridGenerator warp', 'GridGenerator', [grid], {'transform_type': 'warp'}
    yield (
        'SpatialTransformer',
        'SpatialTransformer',
        [picture, affine],
        {'target_shape': (3, 4), 'transform_type': 'affine', 'sampler_type': 'bilinear'},
    )
