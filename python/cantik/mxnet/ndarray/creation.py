"""Arrays from numbers, from nothing, from files."""

import struct

import numpy as np

from ..base import DTYPES, DTYPE_NUMBERS, MXNetError, as_dtype, missing
from .. import split
from ..context import usable
from ..files import write_whole
from .array import NDArray
from .function import named


def _shape(shape):
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(s) for s in shape)


def array(source_array, ctx=None, dtype=None):
    """An array of these numbers; float32 unless they are an NDArray's, or `dtype` says otherwise."""
    ctx = usable(ctx)
    if type(source_array) is np.ndarray and source_array.ndim:
        return NDArray(
            np.array(source_array, np.float32 if dtype is None else as_dtype(dtype), order='C'), ctx
        )
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


def _filled(shape, value, ctx, dtype, out):
    """An array of one number, or `out` filled with it."""
    if out is None:
        return NDArray(np.full(_shape(shape), value, as_dtype(dtype)), usable(ctx))
    if out.shape != _shape(shape):
        raise MXNetError(
            'Shape inconsistent, Provided = {}, inferred shape={}'.format(
                list(out.shape), list(_shape(shape))
            )
        )
    if dtype is not None and out._np.dtype != as_dtype(dtype):
        raise MXNetError(
            'Type inconsistent, Provided = {}, inferred type = {}'.format(out._np.dtype, as_dtype(dtype))
        )
    out[:] = value
    return out


def zeros(shape, ctx=None, dtype=None, stype=None, out=None, **kwargs):
    if stype not in (None, 'default'):
        missing('sparse storage ({})'.format(stype))
    return _filled(shape, 0, ctx, np.float32 if dtype is None else dtype, out)


def ones(shape, ctx=None, dtype=None, out=None, **kwargs):
    return _filled(shape, 1, ctx, np.float32 if dtype is None else dtype, out)


def full(shape, val, ctx=None, dtype=None, out=None):
    return _filled(shape, val, ctx, dtype, out)


def arange(start, stop=None, step=1.0, repeat=1, infer_range=None, ctx=None, dtype='float32'):
    start, stop = (0, start) if stop is None else (start, stop)
    return NDArray(np.repeat(np.arange(start, stop, step), repeat).astype(as_dtype(dtype)), usable(ctx))


def linspace(start, stop, num, endpoint=True, ctx=None, dtype='float32'):
    return NDArray(np.linspace(start, stop, num, endpoint).astype(as_dtype(dtype)), usable(ctx))


def eye(N, M=0, k=0, ctx=None, dtype=None, out=None, **kwargs):
    made = np.eye(N, M or N, k, as_dtype(dtype))
    return NDArray(made, usable(ctx)) if out is None else NDArray(made).copyto(out)


def moveaxis(tensor, source, destination):
    order = np.moveaxis(np.empty([1] * tensor.ndim), source, destination)  # checks the axes
    order = list(range(tensor.ndim))
    sources = [s % tensor.ndim for s in ([source] if isinstance(source, int) else source)]
    goals = [d % tensor.ndim for d in ([destination] if isinstance(destination, int) else destination)]
    order = [i for i in order if i not in sources]
    for goal, s in sorted(zip(goals, sources)):
        order.insert(goal, s)
    return tensor.transpose(axes=tuple(order))


def split_v2(ary, indices_or_sections, axis=0, squeeze_axis=False):
    """Parts along an axis: a number of equal ones, or from each index to the next."""
    return named('_split_v2')(ary, **split.attributes(indices_or_sections, axis, squeeze_axis))


def histogram(a, bins=10, range=None):
    """How many numbers lie in each of the bins, and the bins' limits."""
    if isinstance(bins, NDArray):
        return named('_histogram')(a, bins)
    range = (float(a._np.min()), float(a._np.max())) if range is None else range
    return named('_histogram')(a, bin_cnt=bins, range=range)


def onehot_encode(indices, out):
    """A row with a 1 for each index, into `out`."""
    return named('_onehot_encode')(indices, out, out=out)


def concatenate(arrays, axis=0, always_copy=True):
    return arrays[0] if len(arrays) == 1 and not always_copy else named('Concat')(*arrays, dim=axis)


def waitall():
    """Results are there when a call returns."""


# ---- MXNet's files of arrays: a list, or a dictionary from names
_LIST, _ARRAY = 0x112, 0xF993FAC9
_ARRAY_WITH_SCALARS = 0xF993FACA


def array_bytes(x):
    """One array, as it stands in a file."""
    head = (
        struct.pack('<IiI', _ARRAY, 0, x.ndim)
        + struct.pack('<{}q'.format(x.ndim), *x.shape)
        + struct.pack('<iii', 1, 0, DTYPE_NUMBERS[x._np.dtype])
    )
    return head + np.ascontiguousarray(x._np).tobytes()


def save(fname, data):
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
            raise MXNetError('Invalid NDArray file format: {} ends too early'.format(self.what))
        self.at += size
        return self.content[self.at - size : self.at]

    def numbers(self, form):
        return struct.unpack('<' + form, self.take(struct.calcsize('<' + form)))


def _read_array(r):
    (magic,) = r.numbers('I')
    if magic not in (_ARRAY, _ARRAY_WITH_SCALARS):
        raise MXNetError(
            'Invalid NDArray file format: an array of {} begins with {:#x}'.format(r.what, magic)
        )
    storage, rank = r.numbers('iI')
    if storage != 0:
        missing('sparse storage (in {})'.format(r.what))
    if rank > 32:
        raise MXNetError('Invalid NDArray file format: an array of {} has {} axes'.format(r.what, rank))
    shape = r.numbers('{}q'.format(rank))
    _, _, number = r.numbers('iii')
    if number not in DTYPES or any(s < 0 for s in shape):
        raise MXNetError(
            'Invalid NDArray file format: an array of {} has the type {} and the shape {}'.format(
                r.what, number, shape
            )
        )
    t = np.dtype(DTYPES[number])
    count = 1
    for s in shape:
        count *= s
    return NDArray(np.frombuffer(bytearray(r.take(count * t.itemsize)), t).reshape(shape))


def array_of(content, what):
    """The array of these bytes, which are all that there is."""
    r = _Reader(content, what)
    made = _read_array(r)
    if r.at != len(content):
        raise MXNetError(
            'Invalid NDArray file format: {} bytes behind an array of {}'.format(len(content) - r.at, what)
        )
    return made


def load_frombuffer(buf, what='the buffer'):
    """A list or a dictionary of arrays, from the bytes of a file."""
    r = _Reader(bytes(buf), what)
    magic, _, count = r.numbers('QQQ')
    if magic != _LIST or count > len(buf):
        raise MXNetError('Invalid NDArray file format: {} is no file of arrays'.format(what))
    arrays = [_read_array(r) for _ in range(count)]
    (named,) = r.numbers('Q')
    if named == 0:
        return arrays
    if named != count:
        raise MXNetError(
            'Invalid NDArray file format: {} has {} arrays and {} names'.format(what, count, named)
        )
    return {r.take(r.numbers('Q')[0]).decode(): x for x in arrays}


def load(fname):
    """A list or a dictionary of arrays, from a file."""
    try:
        with open(fname, 'rb') as f:
            content = f.read()
    except OSError as e:
        raise MXNetError('cannot read {}: {}'.format(fname, e.strerror)) from e
    return load_frombuffer(content, str(fname))
