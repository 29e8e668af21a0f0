"""Curves as a PNG file, by matplotlib."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from .._files import write_whole

if TYPE_CHECKING:
    from .curves import Curves


def write_png(curves: Curves, filename: str) -> None:
    """Draws the panels beside one another."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            'plot_training: PNG files are drawn by matplotlib, which is not installed\n'
            '  remedy   pip install matplotlib, or give a file that ends in .svg'
        ) from error
    figure = Figure(figsize=(4 * len(curves.panels), 3), layout='constrained')
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(curves.panels), squeeze=False)[0]
    for axis, (title, lines) in zip(axes, curves.panels.items()):
        for name, values in lines.items():
            axis.plot(range(1, len(values) + 1), values, label=name, marker='.' if len(values) == 1 else '')
        axis.set_title(title)
        axis.set_xlabel('epoch')
        axis.legend()
    picture = io.BytesIO()
    figure.savefig(picture, format='png')
    write_whole(filename, picture.getvalue())
