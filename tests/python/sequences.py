"""Sequences for tests: arrays of any lengths, whose numbers tell where they stand."""

import numpy as np


def steps(n, width=3, dtype=np.float32, start=0):
    return (np.arange(n * width) + start).reshape(n, width).astype(dtype)


def ragged(*lengths, **kwargs):
    return [steps(n, start=100 * i, **kwargs) for i, n in enumerate(lengths)]


def same(a, b):
    return len(a) == len(b) and all(x.shape == y.shape and np.array_equal(x, y) for x, y in zip(a, b))
