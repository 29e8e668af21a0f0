"""What is configured around a training: when, how large, on which data. The classes that users call are in
_generated.py and derive from these."""

from __future__ import annotations

import enum
import warnings
from typing import Any

from .. import _cantik
from .._cantik import TrainingParameterSchedule
from .._checks import callable_object, flag, path, refused, whole
from .._limits import MOST
from ._sources import data_for, is_data, feed_of, streams_of


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

    def get_minibatch_size(self):
        """The same as minibatch_size: 0, as its values are sizes themselves."""
        return self.minibatch_size

    def set_minibatch_size(self, minibatch_size):
        """Sets minibatch_size."""
        self.minibatch_size = minibatch_size


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


def frequency_of(value, what='frequency'):
    """(count, unit) of a number of samples or of a pair; nothing at all means at the end only."""
    if value is None:
        return 0, int(DataUnit.sample)
    if isinstance(value, tuple) and len(value) == 2:
        count, unit = value
        return min(whole(count, what, 0), MOST), int(DataUnit(unit))
    return min(whole(value, what, 0), MOST), int(DataUnit.sample)


def samples_of(value, what='max_samples'):
    """A limit, or None where there is none."""
    return None if value is None else min(whole(value, what, 0), MOST)


class Checkpoints:
    """Where and how often checkpoints are written."""

    def __init__(self, options: dict[str, Any]):
        filename, frequency = options['filename'], options['frequency']
        if filename is None:
            if frequency is not None and frequency != 0:
                raise ValueError("Checkpoint frequency cannot be specified without checkpoint_filename")
            frequency, filename = 0, ''
        self.filename, self.frequency = path(filename, 'filename'), frequency_of(frequency)
        if not self.filename and self.frequency[0]:
            raise ValueError('Checkpoint file name must not be empty if checkpoint frequency is non zero.')
        self.restore = flag(options['restore'], 'restore')
        self.preserve_all = flag(options['preserve_all'], 'preserve_all')

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


class Tested:
    """Data that are tested on."""

    def __init__(
        self,
        minibatch_source: Any,
        model_inputs_to_streams: Any,
        criterion: Any,
        source: Any,
        mb_size: Any,
        options: dict[str, Any],
    ):
        self.source = _source_or_none(minibatch_source, source)
        self.max_samples = samples_of(options.get('max_samples'))
        self.minibatch_size = minibatch_size_schedule(
            options['minibatch_size'] if mb_size is None else mb_size
        )
        self.streams = _mapping(model_inputs_to_streams)
        self.arguments = _arguments_of(self.source, criterion)

    def _tested(self, streams: Any, arguments: Any) -> dict[str, Any]:
        """As a session takes them. Streams and arguments: those of the training, unless there are others."""
        found = dict(minibatch_size=self.minibatch_size, max_samples=self.max_samples)
        if self.source is not None:
            found['source'] = feed_of(
                self.source, self.arguments or arguments, self.streams or streams, ahead=False
            )
        return found


class FinalTest(Tested):
    """A test at the end of the training."""

    __test__ = False  # no class of tests

    def options(self, streams: Any = None, arguments: Any = ()) -> dict[str, Any]:
        """As a session takes them."""
        return self._tested(streams, arguments)


class CrossValidation(Tested):
    """Tests during the training."""

    def __init__(
        self,
        minibatch_source: Any,
        model_inputs_to_streams: Any,
        criterion: Any,
        source: Any,
        mb_size: Any,
        options: dict[str, Any],
    ):
        self.frequency = frequency_of(options['frequency'])
        callback = options['callback']
        self.callback = None if callback is None else callable_object(callback, 'callback')
        super().__init__(minibatch_source, model_inputs_to_streams, criterion, source, mb_size, options)
        if self.frequency[0] and self.source is None and self.callback is None:
            raise ValueError(
                'CrossValidationConfig: with a frequency there must be a source of minibatches, or a callback'
            )

    def options(self, streams: Any = None, arguments: Any = ()) -> dict[str, Any]:
        """As a session takes them."""
        callback = self._call if self.callback else None
        return dict(test=self._tested(streams, arguments), frequency=self.frequency, callback=callback)

    def _call(self, index, average, samples, minibatches):
        return self.callback(index, average, samples, minibatches) is not False


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
    data_for(source, arguments)
    return arguments
