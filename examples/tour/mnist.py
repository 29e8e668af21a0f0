"""MNIST as arrays: images of shape [28, 28] with numbers from 0 to 1, labels as sparse one-hot rows."""

import gzip
import os

import numpy as np
import scipy.sparse

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, 'data', 'mnist')


def read(name, count=None):
    """The first `count` images and labels of 'train' or 't10k'.

    Returns:
        images `[count, 28, 28]`, float32; digits `[count]`; one-hot labels `[count, 10]`, CSR, float32
    """
    with gzip.open(os.path.join(FOLDER, name + '-images-idx3-ubyte.gz')) as file:
        images = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 28, 28)[:count]
    with gzip.open(os.path.join(FOLDER, name + '-labels-idx1-ubyte.gz')) as file:
        digits = np.frombuffer(file.read(), np.uint8, offset=8)[:count].astype(int)
    return images.astype(np.float32) / 255, digits, one_hot(digits, 10)


def one_hot(classes, count):
    ones = np.ones(len(classes), np.float32)
    return scipy.sparse.csr_matrix((ones, (range(len(classes)), classes)), shape=(len(classes), count))
