"""Random shapes and arrays, and a few that are not."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import listed_axes, missing
from ..ndarray.creation import array
from .around import default_context, default_dtype


def _sizes(most, allow_zero_size):
    return tuple(int(np.random.randint(0 if allow_zero_size else 1, m + 1)) for m in most)


def rand_shape_2d(dim0: float = 10, dim1: float = 10, allow_zero_size: bool = False) -> Any:
    return _sizes((dim0, dim1), allow_zero_size)


def rand_shape_3d(dim0: float = 10, dim1: float = 10, dim2: float = 10, allow_zero_size: bool = False) -> Any:
    return _sizes((dim0, dim1, dim2), allow_zero_size)


def rand_shape_nd(num_dim: Any, dim: float = 10, allow_zero_size: bool = False) -> Any:
    return _sizes((dim,) * num_dim, allow_zero_size)


def rand_coord_2d(x_low: Any, x_high: Any, y_low: Any, y_high: Any) -> Any:
    return int(np.random.randint(x_low, x_high)), int(np.random.randint(y_low, y_high))


def random_arrays(*shapes: Any) -> Any:
    """Arrays of NumPy with normal numbers, in the default type; of () a number. One shape gives an array,
    several a list."""
    made = [
        np.array(np.random.randn(), dtype=default_dtype())
        if len(s) == 0
        else np.random.randn(*s).astype(default_dtype())
        for s in shapes
    ]
    return made[0] if len(made) == 1 else made


def random_uniform_arrays(*shapes: Any, **kwargs: Any) -> Any:
    """The same with uniform numbers, between low and high (0 and 1)."""
    low, high, dtype = kwargs.pop('low', 0.0), kwargs.pop('high', 1.0), kwargs.pop('dtype', default_dtype())
    if kwargs:
        raise TypeError('Got unexpected argument/s : ' + str(list(kwargs)))
    return [np.random.uniform(low, high, s).astype(dtype) for s in shapes]


def random_sample(population: Any, k: Any) -> Any:
    """k different elements of the population, in their order."""
    if not 0 <= k <= len(population):
        raise AssertionError(f'{k} of {len(population)} elements')
    return [population[i] for i in sorted(np.random.permutation(len(population))[:k])]


def rand_ndarray(
    shape: Any,
    stype: str = 'default',
    density: Any = None,
    dtype: Any = None,
    modifier_func: Any = None,
    shuffle_csr_indices: bool = False,
    distribution: Any = None,
    ctx: Any = None,
) -> Any:
    """An array of uniform numbers between -1 and 1."""
    if stype != 'default':
        missing(f'sparse storage ({stype})')
    made = np.random.uniform(-1, 1, shape)
    if modifier_func is not None:
        made = assign_each(made, modifier_func)
    return array(made, ctx=ctx or default_context(), dtype=dtype or default_dtype())


def assign_each(the_input: Any, function: Any) -> Any:
    """The function of each number."""
    return (
        np.array(the_input)
        if function is None
        else np.array([function(x) for x in np.ravel(the_input)]).reshape(np.shape(the_input))
    )


def assign_each2(input1: Any, input2: Any, function: Any) -> Any:
    """The function of each pair of numbers."""
    if function is None:
        return np.array(input1)
    if np.shape(input1) != np.shape(input2):
        raise AssertionError(f'the shapes differ: {np.shape(input1)} and {np.shape(input2)}')
    return np.array([function(x, y) for x, y in zip(np.ravel(input1), np.ravel(input2))]).reshape(
        np.shape(input1)
    )


def np_reduce(dat: Any, axis: Any, keepdims: bool, numpy_reduce_func: Any) -> Any:
    """A reduction of NumPy's over some axes."""
    axes = listed_axes(axis, dat.ndim)
    made = dat
    for i in sorted((a % dat.ndim for a in axes), reverse=True):
        made = numpy_reduce_func(made, axis=i)
    return (
        made.reshape([1 if i in {a % dat.ndim for a in axes} else s for i, s in enumerate(dat.shape)])
        if keepdims
        else made
    )


def collapse_sum_like(a: Any, shape: Any) -> Any:
    """The sum over the axes that broadcasting has spread from the shape."""
    if len(a.shape) < len(shape):
        raise AssertionError(f'{a.shape} does not broadcast from {shape}')
    lead = a.ndim - len(shape)
    made = a.sum(axis=tuple(range(lead))) if lead else a
    return made.sum(
        axis=tuple(i for i, s in enumerate(shape) if s == 1 and made.shape[i] != 1), keepdims=True
    ).reshape(shape)


def create_vector(size: int, dtype: Any = np.int64) -> Any:
    """0, 1, 2, ..."""
    return array(np.arange(size), dtype=dtype)


def create_2d_tensor(rows: Any, columns: Any, dtype: Any = np.int64) -> Any:
    """Each row is its number."""
    return array(np.broadcast_to(np.arange(rows).reshape(rows, 1), (rows, columns)), dtype=dtype)


def get_identity_mat(size: int) -> Any:
    """A matrix with ones on the diagonal, its last rows 0 from `size` on."""
    return np.eye(size, dtype=default_dtype())


def get_identity_mat_batch(size: int) -> Any:
    """Two of them."""
    return np.stack([get_identity_mat(size)] * 2)


def new_orthonormal_matrix_2d(n: int) -> Any:
    """A random matrix whose rows are orthonormal."""
    return np.linalg.qr(np.random.randn(n, n))[0]


def _of_eigenvalues(n, symmetric):
    values = np.sort(np.random.uniform(-1.0, 1.0, n))
    vectors = new_orthonormal_matrix_2d(n)
    back = vectors.T if symmetric else None
    if back is None:
        vectors = vectors @ np.diag(np.random.uniform(0.5, 1.5, n))
        back = np.linalg.inv(vectors)
    return vectors @ np.diag(values) @ back


def new_matrix_with_real_eigvals_2d(n: int) -> Any:
    """A random matrix that is far from singular vectors, with real eigenvalues between -1 and 1."""
    return _of_eigenvalues(n, False)


def new_sym_matrix_with_real_eigvals_2d(n: int) -> Any:
    """The same, symmetric."""
    return _of_eigenvalues(n, True)


def _stacked(make, shape):
    n = int(np.prod(shape[:-2]))
    return np.array([make(shape[-1]) for _ in range(n)]).reshape(shape)


def new_matrix_with_real_eigvals_nd(shape: Any) -> Any:
    return _stacked(new_matrix_with_real_eigvals_2d, shape)


def new_sym_matrix_with_real_eigvals_nd(shape: Any) -> Any:
    return _stacked(new_sym_matrix_with_real_eigvals_2d, shape)
