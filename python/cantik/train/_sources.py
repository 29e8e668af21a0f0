"""Where loops get their minibatches from: what users give, as the binding takes it."""

from __future__ import annotations

from typing import Any

from .._checks import dictionary, listed, refused, variable
from ..io import ReadAhead


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


def data_for(source, arguments):
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
        return 'arrays', list(zip(arguments, data_for(source, arguments)))
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
