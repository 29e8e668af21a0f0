"""mx.sym.random: random numbers as nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .symbol import apply

if TYPE_CHECKING:
    from ...mxnet.symbol.symbol import Symbol


def uniform(
    low: Any = 0, high: Any = 1, shape: Any = (1,), dtype: Any = None, name: str | None = None, **kwargs: Any
) -> Symbol:
    return apply(
        '_random_uniform',
        [],
        {'low': low, 'high': high, 'shape': shape, 'dtype': dtype},
        name,
        called='_random_uniform',
    )


def normal(
    loc: float = 0,
    scale: float = 1,
    shape: Any = (1,),
    dtype: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Symbol:
    return apply(
        '_random_normal',
        [],
        {'loc': loc, 'scale': scale, 'shape': shape, 'dtype': dtype},
        name,
        called='_random_normal',
    )
