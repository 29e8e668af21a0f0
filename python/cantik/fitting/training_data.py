"""What a training goes through in an epoch: arrays in a new order, or a sweep of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import refused
from ..train._sources import ArrayFeed, SourceFeed, feed_of
from .prediction import feeds_of
from .tables import size_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..variables import Variable
    from .columns import Column


class Arrays:
    """Columns for inputs.

    Args:
        inputs (list): variables
        columns (list): their data
        seed: of the orders of the epochs; None for the order of the data
    """

    def __init__(self, inputs: Sequence[Variable], columns: list[Column], seed: int | None = None):
        self._inputs, self._columns, self._seed = list(inputs), columns, seed
        self.size = size_of(columns)

    def sweeps(self, epochs: int) -> ArrayFeed:
        """The data of so many epochs, as a session takes them."""
        pairs = [(v, column.data) for v, column in zip(self._inputs, self._columns)]
        return ArrayFeed('arrays', pairs, epochs, self._seed)

    def minibatches(self, size: int) -> Iterator[dict[Variable, Any]]:
        """The samples in the order of the data."""
        yield from feeds_of(self._inputs, self._columns, size)


def split(size: int, fraction: Any, order: np.random.Generator | None) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the samples to train on and of those to validate with: drawn, or the last ones."""
    if isinstance(fraction, bool) or not isinstance(fraction, (int, float)) or not 0 < fraction < 1:
        raise refused('validation_split', 'between 0 and 1', fraction)
    kept = size - max(round(size * fraction), 1)
    if kept < 1:
        raise ValueError(f'validation_split leaves no sample of {size} to train on')
    rows = np.arange(size) if order is None else order.permutation(size)
    return np.sort(rows[:kept]), np.sort(rows[kept:])


class Source:
    """A source of minibatches whose streams go to inputs.

    Args:
        source: has next_minibatch
        streams (dict): from inputs to streams
        again (bool): whether `minibatches` brings the samples of the last sweep once more
    """

    def __init__(self, source: Any, streams: dict[Variable, Any], again: bool = False):
        self.source, self._streams = source, streams
        self._again, self._begin = again, None

    def sweeps(self, epochs: int) -> ArrayFeed | SourceFeed:
        """The source, as a session takes it."""
        if self._again:
            self._begin = self.source.get_checkpoint_state()
        # While the source is read again, nothing is read ahead.
        feed = feed_of(self.source, list(self._streams), self._streams, ahead=not self._again)
        return feed._replace(kind='sweeps')  # epochs are sweeps

    def minibatches(self, size: int) -> Iterator[dict[Variable, Any]]:
        """The minibatches of a sweep, of this size; afterwards the source stands where it stood."""
        state = self.source.get_checkpoint_state()
        if self._begin is not None:
            self.source.restore_from_checkpoint(self._begin)
            self._begin = state
        following = getattr(self.source, '_next_of_sweep', self.source.next_minibatch)
        found, ended = following(size), False
        if not found:
            raise ValueError('the source of validation_data has no samples')
        while found and not ended:
            yield {v: found[stream].data for v, stream in self._streams.items()}
            ended = any(found[stream].end_of_sweep for stream in self._streams.values())
            if not ended:
                found = following(size)
        self.source.restore_from_checkpoint(state)


def input_streams(source: Any, inputs: Sequence[Variable], labels: Sequence[str]) -> list[Any]:
    """The streams for the inputs: by name, otherwise in their order without those of labels."""
    infos = list(source.stream_infos())
    by_name = {info.name: info for info in infos}
    named = [by_name.get(v.name) for v in inputs]
    if any(info is None for info in named):
        named = [info for info in infos if info.name not in labels][: len(inputs)]
    if len(named) != len(inputs):
        raise _misfit(by_name, inputs)
    return named


def streams_for(
    source: Any, inputs: Sequence[Variable], labels: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """The streams for the inputs and those for the labels: by name, otherwise in their order."""
    infos = list(source.stream_infos())
    by_name = {info.name: info for info in infos}
    for label in labels:
        if label is not None and (not isinstance(label, str) or label not in by_name):
            raise refused(
                'labels of a source', f'the name of one of its streams ({", ".join(by_name)})', label
            )
    targets = [by_name[label] for label in labels if label is not None]
    named = input_streams(source, inputs, [label for label in labels if label is not None])
    rest = [info for info in infos if all(info.name != other.name for other in named)]
    if not targets and len(rest) == 1:
        targets = rest
    if len(targets) != len(labels):
        raise _misfit(by_name, inputs)
    return named, targets


def _misfit(streams, inputs):
    return ValueError(
        f'the streams of the source do not fit the model\n'
        f'  expected one for each of {len(inputs)} input(s), and one for the label\n'
        f'  got      {", ".join(streams)}\n'
        "  remedy   name the inputs as the streams are named, and give labels='name'"
    )
