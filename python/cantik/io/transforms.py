"""Transforms of images, for ImageDeserializer."""
from ..cntk_py import Dictionary


def _pair(value):
    """Two numbers as CNTK writes them: "a:b"."""
    a, b = value if isinstance(value, (tuple, list)) else (value, value)
    return '{:g}:{:g}'.format(a, b)


def crop(crop_type='center', crop_size=0, side_ratio=0.0, area_ratio=0.0, aspect_ratio=1.0, jitter_type='none'):
    """Cuts a part out."""
    return Dictionary(type='Crop', cropType=crop_type, cropSize=_pair(crop_size), sideRatio=_pair(side_ratio), areaRatio=_pair(area_ratio),
                      aspectRatio=_pair(aspect_ratio), jitterType=jitter_type)


def scale(width, height, channels, interpolations='linear', scale_mode='fill', pad_value=-1):
    """Changes the size."""
    return Dictionary(type='Scale', width=width, height=height, channels=channels, interpolations=interpolations, scaleMode=scale_mode, padValue=pad_value)


def mean(filename):
    """Subtracts the mean image of a file."""
    return Dictionary(type='Mean', meanFile=filename)


def color(brightness_radius=0.0, contrast_radius=0.0, saturation_radius=0.0):
    """Changes brightness, contrast and saturation at random."""
    return Dictionary(type='Color', brightnessRadius=brightness_radius, contrastRadius=contrast_radius, saturationRadius=saturation_radius)
