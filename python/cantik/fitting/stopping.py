"""Early stopping: when a training no longer gets better, and which parameters were the best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .._checks import shown, text, whole
from .metrics import SMALLER_IS_BETTER

if TYPE_CHECKING:
    from ..ops.functions import Function
    from ..variables import Record


class EarlyStopping:
    """Watches one entry of the epochs' records.

    Args:
        model (Function): whose parameters are kept
        monitor (str): the entry. Smaller is better for losses, mse and mae, larger for all others
        patience (int): how many epochs may go by without a better one
    """

    def __init__(self, model: Function, monitor: str, patience: int):
        self._model, self._monitor = model, text(monitor, 'monitor')
        self._patience = whole(patience, 'patience', 1)
        name = monitor[4:] if monitor.startswith('val_') else monitor
        self._sign = 1 if name in SMALLER_IS_BETTER else -1
        self._best, self._state, self.best_epoch = math.inf, None, None

    def goes_on(self, record: Record) -> bool:
        """Whether the training is to go on after this epoch."""
        if self._monitor not in record:
            names = ', '.join(name for name in record if name != 'epoch')
            raise ValueError(f'monitor must be one of {names}, not {shown(self._monitor)}')
        value = self._sign * record[self._monitor]
        if value < self._best:
            self._best, self.best_epoch = value, record.epoch
            self._state = self._model.state_dict()
        return self.best_epoch is None or record.epoch - self.best_epoch < self._patience

    def restore(self) -> None:
        """Gives the model the parameters of the best epoch."""
        if self._state is not None:
            self._model.load_state_dict(self._state)
