"""Functions of the operators. Written by tools/generate from the operators' files: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call
from ..default_options import default_dtype as _default_dtype
from .._waiting import not_there as _not_there

if TYPE_CHECKING:
    from typing import Sequence

    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from ..ops.functions import Function

__all__ = [
    'cholesky',
    'determinant',
    'eigh',
    'inverse',
    'lq',
    'matmul',
    'slogdet',
    'triangle',
    'triangular_solve',
]


def cholesky(x: Operand, name: str = '') -> Function:
    """The lower triangular L with x = L L^T for each symmetric positive definite matrix, of which the lower
    triangle is read.

    L with x = L L^T, for symmetric positive definite x. Of x its lower triangle is read.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.linalg.cholesky([[4, 2], [2, 5]]).eval()
        array([[2., 0.],
               [1., 2.]], dtype=float32)
    """
    return _call('linalg_cholesky', (x,), (), name)


def determinant(x: Operand, name: str = '') -> Function:
    """The determinant of each square matrix. Where it is 0 there is no gradient: the inverse is part of it.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.linalg.determinant([[1, 2], [3, 4]]).eval().round(4)
        np.float32(-2.0)
    """
    return _call('linalg_determinant', (x,), (), name)


def eigh(x: Operand, name: str = '') -> Function:
    """Two results for each symmetric matrix: eigenvectors, the rows of U, and eigenvalues e in rising order,
    with x = U^T diag(e) U.

    U and e with x = U^T diag(e) U for symmetric x: the rows of U are orthonormal eigenvectors, e the
    eigenvalues in rising order. Of x its lower triangle is read. An eigenvector's sign is that which makes
    its largest element, the first of several, positive.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of 2 outputs

    Example:
        >>> import cantik as C
        >>> vectors, values = C.linalg.eigh([[2, 1], [1, 2]]).outputs
        >>> C.combine([vectors]).eval().round(4), C.combine([values]).eval().round(4)
        (array([[ 0.7071, -0.7071],
               [ 0.7071,  0.7071]], dtype=float32), array([1., 3.], dtype=float32))
    """
    return _call('linalg_eigh', (x,), (), name)


def inverse(x: Operand, name: str = '') -> Function:
    """The inverse of each square matrix. A singular one is an error.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.linalg.inverse([[2, 1], [1, 1]]).eval()
        array([[ 1., -1.],
               [-1.,  2.]], dtype=float32)
    """
    return _call('linalg_inverse', (x,), (), name)


def lq(x: Operand, name: str = '') -> Function:
    """Two results, L and Q, with x = L Q for each matrix [n, m], n <= m: L [n, n] is lower triangular, the
    rows of Q [n, m] are orthonormal.

    L and Q with x = L Q: L lower triangular, the rows of Q orthonormal. By Householder's reflections of the
    rows (Golub, Van Loan, "Matrix computations", 5.2), with their signs: a diagonal element of L has the sign
    opposite to the element it comes from.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of 2 outputs

    Example:
        >>> import cantik as C
        >>> lower, rows = C.linalg.lq([[3, 4], [1, 2]]).outputs
        >>> C.combine([lower]).eval().round(4), C.combine([rows]).eval().round(4)
        (array([[-5. ,  0. ],
               [-2.2,  0.4]], dtype=float32), array([[-0.6, -0.8],
               [-0.8,  0.6]], dtype=float32))
    """
    return _call('linalg_lq', (x,), (), name)


def matmul(
    a: Operand, b: Operand, transpose_a: bool = False, transpose_b: bool = False, name: str = ''
) -> Function:
    """Products of matrices, pair by pair: [..., n, k] and [..., k, m] give [..., n, m]. The axes before the
    last two are the same in both.

    y = a b for each pair of matrices of two stacks.

    Args:
        a: a variable, function, number or array
        b: a variable, function, number or array
        transpose_a (bool): a's matrices are transposed first
        transpose_b (bool): b's matrices are transposed first
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.linalg.matmul(C.input_variable((5, 2, 3)), C.input_variable((5, 3, 4))).shape
        (5, 2, 4)
    """
    return _call('linalg_matmul', (a, b), (transpose_a, transpose_b), name)


def slogdet(x: Operand, name: str = '') -> Function:
    """Two results: the sign of each square matrix's determinant, -1, 0 or 1, and the logarithm of its
    absolute value.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of 2 outputs

    Example:
        >>> import cantik as C
        >>> sign, logarithm = C.linalg.slogdet([[1, 2], [3, 4]]).outputs
        >>> C.combine([sign]).eval(), C.combine([logarithm]).eval().round(4)
        (array(-1., dtype=float32), np.float32(0.6931))
    """
    return _call('linalg_slogdet', (x,), (), name)


def triangle(x: Operand, lower: bool = True, offset: int = 0, name: str = '') -> Function:
    """The lower or upper triangle of each matrix; 0 elsewhere.

    y = x on one side of a diagonal, that included, 0 on the other.

    Args:
        x: a variable, function, number or array
        lower (bool): what lies below the diagonal stays, else what lies above
        offset (int): which diagonal: 0 is the main one, positive ones lie above it
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.linalg.triangle([[-1.3, -0.9, -0.6], [-0.2, 0.2, 0.6], [1.0, 1.3, 1.7]]).eval().round(4)
        array([[-1.3,  0. ,  0. ],
               [-0.2,  0.2,  0. ],
               [ 1. ,  1.3,  1.7]], dtype=float32)
    """
    return _call('linalg_triangle', (x,), (lower, offset), name)


def triangular_solve(
    t: Operand, b: Operand, lower: bool = True, transpose: bool = False, right: bool = False, name: str = ''
) -> Function:
    """x with t x = b for each pair of a triangular matrix t, [..., n, n], and a matrix b, [..., n, m]; with
    right, x with x t = b, for b [..., m, n].

    x with t x = b, or x t = b, for triangular t. Of t its triangle alone is read.

    Args:
        t: a variable, function, number or array
        b: a variable, function, number or array
        lower (bool): t is its lower triangle, else its upper one
        transpose (bool): t is transposed first
        right (bool): x t = b is solved, else t x = b
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.linalg.triangular_solve(
        ...     [[0.7, 0.8, 0.9], [1.0, 1.2, 1.3], [1.4, 1.5, 1.6]], [[0.7, 0.9], [1.1, 1.2], [1.4, 1.6]]
        ... ).eval().round(4)
        array([[ 1.    ,  1.2857],
               [ 0.0833, -0.0714],
               [-0.0781, -0.058 ]], dtype=float32)
    """
    return _call('linalg_triangular_solve', (t, b), (lower, transpose, right), name)
