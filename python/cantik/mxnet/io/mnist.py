"""MNISTIter: pictures and labels of files in MNIST's format, packed by gzip or not."""

import gzip
import os
import struct

import numpy as np

from ..base import MXNetError
from .memory import NDArrayIter


def read(path):
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
        image='./train-images-idx3-ubyte',
        label='./train-labels-idx1-ubyte',
        batch_size=128,
        shuffle=True,
        flat=False,
        seed=0,
        silent=False,
        num_parts=1,
        part_index=0,
        input_shape=None,
        data_name='data',
        label_name='softmax_label',
        prefetch_buffer=4,
        dtype='float32',
        ctx=None,
        prefetch=None,
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
