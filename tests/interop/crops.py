#!/usr/bin/env python3
"""Where crops without offsets begin, by the layers between their operands. Runs under CNTK 2.7 and under
Cantik: both print the same.

    PYTHON tests/interop/crops.py

A line for each pair of networks over one image of 24 x 24: which row and column of the first lies under the
first pixel of the second.
"""

import sys
import warnings

import numpy as np

warnings.simplefilter('ignore')
import cntk as C

L, SIZE = C.layers, 24
x, y = C.input_variable((1, SIZE, SIZE), name='x'), C.input_variable((1, SIZE, SIZE), name='y')
FEED = np.zeros((1, 1, SIZE, SIZE), np.float32)


def conv(kernel, strides=1, pad=False):
    return L.Convolution2D(
        kernel if isinstance(kernel, tuple) else (kernel, kernel), 1, strides=strides, pad=pad, bias=False
    )


def back(kernel, strides=1, pad=False):
    return L.ConvolutionTranspose((kernel, kernel), 1, strides=strides, pad=pad, bias=False)


def pool(kernel, strides=1, pad=False, layer=L.MaxPooling):
    return layer((kernel, kernel), strides=strides, pad=pad)


def plain(v):
    return v * 1


def cases():
    for k in (1, 2, 3, 4, 5):
        yield 'convolution %d' % k, plain, conv(k)
        yield 'convolution %d padded' % k, plain, conv(k, 1, True)
    for k, s in ((3, 2), (2, 2), (4, 2), (5, 3), (3, 3)):
        yield 'there and back %d / %d' % (k, s), L.Sequential([conv(k, s), back(k, s)]), conv(5)
        yield 'there padded and back %d / %d' % (k, s), L.Sequential([conv(k, s, True), back(k, s)]), conv(5)
        yield (
            'there and back padded %d / %d' % (k, s),
            L.Sequential([conv(k, s, True), back(k, s, True)]),
            conv(5),
        )
        yield 'under there and back %d / %d' % (k, s), plain, L.Sequential([conv(k, s), back(k, s)])
    yield 'pooling padded', L.Sequential([pool(3, 2, True), back(4, 2)]), plain
    yield 'pooling', L.Sequential([pool(2, 2), back(4, 2)]), plain
    yield 'pooling odd', L.Sequential([pool(2, 2), back(3, 2)]), plain
    yield 'pooling average', L.Sequential([pool(2, 2, False, L.AveragePooling), back(4, 2)]), plain
    yield 'pooling and convolution', L.Sequential([pool(2, 2), conv(3, 1, True), back(4, 2)]), conv(3)
    yield 'at half the size', conv(3, 2, True), pool(2, 2)
    yield 'two of 2', plain, L.Sequential([conv(2), conv(2)])
    yield 'two of 4', plain, L.Sequential([conv(4), conv(4)])
    yield 'halves', L.Sequential([back(4, 2), conv(2, 2)]), conv(3)
    yield 'thirds', L.Sequential([back(5, 3), conv(2, 3)]), conv(5)
    yield 'thirds on the other side', conv(3), L.Sequential([back(5, 3), conv(2, 3), conv(5)])
    yield 'not square', plain, conv((3, 5))
    yield 'elementwise', plain, L.Sequential([conv(3), lambda v: C.relu(v) + 1, lambda v: v * C.sigmoid(v)])
    yield 'batch normalization', plain, L.Sequential([conv(3), L.BatchNormalization()])
    yield 'two ways, the last', plain, lambda v: conv(5)(v) + C.crop_manual(v * 1, conv(5)(v), 0, 1)
    yield 'two ways, the last again', plain, lambda v: C.crop_manual(v * 1, conv(5)(v), 0, 1) + conv(5)(v)
    yield 'a crop on the way', plain, lambda v: C.crop_manual(conv(3)(v), conv(5)(v), 1, 2)
    yield 'a crop without offsets on the way', plain, lambda v: C.crop_automatic(conv(3)(v), conv(5)(v))
    yield 'of unlike scales', plain, pool(2, 2)
    yield 'before the image', conv(3), plain
    yield 'through a reshape', plain, lambda v: C.reshape(conv(3)(v), (1, 22, 22))


def numbered(v):
    return v * 0 + C.constant(np.arange(v.shape[1] * v.shape[2], dtype=np.float32).reshape(1, *v.shape[1:]))


def offsets(name, crop, of):
    try:
        first = int(np.asarray(crop.eval(dict.fromkeys(crop.arguments, FEED))).flat[0])
        print(name, '%d %d' % divmod(first, of.shape[2]))
    except RuntimeError:
        print(name, 'RuntimeError')


for name, first, second in cases():
    a = numbered(first(x))
    offsets(name, C.crop_automatic(a, second(x)), a)
a = numbered(conv(3)(x))
offsets('with ancestors', C.crop_automatic_with_ancestors(a, conv(5)(y), x, y), a)
offsets('with the wrong ancestors', C.crop_automatic_with_ancestors(a, conv(5)(y), y, x), a)
offsets('without ancestors', C.crop_automatic(a, conv(5)(y)), a)
sys.stdout.flush()
