"""Transforms of images, for ImageDeserializer."""
from ..cntk_py import Dictionary


def crop(crop_type='center', crop_size=0, side_ratio=0.0, area_ratio=0.0, aspect_ratio=1.0, jitter_type='none'):
    """Cuts a part out."""
    return Dictionary(type='Crop', cropType=crop_type, cropSize=crop_size, sideRatio=side_ratio, areaRatio=area_ratio, aspectRatio=aspect_ratio, jitterType=jitter_type)


def scale(width, height, channels, interpolations='linear', scale_mode='fill', pad_value=-1):
    """Changes the size."""
    return Dictionary(type='Scale', width=width, height=height, channels=channels, interpolations=interpolations, scaleMode=scale_mode, padValue=pad_value)


def mean(filename):
    """Subtracts the mean image of a file."""
    return Dictionary(type='Mean', meanFile=filename)


def color(brightness_radius=0.0, contrast_radius=0.0, saturation_radius=0.0):
    """Changes brightness, contrast and saturation at random."""
    return Dictionary(type='Color', brightnessRadius=brightness_radius, contrastRadius=contrast_radius, saturationRadius=saturation_radius)
