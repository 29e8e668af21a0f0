"""The numbers of a caffemodel, of its protobuf's wire format: of each layer its name and its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ['weights_of']

# Fields of NetParameter, of LayerParameter and its predecessor, of BlobProto and of BlobShape.
_LAYERS = {100: (1, 7), 2: (4, 6)}  # field of layers: (that of a layer's name, that of its blobs)
_OLD_SHAPE = 1, 2, 3, 4
_FLOATS, _SHAPE, _DOUBLES, _DIM = 5, 7, 8, 1


def _fields(content):
    """(number, value) of the fields of a message: whole numbers as they are, anything else as a view of its
    bytes."""
    at, end = 0, len(content)
    while at < end:
        key, at = _varint(content, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(content, at)
        else:
            if kind == 2:
                size, at = _varint(content, at)
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
            else:
                raise ValueError(f'a field has the unknown wire type {kind}')
            if size > end - at:
                raise ValueError(f'a field has {size} bytes, but only {end - at} are left')
            value, at = content[at : at + size], at + size
        yield number, value


def _varint(content, at):
    value = shift = 0
    while True:
        if at >= len(content) or shift > 63:
            raise ValueError('a number does not end')
        byte = content[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def _array(content):
    """The numbers of a blob in its shape."""
    parts, old, shape = {_FLOATS: [], _DOUBLES: []}, {}, None
    for number, value in _fields(content):
        if number in parts and not isinstance(value, int):
            parts[number].append(value)
        elif number in _OLD_SHAPE and isinstance(value, int):
            old[number] = value
        elif number == _SHAPE and not isinstance(value, int):
            shape = _dims(value)
    kind = '<f8' if parts[_DOUBLES] else '<f4'
    joined = b''.join(parts[_DOUBLES] or parts[_FLOATS])
    if len(joined) % np.dtype(kind).itemsize:
        raise ValueError(
            f'a blob has {len(joined)} bytes, which is not a multiple of {np.dtype(kind).itemsize}'
        )
    numbers = np.frombuffer(joined, kind).astype(np.float32)
    if shape is None:
        shape = [old.get(n, 1) for n in _OLD_SHAPE] if old else [numbers.size]
    size = 1
    for n in shape:
        size *= n
    if size != numbers.size:
        raise ValueError(f'a blob of the shape {tuple(shape)} has {numbers.size} numbers')
    return numbers.reshape(shape)


def _dims(content):
    dims = []
    for number, value in _fields(content):
        if number != _DIM:
            continue
        if isinstance(value, int):
            dims.append(value)
            continue
        at = 0
        while at < len(value):
            n, at = _varint(value, at)
            dims.append(n)
    if len(dims) > 32:
        raise ValueError(f'a blob has {len(dims)} axes, and at most 32 are possible')
    return dims


def weights_of(content: bytes) -> dict[Any, Any]:
    """The arrays of a network's layers.

    Args:
        content (bytes): of a caffemodel

    Returns:
        dict: from names of layers to lists of arrays of float32
    """
    found = {}
    try:
        for number, layer in _fields(memoryview(content)):
            if number in _LAYERS and not isinstance(layer, int):
                name_field, blob_field = _LAYERS[number]
                inside = list(_fields(layer))
                name = b''.join(
                    bytes(v) for n, v in inside if n == name_field and not isinstance(v, int)
                ).decode()
                found[name] = [_array(v) for n, v in inside if n == blob_field and not isinstance(v, int)]
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f'the file is not a caffemodel: {error}') from None
    return found
