"""Lines of CNTK's text format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import dictionary, listed, refused, whole

if TYPE_CHECKING:
    from collections.abc import Mapping


def _is_tensor(data):
    """Whether it is numbers, in lists of lists or in one array; no list of arrays."""
    while isinstance(data, list) and data:
        data = data[0]
    return not isinstance(data, (list, np.ndarray)) if not isinstance(data, np.ndarray) else False


def _figure(value):
    """A number as CNTK writes it: all of its digits, 1.0 of a float and 1 of a whole number."""
    return str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)


def _real(values, given):
    """An array of real numbers; whole numbers stay whole ones."""
    found = np.asarray(values)
    if found.dtype.kind == 'c':
        raise refused('a sample of a stream', 'real numbers', given)
    if found.dtype.kind in 'biuf':
        return found
    try:
        return found.astype(np.float64)
    except (TypeError, ValueError):
        raise refused(
            'a sample of a stream', 'numbers, a dictionary, or a row of a CSR matrix', given
        ) from None


def _sparse_row(row):
    """The pairs `index:number` of a dictionary from indices to numbers, in the order of the indices."""
    pairs = sorted((whole(index, 'an index of a sparse sample', 0), value) for index, value in row.items())
    for _, value in pairs:
        if np.ndim(value):
            raise refused('a number of a sparse sample', 'a number', value)
    return ' '.join(f'{index}:{_figure(_real(value, row)[()])}' for index, value in pairs)


def _row(step):
    """The text of one step: all numbers, or pairs of a sparse one."""
    if isinstance(step, dict):
        return _sparse_row(step)
    if hasattr(step, 'indptr'):
        return ' '.join(f'{i}:{_figure(v)}' for i, v in zip(step.indices, _real(step.data, step)))
    return ' '.join(map(_figure, _real(step, step).ravel()))


def sequence_to_cntk_text_format(seq_idx: int, alias_tensor_map: Mapping[Any, Any]) -> str:
    """A sequence as lines of CNTK's text format.

    Args:
        seq_idx (int): the number of the sequence
        alias_tensor_map (dict): from names of streams to arrays [steps, ...], lists of values, or what is
          sparse: lists of dictionaries from indices to numbers, or CSR matrices [steps, dim]

    Example:
        >>> import cantik as C, numpy as np
        >>> print(
        ...     C.io.sequence_to_cntk_text_format(3, {'a': np.array([[1, 2], [3, 4]]), 'b': np.array([[5]])})
        ... )
        3	|a 1 2 |b 5
        3	|a 3 4
        >>> print(C.io.sequence_to_cntk_text_format(4, {'word': [{7: 1.0}, {2: 0.5, 9: 0.5}]}))
        4	|word 7:1.0
        4	|word 2:0.5 9:0.5
    """
    seq_idx = whole(seq_idx, 'seq_idx')
    if not dictionary(alias_tensor_map, 'alias_tensor_map'):
        raise ValueError('alias_tensor_map has no streams')
    streams = {alias: _steps(alias, data) for alias, data in sorted(alias_tensor_map.items())}
    longest = max(map(len, streams.values()))
    return '\n'.join(
        f'{seq_idx}\t'
        + ' '.join(f'|{alias} {_row(steps[i])}' for alias, steps in streams.items() if i < len(steps))
        for i in range(longest)
    )


def _steps(alias, data):
    """The steps of a stream, as a list."""
    if isinstance(data, dict):
        raise refused(f"the stream '{alias}'", 'an array, or a list with a dictionary for each step', data)
    return listed(data, f"the stream '{alias}'")
