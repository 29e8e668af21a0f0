"""What a training did, epoch by epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._html import table
from ..plots import curves_of, plot_training

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._types import PathLike
    from ..ops.functions import Function
    from ..variables import Record


class History:
    """The epochs of a training: records of `epoch`, `loss`, the metrics, `val_loss` and the metrics of the
    validation data as `val_...`, `rate` and `seconds`.

    `history['loss']` is the list of one entry over all epochs, `history[-1]` the record of one epoch. A
    notebook shows the curves and a table.

    Args:
        epochs (list): the records
        model (Function): the network that was trained
        classes (list): the names of the classes, in the order of the outputs; empty where labels are no
            names. Of several outputs a dictionary of such lists
        best_epoch (int): the epoch whose parameters the model has; None for the last one
    """

    def __init__(
        self,
        epochs: list[Record],
        model: Function,
        classes: Any = None,
        best_epoch: int | None = None,
    ):
        self.epochs, self.model = epochs, model
        self.classes = dict(classes) if isinstance(classes, dict) else list(classes or [])
        self.best_epoch = best_epoch

    def names(self) -> list[str]:
        """The entries of a record, but for the number of the epoch."""
        return [name for name in self.epochs[0] if name != 'epoch'] if self.epochs else []

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return self.epochs[key]
        if key not in self.names():
            raise KeyError(f"the history has no '{key}'; it has {', '.join(self.names())}")
        return [record[key] for record in self.epochs]

    def __len__(self) -> int:
        return len(self.epochs)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.epochs)

    def _rows(self):
        """The table's head, and its rows as texts."""
        head = ['epoch', *self.names()]
        return head, [[_shown(record[name]) for name in head] for record in self.epochs]

    def __repr__(self):
        head, rows = self._rows()
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        lines = ['  '.join(cell.rjust(width) for cell, width in zip(row, widths)) for row in [head, *rows]]
        return '\n'.join(lines)

    def _repr_html_(self):
        head, rows = self._rows()
        return (curves_of(self).svg() if self.epochs else '') + table(head, rows)

    def plot(self, filename: PathLike | None = None) -> Any:
        """Draws the curves: see plot_training.

        Args:
            filename (str): an SVG or PNG file; None for a picture that notebooks show
        """
        return plot_training(self, filename)


def _shown(value):
    return str(value) if isinstance(value, int) else f'{value:.4g}'
