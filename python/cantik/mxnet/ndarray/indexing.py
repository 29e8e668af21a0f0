"""Parts of arrays: `x[1]`, `x[:, 2:4]`, `x[places]`. What lies side by side shares the memory, the rest is a
copy."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from .. import tape
from .array import NDArray
from .eager import invoke


def plain_key(key: Any) -> Any:
    """Arrays in a key as whole numbers."""
    if isinstance(key, NDArray):
        return key._np.astype(np.int64)
    if isinstance(key, (str, float)):
        raise ValueError(f'NDArray does not support slicing with key {key} of type {type(key)}.')
    if isinstance(key, tuple):
        return tuple(plain_key(k) for k in key)
    if isinstance(key, np.ndarray) and key.dtype.kind == 'f':
        return key.astype(np.int64)
    return key


def assign(x: Any, key: Any, value: Any) -> None:
    """x[key] = value: an array, a number, or what NumPy makes an array of."""
    if isinstance(value, NDArray):
        value = value._np
    elif not isinstance(value, numbers.Number):
        value = np.asarray(value)
        if value.dtype.kind not in 'fiub':
            raise TypeError(
                f'{NDArray} does not support assignment with non-array-like object {value} of type '
                f'{value.dtype}'
            )
    into = x._np
    key = key if type(key) is slice else plain_key(key)
    if isinstance(value, np.ndarray) and value.size == 1 and value.ndim:
        value = value.reshape(())  # a number, whose place has no axes
    into[key] = value


def part(x: Any, key: Any) -> Any:
    if tape.recording() and x._entry is not None:
        return recorded_part(x, key)
    try:
        made = x._np[plain_key(key)]
    except IndexError as e:
        raise IndexError(str(e).replace('too many indices for array:', 'too many indices:')) from None
    if not isinstance(made, np.ndarray):
        made = x._np[plain_key(key if isinstance(key, tuple) else (key,)) + (np.newaxis,)]
    made = made if made.ndim else made.reshape(1)  # of an element that is picked beside `...`
    return NDArray(made if made.flags.c_contiguous else made.copy(), x._ctx)


def recorded_part(x: Any, key: Any) -> Any:
    """By operators, so that gradients come back."""
    if isinstance(key, (NDArray, np.ndarray, list)):
        places = key if isinstance(key, NDArray) else NDArray(np.asarray(key, np.float32))
        places = NDArray(np.where(places._np < 0, places._np + len(x), places._np))
        return invoke('take', [x, places], {})
    keys = key if isinstance(key, tuple) else (key,)
    if not all(k is None or k is Ellipsis or isinstance(k, (int, np.integer, slice)) for k in keys):
        return _picked(x, keys)
    if Ellipsis in keys:
        at = keys.index(Ellipsis)
        named = sum(k is not None for k in keys) - 1
        keys = keys[:at] + (slice(None),) * (x.ndim - named) + keys[at + 1 :]
    begin, end, step, shape, axis = [], [], [], [], 0
    for k in keys:
        if k is None:
            shape.append(1)
            continue
        if axis >= x.ndim:
            raise IndexError(f'too many indices: array is {x.ndim}-dimensional')
        size = x.shape[axis]
        if isinstance(k, (int, np.integer)):
            if not -size <= k < size:
                raise IndexError(f'index {k} is out of bounds for axis {axis} with size {size}')
            begin.append(int(k) % size)
            end.append(int(k) % size + 1)
            step.append(1)
        else:
            begin.append(k.start)
            end.append(k.stop)
            step.append(k.step)
            shape.append(len(range(*k.indices(size))))
        axis += 1
    made = (
        invoke('slice', [x], {'begin': tuple(begin), 'end': tuple(end), 'step': tuple(step)}) if begin else x
    )
    return made.reshape(tuple(shape) + x.shape[axis:] or (1,))


def _picked(x, keys):
    """What keys with arrays name, of x as one row of elements."""
    places = np.arange(x.size).reshape(x.shape)[plain_key(keys)]
    made = invoke('take', [x.reshape((-1,)), NDArray(places.reshape(-1))], {})
    return made.reshape(places.shape or (1,))
