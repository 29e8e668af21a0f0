"""Curves of a training: which ones there are, and their picture as SVG."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._checks import refused
from .._html import escaped

_WIDTH, _HEIGHT = 320, 240  # of a panel, in pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 28, 40  # around the plane that curves are drawn in
_COLOURS = ('#1f77b4', '#ff7f0e')
_NOT_DRAWN = ('epoch', 'seconds', 'samples')


class Curves:
    """Panels with curves over the epochs; a notebook shows them.

    Args:
        panels (dict): from a panel's title to its curves, a dictionary from names to lists of numbers
    """

    def __init__(self, panels: dict[str, dict[str, list[float]]]):
        self.panels = panels

    def svg(self) -> str:
        """The picture as a text in SVG."""
        width = _WIDTH * len(self.panels)
        parts = [
            f'<g transform="translate({i * _WIDTH} 0)">{_panel(title, lines)}</g>'
            for i, (title, lines) in enumerate(self.panels.items())
        ]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" '
            f'viewBox="0 0 {width} {_HEIGHT}" font-family="sans-serif" font-size="11">'
            f'<rect width="{width}" height="{_HEIGHT}" fill="white"/>{"".join(parts)}</svg>\n'
        )

    def _repr_svg_(self):
        return self.svg()

    def __repr__(self):
        return 'Curves of ' + ', '.join(name for lines in self.panels.values() for name in lines)


def curves_of(history: Any) -> Curves:
    """The curves of what `fit` or `Function.train` returned, or of a dictionary of lists."""
    series = _series(history)
    panels: dict[str, dict[str, list[float]]] = {}
    for name, values in series.items():
        if name in _NOT_DRAWN or (name == 'rate' and len(set(values)) == 1):
            continue
        panels.setdefault(name[4:] if name.startswith('val_') else name, {})[name] = values
    if not panels or not all(values for lines in panels.values() for values in lines.values()):
        raise ValueError('plot_training: the history has no epoch to draw')
    return Curves(panels)


def _series(history):
    """A list of numbers for each name."""
    records = getattr(history, 'epochs', None)
    if records is None and isinstance(history, dict):
        records = history.get('epoch_summaries')
        if records is None:
            return {str(name): _numbers(values, name) for name, values in history.items()}
    if records is None:
        raise refused('history', 'what fit or Function.train returned, or a dictionary of lists', history)
    return {name: [float(r[name]) for r in records] for name in records[0]} if records else {}


def _numbers(values, name):
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        found = None
    if found is None or found.ndim != 1:
        raise refused(f"the curve '{name}'", 'a list of numbers', values)
    return found.tolist()


def _panel(title, lines):
    """One panel: its frame, the numbers beside the axes, the curves and their names."""
    finite = [v for values in lines.values() for v in values if math.isfinite(v)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if low == high:
        margin = abs(low) / 2 or 0.5
        low, high = low - margin, high + margin
    count = max(len(values) for values in lines.values())
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def place(epoch, value):
        x = _LEFT + (right - _LEFT) * ((epoch - 1) / (count - 1) if count > 1 else 0.5)
        return x, bottom - (bottom - _TOP) * (value - low) / (high - low)

    drawn = [
        f'<rect x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" height="{bottom - _TOP}" fill="none" '
        'stroke="#999"/>',
        _text((_LEFT + right) / 2, _TOP - 12, title, 'middle'),
        _text((_LEFT + right) / 2, _HEIGHT - 8, 'epoch', 'middle'),
    ]
    drawn += [
        _text(_LEFT - 6, place(1, value)[1] + 4, f'{value:.3g}', 'end') for value in np.linspace(low, high, 5)
    ]
    drawn += [
        _text(place(epoch, low)[0], bottom + 14, str(epoch), 'middle')
        for epoch in sorted({1, (count + 1) // 2, count})
    ]
    for i, (name, values) in enumerate(lines.items()):
        colour = _COLOURS[i % len(_COLOURS)]
        for run in _finite_runs(values):
            points = [place(epoch, value) for epoch, value in run]
            if len(points) == 1:
                drawn.append(
                    f'<circle cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="2.5" fill="{colour}"/>'
                )
            else:
                line = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
                drawn.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        drawn.append(_text(right - 6, _TOP + 14 + 14 * i, name, 'end', colour))
    return ''.join(drawn)


def _finite_runs(values):
    """Pairs (epoch, value), in runs without a number that is not finite."""
    runs = [[]]
    for epoch, value in enumerate(values, 1):
        if math.isfinite(value):
            runs[-1].append((epoch, value))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _text(x, y, text, anchor, colour='#333'):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escaped(text)}</text>'
