"""Arrays from numbers, from nothing, from files."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ..files import write_whole
from .. import split, tape
from ..base import DTYPE_NUMBERS, DTYPES, MXNetError, as_dtype, missing
from ..context import usable
from .array import NDArray
from .function import named


def _shape(shape):
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(s) for s in shape)


def array(source_array: Any, ctx: Any = None, dtype: Any = None) -> NDArray:
    """An array of these numbers; float32 unless they are an NDArray's, or `dtype` says otherwise."""
    ctx = usable(ctx)
    if type(source_array) is np.ndarray and source_array.ndim:
        return NDArray(
            np.array(source_array, np.float32 if dtype is None else as_dtype(dtype), order='C'), ctx
        )
    if isinstance(source_array, NDArray):
        if tape.recording() and source_array._entry is not None:
            return source_array.copyto(ctx).astype(dtype or source_array._np.dtype, copy=False)
        return NDArray(source_array._np.astype(as_dtype(dtype or source_array._np.dtype)), ctx)
    if hasattr(source_array, 'tocsr') and not isinstance(source_array, np.ndarray):
        missing('sparse storage (mx.nd.array of a SciPy matrix)')
    try:
        made = np.array(source_array, np.float32 if dtype is None else as_dtype(dtype), order='C')
    except (TypeError, ValueError):
        if isinstance(source_array, (list, tuple)) and any(isinstance(s, NDArray) for s in source_array):
            made = np.array([np.asarray(s) for s in source_array], as_dtype(dtype))
        else:
            raise TypeError('source_array must be array like object') from None
    return NDArray(made.reshape(1) if made.ndim == 0 else made, ctx)


def from_numpy(ndarray: Any, zero_copy: bool = True) -> NDArray:
    return NDArray(ndarray if zero_copy else ndarray.copy(), usable(None))


def empty(shape: Any, ctx: Any = None, dtype: Any = None) -> NDArray:
    return NDArray(np.zeros(_shape(shape), as_dtype(dtype)), usable(ctx))


def _filled(shape, value, ctx, dtype, out):
    """An array of one number, or `out` filled with it."""
    if any(n < 0 for n in _shape(shape)):
        raise MXNetError(f'an array has no axis of a negative size: shape={_shape(shape)}')
    if out is None:
        return NDArray(np.full(_shape(shape), value, as_dtype(dtype)), usable(ctx))
    if out.shape != _shape(shape):
        raise MXNetError(
            f'Shape inconsistent, Provided = {list(out.shape)}, inferred shape={list(_shape(shape))}'
        )
    if dtype is not None and out._np.dtype != as_dtype(dtype):
        raise MXNetError(f'Type inconsistent, Provided = {out._np.dtype}, inferred type = {as_dtype(dtype)}')
    out[:] = value
    return out


def zeros(
    shape: Any, ctx: Any = None, dtype: Any = None, stype: str | None = None, out: Any = None, **kwargs: Any
) -> NDArray:
    if stype not in (None, 'default'):
        missing(f'sparse storage ({stype})')
    return _filled(shape, 0, ctx, np.float32 if dtype is None else dtype, out)


def ones(shape: Any, ctx: Any = None, dtype: Any = None, out: Any = None, **kwargs: Any) -> NDArray:
    return _filled(shape, 1, ctx, np.float32 if dtype is None else dtype, out)


def full(shape: Any, val: Any, ctx: Any = None, dtype: Any = None, out: Any = None) -> NDArray:
    return _filled(shape, val, ctx, dtype, out)


def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1.0,
    repeat: int = 1,
    infer_range: Any = None,
    ctx: Any = None,
    dtype: Any = 'float32',
) -> NDArray:
    start, stop = (0, start) if stop is None else (start, stop)
    if step == 0:
        raise MXNetError('Range does not support step=0')
    return NDArray(np.repeat(np.arange(start, stop, step), repeat).astype(as_dtype(dtype)), usable(ctx))


def linspace(
    start: Any, stop: Any, num: Any, endpoint: bool = True, ctx: Any = None, dtype: Any = 'float32'
) -> NDArray:
    return NDArray(np.linspace(start, stop, num, endpoint).astype(as_dtype(dtype)), usable(ctx))


def eye(
    N: Any, M: int = 0, k: int = 0, ctx: Any = None, dtype: Any = None, out: Any = None, **kwargs: Any
) -> NDArray:
    made = np.eye(N, M or N, k, as_dtype(dtype))
    return NDArray(made, usable(ctx)) if out is None else NDArray(made).copyto(out)


def moveaxis(tensor: Any, source: Any, destination: Any) -> Any:
    order = np.moveaxis(np.empty([1] * tensor.ndim), source, destination)  # checks the axes
    order = list(range(tensor.ndim))
    sources = [s % tensor.ndim for s in ([source] if isinstance(source, int) else source)]
    goals = [d % tensor.ndim for d in ([destination] if isinstance(destination, int) else destination)]
    order = [i for i in order if i not in sources]
    for goal, s in sorted(zip(goals, sources)):
        order.insert(goal, s)
    return tensor.transpose(axes=tuple(order))


def split_v2(ary: Any, indices_or_sections: Any, axis: Any = 0, squeeze_axis: bool = False) -> Any:
    """Parts along an axis: a number of equal ones, or from each index to the next."""
    return named('_split_v2')(ary, **split.attributes(indices_or_sections, axis, squeeze_axis))


def histogram(a: Any, bins: float = 10, range: Any = None) -> Any:
    """How many numbers lie in each of the bins, and the bins' limits."""
    if isinstance(bins, NDArray):
        return named('_histogram')(a, bins)
    range = (float(a._np.min()), float(a._np.max())) if range is None else range
    return named('_histogram')(a, bin_cnt=bins, range=range)


def onehot_encode(indices: Any, out: Any) -> Any:
    """A row with a 1 for each index, into `out`."""
    return named('_onehot_encode')(indices, out, out=out)


def concatenate(arrays: Any, axis: Any = 0, always_copy: bool = True) -> Any:
    return arrays[0] if len(arrays) == 1 and not always_copy else named('Concat')(*arrays, dim=axis)


def waitall() -> None:
    """Results are there when a call returns."""


# ---- MXNet's files of arrays: a list, or a dictionary from names
_LIST, _ARRAY = 0x112, 0xF993FAC9
_ARRAY_WITH_SCALARS = 0xF993FACA


def array_bytes(x: Any) -> bytes:
    """One array, as it stands in a file."""
    head = (
        struct.pack('<IiI', _ARRAY, 0, x.ndim)
        + struct.pack(f'<{x.ndim}q', *x.shape)
        + struct.pack('<iii', 1, 0, DTYPE_NUMBERS[x._np.dtype])
    )
    return head + np.ascontiguousarray(x._np).tobytes()


def save(fname: Any, data: Any) -> None:
    """Writes an array, a list of arrays or a dictionary of them."""
    if isinstance(data, NDArray):
        data = [data]
    if isinstance(data, dict):
        names, arrays = list(data), list(data.values())
    elif isinstance(data, (list, tuple)):
        names, arrays = [], list(data)
    else:
        raise ValueError(
            'data needs to either be a NDArray, dict of str, NDArray pairs or a list of NDarrays.'
        )
    if any(not isinstance(x, NDArray) for x in arrays) or any(not isinstance(n, str) for n in names):
        raise TypeError('save only accept dict str->NDArray or list of NDArray')
    parts = [
        struct.pack('<QQQ', _LIST, 0, len(arrays)),
        *map(array_bytes, arrays),
        struct.pack('<Q', len(names)),
    ]
    for n in names:
        parts += [struct.pack('<Q', len(n.encode())), n.encode()]
    write_whole(fname, b''.join(parts))


class _Reader:
    def __init__(self, content, what):
        self.content, self.at, self.what = content, 0, what

    def take(self, size):
        if size < 0 or self.at + size > len(self.content):
            raise MXNetError(f'Invalid NDArray file format: {self.what} ends too early')
        self.at += size
        return self.content[self.at - size : self.at]

    def numbers(self, form):
        return struct.unpack('<' + form, self.take(struct.calcsize('<' + form)))


def _read_array(r):
    (magic,) = r.numbers('I')
    if magic not in (_ARRAY, _ARRAY_WITH_SCALARS):
        raise MXNetError(f'Invalid NDArray file format: an array of {r.what} begins with {magic:#x}')
    storage, rank = r.numbers('iI')
    if storage != 0:
        missing(f'sparse storage (in {r.what})')
    if rank > 32:
        raise MXNetError(f'Invalid NDArray file format: an array of {r.what} has {rank} axes')
    shape = r.numbers(f'{rank}q')
    _, _, number = r.numbers('iii')
    if number not in DTYPES or any(s < 0 for s in shape):
        raise MXNetError(
            f'Invalid NDArray file format: an array of {r.what} has the type {number} and the shape {shape}'
        )
    t = np.dtype(DTYPES[number])
    count = 1
    for s in shape:
        count *= s
    return NDArray(np.frombuffer(bytearray(r.take(count * t.itemsize)), t).reshape(shape))


def array_of(content: Any, what: str) -> NDArray:
    """The array of these bytes, which are all that there is."""
    r = _Reader(content, what)
    made = _read_array(r)
    if r.at != len(content):
        raise MXNetError(
            f'Invalid NDArray file format: {len(content) - r.at} bytes behind an array of {what}'
        )
    return made


def load_frombuffer(buf: Any, what: str = 'the buffer') -> Any:
    """A list or a dictionary of arrays, from the bytes of a file."""
    r = _Reader(bytes(buf), what)
    magic, _, count = r.numbers('QQQ')
    if magic != _LIST or count > len(buf):
        raise MXNetError(f'Invalid NDArray file format: {what} is no file of arrays')
    arrays = [_read_array(r) for _ in range(count)]
    (named,) = r.numbers('Q')
    if named == 0:
        return arrays
    if named != count:
        raise MXNetError(f'Invalid NDArray file format: {what} has {count} arrays and {named} names')
    return {r.take(r.numbers('Q')[0]).decode(): x for x in arrays}


def load(fname: Any) -> Any:
    """A list or a dictionary of arrays, from a file."""
    try:
        with open(fname, 'rb') as f:
            content = f.read()
    except OSError as e:
        raise MXNetError(f'cannot read {fname}: {e.strerror}') from e
    return load_frombuffer(content, str(fname))
