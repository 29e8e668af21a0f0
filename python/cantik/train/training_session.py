"""Training loops: sources of minibatches, checkpoints, cross-validation, tests."""

from __future__ import annotations

import enum
import warnings
import weakref
from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._cantik import TrainingParameterSchedule
from .._checks import (
    callable_object,
    device as device_or_none,
    dictionary,
    flag,
    listed,
    path,
    refused,
    variable,
    whole,
)
from ..io import MinibatchSource, ReadAhead
from .callbacks import callbacks_of
from .interrupts import KeyboardInterrupts

if TYPE_CHECKING:
    from collections.abc import Callable

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

_ENDLESS = 2**63 - 1


class DataUnit(enum.IntEnum):
    """What a frequency counts.

    Example:
        >>> import cantik as C
        >>> C.CheckpointConfig('m.ckp', frequency=(1, C.DataUnit.sweep)).filename
        'm.ckp'
    """

    sweep = 0
    sample = 1
    minibatch = 2

    def __str__(self):
        return f'DataUnit.{self.name}'  # today's Python would print the number


class _Sizes(TrainingParameterSchedule):
    def __getitem__(self, samples):
        return int(super().__getitem__(samples))


def minibatch_size_schedule(schedule: Any, epoch_size: int = 1) -> TrainingParameterSchedule | _Sizes:
    """Minibatch sizes that change as samples go by.

    Args:
        schedule: a number; a list of one number an epoch; or a list of pairs (so many epochs, number)
        epoch_size (int): samples of an epoch

    Example:
        >>> import cantik as C
        >>> [C.minibatch_size_schedule([32, 64], 10)[i] for i in (0, 9, 10)]
        [32, 32, 64]
    """
    if isinstance(schedule, TrainingParameterSchedule):
        return schedule
    if isinstance(schedule, int):
        whole(schedule, 'a minibatch size', 0)
        if epoch_size != 1:
            warnings.warn(
                'When providing the schedule as a number, epoch_size is ignored', RuntimeWarning, stacklevel=2
            )
        return _Sizes(schedule)
    sizes = _Sizes(schedule, None, epoch_size)
    for _, size in sizes.steps():
        whole(size, 'a minibatch size', 0)
    return sizes


def _frequency(value, what='frequency'):
    """(count, unit) of a number of samples or of a pair; nothing at all means at the end only."""
    if value is None:
        return 0, int(DataUnit.sample)
    if isinstance(value, tuple) and len(value) == 2:
        count, unit = value
        return min(whole(count, what, 0), _ENDLESS), int(DataUnit(unit))
    return min(whole(value, what, 0), _ENDLESS), int(DataUnit.sample)


def _samples(value, what='max_samples'):
    """A limit, or None where there is none."""
    return None if value is None else min(whole(value, what, 0), _ENDLESS)


def streams_of(streams: Any, arguments: Any = None) -> dict[Any, Any]:
    """The dictionary from inputs to streams; a list is for the arguments in their order."""
    if arguments is not None and not isinstance(streams, dict):
        streams = listed(streams, 'model_inputs_to_streams')
        if len(streams) != len(arguments):
            raise ValueError(
                f'the criterion has {len(arguments)} arguments, but {len(streams)} streams were given'
            )
        streams = dict(zip(arguments, streams))
    for key, stream in dictionary(streams, 'model_inputs_to_streams').items():
        variable(key, 'a key of model_inputs_to_streams')
        if not hasattr(stream, 'name'):
            raise refused(
                'a value of model_inputs_to_streams',
                'a stream of the source, such as source.streams.x',
                stream,
            )
    return streams


def is_data(source: Any) -> bool:
    """Whether the user gave arrays in place of a source."""
    return isinstance(source, (tuple, list)) or (
        hasattr(source, 'shape') and not hasattr(source, 'next_minibatch')
    )


def _data_for(source, arguments):
    data = tuple(source) if isinstance(source, (tuple, list)) else (source,)
    if len(data) != len(arguments):
        raise ValueError(
            f'to pass data directly in place of a minibatch source, pass a tuple of {len(arguments)} '
            'numpy or scipy '
            'arrays, in the order of the arguments of '
            f'the criterion function. You passed {len(data)} value(s)'
        )
    return data


def source_of(source: Any, arguments: Any, streams: Any = None, ahead: bool = True) -> tuple[Any, ...]:
    """What the binding takes as a source: arrays for the arguments in their order, or a source with its
    streams."""
    if is_data(source):
        return 'arrays', list(zip(arguments, _data_for(source, arguments)))
    if not hasattr(source, 'next_minibatch'):
        raise refused('the data', 'a source of minibatches or a tuple of arrays', source)
    if streams is None:
        infos = list(source.stream_infos())
        if len(infos) != len(arguments):
            raise ValueError(
                f'the source has {len(infos)} streams, the criterion {len(arguments)} arguments; say '
                'with model_inputs_to_streams '
                'which is for which'
            )
        streams = dict(zip(arguments, infos))
    else:
        streams = streams_of(streams, arguments)
    if ahead and getattr(source, 'read_ahead', False) and not isinstance(source, ReadAhead):
        source = ReadAhead(source)
    return 'source', source, list(streams.items())


class reading:
    """While sources of source_of are in use: what was read ahead goes back at the end."""

    def __init__(self, *sources: Any):
        self._ahead = [
            source[1] for source in sources if source is not None and isinstance(source[1], ReadAhead)
        ]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for source in self._ahead:
            source.close()


class CheckpointConfig:
    """Checkpoints during training. The state is copied, and written while the training goes on; the file is
    whole at any moment.

    Args:
        filename (str): where they are written
        frequency (int or tuple): every so many samples, or (count, DataUnit); None for the end only
        restore (bool): training goes on where the last checkpoint was written
        preserve_all (bool): each one gets a file of its own

    Example:
        >>> import cantik as C
        >>> C.CheckpointConfig('m.ckp', frequency=10000, preserve_all=True).filename
        'm.ckp'
    """

    def __init__(
        self, filename: PathLike, frequency: Any = None, restore: bool = True, preserve_all: bool = False
    ):
        if filename is None:
            if frequency is not None and frequency != 0:
                raise ValueError("Checkpoint frequency cannot be specified without checkpoint_filename")
            frequency, filename = 0, ''
        self.filename, self.frequency = path(filename, 'filename'), _frequency(frequency)
        if not self.filename and self.frequency[0]:
            raise ValueError('Checkpoint file name must not be empty if checkpoint frequency is non zero.')
        self.restore, self.preserve_all = flag(restore, 'restore'), flag(preserve_all, 'preserve_all')

    def options(self, in_background: bool = True) -> dict[str, Any] | None:
        """As a session takes them.

        Args:
            in_background (bool): whether training goes on while the file is written
        """
        if not self.filename:
            return None
        return dict(
            filename=self.filename,
            frequency=self.frequency,
            restore=self.restore,
            preserve_all=self.preserve_all,
            in_background=in_background,
        )


class CrossValidationConfig:
    """Cross-validation during training.

    Args:
        minibatch_source: a source, or a tuple of arrays in the order of the criterion's arguments; None if
          only the callback matters
        frequency (int or tuple): every so many samples, or (count, DataUnit); None for the end only
        minibatch_size: a number or a schedule
        callback: called with (index, average of the metric, samples, minibatches); False ends the training
        max_samples (int): how many samples are tested; all by default
        model_inputs_to_streams (dict): which input gets which stream of the source
        criterion: whose arguments the arrays are for

    Example:
        >>> import cantik as C, numpy as np
        >>> data = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> config = C.CrossValidationConfig(
        ...     data, frequency=100, minibatch_size=2, criterion=C.squared_error(C.layers.Dense(1)(x), y)
        ... )
    """

    def __init__(
        self,
        minibatch_source: Any = None,
        frequency: Any = None,
        minibatch_size: Any = 32,
        callback: Callable[..., Any] | None = None,
        max_samples: int | None = None,
        model_inputs_to_streams: Any = None,
        criterion: Any = None,
        source: Any = None,
        mb_size: Any = None,
    ):
        self.source = _source_or_none(minibatch_source, source)
        self.frequency, self.max_samples = _frequency(frequency), _samples(max_samples)
        if self.source is None and callback is None:
            raise ValueError('CrossValidationConfig needs a source of minibatches, or a callback')
        self.callback = None if callback is None else callable_object(callback, 'callback')
        self.minibatch_size = minibatch_size_schedule(minibatch_size if mb_size is None else mb_size)
        self.streams = _mapping(model_inputs_to_streams)
        self.arguments = _arguments_of(self.source, criterion)

    def options(self, streams: Any = None) -> dict[str, Any]:
        d = dict(
            frequency=self.frequency,
            minibatch_size=self.minibatch_size,
            callback=self._call if self.callback else None,
            max_samples=self.max_samples,
        )
        if self.source is not None:
            d['source'] = source_of(self.source, self.arguments, self.streams or streams, ahead=False)
        return d

    def _call(self, index, average, samples, minibatches):
        return self.callback(index, average, samples, minibatches) is not False


class TestConfig:
    """A test at the end of the training.

    Args:
        minibatch_source: a source, or a tuple of arrays in the order of the criterion's arguments
        minibatch_size: a number or a schedule
        model_inputs_to_streams (dict): which input gets which stream of the source
        criterion: whose arguments the arrays are for

    Example:
        >>> import cantik as C, numpy as np
        >>> data = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> config = C.TestConfig(data, minibatch_size=2, criterion=C.squared_error(C.layers.Dense(1)(x), y))
    """

    __test__ = False  # no class of tests

    def __init__(
        self,
        minibatch_source: Any = None,
        minibatch_size: Any = 32,
        model_inputs_to_streams: Any = None,
        criterion: Any = None,
        source: Any = None,
        mb_size: Any = None,
    ):
        self.source = _source_or_none(minibatch_source, source)
        self.minibatch_size = minibatch_size_schedule(minibatch_size if mb_size is None else mb_size)
        self.streams = _mapping(model_inputs_to_streams)
        self.arguments = _arguments_of(self.source, criterion)

    def options(self, streams: Any = None) -> dict[str, Any]:
        return dict(
            source=source_of(self.source, self.arguments, self.streams or streams, ahead=False),
            minibatch_size=self.minibatch_size,
        )


def _mapping(streams):
    # A list is in the order of the criterion's arguments, which are not known yet.
    if isinstance(streams, (list, tuple)):
        if not streams or not all(hasattr(stream, 'name') for stream in streams):
            raise refused('model_inputs_to_streams', 'a dictionary from inputs to streams', streams)
        return streams
    return streams if streams is None else streams_of(streams)


def _source_or_none(source, older):
    what = 'minibatch_source'
    if older is not None:  # the argument's older name counts, as mb_size does
        source, what = older, 'source'
    if source is not None and not is_data(source) and not hasattr(source, 'next_minibatch'):
        raise refused(what, 'a source of minibatches, or a tuple of arrays', source)
    return source


def _arguments_of(source, criterion):
    if not is_data(source):
        return []
    if criterion is None:
        raise ValueError('when passing data directly in place of a minibatch source, criterion must be given')
    if isinstance(criterion, (tuple, list)):
        criterion = _cantik.combine([c for c in criterion if c is not None])
    if not isinstance(criterion, _cantik.Function):
        raise refused('criterion', 'a Function, or a pair of loss and metric', criterion)
    arguments = list(criterion.arguments)
    _data_for(source, arguments)
    return arguments


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
        max_samples = _samples(max_samples)
        self.trainer, self.cv_config, self._mb_source = trainer, cv_config, mb_source
        limited = max_samples is not None and max_samples < _ENDLESS
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
            max_samples=max_samples if limited else None,
            progress=_frequency(progress_frequency, 'progress_frequency'),
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
        self._source = source_of(mb_source, list(model_inputs_to_streams), model_inputs_to_streams)
        self._session = _cantik.TrainingSession(trainer, self._source, options)

    def _overrides(self, name):
        return getattr(type(self), name) is not getattr(TrainingSession, name)

    def train(self, device: DeviceDescriptor | None = None) -> None:
        """Trains until the source ends or max_samples are reached. With a checkpoint configuration Ctrl-C
        ends it after the minibatch at hand, with a checkpoint from which the next training goes on."""
        device_or_none(device)
        with reading(self._source), KeyboardInterrupts(self._session, self._has_checkpoint):
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
        callback = self.cv_config.callback if self.cv_config else None
        return callback is None or callback(index, average_error, num_samples, num_minibatches) is not False


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
