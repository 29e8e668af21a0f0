"""Where loops get their minibatches from: what users give, as the binding takes it."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._checks import dictionary, listed, refused, variable
from ..io import ReadAhead


class ArrayFeed(NamedTuple):
    """Arrays for inputs. The binding takes it as a tuple, and tells it by its kind."""

    kind: str
    pairs: list[tuple[Any, Any]]  # an input and its data
    sweeps: int | None = None  # how many they last; None for no end
    seed: int | None = None  # of the orders of the sweeps; None for the order of the data


class SourceFeed(NamedTuple):
    """A source whose streams go to inputs. The binding takes it as a tuple, and tells it by its kind."""

    kind: str
    source: Any
    streams: list[tuple[Any, Any]]  # an input and its stream


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


def data_for(source: Any, arguments: Any) -> tuple[Any, ...]:
    """The arrays for the arguments, in their order."""
    data = tuple(source) if isinstance(source, (tuple, list)) else (source,)
    if len(data) != len(arguments):
        raise ValueError(
            f'to pass data directly in place of a minibatch source, pass a tuple of {len(arguments)} numpy '
            'or scipy arrays, in the order of the arguments of the criterion function. You passed '
            f'{len(data)} value(s)'
        )
    return data


def feed_of(source: Any, arguments: Any, streams: Any = None, ahead: bool = True) -> ArrayFeed | SourceFeed:
    """What the binding takes of what users give: arrays for the arguments in their order, or a source with
    its streams."""
    if is_data(source):
        return ArrayFeed('arrays', list(zip(arguments, data_for(source, arguments))))
    if not hasattr(source, 'next_minibatch'):
        raise refused('the data', 'a source of minibatches or a tuple of arrays', source)
    if streams is None:
        infos = list(source.stream_infos())
        if len(infos) != len(arguments):
            raise ValueError(
                f'the source has {len(infos)} streams, the criterion {len(arguments)} arguments; say with '
                'model_inputs_to_streams which is for which'
            )
        named = {info.name: info for info in infos}
        if all(v.name in named for v in arguments):  # whatever their order
            streams = {v: named[v.name] for v in arguments}
        else:
            streams = dict(zip(arguments, infos))
    else:
        streams = streams_of(streams, arguments)
    if ahead and getattr(source, 'read_ahead', False) and not isinstance(source, ReadAhead):
        source = ReadAhead(source)
    return SourceFeed('source', source, list(streams.items()))


class OneSweep:
    """A source that ends with its sweep."""

    native_source = None  # loops call next_minibatch

    def __init__(self, source: Any):
        self._wrapped, self._ended = source, False

    def __getattr__(self, name):
        return getattr(self._wrapped, name)

    def next_minibatch(self, *request: Any) -> dict[Any, Any]:
        batch = {} if self._ended else self._wrapped.next_minibatch(*request)
        self._ended = any(data.end_of_sweep for data in batch.values())
        return batch

    _next_of_loop = next_minibatch


class Reading:
    """While a feed is in use: what was read ahead goes back at the end."""

    def __init__(self, feed: ArrayFeed | SourceFeed):
        self._source = feed.source if isinstance(feed, SourceFeed) else None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if isinstance(self._source, ReadAhead):
            self._source.close()
