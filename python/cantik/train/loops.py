"""Function.train and Function.test: whole trainings in one call."""

from __future__ import annotations

import numbers
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _cantik
from .._checks import listed, whole
from .._limits import FULL_DATA_SWEEP
from .._seeds import new_seed
from ..variables import Record
from ._configs import minibatch_size_schedule
from ._generated import CheckpointConfig, CrossValidationConfig, TestConfig
from ._sources import ArrayFeed, OneSweep, Reading, SourceFeed, feed_of, is_data
from .callbacks import as_callback, is_callback
from .interrupts import KeyboardInterrupts
from .progress import Progress
from .trainer import Trainer, criterion_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._cantik import Learner


def _summaries(parts):
    """Records of triples from the library."""
    return [Record(loss=loss, metric=metric, samples=samples) for loss, metric, samples in parts]


class Partitioned(NamedTuple):
    """Callbacks by what they are."""

    writers: list[Any]
    configs: dict[type, Any]  # by their class
    others: list[Any]


def _refuse(why, only_warn):
    """An error; or a warning that points at the call of train."""
    if not only_warn:
        raise ValueError(why)
    warnings.warn(f'one of the callbacks is left out: {why}', RuntimeWarning, stacklevel=5)


def partitioned(callbacks: Any, as_in_cntk: bool = False) -> Partitioned:
    """What users give as callbacks: progress writers, configurations, and Callbacks. CNTK's training takes
    the first of several configurations of a kind, and passes over what it does not know; here with a
    warning."""
    writers, configs, others = [], {}, []
    for callback in [] if callbacks is None else listed(callbacks, 'callbacks'):
        if isinstance(callback, _cantik.ProgressWriter):
            writers.append(callback)
        elif isinstance(callback, (CheckpointConfig, CrossValidationConfig, TestConfig)):
            if type(callback) in configs:
                _refuse(f'only one {type(callback).__name__} can be passed', as_in_cntk)
            configs.setdefault(type(callback), callback)
        elif is_callback(callback):
            others.append(as_callback(callback))
        else:
            _refuse(
                'callbacks list can only contain objects of type ProgressWriter, CheckpointConfig, '
                'CrossValidationConfig, TestConfig, Callback, and functions of the record of an epoch, '
                f'not {type(callback).__name__}',
                as_in_cntk,
            )
    return Partitioned(writers, configs, others)


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
    streams: Any,
    model_inputs_to_streams: Any,
    parameter_learners: Sequence[Learner] | Learner,
    shuffle: Any,
    options: dict[str, Any],
) -> Progress:
    """See Function.train. The options are those of TrainConfig."""
    if minibatch_source is None:
        raise ValueError("'minibatch_source' must not be None.")
    if model_inputs_to_streams is not None and streams is not None:
        raise ValueError("'streams' and 'model_inputs_to_streams' are mutually exclusive.")
    epoch_size, max_samples = options['epoch_size'], options['max_samples']
    if not is_data(minibatch_source) and epoch_size == FULL_DATA_SWEEP:
        raise ValueError(
            'epoch_size is a number of samples: nobody knows how many a sweep of this source has\n'
            '  remedy   give that number'
        )
    endless = not is_data(minibatch_source) and (
        getattr(minibatch_source, '_repeats', False)
        or getattr(minibatch_source, 'is_infinite', lambda: False)()
    )
    if endless and epoch_size is None and max_samples is None:
        raise ValueError(
            'epoch_size must be specified, unless max_samples is given or input is given as numpy/scipy '
            'arrays: this source never ends.'
        )
    arguments = list(criterion.arguments)
    feed = feed_of(minibatch_source, arguments, _mapping(minibatch_source, model_inputs_to_streams, streams))
    learners = (
        list(parameter_learners) if isinstance(parameter_learners, (list, tuple)) else [parameter_learners]
    )
    if not learners:
        raise ValueError(
            'These must be at least one learner.\n  remedy   give '
            'parameter_learners=[cantik.sgd(model.parameters, 0.1)], for example'
        )
    writers, configs, others = partitioned(options['callbacks'], as_in_cntk=True)
    order = _seed_of(shuffle)
    if isinstance(feed, ArrayFeed):
        feed = feed._replace(seed=order)
    elif order is not None:
        raise ValueError('shuffle is for arrays; a source of minibatches has an order of its own')
    config = options | dict(
        minibatch_size=minibatch_size_schedule(options['minibatch_size']), writers=writers, callbacks=others
    )
    if _is_zero(options['progress_frequency']):
        config['progress_frequency'] = None
    if config['progress_frequency'] is None and epoch_size is None and max_samples is not None:
        config['progress_frequency'] = 0  # the whole training, which max_samples ends
    shared = dict(feed.streams) if isinstance(feed, SourceFeed) else None
    for kind, key in (
        (CheckpointConfig, 'checkpoint'),
        (CrossValidationConfig, 'cross_validation'),
        (TestConfig, 'test'),
    ):
        if kind in configs:
            config[key] = (
                configs[kind].options()
                if kind is CheckpointConfig
                else configs[kind].options(shared, arguments)
            )
    plan = _cantik.TrainingPlan(feed, config)
    collector = _cantik.TrainingCollector(plan.updates_every)
    trainer = Trainer(None, criterion_of(criterion), learners, writers + [collector])
    session = plan.session(trainer)
    seen = trainer.total_number_of_samples_seen
    with Reading(feed), KeyboardInterrupts(session, config.get('checkpoint') is not None):
        session.train()
    if seen and trainer.total_number_of_samples_seen == seen:
        warnings.warn(
            f'nothing was trained: the learners have seen {seen} samples before, and what they have seen '
            'counts for max_epochs and max_samples; give new learners to train anew',
            RuntimeWarning,
            stacklevel=3,
        )
    if hasattr(minibatch_source, 'tell_warnings'):
        minibatch_source.tell_warnings()
    found = dict(updates=_summaries(collector.updates), epoch_summaries=_summaries(collector.epochs))
    if TestConfig in configs:
        tested = collector.test
        found['test_summary'] = None if tested is None else Record(metric=tested[0], samples=tested[1])
    return Progress(**found)


def _is_zero(value):
    return isinstance(value, numbers.Number) and value == 0


def _seed_of(shuffle):
    """The seed of orders; None where data keep theirs."""
    if isinstance(shuffle, bool) or shuffle is None:
        return new_seed() if shuffle else None
    return whole(shuffle, 'shuffle', 0, 2**64 - 1)


def test(
    criterion: Any,
    minibatch_source: Any,
    streams: Any,
    model_inputs_to_streams: Any,
    callbacks: Sequence[Any] | None,
    options: dict[str, Any],
) -> Record:
    """See Function.test. The options are those of TestOptions."""
    if minibatch_source is None:
        raise ValueError("'minibatch_source' must not be None.")
    writers, configs, others = partitioned(callbacks)
    if configs or others:
        raise ValueError('a test takes progress writers as callbacks')
    metric = criterion.outputs[-1]
    if getattr(minibatch_source, '_repeats', False):
        minibatch_source = OneSweep(minibatch_source)
    feed = feed_of(
        minibatch_source,
        list(criterion.arguments),
        _mapping(minibatch_source, model_inputs_to_streams, streams),
    )
    size = minibatch_size_schedule(options['minibatch_size'])[0]
    if hasattr(minibatch_source, 'is_infinite') and minibatch_source.is_infinite():
        raise ValueError('minibatch_source must have a limited number of samples or sweeps.')
    with Reading(feed):
        average, samples = _cantik.test_over(metric, feed, dict(minibatch_size=size, writers=writers), True)
    return Record(metric=average, samples=samples)
