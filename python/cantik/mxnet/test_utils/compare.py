"""Comparisons of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ndarray.array import NDArray
from .tolerances import get_atol, get_etol, get_rtol, get_tols

if TYPE_CHECKING:
    from collections.abc import Sequence


def numbers(x: Any) -> Any:
    return x.asnumpy() if isinstance(x, NDArray) else np.asarray(x)


def same(a: Any, b: Any) -> bool:
    """Whether two arrays are the same, to the bit."""
    return np.array_equal(numbers(a), numbers(b))


def same_array(array1: Any, array2: Any) -> bool:
    """Whether two arrays share their memory."""
    array1[:] += 1
    shared = same(array1, array2)
    array1[:] -= 1
    return shared and same(array1, array2)


def _close(a, b, rtol, atol, equal_nan):
    """Of each pair whether it is near enough; b is the measure."""
    near = a == b
    if a.dtype.kind != 'b' and b.dtype.kind != 'b':
        a, b = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(invalid='ignore', over='ignore'):
            near |= np.isfinite(b) & (np.abs(a - b) <= atol + rtol * np.abs(b))
        if equal_nan:
            near |= np.isnan(a) & np.isnan(b)
    return near


def almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    use_broadcast: bool = True,
) -> bool:
    """Whether all numbers of two arrays are near each other, by the tolerances of float64 if none are
    given."""
    rtol, atol = get_rtol(rtol), get_atol(atol)
    a, b = numbers(a), numbers(b)
    if a.shape != b.shape and not use_broadcast:
        return False
    a, b = np.broadcast_arrays(a, b)
    return bool(_close(a, b, rtol, atol, equal_nan).all())


def _report(a, b, near, rtol, atol, names, most):
    """What is too far apart: the worst place, and some others."""
    with np.errstate(invalid='ignore', divide='ignore', over='ignore'):
        error = np.abs(a.astype(np.float64) - b) / (atol + rtol * np.abs(b) + 1e-20)
    error = np.where(near, 0, np.nan_to_num(error, nan=np.inf, posinf=np.inf))
    worst = np.unravel_index(int(error.argmax()), error.shape)
    lines = [
        'Items are not equal:',
        f'Error {error[worst]:.6g} exceeds tolerance rtol={rtol:e}, atol={atol:e} (mismatch '
        f'{1 - near.mean():.6%}).',
        f'Location of maximum error: {tuple(int(i) for i in worst)}, {names[0]}={a[worst]}, '
        f'{names[1]}={b[worst]}',
    ]
    for place in np.argwhere(~near)[:most]:
        place = tuple(int(i) for i in place)
        lines.append(f'  {place}: {names[0]}={a[place]}, {names[1]}={b[place]}')
    return '\n'.join(lines)


def _arrays(a, b, names, use_broadcast=True):
    a, b = numbers(a), numbers(b)
    if a.shape != b.shape:
        try:
            if not use_broadcast:
                raise ValueError
            a, b = np.broadcast_arrays(a, b)
        except ValueError:
            raise AssertionError(
                'The shapes of {} and {} differ: {} and {}'.format(*names, a.shape, b.shape)
            ) from None
    return a, b


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    names: Sequence[str] = ('a', 'b'),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: Any = (10, 10),
) -> Any:
    """That all numbers of two arrays are near each other; else an AssertionError that says where they are
    not."""
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _arrays(a, b, names, use_broadcast)
    near = _close(a, b, rtol, atol, equal_nan)
    if not near.all():
        raise AssertionError(_report(a, b, near, rtol, atol, names, mismatches[0]))


def assert_allclose(
    a: Any, b: Any, rtol: float | None = 1e-07, atol: float | None = 0, equal_nan: bool = True
) -> Any:
    assert_almost_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def assert_almost_equal_with_err(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    etol: float | None = None,
    names: Sequence[str] = ('a', 'b'),
    equal_nan: bool = False,
    mismatches: Any = (10, 10),
) -> Any:
    """The same, but a share `etol` of the numbers may be too far apart."""
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _arrays(a, b, names)
    near = _close(a, b, rtol, atol, equal_nan)
    if 1 - near.mean() > get_etol(etol):
        raise AssertionError(_report(a, b, near, rtol, atol, names, mismatches[0]))


def assert_almost_equal_ignore_nan(
    a: Any, b: Any, rtol: float | None = None, atol: float | None = None, names: Sequence[str] = ('a', 'b')
) -> Any:
    """The same, but for places where one of the two is not a number."""
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _arrays(a, b, names)
    near = _close(a, b, rtol, atol, True) | np.isnan(a) | np.isnan(b)
    if not near.all():
        raise AssertionError(_report(a, b, near, rtol, atol, names, 10))


def compare_ndarray_tuple(t1: Any, t2: Any, rtol: float | None = None, atol: float | None = None) -> Any:
    """That two states of an optimizer, arrays or tuples of them, are almost equal."""
    if t1 is None or t2 is None:
        return
    if isinstance(t1, tuple):
        for a, b in zip(t1, t2):
            compare_ndarray_tuple(a, b, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol=rtol, atol=atol)
