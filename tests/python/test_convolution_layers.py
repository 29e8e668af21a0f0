"""What layers of convolutions make of their options, as in CNTK 2.7."""

import numpy as np
import pytest

import cantik as C

IMAGE = (3, 12, 12)


def convolution_in(f):
    """The convolution below a layer's result."""
    f = f.root_function
    while 'dilation' not in f.attributes:
        f = f.block_root if f.is_block else next(i.owner for i in f.inputs if i.is_output)
    return f


@pytest.mark.parametrize('bias', [True, False])
@pytest.mark.parametrize(
    'make, dilation, shape',
    [
        (lambda **o: C.layers.Convolution2D((3, 3), 2, dilation=2, **o), (1, 2, 2), (2, 8, 8)),
        (lambda **o: C.layers.Convolution2D((3, 3), 2, dilation=(1, 2), **o), (1, 1, 2), (2, 10, 8)),
        (lambda **o: C.layers.Convolution((3, 3), 2, dilation=2, **o), (1, 2, 2), (2, 8, 8)),
        (lambda **o: C.layers.ConvolutionTranspose2D((3, 3), 2, dilation=2, **o), (1, 2, 2), (2, 16, 16)),
    ],
    ids=['square', 'one axis', 'any rank', 'transpose'],
)
def test_channels_are_not_dilated(make, dilation, shape, bias):
    f = make(bias=bias)(C.input_variable(IMAGE))
    assert (f.shape, convolution_in(f).attributes['dilation']) == (shape, dilation)


def test_images_without_channels_are_dilated():
    f = C.layers.Convolution2D((3, 3), 2, dilation=2, reduction_rank=0)(C.input_variable(IMAGE[1:]))
    assert (f.shape, convolution_in(f).attributes['dilation']) == ((2, 8, 8), (1, 2, 2))
    line = C.layers.Convolution1D(3, 2, dilation=2)(C.input_variable((3, 12)))
    assert (line.shape, convolution_in(line).attributes['dilation']) == ((2, 8), (1, 2))


@pytest.mark.parametrize('filters', [{}, {'num_filters': ()}, {'num_filters': 0}, {'num_filters': None}])
def test_without_filters_there_is_no_axis_for_them(filters):
    f = C.layers.Convolution2D((3, 3), **filters)(C.input_variable(IMAGE))
    assert (f.shape, f.W.shape) == ((10, 10), (1, 3, 3, 3))
    assert f.eval([np.ones((1, *IMAGE), np.float32)]).shape == (1, 10, 10)


def test_filters_of_several_axes_are_no_ones():
    with pytest.raises(ValueError):
        C.layers.Convolution2D((3, 3), num_filters=-1)(C.input_variable(IMAGE))


@pytest.mark.parametrize('taps, shape', [((3,), (2, 4, 5)), ((3, 3), (2, 4, 5, 6))])
@pytest.mark.parametrize('pad', [False, True])
def test_windows_of_fewer_axes_than_the_pictures_are_refused(taps, shape, pad):
    with pytest.raises(ValueError, match='requires that kernel dim'):
        C.layers.Convolution(taps, 2, pad=pad)(C.input_variable(shape))
