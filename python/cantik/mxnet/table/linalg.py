"""Linear algebra on stacks of matrices: the last two axes of an operand are a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import MXNetError, axis_at
from ..lower import Val, call, text
from .entry import Bool, Float, Int, numbered, operator

if TYPE_CHECKING:
    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


def product(g: Lowering, x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False) -> Any:
    """The products of matrices, pair by pair."""
    x, y = g.plain(x), g.plain(y)
    if x.shape[:-2] != y.shape[:-2]:
        raise MXNetError(f'the operands hold other numbers of matrices, {text(x.shape)} and {text(y.shape)}')
    return g.value(call('linalg_matmul', (x.v, y.v), (transpose_x, transpose_y), ''), dtype=x.dtype)


def several(g: Lowering, name: str, x: Any, count: Any = 2) -> Any:
    """The results of an operator that has several."""
    x = g.plain(x)
    return [g.value(v, dtype=x.dtype) for v in call(name, (x.v,), (), '').outputs[:count]]


def solve(g: Lowering, t: Any, b: Any, lower: Any, transpose: Any, right: Any) -> Any:
    t, b = g.plain(t), g.plain(b)
    return g.like(call('linalg_triangular_solve', (t.v, b.v), (lower, transpose, right), ''), b)


def triangle(g: Lowering, x: Any, lower: bool = True) -> Any:
    return g.op('linalg_triangle', g.plain(x), lower, 0)


def turned(g: Lowering, x: Any) -> Any:
    axes = list(range(x.ndim))
    axes[-2], axes[-1] = axes[-1], axes[-2]
    return g.transpose(x, axes)


def weighed(g: Lowering, x: Any, alpha: Any) -> Any:
    return x if alpha == 1 else g.times(x, alpha)


def chosen(g: Lowering, x: Any, places: Any) -> Any:
    """Numbers of the last axis, by their places."""
    x = g.plain(x)
    front = g.transpose(x, (x.ndim - 1,) + tuple(range(x.ndim - 1)))
    v = call('gather', (front.v, g.constant(places).v), (None,), '')
    made = Val(v, False, (len(places),) + x.shape[:-1], x.dtype)
    return g.transpose(made, tuple(range(1, x.ndim)) + (0,))


def with_rows(axis: Any) -> Any:
    """Operands with the axis of their matrices' rows before the last one, and the way back."""

    def there(g, x):
        at = axis_at(axis, x.ndim)
        return g.transpose(x, tuple(i for i in range(x.ndim - 1) if i != at) + (at, x.ndim - 1))

    def back(g, x):
        at = axis_at(axis, x.ndim)
        order = list(range(x.ndim - 2)) + [x.ndim - 1]
        order.insert(at, x.ndim - 2)
        return g.transpose(x, order)

    return there, back


GEMM = dict(transpose_a=Bool(False), transpose_b=Bool(False), alpha=Float(1.0))


@operator('_linalg_gemm2', 'A B', aliases=('linalg_gemm2',), **GEMM, axis=Int(-2))
def gemm2(g: Lowering, a: Attributes, x: Any, y: Any) -> Any:
    """alpha A B of the matrices in the last two axes, transposed first where it is said."""
    there, back = with_rows(a.axis)
    return back(g, weighed(g, product(g, there(g, x), there(g, y), a.transpose_a, a.transpose_b), a.alpha))


@operator('_linalg_gemm', 'A B C', aliases=('linalg_gemm',), **GEMM, beta=Float(1.0), axis=Int(-2))
def gemm(g: Lowering, a: Attributes, x: Any, y: Any, z: Any) -> Any:
    """alpha A B + beta C."""
    there, back = with_rows(a.axis)
    made = weighed(g, product(g, there(g, x), there(g, y), a.transpose_a, a.transpose_b), a.alpha)
    if made.shape != there(g, z).shape:
        raise MXNetError(f'linalg_gemm: A B has the shape {text(made.shape)}, C {text(z.shape)}')
    return g.plus(back(g, made), weighed(g, z, a.beta))


@operator('_linalg_syrk', 'A', aliases=('linalg_syrk',), transpose=Bool(False), alpha=Float(1.0))
def syrk(g: Lowering, a: Attributes, x: Any) -> Any:
    """alpha A A^T, or alpha A^T A."""
    return weighed(g, product(g, x, x, a.transpose, not a.transpose), a.alpha)


@operator('_linalg_potrf', 'A', aliases=('linalg_potrf',))
def potrf(g: Lowering, a: Attributes, x: Any) -> Any:
    """The lower triangular L with A = L L^T."""
    return g.op('linalg_cholesky', g.plain(x))


@operator('_linalg_potri', 'A', aliases=('linalg_potri',))
def potri(g: Lowering, a: Attributes, x: Any) -> Any:
    """The inverse of B = A A^T, for lower triangular A."""
    x = g.plain(x)
    n = x.shape[-1]
    inverse = solve(g, x, g.constant(np.broadcast_to(np.eye(n), x.shape), x.dtype), True, False, False)
    return product(g, inverse, inverse, True, False)


TRIANGULAR = dict(transpose=Bool(False), rightside=Bool(False), lower=Bool(True), alpha=Float(1.0))


@operator('_linalg_trsm', 'A B', aliases=('linalg_trsm',), **TRIANGULAR)
def trsm(g: Lowering, a: Attributes, x: Any, y: Any) -> Any:
    """X with A X = alpha B, or X A = alpha B, for triangular A."""
    return solve(g, x, weighed(g, y, a.alpha), a.lower, a.transpose, a.rightside)


@operator('_linalg_trmm', 'A B', aliases=('linalg_trmm',), **TRIANGULAR)
def trmm(g: Lowering, a: Attributes, x: Any, y: Any) -> Any:
    """alpha A B, or alpha B A, for triangular A."""
    t = triangle(g, x, a.lower)
    return weighed(
        g,
        product(g, y, t, False, a.transpose) if a.rightside else product(g, t, y, a.transpose, False),
        a.alpha,
    )


@operator('_linalg_gelqf', 'A', aliases=('linalg_gelqf',), outputs=('output0', 'output1'))
def gelqf(g: Lowering, a: Attributes, x: Any) -> Any:
    """Q and L with A = L Q: L lower triangular, the rows of Q orthonormal."""
    lower, q = several(g, 'linalg_lq', x)
    return [q, lower]


@operator('_linalg_syevd', 'A', aliases=('linalg_syevd',), outputs=('output0', 'output1'))
def syevd(g: Lowering, a: Attributes, x: Any) -> Any:
    """U and L with A = U^T diag(L) U, for symmetric A: the rows of U are eigenvectors, L rising
    eigenvalues."""
    return several(g, 'linalg_eigh', x)


@operator('_linalg_inverse', 'A', aliases=('linalg_inverse',))
def inverse(g: Lowering, a: Attributes, x: Any) -> Any:
    """The inverse of each matrix."""
    return g.op('linalg_inverse', g.plain(x))


def numbers_of(g: Lowering, values: Any, x: Any) -> Any:
    """A number for each matrix; of one matrix an array of one number."""
    return [g.reshape(v, v.shape or (1,)) for v in values]


@operator('_linalg_det', 'A', aliases=('linalg_det',))
def det(g: Lowering, a: Attributes, x: Any) -> Any:
    """The determinant of each matrix."""
    x = g.plain(x)
    return numbers_of(g, [g.value(call('linalg_determinant', (x.v,), (), ''), dtype=x.dtype)], x)[0]


@operator('_linalg_slogdet', 'A', aliases=('linalg_slogdet',), outputs=('output0', 'output1'))
def slogdet(g: Lowering, a: Attributes, x: Any) -> Any:
    """Sign and logarithm of each determinant."""
    return numbers_of(g, several(g, 'linalg_slogdet', x), x)


def flat_matrices(g: Lowering, x: Any) -> Any:
    return g.reshape(x, x.shape[:-2] + (x.shape[-2] * x.shape[-1],))


@operator('_linalg_extractdiag', 'A', aliases=('linalg_extractdiag',), offset=Int(0))
def extractdiag(g: Lowering, a: Attributes, x: Any) -> Any:
    """A diagonal of each matrix."""
    places = np.arange(x.shape[-2] * x.shape[-1]).reshape(x.shape[-2:]).diagonal(a.offset)
    return chosen(g, flat_matrices(g, x), places)


@operator('_linalg_sumlogdiag', 'A', aliases=('linalg_sumlogdiag',))
def sumlogdiag(g: Lowering, a: Attributes, x: Any) -> Any:
    """The sum of the logarithms of each matrix's diagonal."""
    diagonal = chosen(g, flat_matrices(g, x), np.arange(x.shape[-2]) * (x.shape[-1] + 1))
    made = g.reduce('reduce_sum', g.op('ieee_log', diagonal), [-1], False)
    return g.reshape(made, made.shape or (1,))


def unpacked(g: Lowering, x: Any, places: Any) -> Any:
    """Matrices whose numbers are those of the last axis, or 0: places[i, j] says which, -1 none."""
    none = g.constant(np.zeros(x.shape[:-1] + (1,)), x.dtype)
    made = chosen(g, g.splice([none, g.plain(x)], -1), (places + 1).ravel())
    return g.reshape(made, x.shape[:-1] + places.shape)


@operator('_linalg_makediag', 'A', aliases=('linalg_makediag',), offset=Int(0))
def makediag(g: Lowering, a: Attributes, x: Any) -> Any:
    """Matrices with these diagonals."""
    n = x.shape[-1] + abs(a.offset)
    places = np.full((n, n), -1)
    i = np.arange(x.shape[-1])
    places[i + max(-a.offset, 0), i + max(a.offset, 0)] = i
    return unpacked(g, x, places)


def triangle_places(n: Any, offset: Any, lower: Any) -> Any:
    """Rows and columns of a triangle's elements: below a diagonal row by row, above one column by column.
    Unless it is 0, the offset says on which side."""
    if offset:
        lower = offset < 0
    size = n - abs(offset)
    i, j = np.tril_indices(size)
    i, j = (i, j) if lower else (j, i)
    return i + max(-offset, 0), j + max(offset, 0)


@operator('_linalg_extracttrian', 'A', aliases=('linalg_extracttrian',), offset=Int(0), lower=Bool(True))
def extracttrian(g: Lowering, a: Attributes, x: Any) -> Any:
    """The numbers of a triangle of each matrix."""
    i, j = triangle_places(x.shape[-1], a.offset, a.lower)
    return chosen(g, flat_matrices(g, x), i * x.shape[-1] + j)


@operator('_linalg_maketrian', 'A', aliases=('linalg_maketrian',), offset=Int(0), lower=Bool(True))
def maketrian(g: Lowering, a: Attributes, x: Any) -> Any:
    """Triangular matrices of these numbers."""
    count, n = x.shape[-1], 0
    while n * (n + 1) // 2 < count:
        n += 1
    if n * (n + 1) // 2 != count:
        raise MXNetError(f'linalg_maketrian: {count} numbers fill no triangle')
    n += abs(a.offset)
    places = np.full((n, n), -1)
    places[triangle_places(n, a.offset, a.lower)] = np.arange(count)
    return unpacked(g, x, places)


@operator(
    'khatri_rao', lambda a: numbered('arg', a.num_args), variadic='num_args', num_args=Int(required=True)
)
def khatri_rao(g: Lowering, a: Attributes, *values: Any) -> Any:
    """Kronecker's products of the operands' columns, column by column."""
    made = values[0]
    for x in values[1:]:
        if x.ndim != 2 or made.ndim != 2 or x.shape[1] != made.shape[1]:
            raise MXNetError(
                'khatri_rao: matrices of the same number of columns are needed, not '
                f'{text(made.shape)} and {text(x.shape)}'
            )
        n, m, k = made.shape[0], x.shape[0], x.shape[1]
        made = g.reshape(g.times(g.reshape(made, (n, 1, k)), g.reshape(x, (1, m, k))), (n * m, k))
    return made
