"""Function.train and Function.test: whole trainings in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import listed, whole
from ..variables import Record
from .trainer import Trainer, criterion_of
from .training_session import (
    CheckpointConfig,
    CrossValidationConfig,
    TestConfig,
    is_data,
    minibatch_size_schedule,
    reading,
    source_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._cantik import Learner

_NEVER = 2**63 - 1


class Collector(_cantik.ProgressWriter):
    """Keeps the averages that train returns."""

    def __init__(self, every: int):
        super().__init__(every, 0, _NEVER, 0, _NEVER, 0)
        self.updates, self.epochs, self.test = [], [], None

    def on_write_training_update(
        self,
        samples: tuple[int, int],
        updates: tuple[int, int],
        aggregate_loss: tuple[float, float],
        aggregate_metric: tuple[float, float],
    ) -> None:
        self.updates.append(
            _averages(
                samples[1] - samples[0],
                aggregate_loss[1] - aggregate_loss[0],
                aggregate_metric[1] - aggregate_metric[0],
            )
        )

    def on_write_training_summary(
        self,
        samples: int,
        updates: int,
        summaries: int,
        aggregate_loss: float,
        aggregate_metric: float,
        elapsed_milliseconds: int,
    ) -> None:
        self.epochs.append(_averages(samples, aggregate_loss, aggregate_metric))

    def on_write_test_summary(
        self,
        samples: int,
        updates: int,
        summaries: int,
        aggregate_metric: float,
        elapsed_milliseconds: int,
    ) -> None:
        self.test = Record(metric=aggregate_metric / samples if samples else 0.0, samples=samples)


def _averages(samples, loss, metric):
    return Record(
        loss=loss / samples if samples else 0.0, metric=metric / samples if samples else 0.0, samples=samples
    )


def _sort(callbacks, parameter_learners):
    """Callbacks by what they are."""
    writers, configs = [], {}
    for callback in [] if callbacks is None else listed(callbacks, 'callbacks'):
        if isinstance(callback, _cantik.ProgressWriter):
            writers.append(callback)
        elif isinstance(callback, (CheckpointConfig, CrossValidationConfig, TestConfig)):
            if type(callback) in configs:
                raise ValueError(f'only one {type(callback).__name__} can be passed')
            configs[type(callback)] = callback
        else:
            raise ValueError(
                'callbacks list can only contain objects of type ProgressWriter, CheckpointConfig, '
                'CrossValidationConfig, TestConfig, '
                f'not {type(callback).__name__}'
            )
    return writers, configs


def _at_least(least, value, what):
    return value if value is None else min(whole(value, what, least), _NEVER)


def _mapping(source, *given):
    """Which input gets which stream, of whichever was given."""
    given = [
        streams
        for streams in given
        if streams is not None and (streams or not isinstance(streams, (dict, list, tuple)))
    ]
    if given and is_data(source):
        raise ValueError('mapping must not be provided when data is passed directly')
    return given[0] if given else None


def train(
    criterion: Any,
    minibatch_source: Any,
    minibatch_size: Any = 32,
    streams: Any = None,
    model_inputs_to_streams: Any = None,
    parameter_learners: Sequence[Learner] | Learner = (),
    callbacks: Sequence[Any] = (),
    progress_frequency: int | None = None,
    max_epochs: int | None = None,
    epoch_size: int | None = None,
    max_samples: int | None = None,
) -> Record:
    """See Function.train."""
    if minibatch_source is None:
        raise ValueError("'minibatch_source' must not be None.")
    if model_inputs_to_streams is not None and streams is not None:
        raise ValueError("'streams' and 'model_inputs_to_streams' are mutually exclusive.")
    if max_epochs is not None and max_samples is not None:
        raise ValueError('max_epochs and max_samples are mutually exclusive.')
    max_epochs, epoch_size = _at_least(1, max_epochs, 'max_epochs'), _at_least(1, epoch_size, 'epoch_size')
    max_samples = _at_least(1, max_samples, 'max_samples')
    progress_frequency = _at_least(0, progress_frequency, 'progress_frequency')
    arguments = list(criterion.arguments)
    source = source_of(
        minibatch_source, arguments, _mapping(minibatch_source, model_inputs_to_streams, streams)
    )
    learners = (
        list(parameter_learners) if isinstance(parameter_learners, (list, tuple)) else [parameter_learners]
    )
    if not learners:
        raise ValueError(
            'These must be at least one learner.\n  remedy   give '
            'parameter_learners=[cantik.sgd(model.parameters, 0.1)], for example'
        )
    writers, configs = _sort(callbacks, learners)
    sizes = minibatch_size_schedule(minibatch_size)

    # What the loss counts, sequences or steps, is not known before: an epoch is a sweep.
    by_sweeps = (
        is_data(minibatch_source)
        and epoch_size is None
        and max_samples is None
        and any(a.is_sequence_axis for v in arguments for a in v.dynamic_axes)
    )
    if by_sweeps:
        source += (max_epochs or 1,)
    elif epoch_size is None and is_data(minibatch_source):
        epoch_size = _rows(source[1][0][1])
    elif epoch_size is None and max_epochs is not None:
        raise ValueError('max_epochs requires epoch_size where the source is no array')
    if max_samples is None:
        max_samples = (max_epochs or 1) * epoch_size if epoch_size is not None else None
        progress = progress_frequency or epoch_size
    else:
        progress = progress_frequency

    if writers:
        every = writers[0]._training_frequency
    else:
        every = (
            progress // int(sizes[0]) if progress and len(sizes.steps()) == 1 and sizes[0] >= 1 else _NEVER
        )
    collector = Collector(max(every, 1) if not writers else every)
    loss, metric = criterion_of(criterion)
    trainer = Trainer(None, (loss, metric), learners, writers + [collector])
    options = dict(
        minibatch_size=sizes,
        max_samples=max_samples,
        progress=(1, 0) if by_sweeps and not progress else (progress or 0, 1),
    )
    shared = dict(source[2]) if source[0] == 'source' else None
    for kind, key in (
        (CheckpointConfig, 'checkpoint'),
        (CrossValidationConfig, 'cross_validation'),
        (TestConfig, 'test'),
    ):
        if kind in configs:
            options[key] = (
                configs[kind].options() if kind is CheckpointConfig else configs[kind].options(shared)
            )
    with reading(source):
        _cantik.TrainingSession(trainer, source, options).train()
    if hasattr(minibatch_source, 'tell_warnings'):
        minibatch_source.tell_warnings()
    result = Record(updates=collector.updates, epoch_summaries=collector.epochs)
    if TestConfig in configs:
        result = Record(
            updates=collector.updates, epoch_summaries=collector.epochs, test_summary=collector.test
        )
    return result


def test(
    criterion: Any,
    minibatch_source: Any,
    minibatch_size: Any = 32,
    streams: Any = None,
    model_inputs_to_streams: Any = None,
    callbacks: Sequence[Any] | None = None,
) -> Record:
    """See Function.test."""
    if minibatch_source is None:
        raise ValueError("'minibatch_source' must not be None.")
    writers, configs = _sort(callbacks, ())
    if configs:
        raise ValueError('a test takes progress writers as callbacks')
    metric = criterion.outputs[-1]
    source = source_of(
        minibatch_source,
        list(criterion.arguments),
        _mapping(minibatch_source, model_inputs_to_streams, streams),
    )
    sizes = minibatch_size_schedule(minibatch_size)
    if hasattr(minibatch_source, 'is_infinite') and minibatch_source.is_infinite():
        raise ValueError('minibatch_source must have a limited number of samples or sweeps.')
    with reading(source):
        average, samples = _cantik.test_over(
            metric, source, whole(sizes[0], 'minibatch_size', 1), writers, True
        )
    return Record(metric=average, samples=samples)


def _rows(data):
    return data.shape[0] if hasattr(data, 'shape') else len(data)
