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


@pytest.mark.parametrize(
    'kernel, image, due',
    [((2, 3, 3), (4, 4), (2, 6, 6)), ((3, 2, 3, 3), (3, 4, 4), (3, 4, 6, 6)), ((1, 3, 3), (4, 4), (1, 6, 6))],
)
def test_transposed_without_channels_with_several_maps(kernel, image, due):
    """Each map spreads the picture, as CNTK 2.7 does."""
    rng = np.random.default_rng(1)
    x, k = (
        C.input_variable(image, needs_gradient=True),
        C.parameter(init=rng.standard_normal(kernel, np.float32)),
    )
    f = C.convolution_transpose(k, x, reduction_rank=0, auto_padding=[False])
    assert f.shape == due
    a = rng.standard_normal((1, *image), np.float32)
    made = np.zeros(due)
    for at in np.ndindex(*image):
        for tap in np.ndindex(*kernel[1:]):
            made[(slice(None), *np.add(at, tap))] += a[(0, *at)] * k.value[(slice(None), *tap)]
    np.testing.assert_allclose(f.eval({x: a})[0], made, rtol=1e-4, atol=1e-5)
    due_k = np.zeros(kernel[1:])
    for at in np.ndindex(*image):
        due_k += a[(0, *at)]
    g = f.grad({x: a}, wrt=[x, k])
    np.testing.assert_allclose(g[x], np.full_like(a, k.value.sum()), rtol=1e-4)
    np.testing.assert_allclose(g[k], np.broadcast_to(due_k, kernel), rtol=1e-4)


@pytest.mark.parametrize(
    'window, strides, options, shape, sums',
    [
        (3, (2, 2), {}, (2, 4, 2), (672, 656)),
        ((3,), (1, 2, 2), {}, (2, 4, 2), (672, 656)),
        ((1, 3), (2, 2, 2), {}, (1, 4, 2), (168, 160)),
        ((3,), (2, 2), dict(auto_padding=[True]), (2, 4, 3), (1008, 988)),
        ((3, 3), (2, 2, 2), dict(auto_padding=[True, False, True]), (1, 3, 3), (243, 181.5)),
        ((2,), (3, 1), dict(ceil_out_dim=True), (2, 3, 5), (1260, 1245)),
    ],
)
def test_strides_of_pooling_along_more_axes_than_the_window(window, strides, options, shape, sums):
    """The figures are CNTK 2.7's."""
    x = C.input_variable((2, 7, 6))
    numbers = np.arange(84, dtype=np.float32).reshape(1, 2, 7, 6)
    for kind, total in zip((C.MAX_POOLING, C.AVG_POOLING), sums):
        z = C.pooling(x, kind, window, strides, **options)
        assert z.shape == shape and z.eval({x: numbers}).sum() == total
