"""Methods of arrays that run operators, and what Python's signs and indices mean."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tape
from ..base import MXNetError, as_dtype, axis_at, give_methods, listed_axes
from ..context import Context, usable
from ..lower import text
from ..table.shape import new_shape
from . import indexing
from .array import NDArray
from .backward import backward
from .eager import invoke
from .fluent import METHODS
from .function import named

IN_PLACE = 'Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd.'


class Methods:
    """They become methods of NDArray."""

    if TYPE_CHECKING:  # operators, which are made below, and what NDArray has of its own
        _np: np.ndarray
        _ctx: Context | None
        _entry: Any
        shape: tuple[int, ...]
        size: int
        ndim: int

        def __add__(self, other: Any) -> NDArray: ...

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__
        __mod__ = __rmod__ = __pow__ = __rpow__ = __lt__ = __le__ = __gt__ = __ge__ = __add__

        def __neg__(self) -> NDArray: ...
        def __abs__(self) -> NDArray: ...
        def __getattr__(self, name: str) -> Any: ...

    @property
    def T(self) -> Any:
        return invoke('transpose', [self], {}) if self.ndim > 1 else self

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        dtype = as_dtype(dtype)
        if not copy and dtype == self._np.dtype:
            return self
        if tape.recording() and self._entry is not None:
            return invoke('Cast', [self], {'dtype': dtype})
        return NDArray(self._np.astype(dtype), self._ctx)

    def copy(self) -> Any:
        return (
            invoke('_copy', [self], {})
            if tape.recording() and self._entry is not None
            else NDArray(self._np.copy(), self._ctx)
        )

    def __getitem__(self, key):
        return indexing.part(self, key)

    def __setitem__(self, key, value):
        recorded = tape.recording() and isinstance(value, NDArray) and value._entry is not None
        whole = isinstance(key, slice) and key == slice(None)
        if tape.recording() and (self._entry is not None or (recorded and not whole)):
            raise MXNetError(IN_PLACE)
        if recorded:
            (value if value.shape == self.shape else value.broadcast_to(self.shape)).copyto(self)
        else:
            indexing.assign(self, key, value)

    def copyto(self, other: Any) -> NDArray:
        """Into another array, or to a context. While autograd records, it records the copy."""
        source = self.copy() if tape.recording() and self._entry is not None else self
        if isinstance(other, NDArray):
            if other.shape != self.shape:
                raise MXNetError(
                    f'Check failed: from.shape() == to->shape(): shapes differ, {self.shape} and '
                    f'{other.shape}'
                )
            if source is not self and other._entry is not None:
                raise MXNetError(IN_PLACE)
            other._np[...] = self._np
            if source is not self:
                other._entry = source._entry
            return other
        if not isinstance(other, Context):
            raise TypeError(f'copyto does not support type {type(other)}')
        made = NDArray(self._np.copy() if source is self else source._np, usable(other))
        made._entry = None if source is self else source._entry
        return made

    def as_in_context(self, context: Any) -> Any:
        return self if context == self.context else self.copyto(context)

    as_in_ctx = as_in_context

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """The same numbers under another shape; the memory is shared."""
        if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
            shape = shape[0]
        shape = tuple(kwargs.pop('shape', shape))
        reverse = kwargs.pop('reverse', False)
        if kwargs:
            raise TypeError(
                'Got unknown keywords in reshape: {}. Accepted keyword arguments are \'shape\' and '
                '\'reverse\''.format(', '.join(kwargs))
            )
        if tape.recording() and self._entry is not None:
            return invoke('Reshape', [self], {'shape': shape, 'reverse': reverse})
        try:
            wanted = new_shape(self.shape, shape, reverse)
        except IndexError:
            raise MXNetError(
                f'reshape: the shape {shape} speaks of more axes than {self.shape} has'
            ) from None
        return NDArray(self._np.reshape(wanted), self._ctx)

    def expand_dims(self, axis: Any, inplace: bool = False) -> Any:
        """A new axis of size 1; in place, the result shares the memory."""
        if not inplace:
            return invoke('expand_dims', [self], {'axis': axis})
        if not -self.ndim - 1 <= axis <= self.ndim:
            raise AssertionError(f'axis {axis} is out of range for {self.ndim}d array')
        at = axis if axis >= 0 else axis + self.ndim + 1
        return self.reshape(self.shape[:at] + (1,) + self.shape[at:])

    def squeeze(self, axis: Any = None, inplace: bool = False) -> Any:
        """Without axes of size 1; in place, the result shares the memory."""
        if not inplace:
            return invoke('squeeze', [self], {'axis': axis})
        axes = listed_axes(axis, self.ndim)
        for i in axes:
            if axis is not None and self.shape[axis_at(i, self.ndim)] != 1:
                raise AssertionError(f'Squeeze target axis {i} must be size 1, got {self.shape[i]}.')
        gone = {i % self.ndim for i in axes if self.shape[i] == 1}
        return self.reshape(tuple(s for i, s in enumerate(self.shape) if i not in gone) or (1,))

    def flatten(self, inplace: bool = False) -> Any:
        """All axes but the first are joined; in place, the result shares the memory."""
        return self.reshape((self.shape[0], -1)) if inplace else invoke('Flatten', [self], {})

    def broadcast_to(self, shape: Any) -> Any:
        """Axes of size 1 spread to a shape, which may have more axes in front."""
        return invoke(
            'broadcast_to', [self.reshape((1,) * (len(shape) - self.ndim) + self.shape)], {'shape': shape}
        )

    def reshape_like(self, other: Any, **kwargs: Any) -> Any:
        return invoke('reshape_like', [self, other], kwargs)

    def backward(self, out_grad: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        backward([self], [out_grad], retain_graph)

    def __copy__(self):
        return self.copy()


def _applied(name):
    def method(self, *args, **kwargs):
        return named(name)(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    return method


for _name in METHODS:
    if not hasattr(Methods, _name):
        setattr(Methods, _name, _applied(_name))


def _binary(same, scalar, reverse=None):
    broadcasting = BROADCAST[same]

    def forward(self, other):
        if isinstance(other, NDArray):
            return invoke(same if other._np.shape == self._np.shape else broadcasting, [self, other], {})
        if isinstance(other, numbers.Number):
            return invoke(scalar, [self], {'scalar': float(other)})
        if isinstance(other, np.ndarray):
            return forward(self, NDArray(other.astype(self._np.dtype)))
        return NotImplemented

    def backward(self, other):
        if isinstance(other, numbers.Number):
            return invoke(reverse or scalar, [self], {'scalar': float(other)})
        if isinstance(other, np.ndarray):
            return forward(NDArray(other.astype(self._np.dtype)), self)
        return NotImplemented

    def in_place(self, other):
        if tape.recording() and (self._entry or getattr(other, '_entry', None)) is not None:
            raise MXNetError(IN_PLACE)
        made = forward(self, other)
        if made is NotImplemented:
            return made
        if made.size != self.size or not self.shape == made.shape[-self.ndim :]:
            raise MXNetError(
                f'Shape inconsistent, Provided = {text(self.shape)}, inferred shape={text(made.shape)}'
            )
        self._np[...] = made._np
        return self

    return forward, backward, in_place


BROADCAST = {
    'elemwise_add': 'broadcast_add',
    'elemwise_sub': 'broadcast_sub',
    'elemwise_mul': 'broadcast_mul',
    'elemwise_div': 'broadcast_div',
    '_mod': 'broadcast_mod',
    '_power': 'broadcast_power',
    '_equal': 'broadcast_equal',
    '_not_equal': 'broadcast_not_equal',
    '_greater': 'broadcast_greater',
    '_greater_equal': 'broadcast_greater_equal',
    '_lesser': 'broadcast_lesser',
    '_lesser_equal': 'broadcast_lesser_equal',
}

for _name, _same, _scalar, _reverse in [
    ('add', 'elemwise_add', '_plus_scalar', None),
    ('sub', 'elemwise_sub', '_minus_scalar', '_rminus_scalar'),
    ('mul', 'elemwise_mul', '_mul_scalar', None),
    ('truediv', 'elemwise_div', '_div_scalar', '_rdiv_scalar'),
    ('mod', '_mod', '_mod_scalar', '_rmod_scalar'),
    ('pow', '_power', '_power_scalar', '_rpower_scalar'),
]:
    for _form, _f in zip(('__{}__', '__r{}__', '__i{}__'), _binary(_same, _scalar, _reverse)):
        setattr(Methods, _form.format(_name), _f)
for _name, _same, _scalar in [
    ('eq', '_equal', '_equal_scalar'),
    ('ne', '_not_equal', '_not_equal_scalar'),
    ('gt', '_greater', '_greater_scalar'),
    ('ge', '_greater_equal', '_greater_equal_scalar'),
    ('lt', '_lesser', '_lesser_scalar'),
    ('le', '_lesser_equal', '_lesser_equal_scalar'),
]:
    setattr(Methods, f'__{_name}__', _binary(_same, _scalar)[0])
Methods.__neg__ = lambda self: invoke('negative', [self], {})
Methods.__abs__ = lambda self: invoke('abs', [self], {})
give_methods(Methods, NDArray)
NDArray.__hash__ = object.__hash__
