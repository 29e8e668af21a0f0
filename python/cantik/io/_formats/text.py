"""Files in CNTK's text format."""

from __future__ import annotations

from typing import Any

from ... import _cantik
from ..config import count, switch


def _ctf(option: dict[str, Any], max_errors: int) -> list[_cantik.Deserializer]:
    streams = [
        (
            name,
            s.get('alias', name),
            count(s, 'dim'),
            s['format'] == 'sparse',
            switch(s, 'definesMBSize'),
        )
        for name, s in option['input'].items()
    ]
    return [
        _cantik.ctf(
            str(option['file']),
            streams,
            count(option, 'chunkSizeInBytes', 32 << 20),
            switch(option, 'skipSequenceIds'),
            count(option, 'maxErrors', max_errors),
            switch(option, 'cacheIndex'),
        )
    ]


OPENS = {'CNTKTextFormatDeserializer': _ctf}
