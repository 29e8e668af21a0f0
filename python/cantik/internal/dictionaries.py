"""Dictionaries as checkpoints and files hold them, under the names of CNTK's binding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._cantik import NDArrayView, Value
from .._checks import number

if TYPE_CHECKING:
    from .._types import PathLike


def _same(a, b):
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return a == b


def _close(a, b, relative, absolute):
    """Whether two arrays of one shape, storage and type differ by no more than the tolerances."""
    if (a.shape, a.is_sparse, a.dtype) != (b.shape, b.is_sparse, b.dtype):
        return False
    x, y = (v if isinstance(v, np.ndarray) else v.toarray() for v in (a.asarray(), b.asarray()))
    return bool((np.abs(x - y) <= np.maximum(relative * np.abs(x), absolute)).all())


def are_equal(a: Any, b: Any, relative_tolerance: float = 0.0, absolute_tolerance: float = 0.0) -> bool:
    """Whether two dictionaries, values of such, arrays or Values hold the same.

    Args:
        a, b: both
        relative_tolerance, absolute_tolerance (float): how far numbers of arrays may lie apart,
          max(relative |a|, absolute)

    Example:
        >>> import cantik as C, numpy as np
        >>> a, b = (C.NDArrayView.from_dense(np.array([x], np.float32)) for x in (100, 101))
        >>> C.cntk_py.are_equal(a, b), C.cntk_py.are_equal(a, b, 0.01)
        (False, True)
    """
    if isinstance(a, Value) and isinstance(b, Value):
        if a.masked_count() != b.masked_count() or (a.masked_count() and not np.array_equal(a.mask, b.mask)):
            return False
        a, b = a.data, b.data
    if isinstance(a, NDArrayView) and isinstance(b, NDArrayView):
        return _close(
            a,
            b,
            number(relative_tolerance, 'relative_tolerance'),
            number(absolute_tolerance, 'absolute_tolerance'),
        )
    return _same(getattr(a, 'value', a), getattr(b, 'value', b))


class Dictionary(dict):
    """A dictionary as checkpoints and files hold them."""

    @staticmethod
    def load(filename: PathLike) -> Dictionary:
        """That of a file: a model or a checkpoint.

        Args:
            filename (str): the file
        """
        return Dictionary(_cantik.load_dictionary(str(filename)))


class DictionaryValue:
    """A value of a dictionary, which can be saved by itself."""

    def __init__(self, value: Any = None):
        self.value = value

    def item(self) -> Any:
        """What it holds."""
        return self.value

    def save(self, filename: PathLike) -> None:
        """Writes it to a file of its own, as CNTK does.

        Args:
            filename (str): the file
        """
        _cantik.save_value(self.value, str(filename))

    @staticmethod
    def load(filename: PathLike) -> DictionaryValue:
        """Reads a value that was saved.

        Args:
            filename (str): the file
        """
        value = _cantik.load_value(str(filename))
        return DictionaryValue(np.asarray(value) if isinstance(value, NDArrayView) else value)

    def __eq__(self, other):
        return isinstance(other, DictionaryValue) and _same(self.value, other.value)

    __hash__ = None


def DictionaryValueFromDict(value: Any) -> DictionaryValue:
    """A value that is a dictionary."""
    if not isinstance(value, dict):
        raise TypeError(f'a dictionary was expected, not {type(value).__name__}')
    return DictionaryValue(value)


def DictionaryValueFromNDArrayView(view: NDArrayView) -> DictionaryValue:
    """A value that is an array."""
    if not isinstance(view, NDArrayView):
        raise TypeError(f'an NDArrayView was expected, not {type(view).__name__}')
    return DictionaryValue(view)
