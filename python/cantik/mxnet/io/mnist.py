"""MNISTIter: pictures and labels of files in MNIST's format, packed by gzip or not."""

from __future__ import annotations

import gzip
import os
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import MXNetError
from .memory import NDArrayIter

if TYPE_CHECKING:
    from ..._types import PathLike


def read(path: PathLike) -> np.ndarray:
    """The array of an IDX file of bytes."""
    found = next((p for p in (path, path + '.gz') if os.path.exists(p)), None)
    if found is None:
        raise MXNetError(f'cannot read {path}: there is no such file')
    with open(found, 'rb') as f:
        content = f.read()
    if content[:2] == b'\x1f\x8b':
        content = gzip.decompress(content)
    if len(content) < 4 or content[:3] != b'\0\0\x08':
        raise MXNetError(f'{found} is no file of bytes in the format of MNIST')
    rank = content[3]
    if len(content) < 4 + 4 * rank:
        raise MXNetError(f'{found} ends too early')
    shape = struct.unpack(f'>{rank}I', content[4 : 4 + 4 * rank])
    numbers = np.frombuffer(content, np.uint8, offset=4 + 4 * rank)
    count = 1
    for s in shape:
        count *= s
    if count != numbers.size:
        raise MXNetError(f'{found} has {numbers.size} numbers, its head says {shape}')
    return numbers.reshape(shape)


class MNISTIter(NDArrayIter):
    """Batches of [batch, 1, 28, 28], or [batch, 784] where flat, in numbers from 0 to 1. A last batch that is
    not full is left out."""

    def __init__(
        self,
        image: Any = './train-images-idx3-ubyte',
        label: Any = './train-labels-idx1-ubyte',
        batch_size: int = 128,
        shuffle: bool = True,
        flat: bool = False,
        seed: int = 0,
        silent: bool = False,
        num_parts: int = 1,
        part_index: float = 0,
        input_shape: Any = None,
        data_name: str = 'data',
        label_name: str = 'softmax_label',
        prefetch_buffer: float = 4,
        dtype: Any = 'float32',
        ctx: Any = None,
        prefetch: Any = None,
    ):
        pictures, labels = read(image), read(label)
        if len(pictures) != len(labels):
            raise MXNetError(f'{image} has {len(pictures)} pictures, {label} has {len(labels)} labels')
        if num_parts > 1:
            size = len(labels) // num_parts
            pictures, labels = (
                pictures[part_index * size : (part_index + 1) * size],
                labels[part_index * size : (part_index + 1) * size],
            )
        if shuffle:
            order = np.random.RandomState(seed).permutation(len(labels))
            pictures, labels = pictures[order], labels[order]
        shape = (-1,) if flat else (1,) + pictures.shape[1:]
        shape = tuple(input_shape) if input_shape else shape
        super().__init__(
            {data_name: (pictures.reshape((len(labels),) + shape) * np.float32(1 / 256)).astype(dtype)},
            {label_name: labels.astype(np.float32)},
            batch_size,
            last_batch_handle='discard',
        )
