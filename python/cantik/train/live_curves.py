"""Curves that are drawn while a training goes on."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from ..plots import curves_of, picture_file, plot_training
from .callbacks import Callback

if TYPE_CHECKING:
    from .._types import PathLike
    from ..variables import Record

__all__ = ['LiveCurves']


class LiveCurves(Callback):
    """Draws the curves of a training after each of its epochs: in the notebook, where one picture takes the
    place of the other, or into a file, which a browser or an editor shows.

    Args:
        filename (str): a file ending in .svg, or in .png (drawn by matplotlib); None for the notebook

    Raises:
        ValueError: another kind of file
        RuntimeError: without a file name outside of a notebook

    Example:
        >>> import cantik as C, numpy as np
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> z = C.layers.Dense(1)(x)
        >>> data = np.ones((100, 2), np.float32), np.ones((100, 1), np.float32)
        >>> progress = C.squared_error(z, y).train(
        ...     data,
        ...     parameter_learners=[C.sgd(z.parameters, 0.1)],
        ...     max_epochs=3,
        ...     callbacks=[C.train.LiveCurves('curves.svg')],
        ... )
        >>> '<svg' in open('curves.svg').read()
        True
    """

    def __init__(self, filename: PathLike | None = None):
        super().__init__()
        self._filename = None if filename is None else picture_file(filename)
        self._display = _display_of_notebook() if filename is None else None
        self._handle: Any = None
        self._lines: dict[str, list[float]] = {}

    def on_epoch_end(self, session: Any, record: Record) -> None:
        for name, value in record.items():
            if isinstance(value, numbers.Real):
                self._lines.setdefault(name, []).append(float(value))
        if self._filename is not None:
            plot_training(self._lines, self._filename)
        elif self._handle is None:
            self._handle = self._display(curves_of(self._lines), display_id=True)
        else:
            self._handle.update(curves_of(self._lines))

    def state(self) -> dict[str, Any]:
        return {'lines': self._lines}

    def restore(self, state: Any) -> None:
        self._lines = {name: list(values) for name, values in state['lines'].items()}


def _display_of_notebook():
    """IPython's function that shows something in the notebook of this program."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        get_ipython = None
    if get_ipython is None or get_ipython() is None:
        raise RuntimeError(
            'LiveCurves: this program runs in no notebook\n  remedy   give a file: LiveCurves("curves.svg")'
        )
    return display
