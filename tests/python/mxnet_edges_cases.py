"""What is not a number, infinite, or 0 of either sign: name, operator, operands, attributes, operands without
gradients.

Denormal numbers are not among them: Cantik takes them for 0.
"""

import numpy as np

N, I = np.nan, np.inf
X = np.array([N, I, -I, -0.0, 0.0, 1, -1, 2.5], np.float32)
Y = np.array([1, 1, 1, 0.0, -0.0, N, I, -I], np.float32)
ELEMENTWISE = '''relu sigmoid sign ceil floor rint round fix trunc exp sqrt square reciprocal erf expm1 tanh degrees logical_not sin cos arctan identity negative
zeros_like ones_like sinh cosh arcsinh log log2 log10 log1p cbrt'''.split()
LISTS = [[N, 1, 2], [1, N, 2], [1, 2, N], [N, N], [I, -I], [-0.0, 0.0], [3, 3, N], [3, 3, 1], [I, I], [0, 0]]


def cases():
    for op in ELEMENTWISE:
        yield op, op, [X], {}
    yield 'softsign', 'softsign', [X], {}, True
    yield 'rsqrt', 'rsqrt', [np.delete(X, 3)], {}
    yield 'abs', 'abs', [X[1:]], {}
    yield 'abs of what is no number', 'abs', [X], {}, True
    yield 'clip', 'clip', [X], {'a_min': -2, 'a_max': 2}
    yield 'gamma', 'gamma', [X], {}, True
    yield 'gammaln', 'gammaln', [X], {}, True
    yield 'smooth_l1', 'smooth_l1', [X], {}
    for op in ('max', 'min', 'sum', 'mean', 'nansum'):
        for values in LISTS:
            if (op, values) != ('nansum', [I, I]):  # MXNet's compensated sum makes NaN of it
                yield f'{op} {values}', op, [np.array(values, np.float32)], {}
        yield op + ' of rows', op, [np.array([[N, 1], [2, 3], [4, N]], np.float32)], {'axis': 1}
        yield (
            op + ' of columns',
            op,
            [np.array([[N, 1], [2, 3], [4, N]], np.float32)],
            {'axis': 0, 'keepdims': True},
        )
    for op in ('argmax', 'argmin'):
        for values in LISTS:
            yield f'{op} {values}', op, [np.array(values, np.float32)], {'axis': 0}, True
        yield op + ' of columns', op, [np.array([[N, 1], [2, 3], [4, N]], np.float32)], {'axis': 0}, True
        yield op + ' of all', op, [np.array([[2, 1], [N, 3]], np.float32)], {}, True
    for op in ('norm', 'prod', 'nanprod'):
        for values in LISTS:
            if op == 'norm' and I in values:  # MXNet divides by the largest number first
                continue
            yield f'{op} {values}', op, [np.array(values, np.float32)], {}, True
    yield 'norm of 1', 'norm', [np.array([0, -1, 2], np.float32)], {'ord': 1}
    for op in (
        'maximum',
        'minimum',
        'hypot',
        'mod',
        'power',
        'equal',
        'not_equal',
        'greater',
        'greater_equal',
        'lesser',
        'lesser_equal',
        'logical_and',
        'logical_or',
        'logical_xor',
    ):
        differentiable = op in ('maximum', 'minimum')
        yield op, 'broadcast_' + op, [X, Y], {}, *([] if differentiable else [True])
        yield op + ' swapped', 'broadcast_' + op, [Y, X], {}, *([] if differentiable else [True])
        yield op + ' of equals', 'broadcast_' + op, [X[1:], X[1:]], {}, *([] if differentiable else [True])
        for number in (1.0, N, I):
            if op != 'hypot' or number == 1.0:
                yield (
                    f'{op} by {number}',
                    f'_{op}_scalar',
                    [X],
                    {'scalar': number},
                    *([] if differentiable and number == number else [True]),
                )
    yield 'div', 'broadcast_div', [X, Y], {}
    yield 'div swapped', 'broadcast_div', [Y, X], {}
    for act in ('relu', 'sigmoid', 'tanh', 'softrelu', 'softsign'):
        yield (
            'Activation ' + act,
            'Activation',
            [X],
            {'act_type': act},
            *([True] if act == 'softsign' else []),
        )
    for act in ('leaky', 'elu'):
        yield 'LeakyReLU ' + act, 'LeakyReLU', [X], {'act_type': act}
    yield 'where', 'where', [X, X, Y], {}, [0]
    yield 'softmax', 'softmax', [X.reshape(2, 4)], {}
    yield 'log_softmax', 'log_softmax', [X.reshape(2, 4)], {}
    yield 'SoftmaxOutput', 'SoftmaxOutput', [X.reshape(2, 4), np.array([0, 1], np.float32)], {}, [1]
    yield 'add_n', 'add_n', [X, Y, X], {}
    yield 'dot', 'dot', [X.reshape(2, 4), np.ones((4, 2), np.float32)], {}
    yield 'one_hot', 'one_hot', [np.array([1, -0.0, -1, 5], np.float32)], {'depth': 3}, True
    yield 'L2Normalization', 'L2Normalization', [X.reshape(4, 2)], {}
    yield (
        'FullyConnected',
        'FullyConnected',
        [X.reshape(2, 4), np.ones((3, 4), np.float32)],
        {'num_hidden': 3, 'no_bias': True},
    )
    for op in ('sort', 'argsort'):
        yield op, op, [np.array([2, I, -I, -1, 0, 7], np.float32)], {}, True
    yield 'sum of both infinities', 'sum', [np.array([I, -I, 1], np.float32)], {}
    yield 'comparison with itself', lambda mx, x: x == x, [X], {}, True
