"""Copies while autograd records are part of what it records, as in MXNet 1.9.1; what would be lost is
refused."""

import numpy as np
import pytest

import cantik.mxnet as mx

nd = mx.nd


def zeros_set(x):
    z = nd.zeros((3,))
    z[:] = x
    return z * 2 + x


def rows_set(x):
    z = nd.zeros((2, 3))
    z[:] = x
    return z.sum() * 2 + x


def copied_into(x):
    z = nd.zeros((3,))
    x.copyto(z)
    return z * 2 + x


COPIES = {
    'assigned': (zeros_set, 3),
    'assigned to several rows': (rows_set, 13),
    'copied into an array': (copied_into, 3),
    'copied to a context': (lambda x: x.copyto(mx.cpu()) * 2 + x, 3),
    'in another context': (lambda x: x.as_in_context(mx.cpu(1)) * 2, 2),
    'in this context': (lambda x: x.as_in_context(mx.cpu()) * 2, 2),
    'an array of it': (lambda x: nd.array(x) * 2 + x, 3),
    'of another type': (lambda x: nd.array(x, dtype='float64').astype('float32') * 2 + x, 3),
    'a copy': (lambda x: x.copy() * 2 + x, 3),
    'of another shape': (lambda x: x.reshape_like(nd.ones((3, 1))) * 2, 2),
    'apart': (lambda x: x.detach() * 2 + x, 1),
}


@pytest.mark.parametrize('name', COPIES)
def test_gradients_through_copies(name):
    make, wanted = COPIES[name]
    x = nd.array([1.0, 2, 3])
    x.attach_grad()
    with mx.autograd.record():
        y = make(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [wanted] * 3


def one_set(x):
    nd.zeros((3,))[0] = x[0]


def added(x):
    z = nd.zeros((3,))
    z += x


def into_a_leaf(x):
    z = nd.zeros((3,))
    z.attach_grad()
    x.copyto(z)


@pytest.mark.parametrize('change', [one_set, added, into_a_leaf])
def test_what_would_be_lost_is_refused(change):
    x = nd.array([1.0, 2, 3])
    x.attach_grad()
    with mx.autograd.record(), pytest.raises(mx.MXNetError, match='Inplace operations'):
        change(x)
    change(x)  # outside it is a copy


def test_a_shape_like_anothers_is_a_copy():
    x = nd.zeros((2, 2))
    x.reshape_like(nd.ones((4,)))[:] = 7
    assert np.all(x.asnumpy() == 0)
