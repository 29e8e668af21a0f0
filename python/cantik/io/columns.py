"""Columns of anything: NumPy arrays, or lists of arrays, of what tables, samples and tensors of other
packages hold. None is imported: what they can do tells what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_csr(x: Any) -> bool:
    """Whether it is a CSR matrix."""
    return hasattr(x, 'indptr') and hasattr(x, 'indices')


def array(x: Any) -> np.ndarray:
    """The numbers of anything as an array (without a copy where its memory allows it) or a CSR matrix; what
    has lists in it as an array of objects."""
    if isinstance(x, np.ndarray) or is_csr(x):
        return x
    if hasattr(x, 'detach'):  # a tensor of PyTorch
        x = x.detach().cpu()
        return x.numpy()
    if hasattr(x, 'to_pylist'):  # a column of Arrow
        x = x.combine_chunks() if hasattr(x, 'combine_chunks') else x
        try:
            return x.to_numpy()
        except Exception:  # lists, numbers that are missing: no memory to share
            return x.to_numpy(zero_copy_only=False)
    if hasattr(x, 'to_numpy'):  # a column of pandas or polars
        return x.to_numpy()
    return np.asarray(x)


def columns(x: Any, names: Sequence[str] | None = None) -> dict[str, Any] | None:
    """The columns of a table, or the parts of a sample, by name; None where it is neither."""
    if isinstance(x, dict):
        return {str(key): part for key, part in x.items()}
    if hasattr(x, 'column_names') and hasattr(x, 'column'):  # Arrow
        return {name: x.column(i) for i, name in enumerate(x.column_names)}
    if hasattr(x, 'schema') and hasattr(x, 'column'):
        return {name: x.column(i) for i, name in enumerate(x.schema.names)}
    if hasattr(x, 'columns') and hasattr(x, '__getitem__'):  # pandas, polars
        return {str(name): x[name] for name in x.columns}
    if isinstance(x, np.ndarray) and x.dtype.names:
        return {name: x[name] for name in x.dtype.names}
    if isinstance(x, (tuple, list)) and (
        (names is not None and len(names) == len(x)) or not all(np.isscalar(part) for part in x)
    ):
        return dict(zip(names if names is not None else [f'x{i}' for i in range(len(x))], x))
    if (
        isinstance(x, np.ndarray)
        or is_csr(x)
        or np.isscalar(x)
        or hasattr(x, 'detach')
        or isinstance(x, (tuple, list))
    ):
        return {(names or ['x0'])[0]: x}
    return None


def rows(column: Any) -> Any:
    """A column whose rows can be taken: an array, a CSR matrix, or a list of arrays where its rows are of
    different lengths."""
    if isinstance(column, list) and column and (np.ndim(column[0]) > 0 or is_csr(column[0])):
        return [array(item) for item in column]
    found = array(column)
    if found.dtype == object:
        items = [array(item) for item in found]
        if len({item.shape for item in items}) == 1:
            return np.stack(items)
        return items
    return found
