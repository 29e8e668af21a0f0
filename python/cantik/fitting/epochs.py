"""What happens in fit when an epoch is over."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from .._cantik import Callback
from ..learners import learning_parameter_schedule
from ..variables import Record
from .optimizers import rate_at
from .prediction import record_of

if TYPE_CHECKING:
    from .._cantik import Learner
    from .history import History
    from .task import Task


class Measurement(Callback):
    """Measures loss and metrics with the parameters that an epoch ended with.

    Args:
        task (Task): the network and its loss
        metrics (list): for each output functions of labels and outputs by their names
    """

    def __init__(self, task: Task, metrics: list[dict[str, Any]]):
        super().__init__()
        self._task, self._metrics = task, metrics
        self.training = self.validation = None  # (data, size of a minibatch)

    def on_epoch_end(self, session: Any, record: Record) -> None:
        begin = time.perf_counter()
        found = {}
        if self.training is not None:
            found = self._over(self.training, '')
            del found['loss']
        if self.validation is not None:
            found.update(self._over(self.validation, 'val_'))
        record.update(found)
        record['seconds'] = record.seconds + time.perf_counter() - begin

    def _over(self, data, prefix):
        samples, size = data
        return record_of(self._task, samples.minibatches(size), self._metrics, prefix)


class Rates(Callback):
    """Sets the rate of each epoch where the user gave a function."""

    def __init__(self, learner: Learner, rate: Any):
        super().__init__()
        self._learner, self._rate = learner, rate if callable(rate) else None

    def on_epoch_end(self, session: Any, record: Record) -> None:
        if self._rate is not None:
            self._learner.reset_learning_rate(
                learning_parameter_schedule(rate_at(self._rate, record.epoch + 1))
            )


class Epochs(Callback):
    """Keeps the records, and ends the training after the last epoch.

    Args:
        history (History): takes the records
        count (int): of epochs
    """

    def __init__(self, history: History, count: int):
        super().__init__()
        self._history, self._count = history, count

    def on_epoch_end(self, session: Any, record: Record) -> None:
        first = dict(epoch=record.epoch, loss=record.loss)
        last = dict(rate=record.rate, seconds=record.seconds)
        between = {name: value for name, value in record.items() if name not in (*first, *last, 'samples')}
        self._history.epochs.append(Record(**first, **between, **last))
        if record.epoch >= self._count:
            session.end()

    def state(self) -> dict[str, Any]:
        return {
            'epochs': [{name: float(value) for name, value in record.items()} for record in self._history]
        }

    def restore(self, state: dict[str, Any]) -> None:
        self._history.epochs[:] = [
            Record(**{name: int(value) if name == 'epoch' else value for name, value in record.items()})
            for record in state['epochs']
        ]
