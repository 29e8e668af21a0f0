"""Pictures of trainings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .._checks import path, refused
from .._files import write_whole
from .curves import Curves, curves_of
from .png import write_png as _write_png

if TYPE_CHECKING:
    from .._types import PathLike

__all__ = ['Curves', 'curves_of', 'plot_training']


def picture_file(filename: Any) -> str:
    """The path of a picture that plot_training can write."""
    found = path(filename, 'filename')
    if os.path.splitext(found)[1].lower() not in ('.svg', '.png'):
        raise refused('filename', 'the path of a file that ends in .svg or .png', filename)
    return found


def plot_training(history: Any, filename: PathLike | None = None) -> Curves:
    """Draws how a training went: one panel for the loss and one for each metric, with the validation data
    beside the training data, and one for the rate where it changes.

    Args:
        history: what `fit` or `Function.train` returned; or a dictionary from names to lists of numbers
        filename (str): a file ending in .svg, or in .png (drawn by matplotlib); None to write none

    Returns:
        the curves, which a notebook shows; `svg()` is the picture as a text

    Raises:
        ValueError: another kind of file, or no epoch to draw
        ImportError: a PNG file where matplotlib is not installed

    Example:
        >>> import cantik as C
        >>> picture = C.plot_training({'loss': [2.0, 1.0, 0.5], 'val_loss': [2.1, 1.3, 1.1]}, 'training.svg')
        >>> picture.svg().startswith('<svg')
        True
    """
    curves = curves_of(history)
    if filename is None:
        return curves
    filename = picture_file(filename)
    if filename.lower().endswith('.png'):
        _write_png(curves, filename)
    else:
        write_whole(filename, curves.svg())
    return curves
