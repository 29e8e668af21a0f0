"""First values of parameters. The random ones draw the numbers that CNTK 2.7 draws from the same seed."""

from __future__ import annotations

from ._cantik import (
    DefaultParamInitScale,
    Initializer,
    SentinelValueForInferParamInitRank,
    bilinear,
    initializer,
    initializer_with_rank,
)

_RANK = SentinelValueForInferParamInitRank
_make = initializer
del initializer

__all__ = [
    'uniform',
    'normal',
    'xavier',
    'glorot_uniform',
    'glorot_normal',
    'he_uniform',
    'he_normal',
    'bilinear',
    'initializer_with_rank',
    'truncated_normal',
    'DefaultParamInitScale',
    'SentinelValueForInferParamInitRank',
]


def uniform(scale: float, seed: int | None = None) -> Initializer:
    """Uniform in [-scale, scale].

    Args:
        scale: half the width of the range, above 0
        seed: of the random numbers; by default the process' next one

    Example:
        >>> import cantik as C
        >>> W = C.parameter((100,), init=C.uniform(0.5, seed=1))
        >>> bool(abs(W.value).max() <= 0.5)
        True
    """
    return _make('uniform', scale, seed=seed)


def normal(
    scale: float, output_rank: int = _RANK, filter_rank: int = _RANK, seed: int | None = None
) -> Initializer:
    """Normal with standard deviation `scale` and mean 0.

    Example:
        >>> import cantik as C
        >>> W = C.parameter((2, 3), init=C.normal(0.1, seed=1))
        >>> W.value.shape
        (2, 3)
    """
    return _make('normal', scale, output_rank, filter_rank, seed)


def xavier(
    scale: float = DefaultParamInitScale,
    output_rank: int = _RANK,
    filter_rank: int = _RANK,
    seed: int | None = None,
) -> Initializer:
    """Uniform with deviation scale / sqrt(fan_in): He's initialisation for a linear layer.

    Example:
        >>> import cantik as C
        >>> W = C.parameter((2, 3), init=C.xavier(seed=1))
        >>> W.value.shape
        (2, 3)
    """
    return _make('xavier', scale, output_rank, filter_rank, seed)


def glorot_uniform(
    scale: float = DefaultParamInitScale,
    output_rank: int = _RANK,
    filter_rank: int = _RANK,
    seed: int | None = None,
) -> Initializer:
    """Uniform in ±scale · sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).

    Args:
        scale: factor of the range
        output_rank: how many of the last axes are outputs
        filter_rank: how many axes before them are those of a kernel
        seed: of the random numbers; by default the process' next one

    Example:
        >>> import cantik as C
        >>> W = C.parameter((100, 50), init=C.glorot_uniform(seed=1))
        >>> bool(abs(W.value).max() <= (6 / 150) ** 0.5)
        True
    """
    return _make('glorot_uniform', scale, output_rank, filter_rank, seed)


def glorot_normal(
    scale: float = DefaultParamInitScale,
    output_rank: int = _RANK,
    filter_rank: int = _RANK,
    seed: int | None = None,
) -> Initializer:
    """Normal with deviation scale · sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010).

    Example:
        >>> import cantik as C
        >>> W = C.parameter((2, 3), init=C.glorot_normal(seed=1))
        >>> W.value.shape
        (2, 3)
    """
    return _make('glorot_normal', scale, output_rank, filter_rank, seed)


def he_uniform(
    scale: float = DefaultParamInitScale,
    output_rank: int = _RANK,
    filter_rank: int = _RANK,
    seed: int | None = None,
) -> Initializer:
    """Uniform in ±scale · sqrt(6 / fan_in) (He et al. 2015).

    Example:
        >>> import cantik as C
        >>> W = C.parameter((2, 3), init=C.he_uniform(seed=1))
        >>> W.value.shape
        (2, 3)
    """
    return _make('he_uniform', scale, output_rank, filter_rank, seed)


def he_normal(
    scale: float = DefaultParamInitScale,
    output_rank: int = _RANK,
    filter_rank: int = _RANK,
    seed: int | None = None,
) -> Initializer:
    """Normal with deviation scale · sqrt(2 / fan_in) (He et al. 2015).

    Example:
        >>> import cantik as C
        >>> W = C.parameter((100, 50), init=C.he_normal(seed=1))
        >>> bool(abs(W.value.std() - (2 / 100) ** 0.5) < 0.01)
        True
    """
    return _make('he_normal', scale, output_rank, filter_rank, seed)


def truncated_normal(stdev: float, seed: int | None = None) -> Initializer:
    """Normal with deviation `stdev`, drawn again beyond two deviations.

    Example:
        >>> import cantik as C
        >>> W = C.parameter((100,), init=C.truncated_normal(0.5, seed=1))
        >>> bool(abs(W.value).max() <= 1)
        True
    """
    return _make('truncated_normal', stdev, seed=seed)
