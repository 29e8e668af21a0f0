"""Transforms of images, for ImageDeserializer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._checks import number, path, refused, text, whole
from ..internal.dictionaries import Dictionary

if TYPE_CHECKING:
    from .._types import PathLike


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
    return f'{first:g}:{second:g}'


def crop(
    crop_type: str = 'center',
    crop_size: int = 0,
    side_ratio: float = 0.0,
    area_ratio: float = 0.0,
    aspect_ratio: float = 1.0,
    jitter_type: str = 'none',
) -> Dictionary:
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


def scale(
    width: int,
    height: int,
    channels: int,
    interpolations: str = 'linear',
    scale_mode: str = 'fill',
    pad_value: int = -1,
) -> Dictionary:
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


def mean(filename: PathLike) -> Dictionary:
    """Subtracts the mean image of a file."""
    return Dictionary(type='Mean', meanFile=path(filename, 'filename'))


def color(
    brightness_radius: float = 0.0, contrast_radius: float = 0.0, saturation_radius: float = 0.0
) -> Dictionary:
    """Changes brightness, contrast and saturation at random."""
    return Dictionary(
        type='Color',
        brightnessRadius=number(brightness_radius, 'brightness_radius'),
        contrastRadius=number(contrast_radius, 'contrast_radius'),
        saturationRadius=number(saturation_radius, 'saturation_radius'),
    )
