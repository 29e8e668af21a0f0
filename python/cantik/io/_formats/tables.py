"""Arrays in NumPy's files, and texts with columns."""

from __future__ import annotations

from typing import Any

from ... import _cantik
from ..config import count, plain, switch


def _arrays(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
    streams = [
        (name, str(s['file']), count(s, 'classes', 0))
        for name, s in ((name, plain(s)) for name, s in option['input'].items())
    ]
    return [_cantik.npy(streams, count(option, 'chunkSizeInBytes', 32 << 20))]


def _columns(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
    streams = [
        (
            name,
            [str(c) for c in s['columns']],
            count(s, 'classes', 0),
            [str(x) for x in s.get('labels', ())],
        )
        for name, s in ((name, plain(s)) for name, s in option['input'].items())
    ]
    return [
        _cantik.csv(
            str(option['file']),
            streams,
            str(option['separator']),
            switch(option, 'header'),
            option.get('missing'),
            count(option, 'chunkSizeInBytes', 32 << 20),
            max_errors,
        )
    ]


OPENS = {'NpyDeserializer': _arrays, 'CSVDeserializer': _columns}
