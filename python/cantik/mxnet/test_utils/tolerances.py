"""How far apart numbers may be, by their element types."""

from __future__ import annotations

from typing import Any

import numpy as np

_WHOLE = ('bool', 'int8', 'uint8', 'int32', 'uint32', 'int64', 'uint64')


def _of_types(half, single, double):
    table = {np.dtype(np.float16): half, np.dtype(np.float32): single, np.dtype(np.float64): double}
    table.update((np.dtype(t), 0) for t in _WHOLE)
    return table


def default_rtols() -> Any:
    return _of_types(1e-2, 1e-4, 1e-5)


def default_atols() -> Any:
    return _of_types(1e-1, 1e-3, 1e-20)


def default_numeric_eps() -> Any:
    """Steps of finite differences: powers of two, so that they add no error of their own."""
    return {np.dtype(np.float16): 2.0**-6, np.dtype(np.float32): 2.0**-9, np.dtype(np.float64): 2.0**-14}


def effective_dtype(dat: Any) -> Any:
    """The element type that tolerances for these numbers go by."""
    return np.dtype(getattr(dat, 'dtype', np.float64))


def get_tolerance(dat: Any, tol: Any, default_tol: Any) -> Any:
    """The tolerance for these numbers: `tol`, a number or a dictionary of types, or the default."""
    tol = default_tol if tol is None else tol
    if np.isscalar(tol):
        return tol
    by_type = {np.dtype(t): value for t, value in tol.items()}
    dtype = effective_dtype(dat)
    return by_type[dtype] if dtype in by_type else default_tol[dtype]


def get_tols(x: Any, y: Any, rtol: float | None, atol: float | None) -> Any:
    """Relative and absolute tolerances for two arrays: those of the coarser type."""
    if not hasattr(x, 'dtype') or not hasattr(
        y, 'dtype'
    ):  # a number is as exact as the array it is compared with
        x, y = (x, x) if hasattr(x, 'dtype') else (y, y)
    return tuple(
        max(get_tolerance(v, given, default) for v in (x, y))
        for given, default in ((rtol, default_rtols()), (atol, default_atols()))
    )


def get_rtol(rtol: float | None = None, dtype: Any = np.dtype(np.float64)) -> float:
    return default_rtols()[np.dtype(dtype)] if rtol is None else rtol


def get_atol(atol: float | None = None, dtype: Any = np.dtype(np.float64)) -> float:
    return default_atols()[np.dtype(dtype)] if atol is None else atol


def get_etol(etol: float | None = None) -> Any:
    """The share of numbers that may be too far apart."""
    return 0 if etol is None else etol
