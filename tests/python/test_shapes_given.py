"""Shapes as programs give them: arrays, numbers of NumPy, sizes that were divided."""

import warnings

import numpy as np
import pytest

import cantik as C


def test_shapes_may_be_arrays():
    x = C.input_variable(np.array([2, 3]))
    assert x.shape == (2, 3) and C.parameter(np.array([4])).shape == (4,)
    assert C.layers.Dense(np.array([2, 5]))(x).shape == (2, 5)
    assert C.layers.Convolution2D(np.array([3, 3]), 2)(C.input_variable((1, 5, 5))).shape == (2, 3, 3)
    assert C.reshape(x, np.array([3, 2])).shape == (3, 2)
    assert C.input_variable(np.array(2)).shape == C.input_variable(np.int64(2)).shape == (2,)
    for wrong in (np.array([[2, 3]]), np.array('a')):
        with pytest.raises(TypeError):
            C.input_variable(wrong)


@pytest.mark.parametrize('size', [2.5, np.float64(2.5), np.float32(2.5), np.array(2.5), np.array([2.5])])
def test_sizes_that_are_not_whole_are_cut_off(size):
    x = C.input_variable(3)
    for make in (
        lambda: C.input_variable(size),
        lambda: C.input_variable((size,)),
        lambda: C.parameter(size),
        lambda: C.layers.Dense(size)(x),
        lambda: C.layers.Embedding(size)(x),
        lambda: C.random.normal(size),
    ):
        with pytest.warns(UserWarning, match='2.5.*cut off|cut off.*2.5'):
            assert make().shape == (2,)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert C.input_variable((np.float32(2), np.array([3]), 4.0)).shape == (2, 3, 4)


@pytest.mark.parametrize('size', [np.inf, np.nan, 1e300, 'a', None, 2j])
def test_what_is_no_size(size):
    with pytest.raises((TypeError, ValueError)):
        C.input_variable((size,))
