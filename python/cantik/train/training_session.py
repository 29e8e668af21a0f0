"""Training loops: sources of minibatches, checkpoints, cross-validation, tests."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import device as device_or_none, refused
from .._limits import MOST
from ..io import MinibatchSource
from ._configs import (
    DataUnit as DataUnit,
    frequency_of,
    minibatch_size_schedule as minibatch_size_schedule,
    samples_of,
)
from ._generated import (
    CheckpointConfig as CheckpointConfig,
    CrossValidationConfig as CrossValidationConfig,
    TestConfig as TestConfig,
)
from ._sources import Reading, feed_of, streams_of
from .callbacks import callbacks_of
from .interrupts import KeyboardInterrupts

if TYPE_CHECKING:
    from .._cantik import DeviceDescriptor
    from .._types import PathLike

__all__ = [
    'CheckpointConfig',
    'CrossValidationConfig',
    'DataUnit',
    'TestConfig',
    'TrainingSession',
    'minibatch_size_schedule',
    'training_session',
]


class _Hooks(_cantik.Callback):
    """Calls the methods of a TrainingSession."""

    def __init__(self, session):
        super().__init__()
        # The session holds this object, not the other way round: it would never be freed.
        self._session = weakref.ref(session)

    def on_minibatch_start(self, session):
        self._session().on_minibatch_start()

    def on_minibatch_end(self, session):
        if self._session().on_minibatch_end() is False:
            session.end()

    def on_checkpoint_start(self, session, index):
        self._session().on_checkpoint_start(index)

    def on_checkpoint_end(self, session, index):
        self._session().on_checkpoint_end(index)

    def on_cross_validation_start(self, session, index):
        self._session().on_cross_validation_start(index)


class TrainingSession:
    """A training loop over a source of minibatches; made by training_session.

    A class derived from it may override on_minibatch_start, on_minibatch_end (False ends the training),
    on_checkpoint_start and _end, on_cross_validation_start and _end. A checkpoint is waited for where
    on_checkpoint_end is overridden.
    """

    _HOOKS = (
        'on_minibatch_start',
        'on_minibatch_end',
        'on_checkpoint_start',
        'on_checkpoint_end',
        'on_cross_validation_start',
    )

    def __init__(
        self,
        trainer: Any,
        mb_source: Any,
        mb_size: Any,
        model_inputs_to_streams: Any,
        max_samples: int | None,
        progress_frequency: int | None,
        checkpoint_config: CheckpointConfig | None,
        cv_config: CrossValidationConfig | None,
        test_config: TestConfig | None,
        callbacks: Any = (),
    ):
        if trainer is None:
            raise ValueError("Trainer must not be None.")
        if not model_inputs_to_streams:
            raise ValueError("mb_source and model_inputs_to_streams must be specified.")
        for what, config, kind in (
            ('checkpoint_config', checkpoint_config, CheckpointConfig),
            ('cv_config', cv_config, CrossValidationConfig),
            ('test_config', test_config, TestConfig),
        ):
            if config is not None and not isinstance(config, kind):
                raise refused(what, 'a ' + kind.__name__, config)
        streams_of(model_inputs_to_streams)
        max_samples = samples_of(max_samples)
        self.trainer, self.cv_config, self._mb_source = trainer, cv_config, mb_source
        self.cv_callback = cv_config.callback if cv_config else None
        limited = max_samples is not None and max_samples < MOST
        for what, source, is_limited in (
            ('Train', mb_source, limited),
            ('Test', test_config and test_config.source, False),
            (
                'Cross validation',
                cv_config and cv_config.source,
                cv_config and cv_config.max_samples is not None,
            ),
        ):
            if hasattr(source, 'is_infinite') and source.is_infinite() and not is_limited:
                raise ValueError(f'{what} minibatch source must have a limited number of samples or sweeps')
        self._minibatch_size = minibatch_size_schedule(mb_size)
        options = dict(
            minibatch_size=self._minibatch_size,
            max_samples=max_samples if limited else MOST,
            progress=frequency_of(progress_frequency, 'progress_frequency'),
            checkpoint=checkpoint_config.options(not self._overrides('on_checkpoint_end'))
            if checkpoint_config
            else None,
            cross_validation=cv_config.options(model_inputs_to_streams) if cv_config else None,
            test=test_config.options(model_inputs_to_streams) if test_config else None,
            callbacks=callbacks_of(callbacks),
        )
        if cv_config:  # through the method, which may be overridden
            me = weakref.ref(self)
            options['cross_validation']['callback'] = lambda *found: (
                me().on_cross_validation_end(*found) is not False
            )
        if any(self._overrides(name) for name in self._HOOKS):
            options['callbacks'].append(_Hooks(self))
        self._has_checkpoint = options['checkpoint'] is not None
        self._feed = feed_of(mb_source, list(model_inputs_to_streams), model_inputs_to_streams)
        self._session = _cantik.TrainingSession(trainer, self._feed, options)

    def _overrides(self, name):
        return getattr(type(self), name) is not getattr(TrainingSession, name)

    def train(self, device: DeviceDescriptor | None = None) -> None:
        """Trains until the source ends or max_samples are reached. With a checkpoint configuration Ctrl-C
        ends it after the minibatch at hand, with a checkpoint from which the next training goes on."""
        device_or_none(device)
        with Reading(self._feed), KeyboardInterrupts(self._session, self._has_checkpoint):
            self._session.train(device)
        if isinstance(self._mb_source, MinibatchSource):
            self._mb_source.tell_warnings()

    def get_minibatch_size(self) -> int:
        """The size of the next minibatch, by the schedule."""
        return int(self._minibatch_size[self.trainer.total_number_of_samples_seen])

    def restore_from_checkpoint(self, filename: PathLike) -> None:
        """Goes on where a checkpoint was written."""
        self._session.restore_from_checkpoint(filename)

    def on_minibatch_start(self) -> None:
        """Called before each minibatch is asked for."""

    def on_minibatch_end(self) -> bool:
        """Called after each; False ends the training."""
        return True

    def on_checkpoint_start(self, index: int) -> None:
        """Called before a checkpoint is written, the index-th."""

    def on_checkpoint_end(self, index: int) -> None:
        """Called when it is there."""

    def on_cross_validation_start(self, index: int) -> None:
        """Called before a cross-validation."""

    def on_cross_validation_end(
        self, index: int, average_error: float, num_samples: int, num_minibatches: int
    ) -> bool:
        """Called after it; calls the callback of its configuration. False ends the training."""
        found = index, average_error, num_samples, num_minibatches
        return self.cv_callback is None or self.cv_callback(*found) is not False


def training_session(
    trainer: Any,
    mb_source: Any,
    mb_size: Any,
    model_inputs_to_streams: Any,
    progress_frequency: int | None = None,
    max_samples: int | None = None,
    checkpoint_config: CheckpointConfig | None = None,
    cv_config: CrossValidationConfig | None = None,
    test_config: TestConfig | None = None,
    callbacks: Any = (),
) -> TrainingSession:
    """A training loop over a source of minibatches.

    Args:
        trainer (Trainer): what is trained
        mb_source: where minibatches come from
        mb_size: a number, or a minibatch_size_schedule
        model_inputs_to_streams (dict): which input gets which stream
        progress_frequency (int or tuple): when writers summarize: every so many samples, or (count, DataUnit)
        max_samples (int): when it ends
        checkpoint_config, cv_config, test_config: what happens beside it
        callbacks (list): Callbacks, or functions of the record of an epoch; False ends the training

    Returns:
        TrainingSession
    """
    return TrainingSession(
        trainer,
        mb_source,
        mb_size,
        model_inputs_to_streams,
        max_samples,
        progress_frequency,
        checkpoint_config,
        cv_config,
        test_config,
        callbacks,
    )
