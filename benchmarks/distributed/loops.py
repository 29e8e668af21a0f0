"""What the sides have in common: sizes, data, how a step is timed."""

import statistics
import time

import numpy as np

FLOATS = 10_000_000  # 40 MB
LAYERS, WIDTH = 10, 1000  # the network of as many parameters
COMPUTING = 0.8  # seconds of a backward pass


def median_time(step, repeat, barrier):
    """Seconds of a step, the slowest worker's: all begin together."""
    times = []
    for _ in range(repeat + 1):
        barrier()
        begun = time.perf_counter()
        step()
        times.append(time.perf_counter() - begun)
    return statistics.median(times[1:])


def images(rank, size, minibatches=8, count=256):
    """This worker's part of minibatches like those of mnist_convnet: images, digits."""
    draw = np.random.RandomState(0)
    x = draw.rand(minibatches, count, 28, 28).astype('f')
    digits = draw.randint(0, 10, (minibatches, count))
    return [(x[i, rank::size], digits[i, rank::size]) for i in range(minibatches)]


def sequences(rank, size):
    """This worker's part of the minibatches of lstm_skewed: sequences, labels. They are dealt out by length,
    so that the workers' parts have about as many steps."""
    draw = np.random.RandomState(0)
    lengths = np.minimum(draw.geometric(1 / 38, size=(8, 32)), 100)
    x = draw.randn(8, 32, 100, 128).astype('f')
    labels = draw.randint(0, 10, (8, 32))
    minibatches = []
    for i in range(8):
        order = np.argsort(lengths[i], kind='stable').reshape(-1, size)
        order[1::2] = order[1::2, ::-1]
        own = order[:, rank]
        minibatches.append(([x[i, k, : lengths[i, k]] for k in own], labels[i, own]))
    return minibatches


def samples_for(seconds_of):
    """How many samples take COMPUTING, where seconds_of(samples) is measured."""
    samples = 64
    for _ in range(3):
        samples = max(1, int(samples * COMPUTING / seconds_of(samples)))
    return samples
