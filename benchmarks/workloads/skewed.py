"""Sequences of the recurrent workloads: eight minibatches of 32, 35 steps long on average, the longest of
each 100 (or all of 50)."""

import numpy as np


def size_of(workload):
    """Of inputs and states."""
    return (32, 32) if 'small' in workload else (128, 256)


def sequences(workload):
    """[8, 32, 100, inputs] with zeros behind each end, lengths [8, 32], labels [8, 32]."""
    rs = np.random.RandomState(0)
    lengths = np.minimum(rs.geometric(1 / 38, size=(8, 32)), 100)
    x = rs.randn(8, 32, 100, size_of(workload)[0]).astype(np.float32)
    labels = rs.randint(0, 10, (8, 32))
    if workload.endswith('equal'):
        lengths[:], x = 50, np.ascontiguousarray(x[:, :, :50])
    x *= np.arange(x.shape[2])[:, None] < lengths[:, :, None, None]
    return x, lengths, labels


def by_length(x, lengths, labels):
    """The same sequences in minibatches of neighbours in length, as a user who sorts makes them."""
    order = np.argsort(lengths.reshape(-1), kind='stable')
    return [v.reshape((-1,) + v.shape[2:])[order].reshape(v.shape) for v in (x, lengths, labels)]
