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


def sequence_to_cntk_text_format(seq_idx: int, alias_tensor_map: Mapping[Any, Any]) -> str:
    """A sequence as lines of CNTK's text format.

    Args:
        seq_idx (int): the number of the sequence
        alias_tensor_map (dict): from names of streams to arrays [steps, ...], or lists of values

    Example:
        >>> import cantik as C, numpy as np
        >>> print(
        ...     C.io.sequence_to_cntk_text_format(3, {'a': np.array([[1, 2], [3, 4]]), 'b': np.array([[5]])})
        ... )
        3	|a 1 2 |b 5
        3	|a 3 4
    """

    def numbers(step):
        given = step.data if hasattr(step, 'indptr') else np.asarray(step).ravel()
        if given.dtype.kind == 'c':
            raise refused('a sample of a stream', 'real numbers', step)
        try:
            texts = [f'{v:g}' for v in given.astype(np.float64)]
        except (TypeError, ValueError):
            raise refused('a sample of a stream', 'numbers, or a row of a CSR matrix', step) from None
        return ' '.join(map('{}:{}'.format, step.indices, texts) if hasattr(step, 'indptr') else texts)

    seq_idx = whole(seq_idx, 'seq_idx')
    if not dictionary(alias_tensor_map, 'alias_tensor_map'):
        raise ValueError('alias_tensor_map has no streams')
    streams = {alias: listed(data, f"the stream '{alias}'") for alias, data in alias_tensor_map.items()}
    longest = max(map(len, streams.values()), default=0)
    return '\n'.join(
        '{}\t{}'.format(
            seq_idx,
            ' '.join(
                f'|{alias} {numbers(data[i])}' for alias, data in sorted(streams.items()) if i < len(data)
            ),
        )
        for i in range(longest)
    )
