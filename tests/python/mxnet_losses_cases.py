"""Losses with gradients of their own: name, operator, operands, attributes, operands without gradients."""

import itertools

import numpy as np


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    return np.random.RandomState(seed + sum(shape)).uniform(low, high, shape).astype(np.float32)


def places(*shape, below=3, seed=0):
    return np.random.RandomState(seed).randint(0, below, shape).astype(np.float32)


def cases():
    rows, cube, picture = numbers(3, 4), numbers(2, 3, 4), numbers(2, 3, 2, 2)
    for normalization, ignoring, shaped in itertools.product(
        ('null', 'batch', 'valid'), (False, True), range(6)
    ):
        data, label, more = [
            (rows, places(3, below=4), {}),
            (cube, places(2, 3, below=4), {}),
            (cube, places(2, 3, below=4), {'preserve_shape': True}),
            (cube, places(2, 4), {'multi_output': True}),
            (picture, places(2, 2, 2), {'multi_output': True}),
            (picture, places(2, 4), {'multi_output': True}),
        ][shaped]
        more = {
            **more,
            'normalization': normalization,
            'use_ignore': ignoring,
            'ignore_label': 1.0,
            'grad_scale': 3.0,
        }
        yield (
            'SoftmaxOutput {} {}{}'.format(shaped, normalization, ' ignoring' if ignoring else ''),
            'SoftmaxOutput',
            [data, label],
            more,
            [1],
        )
    yield (
        'SoftmaxOutput of probabilities',
        'SoftmaxOutput',
        [rows, np.abs(numbers(3, 4, seed=1))],
        {'grad_scale': 2.0, 'normalization': 'batch'},
        [1],
    )
    yield (
        'SoftmaxOutput smoothed valid',
        'SoftmaxOutput',
        [rows, places(3, below=4)],
        {'smooth_alpha': 0.2, 'normalization': 'valid', 'use_ignore': True, 'ignore_label': 0.0},
        [1],
    )
    yield (
        'SoftmaxOutput with labels of its own',
        'SoftmaxOutput',
        [rows, np.array([-1, 7, 2], np.float32)],
        {},
        [1],
    )
    yield (
        'SoftmaxOutput all ignored',
        'SoftmaxOutput',
        [rows, np.ones(3, np.float32)],
        {'use_ignore': True, 'ignore_label': 1.0, 'normalization': 'valid'},
        [1],
    )
    for op in ('LinearRegressionOutput', 'LogisticRegressionOutput', 'MAERegressionOutput'):
        yield op + ' of a column', op, [numbers(3, 1), numbers(3)], {'grad_scale': 2.0}, [1]
        yield op + ' of pictures', op, [picture, numbers(2, 3, 2, 2, seed=1)], {}, [1]
    # where the loss has a corner: predictions that are their labels, and those that lie on the margin
    corners = np.array([[1, -1, 0, 2], [0.5, -0.5, 1, -2]], np.float32)
    for op in ('LinearRegressionOutput', 'LogisticRegressionOutput', 'MAERegressionOutput'):
        yield op + ' of its labels', op, [corners, np.maximum(corners, 0)], {}, [1]
    for linear, margin in itertools.product((False, True), (1.0, 0.5, 0.0)):
        yield (
            f'SVMOutput at {margin} {linear}',
            'SVMOutput',
            [corners, np.array([0, 2], np.float32)],
            {'use_linear': linear, 'margin': margin},
            [1],
        )
    for normalization in ('null', 'batch', 'valid'):
        yield (
            'MakeLoss ' + normalization,
            'MakeLoss',
            [cube],
            {'normalization': normalization, 'grad_scale': 2.0, 'valid_thresh': 0.5},
        )
    yield 'softmax_cross_entropy', 'softmax_cross_entropy', [rows, places(3, below=4)], {}, [1]
    yield 'smooth_l1', 'smooth_l1', [rows], {'scalar': 2.0}
    for blank in ('first', 'last'):
        label = np.array([[1, 2, 2], [3, 1, 0]] if blank == 'first' else [[0, 1, 1], [2, 0, -1]], np.float32)
        more = {'blank_label': blank}
        yield 'CTCLoss ' + blank, 'CTCLoss', [numbers(5, 2, 4), label], more, [1]
        lengths = {'use_data_lengths': True, 'use_label_lengths': True}
        yield (
            'CTCLoss with lengths ' + blank,
            ctc,
            [numbers(6, 2, 4), label, np.array([5, 6], np.float32), np.array([2, 2], np.float32)],
            {**more, **lengths},
            [1, 2, 3],
        )
        yield (
            'CTCLoss with lengths of data ' + blank,
            ctc,
            [numbers(6, 2, 4), label, np.array([5, 4], np.float32)],
            {**more, 'use_data_lengths': True},
            [1, 2],
        )
        yield (
            'CTCLoss with lengths of labels ' + blank,
            labels_only,
            [numbers(6, 2, 4), label, np.array([1, 2], np.float32)],
            {**more, 'use_label_lengths': True},
            [1, 2],
        )
    yield 'ctc_loss', 'ctc_loss', [numbers(4, 1, 5), np.array([[4, 4]], np.float32)], {}, [1]
    yield (
        'CTCLoss without labels',
        'CTCLoss',
        [numbers(4, 2, 3), np.array([[0, 0], [1, 0]], np.float32)],
        {},
        [1],
    )
    yield (
        'CTCLoss of few steps',
        'CTCLoss',
        [numbers(2, 2, 3), np.array([[1, 1], [1, 2]], np.float32)],
        {},
        True,
    )  # MXNet's gradient is -1.5e30 there


def ctc(mx, *arrays, **more):
    return mx.nd.CTCLoss(*arrays, **more)


def labels_only(mx, data, label, lengths, **more):
    return mx.nd.CTCLoss(data, label, label_lengths=lengths, **more)
