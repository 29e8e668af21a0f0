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


class Epochs(Callback):
    """Keeps the records, sets the rate of each epoch where the user gave a function, and ends the training
    after the last epoch. What goes on from a checkpoint has to be the same training.

    Args:
        history (History): takes the records
        count (int): of epochs
        learner (Learner): whose rate it is
        rate: what the user gave
        samples (int): of an epoch; None of a source

    Attributes:
        trained (int): how many epochs there were since it was made
    """

    def __init__(self, history: History, count: int, learner: Learner, rate: Any, samples: int | None):
        super().__init__()
        self._history, self._count, self._samples = history, count, samples
        self._learner, self._rate = learner, rate if callable(rate) else None
        self.trained = 0

    def on_epoch_end(self, session: Any, record: Record) -> None:
        if self._rate is not None:
            self._learner.reset_learning_rate(
                learning_parameter_schedule(rate_at(self._rate, record.epoch + 1))
            )
        first = dict(epoch=record.epoch, loss=record.loss)
        last = dict(rate=record.rate, seconds=record.seconds)
        between = {name: value for name, value in record.items() if name not in (*first, *last, 'samples')}
        self.trained += 1
        self._history.epochs.append(Record(**first, **between, **last))
        if record.epoch >= self._count:
            session.end()

    def state(self) -> dict[str, Any]:
        return {
            'epochs': [{name: float(value) for name, value in record.items()} for record in self._history],
            'classes': _texts(self._history.classes),
            'samples': self._samples,
        }

    def restore(self, state: dict[str, Any]) -> None:
        self._check(state)
        self._history.epochs[:] = [
            Record(**{name: int(value) if name == 'epoch' else value for name, value in record.items()})
            for record in state['epochs']
        ]

    def _check(self, state):
        classes = _texts(self._history.classes)
        if state.get('classes', classes) != classes:
            raise ValueError(
                f'the checkpoint is of a training with {_named(state["classes"])}, and the labels have '
                f'{_named(classes)}: outputs would change their meaning\n'
                '  remedy   go on with labels of the same names, or name another checkpoint'
            )
        before = state.get('samples')  # earlier releases have kept none
        if before is not None and self._samples is not None and self._samples < before:
            raise ValueError(
                f'the checkpoint is of a training with {before} samples, and there are {self._samples}\n'
                '  remedy   go on with the data, and the validation_split, of the training that was saved'
            )


def _texts(classes):
    """Names of classes as a checkpoint holds them."""
    if isinstance(classes, dict):
        return {name: _texts(own) for name, own in classes.items()}
    return [str(name) for name in classes]


def _named(classes):
    if isinstance(classes, dict):
        return '; '.join(f'{_named(own)} of {name}' for name, own in classes.items())
    return f'the classes {", ".join(classes)}' if classes else 'numbers as classes'
