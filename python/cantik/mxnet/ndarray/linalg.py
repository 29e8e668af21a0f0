"""mx.nd.linalg: products of matrices."""
from .function import named


def gemm2(A, B, transpose_a=False, transpose_b=False, alpha=1.0, axis=-2, out=None):
    """alpha A B of the matrices in the last two axes."""
    return named('_linalg_gemm2')(A, B, transpose_a=transpose_a, transpose_b=transpose_b, alpha=alpha, axis=axis, out=out)


def __getattr__(name):
    raise AttributeError("module 'mxnet.ndarray.linalg' has no attribute '{}': Cantik's MXNet layer has gemm2".format(name))
