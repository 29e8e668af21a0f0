"""Random data for a model, where its cost is measured and not its results."""

from __future__ import annotations

from typing import Any

import numpy as np

import cantik as C


def has_sequences(variable: Any) -> bool:
    """Whether a variable has a sequence axis."""
    return any(axis.is_sequence_axis for axis in variable.dynamic_axes)


def sequential(network: Any) -> bool:
    """Whether a network takes sequences."""
    return any(has_sequences(v) for v in network.arguments)


def random_arrays(network: Any, batch: int, length: int, seed: int = 0) -> dict[Any, Any]:
    """For each input: an array [batch, shape...] or, of sequences, [batch, length, shape...]; of a sparse
    input the places of its ones, [batch] or [batch, length]. The length also stands for free axes."""
    random = np.random.RandomState(seed)
    arrays = {}
    for v in network.arguments:
        if not v.dynamic_axes and not v.shape:
            arrays[v] = np.array(random.randn(), v.dtype)
            continue
        lead = (batch, length)[: len(v.dynamic_axes)]
        shape = tuple(n if n > 0 else length for n in v.shape)
        if v.is_sparse:
            arrays[v] = random.randint(0, shape[-1], lead)
        else:
            arrays[v] = random.randn(*lead, *shape).astype(v.dtype)
    return arrays


def feeds_of(arrays: dict[Any, Any]) -> dict[Any, Any]:
    """The arrays as `eval` takes them."""
    feeds = {}
    for v, array in arrays.items():
        if v.is_sparse:
            sequences = list(array) if has_sequences(v) else array
            feeds[v] = C.Value.one_hot(sequences, v.shape[-1], v.dtype)
        else:
            feeds[v] = array
    return feeds
