"""Arithmetic of whole numbers, of half and double precision, and casts between them: name, operator,
operands, attributes, operands without gradients."""

import numpy as np


def of(dtype, *values):
    return np.array(values, dtype)


def cases():
    for dtype in ('int32', 'int64', 'int8', 'uint8'):
        a, b = of(dtype, 7, 9, 4, 100), of(dtype, 2, 4, 3, 5)
        for op in (
            'elemwise_add',
            'elemwise_sub',
            'elemwise_mul',
            'elemwise_div',
            'broadcast_add',
            'broadcast_mul',
            'broadcast_div',
            'broadcast_mod',
            '_maximum',
            '_minimum',
        ):
            if not (dtype == 'uint8' and op in ('elemwise_sub', 'broadcast_mod')):
                yield f'{op} of {dtype}', op, [a, b], {}
        yield 'square of ' + dtype, lambda mx, x: x * x, [a], {}
    a, b = of('int32', 7, 9, -4), of('int32', 2, 4, 3)
    for name, f in [
        ('x * 2.5', lambda mx, x: x * 2.5),
        ('x + 0.5', lambda mx, x: x + 0.5),
        ('x / 2', lambda mx, x: x / 2),
        ('x ** 2', lambda mx, x: x**2),
        ('2.5 - x', lambda mx, x: 2.5 - x),
        ('100 / x', lambda mx, x: 100 / x),
        ('x % 4', lambda mx, x: x % 4),
        ('x > 2.5', lambda mx, x: x > 2.5),
        ('x == 7', lambda mx, x: x == 7),
        ('-x', lambda mx, x: -x),
        ('sum', lambda mx, x: mx.nd.sum(x)),
        ('mean', lambda mx, x: mx.nd.mean(x)),
        ('max', lambda mx, x: mx.nd.max(x)),
        ('abs', lambda mx, x: mx.nd.abs(x)),
        ('square', lambda mx, x: mx.nd.square(x)),
        ('relu', lambda mx, x: mx.nd.relu(x)),
        ('clip', lambda mx, x: mx.nd.clip(x, -1.5, 8.5)),
        ('sqrt of squares', lambda mx, x: mx.nd.sqrt(x * x)),
        ('reshape', lambda mx, x: x.reshape((3, 1)) * 2),
        ('flip', lambda mx, x: mx.nd.flip(x, axis=0)),
        ('concat', lambda mx, x: mx.nd.concat(x, x * 2, dim=0)),
        ('tile', lambda mx, x: mx.nd.tile(x, reps=(2,))),
        ('sign', lambda mx, x: mx.nd.sign(x)),
        ('maximum 3', lambda mx, x: mx.nd.maximum(x, 3)),
        ('where', lambda mx, x: mx.nd.where(x > 0, x, x * 3)),
        ('take', lambda mx, x: mx.nd.take(x, mx.nd.array([1, 1]))),
        ('slice', lambda mx, x: x[1:3]),
        ('chain', lambda mx, x: (x / 2) * 3 + x / 4),
        ('to float and back', lambda mx, x: (x.astype('float32') * 0.7).astype('int32') * x),
        ('to float', lambda mx, x: x.astype('float32') * 0.5 + x.astype('float32') * 0.5),
        ('to float by -1.7', lambda mx, x: x.astype('float64') * -1.7),
        ('to half', lambda mx, x: x.astype('float16') / 3),
        ('to int64', lambda mx, x: x.astype('int64') * x.astype('int64')),
        ('to uint8', lambda mx, x: mx.nd.abs(x).astype('uint8') + 250),
        ('cumulated', lambda mx, x: mx.nd.add_n(x, x, x / 2)),
    ]:
        yield 'int32 ' + name, f, [a], {}
    yield 'int32 division', 'elemwise_div', [of('int32', 7, -7, 9), of('int32', 2, 2, -4)], {}
    yield (
        'int32 broadcast',
        'broadcast_mul',
        [of('int32', 1, 2, 3).reshape(3, 1), of('int32', 4, 5).reshape(1, 2)],
        {},
    )
    yield 'int32 around', lambda mx, x: x + 5, [of('int32', 2**31 - 1, -(2**31))], {}
    yield 'int32 product around', lambda mx, x: x * x, [of('int32', 70000, 3)], {}
    yield 'int64 large', lambda mx, x: x + 1, [of('int64', 2**40, -(2**40))], {}
    yield 'uint8 around', lambda mx, x: x - 3, [of('uint8', 1, 200)], {}
    broken = of('float32', 1.7, -2.7, 0.2, 2.5, -0.5)
    for dtype in ('int32', 'int64', 'int8', 'float16', 'float64'):
        yield (
            f'float to {dtype} and back',
            lambda mx, x, dtype=dtype: (mx.nd.cast(x, dtype=dtype) * 3).astype('float32') * 0.5,
            [broken],
            {},
        )
        yield (
            f'float to {dtype} by astype',
            lambda mx, x, dtype=dtype: x.astype(dtype).astype('float32') * 1.5,
            [broken],
            {},
        )
        yield 'float to ' + dtype, 'cast', [broken], {'dtype': dtype}
    yield 'float to bool', 'cast', [of('float32', 0, 0.5, -2, 3)], {'dtype': 'bool'}, True
    yield 'float to uint8', 'cast', [of('float32', 0, 0.5, 255.9, 3)], {'dtype': 'uint8'}, True
    half = of('float16', 1.0001, 2.3456, -300)
    yield 'half squares', lambda mx, x: x * x, [half], {}
    yield (
        'half as single',
        lambda mx, x: (x.astype('float32') * x.astype('float32')).astype('float16') * 2,
        [half],
        {},
    )
    yield 'half sums', lambda mx, x: mx.nd.sum(x), [np.full(3000, 0.1, np.float16)], {}
    yield 'half softmax', 'softmax', [half.reshape(1, 3)], {}
    yield 'half infinite', lambda mx, x: x * 300, [of('float16', 400, 1)], {}
    yield 'double', lambda mx, x: mx.nd.exp(x) * x, [of('float64', 0.1, 1 / 3)], {}
    yield 'double of single', lambda mx, x: mx.nd.exp(x.astype('float64')), [of('float32', 0.1, 1 / 3)], {}
    yield (
        'weights of whole numbers',
        lambda mx, w, i: mx.nd.take(w, i),
        [of('float32', 1, 2, 3), of('int32', 2, 0)],
        {},
        [1],
    )
    yield 'one_hot to int32', 'one_hot', [of('int32', 1, 0)], {'depth': 3, 'dtype': 'int32'}, True
    yield 'argmax of int32', 'argmax', [a], {'axis': 0}, True
    yield 'argmax of float64', 'argmax', [of('float64', 1, 3, 2)], {'axis': 0}, True
    yield 'argmin of float16', 'argmin', [half], {'axis': 0}, True
    yield 'argmax_channel of int32', 'argmax_channel', [a.reshape(1, 3)], {}, True
    yield 'topk as int32', 'topk', [a], {'k': 2, 'dtype': 'int32'}, True
    yield 'sort of int32', 'sort', [a], {}, True
    yield 'arange', lambda mx: mx.nd.arange(0, 5, dtype='int32') * 2, [], {}, True
    yield 'masks', lambda mx, x: (x > 1) * x, [broken], {}
