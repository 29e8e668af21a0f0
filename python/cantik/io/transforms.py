"""Transforms of images, for ImageDeserializer."""

from .._checks import number, path, refused, text, whole
from ..internal.dictionaries import Dictionary


def _whole(value, what):
    return whole(value, what, -(2**31), 2**31 - 1)


def _pair(value, what, kind=number, ordered=True):
    """Two numbers as CNTK writes them: "a:b"."""
    pair = value if isinstance(value, (tuple, list)) else (value, value)
    if len(pair) != 2:
        raise refused(what, 'a number or a pair of them', value)
    first, second = (kind(n, what) for n in pair)
    if ordered and not first <= second:
        raise refused(what, 'a number, or a pair of which the first is not larger', value)
    return '{:g}:{:g}'.format(first, second)


def crop(
    crop_type='center', crop_size=0, side_ratio=0.0, area_ratio=0.0, aspect_ratio=1.0, jitter_type='none'
):
    """Cuts a part out."""
    return Dictionary(
        type='Crop',
        cropType=text(crop_type, 'crop_type'),
        cropSize=_pair(crop_size, 'crop_size', _whole, ordered=False),  # width and height
        sideRatio=_pair(side_ratio, 'side_ratio'),
        areaRatio=_pair(area_ratio, 'area_ratio'),
        aspectRatio=_pair(aspect_ratio, 'aspect_ratio'),
        jitterType=text(jitter_type, 'jitter_type'),
    )


def scale(width, height, channels, interpolations='linear', scale_mode='fill', pad_value=-1):
    """Changes the size."""
    width, height, channels = _whole(width, 'width'), _whole(height, 'height'), _whole(channels, 'channels')
    return Dictionary(
        type='Scale',
        width=width,
        height=height,
        channels=channels,
        interpolations=text(interpolations, 'interpolations'),
        scaleMode=text(scale_mode, 'scale_mode'),
        padValue=_whole(pad_value, 'pad_value'),
    )


def mean(filename):
    """Subtracts the mean image of a file."""
    return Dictionary(type='Mean', meanFile=path(filename, 'filename'))


def color(brightness_radius=0.0, contrast_radius=0.0, saturation_radius=0.0):
    """Changes brightness, contrast and saturation at random."""
    return Dictionary(
        type='Color',
        brightnessRadius=number(brightness_radius, 'brightness_radius'),
        contrastRadius=number(contrast_radius, 'contrast_radius'),
        saturationRadius=number(saturation_radius, 'saturation_radius'),
    )
