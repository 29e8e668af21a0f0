"""NDArray: numbers in memory that operators read, and that a program may write to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tape
from ..base import missing
from ..context import Context, usable

if TYPE_CHECKING:
    from .methods import Methods as _Methods
else:
    _Methods = object  # methods.py, which runs operators, gives its methods to the class


class NDArray(_Methods):
    """An array of numbers of one type, with MXNet's methods. Any operator whose first operand is an array is
    a method too."""

    __slots__ = ('_np', '_ctx', '_entry', '_grad', '__weakref__')
    __array_priority__ = 1000.0

    def __init__(self, memory: Any, ctx: Any = None):
        self._np, self._ctx, self._entry, self._grad = memory, ctx, None, None

    # ---- what it is
    @property
    def shape(self) -> Any:
        return self._np.shape

    @property
    def dtype(self) -> type[Any]:
        return self._np.dtype.type

    @property
    def size(self) -> int:
        return self._np.size

    @property
    def ndim(self) -> int:
        return self._np.ndim

    @property
    def stype(self) -> str:
        return 'default'

    @property
    def context(self) -> Context | Any:
        return self._ctx or usable(None)

    ctx = context

    @property
    def grad(self) -> Any:
        return self._grad

    def __repr__(self):
        return '\n{}\n<NDArray {} @{}>'.format(self._np, 'x'.join(map(str, self.shape)), self.context)

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __bool__(self):
        if self.size == 0:
            return False
        if self.size == 1:
            return bool(self.asscalar())
        raise ValueError('The truth value of an NDArray with multiple elements is ambiguous.')

    def __float__(self):
        return float(self.asscalar())

    def __int__(self):
        return int(self.asscalar())

    def __index__(self):
        if self.shape == (1,) and self._np.dtype.kind in 'iu':
            return int(self._np[0])
        raise TypeError('only integer scalar arrays can be converted to a scalar index')

    # ---- numbers in and out
    def asnumpy(self) -> np.ndarray:
        return self._np.copy()

    def asscalar(self) -> Any:
        if self.size != 1:
            raise ValueError('The current array is not a scalar')
        return self._np.reshape(-1)[0]

    item = asscalar

    def tolist(self) -> Any:
        return self._np.tolist()

    def __array__(self, dtype=None, copy=None):
        return self._np.astype(dtype) if dtype is not None and dtype != self._np.dtype else self._np.copy()

    def as_nd_ndarray(self) -> NDArray:
        return self

    def tostype(self, stype: str) -> NDArray:
        if stype != 'default':
            missing(f'sparse storage ({stype})')
        return self

    def wait_to_read(self) -> None:
        """Results are there when a call returns."""

    wait_to_write = wait_to_read

    def _slice(self, start, stop):
        return NDArray(self._np[start:stop], self._ctx)

    def _sync_copyfrom(self, source):
        source = np.ascontiguousarray(source, self._np.dtype)
        if source.shape != self.shape:
            raise ValueError(f'Shape inconsistent: expected {source.shape} vs got {self.shape}')
        self._np[...] = source

    # ---- gradients
    def attach_grad(self, grad_req: Any = 'write', stype: str | None = None) -> None:
        """Makes room for a gradient, which `backward` fills."""
        if grad_req not in ('write', 'add', 'null'):
            raise ValueError(f"grad_req is 'write', 'add' or 'null', not {grad_req!r}")
        self._mark(None if grad_req == 'null' else NDArray(np.zeros_like(self._np), self._ctx), grad_req)

    def _mark(self, grad, request):
        self._grad = grad
        self._entry = tape.Leaf(grad, request) if request != 'null' else None

    def detach(self) -> NDArray:
        return NDArray(self._np, self._ctx)

    # ---- files: the memory alone
    def __reduce__(self):
        return _restored, (self._np, str(self.context))

    def __deepcopy__(self, memo):
        return NDArray(self._np.copy(), self._ctx)

    def __dlpack__(self, **kwargs):
        return self._np.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._np.__dlpack_device__()


def _restored(memory, context):
    return NDArray(memory)
