"""mx.sym.linalg: products of matrices."""
from .function import named


def gemm2(*args, **kwargs):
    """alpha A B of the matrices in the last two axes."""
    return named('_linalg_gemm2')(*args, **kwargs)
