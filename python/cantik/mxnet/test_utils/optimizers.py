"""Two optimizers side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import missing
from ..ndarray.creation import array
from .around import default_context
from .compare import assert_almost_equal, compare_ndarray_tuple


def compare_optimizer(
    opt1: Any,
    opt2: Any,
    shape: Any,
    dtype: Any,
    w_stype: str = 'default',
    g_stype: str = 'default',
    rtol: float | None = 1e-4,
    atol: float | None = 1e-5,
    compare_states: bool = True,
    ntensors: float = 1,
) -> Any:
    """That two optimizers change the same weights by the same gradients in the same way."""
    if w_stype != 'default' or g_stype != 'default':
        missing('sparse storage ({})'.format(w_stype if w_stype != 'default' else g_stype))
    shapes = shape if isinstance(shape, list) else [shape] * ntensors
    for i, s in enumerate(shapes):
        numbers, slopes = (np.random.uniform(-1, 1, s) for _ in range(2))
        weights = [array(numbers, ctx=default_context(), dtype=dtype) for _ in range(2)]
        gradients = [array(slopes, ctx=default_context(), dtype=dtype) for _ in range(2)]
        states = [opt.create_state_multi_precision(i, w) for opt, w in zip((opt1, opt2), weights)]
        if compare_states:
            compare_ndarray_tuple(*states)
        for opt, w, g, state in zip((opt1, opt2), weights, gradients, states):
            opt.update_multi_precision(i, w, g, state)
        if compare_states:
            compare_ndarray_tuple(*states, rtol=rtol, atol=atol)
        assert_almost_equal(*weights, rtol=rtol, atol=atol)
