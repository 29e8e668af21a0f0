"""Data that user functions with as_numpy=False get, with the methods that they have in CNTK's binding."""

from __future__ import annotations

from . import _cantik
from .core import Value
from ._masks import NDMask


class Flag(int):
    """A truth value that can be called as well, like `Dims`."""

    __slots__ = ()

    def __call__(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))


class LentValue(Value):
    """Data that a user function with as_numpy=False gets, over the network's own memory; as CNTK's binding
    has them: `is_sparse()`, `is_read_only()`, `is_valid()` and `mask()` may be called."""

    __slots__ = ()

    @property
    def is_sparse(self) -> Flag:
        """Whether the rows are sparse."""
        return Flag(_cantik.Value.is_sparse.__get__(self))

    @property
    def is_read_only(self) -> Flag:
        """Whether the memory may not be written."""
        return Flag(_cantik.Value.is_read_only.__get__(self))

    @property
    def is_valid(self) -> Flag:
        """Whether the memory is still the value's."""
        return Flag(_cantik.Value.is_valid.__get__(self))

    def mask(self) -> NDMask | None:
        """Which steps are there; None where no sequence needs a mask."""
        try:
            return NDMask.of(_cantik.Value.mask.__get__(self))
        except AttributeError:
            return None


_cantik.set_class('LentValue', LentValue)
