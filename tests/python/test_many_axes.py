"""Arrays of more axes than the old NumPy had: right, or refused by NumPy; never memory behind the end."""

import numpy as np
import pytest

import cantik as C


def most_axes():
    try:
        np.ones((1,) * 64)
    except ValueError:
        return 32
    return 64


@pytest.mark.parametrize('axes', [31, 32, 33, 40, 62])
def test_numbers_of_many_axes_come_back(axes):
    if axes + 1 > most_axes():
        with pytest.raises(ValueError):
            (C.parameter((1,) * (axes + 1), init=2) + 1).eval()
        return
    assert (C.parameter((1,) * axes, init=2) + 1).eval().shape == (1,) * axes
    x = C.input_variable((1,) * axes)
    found = (x * 2).eval({x: np.ones((3,) + (1,) * axes, np.float32)})
    assert found.shape == (3,) + (1,) * axes and np.all(found == 2)
    y = C.input_variable(3)
    assert C.reshape(y, (3,) + (1,) * (axes - 1)).eval({y: np.ones((1, 3))}).ndim == axes + 1


def test_more_axes_than_numpy_has():
    with pytest.raises(ValueError):
        (C.parameter((1,) * 65, init=2) + 1).eval()
