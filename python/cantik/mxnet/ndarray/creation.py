"""Arrays from numbers, from nothing, from files."""
import struct

import numpy as np

from ..base import DTYPES, DTYPE_NUMBERS, MXNetError, as_dtype, missing
from ..context import usable
from .array import NDArray


def _shape(shape):
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(s) for s in shape)


def array(source_array, ctx=None, dtype=None):
    """An array of these numbers; float32 unless they are an NDArray's, or `dtype` says otherwise."""
    ctx = usable(ctx)
    if type(source_array) is np.ndarray and source_array.ndim:
        return NDArray(np.array(source_array, np.float32 if dtype is None else as_dtype(dtype), order='C'), ctx)
    if isinstance(source_array, NDArray):
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


def from_numpy(ndarray, zero_copy=True):
    return NDArray(ndarray if zero_copy else ndarray.copy(), usable(None))


def empty(shape, ctx=None, dtype=None):
    return NDArray(np.zeros(_shape(shape), as_dtype(dtype)), usable(ctx))


def zeros(shape, ctx=None, dtype=None, stype=None, **kwargs):
    if stype not in (None, 'default'):
        missing('sparse storage ({})'.format(stype))
    return empty(shape, ctx, dtype)


def ones(shape, ctx=None, dtype=None, **kwargs):
    return full(shape, 1, ctx, dtype)


def full(shape, val, ctx=None, dtype=None, out=None):
    if out is not None:
        out[:] = val
        return out
    return NDArray(np.full(_shape(shape), val, as_dtype(dtype)), usable(ctx))


def arange(start, stop=None, step=1.0, repeat=1, infer_range=None, ctx=None, dtype='float32'):
    start, stop = (0, start) if stop is None else (start, stop)
    return NDArray(np.repeat(np.arange(start, stop, step), repeat).astype(as_dtype(dtype)), usable(ctx))


def linspace(start, stop, num, endpoint=True, ctx=None, dtype='float32'):
    return NDArray(np.linspace(start, stop, num, endpoint).astype(as_dtype(dtype)), usable(ctx))


def eye(N, M=0, k=0, ctx=None, dtype=None, **kwargs):
    return NDArray(np.eye(N, M or N, k, as_dtype(dtype)), usable(ctx))


def moveaxis(tensor, source, destination):
    order = np.moveaxis(np.empty([1] * tensor.ndim), source, destination)  # checks the axes
    order = list(range(tensor.ndim))
    sources = [s % tensor.ndim for s in ([source] if isinstance(source, int) else source)]
    goals = [d % tensor.ndim for d in ([destination] if isinstance(destination, int) else destination)]
    order = [i for i in order if i not in sources]
    for goal, s in sorted(zip(goals, sources)):
        order.insert(goal, s)
    return tensor.transpose(axes=tuple(order))


def concatenate(arrays, axis=0, always_copy=True):
    from .function import named
    return arrays[0] if len(arrays) == 1 and not always_copy else named('Concat')(*arrays, dim=axis)


def waitall():
    """Results are there when a call returns."""


# ---- MXNet's files of arrays: a list, or a dictionary from names
_LIST, _ARRAY = 0x112, 0xF993FAC9
_ARRAY_WITH_SCALARS = 0xF993FACA


def _bytes_of(x):
    head = struct.pack('<IiI', _ARRAY, 0, x.ndim) + struct.pack('<{}q'.format(x.ndim), *x.shape) + struct.pack('<iii', 1, 0, DTYPE_NUMBERS[x._np.dtype])
    return head + np.ascontiguousarray(x._np).tobytes()


def save(fname, data):
    """Writes an array, a list of arrays or a dictionary of them."""
    from ..files import write_whole
    if isinstance(data, NDArray):
        data = [data]
    if isinstance(data, dict):
        names, arrays = list(data), list(data.values())
    elif isinstance(data, (list, tuple)):
        names, arrays = [], list(data)
    else:
        raise ValueError('data needs to either be a NDArray, dict of str, NDArray pairs or a list of NDarrays.')
    if any(not isinstance(x, NDArray) for x in arrays) or any(not isinstance(n, str) for n in names):
        raise TypeError('save only accept dict str->NDArray or list of NDArray')
    parts = [struct.pack('<QQQ', _LIST, 0, len(arrays)), *map(_bytes_of, arrays), struct.pack('<Q', len(names))]
    for n in names:
        parts += [struct.pack('<Q', len(n.encode())), n.encode()]
    write_whole(fname, b''.join(parts))


class _Reader:
    def __init__(self, content, what):
        self.content, self.at, self.what = content, 0, what

    def take(self, size):
        if size < 0 or self.at + size > len(self.content):
            raise MXNetError('Invalid NDArray file format: {} ends too early'.format(self.what))
        self.at += size
        return self.content[self.at - size:self.at]

    def numbers(self, form):
        return struct.unpack('<' + form, self.take(struct.calcsize('<' + form)))


def _read_array(r):
    magic, = r.numbers('I')
    if magic not in (_ARRAY, _ARRAY_WITH_SCALARS):
        raise MXNetError('Invalid NDArray file format: an array of {} begins with {:#x}'.format(r.what, magic))
    storage, rank = r.numbers('iI')
    if storage != 0:
        missing('sparse storage (in {})'.format(r.what))
    if rank > 32:
        raise MXNetError('Invalid NDArray file format: an array of {} has {} axes'.format(r.what, rank))
    shape = r.numbers('{}q'.format(rank))
    _, _, number = r.numbers('iii')
    if number not in DTYPES or any(s < 0 for s in shape):
        raise MXNetError('Invalid NDArray file format: an array of {} has the type {} and the shape {}'.format(r.what, number, shape))
    t = np.dtype(DTYPES[number])
    count = 1
    for s in shape:
        count *= s
    return NDArray(np.frombuffer(bytearray(r.take(count * t.itemsize)), t).reshape(shape))


def load_frombuffer(buf, what='the buffer'):
    """A list or a dictionary of arrays, from the bytes of a file."""
    r = _Reader(bytes(buf), what)
    magic, _, count = r.numbers('QQQ')
    if magic != _LIST or count > len(buf):
        raise MXNetError('Invalid NDArray file format: {} is no file of arrays'.format(what))
    arrays = [_read_array(r) for _ in range(count)]
    named, = r.numbers('Q')
    if named == 0:
        return arrays
    if named != count:
        raise MXNetError('Invalid NDArray file format: {} has {} arrays and {} names'.format(what, count, named))
    return {r.take(r.numbers('Q')[0]).decode(): x for x in arrays}


def load(fname):
    """A list or a dictionary of arrays, from a file."""
    try:
        with open(fname, 'rb') as f:
            content = f.read()
    except OSError as e:
        raise MXNetError('cannot read {}: {}'.format(fname, e.strerror)) from e
    return load_frombuffer(content, str(fname))
