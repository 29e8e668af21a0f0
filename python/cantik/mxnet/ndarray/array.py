"""NDArray: numbers in memory that operators read, and that a program may write to."""

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tape
from ..base import MXNetError, as_dtype, axis_at
from ..context import usable, Context
from .. import eager
from ..eager import invoke
from ..lower import text


class NDArray:
    """An array of numbers of one type, with MXNet's methods. Any operator whose first operand is an array is
    a method too."""

    __slots__ = ('_np', '_ctx', '_entry', '_grad', '__weakref__')
    __array_priority__ = 1000.0

    def __init__(self, memory, ctx=None):
        self._np, self._ctx, self._entry, self._grad = memory, ctx, None, None

    # ---- what it is
    @property
    def shape(self):
        return self._np.shape

    @property
    def dtype(self):
        return self._np.dtype.type

    @property
    def size(self):
        return self._np.size

    @property
    def ndim(self):
        return self._np.ndim

    @property
    def stype(self):
        return 'default'

    @property
    def context(self):
        return self._ctx or usable(None)

    ctx = context

    @property
    def T(self):
        return invoke('transpose', [self], {}) if self.ndim > 1 else self

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
    def asnumpy(self):
        return self._np.copy()

    def asscalar(self):
        if self.size != 1:
            raise ValueError('The current array is not a scalar')
        return self._np.reshape(-1)[0]

    item = asscalar

    def tolist(self):
        return self._np.tolist()

    def __array__(self, dtype=None, copy=None):
        return self._np.astype(dtype) if dtype is not None and dtype != self._np.dtype else self._np.copy()

    def astype(self, dtype, copy=True):
        dtype = as_dtype(dtype)
        if not copy and dtype == self._np.dtype:
            return self
        if tape.recording() and self._entry is not None:
            return invoke('Cast', [self], {'dtype': dtype})
        return NDArray(self._np.astype(dtype), self._ctx)

    def copy(self):
        return (
            invoke('_copy', [self], {})
            if tape.recording() and self._entry is not None
            else NDArray(self._np.copy(), self._ctx)
        )

    def copyto(self, other):
        """Into another array, or to a context."""
        if isinstance(other, NDArray):
            if other.shape != self.shape:
                raise MXNetError(
                    'Check failed: from.shape() == to->shape(): shapes differ, {} and {}'.format(
                        self.shape, other.shape
                    )
                )
            other._np[...] = self._np
            return other
        if isinstance(other, Context):
            return NDArray(self._np.copy(), usable(other))
        raise TypeError('copyto does not support type {}'.format(type(other)))

    def as_in_context(self, context):
        return self if context == self.context else self.copyto(context)

    as_in_ctx = as_in_context

    def as_nd_ndarray(self):
        return self

    def tostype(self, stype):
        if stype != 'default':
            from ..base import missing

            missing('sparse storage ({})'.format(stype))
        return self

    def wait_to_read(self):
        """Results are there when a call returns."""

    wait_to_write = wait_to_read

    # ---- parts
    def __getitem__(self, key):
        return indexing.part(self, key)

    def __setitem__(self, key, value):
        if tape.recording() and self._entry is not None:
            raise MXNetError(
                'Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd.'
            )
        indexing.assign(self, key, value)

    def _slice(self, start, stop):
        return NDArray(self._np[start:stop], self._ctx)

    def _sync_copyfrom(self, source):
        source = np.ascontiguousarray(source, self._np.dtype)
        if source.shape != self.shape:
            raise ValueError('Shape inconsistent: expected {} vs got {}'.format(source.shape, self.shape))
        self._np[...] = source

    def reshape(self, *shape, **kwargs):
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
        from ..table.shape import new_shape

        try:
            wanted = new_shape(self.shape, shape, reverse)
        except IndexError:
            raise MXNetError(
                'reshape: the shape {} speaks of more axes than {} has'.format(shape, self.shape)
            ) from None
        return NDArray(self._np.reshape(wanted), self._ctx)

    def expand_dims(self, axis, inplace=False):
        """A new axis of size 1; in place, the result shares the memory."""
        if not inplace:
            return invoke('expand_dims', [self], {'axis': axis})
        if not -self.ndim - 1 <= axis <= self.ndim:
            raise AssertionError('axis {} is out of range for {}d array'.format(axis, self.ndim))
        at = axis if axis >= 0 else axis + self.ndim + 1
        return self.reshape(self.shape[:at] + (1,) + self.shape[at:])

    def squeeze(self, axis=None, inplace=False):
        """Without axes of size 1; in place, the result shares the memory."""
        if not inplace:
            return invoke('squeeze', [self], {'axis': axis})
        axes = range(self.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
        for i in axes:
            if axis is not None and self.shape[axis_at(i, self.ndim)] != 1:
                raise AssertionError(
                    'Squeeze target axis {} must be size 1, got {}.'.format(i, self.shape[i])
                )
        gone = {i % self.ndim for i in axes if self.shape[i] == 1}
        return self.reshape(tuple(s for i, s in enumerate(self.shape) if i not in gone) or (1,))

    def flatten(self, inplace=False):
        """All axes but the first are joined; in place, the result shares the memory."""
        return self.reshape((self.shape[0], -1)) if inplace else invoke('Flatten', [self], {})

    def broadcast_to(self, shape):
        """Axes of size 1 spread to a shape, which may have more axes in front."""
        return invoke(
            'broadcast_to', [self.reshape((1,) * (len(shape) - self.ndim) + self.shape)], {'shape': shape}
        )

    def reshape_like(self, other, **kwargs):
        return self.reshape(other.shape)

    if TYPE_CHECKING:  # operators, which are made below, and methods of the same names as functions

        def __add__(self, other: Any) -> 'NDArray': ...

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__
        __mod__ = __rmod__ = __pow__ = __rpow__ = __lt__ = __le__ = __gt__ = __ge__ = __add__

        def __neg__(self) -> 'NDArray': ...
        def __abs__(self) -> 'NDArray': ...

    # ---- gradients
    def attach_grad(self, grad_req='write', stype=None):
        """Makes room for a gradient, which `backward` fills."""
        if grad_req not in ('write', 'add', 'null'):
            raise ValueError("grad_req is 'write', 'add' or 'null', not {!r}".format(grad_req))
        self._mark(NDArray(np.zeros_like(self._np), self._ctx), grad_req)

    def _mark(self, grad, request):
        self._grad = grad
        self._entry = tape.Leaf(grad, request) if request != 'null' else None

    def detach(self):
        return NDArray(self._np, self._ctx)

    def backward(self, out_grad=None, retain_graph=False, train_mode=True):
        tape.backward([self], [out_grad], retain_graph)

    # ---- files: the memory alone
    def __reduce__(self):
        return _restored, (self._np, str(self.context))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return NDArray(self._np.copy(), self._ctx)

    def __dlpack__(self, **kwargs):
        return self._np.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._np.__dlpack_device__()

    def __getattr__(self, name) -> Any:
        from .fluent import METHODS

        if name in METHODS:
            return lambda *args, **kwargs: call_method(self, name, args, kwargs)
        raise AttributeError("'NDArray' object has no attribute '{}'".format(name))


def call_method(array, name, args, kwargs):
    from .function import named

    return named(name)(array, *args, **kwargs)


def _restored(memory, context):
    return NDArray(memory)


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
        if tape.recording() and self._entry is not None:
            raise MXNetError(
                'Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd.'
            )
        made = forward(self, other)
        if made is NotImplemented:
            return made
        if made.size != self.size or not self.shape == made.shape[-self.ndim :]:
            raise MXNetError(
                'Shape inconsistent, Provided = {}, inferred shape={}'.format(
                    text(self.shape), text(made.shape)
                )
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
        setattr(NDArray, _form.format(_name), _f)
for _name, _same, _scalar in [
    ('eq', '_equal', '_equal_scalar'),
    ('ne', '_not_equal', '_not_equal_scalar'),
    ('gt', '_greater', '_greater_scalar'),
    ('ge', '_greater_equal', '_greater_equal_scalar'),
    ('lt', '_lesser', '_lesser_scalar'),
    ('le', '_lesser_equal', '_lesser_equal_scalar'),
]:
    setattr(NDArray, '__{}__'.format(_name), _binary(_same, _scalar)[0])
NDArray.__hash__ = object.__hash__
NDArray.__neg__ = lambda self: invoke('negative', [self], {})
NDArray.__abs__ = lambda self: invoke('abs', [self], {})
eager.NDArray = NDArray
from . import indexing  # noqa: E402  it needs the class
