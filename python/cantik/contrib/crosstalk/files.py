"""Files of values: an array as .npy, anything else of arrays as .pkl, in the forms of CNTK 2.7.

A pickle may name any function and have it called. The reader here takes the instructions that arrays, texts,
numbers, lists, tuples and dictionaries need, and resolves no name but those of arrays and of the classes in
`kinds`; it imports nothing.
"""

from __future__ import annotations

import io
import os
import pickle
import pickletools
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._files import write_whole
from . import kinds

if TYPE_CHECKING:
    from ..._types import PathLike

_KINDS = {kind.__name__: kind for kind in (kinds.Conv2DArgs, kinds.RnnArgs)}
_INSTRUCTIONS = set(
    """
    PROTO FRAME STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT SHORT_BINUNICODE
    BINUNICODE SHORT_BINBYTES BINBYTES BINBYTES8 EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST APPEND
    APPENDS EMPTY_DICT SETITEM SETITEMS GLOBAL STACK_GLOBAL REDUCE NEWOBJ BUILD MEMOIZE PUT BINPUT LONG_BINPUT
    GET BINGET LONG_BINGET""".split()
)


def write(path: PathLike, value: Any) -> None:
    """Writes a value in place of the one that was there.

    Args:
        path (str): without an ending
        value: an array, or a list, tuple, dictionary, Conv2DArgs or RnnArgs of arrays, numbers and texts
    """
    others = {'.npy': '.pkl', '.pkl': '.npy'}
    ending = '.npy' if isinstance(value, np.ndarray) else '.pkl'
    content = io.BytesIO()
    if ending == '.npy':
        np.save(content, value, allow_pickle=False)
    else:
        _Writer(content, protocol=3).dump(value)
    write_whole(path + ending, content.getvalue())
    if os.path.exists(path + others[ending]):
        os.remove(path + others[ending])


def read(path: PathLike) -> Any:
    """A value that was written, here or by CNTK 2.7.

    Args:
        path (str): without an ending
    """
    if os.path.exists(path + '.npy'):
        return np.load(path + '.npy', allow_pickle=False)
    if not os.path.exists(path + '.pkl'):
        raise FileNotFoundError(f'there is no value at {path}: neither .npy nor .pkl')
    with open(path + '.pkl', 'rb') as file:
        content = file.read()
    try:
        return _read(content)
    except (
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        EOFError,
        MemoryError,
        OverflowError,
        pickle.UnpicklingError,
    ) as error:
        raise ValueError(f'{path}.pkl is not a file of arrays: {error}') from None


class _Writer(pickle.Pickler):
    """Arrays by their type, shape and bytes, which every NumPy reads."""

    def reducer_override(self, value):
        if isinstance(value, np.generic):
            value = np.asarray(value)
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in 'biufSU':
                raise TypeError(f'arrays of {value.dtype} cannot be saved')
            return np.ndarray, (value.shape, value.dtype.str, value.tobytes())
        if isinstance(value, type) or callable(value):
            if getattr(value, '__name__', None) not in _KINDS and value is not np.ndarray:
                raise TypeError(
                    f'{value!r} is not saved: arrays, numbers, texts, and lists and dictionaries of them are'
                )
        return NotImplemented


class _Array:
    """NumPy's ways to tell an array in a pickle, bounded by the bytes that are there."""

    def __new__(cls, shape, dtype=None, content=b''):
        return object.__new__(cls) if dtype is None else _array(shape, dtype, content)

    def __setstate__(self, state):
        _, shape, dtype, in_columns, content = state
        self.array = _array(shape[::-1], dtype, content).T if in_columns else _array(shape, dtype, content)


class _DType:
    """NumPy's type of elements."""

    def __init__(self, text, *_):
        self.text = text

    def __setstate__(self, state):
        self.text = {'<': '<', '>': '>'}.get(state[1], '') + self.text


def _array(shape, dtype, content):
    dtype = np.dtype(dtype.text if isinstance(dtype, _DType) else str(dtype))
    if dtype.kind not in 'biufSU' or not isinstance(content, bytes):
        raise ValueError(f'it holds an array of {dtype}')
    return np.frombuffer(content, dtype).reshape(shape).copy()


class _Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) in (('numpy', 'ndarray'), ('numpy', 'dtype')):
            return {'ndarray': _Array, 'dtype': _DType}[name]
        if module in ('numpy.core.multiarray', 'numpy._core.multiarray') and name == '_reconstruct':
            return lambda kind, shape, typecode: kind(shape)
        if (module, name) == ('_codecs', 'encode'):  # bytes, as Python 2 reads them too
            return lambda text, encoding: str(text).encode('latin1')
        if module in ('cntk.contrib.crosstalk', 'cantik.contrib.crosstalk') and name in _KINDS:
            return _KINDS[name]
        raise ValueError(f'it names {module}.{name}, and holds more than arrays')


def _read(content):
    for instruction, argument, _ in pickletools.genops(content):
        if instruction.name not in _INSTRUCTIONS:
            raise ValueError(f'it holds the instruction {instruction.name}, which no array needs')
        if 'PUT' in instruction.name and argument is not None and argument > len(content):
            raise ValueError('it counts more objects than it has bytes')
    return _finished(_Reader(io.BytesIO(content)).load())


def _finished(value):
    """The value with its arrays in their places."""
    if isinstance(value, _Array):
        return value.array
    if isinstance(value, dict):
        return {key: _finished(v) for key, v in value.items()}
    if isinstance(value, tuple(_KINDS.values())):
        return type(value)(*map(_finished, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(_finished, value))
    if value is None or isinstance(value, (np.ndarray, int, float, str, bytes)):
        return value
    raise ValueError(f'it holds {type(value).__name__}')
