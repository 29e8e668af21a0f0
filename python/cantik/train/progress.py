"""What Function.train gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._html import table
from ..plots import curves_of, plot_training
from ..variables import Record

if TYPE_CHECKING:
    from .._types import PathLike


class Progress(Record):
    """A record of `updates` and `epoch_summaries`, each with loss, metric and samples, and of `test_summary`
    where there was a test. A notebook shows the curves and a table of the epochs."""

    def plot(self, filename: PathLike | None = None) -> Any:
        """Draws the curves: see plot_training.

        Args:
            filename (str): an SVG or PNG file; None for a picture that notebooks show
        """
        return plot_training(self, filename)

    def _repr_html_(self):
        rows = [
            (str(number), *(f'{summary[name]:.5g}' for name in ('loss', 'metric')), str(summary.samples))
            for number, summary in enumerate(self.epoch_summaries, 1)
        ]
        tested = self.get('test_summary')
        below = '' if tested is None else f'test: metric {tested.metric:.5g}, {tested.samples} samples'
        picture = curves_of(self).svg() if self.epoch_summaries else ''
        return picture + table(('epoch', 'loss', 'metric', 'samples'), rows, below)
