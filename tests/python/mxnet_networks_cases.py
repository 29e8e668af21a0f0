"""Layers of networks: name, operator, operands, attributes, operands without gradients."""

import numpy as np


def numbers(*shape, low=-1.0, high=1.0, seed=0):
    return np.random.RandomState(seed + sum(shape)).uniform(low, high, shape).astype(np.float32)


def cases():
    rois = np.array(
        [
            [0, 0, 0, 7, 7],
            [1, 2, 1, 6, 7],
            [0, 5, 5, 5, 5],
            [1, 9, 3, 20, 30],
            [0, 3, 3, 1, 1],
            [1, 1.4, 2.6, 7.5, 9.9],
        ],
        np.float32,
    )
    picture = numbers(2, 3, 8, 8)
    yield 'ROIPooling', 'ROIPooling', [picture, rois], {'pooled_size': (3, 2), 'spatial_scale': 1.0}, [1]
    yield (
        'ROIPooling scaled',
        'ROIPooling',
        [picture, rois * np.array([1, 2, 2, 2, 2], np.float32)],
        {'pooled_size': (7, 7), 'spatial_scale': 0.5},
        [1],
    )
    yield (
        'ROIPooling of one',
        'ROIPooling',
        [picture, rois],
        {'pooled_size': (1, 1), 'spatial_scale': 0.7},
        [1],
    )
    yield (
        'Deconvolution grouped',
        'Deconvolution',
        [numbers(2, 4, 4, 4), numbers(4, 1, 3, 3)],
        {'kernel': (3, 3), 'num_filter': 2, 'num_group': 2, 'stride': (2, 2)},
    )
    yield (
        'Deconvolution of each channel',
        'Deconvolution',
        [numbers(2, 4, 4, 4), numbers(4, 1, 4, 4)],
        {'kernel': (4, 4), 'num_filter': 4, 'num_group': 4, 'stride': (2, 2), 'pad': (1, 1)},
    )
    yield (
        'Deconvolution dilated',
        'Deconvolution',
        [numbers(2, 2, 4, 4), numbers(2, 3, 3, 3)],
        {'kernel': (3, 3), 'num_filter': 3, 'dilate': (2, 2)},
    )
    yield (
        'Deconvolution to a size',
        'Deconvolution',
        [numbers(2, 2, 4, 4), numbers(2, 3, 3, 3)],
        {'kernel': (3, 3), 'num_filter': 3, 'stride': (2, 2), 'target_shape': (8, 8)},
    )
    yield (
        'Deconvolution with a bias',
        'Deconvolution',
        [numbers(2, 2, 4, 4), numbers(2, 3, 3, 3), numbers(3)],
        {'kernel': (3, 3), 'num_filter': 3, 'no_bias': False},
    )
    yield (
        'Deconvolution 1d',
        'Deconvolution',
        [numbers(2, 2, 4), numbers(2, 3, 3)],
        {'kernel': (3,), 'num_filter': 3, 'stride': (2,)},
    )
    yield (
        'Convolution 3d',
        'Convolution',
        [numbers(2, 2, 4, 4, 4), numbers(3, 2, 2, 2, 2), numbers(3)],
        {'kernel': (2, 2, 2), 'num_filter': 3},
    )
    yield (
        'Convolution of each channel',
        'Convolution',
        [numbers(2, 4, 5, 5), numbers(4, 1, 3, 3)],
        {'kernel': (3, 3), 'num_filter': 4, 'num_group': 4, 'no_bias': True, 'pad': (1, 1)},
    )
    yield (
        'UpSampling bilinear',
        lambda mx, x, w: mx.nd.UpSampling(x, w, scale=2, sample_type='bilinear', num_filter=3, num_args=2),
        [numbers(2, 3, 4, 4), numbers(3, 1, 4, 4)],
        {},
    )
    yield (
        'UpSampling of two',
        lambda mx, x, y: mx.nd.UpSampling(x, y, scale=4, sample_type='nearest', num_args=2),
        [numbers(2, 3, 2, 2), numbers(2, 2, 4, 4)],
        {},
    )
    yield (
        'UpSampling of two, added',
        lambda mx, x, y: mx.nd.UpSampling(
            x, y, scale=4, sample_type='nearest', num_args=2, multi_input_mode='sum'
        ),
        [numbers(2, 3, 2, 2), numbers(2, 3, 4, 4)],
        {},
    )
    for power in (1, 2, 3):
        yield (
            f'Pooling lp {power}',
            'Pooling',
            [np.abs(numbers(2, 2, 5, 5)) + 0.1],
            {'kernel': (2, 2), 'stride': (2, 2), 'pool_type': 'lp', 'p_value': power},
        )
    yield 'Pooling 1d', 'Pooling', [numbers(2, 3, 7)], {'kernel': (3,), 'stride': (2,), 'pool_type': 'max'}
    yield (
        'Pooling 3d',
        'Pooling',
        [numbers(2, 2, 4, 4, 4)],
        {'kernel': (2, 2, 2), 'stride': (2, 2, 2), 'pool_type': 'avg'},
    )
    yield (
        'Pooling of equals',
        'Pooling',
        [np.ones((1, 1, 4, 4), np.float32)],
        {'kernel': (2, 2), 'stride': (2, 2), 'pool_type': 'max'},
    )
    yield (
        'Pooling global max',
        'Pooling',
        [np.ones((1, 2, 2, 2), np.float32)],
        {'kernel': (1, 1), 'global_pool': True, 'pool_type': 'max'},
    )
