"""Linear algebra: name, operator, operands, attributes, operands without gradients."""

import numpy as np


def numbers(*shape, low=-1.0, high=1.0, seed=0, dtype=np.float64):
    return np.random.RandomState(seed + sum(shape)).uniform(low, high, shape).astype(dtype)


def definite(*shape, dtype=np.float64):
    """Symmetric positive definite matrices."""
    x = numbers(*shape)
    return (x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])).astype(dtype)


def lower(*shape, dtype=np.float64):
    return np.linalg.cholesky(definite(*shape)).astype(dtype)


def cases():
    a, b, c = numbers(2, 3, 4), numbers(2, 4, 5), numbers(2, 3, 5)
    for dtype in (np.float32, np.float64):
        name = ' in ' + np.dtype(dtype).name
        yield 'gemm' + name, 'linalg_gemm', [x.astype(dtype) for x in (a, b, c)], {'alpha': 2.0, 'beta': -0.5}
        yield 'potrf' + name, 'linalg_potrf', [definite(2, 3, 3, dtype=dtype)], {}
        yield 'syevd values' + name, lambda mx, x: mx.nd.linalg.syevd(x)[1], [definite(3, 3, dtype=dtype)], {}
        yield 'gelqf' + name, 'linalg_gelqf', [numbers(2, 3, 4, dtype=dtype)], {}
        yield 'inverse' + name, 'linalg_inverse', [definite(2, 3, 3, dtype=dtype)], {}
    yield (
        'gemm transposed',
        'linalg_gemm',
        [numbers(2, 4, 3), numbers(2, 5, 4), c],
        {'transpose_a': True, 'transpose_b': True},
    )
    yield 'gemm of one', 'linalg_gemm', [numbers(3, 4), numbers(4, 5), numbers(3, 5)], {}
    yield 'gemm2', 'linalg_gemm2', [a, b], {'alpha': 2.0}
    yield (
        'gemm2 transposed',
        'linalg_gemm2',
        [numbers(2, 4, 3), numbers(2, 5, 4)],
        {'transpose_a': True, 'transpose_b': True},
    )
    yield 'gemm2 of one', 'linalg_gemm2', [numbers(3, 4), numbers(4, 5)], {}
    yield 'gemm2 of four axes', 'linalg_gemm2', [numbers(2, 2, 3, 4), numbers(2, 2, 4, 5)], {}
    yield 'gemm2 rows elsewhere', 'linalg_gemm2', [numbers(3, 2, 4), numbers(4, 2, 5)], {'axis': 0}
    yield (
        'gemm rows elsewhere',
        'linalg_gemm',
        [numbers(2, 3, 2, 4), numbers(2, 4, 2, 5), numbers(2, 3, 2, 5)],
        {'axis': 1},
    )
    yield 'syrk', 'linalg_syrk', [a], {'alpha': 0.5}
    yield 'syrk transposed', 'linalg_syrk', [a], {'transpose': True}
    yield 'potrf of one', 'linalg_potrf', [definite(4, 4)], {}
    yield 'potrf of four axes', 'linalg_potrf', [definite(2, 2, 3, 3)], {}
    yield 'potri', 'linalg_potri', [lower(2, 3, 3)], {}
    yield 'potri of one', 'linalg_potri', [lower(4, 4)], {}
    for right in (False, True):
        for transpose in (False, True):
            for below in (True, False):
                t = lower(2, 3, 3) if below else np.swapaxes(lower(2, 3, 3), -1, -2)
                other = numbers(2, 4, 3) if right else numbers(2, 3, 4)
                more = {'rightside': right, 'transpose': transpose, 'lower': below, 'alpha': 1.5}
                label = ' '.join(k for k in ('rightside', 'transpose', 'lower') if more[k])
                yield 'trsm ' + label, 'linalg_trsm', [t, other], more
                yield 'trmm ' + label, 'linalg_trmm', [t, other], more
    yield 'trmm of a full matrix', 'linalg_trmm', [numbers(3, 3), numbers(3, 2)], {}
    yield 'sumlogdiag', 'linalg_sumlogdiag', [definite(2, 3, 3)], {}
    yield 'sumlogdiag of one', 'linalg_sumlogdiag', [definite(3, 3)], {}
    for offset in (-1, 0, 2):
        yield f'extractdiag {offset}', 'linalg_extractdiag', [numbers(2, 3, 3)], {'offset': offset}
        yield f'makediag {offset}', 'linalg_makediag', [numbers(2, 3)], {'offset': offset}
        for below in (True, False):
            yield (
                f'extracttrian {offset} {below}',
                'linalg_extracttrian',
                [numbers(2, 4, 4)],
                {'offset': offset, 'lower': below},
            )
            yield (
                f'maketrian {offset} {below}',
                'linalg_maketrian',
                [numbers(2, 6)],
                {'offset': offset, 'lower': below},
            )
    yield 'extractdiag of one', 'linalg_extractdiag', [numbers(3, 3)], {}
    yield 'syevd', lambda mx, x: mx.nd.linalg.syevd(x), [definite(2, 4, 4)], {}
    yield 'syevd of one', lambda mx, x: mx.nd.linalg.syevd(x), [definite(3, 3)], {}
    yield 'det', 'linalg_det', [numbers(2, 3, 3)], {}
    yield 'det of one', 'linalg_det', [numbers(4, 4)], {}
    yield 'slogdet', lambda mx, x: mx.nd.linalg.slogdet(x), [numbers(2, 3, 3)], {}
    yield 'inverse of one', 'linalg_inverse', [numbers(4, 4)], {}
    yield 'khatri_rao', 'khatri_rao', [numbers(2, 3), numbers(4, 3), numbers(2, 3, seed=1)], {}, True
    x = definite(3, 3)
    # Programs of several: log of the density of a Gaussian, least squares by the QR factorization.
    yield (
        'gaussian',
        lambda mx, s, v: (
            mx.nd.linalg.sumlogdiag(mx.nd.linalg.potrf(s))
            + mx.nd.sum(mx.nd.square(mx.nd.linalg.trsm(mx.nd.linalg.potrf(s), v)))
        ),
        [x, numbers(3, 1)],
        {},
    )

    def least_squares(mx, x, y):
        q, low = mx.nd.linalg.gelqf(x)
        return mx.nd.linalg.trsm(low, mx.nd.linalg.gemm2(q, y), transpose=True)

    yield 'least squares', least_squares, [numbers(2, 5), numbers(5, 1)], {}
