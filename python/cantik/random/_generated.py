"""Functions of the operators. Written by tools/generate from the operators' files: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call
from ..default_options import default_dtype as _default_dtype
from .._waiting import not_there as _not_there

if TYPE_CHECKING:
    from typing import Sequence

    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from ..ops.functions import Function

__all__ = [
    'bernoulli',
    'bernoulli_like',
    'gumbel',
    'gumbel_like',
    'normal',
    'normal_like',
    'uniform',
    'uniform_like',
]


def bernoulli(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    mean: float = 0.5,
    seed: int | None = None,
    name: str = '',
) -> Function:
    """Random numbers that are 1 with the probability mean, else 0, new ones in each run.

    Args:
        shape (tuple): shape of the result
        dtype (NumPy's type): its element type
        mean (float): the probability of a 1
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random.bernoulli((2, 3), mean=0.5).shape
        (2, 3)
    """
    return _call('bernoulli', (), (shape, _default_dtype(bernoulli, dtype), mean, seed), name)


def bernoulli_like(x: Operand, mean: float = 0.5, seed: int | None = None, name: str = '') -> Function:
    """Random numbers that are 1 with the probability mean, else 0, in the shape of x, new ones in each run.

    Args:
        x: a variable, function, number or array
        mean (float): the probability of a 1
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random.bernoulli_like([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], seed=7).shape
        (2, 3)
    """
    return _call('bernoulli_like', (x,), (None, None, mean, seed), name)


def gumbel(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    loc: float = 0.0,
    scale: float = 1.0,
    seed: int | None = None,
    name: str = '',
) -> Function:
    """Random numbers of a Gumbel distribution, loc - scale log(-log u), new ones in each run.

    Args:
        shape (tuple): shape of the result
        dtype (NumPy's type): its element type
        loc (float): where the density is highest
        scale (float): how wide it is
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random.gumbel((2, 3)).shape
        (2, 3)
    """
    return _call('gumbel', (), (shape, _default_dtype(gumbel, dtype), loc, scale, seed), name)


def gumbel_like(
    x: Operand, loc: float = 0.0, scale: float = 1.0, seed: int | None = None, name: str = ''
) -> Function:
    """Random numbers of a Gumbel distribution, loc - scale log(-log u), in the shape of x, new ones in each
    run.

    Args:
        x: a variable, function, number or array
        loc (float): where the density is highest
        scale (float): how wide it is
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random.gumbel_like([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], seed=7).shape
        (2, 3)
    """
    return _call('gumbel_like', (x,), (None, None, loc, scale, seed), name)


def normal(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: int | None = None,
    name: str = '',
) -> Function:
    """Random numbers of a normal distribution, new ones in each run.

    Args:
        shape (tuple): shape of the result
        dtype (NumPy's type): its element type
        mean (float): mean
        scale (float): standard deviation
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random.normal((2, 3), mean=1, scale=2).shape
        (2, 3)
    """
    return _call('normal', (), (shape, _default_dtype(normal, dtype), mean, scale, seed), name)


def normal_like(
    x: Operand, mean: float = 0.0, scale: float = 1.0, seed: int | None = None, name: str = ''
) -> Function:
    """Random numbers of a normal distribution, in the shape of x, new ones in each run.

    Args:
        x: a variable, function, number or array
        mean (float): mean
        scale (float): standard deviation
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random.normal_like([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], seed=7).shape
        (2, 3)
    """
    return _call('normal_like', (x,), (None, None, mean, scale, seed), name)


def uniform(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    low: float = 0.0,
    high: float = 1.0,
    seed: int | None = None,
    name: str = '',
) -> Function:
    """Random numbers between low and high, new ones in each run.

    Args:
        shape (tuple): shape of the result
        dtype (NumPy's type): its element type
        low (float): smallest number
        high (float): where the numbers end
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random.uniform((2, 3), low=-1, high=1).shape
        (2, 3)
    """
    return _call('uniform', (), (shape, _default_dtype(uniform, dtype), low, high, seed), name)


def uniform_like(
    x: Operand, low: float = 0.0, high: float = 1.0, seed: int | None = None, name: str = ''
) -> Function:
    """Random numbers between low and high, in the shape of x, new ones in each run.

    Args:
        x: a variable, function, number or array
        low (float): smallest number
        high (float): where the numbers end
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random.uniform_like([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], seed=7).shape
        (2, 3)
    """
    return _call('uniform_like', (x,), (None, None, low, high, seed), name)
